"""The rules of ``judgekit rubric lint``, in one table: a code, what it finds, and how to mend it.

Where a rule rests on a measurement, its function or entry says whose. Codes are stable: they stand
in files (``lint-ignore``) and in CI settings. Adding a rule is one function and one entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judgekit.errors import ConfigError
from judgekit.judges.prompts import example_verdict
from judgekit.judges.replies.statements import NoVerdict, label_key, scored
from judgekit.judges.rubric import Example, Kind, Rubric
from judgekit.rubrics import lint_wording as wording
from judgekit.rubrics.files import misfits
from judgekit.rubrics.lint_view import LintView
from judgekit.rubrics.lint_wording import Hit

MOST_POINTS = 10
"""A scale of more steps than this is finer than judges tell apart."""

_FAILS = re.compile(
    r"^\W*(?:(?:it|this|that|(?:the|this) (?:answer|output|response|reply|summary))\s+)?"
    r"(?:clearly |plainly |just |should |must )?(?:fails?\b|does(?:n['’]t| not) (?:pass|meet))",
    re.IGNORECASE,
)
_PASSES = re.compile(
    r"^\W*(?:(?:it|this|that|(?:the|this) (?:answer|output|response|reply|summary))\s+)?"
    r"(?:clearly |plainly |just |fully |should |must )*"
    r"(?:pass(?:es)?\b|meets (?:all|every|the|both))",
    re.IGNORECASE,
)
_CONCEDES = re.compile(
    r"\b(?:but|though|although|yet|still|however|count|counts|matter|only)\b", re.I
)
_STATED_SCORE = re.compile(
    r"^\W*(?:score|verdict|grade)?\s*(?:of|:|is)?\s*(-?\d+(?:\.\d+)?)\s*[:–—]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One lint rule.

    Attributes:
        code: stable, such as ``JK-R006``.
        name: what editors call it.
        summary: what it finds, as one sentence.
        fix: what to do about it.
        find: yields a line and a message for each place.
        may_be_silenced: not where no judge could be asked by the file at all.
    """

    code: str
    name: str
    summary: str
    fix: str
    find: Callable[[LintView], Iterator[Hit]]
    may_be_silenced: bool = True


def front_matter_misfit(view: LintView) -> Iterator[Hit]:
    """Fields that are right one by one and do not fit the kind, or one another."""
    rubric = view.rubric
    if rubric is None:
        return
    for location, message in misfits(view.source, rubric):
        yield view.line(*location), f"{location[0]}: {message}"
    given = view.source.front.value
    if rubric.kind is not Kind.SCORE and "min_score" in given:
        yield (
            view.line("min_score"),
            f"min_score: a {rubric.kind.value} rubric has no score to pass",
        )
    if rubric.kind is not Kind.CATEGORY:
        for name in ("categories", "passing_categories"):
            if name in given:
                yield view.line(name), f"{name}: a {rubric.kind.value} rubric has no categories"
    keys = [label_key(label) for label in rubric.categories]
    if len(set(keys)) < len(keys) and len(set(rubric.categories)) == len(rubric.categories):
        yield (
            view.line("categories"),
            "categories: two differ by case alone, which replies don't tell",
        )


def pass_rule_that_decides_nothing(view: LintView) -> Iterator[Hit]:
    """A pass rule that every output passes, or none."""
    rubric = view.rubric
    if rubric is None:
        return
    if rubric.kind is Kind.SCORE and rubric.min_score <= 0:
        yield view.line("min_score"), "min_score: every score passes at 0"
    passing = {label_key(label) for label in rubric.passing_categories}
    if rubric.kind is Kind.CATEGORY and passing and passing >= {*map(label_key, rubric.categories)}:
        yield view.line("passing_categories"), "passing_categories: every category passes"


def unanchored_scale(view: LintView) -> Iterator[Hit]:
    """A scale whose ends nothing describes, neither an anchor nor the criteria."""
    rubric = view.rubric
    if rubric is None or rubric.kind is not Kind.SCORE:
        return
    low, high = (rubric.scale.minimum, rubric.scale.maximum) if rubric.scale else (0.0, 1.0)
    described = {score for score, _ in view.anchors()}
    bare = [end for end in (low, high) if end not in described and not _in_body(view, end)]
    if bare:
        ends = " and ".join(f"{end:g}" for end in bare)
        yield (
            view.line("scale"),
            f"nothing says what {ends} of the scale {'mean' if len(bare) > 1 else 'means'}",
        )


def _in_body(view: LintView, score: float) -> bool:
    """Whether the criteria describe a score: "5: …", "a score of 5 means …"."""
    number = re.escape(f"{score:g}")
    described = re.compile(
        rf"^(?:an?\s+)?(?:score\s+)?(?:of\s+)?{number}(?:\.0)?\s*(?:[:=–—-]|\)|means\b|is\b|if\b|for\b|when\b)"
        rf"|\b(?:score|give|a|is)\s+(?:of\s+)?(?:an?\s+)?{number}\s+(?:means|is|if|for|when|to)\b"
        rf"|\b{number}\s*(?:means\b|=\s*\w)",
        re.IGNORECASE | re.MULTILINE,
    )
    plain = re.sub(r"(?m)^[ \t>*_#+-]+|\*\*", "", view.source.body)
    return described.search(plain) is not None


def too_fine_scale(view: LintView) -> Iterator[Hit]:
    """A scale of more points than judges tell apart."""
    scale = view.rubric.scale if view.rubric is not None else None
    if scale is not None and scale.maximum - scale.minimum > MOST_POINTS:
        points = f"{scale.minimum:g} to {scale.maximum:g}"
        yield view.line("scale"), f"a scale from {points} is finer than judges tell apart"


def repeated_anchor(view: LintView) -> Iterator[Hit]:
    """Two points of the scale that mean the same."""
    seen: dict[str, float] = {}
    for score, meaning in view.anchors():
        said = meaning.text.casefold().rstrip(".")
        if said in seen:
            yield meaning.line, f"the anchors of {seen[said]:g} and {score:g} say the same"
        seen.setdefault(said, score)


def example_misfit(view: LintView) -> Iterator[Hit]:
    """An example whose verdict is none of the kind's."""
    for example, line, _ in view.examples():
        if view.rubric is not None and (fault := _verdict_fault(view.rubric, example)):
            yield line, fault


def _verdict_fault(rubric: Rubric, example: Example) -> str:
    try:
        verdict = example_verdict(rubric, example)
        if rubric.kind is Kind.SCORE:
            scored(verdict, rubric)
    except ConfigError:
        words = {
            Kind.PASS_FAIL: "pass or fail",
            Kind.SCORE: "a number on the scale",
            Kind.CATEGORY: "one of the categories",
            Kind.PAIRWISE: "A, B or TIE",
            Kind.ANSWER_MATCH: "yes or no",
        }[rubric.kind]
        return f"verdict: must be {words}"
    except NoVerdict as error:
        return f"verdict: {error}"
    return ""


def example_against_rule(view: LintView) -> Iterator[Hit]:
    """An example whose reason says the other verdict, or that another example contradicts."""
    seen: dict[tuple[str, str], tuple[object, int]] = {}
    for example, line, passes in view.examples():
        leads_to_fail = _FAILS.search(example.why) and not _CONCEDES.search(example.why)
        leads_to_pass = _PASSES.search(example.why) and not _CONCEDES.search(example.why)
        if passes is True and leads_to_fail:
            yield (
                line,
                f"verdict {_shown(example.verdict)} passes by the pass rule, and why says it fails",
            )
        if passes is False and leads_to_pass:
            yield (
                line,
                f"verdict {_shown(example.verdict)} fails by the pass rule, and why says it passes",
            )
        stated = _STATED_SCORE.search(example.why)
        if stated and isinstance(example.verdict, float) and float(stated[1]) != example.verdict:
            yield line, f"verdict {_shown(example.verdict)} is not the {stated[1]} that why gives"
        key = (_folded(example.input or ""), _folded(example.output))
        standing = seen.setdefault(key, (example.verdict, line))
        if standing[0] != example.verdict:
            yield line, f"the same output has another verdict in line {standing[1]}"


def one_sided_examples(view: LintView) -> Iterator[Hit]:
    """Two or more examples that all pass, or all fail: the judge learns to say that.

    Source: Z. Zhao et al., 2021, Calibrate Before Use, section 4 (majority label bias).
    """
    verdicts = [(line, passes) for _, line, passes in view.examples() if passes is not None]
    if len(verdicts) > 1 and len({passes for _, passes in verdicts}) == 1:
        side, other = ("pass", "fails") if verdicts[0][1] else ("fail", "passes")
        yield view.line("examples"), f"all {len(verdicts)} examples {side}, and none {other}"


def leaked_answer(view: LintView) -> Iterator[Hit]:
    """The criteria, an anchor or an example hold what a case of the dataset expects."""
    yield from wording.told_answer(view)
    places = [(each.line, each.text) for each in view.sentences]
    places += [(meaning.line, meaning.text) for _, meaning in view.anchors()]
    places += [(line, f"{e.output} {e.why}") for e, line, _ in view.examples()]
    reported: set[int] = set()
    for known in view.known:
        for answer in filter(_is_telling, known.answers):
            for line, text in places:
                if line not in reported and _holds(text, answer):
                    reported.add(line)
                    yield line, f"holds what case {known.case!r} of eval {known.eval!r} expects"


def example_of_the_dataset(view: LintView) -> Iterator[Hit]:
    """An example shows the judge an output that it is then asked to judge."""
    outputs = {_folded(known.output): known for known in view.known if len(known.output) > 20}
    for example, line, _ in view.examples():
        known = outputs.get(_folded(example.output))
        if known is not None:
            yield (
                line,
                f"shows the output of case {known.case!r} of eval {known.eval!r}, verdict and all",
            )


def _is_telling(answer: str) -> bool:
    """Whether an expected text is particular enough that it is no accident in a rubric."""
    words = answer.split()
    return len(answer) >= 20 or (len(words) >= 3 and len(answer) >= 12)


def _holds(text: str, part: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(_folded(part))}(?!\w)", _folded(text)) is not None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _shown(verdict: str | float) -> str:
    return f"{verdict:g}" if isinstance(verdict, float) else repr(verdict)


def _found_elsewhere(view: LintView) -> Iterator[Hit]:
    """Find nothing: `lint` finds these itself, before there is a view."""
    return iter(())


RULES = (
    Rule(
        "JK-R001",
        "empty-criteria",
        "The criteria say nothing.",
        "write below the front matter what an output must say or do",
        wording.empty_criteria,
        may_be_silenced=False,
    ),
    Rule(
        "JK-R002",
        "invalid-front-matter",
        "A field of the front matter is unknown, missing or wrong.",
        "mend the field; `judgekit rubric schema` lists them all",
        _found_elsewhere,
        may_be_silenced=False,
    ),
    Rule(
        "JK-R003",
        "front-matter-misfit",
        "The front matter does not fit the kind, or itself.",
        "remove the field, or change the kind",
        front_matter_misfit,
    ),
    Rule(
        "JK-R004",
        "pass-rule-decides-nothing",
        "Every output passes.",
        "set a pass rule that some outputs fail",
        pass_rule_that_decides_nothing,
    ),
    Rule(
        "JK-R005",
        "unanchored-scale",
        "Nothing says what the ends of the scale mean, so that judges crowd about the middle.",
        "add scale.anchors for the least and the greatest score",
        unanchored_scale,
    ),
    Rule(
        "JK-R006",
        "vague-criteria",
        "A criterion can't be checked.",
        "say what an output must say or do, in words of the domain",
        wording.vague_criteria,
    ),
    Rule(
        "JK-R007",
        "vague-anchor",
        "An anchor only names its place on the scale.",
        "describe an output that gets this score",
        wording.vague_anchor,
    ),
    Rule(
        "JK-R008",
        "two-criteria",
        "One verdict is asked for two things.",
        "make a rubric and a scorer of each",
        wording.two_criteria,
    ),
    Rule(
        "JK-R009",
        "example-misfit",
        "An example's verdict is none of the kind's.",
        "give the verdict in the words of the kind",
        example_misfit,
    ),
    Rule(
        "JK-R010",
        "example-against-rule",
        "An example contradicts the pass rule, or another example.",
        "mend the verdict or the reason",
        example_against_rule,
    ),
    Rule(
        "JK-R011",
        "one-sided-examples",
        "All examples have the same verdict, which the judge then prefers.",
        "add one of the other side, near the line",
        one_sided_examples,
    ),
    Rule(
        "JK-R012",
        "leaked-answer",
        "The rubric tells what a case expects.",
        "describe what makes an answer right; leave the answer to the case's `expected`",
        leaked_answer,
    ),
    Rule(
        "JK-R013",
        "example-of-the-dataset",
        "An example is a case that is judged.",
        "write an example of your own, or take the case out of the dataset",
        example_of_the_dataset,
    ),
    Rule(
        "JK-R014",
        "verbosity-preference",
        "Length or style is asked for, which judges favour too much by themselves.",
        "say what the output must contain, and that length and form do not count",
        wording.verbosity_preference,
    ),
    Rule(
        "JK-R015",
        "pass-rule-told",
        "The judge is told from which score on an output passes.",
        "leave the pass rule to min_score, which the judge is not shown",
        wording.pass_rule_told,
    ),
    Rule(
        "JK-R016",
        "scale-mismatch",
        "The criteria name another scale than the front matter.",
        "leave the scale to the front matter, which the judge is shown",
        wording.scale_mismatch,
    ),
    Rule(
        "JK-R017",
        "reply-format",
        "The criteria ask for a form of reply, and judgekit asks for another.",
        "remove it: judgekit asks for the reply itself",
        wording.reply_format,
    ),
    Rule(
        "JK-R018",
        "placeholder",
        "A template's mark or a note was left in the text.",
        "write it out; the judge sees INPUT and ANSWER below the criteria",
        wording.placeholder,
    ),
    Rule(
        "JK-R019",
        "too-fine-scale",
        "The scale has more points than judges tell apart.",
        "use few points, such as 1 to 5 with whole: true",
        too_fine_scale,
    ),
    Rule(
        "JK-R020",
        "repeated-criterion",
        "A criterion stands twice, and so counts twice.",
        "keep one",
        wording.repeated_criterion,
    ),
    Rule(
        "JK-R021",
        "position-preference",
        "A pairwise rubric favours the one shown first, or last.",
        "say what makes one better; a tie is TIE",
        wording.position_preference,
    ),
    Rule(
        "JK-R022",
        "countable-criterion",
        "Something is asked of the judge that can be counted or parsed.",
        "use a deterministic grader; `judgekit graders list` shows them",
        wording.countable_criterion,
    ),
    Rule(
        "JK-R023",
        "unknown-ignore",
        "lint-ignore names no rule that may be silenced.",
        "name a code that lint prints, or remove the entry",
        _found_elsewhere,
        may_be_silenced=False,
    ),
    Rule(
        "JK-R024",
        "repeated-anchor",
        "Two points of the scale mean the same.",
        "say what tells them apart, or remove one",
        repeated_anchor,
    ),
)
"""Every rule, in the order of its code."""

BY_CODE = {rule.code: rule for rule in RULES}
