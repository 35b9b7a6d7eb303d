"""Which internet addresses may not be called by default, and why.

Source of the ranges: the IANA special-purpose address registries for IPv4 and IPv6 (RFC 6890), and
the documents named in each row. Everything here is pure: no name is looked up.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
"""An internet address of either version."""

_BLOCKED_V4: Final = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "this network (RFC 791)"),
        ("10.0.0.0/8", "private (RFC 1918)"),
        ("100.64.0.0/10", "carrier-grade NAT (RFC 6598)"),
        ("127.0.0.0/8", "loopback (RFC 1122)"),
        ("168.63.129.16/32", "cloud platform service address (Azure)"),
        ("169.254.0.0/16", "link-local, cloud metadata (RFC 3927)"),
        ("172.16.0.0/12", "private (RFC 1918)"),
        ("192.0.0.0/24", "IETF protocol assignments (RFC 6890)"),
        ("192.0.2.0/24", "documentation (RFC 5737)"),
        ("192.31.196.0/24", "AS112 sink (RFC 7535)"),
        ("192.52.193.0/24", "multicast relay anycast (RFC 7450)"),
        ("192.88.99.0/24", "6to4 relay anycast (RFC 7526)"),
        ("192.168.0.0/16", "private (RFC 1918)"),
        ("192.175.48.0/24", "AS112 sink (RFC 7534)"),
        ("198.18.0.0/15", "benchmarking (RFC 2544)"),
        ("198.51.100.0/24", "documentation (RFC 5737)"),
        ("203.0.113.0/24", "documentation (RFC 5737)"),
        ("224.0.0.0/4", "multicast (RFC 5771)"),
        ("255.255.255.255/32", "limited broadcast (RFC 919)"),
        ("240.0.0.0/4", "reserved (RFC 1112)"),
    )
)

_BLOCKED_V6: Final = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "unspecified (RFC 4291)"),
        ("::1/128", "loopback (RFC 4291)"),
        ("::/96", "IPv4-compatible (RFC 4291)"),
        ("::ffff:0:0:0/96", "IPv4-translated (RFC 2765)"),
        ("64:ff9b::/96", "NAT64 (RFC 6052)"),
        ("64:ff9b:1::/48", "local-use NAT64 (RFC 8215)"),
        ("100::/64", "discard-only (RFC 6666)"),
        ("2001::/32", "Teredo (RFC 4380)"),
        ("2001:2::/48", "benchmarking (RFC 5180)"),
        ("2001:10::/28", "ORCHID (RFC 4843)"),
        ("2001:20::/28", "ORCHIDv2 (RFC 7343)"),
        ("2001:db8::/32", "documentation (RFC 3849)"),
        ("2001::/23", "IETF protocol assignments (RFC 2928)"),
        ("2002::/16", "6to4 (RFC 3056)"),
        ("2620:4f:8000::/48", "AS112 sink (RFC 7534)"),
        ("3ffe::/16", "6bone, returned (RFC 3701)"),
        ("3fff::/20", "documentation (RFC 9637)"),
        ("5f00::/16", "segment routing (RFC 9602)"),
        ("fc00::/7", "unique local (RFC 4193)"),
        ("fe80::/10", "link-local (RFC 4291)"),
        ("fec0::/10", "site-local, deprecated (RFC 3879)"),
        ("ff00::/8", "multicast (RFC 4291)"),
    )
)

_GLOBAL_UNICAST_V6: Final = IPv6Network("2000::/3")
_PRIVATE: Final = tuple(
    IPv4Network(network) for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
_UNIQUE_LOCAL: Final = IPv6Network("fc00::/7")
_PLATFORM_SERVICES: Final = frozenset({ip_address("fd00:ec2::254"), ip_address("fd20:ce::254")})


def blocked_reason(address: Address) -> str | None:
    """Return why `address` may not be called by default, or None where it may.

    An IPv4-mapped address (``::ffff:0:0/96``) is judged by the IPv4 address in it, since that is
    where the system connects. Every other form that embeds one is blocked whole: on the way stands
    a translator whose rules are not known here. So is IPv6 space that IANA has not given out.
    """
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _BLOCKED_V4 if address in network), None)
    if address.scope_id is not None:
        return "an address with a zone (RFC 4007)"
    if address.ipv4_mapped is not None:
        return blocked_reason(address.ipv4_mapped)
    reason = next((reason for network, reason in _BLOCKED_V6 if address in network), None)
    if reason is None and address not in _GLOBAL_UNICAST_V6:
        return "not global unicast (RFC 4291)"
    return reason


def is_loopback(address: Address) -> bool:
    """Return whether `address` is this machine: loopback, or the unspecified address."""
    address = _unmapped(address)
    return address.is_loopback or address.is_unspecified


def is_private(address: Address) -> bool:
    """Return whether `address` is of a private network (RFC 1918, RFC 4193).

    Link-local and carrier-grade NAT are not: cloud metadata services and strangers live there.
    """
    address = _unmapped(address)
    if isinstance(address, IPv4Address):
        return any(address in network for network in _PRIVATE)
    return (
        address.scope_id is None and address in _UNIQUE_LOCAL and address not in _PLATFORM_SERVICES
    )


def _unmapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped
