"""Replay: through the port and through the whole command, beside the floor and beside vcrpy.

Each row is measured in a process of its own, which prints one line of JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from benchmarks import synthetic

SIZES = (100, 1_000, 10_000, 100_000)
VCR_SIZES = (100, 300)


@dataclass(frozen=True, slots=True)
class Measured:
    """One row.

    Attributes:
        seconds: of replaying all `count` calls (of the whole process for the command).
        floor_s: of parsing and hashing the same bytes.
        peak_mb: largest resident memory of the process.
    """

    what: str
    count: int
    seconds: float
    floor_s: float
    peak_mb: float


def port(folder: Path, count: int) -> Measured:
    """Replay every call through the judge port, in this process.

    The names are scanned and the patterns compiled before the clock starts, as vcrpy's cassette is
    loaded before its clock starts.
    """
    from judgekit.cassettes.store import CassetteStore
    from judgekit.judges.replay import ReplayJudge

    floor_s = _floor_s(folder)
    judge = ReplayJudge(CassetteStore(folder / "cassettes"))
    judge.evaluate(next(synthetic.requests(1)))
    seconds, requests = 0.0, synthetic.requests(count)
    while batch := list(islice(requests, 500)):
        start = time.perf_counter()
        for request in batch:
            judge.evaluate(request)
        seconds += time.perf_counter() - start
    return Measured("port", count, seconds, floor_s, _own_peak_mb())


def command(folder: Path, count: int) -> Measured:
    """Run ``judgekit run`` as a process."""
    floor_s = _floor_s(folder)
    program = [sys.executable, "-m", "judgekit.cli.main", "run"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    start = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(
            program, cwd=folder, env=environment, stdout=nowhere, stderr=subprocess.PIPE
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    assert process.stderr is not None
    said = process.stderr.read().decode()
    process.stderr.close()
    if os.waitstatus_to_exitcode(status) not in (0, 1) or "Traceback" in said:
        raise RuntimeError(said)
    return Measured("judgekit run", count, seconds, floor_s, usage.ru_maxrss / 1024)


def vcrpy(folder: Path, count: int) -> Measured:
    """Replay the same exchanges with vcrpy: record_mode none, matching method, uri and body."""
    import httpx
    import vcr

    from judgekit.cassettes.store import CassetteStore
    from judgekit.cassettes.vcr_bridge import DEFAULT_BASE_URL, export_cassette

    recorded = [each for _, each in CassetteStore(folder / "cassettes").all()]
    cassette = folder / "vcr.yaml"
    export_cassette(recorded, cassette)
    bodies = [each.call.body for each in recorded]
    with (
        vcr.use_cassette(str(cassette), record_mode="none", match_on=["method", "uri", "body"]),
        httpx.Client() as client,
    ):
        start = time.perf_counter()
        for body in bodies:
            client.post(DEFAULT_BASE_URL + "/v1/chat/completions", json=body).raise_for_status()
        seconds = time.perf_counter() - start
    return Measured("vcrpy", count, seconds, _floor_s(folder), _own_peak_mb())


def _floor_s(folder: Path) -> float:
    """Return the least time for the same bytes: read, parse and hash each recording."""
    packed = list((folder / "cassettes").rglob("*.jsonl"))
    if packed:
        start = time.perf_counter()
        with packed[0].open("rb") as lines:
            for line in lines:
                orjson.loads(line)
                hashlib.sha256(line).hexdigest()
        return time.perf_counter() - start
    paths = sorted((folder / "cassettes").rglob("*.json"))
    start = time.perf_counter()
    for path in paths:
        with path.open("rb") as file:
            data = file.read()
        orjson.loads(data)
        hashlib.sha256(data).hexdigest()
    return time.perf_counter() - start


def _own_peak_mb() -> float:
    """Return this process's own peak; ``ru_maxrss`` begins with that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def build(folder: Path, count: int, *, packed: bool = False) -> None:
    """Make a synthetic project in a process of its own, which keeps this one small."""
    program = (
        "from benchmarks import synthetic; from pathlib import Path; "
        f"synthetic.make_project(Path({str(folder)!r}), {count}, packed={packed})"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


WAYS = {"port": port, "command": command, "vcrpy": vcrpy}


def measure(way: str, folder: Path, count: int) -> Measured:
    """Measure in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.replay", way, str(folder), str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure everything and print the table with its ratios."""
    rows: list[tuple[str, Measured]] = []
    with tempfile.TemporaryDirectory(prefix="judgekit-bench-") as scratch:
        for count in SIZES:
            forms = [False, True] if count == SIZES[-1] else [False]
            for packed in forms:
                folder = Path(scratch) / f"{count}{'-packed' if packed else ''}"
                build(folder, count, packed=packed)
                form = "packed" if packed else "folder"
                rows += [(form, measure(way, folder, count)) for way in ("port", "command")]
        for count in VCR_SIZES:
            folder = Path(scratch) / f"vcr-{count}"
            build(folder, count)
            rows += [("folder", measure("port", folder, count))]
            rows += [("vcr yaml", measure("vcrpy", folder, count))]
    _print(rows)


def _print(rows: list[tuple[str, Measured]]) -> None:
    table = Table(title="Replay of recorded judge calls")
    for name in ("what", "form", "calls", "seconds", "µs/call", "× floor", "peak MB"):
        table.add_column(name, justify="left" if name in ("what", "form") else "right")
    for form, row in rows:
        table.add_row(
            row.what,
            form,
            f"{row.count:,}",
            f"{row.seconds:.3f}",
            f"{row.seconds / row.count * 1e6:.0f}",
            f"{row.seconds / row.floor_s:.1f}",
            f"{row.peak_mb:.0f}",
        )
    console = Console(width=100)
    console.print(table)
    ports = {r.count: r for form, r in rows if r.what == "port" and form == "folder"}
    for small, large in pairwise(SIZES):
        growth = ports[large].seconds / ports[small].seconds
        console.print(f"port: {small:,} → {large:,} calls takes {growth:.1f} × the time")
    for row in (r for _, r in rows if r.what == "vcrpy"):
        ours = ports[row.count].seconds / row.count
        console.print(
            f"vcrpy at {row.count}: {row.seconds / row.count / ours:,.0f} × the time of a call"
        )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(asdict(WAYS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3])))))
    else:
        main()
