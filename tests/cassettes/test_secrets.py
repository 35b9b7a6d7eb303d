from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.secrets import SecretMatch, find_secrets


def letters(count: int, seed: int = 7, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=count))


HEX = "0123456789abcdef"
SECRETS = {
    "openai-key": [
        "sk-proj-" + letters(48),
        "sk-" + letters(48),
        "sk-svcacct-" + letters(40),
        "sk-" + letters(32, alphabet=HEX),
    ],
    "anthropic-key": ["sk-ant-" + "api03-" + letters(90)],
    "openrouter-key": ["sk-or-v1-" + letters(64, alphabet=HEX)],
    "github-token": [f"gh{c}_" + letters(36) for c in "pousr"] + ["github_pat_" + letters(60)],
    "gitlab-token": ["glpat-" + letters(20)],
    "aws-key": ["AKIA" + letters(16, alphabet=string.ascii_uppercase + "234567")],
    "google-key": ["AIza" + letters(35)],
    "aws-secret": ["aws_secret_access_key = " + letters(40), 'AWS_SECRET_KEY": "' + letters(40)],
    "google-client-secret": ["GOCSPX-" + letters(28)],
    "databricks-token": ["dapi" + letters(32, alphabet=HEX)],
    "docker-token": ["dckr_pat_" + letters(27)],
    "shopify-token": ["shpat_" + letters(32, alphabet=HEX)],
    "google-token": ["ya29." + letters(60)],
    "slack-token": ["xoxb-" + letters(12, alphabet="0123456789") + "-" + letters(24)],
    "slack-webhook": ["hooks.slack.com/services/T0ABC1234/B0ABC1234/" + letters(24)],
    "stripe-key": ["sk_live_" + letters(24), "rk_test_" + letters(24)],
    "hugging-face-token": ["hf_" + letters(34)],
    "groq-key": ["gsk_" + letters(52)],
    "npm-token": ["npm_" + letters(36)],
    "pypi-token": ["pypi-AgE" + letters(90)],
    "json-web-token": [f"eyJ{letters(30)}.eyJ{letters(60)}.{letters(43)}"],
    "authorization-header": [
        "Authorization: Bearer " + letters(30),
        "authorization=Basic dXNlcjpw",
        'Authorization": "Bearer ' + letters(30),
        "Authorization', 'Bearer " + letters(30),
        "authorization: token " + letters(40),
    ],
    "api-key-header": ["x-api-key: " + letters(32), 'X-Goog-Api-Key": "' + letters(32)],
    "url-password": [
        "postgres://admin:" + letters(12) + "@",
        "POSTGRES://admin:" + letters(12) + "@",
        "redis://:" + letters(12) + "@",
    ],
    "private-key": [
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
    ],
}
EVERY = [(kind, secret) for kind, secrets in SECRETS.items() for secret in secrets]


@pytest.mark.parametrize(("kind", "secret"), EVERY)
@pytest.mark.parametrize("frame", ["{}", "my key is {}.", "\n{}\n", "KEY='{}'", "ü({})", "x={};"])
def test_a_secret_is_found_whole_wherever_it_stands(kind: str, secret: str, frame: str) -> None:
    text = frame.format(secret)
    start = text.index(secret)
    assert find_secrets(text) == [SecretMatch(kind, start, start + len(secret))]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The sky-blue task-list is a risk-free desk-top.",
        "sk-short, sk-learn, sk-etch, hf_model, npm_config, ghp_, AKIA, eyJ",
        "see https://example.org:8080/path?token=1 and http://localhost:11434/v1",
        "postgres://user:password@localhost/db in the documentation",
        "mail to a.b@example.org or visit ftp://mirror.example.org/pub",
        "authorization: see section 4",
        "Authorization: Bearer authentication is used, Authorization: Bearer YOUR_API_KEY",
        'the header is {"Authorization": "Bearer <token>"} or Bearer $TOKEN, x-api-key: <key>',
        "xoxo-hugs-and-kisses, aws_access_key = see-the-vault, an api-key: whatever-you-like-best",
        "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        hashlib.sha256(b"x").hexdigest(),
        hashlib.sha1(b"x").hexdigest(),
        str(uuid.uuid5(uuid.NAMESPACE_DNS, "x")),
        base64.b64encode(bytes(range(256))).decode(),
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "version 1.2.3-rc.4+build.5, 12:34:56, 2026-12-01T10:00:00Z",
    ],
)
def test_what_only_looks_like_one_is_let_be(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize(("kind", "secret"), EVERY)
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_the_escapes_of_json_hide_no_secret(kind: str, secret: str, levels: int) -> None:
    text = f"first\n{secret}\nlast"
    for _ in range(levels):
        text = json.dumps({"body": text})
    (match,) = find_secrets(text)
    assert match.kind == kind
    assert text[match.start :].startswith(secret[:8].split("\n")[0].split('"')[0])


def test_as_many_secrets_as_there_are_take_time_in_proportion() -> None:
    secret = SECRETS["aws-key"][0]
    assert len(find_secrets(f"{secret} " * 20_000)) == 20_000


def test_several_secrets_are_found_in_the_order_of_the_text() -> None:
    one, other = SECRETS["github-token"][0], SECRETS["openai-key"][0]
    assert [m.kind for m in find_secrets(f"{one} {other} {one}")] == [
        "github-token",
        "openai-key",
        "github-token",
    ]


@given(st.text())
def test_any_text_is_scanned_without_error(text: str) -> None:
    for match in find_secrets(text):
        assert 0 <= match.start < match.end <= len(text)


@given(
    st.lists(st.sampled_from([secret for _, secret in EVERY] + ["a", " ", "-", "\n"]), max_size=6)
)
def test_what_is_cut_out_leaves_no_secret_behind(parts: list[str]) -> None:
    text = " ".join(parts)
    for match in reversed(find_secrets(text)):
        text = f"{text[: match.start]}[redacted:{match.kind}]{text[match.end :]}"
    assert find_secrets(text) == []
