"""Graders by regular expression: `regex` and `not_regex`, in linear time (RE2).

RE2 has no backreferences and no lookaround; a pattern that uses them is refused by name, and so are
inline flags, which are options here: one pattern then means the same wherever it is read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any

import re2
from pydantic import AfterValidator, Field, model_validator

from judgekit.graders.candidate import as_text, clip, readings
from judgekit.graders.equality import nfc
from judgekit.graders.grade import Grade, Json
from judgekit.graders.masking import quoted
from judgekit.graders.option_types import NonBlankText
from judgekit.graders.registry import GraderConfig, deterministic

MAX_PATTERN = 1024
"""Most characters of a pattern."""

MAX_CANDIDATE_BYTES = 1 << 20
"""Most UTF-8 bytes of a candidate that is searched; a longer one fails, and is never cut."""

MAX_WORK = 1 << 26
"""Most instructions of the compiled pattern times bytes of the candidate: RE2 is linear in both.
The slowest known (``a[ab]{300}c`` on random text) takes 5 ns a step, so 0.3 s at this cap."""

_MAX_MEMORY_BYTES = 16 << 20

_NOTHING = 1
"""Instructions of a program that matches no text."""

_TOKEN = re.compile(
    r"""
      \\Q.*?(?:\\E|\Z)                                  # literal text
    | \\(?P<escape>[0-9]|[kg][<{']|[ZzGKRXuN]|.)
    | \[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]             # a class: its content is literal
    | \(\?(?P<group>P=|P>|<=|<!|[=!>(&|R\#]|[a-zA-Z^-]+[:)])
    | (?P<possessive>[*+?}]\+)
    | (?P<literal>\{,[0-9]+\})
    | .
    """,
    re.VERBOSE | re.DOTALL,
)

_GROUPS = {
    "P=": "a backreference",
    "P>": "recursion",
    "R": "recursion",
    "&": "recursion",
    "<=": "look-behind",
    "<!": "look-behind",
    "=": "look-ahead",
    "!": "look-ahead",
    ">": "an atomic group",
    "(": "a conditional group",
    "|": "a branch reset",
    "#": "a comment",
}

_ESCAPES = {
    "Z": r"`\Z` (write `\z` or `$`)",
    "G": r"`\G`",
    "K": r"`\K`",
    "R": r"`\R`",
    "X": r"`\X`",
    "u": r"`\u` (write `\x{…}`)",
    "N": r"`\N`",
}


def refused_construct(pattern: str) -> str | None:
    """Return the name of what `pattern` uses and RE2 has not, with its place, or None."""
    for token in _TOKEN.finditer(pattern):
        name = _refused(token)
        if name is not None:
            return f"{name} at character {token.start()}"
    return None


def _refused(token: re.Match[str]) -> str | None:
    escape, group = token["escape"], token["group"]
    if group is not None:
        flags = "inline flags (use case_sensitive, multiline or dot_matches_newline)"
        return _GROUPS.get(group, flags)
    if escape is not None and ((escape[0] in "kg" and len(escape) == 2) or escape in "123456789"):
        return "a backreference"
    if token["possessive"] is not None:
        return "a possessive quantifier"
    if token["literal"] is not None:
        return (
            f"{token['literal']}, which is literal text to RE2 (write `{{0{token['literal'][1:]}`)"
        )
    return _ESCAPES.get(escape or "")


def compiled(
    pattern: str,
    *,
    case_sensitive: bool = True,
    multiline: bool = False,
    dot_matches_newline: bool = False,
) -> Any:
    """Return the compiled pattern; the last 256 are kept.

    Raises:
        ValueError: the pattern is too long, uses what RE2 has not, is malformed, or is too large.
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(
            f"the pattern has {len(pattern):,} characters; {MAX_PATTERN:,} is the most"
        )
    refused = refused_construct(pattern)
    if refused is not None:
        raise ValueError(
            f"the pattern uses {refused}: refused, as patterns run in linear time (RE2)"
        )
    return _program(pattern, case_sensitive, multiline, dot_matches_newline)


@lru_cache(maxsize=256)
def _program(pattern: str, case_sensitive: bool, multiline: bool, dot_matches_newline: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY_BYTES
    options.never_capture = True  # finding groups can cost a thousand times the search
    options.case_sensitive = case_sensitive
    options.dot_nl = dot_matches_newline
    try:
        return re2.compile(f"(?m:{pattern})" if multiline else pattern, options=options)
    except re2.error as error:
        raise ValueError(f"the pattern is malformed: {_message(error)}") from None


def _message(error: Exception) -> str:
    text = error.args[0] if error.args else error
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)


def _well_formed(pattern: str) -> str:
    compiled(pattern)
    return pattern


Pattern = Annotated[NonBlankText, AfterValidator(_well_formed)]
"""A regular expression that RE2 takes, with at least one character that is not white space."""


class RegexConfig(GraderConfig):
    """Options of `regex` and `not_regex`."""

    pattern: Pattern = Field(
        description="RE2 syntax, at most 1,024 characters; it may match anywhere in the candidate."
    )
    case_sensitive: bool = Field(True, description="Whether case counts.")
    multiline: bool = Field(False, description="Whether `^` and `$` match at every line.")
    dot_matches_newline: bool = Field(False, description="Whether `.` matches a newline.")

    @model_validator(mode="after")
    def _check(self) -> RegexConfig:
        program = self.program()
        if program.programsize <= _NOTHING:
            raise ValueError("pattern: it can match no text")
        if program.search("") is not None and self._matches_everything():
            raise ValueError("pattern: it matches every text, even the empty one")
        return self

    def _matches_everything(self) -> bool:
        """Whether it matches the empty text at the start, or at the end, of every text.

        RE2's assertions look at one neighbour: a word's letter, a line end, another, or none.
        """
        signs = {"a": "a", " ": " ", r"\n": "\n", "": ""}
        followed = (self._allows(f"(?:{self.pattern}){sign}", signs[sign]) for sign in signs)
        preceded = (self._allows(f"{sign}(?:{self.pattern})", signs[sign]) for sign in signs)
        return all(followed) or all(preceded)

    def _allows(self, pattern: str, text: str) -> bool:
        options = self.case_sensitive, self.multiline, self.dot_matches_newline
        return _program(pattern, *options).fullmatch(text) is not None

    def program(self) -> Any:
        """Return the compiled pattern."""
        return compiled(
            self.pattern,
            case_sensitive=self.case_sensitive,
            multiline=self.multiline,
            dot_matches_newline=self.dot_matches_newline,
        )


@deterministic(
    "regex", example={"config": {"pattern": r"order-\d+"}, "candidate": "Your order-42 shipped."}
)
def regex(config: RegexConfig, candidate: Json) -> Grade:
    """The pattern matches somewhere in the candidate."""
    return _searched(config, candidate, wanted=True)


@deterministic(
    "not_regex", example={"config": {"pattern": r"order-\d+"}, "candidate": "It shipped."}
)
def not_regex(config: RegexConfig, candidate: Json) -> Grade:
    """The pattern matches nowhere in the candidate."""
    return _searched(config, candidate, wanted=False)


def _searched(config: RegexConfig, candidate: Json, *, wanted: bool) -> Grade:
    program = config.program()
    for reading in [as_text(candidate)] if wanted else _composed(readings(candidate)):
        text = searchable(reading)
        if isinstance(text, Grade):
            return text
        fault = too_much_work(program, text)
        if fault is not None:
            return Grade.of(False, fault)
        match = program.search(text)
        if match is not None:
            return Grade.of(
                wanted, f"matched {quoted(text, *match.span())} at character {match.start()}"
            )
    return Grade.of(not wanted, f"the pattern {clip(config.pattern)} matches nowhere")


def _composed(texts: list[str]) -> list[str]:
    """Return `texts`, and those that have another form when they are composed (Unicode NFC)."""
    return [*texts, *(form for text in texts if (form := nfc(text)) != text)]


def too_much_work(program: Any, text: str) -> str | None:
    """Return why searching `text` could take too long, or None."""
    work = program.programsize * len(text.encode())
    if work <= MAX_WORK:
        return None
    return (
        f"the pattern has {program.programsize:,} instructions and the candidate "
        f"{len(text.encode()):,} bytes; {MAX_WORK:,} is the most of their product"
    )


def searchable(text: str) -> str | Grade:
    r"""Return `text` with ``\n`` line ends and without one last newline, or a failed grade.

    So ``$`` means the end of the last line, as it does in POSIX text.
    """
    size = len(text) if text.isascii() else len(text.encode())
    if size > MAX_CANDIDATE_BYTES:
        return Grade.of(
            False, f"the candidate has {size:,} bytes; {MAX_CANDIDATE_BYTES:,} is the most"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
