"""Records the committed example's cassettes from the real local judge: ``make record-demo``.

What follows ``--`` goes to ``judgekit record`` (say, ``--all``).
"""

from __future__ import annotations

import subprocess
import sys

from tests.live.local_judge import local_judge


def main() -> int:
    """Start the judge, record what is missing, stop it; return the recorder's exit code."""
    with local_judge() as judge:
        command = [sys.executable, "-m", "judgekit.cli.main", "record", "--judge-url", judge.url]
        return subprocess.run([*command, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
