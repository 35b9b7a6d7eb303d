from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import CASES, Run, judgekit, project, write_cases
from tests.cli.test_main_job import record
from tests.judges.making import FAIL, PASS

__all__ = ["judgekit", "project"]


def run_pytest(project: Path, *arguments: str) -> tuple[dict[str, int], str]:
    """Run pytest in a process of its own; return its counts by outcome, and what it printed.

    (pytest's own ``pytester`` takes modules out of this process, which breaks C extensions.)
    """
    options = [
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        f"--rootdir={project}",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = re.findall(r"(\d+) (passed|failed|errors?|xfailed)", done.stdout.splitlines()[-1])
    return {outcome.rstrip("s"): int(count) for count, outcome in counts}, done.stdout


def test_without_the_option_nothing_is_collected(judgekit: Run, project: Path) -> None:
    counts, printed = run_pytest(project, str(project))
    assert (counts, "no tests ran" in printed) == ({}, True)


def test_each_case_is_a_test_and_the_gate_is_one(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    judgekit("bless", "--yes")
    counts, printed = run_pytest(project, "--judgekit", "-v", str(project))
    assert counts == {"passed": 5}
    assert re.search(r"support::gate\s+PASSED", printed)
    assert re.search(r"support::case-3\s+PASSED", printed)


def test_a_case_that_the_baseline_has_failing_is_expected_to_fail(
    judgekit: Run, project: Path
) -> None:
    record(judgekit, FAIL, PASS)
    judgekit("bless", "--yes")
    assert run_pytest(project, "--judgekit", str(project))[0] == {"passed": 4, "xfailed": 1}


def test_a_newly_failing_case_and_a_miss_fail(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    judgekit("bless", "--yes")
    changed = [dict(CASES[0], output="Another answer."), *CASES[1:]]
    write_cases(project, changed)
    counts, printed = run_pytest(project, "--judgekit", str(project))
    assert counts == {"passed": 3, "failed": 2}
    assert "names_it: failed:" in printed
    assert "helpful: miss: cassette miss:" in printed


def test_a_broken_eval_is_one_clear_collection_error(judgekit: Run, project: Path) -> None:
    (project / "evals" / "support.yaml").write_text("name: support\n")
    counts, printed = run_pytest(project, "--judgekit", str(project))
    assert counts == {"error": 1}
    assert re.search(r"support\.yaml:1: .*is missing", printed)


def test_the_fixture_is_a_judge_on_the_projects_cassettes(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    (project / "test_it.py").write_text(
        "import httpx, pytest\n"
        "from judgekit import ConfiguredJudge, Judging, grade\n"
        "from judgekit.judges.port import Origin\n"
        "from judgekit.rubrics.files import RubricFolder\n"
        "from pathlib import Path\n"
        "def judging(judge):\n"
        "    judges = {'local': ConfiguredJudge('local', 'test-judge', judge)}\n"
        "    origin = Origin(eval='support', scorer='helpful', case='case-0')\n"
        "    rubrics = RubricFolder(Path(__file__).parent / 'rubrics')\n"
        "    return Judging(judges, origin, 'Question 0?', rubrics)\n"
        "def test_replays(judgekit_replay):\n"
        "    text = 'Answer 0: you get a refund.'\n"
        "    config = {'rubric': 'helpful.md'}\n"
        "    assert grade('llm_judge', config, text, judging=judging(judgekit_replay)).passed\n"
        "    result = grade('llm_judge', config, 'other', judging=judging(judgekit_replay))\n"
        "    assert result.cause == 'miss'\n"
        "def test_offline(judgekit_replay):\n"
        "    with pytest.raises(Exception, match='network'):\n"
        "        httpx.get('http://127.0.0.1:9/')\n"
    )
    counts, printed = run_pytest(project, str(project / "test_it.py"))
    assert counts == {"passed": 2, "error": 1}
    assert "127.0.0.1:9" in printed
