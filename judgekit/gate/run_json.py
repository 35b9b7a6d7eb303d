"""The stored form of runs: ``judgekit-run/1``, one case a line, read back strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from .errors import InvalidFile, InvalidRun
from .exit_class import ExitClass
from .run import (
    RUN_FORMAT,
    Calibration,
    CaseResult,
    EvalRun,
    GateSettings,
    GradeRecord,
    ScorerInfo,
    Usage,
)
from .strict_json import ENCODER, Fields, load

_WHAT = "run"


def run_to_json(runs: EvalRun | Sequence[EvalRun]) -> str:
    """Return one or more runs as JSON text with a final newline; the same runs give the same bytes.

    Raises:
        InvalidRun: a grade's details hold something that JSON cannot (NaN, an unknown type).
    """
    listed = (runs,) if isinstance(runs, EvalRun) else runs
    body = ",\n".join(_eval_text(run) for run in listed)
    return f'{{\n"format": {ENCODER.encode(RUN_FORMAT)},\n"runs": [\n{body}\n]\n}}\n'


def _eval_text(run: EvalRun) -> str:
    head: dict[str, Any] = {
        "name": run.name,
        "prompt_version": run.prompt_version,
        "subject": run.subject,
        "threshold": float(run.threshold),
        "wilson_floor": run.wilson_floor,
        "gate": asdict(run.gate),
        "usage": asdict(run.usage),
        "waivers": list(run.waivers),
        "scorers": [asdict(scorer) for scorer in run.scorers],
    }
    lines = [f"{ENCODER.encode(key)}: {ENCODER.encode(value)}" for key, value in head.items()]
    cases = ",\n".join(_case_text(run.name, case) for case in run.cases)
    return "{\n" + ",\n".join(lines) + f',\n"cases": [\n{cases}\n]\n}}'


def _case_text(name: str, case: CaseResult) -> str:
    record: dict[str, Any] = {"id": case.id, "digest": case.digest}
    if case.cluster is not None:
        record["cluster"] = case.cluster
    record["exit_class"] = case.exit_class
    record["grades"] = {scorer: _grade(grade) for scorer, grade in case.grades.items()}
    try:
        return ENCODER.encode(record)
    except (ValueError, TypeError) as error:
        raise InvalidRun(f"eval {name!r}: case {case.id!r} cannot be stored: {error}") from None


def _grade(grade: GradeRecord) -> dict[str, Any]:
    record: dict[str, Any] = {
        "status": str(grade.status),
        "score": grade.score,
        "reason": grade.reason,
    }
    if grade.cause is not None:
        record["cause"] = str(grade.cause)
    if grade.details:
        record["details"] = dict(grade.details)
    return record


def parse_runs(source: str | bytes | Mapping[str, Any]) -> tuple[EvalRun, ...]:
    """Return the runs stored in JSON text (or in the object read from it).

    Raises:
        InvalidFile: in one line that names the field: not UTF-8, not JSON, another format, a
            duplicate or unknown key, NaN, a score out of range, an unknown status or cause, no
            run, or two runs of one name.
    """
    if isinstance(source, bytes):
        try:
            source = source.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidFile(f"{_WHAT}: not UTF-8 at byte {error.start}") from None
    value = load(source, _WHAT) if isinstance(source, str) else source
    found = Fields(value, _WHAT)
    if found.get("format") != RUN_FORMAT:
        found.refuse("format", f"must be {RUN_FORMAT!r}", found.get("format"))
    document = Fields(value, _WHAT, frozenset({"format", "runs"}))
    runs = tuple(_eval(item, f"runs[{i}]") for i, item in enumerate(document.sequence("runs")))
    if not runs:
        raise InvalidFile(f"{_WHAT}.runs: holds no run")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise InvalidFile(f"{_WHAT}.runs: two runs have one name")
    return runs


def parse_run(source: str | bytes | Mapping[str, Any]) -> EvalRun:
    """Return the only run stored in `source`.

    Raises:
        InvalidFile: as `parse_runs`, or there are several.
    """
    runs = parse_runs(source)
    if len(runs) != 1:
        raise InvalidFile(f"{_WHAT}.runs: must hold one run here, not {len(runs)}")
    return runs[0]


def _names(record: type) -> frozenset[str]:
    return frozenset(f.name for f in fields(record))


_EVAL_KEYS = _names(EvalRun)
_SCORER_KEYS = _names(ScorerInfo)
_CASE_KEYS = _names(CaseResult)
_GRADE_KEYS = _names(GradeRecord)
_EXIT_CLASSES = frozenset(ExitClass)


def _eval(value: Any, where: str) -> EvalRun:
    read = Fields(value, where, _EVAL_KEYS)
    scorers = enumerate(read.sequence("scorers"))
    cases = enumerate(read.sequence("cases"))
    try:
        return EvalRun(
            name=read.text("name"),
            prompt_version=read.text("prompt_version"),
            subject=read.text("subject"),
            threshold=read.number("threshold"),
            scorers=tuple(_scorer(item, f"{where}.scorers[{i}]") for i, item in scorers),
            cases=tuple(_case(item, f"{where}.cases[{i}]") for i, item in cases),
            wilson_floor=read.optional_number("wilson_floor"),
            gate=read_gate(read.get("gate", {}), f"{where}.gate"),
            usage=_usage(read.get("usage", {}), f"{where}.usage"),
            waivers=read.texts("waivers"),
        )
    except InvalidRun as error:
        raise InvalidFile(f"{where}: {error}") from None


def _scorer(value: Any, where: str) -> ScorerInfo:
    read = Fields(value, where, _SCORER_KEYS)
    calibration = read.get("calibration", None)
    return ScorerInfo(
        name=read.text("name"),
        grader=read.text("grader"),
        judges=read.texts("judges"),
        rubric=read.optional_text("rubric"),
        rubric_digest=read.optional_text("rubric_digest"),
        wilson_floor=read.optional_number("wilson_floor"),
        config_digest=read.optional_text("config_digest"),
        calibration=None
        if calibration is None
        else _calibration(calibration, f"{where}.calibration"),
    )


def _calibration(value: Any, where: str) -> Calibration:
    read = Fields(value, where, _names(Calibration))
    return Calibration(
        min_kappa=read.number("min_kappa", low=-1),
        kappa_low=read.optional_number("kappa_low", low=-1),
        labels=read.count("labels", 0),
    )


def read_gate(value: Any, where: str) -> GateSettings:
    """Return the gate's settings that a JSON object holds; absent ones are the defaults.

    Raises:
        InvalidFile: an unknown key, or a value out of range.
    """
    read, standard = Fields(value, where, _names(GateSettings)), GateSettings()
    mode = read.get("mode", standard.mode)
    if mode not in ("strict", "statistical"):
        read.refuse("mode", "must be strict or statistical", mode)
    try:
        return GateSettings(
            mode=mode,
            alpha=read.number("alpha", standard.alpha),
            max_drop=read.number("max_drop", standard.max_drop),
            allowed_errors=read.count("allowed_errors", standard.allowed_errors),
            confidence=read.number("confidence", standard.confidence),
        )
    except InvalidRun as error:
        raise InvalidFile(f"{where}: {error}") from None


def _usage(value: Any, where: str) -> Usage:
    read = Fields(value, where, _names(Usage))
    return Usage(
        calls=read.count("calls", 0),
        input_tokens=read.count("input_tokens", 0),
        output_tokens=read.count("output_tokens", 0),
        cost_usd=read.optional_number("cost_usd", high=float("inf")),
        latency_s=read.number("latency_s", 0.0, high=float("inf")),
        replayed=read.count("replayed", 0),
    )


def _case(value: Any, where: str) -> CaseResult:
    read = Fields(value, where, _CASE_KEYS)
    return CaseResult(
        id=read.text("id"),
        digest=read.any_text("digest"),
        grades={
            scorer: _read_grade(item, f"{where}.grades.{scorer}")
            for scorer, item in read.items("grades")
        },
        cluster=read.optional_text("cluster"),
        exit_class=_exit_class(read),
    )


def _exit_class(read: Fields) -> str:
    value = read.any_text("exit_class", "unknown")
    if value not in _EXIT_CLASSES:
        read.refuse("exit_class", f"must be one of {', '.join(sorted(_EXIT_CLASSES))}", value)
    return value


def _read_grade(value: Any, where: str) -> GradeRecord:
    read = Fields(value, where, _GRADE_KEYS)
    status = read.get("status")
    if status not in ("passed", "failed", "error"):
        read.refuse("status", "must be passed, failed or error", status)
    try:
        return GradeRecord(
            status=status,
            score=read.optional_number("score"),
            reason=read.any_text("reason"),
            cause=read.optional_text("cause"),
            details=dict(read.items("details", {})),
        )
    except InvalidRun as error:
        raise InvalidFile(f"{where}: {error}") from None
