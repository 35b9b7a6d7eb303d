"""Lint rules on the wording of criteria and anchors: what makes a judge guess, or go astray.

They know English words only, and are written to keep quiet when in doubt: a sentence that says what
does *not* count demands nothing, and a quoted word is not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from judgekit.judges.replies.statements import FIELDS
from judgekit.judges.rubric import Kind, Scale
from judgekit.rubrics.lint_view import LIMITING, LintView, Sentence

Hit = tuple[int, str]
"""A line of the file, and what is wrong there."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_VAGUE = _words(
    "good great nice bad poor excellent perfect high low quality appropriate appropriately "
    "adequate adequately proper properly reasonable reasonably suitable acceptable satisfactory "
    "decent fine best better well ok okay effective effectively useful helpful correct correctly "
    "right accurate accurately relevant clear strong solid high-quality sufficient sufficiently "
    "enough meaningful valuable professional overall general generally well-written interesting "
    "natural standard standards expectations requirements average mediocre unacceptable weak "
    "superb outstanding medium ideal optimal"
)
_EMPTY = _words(
    "the a an is are be being must should shall can could may might will would it its this that "
    "these those there of to and or in for with as if whether how what which does do did has have "
    "had all any very really quite so at on by from you your we our they their he she one answer "
    "answers response responses reply replies output outputs text summary candidate model "
    "assistant input expected meet meets met criterion criteria judge rate score scored scores "
    "evaluate assess decide give gives given pass passes fail fails say says ensure check make "
    "sure please than when only just also level degree"
)
_TO_WHOM = re.compile(r"\b(?:to|of|for) the (?:question|input|prompt|user|customer|task)\b", re.I)
_OWN_JUDGEMENT = re.compile(
    r"\b(?:use your (?:own |best )*judge?ment|as you see fit|in your (?:own )?opinion|"
    r"(?:use )?common sense|feels right|you (?:would )?(?:like|prefer) (?:it|best|better|more))\b",
    re.IGNORECASE,
)
_DIMENSIONS = {
    "correctness": "accurate accurately accuracy correct correctly correctness factual factually "
    "factuality faithful faithfully faithfulness truthful grounded groundedness",
    "completeness": "complete completely completeness comprehensive exhaustive",
    "tone": "polite politely politeness friendly friendliness kind kindly kindness respectful "
    "respectfully courteous courteously courtesy empathetic empathy warm tone rude",
    "clarity": "clear clearly clarity readable readability understandable coherent coherence "
    "fluent fluency grammatical grammar well-structured well-organised well-organized",
    "brevity": "concise concisely conciseness brief briefly brevity succinct",
    "relevance": "relevant relevance on-topic helpful helpfulness",
    "safety": "safe safely safety harmless harmlessness unbiased",
    "creativity": "creative creatively creativity original originality engaging",
}
_DIMENSION_OF = {word: name for name, words in _DIMENSIONS.items() for word in words.split()}
_ONE_THING = frozenset({"correctness", "completeness"})
_JOINT = re.compile(
    r"\s*(?:,|,?\s*and|&|/|\+|,?\s*as well as|,?\s*but(?: also)?|,?\s*yet)\s*"
    r"(?:(?:also|is|are|it|be|being|sounds?|stays?|remains?|in|a|an|its|the|very|both|how|must|"
    r"should)\s+)*",
    re.IGNORECASE,
)
_MODAL = r"(?:must|should|needs? to|has to|have to|shall)"
_TWO_DEMANDS = re.compile(
    rf"\b{_MODAL}\b[^.;:]{{3,}}?(?:,\s*)?\b(?:and|as well as|plus)\s+(?:(?:it|the answer|they)\s+)?"
    rf"(?:also\s+)?{_MODAL}\b(?!\s+not)",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|a hundred|several|many)"
_LONG = re.compile(
    r"\bdetailed\b|\bin (?:great |full |more )?detail\b|\bthorough(?:ly|ness)?\b|"
    r"\bcomprehensive(?:ly|ness)?\b|\bextensive(?:ly)?\b|\bin[- ]depth\b|\bexhaustive(?:ly)?\b|"
    r"\blengthy\b|\belaborate(?:ly|s)?\b|\b(?:long|longer|longest)\s+(?:and\s+\w+\s+)?(?:answers?|"
    r"responses?|repl(?:y|ies)|outputs?|explanations?|texts?|summar(?:y|ies)|ones?|is|are)\b|"
    r"\bthe (?:more|longer)\b[^.]{0,60}\bthe (?:better|higher|more)\b|"
    r"\bas (?:much|many) [^.]{0,30}as possible\b|\b(?:above and|goes?) beyond\b|"
    rf"\b(?:at least|a minimum of|no fewer than|no less than|more than|over)\s+{_NUMBER}\s+"
    r"(?:words|sentences|paragraphs|lines|characters|pages)\b",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"\bwell[- ](?:formatted|structured|written|organi[sz]ed|crafted|presented)\b|"
    r"\b(?:nicely|cleanly|properly|beautifully) formatted\b|"
    r"\b(?:uses?|using|with|in|contains?|has) (?:clear |proper |some )?(?:markdown|bullet(?:s|ed)?"
    r"(?: points?| lists?)?|headings|bold(?: text| type)?|emojis?)\b|"
    r"\b(?:eloquent(?:ly)?|sophisticated|impressive(?:ly)?|polished|articulate(?:ly)?)\b|"
    r"\b(?:sounds?|in an?|with an?) (?:\w+ )?(?:confident|authoritative|expert)\b",
    re.IGNORECASE,
)
_COUNTABLE = re.compile(
    r"\b(?:at most|no more than|not more than|fewer than|less than|under|up to|at least|exactly|"
    r"more than|over|between|maximum of|minimum of|limit of)\s+\d[\d,. ]*(?:(?:and|to|-|–)\s*\d+ )?"
    r"(?:words|characters|tokens|letters)\b|\b(?:is|be|as|returns?|valid) (?:valid )?JSON\b|"
    r"\b(?:matches|match) (?:the )?(?:regex|regular expression)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?:\bfrom|\bbetween|\bscale of|\bscale:?|\bscores?(?: of| from)?|\brat\w+(?: of| from)?)\s+"
    r"(-?\d+(?:\.\d+)?)\s*(?:to|and|-|–|—|through|\.\.)\s*(-?\d+(?:\.\d+)?)\b(?!\s*%)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(r"\b\d+(?:\.\d+)?\s*(?:out of|/)\s*(\d+)\b(?![/-])", re.IGNORECASE)
_SCORING = re.compile(
    r"\b(?:scor(?:e|es|ed|ing)|rat(?:e|es|ed|ing)|scale|grades?)\b", re.IGNORECASE
)
_PASSING = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|threshold|is acceptable|are acceptable|fail(?:s|ed|ing)?)\b", re.I
)
_COMPARED = re.compile(
    r"(?:at least|minimum(?: of)?|>=|≥|above|over|below|under|less than|more than|exceeds?|"
    r"threshold(?: is| of|:)?)\s*(?P<after>\d+(?:\.\d+)?)|"
    r"(?P<before>\d+(?:\.\d+)?)\s*(?:or (?:above|more|higher|better|below|less|lower)|and "
    r"(?:above|up|higher|below|lower))",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"^(?i:then |finally,? )?(?i:please )?(?i:only )?(?i:reply|respond|answer|output|return|print|"
    r"write|say|end|finish|format)\b(?!\s*[AB:]\b)[^.]*?(?:\b(?i:JSON)\b|\bPASS\b|\bFAIL\b|"
    r"(?i:\bpass or fail\b|\byes or no\b|\byes/no\b|\btrue or false\b|\btrue/false\b|"
    r"\b(?:one|a single) (?:word|number|letter|digit)\b|\[\[|"
    r"\byour (?:score|verdict|reason\w*|explanation|rating)\b|"
    r"\ba (?:score|number|rating) (?:from|between|of)\b|\bthe (?:score|number|verdict) only\b)|"
    r"\b(?:A|B) or (?:A|B)\b)|\bSCORE:|\bVERDICT:|\bWINNER:",
)
_PLACEHOLDER = re.compile(
    r"\{\{[^{}\n]*\}\}|\{(?:input|output|answer|question|response|context|expected|reference|"
    r"candidate|text|prompt)\}|<(?:insert|your|todo|fill)[^>\n]*>|\[(?:insert|your|todo|tbd|fill)"
    r"[^\]\n]*\]|\b(?:TODO|TBD|FIXME|XXX)\b|\blorem ipsum\b|\$\{[^}\n]*\}",
)
_SIDE = re.compile(
    r"\b(?:prefer|choose|pick|favou?r|select|take|tie goes to)\b[^.]{0,40}?"
    r"\b(?:the first|the second|the former|the latter|the one shown|answer [ab])\b",
    re.IGNORECASE,
)
_TOLD_ANSWER = re.compile(
    r"(?i:\b(?:correct|expected|right|reference|gold(?:en)?|ideal|true) (?:answer|value|result|"
    r"response|output) (?:is|was|should be|must be|would be|has to be)\b|\banswer key\b)\s*:?\s*"
    r"(?P<answer>[\"“`'‘]\S.*|-?[\d$€£]\S*|(?!INPUT|ANSWER|EXPECTED|TIE\b)[A-Z]\w*.*)"
)


def empty_criteria(view: LintView) -> Iterator[Hit]:
    """The body says nothing to judge by."""
    words = [word for each in view.sentences for word in _WORD.findall(each.text)]
    left = [word for word in words if not _PLACEHOLDER.fullmatch(word)]
    if not left or (len(words) < 3 and len("".join(words)) < 6):
        yield view.source.body_line, "the criteria say nothing to judge by"


def vague_criteria(view: LintView) -> Iterator[Hit]:
    """A criterion is made of words such as "good" alone."""
    items = {each.item for each in view.sentences if each.item}
    if items:
        units = [[each for each in view.sentences if each.item == item] for item in sorted(items)]
    else:
        units = [list(view.sentences)] if view.sentences else []
    for unit in units:
        if _only_vague(" ".join(each.said for each in unit)) and not _anchored(view):
            said = " ".join(each.text for each in unit)
            yield (
                unit[0].line,
                f'"{_cut(said)}" can\'t be checked: two people would read it in two ways',
            )
    for each in view.demands:
        if (found := _OWN_JUDGEMENT.search(each.said)) is not None:
            yield each.line, f'"{found[0]}" leaves the criterion to the judge'


def vague_anchor(view: LintView) -> Iterator[Hit]:
    """An anchor only names its place on the scale."""
    for score, meaning in view.anchors():
        if _only_vague(meaning.said):
            yield (
                meaning.line,
                f'the anchor of {score:g}, "{_cut(meaning.text)}", tells no output apart',
            )


def two_criteria(view: LintView) -> Iterator[Hit]:
    """One verdict is asked for two things."""
    for each in view.sentences:
        if each.excludes:
            continue
        pair = _joined_dimensions(each.said)
        if pair is not None:
            yield each.line, f"asks for {pair[0]} and {pair[1]} at once, with one verdict for both"
        elif (found := _TWO_DEMANDS.search(each.said)) is not None:
            yield each.line, f'asks for two things with one verdict: "{_cut(found[0])}"'
    heads = [(each, name) for each in view.demands if (name := _head_dimension(each)) is not None]
    for (_, first), (each, second) in pairwise(heads):
        if _apart(first, second):
            yield each.line, f"asks for {second} beside {first}, with one verdict for both"


def verbosity_preference(view: LintView) -> Iterator[Hit]:
    """Length or style is asked for, which judges favour too much by themselves."""
    anchors = [meaning for _, meaning in view.anchors() if not meaning.limits]
    for each in [*view.demands, *anchors]:
        if (found := _LONG.search(each.said)) is not None:
            yield each.line, f'"{found[0]}" rewards length, which judges favour by themselves'
        elif (found := _STYLE.search(each.said)) is not None:
            yield each.line, f'"{found[0]}" rewards style, which judges favour by themselves'


def countable_criterion(view: LintView) -> Iterator[Hit]:
    """Something is asked of the judge that can be counted or parsed."""
    for each in view.sentences:
        if (found := _COUNTABLE.search(each.said)) is not None:
            yield each.line, f'"{found[0]}" can be checked exactly, and judges count badly'


def scale_mismatch(view: LintView) -> Iterator[Hit]:
    """The criteria name another scale than the front matter."""
    if view.kind is None:
        return
    scale = view.rubric.scale if view.rubric is not None else None
    scale = (scale or Scale()) if view.kind is Kind.SCORE else None
    for each in view.sentences:
        for named in _named_scales(each.said):
            if scale is None:
                yield each.line, f"asks for a score, and the kind is {view.kind.value}"
            elif _beyond(named, scale):
                low = "" if named[0] is None else f"from {named[0]:g} "
                yield (
                    each.line,
                    f"names a scale {low}to {named[1]:g}, and the front matter has "
                    f"{scale.minimum:g} to {scale.maximum:g}",
                )


def pass_rule_told(view: LintView) -> Iterator[Hit]:
    """The judge is told from which score on an output passes."""
    rubric = view.rubric
    if rubric is None or rubric.kind is not Kind.SCORE:
        return
    scale = rubric.scale or Scale()
    mark = scale.minimum + rubric.min_score * (scale.maximum - scale.minimum)
    for each in view.sentences:
        speaks = _SCORING.search(each.said) or each.said[0].isdigit()
        found = _COMPARED.search(each.said) if speaks and _PASSING.search(each.said) else None
        if found is not None:
            stated = float(found["after"] or found["before"])
            also = "" if stated == mark else f", and contradicts min_score, which is {mark:g} there"
            yield (
                each.line,
                f'"{found[0]}" tells the judge the pass rule, which pulls its scores{also}',
            )


def reply_format(view: LintView) -> Iterator[Hit]:
    """The criteria ask for a form of reply, and judgekit asks for another."""
    for each in view.sentences:
        if _REPLY.search(each.text) is not None:
            field = FIELDS[view.kind] if view.kind else "verdict"
            yield (
                each.line,
                f'asks for a form of reply, and the prompt asks for JSON with "{field}" already',
            )


def placeholder(view: LintView) -> Iterator[Hit]:
    """A template's mark, or a note to oneself, was left in the text."""
    for number, line in enumerate(view.source.body.split("\n"), view.source.body_line):
        if (found := _PLACEHOLDER.search(line)) is not None:
            yield number, f'"{_cut(found[0])}" reaches the judge as it stands: nothing is filled in'
    for _, meaning in view.anchors():
        if (found := _PLACEHOLDER.search(meaning.text)) is not None:
            yield meaning.line, f'"{_cut(found[0])}" reaches the judge as it stands'


def repeated_criterion(view: LintView) -> Iterator[Hit]:
    """The same sentence stands twice."""
    seen: dict[str, int] = {}
    for each in view.sentences:
        words = " ".join(_WORD.findall(each.text.casefold()))
        if len(words.split()) > 2 and words in seen:
            yield each.line, f"says again what line {seen[words]} says"
        seen.setdefault(words, each.line)


def position_preference(view: LintView) -> Iterator[Hit]:
    """A pairwise rubric favours one of the two places."""
    if view.kind is not Kind.PAIRWISE:
        return
    for each in view.demands:
        if (found := _SIDE.search(each.said)) is not None:
            yield each.line, f'"{found[0]}" favours a place, and places are swapped'


def told_answer(view: LintView) -> Iterator[Hit]:
    """The criteria tell the right answer of a case."""
    for each in view.sentences:
        if (found := _TOLD_ANSWER.search(each.text)) is not None:
            yield (
                each.line,
                f'tells the right answer ("{_cut(found["answer"])}") of one case to all',
            )


def _only_vague(text: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(_TO_WHOM.sub(" ", text))]
    if any(character.isdigit() for character in text) or '"…"' in text:
        return False
    return (
        bool(words) and all(w in _VAGUE or w in _EMPTY for w in words) and bool(_VAGUE & {*words})
    )


def _anchored(view: LintView) -> bool:
    """Whether anchors say what the criteria leave open."""
    return sum(not _only_vague(meaning.said) for _, meaning in view.anchors()) > 1


def _joined_dimensions(text: str) -> tuple[str, str] | None:
    found = [
        (match, _DIMENSION_OF[match[0].casefold()])
        for match in _WORD.finditer(text)
        if match[0].casefold() in _DIMENSION_OF
    ]
    for (left, first), (right, second) in pairwise(found):
        between = text[left.end() : right.start()]
        near = " ".join(text[: left.start()].split()[-3:])
        if LIMITING.search(near) is None and _apart(first, second) and _JOINT.fullmatch(between):
            return first, second
    return None


def _head_dimension(sentence: Sentence) -> str | None:
    """Return what a list item or a question is about: "Tone: …", "Is it polite?"."""
    if not sentence.item and not sentence.text.endswith("?"):
        return None
    label, colon, _ = sentence.said.partition(":")
    words = _WORD.findall(label if colon and len(label) < 40 else sentence.said)[:6]
    named = [_DIMENSION_OF[w.casefold()] for w in words if w.casefold() in _DIMENSION_OF]
    return named[0] if named else None


def _apart(first: str, second: str) -> bool:
    return first != second and {first, second} != _ONE_THING


def _beyond(named: tuple[float | None, float], scale: Scale) -> bool:
    """Whether a named scale is no part of the rubric's; "from 2 to 4" may be a part of 1 to 5."""
    least, greatest = named
    if least is None:
        return greatest != scale.maximum
    return least < scale.minimum or greatest > scale.maximum


def _named_scales(text: str) -> Iterator[tuple[float | None, float]]:
    """Yield (least, greatest) of the scales that a sentence names; the least may be unsaid."""
    if _SCORING.search(text) is None:
        return
    for match in _SPAN.finditer(text):
        yield float(match[1]), float(match[2])
    for match in _OUT_OF.finditer(text):
        yield None, float(match[1])


def _cut(text: str, limit: int = 60) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
