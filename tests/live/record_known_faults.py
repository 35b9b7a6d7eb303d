"""Records two known faults of the real local judge, for `tests/judges/test_known_faults.py`.

``python -m tests.live.record_known_faults`` writes them anew, unedited, into the folder there.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import JudgeError
from judgekit.judges.dialects import find_dialect
from judgekit.judges.live import Connection, LiveExchange
from judgekit.judges.recording import RecordingExchange, RecordingJudge
from tests.judges.known_faults import FOLDER, REQUESTS
from tests.live.local_judge import local_judge


def main() -> None:
    """Ask the judge what is known to go wrong, and keep what it answers."""
    with local_judge() as judge:
        live = LiveExchange(Connection(judge.url, attempt_s=600), find_dialect("openai-chat"))
        staging = Staging(FOLDER, CassetteStore(FOLDER / "none"))
        exchange = RecordingExchange(
            live, staging, lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        )
        recorder = RecordingJudge(exchange, live, re_asks=0)
        for request in REQUESTS.values():
            with contextlib.suppress(JudgeError):
                recorder.evaluate(request)
        live.close()


if __name__ == "__main__":
    main()
