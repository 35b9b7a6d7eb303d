from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError
from judgekit.rubrics.files import load_rubric
from judgekit.rubrics.lint import Finding, lint, unsilenced
from judgekit.rubrics.lint_rules import RULES
from judgekit.rubrics.lint_view import KnownCase
from tests.rubrics.good import GOOD

PASS_FAIL = "---\nid: r\nkind: pass_fail\n---\n"
SCALE = """\
---
id: r
kind: score
scale:
  minimum: 1
  maximum: 5
  anchors:
    - {score: 1, meaning: names no form}
    - {score: 5, meaning: names the form and where it is}
%s---
"""
SCORE = SCALE % ""
NAMES = "Does the ANSWER name the form that the customer has to fill in?\n"


def found(folder: Path, text: str, *known: KnownCase) -> list[tuple[str, int]]:
    return [(each.code, each.line) for each in unsilenced(lint(write(folder, text), known))]


def write(folder: Path, text: str) -> Path:
    path = folder / "r.md"
    path.write_text(text, "utf-8")
    return path


def example(verdict: object, output: str, why: str = "", input_: str = "") -> str:
    given_input = f", input: '{input_}'" if input_ else ""
    return f"  - {{verdict: {verdict}, output: '{output}', why: '{why}'{given_input}}}\n"


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_well_written_rubric_has_no_finding(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    assert load_rubric(path).criteria
    assert [str(each) for each in unsilenced(lint(path))] == []


@pytest.mark.parametrize("path", sorted(Path(__file__).parents[2].glob("rubrics/*.md")), ids=str)
def test_the_projects_own_rubrics_have_no_finding(path: Path) -> None:
    assert lint(path) == ()


VAGUE = [
    "The answer is good.",
    "Is the response of high quality?",
    "The answer should be appropriate and helpful to the user.",
    "Good?",
    "Rate how good the answer is overall.",
    "- The answer names the deadline.\n- The answer is appropriate.",
    "The ANSWER names the form. Otherwise use your best judgment.",
]


@pytest.mark.parametrize("criteria", VAGUE)
def test_criteria_that_cannot_be_checked_are_vague(tmp_path: Path, criteria: str) -> None:
    assert "JK-R006" in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


@pytest.mark.parametrize(
    "criteria",
    [
        "The ANSWER answers the INPUT.",
        "How kind is it?",
        "The answer is good if it names the deadline.",
        'The word "good" stands in the answer.',
        "How good is the answer?\n\nGood means that it names the form.",
    ],
)
def test_a_criterion_that_says_something_is_not_vague(tmp_path: Path, criteria: str) -> None:
    assert "JK-R006" not in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


TWO = [
    "The answer is accurate and polite.",
    "The answer must be correct, and also friendly.",
    "How accurate and concise is the answer?",
    "Is not apologetic and provides a clear, concise answer.",
    "The answer is clear as well as complete.",
    "Judge the accuracy and tone of the answer.",
    "It must name the deadline and it must offer a call back.",
    "- Accuracy: every number stands in the source.\n- Tone: it blames nobody.",
    "Is it factual? Is it polite?",
]


@pytest.mark.parametrize("criteria", TWO)
def test_one_verdict_for_two_things_is_found(tmp_path: Path, criteria: str) -> None:
    assert "JK-R008" in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


@pytest.mark.parametrize(
    "criteria",
    [
        "The answer is polite. Whether it is accurate and clear does not count.",
        "Tone and accuracy are judged elsewhere; does it name the form?",
        "It must name the deadline and must not promise a refund.",
        "Every number is correct and complete.",
        "The answer names the deadline and the form to use.",
        "The customer is polite, and the answer names the form.",
    ],
)
def test_one_thing_with_its_limits_is_one_thing(tmp_path: Path, criteria: str) -> None:
    assert "JK-R008" not in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


VERBOSE = [
    "The answer explains the policy in detail.",
    "A thorough explanation of the policy is given.",
    "The more reasons the answer gives, the better.",
    "It gives at least three paragraphs on the policy.",
    "A longer answer is better.",
    "The answer uses bullet points for the steps.",
    "The answer is well-structured, with headings for each step.",
    "It gives as many examples from the policy as possible.",
]


@pytest.mark.parametrize("criteria", VERBOSE)
def test_asking_for_length_or_style_is_found(tmp_path: Path, criteria: str) -> None:
    assert "JK-R014" in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


@pytest.mark.parametrize(
    "criteria",
    [
        "Does it name the form? A detailed answer is not better than a short one.",
        "Length does not count, however comprehensive the answer is.",
        "It names every detail of the order that the INPUT has.",
        "An answer without headings or bullet points passes too, if it names the form.",
    ],
)
def test_saying_that_length_does_not_count_is_not_asking_for_it(
    tmp_path: Path, criteria: str
) -> None:
    assert "JK-R014" not in {code for code, _ in found(tmp_path, PASS_FAIL + criteria)}


@pytest.mark.parametrize(
    ("code", "line", "text"),
    [
        ("JK-R001", 5, PASS_FAIL),
        ("JK-R001", 5, PASS_FAIL + "# Criteria\n"),
        ("JK-R001", 5, PASS_FAIL + "TODO\n"),
        ("JK-R002", 3, "---\nid: r\nkind: passfail\n---\n" + NAMES),
        ("JK-R002", 4, "---\nid: r\nkind: score\nmin-score: 1\n---\n" + NAMES),
        ("JK-R002", 4, "---\nid: r\nkind: score\nmin_score: 2\n---\n" + NAMES),
        ("JK-R002", 5, PASS_FAIL + "x" * 4001),
        ("JK-R002", 4, "---\nid: r\nkind: pass_fail\ncriteria: x\n---\n" + NAMES),
        ("JK-R002", 5, "---\nid: r\nkind: pass_fail\nlint-ignore:\n- code: x\n---\n" + NAMES),
        ("JK-R003", 2, "---\nid: s\nkind: pass_fail\n---\n" + NAMES),
        ("JK-R003", 4, "---\nid: r\nkind: pass_fail\nmin_score: 0.7\n---\n" + NAMES),
        ("JK-R003", 4, "---\nid: r\nkind: pass_fail\nscale: {maximum: 5}\n---\n" + NAMES),
        ("JK-R003", 4, "---\nid: r\nkind: score\ncategories: [a, b]\n---\n" + NAMES),
        ("JK-R003", 2, "---\nid: r\nkind: category\n---\n" + NAMES),
        (
            "JK-R003",
            4,
            "---\nid: r\nkind: category\ncategories: [a, A]\npassing_categories: [a]\n---\nTone?\n",
        ),
        ("JK-R004", 10, SCALE % "min_score: 0\n" + NAMES),
        (
            "JK-R004",
            5,
            "---\nid: r\nkind: category\ncategories: [a, b]\npassing_categories: [b, a]\n---\n"
            + NAMES,
        ),
        ("JK-R005", 2, "---\nid: r\nkind: score\n---\n" + NAMES),
        ("JK-R005", 4, "---\nid: r\nkind: score\nscale: {minimum: 1, maximum: 5}\n---\n" + NAMES),
        (
            "JK-R005",
            4,
            "---\nid: r\nkind: score\nscale:\n  anchors: [{score: 1, meaning: names it}]\n---\n"
            + NAMES,
        ),
        ("JK-R006", 5, PASS_FAIL + "The answer is good.\n"),
        ("JK-R007", 8, SCORE.replace("names no form", "Bad.") + NAMES),
        ("JK-R007", 9, SCORE.replace("names the form and where it is", "excellent") + NAMES),
        ("JK-R008", 6, PASS_FAIL + "\nIt is accurate and polite.\n"),
        (
            "JK-R009",
            5,
            "---\nid: r\nkind: pass_fail\nexamples:\n" + example(4, "A") + "---\n" + NAMES,
        ),
        ("JK-R009", 11, SCALE % ("examples:\n" + example(9, "A")) + NAMES),
        ("JK-R009", 11, SCALE % ("examples:\n" + example("pass", "A")) + NAMES),
        ("JK-R010", 11, SCALE % ("examples:\n" + example(5, "A", "It fails.")) + NAMES),
        ("JK-R010", 11, SCALE % ("examples:\n" + example(5, "A", "Score 2: no form.")) + NAMES),
        (
            "JK-R010",
            5,
            "---\nid: r\nkind: pass_fail\nexamples:\n"
            + example("pass", "A form.", "This answer does not meet the criteria.")
            + example("fail", "No.")
            + "---\n"
            + NAMES,
        ),
        (
            "JK-R010",
            6,
            "---\nid: r\nkind: pass_fail\nexamples:\n"
            + example("pass", "A form.")
            + example("fail", "a  form.")
            + "---\n"
            + NAMES,
        ),
        (
            "JK-R011",
            4,
            "---\nid: r\nkind: pass_fail\nexamples:\n"
            + example("pass", "A form.")
            + example("pass", "Form 7.")
            + "---\n"
            + NAMES,
        ),
        ("JK-R012", 5, PASS_FAIL + "The correct answer is 42.\n"),
        ("JK-R012", 5, PASS_FAIL + "The expected answer is: Paris, the capital.\n"),
        (
            "JK-R014",
            9,
            SCORE.replace("names the form and where it is", "long and detailed") + NAMES,
        ),
        ("JK-R015", 11, SCORE + "Scores of 4 and above pass.\n"),
        ("JK-R016", 11, SCORE + "Rate from 1 to 10 how well the form is named.\n"),
        ("JK-R016", 5, PASS_FAIL + "Give a score from 1 to 5 for naming the form.\n"),
        ("JK-R017", 6, PASS_FAIL + NAMES + "Respond with JSON only.\n"),
        ("JK-R017", 6, PASS_FAIL + NAMES + "Answer with PASS or FAIL.\n"),
        ("JK-R018", 5, PASS_FAIL + "Does {{output}} name the form?\n"),
        ("JK-R018", 6, PASS_FAIL + NAMES + "TODO: say which.\n"),
        ("JK-R019", 4, SCORE.replace("maximum: 5", "maximum: 100") + NAMES),
        ("JK-R020", 7, PASS_FAIL + NAMES + "\n" + NAMES),
        (
            "JK-R021",
            5,
            "---\nid: r\nkind: pairwise\n---\nWhen both name it, prefer the first answer.\n",
        ),
        ("JK-R022", 6, PASS_FAIL + NAMES + "It has at most 50 words.\n"),
        ("JK-R022", 6, PASS_FAIL + NAMES + "It is valid JSON.\n"),
        (
            "JK-R023",
            5,
            "---\nid: r\nkind: pass_fail\nlint-ignore:\n- {code: R004, reason: x}\n---\n" + NAMES,
        ),
        (
            "JK-R023",
            5,
            "---\nid: r\nkind: pass_fail\nlint-ignore:\n- {code: JK-R001, reason: x}\n---\n"
            + NAMES,
        ),
        ("JK-R024", 9, SCORE.replace("names the form and where it is", "Names no form.") + NAMES),
    ],
)
def test_a_fault_is_found_at_its_line(tmp_path: Path, code: str, line: int, text: str) -> None:
    assert (code, line) in found(tmp_path, text)


def test_every_rule_has_a_test_above_and_a_code_of_its_own() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    here = Path(__file__).read_text("utf-8")
    assert [code for code in codes if here.count(code) == 0] == []


def test_every_fault_of_the_front_matter_is_a_finding_with_its_own_line(tmp_path: Path) -> None:
    text = "---\nid: r\nkind: score\nmin_score: 2\ncolour: red\nscale: {maximum: x}\n---\n" + NAMES
    invalid = [line for code, line in found(tmp_path, text) if code == "JK-R002"]
    assert invalid == [4, 5, 6]


def test_the_dataset_must_not_leak_into_a_rubric(tmp_path: Path) -> None:
    known = KnownCase(
        "support", "c7", "You can return the lamp within thirty days.", ("form 7 at the town hall",)
    )
    front = "---\nid: r\nkind: pass_fail\nexamples:\n"
    leak = PASS_FAIL + "The answer names Form 7 at  the town hall.\n"
    assert found(tmp_path, leak, known) == [("JK-R012", 5)]
    assert found(tmp_path, leak) == []
    shown = front + example("pass", known.output) + example("fail", "No.") + "---\n" + NAMES
    assert found(tmp_path, shown, known) == [("JK-R013", 5)]
    short = KnownCase("support", "c8", "No.", ("the form", "pass", "30 days"))
    assert found(tmp_path, shown, short) == []


def test_a_finding_is_silenced_by_its_code_and_a_reason(tmp_path: Path) -> None:
    front = (
        "---\nid: r\nkind: pass_fail\nlint-ignore:\n- {code: JK-R022, reason: The form counts.}\n"
    )
    path = write(tmp_path, front + "---\n" + NAMES + "It has at most 50 words.\nIt is detailed.\n")
    findings = lint(path)
    assert [(each.code, each.silenced) for each in findings] == [
        ("JK-R022", "The form counts."),
        ("JK-R014", None),
    ]
    assert [each.code for each in unsilenced(findings)] == ["JK-R014"]


def test_what_no_judge_could_be_asked_by_cannot_be_silenced(tmp_path: Path) -> None:
    front = "---\nid: r\nkind: pass_fail\nlint-ignore:\n- {code: JK-R001, reason: later}\n---\n"
    codes = {code for code, _ in found(tmp_path, front)}
    assert codes == {"JK-R001", "JK-R023"}


def test_a_finding_is_one_line_with_place_code_message_and_fix(tmp_path: Path) -> None:
    path = write(tmp_path, PASS_FAIL + "It is accurate\nand polite.\n")
    (finding,) = lint(path)
    assert str(finding) == (
        f"{path}:5: JK-R008 asks for correctness and tone at once, with one verdict for both; "
        "make a rubric and a scorer of each"
    )


@pytest.mark.parametrize(
    "text", ["", "no front matter", "---\nid: r\n", "---\n- a\n---\nx\n", "---\n{\n---\nx\n"]
)
def test_a_file_without_front_matter_is_an_error_and_no_finding(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"r\.md:\d+: "):
        lint(write(tmp_path, text))


def test_a_word_that_is_quoted_is_not_asked_for(tmp_path: Path) -> None:
    criteria = 'The answer calls the plan "detailed and comprehensive", as the INPUT does.\n'
    assert found(tmp_path, PASS_FAIL + criteria) == []


def test_a_list_item_goes_on_over_lines_and_code_is_passed_over(tmp_path: Path) -> None:
    criteria = "- The query is\n  accurate and polite.\n\n```\nTODO is fine: detailed.\n```\n"
    assert found(tmp_path, PASS_FAIL + criteria) == [("JK-R008", 5), ("JK-R018", 9)]


@given(
    st.text(max_size=300),
    st.sampled_from(["pass_fail", "score", "category", "pairwise", "answer_match"]),
)
def test_any_criteria_are_linted_without_a_crash(
    tmp_path_factory: pytest.TempPathFactory, criteria: str, kind: str
) -> None:
    folder = tmp_path_factory.mktemp("any", numbered=True)
    text = f"---\nid: r\nkind: {kind}\n---\n{criteria}"
    try:
        (folder / "r.md").write_bytes(text.encode("utf-8", "surrogatepass"))
        findings = lint(folder / "r.md")
    except ConfigError:
        return
    lines = text.count("\n") + 1
    assert all(1 <= each.line <= lines for each in findings)
    assert all("\n" not in str(each) for each in findings)
    assert list(findings) == sorted(findings, key=lambda each: (each.line, each.code))


@pytest.mark.parametrize("size", [2000, 3900])
@pytest.mark.parametrize("unit", ["a ", "the more ", "must x and ", "1 to ", "- ", "{{", '"a'])
def test_lint_stays_quick_on_hostile_criteria(tmp_path: Path, unit: str, size: int) -> None:
    text = "".join(itertools.islice(itertools.cycle(unit), size))
    findings: tuple[Finding, ...] = lint(write(tmp_path, PASS_FAIL + text))
    assert isinstance(findings, tuple)
