from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders import checksums
from judgekit.graders.grade import Status
from judgekit.graders.personal_data import FINDERS, find_personal_data
from judgekit.graders.registry import grade

FOUND = {
    "email": ["a.b+c@example.org", "X@EXAMPLE.ORG", "ü@example.org", "jo@mail.straße.de"],
    "credit_card": [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "5105105105105100",
        "378282246310005",
        "6011111111111117",
        "3530111333300000",
        "30569309025904",
    ],
    "iban": [
        "DE89370400440532013000",
        "GB82 WEST 1234 5698 7654 32",
        "fr1420041010050500013m02606",
    ],
    "ipv4": ["192.168.1.10", "10.0.0.1", "8.8.8.8", "255.255.255.255"],
    "ipv6": ["fe80::1", "::1", "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "::ffff:10.0.0.1"],
    "phone": ["+31 6 1234 5678", "+1 (555) 123-4567", "+4930123456"],
    "crypto": [
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    ],
    "us_ssn": ["123-45-6789", "899 12 3456"],
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
        "+123456, +1234567890123456, 2+1234567, on 2026-12-01 at 10:00",
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
        assert checksums.keccak_256(data).hex() == digest
    assert checksums.keccak_256(b"x" * 136) != checksums.keccak_256(b"x" * 135)
