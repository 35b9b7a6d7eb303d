"""The report as JUnit XML, for CI systems that show test results.

An eval is a suite. Its gate is one test case, which fails with the blocking findings. Each case of
the dataset is a test case too: an error where a grade is in error; where it failed, a failure if
its eval's gate blocks, and else skipped, so that a case that fails within the threshold does not
turn a passed gate red. How the case's output ended is its property `exit_class`.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from judgekit.gate.finding import Finding
from judgekit.gate.run import CaseResult, EvalRun
from judgekit.report.report import Report

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 can't hold, not even escaped (XML 1.0, production 2)."""


def to_junit(report: Report) -> str:
    """Return the report as JUnit XML; the same bytes for the same report."""
    suites = ET.Element("testsuites", name="judgekit")
    for run in report.runs:
        _add_suite(suites, report, run)
    _add_findings_without_run(suites, report)
    for name in ("tests", "failures", "errors", "skipped"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, "unicode") + "\n"


def _add_suite(suites: ET.Element, report: Report, run: EvalRun) -> None:
    suite = ET.SubElement(suites, "testsuite", name=_xml(run.name))
    blocking = [finding for finding in report.decision.of(run.name) if finding.blocking]
    gate = ET.SubElement(suite, "testcase", classname=_xml(run.name), name="gate")
    if blocking:
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in blocking))
        failure = ET.SubElement(gate, "failure", message=_xml(kinds))
        failure.text = _xml("\n".join(_line(f) for f in blocking))
    for case in run.cases:
        _add_case(suite, run, case, blocked=bool(blocking))
    _count(suite)


def _line(finding: Finding) -> str:
    where = f"{finding.scorer}: " if finding.scorer else ""
    return f"{finding.kind}: {where}{finding.detail}"


def _add_case(suite: ET.Element, run: EvalRun, case: CaseResult, *, blocked: bool) -> None:
    element = ET.SubElement(suite, "testcase", classname=_xml(run.name), name=_xml(case.id))
    properties = ET.SubElement(element, "properties")
    ET.SubElement(properties, "property", name="exit_class", value=_xml(case.exit_class))
    errors = [f"{s}: {g.cause}: {g.reason}" for s, g in case.grades.items() if g.status == "error"]
    failed = [f"{s}: {g.reason}" for s, g in case.grades.items() if g.status == "failed"]
    if errors:
        ET.SubElement(element, "error", message=_xml(errors[0])).text = _xml("\n".join(errors))
    elif failed and blocked:
        ET.SubElement(element, "failure", message=_xml(failed[0])).text = _xml("\n".join(failed))
    elif failed:
        ET.SubElement(element, "skipped", message=_xml(f"failed, within the gate: {failed[0]}"))


def _add_findings_without_run(suites: ET.Element, report: Report) -> None:
    """Show findings on evals that did not run (a missing run) as suites of their own."""
    known = {run.name for run in report.runs}
    for finding in report.decision.findings:
        if finding.eval in known or not finding.blocking:
            continue
        suite = ET.SubElement(suites, "testsuite", name=_xml(finding.eval))
        case = ET.SubElement(suite, "testcase", classname=_xml(finding.eval), name="gate")
        ET.SubElement(case, "failure", message=finding.kind).text = _xml(finding.detail)
        _count(suite)


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(tag) is not None for case in suite)))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
