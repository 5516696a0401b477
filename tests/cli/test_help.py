"""Help texts: each command has examples that it takes as they stand; a renamed command answers with its new name."""

from __future__ import annotations

import shlex

import pytest
import typer

from otherminds.cli.main import app
from otherminds.cli.shared import examples
from tests.cases import for_each
from tests.cli.running import COMMANDS, commands, otherminds

RENAMED = {
    "author": "pools author",
    "evolve": "pools evolve",
    "judge": "tasks judge",
    "pool": "pools",
    "tasks browse": "pools browse",
    "tasks generate": "pools generate",
    "tasks pack": "pools pack",
    "tasks stats": "pools stats",
}


def calls_in(help_text: str) -> list[str]:
    """The lines below "Examples:", up to an empty one."""
    _, _, rest = help_text.partition("Examples:\n")
    return [line.strip() for line in rest.partition("\n\n")[0].splitlines()]


@for_each("words", sorted(COMMANDS))
def test_each_help_ends_with_calls_that_the_command_takes(words: tuple[str, ...]) -> None:
    calls = calls_in(otherminds(*words, "--help").stdout)
    assert any(calls)
    for call in calls:
        program, *rest = shlex.split(call)
        assert (program, *rest[: len(words)]) == ("otherminds", *words), call
        COMMANDS[words].make_context(" ".join(words), rest[len(words) :])


def test_an_example_with_an_unknown_option_is_noticed() -> None:
    broken = typer.Typer()

    @broken.command(epilog=examples("otherminds frob --unknown"))
    def frob() -> None:
        """Does nothing."""

    @broken.command()
    def other() -> None:
        """Does nothing."""

    with pytest.raises(Exception, match="No such option"):
        typer.main.get_command(broken).commands["frob"].make_context("frob", ["--unknown"])


@pytest.mark.parametrize("old", RENAMED)
@pytest.mark.parametrize("rest", [(), ("--help",), ("x", "--out", "y"), ("show", "x", "-z")])
def test_an_old_name_answers_with_the_new_one(old: str, rest: tuple[str, ...]) -> None:
    done = otherminds(*old.split(), *rest)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"otherminds: `otherminds {old}` is now `otherminds {RENAMED[old]}`")
    assert tuple(old.split()) not in COMMANDS


@pytest.mark.parametrize("form", ["json", "html", "table"])
def test_the_old_format_of_reports_names_the_options(form: str) -> None:
    done = otherminds("report", "x", "--format", form)
    assert done.returncode == 2
    assert "--json" in done.stderr
    assert "--page" in done.stderr


def test_new_names_are_commands() -> None:
    groups = commands(app).commands
    assert {new.split()[0] for new in RENAMED.values()} <= groups.keys()
    assert all(tuple(new.split()) in COMMANDS for new in RENAMED.values() if " " in new)
