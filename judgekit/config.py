"""The project's configuration: ``[tool.judgekit]`` in pyproject.toml, or judgekit.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from judgekit.bias.guard import Waiver
from judgekit.documents import Document, checked_json, confined, nearest, read_text, shown
from judgekit.errors import ConfigError
from judgekit.judges.port import Sampling
from judgekit.net.targets import WebAddress

CONFIG_FILE = "judgekit.toml"
BASELINE_FILE = "baseline.json"
NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]
Dialect = Literal["openai-chat", "ollama-chat"]


def _variable_name(name: str) -> str:
    if not (name.isidentifier() and name.isascii()):
        raise ValueError("must name an environment variable, and never hold the key itself")
    return name


VariableName = Annotated[str, AfterValidator(_variable_name)]


class ConfigModel(BaseModel):
    """Strict, closed and immutable."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class Paths(ConfigModel):
    """The project's folders, from its root."""

    evals: NonBlank = "evals"
    rubrics: NonBlank = "rubrics"
    cassettes: NonBlank = "cassettes"


class Timeouts(ConfigModel):
    """How long a live judge call may take, in seconds.

    Attributes:
        connect_s: of connecting, and of waiting for a server that is not there.
        attempt_s: of one attempt; a small machine needs tens of seconds for a first token.
        call_s: of the whole call with its retries; at least `attempt_s`.
    """

    connect_s: float = Field(default=10.0, gt=0)
    attempt_s: float = Field(default=120.0, gt=0)
    call_s: float = Field(default=600.0, gt=0)

    @model_validator(mode="after")
    def _check(self) -> Timeouts:
        if self.call_s < self.attempt_s:
            raise ValueError("call_s must be at least attempt_s")
        return self


class JudgeConfig(ConfigModel):
    """One judge of the project.

    Attributes:
        url: base address of its server, with http or https and without a user name or query.
        model: the judge model to ask for.
        dialect: how the server is spoken to.
        api_key_env: name of the environment variable that holds the key; never the key.
        re_asks: how often a malformed verdict is asked for again.
        concurrency: how many calls may be in flight while recording.
    """

    url: NonBlank
    model: NonBlank
    dialect: Dialect = "openai-chat"
    api_key_env: VariableName | None = None
    sampling: Sampling = Sampling()
    timeouts: Timeouts = Timeouts()
    re_asks: int = Field(default=2, ge=0, le=10)
    concurrency: int = Field(default=1, ge=1, le=256)
    price_usd_per_million_input_tokens: float | None = Field(default=None, ge=0)
    price_usd_per_million_output_tokens: float | None = Field(default=None, ge=0)

    @field_validator("url")
    @classmethod
    def _web_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            usable = False
        if not usable:
            raise ValueError("must be an http or https address such as http://127.0.0.1:8080")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError("must hold no user name, password, query or fragment")
        return url

    @model_validator(mode="after")
    def _both_prices(self) -> JudgeConfig:
        prices = (self.price_usd_per_million_input_tokens, self.price_usd_per_million_output_tokens)
        if (prices[0] is None) is not (prices[1] is None):
            raise ValueError("give both prices, of input and of output tokens, or neither")
        return self


class Budget(ConfigModel):
    """What one recording may take at most; None sets no limit."""

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    usd: float | None = Field(default=None, ge=0)


class ProjectConfig(ConfigModel):
    """Everything that a project configures.

    Attributes:
        judges: by name, in the file's order.
        default_judge: name of the judge that scorers ask which name none; else the first.
        families: further model families, by model id or pattern.
        webhooks: URLs whose origins `custom_webhook` may call although they lead to this machine
            or a private network.
        webhook_keys: by a webhook's URL, the name of the environment variable that holds the key
            for its origin; sent as ``Authorization: Bearer …``.
    """

    paths: Paths = Paths()
    judges: Mapping[NonBlank, JudgeConfig] = Field(default_factory=dict)
    default_judge: str | None = None
    families: Mapping[NonBlank, tuple[NonBlank, ...]] = Field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    webhooks: tuple[WebAddress, ...] = ()
    webhook_keys: Mapping[WebAddress, VariableName] = Field(default_factory=dict)
    budget: Budget = Budget()

    @model_validator(mode="after")
    def _default_is_configured(self) -> ProjectConfig:
        if self.default_judge is not None and self.default_judge not in self.judges:
            raise ValueError(
                f"default_judge {self.default_judge!r} is no judge of this project; "
                + nearest(self.default_judge, self.judges)
            )
        return self


@dataclass(frozen=True)
class Project:
    """A project: its root folder and its configuration.

    Attributes:
        root: the folder that holds the configuration; nothing that it names leads outside.
        file: the configuration file.
    """

    root: Path
    file: Path
    config: ProjectConfig

    @cached_property
    def evals(self) -> Path:
        """The folder of eval files."""
        return self._folder("evals", self.config.paths.evals)

    @cached_property
    def rubrics(self) -> Path:
        """The folder of rubric files."""
        return self._folder("rubrics", self.config.paths.rubrics)

    @cached_property
    def cassettes(self) -> Path:
        """The folder of cassettes."""
        return self._folder("cassettes", self.config.paths.cassettes)

    @property
    def baseline(self) -> Path:
        """The committed baseline's file; it need not exist."""
        return self.evals / BASELINE_FILE

    @cached_property
    def judges(self) -> Mapping[str, JudgeConfig]:
        """The judges by name, the default one first."""
        judges, default = self.config.judges, self.config.default_judge
        first = {default: judges[default]} if default is not None else {}
        return {**first, **judges}

    def judge(self, name: str | None = None) -> tuple[str, JudgeConfig]:
        """Return the judge called `name`, or the default one, with its name.

        Raises:
            ConfigError: there is none of that name, or none at all.
        """
        chosen = next(iter(self.judges), None) if name is None else name
        if chosen is None:
            raise ConfigError(f"{shown(self.file)}: judges: none is configured; add one")
        if chosen not in self.judges:
            raise ConfigError(
                f"{shown(self.file)}: no judge is named {chosen!r}; {nearest(chosen, self.judges)}"
            )
        return chosen, self.judges[chosen]

    def _folder(self, name: str, path: str) -> Path:
        return confined(self.root, path, named_by=f"{shown(self.file)}: paths.{name}")


def find_project(start: Path) -> Project:
    """Return the project that `start` lies in: the nearest folder upwards with a configuration.

    Raises:
        ConfigError: there is none up to the root of the disk, a folder holds two, or it is invalid.
    """
    top = start.resolve()
    for folder in (top, *top.parents):
        own, shared = folder / CONFIG_FILE, folder / "pyproject.toml"
        table = _tool_table(shared) if shared.is_file() else None
        if own.is_file() and table is not None:
            raise ConfigError(
                f"{shown(own)}: [tool.judgekit] of pyproject.toml beside it configures judgekit "
                "too; keep one"
            )
        if own.is_file():
            return _project(folder, own, _toml(own))
        if table is not None:
            return _project(folder, shared, table)
    raise ConfigError(
        f"{shown(top)}: no judgekit.toml and no [tool.judgekit] in a pyproject.toml, here or in a "
        "folder above; `judgekit init` lays out a project"
    )


def _project(root: Path, file: Path, table: Mapping[str, Any]) -> Project:
    document = Document(shown(file), None)
    value = checked_json(document, (), _dates_as_text(table))
    return Project(root, file, Document(document.name, value).parse(ProjectConfig))


def _tool_table(file: Path) -> Mapping[str, Any] | None:
    tool = _toml(file).get("tool", {})
    table = tool.get("judgekit") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{shown(file)}: tool.judgekit: must be a table")
    return table


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown(file)}: is not TOML: {error}; mend it") from None
    except RecursionError:
        raise ConfigError(f"{shown(file)}: is nested too deeply; flatten it") from None


def _dates_as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _dates_as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_dates_as_text(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
