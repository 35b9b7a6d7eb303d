from __future__ import annotations

import hashlib
import json
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders import checksums, crypto_addresses
from judgekit.graders.grade import Status
from judgekit.graders.keccak import keccak_256
from judgekit.graders.personal_data import FINDERS, find_personal_data
from judgekit.graders.registry import grade

FOUND = {
    "email": [
        "a.b+c@example.org",
        "X@EXAMPLE.ORG",
        "ü@example.org",
        "jo@mail.straße.de",
        "संपर्क@डाटामेल.भारत",
        "jose\u0301@example.com",
        "john%40example.com",
        "john＠example.com",
        '"john doe"@example.com',
        "#john!@example.com",
    ],
    "credit_card": [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "5105105105105100",
        "378282246310005",
        "6011111111111117",
        "3530111333300000",
        "30569309025904",
        "4111  1111  1111  1111",
        "4111 - 1111 - 1111 - 1111",
        "4111\u20131111\u20131111\u20131111",
        "4111\u202f1111\u202f1111\u202f1111",
        "4111.1111.1111.1111",
        "4111_1111_1111_1111",
        "3782 822463 10005",
        "41111111 11111111",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "４１１１１１１１１１１１１１１１",
        "2200 0000 0000 0004",
    ],
    "iban": [
        "DE89370400440532013000",
        "GB82 WEST 1234 5698 7654 32",
        "fr1420041010050500013m02606",
        "DE89-3704-0044-0532-0130-00",
        "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
        "DE89 3704 0044\n0532 0130 00",
    ],
    "ipv4": ["192.168.1.10", "10.0.0.1", "8.8.8.8", "255.255.255.255"],
    "ipv6": [
        "fe80::1",
        "::1",
        "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
        "::ffff:10.0.0.1",
        "2001:4860:4860::8888",
        "684D:1111:222:3333:4444:5555:6:77",
        "64:ff9b::1.2.3.4",
    ],
    "phone": [
        "+31 6 1234 5678",
        "+1 (555) 123-4567",
        "+4930123456",
        "+1.5551234567",
        "+49\u201330\u20131234567",
        "+44 (0) 20 7946 0958",
    ],
    "crypto": [
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
        "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    ],
    "us_ssn": ["123-45-6789", "899 12 3456", "123.45.6789", "123\u201145\u20116789"],
    "api_key": ["ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"],
}
EVERY = [(kind, value) for kind, values in FOUND.items() for value in values]


@pytest.mark.parametrize(("kind", "value"), EVERY)
@pytest.mark.parametrize("frame", ["{}", "it is {}.", "({})", "ü {}, and more", "\n{}\n", "<{}>"])
def test_each_kind_is_found_whole_and_never_repeated(kind: str, value: str, frame: str) -> None:
    text = frame.format(value)
    result = grade("no_pii", {}, text)
    start = text.index(value)
    assert result.status is Status.FAILED
    assert result.details["pii"] == [kind]
    assert result.details["matches"] == [{"kind": kind, "start": start, "end": start + len(value)}]
    assert value not in result.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a@b, a@b.c, @example.org, me@, a@-x.org, git@github.com:org/repo.git",
        "4111 1111 1111 1112, 0000000000000, 1234567890123456, 9999 9999 9999 9995",
        "DE89370400440532013001, XX89370400440532013000, DE8937040044",
        "256.1.1.1, 1.2.3, 01.02.03.04, 1.2.3.4.5, v1.2.3.4, version 10.0.0.1, build: 2.3.4.5",
        "192.0.2.1 and 198.51.100.7 and 203.0.113.9 are for documentation",
        "std::vector<int>, call a::b now, at 12:30:45, 00:1A:2B:3C:4D:5E, a[1:2]",
        "xs[::2], xs[1::2], xs[::-1], x[:, ::2], xs[::1], b1::b2",
        "c10::d1, face::b, ::, a:b:c:d:e:f:a:b",
        "versions 1.2.3.4 and 1.2.3.5, version (1.2.3.4), v. 1.2.3.4, the version is 1.2.3.4",
        'from version 1.2.3.4 to 1.2.3.5, {"version": "1.2.3.4"}, AssemblyVersion("1.0.0.0")',
        "Section 1.2.3.4, § 1.2.3.4, foo>=1.2.3.4, foo~=1.2.3.4, Chrome/120.0.0.0 Safari/537.36",
        "::ffff:192.0.2.1 and 3fff::1 are for documentation too",
        "100 200 300 400 500 600 700 800 900, 4 0 0 0, 0.4111111111111111",
        "9f86d081884c7d65a4111111111111111aa0c55ad015a3bf4f1b2b0b822cd15d",
        "1234-123-45-6789, 123-45 6789, SSN: 000123456",
        "+123456, +1234567890123456, 2+1234567, on 2026-12-01 at 10:00",
        "+1234.5678, +1.234.567,89",
        "1short, 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb, 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
        "000-12-3456, 666-12-3456, 900-12-3456, 123-00-4567, 123-45-0000, 078-05-1120",
        "The build finished in 42 seconds at revision 8f03ab2.",
    ],
)
def test_what_only_looks_like_it_passes(text: str) -> None:
    assert grade("no_pii", {}, text).reason == "no personal data found"


def test_digits_that_follow_do_not_hide_a_card() -> None:
    for text in ("4111 1111 1111 1111 2 items", "7 4111 1111 1111 1111", "٤4111111111111111"):
        assert grade("no_pii", {}, text).details["pii"] == ["credit_card"]


@pytest.mark.parametrize(("kind", "value"), EVERY)
@pytest.mark.parametrize("before", ["\n", "\t", "\r\n", "line\n", '"', "ends\\", "ä\n"])
@pytest.mark.parametrize("levels", [1, 2])
def test_json_escapes_hide_nothing(kind: str, value: str, before: str, levels: int) -> None:
    text = f"x{before}{value}\nand more"
    written = text
    for _ in range(levels):
        written = json.dumps({"answer": written}, ensure_ascii=False)
    for candidate in (written, json.loads(written)):
        assert kind in grade("no_pii", {}, candidate).details["pii"]  # type: ignore[operator]


def test_offsets_are_those_of_the_candidate_as_it_was_written() -> None:
    for value in ("10.0.0.1", "123-45-6789", "a@b.example"):
        text = json.dumps({"tag": "ä", "answer": f"\u200b\n{value}\n", "more": "ü"})
        (match,) = find_personal_data(text, list(FINDERS))
        assert text[match.start : match.end] == value


def test_characters_that_nobody_sees_hide_nothing() -> None:
    for text in ("john\u200b@example.com", "4111\u200b111111111111", "10.0.\u20600.1"):
        (match,) = find_personal_data(text, list(FINDERS))
        assert (match.start, match.end) == (0, len(text))


def test_what_stands_beside_it_does_not_hide_a_number() -> None:
    for kind, texts in {
        "phone": ["+1 555 123 4567 2024-01-01", "+31 6 1234 5678 12345678", "+15551234567x12"],
        "credit_card": ["4111 1111 1111 1111 1234 5678 9", "12,4111111111111111"],
        "ipv6": ["addr:2001:4860:4860::8888", "[2001:4860:4860::8888]:443", "fe80::1%eth0"],
        "ipv4": ["ip_10.0.0.1", "build_host=10.0.0.1", "http://10.0.0.1/x", "10.0.0.0/8"],
        "us_ssn": ["ssn_123-45-6789", "SSN: 123456789", "social security number 123456789"],
        "iban": ["iban_DE89370400440532013000", "DE89 3704 0044 0532 0130 00 12"],
    }.items():
        for text in texts:
            assert grade("no_pii", {}, text).details["pii"] == [kind], text


def test_addresses_of_every_network_with_a_checksum_are_found() -> None:
    for version in (0x00, 0x05, 0x6F, 0xC4, 0x30, 0x32, 0x1E, 0x16, 0x4C, 0x41):
        address = base58check(bytes([version, *range(100, 120)]))
        assert grade("no_pii", {}, f"to {address}!").details["pii"] == ["crypto"]


def base58check(payload: bytes) -> str:
    checked = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, text = int.from_bytes(checked, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(checked) - len(checked.lstrip(b"\0"))) + text


@given(st.binary(min_size=20, max_size=20), st.sampled_from([0x00, 0x05, 0x30, 0x41]))
def test_base58_makes_the_round_trip_and_sees_a_changed_letter(data: bytes, version: int) -> None:
    address = base58check(bytes([version]) + data)
    assert crypto_addresses.is_base58check(address)
    changed = address[:-1] + ("2" if address[-1] != "2" else "3")
    assert not crypto_addresses.is_base58check(changed)


def test_only_the_chosen_kinds_count() -> None:
    text = "mail a@example.org, host 10.0.0.1"
    assert grade("no_pii", {"entities": ["ipv4"]}, text).details["pii"] == ["ipv4"]
    assert grade("no_pii", {"entities": ["iban"]}, text).passed


def test_national_phone_numbers_need_a_region() -> None:
    text = "call 650-253-0000 today"
    assert grade("no_pii", {}, text).passed
    assert grade("no_pii", {"region": "US"}, text).details["pii"] == ["phone"]


def test_an_unknown_kind_or_region_is_an_error() -> None:
    for config in ({"entities": []}, {"entities": ["name"]}, {"region": "us"}, {"region": "XX"}):
        assert grade("no_pii", config, "text").status is Status.ERROR


@pytest.mark.parametrize(
    "unit", ["1", "4 ", "a@", "de12", "1.", "+1-", ":", "4111 1111 ", "0x", "@"]
)
def test_evil_text_ends_soon(unit: str) -> None:
    text = unit * (65_536 // len(unit))
    assert grade("no_pii", {}, text).status in (Status.PASSED, Status.FAILED)


def test_more_findings_than_are_sought_still_fail() -> None:
    result = grade("no_pii", {}, "a@b.co 10.0.0.1 " * 20_000)
    assert result.details["pii"] == ["email", "ipv4"]
    assert len(result.details["matches"]) == 100  # type: ignore[arg-type]


def test_addresses_beyond_those_that_are_hashed_count_unchecked() -> None:
    wrong = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD "
    assert grade("no_pii", {}, wrong * crypto_addresses.MAX_HASHED).passed
    assert not grade("no_pii", {}, wrong * (crypto_addresses.MAX_HASHED + 1)).passed


def test_a_text_full_of_digits_is_not_searched_for_national_numbers() -> None:
    result = grade("no_pii", {"region": "US"}, "1 " * 5_000)
    assert result.status is Status.FAILED
    assert result.reason == (
        "the candidate has over 4,096 groups of digits, too many for a phone search"
    )


@given(st.text())
def test_findings_are_in_order_and_apart(text: str) -> None:
    found = find_personal_data(text, list(FINDERS))
    assert all(a.end <= b.start for a, b in pairwise(found))


@given(st.text("0123456789", min_size=1, max_size=30))
def test_luhn_holds_for_exactly_one_check_digit(digits: str) -> None:
    assert sum(checksums.passes_luhn(digits + str(check)) for check in range(10)) == 1


@given(st.sampled_from(sorted(checksums.IBAN_LENGTHS)), st.randoms(use_true_random=False))
def test_an_iban_has_exactly_one_pair_of_check_digits(country: str, source: random.Random) -> None:
    length = checksums.IBAN_LENGTHS[country] - 4
    account = "".join(source.choices("0123456789ABCXYZ", k=length))
    valid = [n for n in range(2, 99) if checksums.is_iban(f"{country}{n:02}{account}")]
    assert len(valid) == 1


def test_keccak_is_the_hash_of_ethereum() -> None:
    known = {
        b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
        b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    }
    for data, digest in known.items():
        assert keccak_256(data).hex() == digest
    assert keccak_256(b"x" * 136) != keccak_256(b"x" * 135)
