from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from judgekit.config import Project, find_project
from judgekit.errors import ConfigError

JUDGE = '[judges.local]\nurl = "http://127.0.0.1:8080"\nmodel = "gemma3:270m"\n'
WHOLE = """\
default_judge = "second"

[paths]
evals = "quality/evals"

[judges.first]
url = "http://127.0.0.1:8080"
model = "gemma3:270m"

[judges.second]
url = "http://127.0.0.1:11434"
model = "llama3.1:8b"
dialect = "ollama-chat"
api_key_env = "SECOND_KEY"
re_asks = 0
concurrency = 4
price_usd_per_million_input_tokens = 0.5
price_usd_per_million_output_tokens = 1

[judges.second.sampling]
temperature = 0.2
seed = 7

[judges.second.timeouts]
attempt_s = 30
call_s = 90.5

[families]
"our-tuned-*" = ["llama", "qwen"]

[[waivers]]
judge = "llama3.1:8b"
subject = "llama3.2:3b"
reason = "The only judge that runs on the build machine."
granted = 2026-11-03
expires = 2027-02-01

[budget]
calls = 500
"""


def project(folder: Path, text: str, name: str = "judgekit.toml") -> Project:
    (folder / name).write_text(text, "utf-8")
    return find_project(folder)


def fault(folder: Path, text: str, name: str = "judgekit.toml") -> str:
    with pytest.raises(ConfigError) as caught:
        project(folder, text, name)
    assert str(caught.value).splitlines() == [str(caught.value)]
    return str(caught.value).split(f"{name}: ", 1)[1]


def test_a_whole_configuration_is_read(tmp_path: Path) -> None:
    found = project(tmp_path, WHOLE)
    assert found.root == tmp_path.resolve()
    assert found.evals == tmp_path.resolve() / "quality" / "evals"
    assert found.cassettes == tmp_path.resolve() / "cassettes"
    assert list(found.judges) == ["second", "first"]
    name, judge = found.judge()
    assert (name, judge.model, judge.dialect) == ("second", "llama3.1:8b", "ollama-chat")
    assert (judge.sampling.temperature, judge.sampling.seed) == (0.2, 7)
    assert (judge.timeouts.attempt_s, judge.timeouts.call_s) == (30.0, 90.5)
    assert judge.price_usd_per_million_output_tokens == 1.0
    assert found.config.families == {"our-tuned-*": ("llama", "qwen")}
    assert found.config.waivers[0].expires == date(2027, 2, 1)
    assert found.config.budget.calls == 500


def test_what_is_left_out_has_defaults(tmp_path: Path) -> None:
    found = project(tmp_path, JUDGE)
    _, judge = found.judge("local")
    assert (judge.dialect, judge.re_asks, judge.concurrency) == ("openai-chat", 2, 1)
    assert (judge.sampling.temperature, judge.sampling.seed) == (0.0, 0)
    assert found.rubrics == tmp_path.resolve() / "rubrics"


def test_the_first_judge_is_the_default(tmp_path: Path) -> None:
    two = JUDGE + JUDGE.replace("local", "another")
    assert project(tmp_path, two).judge()[0] == "local"


def test_a_project_is_found_from_a_folder_within_by_either_file(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.judgekit.paths]\nevals = "e"\n')
    (inner / "pyproject.toml").write_text('[project]\nname = "unrelated"\n')
    found = find_project(inner)
    assert (found.root, found.evals.name) == (tmp_path.resolve(), "e")


def test_no_configuration_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="`judgekit init` lays out a project"):
        find_project(tmp_path)


def test_two_configurations_in_one_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.judgekit]\n")
    assert "keep one" in fault(tmp_path, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("judge = 1", "judge: unknown key; did you mean 'judges'?"),
        (JUDGE + "modle = 1", "judges.local.modle: unknown key; did you mean 'model'?"),
        (
            JUDGE + "re_asks = -1",
            "judges.local.re_asks: must be greater than or equal to 0, not -1",
        ),
        (JUDGE + "re_asks = true", "judges.local.re_asks: must be a whole number, not True"),
        (JUDGE + "[judges.local.sampling]\ntop_k = 1", "judges.local.sampling.top_k: unknown key"),
        (JUDGE + "[judges.local.sampling]\ntemperature = nan", "must be a finite number, not nan"),
        (JUDGE + "[judges.local.timeouts]\ncall_s = 1", "call_s must be at least attempt_s"),
        (JUDGE + "price_usd_per_million_input_tokens = 1.0", "give both prices"),
        (JUDGE.replace("http:", "ftp:"), "judges.local.url: must be an http or https address"),
        (JUDGE.replace("8080", "80x"), "judges.local.url: must be an http or https address"),
        (JUDGE.replace("//", "//me:pw@"), "must hold no user name, password, query or fragment"),
        ('default_judge = "locl"\n' + JUDGE, "did you mean 'local'?"),
        ("[paths]\nevals = ''", "paths.evals: must not be empty"),
        ("x = [", "is not TOML"),
        (
            '[[waivers]]\njudge="a"\nsubject="b"\nreason="c"\n'
            "granted=2026-02-02\nexpires=2026-02-01",
            "waivers[0]: expires 2026-02-01, before it was granted (2026-02-02)",
        ),
        (
            '[[waivers]]\njudge="a"\nsubject="b"\nreason=" "\n',
            "waivers[0].reason: must not be blank",
        ),
    ],
)
def test_an_unusable_value_is_named_by_file_and_field(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message in fault(tmp_path, text)


def test_a_field_of_pyproject_is_named_too(tmp_path: Path) -> None:
    text = "[tool.judgekit]\njuges = 1\n"
    assert "juges: unknown key; did you mean 'judges'?" in fault(tmp_path, text, "pyproject.toml")


def test_a_key_in_the_place_of_its_variables_name_is_never_shown(tmp_path: Path) -> None:
    message = fault(tmp_path, JUDGE + 'api_key_env = "sk-live-1234567890"')
    assert "must name an environment variable" in message
    assert "sk-live" not in message
    assert "sk-live" not in fault(tmp_path, JUDGE + 'api_key = "sk-live-1234567890"')


def test_a_folder_outside_the_project_is_refused_with_its_field(tmp_path: Path) -> None:
    found = project(tmp_path, '[paths]\ncassettes = "../elsewhere"\n')
    with pytest.raises(ConfigError, match=r"paths\.cassettes: '\.\./elsewhere' leads outside"):
        _ = found.cassettes


def test_an_unknown_judge_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no judge is named 'lokal'; did you mean 'local'"):
        project(tmp_path, JUDGE).judge("lokal")
    with pytest.raises(ConfigError, match="judges: none is configured"):
        project(tmp_path, "").judge()
