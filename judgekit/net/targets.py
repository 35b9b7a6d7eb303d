"""Reads a URL as the place that a connection would go to, and says whether it may.

Hosts are read as browsers do (the WHATWG URL standard): ``127.1``, ``0x7f000001``, ``2130706433``
and full-width digits are all 127.0.0.1. Where readers of URLs are known to disagree (user names,
backslashes, percent-encoded hosts, a leading zero), the URL is refused or every reading must pass.
Pure: no name is looked up. What a name resolves to is checked when connecting
(`judgekit.net.pinned_transport`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator

from judgekit.errors import AddressBlocked
from judgekit.net.addresses import Address, blocked_reason, is_loopback, is_private

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_URL_LIMIT: Final = 8192
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2000-\u200f\u2028-\u202f\u3000\ufeff\\]")
_SECRETS: Final = re.compile(r"(?<=//)[^/?#]*(?=@)|(?<=\?).*", re.DOTALL)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")

_METADATA_NAMES: Final = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.azure.com",
        "metadata.tencentyun.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
        "metadata.cloud.ibm.com",
        "instance-data",
        "instance-data.ec2.internal",
    }
)
_LOOPBACK_NAMES: Final = frozenset(
    {"localhost", "localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback"}
)
_LOCAL_ZONES: Final = {
    "localhost": "loopback name (RFC 6761)",
    "localdomain": "loopback name",
    "local": "link-local name (RFC 6762)",
    "internal": "private-use name (ICANN)",
    "home.arpa": "home network name (RFC 8375)",
    "intranet": "private name",
    "private": "private name",
    "corp": "private name",
    "home": "private name",
    "lan": "private name",
    "onion": "special-use name (RFC 7686)",
    "invalid": "special-use name (RFC 6761)",
    "test": "special-use name (RFC 6761)",
    "alt": "special-use name (RFC 9476)",
}
_PRIVATE_ZONES: Final = ("local", "internal", "home.arpa")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads.

    Attributes:
        scheme: ``http`` or ``https``.
        host: lower case, ASCII, without brackets or final dot; addresses in their usual spelling.
        port: 1 to 65535.
        readings: the addresses that the host may mean where it is one; empty for a name.
    """

    scheme: str
    host: str
    port: int
    readings: tuple[Address, ...] = ()

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what an allow-list names."""
        return (self.scheme, self.host, self.port)


def parse_target(url: str) -> Target:
    """Return where `url` leads.

    Raises:
        AddressBlocked: it is not a plain ``http(s)://host[:port]/…`` URL, or hides its host.
    """
    if len(url) > _URL_LIMIT:
        raise AddressBlocked(f"URL of {len(url)} characters: at most {_URL_LIMIT} are read")
    if _UNSAFE.search(url):
        raise _refused(url, "it holds a space, a control character or a backslash")
    try:
        parts = urlsplit(url)
        authority, port = parts.netloc, parts.port
    except ValueError:
        raise _refused(url, "its host or port is malformed") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refused(url, "only http and https are called")
    if "@" in authority:
        raise _refused(url, "it carries a user name; take it out of the URL")
    port = _port(url, authority, port, _DEFAULT_PORTS[parts.scheme])
    host, readings = read_host(authority.rpartition(":")[0] if _has_port(authority) else authority)
    return Target(parts.scheme, host, port, readings)


def _web_address(url: str) -> str:
    try:
        parse_target(url)
    except AddressBlocked as error:
        raise ValueError(str(error)) from None
    return url


WebAddress = Annotated[str, AfterValidator(_web_address)]
"""An http or https URL that can be called, for pydantic models; where it leads is not checked."""


def read_host(host: str) -> tuple[str, tuple[Address, ...]]:
    """Return the plain spelling of `host` (brackets allowed), and the addresses it may mean.

    Raises:
        AddressBlocked: it is neither a name nor an address.
    """
    if host.startswith("[") and host.endswith("]"):
        return _read_ipv6(host[1:-1])
    name = _ascii(host).removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        readings = _ipv4_readings(name)
        return str(readings[0]), readings
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused(host, "the host is neither a name nor an address")
    return name, ()


def name_blocked_reason(name: str) -> str | None:
    """Return why the host name `name` (as `read_host` spells it) may not be called, or None."""
    if name in _METADATA_NAMES:
        return "cloud metadata name"
    if name in _LOOPBACK_NAMES:
        return "loopback name"
    if "." not in name:
        return "a name without a dot is one of the local network"
    return next((why for zone, why in _LOCAL_ZONES.items() if _within(name, zone)), None)


def check_target(target: Target, allowed: Collection[tuple[str, str, int]] = ()) -> None:
    """Refuse `target` unless its origin is in `allowed` or nothing in its URL speaks against it.

    Args:
        allowed: origins (scheme, host, port) that may be called whatever their address.

    Raises:
        AddressBlocked: the host is, or may be read as, a blocked address or name.
    """
    if target.origin in allowed:
        return
    reasons = [blocked_reason(address) for address in target.readings]
    if not target.readings:
        reasons = [name_blocked_reason(target.host)]
    reason = next(filter(None, reasons), None)
    if reason is not None:
        raise blocked_host(target.host, reason)


def check_url(url: str) -> Target:
    """Return where `url` leads, under the default guard.

    Raises:
        AddressBlocked: the URL is unusable or its host is blocked.
    """
    target = parse_target(url)
    check_target(target)
    return target


def judge_locality(url: str) -> Literal["loopback", "private", "remote"]:
    """Return how far away the judge at `url` is, from its spelling alone.

    A name counts as local only where its zone is reserved for local use (RFC 6761, RFC 6762, RFC
    8375, ICANN's ``.internal``). Any other name is remote: where it leads is for DNS to say.

    Raises:
        AddressBlocked: the URL is unusable.
    """
    target = parse_target(url)
    if target.readings:
        if all(map(is_loopback, target.readings)):
            return "loopback"
        local = all(is_loopback(reading) or is_private(reading) for reading in target.readings)
        return "private" if local else "remote"
    if target.host in _LOOPBACK_NAMES or _within(target.host, "localhost"):
        return "loopback"
    if target.host in _METADATA_NAMES:
        return "remote"
    return "private" if any(_within(target.host, z) for z in _PRIVATE_ZONES) else "remote"


def blocked_host(host: str, reason: str) -> AddressBlocked:
    """Return the error that says why `host` is not called and how to allow it."""
    return AddressBlocked(
        f"{host} is not called: {reason}; where that is meant, add its exact origin to webhooks "
        "in the configuration"
    )


def _has_port(authority: str) -> bool:
    return ":" in authority.rpartition("]")[2]


def _port(url: str, authority: str, port: int | None, default: int) -> int:
    if port is None and _has_port(authority) and not authority.endswith(":"):
        raise _refused(url, "the port is not a number")
    if port == 0:
        raise _refused(url, "port 0 cannot be called")
    return default if port is None else port


def _ascii(host: str) -> str:
    if not host or "%" in host or "[" in host or "]" in host:
        raise _refused(host, "the host is missing, percent-encoded or wrongly bracketed")
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host, uts46=True, std3_rules=False).decode("ascii").lower()
    except UnicodeError:
        # Characters that UTS 46 maps onto digits and dots alone give no encodable label.
        return _mapped(host)


def _mapped(host: str) -> str:
    import idna

    try:
        mapped = idna.uts46_remap(host, std3_rules=False)
    except UnicodeError:
        mapped = ""
    if not mapped.isascii() or not mapped:
        raise _refused(host, "the host is not a valid internationalised name")
    return mapped.lower()


def _read_ipv6(text: str) -> tuple[str, tuple[Address, ...]]:
    if "%" in text:
        raise _refused(f"[{text}]", "an address with a zone leads to the local network")
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise _refused(f"[{text}]", "it is not an IPv6 address") from None
    return str(address), (address,)


def _ipv4_readings(text: str) -> tuple[Address, ...]:
    """Read `text` as browsers and the C library do; also in decimal, where zeros lead a part."""
    parts = text.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise _refused(text, "it ends in a number and is no IPv4 address")
    readings = [_ipv4(text, [_number(text, part) for part in parts])]
    if any(len(part) > 1 and part.startswith("0") and part.isdecimal() for part in parts):
        decimal = [_number(text, part.lstrip("0") or "0") for part in parts]
        readings.append(_ipv4(text, decimal))
    return tuple(readings)


def _number(text: str, part: str) -> int:
    try:
        if part.startswith("0x"):
            return int(part[2:], 16)
        return int(part, 8 if part.startswith("0") and len(part) > 1 else 10)
    except ValueError:
        raise _refused(text, "it ends in a number and is no IPv4 address") from None


def _ipv4(text: str, numbers: list[int]) -> IPv4Address:
    """Put the numbers together: each but the last is one byte, the last fills what is left."""
    *leading, last = numbers
    room = 4 - len(leading)
    if any(number > 255 for number in leading) or last >= 256**room:
        raise _refused(text, "a part of the IPv4 address is too large")
    value = last
    for place, number in enumerate(leading):
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def _within(name: str, zone: str) -> bool:
    return name == zone or name.endswith("." + zone)


def _refused(url: str, why: str) -> AddressBlocked:
    shown = _SECRETS.sub("…", url)
    shown = shown if len(shown) <= 80 else shown[:79] + "…"
    return AddressBlocked(f"URL {shown!r} is not called: {why}")
