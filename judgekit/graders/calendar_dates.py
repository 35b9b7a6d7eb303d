"""How dates and times are written in text, read without a locale."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = {name[:length]: number for number, name in enumerate(_MONTHS, 1) for length in (3, 99)}
_MONTH["sept"] = 9

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?"
    r"(?:[ ]?(?P<half>[ap]\.?m\.?))?(?:[ ]?(?P<zone>z|utc|gmt|[-+−][0-9]{2}:?[0-9]{2}))?"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?[ ]+)?"
_NAME = r"(?P<month>[a-z]{3,9})\.?"
_DAYS = {
    "iso": r"(?P<year>[0-9]{4})-(?P<monthnumber>[0-9]{2})-(?P<day>[0-9]{2})",
    "basic": r"(?P<year>[0-9]{4})(?P<monthnumber>[0-9]{2})(?P<day>[0-9]{2})",
    "year first": r"(?P<year>[0-9]{4})[/.](?P<monthnumber>[0-9]{1,2})[/.](?P<day>[0-9]{1,2})",
    "day month year": (
        rf"{_WEEKDAY}(?:the[ ])?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?(?:[ ]of)?[ -]{_NAME},?[ -]"
        r"(?P<year>[0-9]{4})"
    ),
    "month day year": (
        rf"{_WEEKDAY}{_NAME}[ ](?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?[ ](?P<year>[0-9]{{4}})"
    ),
}
_DMY = r"(?P<day>[0-9]{1,2})(?P<sign>[/.-])(?P<monthnumber>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4})"
_MDY = r"(?P<monthnumber>[0-9]{1,2})(?P<sign>[/.-])(?P<day>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4})"
_NUMERIC = {"day-first": _DMY, "month-first": _MDY}


class DateNotation:
    """Reads dates and times.

    Args:
        numeric_order: what ``03/04/2024`` means: ``day-first``, ``month-first``, or None, when such
            a date is read only where both orders mean the same or one is impossible.
    """

    def __init__(self, numeric_order: str | None = None) -> None:
        orders = [numeric_order] if numeric_order else list(_NUMERIC)
        days = [*_DAYS.values(), *(_NUMERIC[order] for order in orders)]
        self._whole = [
            re.compile(rf"{day}(?:(?:t|,?[ ](?:at[ ])?){_CLOCK})?", re.I) for day in days
        ]
        self._within = [
            re.compile(rf"(?<![\w.:/-]){p.pattern}(?![\w:/-]|\.\d)", re.I) for p in self._whole
        ]

    def whole(self, text: str) -> date | datetime | None:
        """Return the date or time that `text` is, but for white space and a full stop, or None."""
        text = " ".join(text.split()).removesuffix(".")
        read = (_moment(match) for match in (p.fullmatch(text) for p in self._whole) if match)
        found = {moment for moment in read if moment is not None}
        return found.pop() if len(found) == 1 else None

    def within(self, text: str) -> list[date | datetime | None]:
        """Return every date that stands in `text`, in order; None for one that means no one day."""
        text = " ".join(text.split())
        matches = [match for p in self._within for match in p.finditer(text)]
        found: list[date | datetime | None] = []
        end = 0
        for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
            if match.start() >= end:
                found.append(self.whole(match.group()))
                end = match.end()
        return found


def _moment(match: re.Match[str]) -> date | datetime | None:
    named = match.groupdict()
    month = named.get("monthnumber")
    number = int(month) if month else _MONTH.get(str(named.get("month")).lower())
    try:
        day = date(int(named["year"]), number or 0, int(named["day"]))
        if named["hour"] is None:
            return day
        return datetime.combine(day, _clock(named), tzinfo=_zone(named["zone"]))
    except ValueError:
        return None


def _clock(named: dict[str, str | None]) -> time:
    hour = int(named["hour"] or 0)
    half = (named["half"] or "").lower().replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour on a twelve-hour clock")
        hour = hour % 12 + (12 if half == "pm" else 0)
    microsecond = int(((named["part"] or "") + "000000")[:6])
    return time(hour, int(named["minute"] or 0), int(named["second"] or 0), microsecond)


def _zone(name: str | None) -> timezone | None:
    if name is None:
        return None
    if name.lower() in ("z", "utc", "gmt"):
        return UTC
    hours, minutes = int(name[1:3]), int(name[-2:])
    if minutes > 59:
        raise ValueError("no such offset")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if name[0] == "+" else -offset)
