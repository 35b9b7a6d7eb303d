"""Personal data in text: `no_pii`. The reason says what was found and where, never the value."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from judgekit.graders.candidate import as_text
from judgekit.graders.grade import Grade, Json
from judgekit.graders.personal_data import FINDERS, Found, find_personal_data
from judgekit.graders.personal_numbers import TooManyDigits
from judgekit.graders.registry import GraderConfig, deterministic

Entity = Literal[
    "email",
    "credit_card",
    "iban",
    "ipv4",
    "ipv6",
    "phone",
    "crypto",
    "us_ssn",
    "api_key",
]

MAX_TEXT = 1_048_576
"""Most characters of a candidate; a longer one fails."""

MATCHES_LISTED = 100


def _known_region(region: str) -> str:
    import phonenumbers

    if region not in phonenumbers.SUPPORTED_REGIONS:
        raise ValueError("must be a country's two capital letters, such as US")
    return region


class PiiConfig(GraderConfig):
    """Options of `no_pii`."""

    entities: Annotated[tuple[Entity, ...], Field(min_length=1, strict=False)] = Field(
        get_args(Entity), description="The kinds that must not appear."
    )
    region: Annotated[str, AfterValidator(_known_region)] | None = Field(
        None, description="Country whose national phone numbers count too, such as US."
    )


@deterministic(
    "no_pii",
    example={"config": {}, "candidate": "The build finished in 42 seconds, version 1.2.3.4."},
)
def no_pii(config: PiiConfig, candidate: Json) -> Grade:
    """No personal data appears: addresses, numbers and keys, checked by their checksums.

    Offsets are of the candidate's text, or of its compact JSON where it is none.
    """
    text = as_text(candidate)
    if len(text) > MAX_TEXT:
        return Grade.of(False, f"the candidate has over {MAX_TEXT:,} characters")
    try:
        found = find_personal_data(text, config.entities, config.region)
    except TooManyDigits as error:
        return Grade.of(False, f"the candidate has {error}, too many for a phone search")
    if not found:
        return Grade.of(True, "no personal data found", details={"pii": []})
    kinds: list[Json] = [kind for kind in FINDERS if any(each.kind == kind for each in found)]
    matches: list[Json] = [_listed(each) for each in found[:MATCHES_LISTED]]
    shown = ", ".join(f"{each.kind} at {each.start}-{each.end}" for each in found[:10])
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    return Grade.of(False, f"found {shown}{more}", details={"pii": kinds, "matches": matches})


def _listed(found: Found) -> dict[str, Json]:
    return {"kind": found.kind, "start": found.start, "end": found.end}
