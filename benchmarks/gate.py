"""The gate: storing, reading, comparing and blessing runs of up to a million cases.

Each row is measured in a process of its own, which prints one line of JSON.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from judgekit.evals.baseline_file import bless
from judgekit.gate.bless import merge
from judgekit.gate.decision import decide
from judgekit.gate.run import CaseResult, EvalRun, GateSettings, GradeRecord, ScorerInfo
from judgekit.gate.run_json import parse_runs, run_to_json

SIZES = (1_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Measured:
    """One row.

    Attributes:
        seconds: of the step alone.
        floor_s: of the standard library writing, or reading, the same cases as plain JSON.
        before_mb: resident memory with the step's input at hand; what the input itself takes.
        peak_mb: largest resident memory of the process.
        file_mb: size of the stored run, or of the baseline.
    """

    what: str
    count: int
    seconds: float
    floor_s: float
    before_mb: float
    peak_mb: float
    file_mb: float


def run_of(count: int, *, version: str = "v1", mode: str = "strict") -> EvalRun:
    """Return a run with two scorers; about one case in a hundred differs between two versions."""
    rng = Random(version)
    return EvalRun(
        name="bench",
        prompt_version=version,
        subject="human",
        threshold=0.5,
        scorers=(ScorerInfo("names_it", "contains"), ScorerInfo("helpful", "llm_judge", ("j",))),
        cases=tuple(_case(number, rng) for number in range(count)),
        gate=GateSettings(mode=mode),  # type: ignore[arg-type]
    )


def _case(number: int, rng: Random) -> CaseResult:
    passed = (number % 10 != 0) is not (rng.random() < 0.005)
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    graded = {
        "names_it": GradeRecord("passed", 1.0, "holds every fragment"),
        "helpful": GradeRecord(
            "passed" if passed else "failed", float(passed), f"Case {number} names the day."
        ),
    }
    return CaseResult(f"case-{number:07d}", digest, graded, exit_class="success")


def serialise(count: int, _: Path) -> Measured:
    """Store a run as JSON text."""
    run = run_of(count)
    before = _peak_mb()
    seconds, text = _timed(lambda: run_to_json(run))
    peak, value = _peak_mb(), json.loads(text)
    floor_s, _text = _timed(lambda: json.dumps(value, ensure_ascii=False))
    return Measured("serialise", count, seconds, floor_s, before, peak, len(text) / 1e6)


def parse(count: int, folder: Path) -> Measured:
    """Read a stored run, strictly."""
    path = folder / "run.json"
    subprocess.run(
        [sys.executable, "-m", "benchmarks.gate", "store", str(count), str(folder)], check=True
    )
    text = path.read_text()
    before = _peak_mb()
    seconds, _runs = _timed(lambda: parse_runs(text))
    peak = _peak_mb()
    del _runs
    floor_s, _value = _timed(lambda: json.loads(text))
    return Measured("parse", count, seconds, floor_s, before, peak, len(text) / 1e6)


def compare_strict(count: int, _: Path) -> Measured:
    """Decide about a run against its baseline, in strict mode."""
    return _compare("compare, strict", count, "strict")


def compare_statistical(count: int, _: Path) -> Measured:
    """Decide about a run against its baseline, with the paired tests deciding."""
    return _compare("compare, statistical", count, "statistical")


def _compare(what: str, count: int, mode: str) -> Measured:
    baseline = merge(None, [run_of(count)])
    run = run_of(count, version="v2", mode=mode)
    before = _peak_mb()
    seconds, decision = _timed(lambda: decide([run], baseline))
    assert decision.findings
    peak = _peak_mb()
    floor_s, _score = _timed(lambda: run.score)
    return Measured(what, count, seconds, floor_s, before, peak, 0.0)


def bless_over(count: int, folder: Path) -> Measured:
    """Bless a run over a standing baseline: read, merge, describe, write, sync."""
    path = folder / "baseline.json"
    subprocess.run(
        [sys.executable, "-m", "benchmarks.gate", "bless-first", str(count), str(folder)],
        check=True,
    )
    run = run_of(count, version="v2")
    before = _peak_mb()
    seconds, changes = _timed(lambda: bless(path, [run]))
    assert changes
    peak, text = _peak_mb(), path.read_text()
    floor_s, value = _timed(lambda: json.loads(text))
    written_s, _text = _timed(lambda: json.dumps(value, ensure_ascii=False))
    return Measured("bless", count, seconds, floor_s + written_s, before, peak, len(text) / 1e6)


def _timed(step: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = step()
    return time.perf_counter() - start, result


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


WAYS = {
    "serialise": serialise,
    "parse": parse,
    "compare-strict": compare_strict,
    "compare-statistical": compare_statistical,
    "bless": bless_over,
}


def measure(way: str, count: int) -> Measured:
    """Measure in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="judgekit-bench-") as scratch:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.gate", way, str(count), scratch],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure everything and print the table with its ratios."""
    rows = {way: [measure(way, count) for count in SIZES] for way in WAYS}
    table = Table(title="The gate, two scorers a case")
    for name in (
        "step",
        "cases",
        "seconds",
        "µs/case",
        "× floor",
        "input MB",
        "peak MB",
        "file MB",
    ):
        table.add_column(name, justify="left" if name == "step" else "right")
    for row in (each for measured in rows.values() for each in measured):
        table.add_row(
            row.what,
            f"{row.count:,}",
            f"{row.seconds:.3f}",
            f"{row.seconds / row.count * 1e6:.1f}",
            f"{row.seconds / row.floor_s:.1f}",
            f"{row.before_mb:.0f}",
            f"{row.peak_mb:.0f}",
            f"{row.file_mb:.1f}" if row.file_mb else "–",
        )
    console = Console(width=100)
    console.print(table)
    console.print(
        "floor: the standard library's json on the same values; for compare, one pass over the "
        "scores"
    )
    for measured in rows.values():
        for small, large in pairwise(measured):
            console.print(
                f"{small.what}: {small.count:,} → {large.count:,} cases takes "
                f"{large.seconds / small.seconds:.0f} × the time"
            )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        name, size, place = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
        if name == "store":
            (place / "run.json").write_text(run_to_json(run_of(size)))
        elif name == "bless-first":
            bless(place / "baseline.json", [run_of(size)])
        else:
            print(json.dumps(asdict(WAYS[name](size, place))))
    else:
        main()
