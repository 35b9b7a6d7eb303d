"""URLs are read as the place where a connection would go."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import AddressBlocked, ConfigError
from judgekit.net.targets import Target, check_target, check_url, judge_locality, parse_target


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://example.com", ("http", "example.com", 80)),
        ("https://example.com/a?b#c", ("https", "example.com", 443)),
        ("HTTPS://EXAMPLE.COM:8443/", ("https", "example.com", 8443)),
        ("http://example.com./", ("http", "example.com", 80)),
        ("http://example.com:/", ("http", "example.com", 80)),
        ("http://b\u00fccher.example.com/", ("http", "xn--bcher-kva.example.com", 80)),
        ("http://my_host.example.com/", ("http", "my_host.example.com", 80)),
        ("http://8.8.8.8:1/", ("http", "8.8.8.8", 1)),
        ("http://8.8.8.8:65535/", ("http", "8.8.8.8", 65535)),
        ("http://134744072/", ("http", "8.8.8.8", 80)),
        ("http://0x8.0x8.0x8.0x8/", ("http", "8.8.8.8", 80)),
        ("http://8.526344/", ("http", "8.8.8.8", 80)),
        ("http://[2606:4700:4700:0:0::1111]:8080/", ("http", "2606:4700:4700::1111", 8080)),
        ("http://8.8.8.8#@127.0.0.1/", ("http", "8.8.8.8", 80)),
        ("http://8.8.8.8/@127.0.0.1", ("http", "8.8.8.8", 80)),
        ("http://8.8.8.8?@127.0.0.1", ("http", "8.8.8.8", 80)),
    ],
)
def test_a_public_url_leads_to_its_origin(url: str, origin: tuple[str, str, int]) -> None:
    assert check_url(url).origin == origin


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0X7F.1",
        "0x7f.0.0x0.1",
        "0177.0.0.1",
        "0177.0.0.01",
        "127.0.0.1.",
        "00000177.1",
        "\uff11\uff12\uff17.0.0.1",
        "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
        "127\u30020\u30020\u30021",
        "127\uff0e0\uff0e0\uff0e1",
        "127\uff610\uff610\uff611",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "api.localhost",
        "localhost.localdomain",
        "ip6-localhost",
        "\u24c1ocalhost",
        "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54",
        "lo\u00adcalhost",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "0",
        "0.0.0.0",
        "0x0",
        "10.1",
        "192.168.257",
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "metadata",
        "instance-data",
        "anything.internal",
        "printer.local",
        "nas.home.arpa",
        "wiki.corp",
        "intranet",
        "hidden.onion",
        # Octal to browsers, decimal to others: the other reading is private.
        "010.8.8.8",
        "8.8.8.8.8",
        "256.1.1.1",
        "08.8.8.8",
        "4294967296",
        "1.2.3.0x",
        "a.1",
        "1..2.3",
        "%31%32%37.0.0.1",
        "127.0.0.1%00.example.com",
        "[8.8.8.8]",
        "[::1",
        "::1]",
        "[::1]a",
        "a[::1]",
        "[]",
        "",
        ".",
        ".example.com",
        "example..com",
        "example.com..",
        "-a.example.com",
        "a b.example.com",
        "a.example.com\\@b",
        "a,b.example.com",
        "a" * 64 + ".example.com",
        ".".join(["a" * 60] * 5),
    ],
)
@pytest.mark.parametrize("suffix", ["/x", ":8080/"])
def test_a_host_that_is_or_hides_a_blocked_one_is_blocked(host: str, suffix: str) -> None:
    with pytest.raises(AddressBlocked):
        check_url(f"http://{host}{suffix}")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "not a url",
        "example.com",
        "//example.com/",
        "http:",
        "http:/8.8.8.8/",
        "http:8.8.8.8",
        "http:///x",
        "http://:80/",
        "ftp://8.8.8.8/",
        "gopher://8.8.8.8/",
        "file:///etc/passwd",
        "ws://8.8.8.8/",
        "javascript:alert(1)",
        "http+unix://%2Frun%2Fdocker.sock/",
        "http://user@8.8.8.8/",
        "http://user:pw@8.8.8.8/",
        "http://@8.8.8.8/",
        "http://8.8.8.8@127.0.0.1/",
        "http://8.8.8.8:80@127.0.0.1/",
        "http://8.8.8.8:0/",
        "http://8.8.8.8:65536/",
        "http://8.8.8.8:-1/",
        "http://8.8.8.8:8x/",
        "http://8.8.8.8:80:80/",
        "http://8.8.8.8:" + "9" * 5000 + "/",
        "http://" + "9" * 5000 + "/",
        "http://8.8.8.8:\uff18\uff10/",
        "http://8.8.8.8/\r\nHost: a",
        "http://8.8.8.8/a b",
        "\thttp://8.8.8.8/",
        "http://8.8.8.8\\.example.com/",
        "http://example.com\u2100/",
        "http://8.8.8.8/" + "a" * 9000,
    ],
)
def test_what_is_no_plain_http_url_is_blocked(url: str) -> None:
    with pytest.raises(AddressBlocked) as refused:
        check_url(url)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 250


def test_a_message_repeats_neither_password_nor_query() -> None:
    for url in (
        "http://me:hunter2@8.8.8.8/",
        "ftp://me:hunter2@8.8.8.8/",
        "x://8.8.8.8/?k=hunter2",
    ):
        with pytest.raises(AddressBlocked) as refused:
            check_url(url)
        assert "hunter2" not in str(refused.value)


def test_a_blocked_url_is_a_configuration_error_that_says_why() -> None:
    assert issubclass(AddressBlocked, ConfigError)
    with pytest.raises(
        AddressBlocked,
        match=r"^10\.0\.0\.1 is not called: private \(RFC 1918\); where that is meant, add",
    ):
        check_url("http://10.1/")


def test_an_allowed_origin_is_exact() -> None:
    allowed = {("http", "127.0.0.1", 8080)}
    check_target(parse_target("http://127.0.0.1:8080/v1"), allowed)
    check_target(parse_target("http://127.1:8080/v1"), allowed)
    for other in ("http://127.0.0.1:8081/", "https://127.0.0.1:8080/", "http://127.0.0.2:8080/"):
        with pytest.raises(AddressBlocked):
            check_target(parse_target(other), allowed)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/x", f"http://[{text}]/"):
        try:
            target = check_url(url)
        except AddressBlocked:
            continue
        assert isinstance(target, Target)
        assert target.host.isascii()
        assert 1 <= target.port <= 65535


NUMBERS = st.integers(0, 2**32 - 1)
SPELLINGS = st.sampled_from([str, hex, lambda n: "0" + oct(n)[2:]])


@given(st.lists(st.tuples(NUMBERS, SPELLINGS), min_size=1, max_size=4))
def test_numeric_hosts_are_read_as_the_c_library_reads_them(
    parts: list[tuple[int, object]],
) -> None:
    last = 256 ** (5 - len(parts))
    limits = [256] * (len(parts) - 1) + [last]
    numbers = [number % limit for (number, _), limit in zip(parts, limits, strict=True)]
    host = ".".join(spell(n) for n, (_, spell) in zip(numbers, parts, strict=True))  # type: ignore[operator]
    expected = socket.inet_ntoa(socket.inet_aton(host))
    try:
        target = parse_target(f"http://{host}/")
    except AddressBlocked:
        # The decimal reading of a leading zero does not fit into a byte.
        assert any(p.startswith("0") and len(p) > 1 and p[1] != "x" for p in host.split("."))
    else:
        assert target.host == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8080/v1", "loopback"),
        ("http://LOCALHOST.:8080", "loopback"),
        ("http://judge.localhost", "loopback"),
        ("http://127.0.0.1:11434", "loopback"),
        ("http://127.8.9.1", "loopback"),
        ("http://[::1]:8080", "loopback"),
        ("http://[::ffff:127.0.0.1]", "loopback"),
        ("http://0.0.0.0:11434", "loopback"),
        ("http://10.0.0.5:8000", "private"),
        ("http://172.16.0.1", "private"),
        ("http://192.168.1.20:1234", "private"),
        ("http://[fd12::1]", "private"),
        ("http://gpu.local:8000", "private"),
        ("http://host.docker.internal:11434", "private"),
        ("http://box.home.arpa", "private"),
        ("http://169.254.169.254", "remote"),
        ("http://metadata.google.internal", "remote"),
        ("http://100.64.0.1", "remote"),
        ("http://8.8.8.8", "remote"),
        ("http://010.0.0.1", "remote"),
        ("https://api.openai.com/v1", "remote"),
        ("https://localhost.example.com", "remote"),
        ("https://notlocalhost", "remote"),
        ("https://127.0.0.1.nip.io", "remote"),
        ("http://gpu-box:8000", "remote"),
    ],
)
def test_a_judge_is_as_local_as_its_url_says(url: str, expected: str) -> None:
    assert judge_locality(url) == expected


@pytest.mark.parametrize("url", ["http://me:pw@localhost/", "unix:///run/judge.sock", "localhost"])
def test_the_locality_of_an_unusable_url_is_an_error(url: str) -> None:
    with pytest.raises(AddressBlocked):
        judge_locality(url)
