"""Lint findings as SARIF 2.1.0, which code hosts and editors show beside the lines.

Source: OASIS, 2020, Static Analysis Results Interchange Format, version 2.1.0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from judgekit.rubrics.lint import Finding
from judgekit.rubrics.lint_rules import RULES, Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(findings: Sequence[Finding], version: str) -> str:
    """Return findings as the text of a SARIF file; the same findings give the same bytes.

    Args:
        findings: silenced ones too: they are shown as suppressed, with their reason.
        version: of judgekit.
    """
    index = {rule.code: number for number, rule in enumerate(RULES)}
    driver = {
        "name": "judgekit rubric lint",
        "semanticVersion": version,
        "rules": [_rule(rule) for rule in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index[finding.code]) for finding in findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"{_sentence(rule.fix)}."},
        "defaultConfiguration": {"level": _level(rule)},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": _uri(finding.file)},
        "region": {"startLine": finding.line},
    }
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _level(finding.rule),
        "message": {"text": f"{_sentence(finding.message)}; {finding.fix}."},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"judgekit/1": _fingerprint(finding)},
    }
    if finding.silenced is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.silenced}]
    return result


def _level(rule: Rule) -> str:
    """Return ``error`` for what no judge could be asked by, else ``warning``."""
    return "warning" if rule.may_be_silenced else "error"


def _fingerprint(finding: Finding) -> str:
    """Return what stays the same when lines above the finding come and go."""
    text = f"{finding.code}\n{finding.file}\n{finding.message}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(file)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
