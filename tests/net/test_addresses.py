"""Blocked address ranges, held at both of their edges."""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.net.addresses import blocked_reason, is_loopback, is_private


@pytest.mark.parametrize(
    ("inside", "outside", "word"),
    [
        (("0.0.0.0", "0.255.255.255"), ("1.0.0.0",), "this network"),
        (("10.0.0.0", "10.255.255.255"), ("9.255.255.255", "11.0.0.0"), "private"),
        (("100.64.0.0", "100.127.255.255"), ("100.63.255.255", "100.128.0.0"), "NAT"),
        (("127.0.0.0", "127.255.255.255"), ("126.255.255.255", "128.0.0.0"), "loopback"),
        (("168.63.129.16",), ("168.63.129.15", "168.63.129.17"), "cloud"),
        (("169.254.0.0", "169.254.255.255"), ("169.253.255.255", "169.255.0.0"), "link-local"),
        (("172.16.0.0", "172.31.255.255"), ("172.15.255.255", "172.32.0.0"), "private"),
        (("192.0.0.0", "192.0.0.255"), ("191.255.255.255", "192.0.1.0"), "IETF"),
        (("192.0.2.0", "192.0.2.255"), ("192.0.1.255", "192.0.3.0"), "documentation"),
        (("192.88.99.0", "192.88.99.255"), ("192.88.98.255", "192.88.100.0"), "6to4"),
        (("192.168.0.0", "192.168.255.255"), ("192.167.255.255", "192.169.0.0"), "private"),
        (("198.18.0.0", "198.19.255.255"), ("198.17.255.255", "198.20.0.0"), "benchmarking"),
        (("198.51.100.0", "198.51.100.255"), ("198.51.99.255", "198.51.101.0"), "documentation"),
        (("203.0.113.0", "203.0.113.255"), ("203.0.112.255", "203.0.114.0"), "documentation"),
        (("224.0.0.0", "239.255.255.255"), ("223.255.255.255",), "multicast"),
        (("240.0.0.0", "255.255.255.254"), (), "reserved"),
        (("255.255.255.255",), (), "broadcast"),
        (("::",), (), "unspecified"),
        (("::1",), (), "loopback"),
        (("::2", "::8.8.8.8", "::127.0.0.1"), (), "compatible"),
        (("::ffff:127.0.0.1",), (), "loopback"),
        (("::ffff:10.0.0.1", "::ffff:192.168.1.1"), ("::ffff:8.8.8.8",), "private"),
        (("::ffff:169.254.169.254",), ("::ffff:1.1.1.1",), "link-local"),
        (("::ffff:0:7f00:1", "::ffff:0:808:808"), (), "translated"),
        (("64:ff9b::7f00:1", "64:ff9b::808:808"), (), "NAT64"),
        (("64:ff9b:1::1",), (), "NAT64"),
        (("100::1",), (), "discard"),
        (("2001::1", "2001:0:ffff::1"), ("2001:200::1",), "Teredo"),
        (("2001:2::1",), (), "benchmarking"),
        (("2001:10::1", "2001:1f:ffff::"), (), "ORCHID"),
        (("2001:20::1", "2001:2f:ffff::"), (), "ORCHIDv2"),
        (("2001:1::1", "2001:1ff:ffff::"), ("2001:200::",), "IETF"),
        (("2001:db8::1", "2001:db8:ffff::"), ("2001:db7::", "2001:db9::"), "documentation"),
        (("2002::1", "2002:808:808::1", "2002:7f00:1::"), ("2003::1",), "6to4"),
        (("3fff::1", "3fff:fff:ffff::"), (), "documentation"),
        (("fc00::1", "fd12:3456::1", "fdff:ffff::"), (), "unique local"),
        (("fe80::1", "fe90::1", "febf::1"), (), "link-local"),
        (("fec0::1", "feff::1"), (), "site-local"),
        (("ff02::1", "ff0e::1"), (), "multicast"),
        (("4000::1", "1fff::1", "fe00::1"), (), "not global unicast"),
        (("fe80::1%eth0", "2606:4700::1%1"), ("2606:4700::1",), "zone"),
        ((), ("2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1"), ""),
        ((), ("8.8.8.8", "1.1.1.1", "93.184.216.34"), ""),
    ],
)
def test_a_range_is_blocked_to_its_edges_and_no_further(
    inside: tuple[str, ...], outside: tuple[str, ...], word: str
) -> None:
    for text in inside:
        assert word in (blocked_reason(ip_address(text)) or "not blocked"), text
    for text in outside:
        assert blocked_reason(ip_address(text)) is None, text


@given(st.ip_addresses())
def test_nothing_is_let_through_that_python_knows_as_not_global(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if blocked_reason(address) is None:
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        plain = mapped or address
        assert plain.is_global
        assert not plain.is_multicast


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_judged_as_the_address_in_it(address: IPv4Address) -> None:
    mapped = IPv6Address(f"::ffff:{address}")
    assert blocked_reason(mapped) == blocked_reason(address)
    assert is_loopback(mapped) is is_loopback(address)
    assert is_private(mapped) is is_private(address)


@given(st.ip_addresses())
def test_what_is_local_is_blocked_by_default(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if is_loopback(address) or is_private(address):
        assert blocked_reason(address) is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1.2.3", True),
        ("172.31.0.1", True),
        ("172.32.0.1", False),
        ("192.168.0.1", True),
        ("fd00::1", True),
        ("::ffff:10.0.0.1", True),
        ("169.254.169.254", False),
        ("fe80::1", False),
        ("100.64.0.1", False),
        ("fd00:ec2::254", False),
        ("127.0.0.1", False),
        ("8.8.8.8", False),
    ],
)
def test_private_means_a_private_network_and_not_merely_special(text: str, expected: bool) -> None:
    assert is_private(ip_address(text)) is expected
