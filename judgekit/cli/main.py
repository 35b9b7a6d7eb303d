"""The command line: one lazily loaded group, one way to show an error, one set of exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from typing import NamedTuple

import click

import judgekit
from judgekit.errors import JudgekitError
from judgekit.evals.staying import stay
from judgekit.gate.exit_codes import ExitCode

DISTRIBUTION = "judgekit-replay"


class Entry(NamedTuple):
    """A command that is imported when it is called.

    Attributes:
        module: below `judgekit.cli`; it names its click command `command`.
        summary: shown by ``judgekit --help``, which imports no command.
    """

    module: str
    summary: str


COMMANDS = {
    "run": Entry("run", "Judge evals offline and hold them against the baseline."),
    "gate": Entry("gate", "Hold a stored run against the baseline."),
    "bless": Entry("bless", "Make the present results the baseline."),
    "plan": Entry("plan", "Show what is recorded, and what recording the rest would cost."),
    "record": Entry("record", "Record new verdicts from a live local judge."),
    "cassette": Entry("cassette", "Review, accept and keep cassettes."),
    "rubric": Entry("rubric", "Write, check, try and measure rubrics."),
    "bias": Entry("bias", "Measure what judges are biased by."),
    "grade": Entry("grade", "Grade one candidate from standard input."),
    "graders": Entry("graders", "List graders and show their options."),
    "review": Entry("review", "Look at what judge and human disagree on, and decide."),
    "history": Entry("history", "Show how the scores of kept runs went."),
    "diff": Entry("diff", "Show what changed between two runs."),
    "spend": Entry("spend", "Sum what judging took, and what replay saved."),
    "init": Entry("init", "Lay out a new project that runs at once."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"judgekit.cli.{entry.module}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(judgekit.__version__, prog_name="judgekit")
def cli() -> None:
    """Judge the output of language models in CI, offline, from recorded verdicts.

    \b
    Exit codes: 0 all gates passed; 1 a gate found a regression; 2 usage or configuration;
    3 cassette miss, stale or corrupt; 4 judge failed; 5 bias guard refused; 6 inconclusive.
    """


def entry() -> None:
    """Run the command line as a process of its own, whose exit code nothing else decides."""
    stay()
    main()


def main() -> None:
    """Run the command line; every judgekit error is one line on standard error."""
    if getattr(judgekit, "DISTRIBUTION", None) != DISTRIBUTION:
        click.echo(
            f"error: another distribution has overwritten the package judgekit ({judgekit.__file__}"
            f"); uninstall it, then reinstall {DISTRIBUTION}",
            err=True,
        )
        sys.exit(ExitCode.USAGE)
    try:
        cli.main(prog_name="judgekit", standalone_mode=False)
    except JudgekitError as error:
        fail(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}cannot be read or written ({error.strerror or error})", ExitCode.USAGE)
    except Exception as error:
        if os.environ.get("JUDGEKIT_DEBUG"):
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        fail(
            f"a fault in judgekit or in code of yours that it runs ({said}); "
            "JUDGEKIT_DEBUG=1 shows where",
            ExitCode.USAGE,
        )


def fail(message: str, code: int) -> None:
    """Show one line and end the process."""
    click.echo(f"error: {message}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    entry()
