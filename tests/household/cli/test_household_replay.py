"""``otherminds replay`` of the household: call by call as text, or turn by turn as a page."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from otherminds.cli.recorded import find
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.household.tasks import load as tasks
from otherminds.reports.replay.general import choose_text
from otherminds.studies.progress import Terminal
from tests.cli.running import invoked


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("household") / "out"
    shipped = Path(tasks.__file__).parent / "shipped" / f"{tasks.shipped_tasks()[0]}.json"
    otherminds("run", shipped, "--mind", "broadcast", "--episodes", 1, "--out", out)
    return out


@pytest.fixture(scope="module")
def record(ran: Path) -> Record:
    return find(ran, "0")


def otherminds(*words: object) -> str:
    """What a command prints; its error, if it has one, is raised."""
    done = invoked(*words)
    if done.exception:
        raise done.exception
    return done.stdout


def shown(record: Record) -> str:
    out = io.StringIO()
    console = Terminal(out, width=1000)
    for part in choose_text(record).text(record):
        console.print(part)
    return out.getvalue()


def test_a_page_is_written_and_its_path_printed(ran: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "a.html"
    assert otherminds("replay", ran, 0, "--page", page).strip() == str(page)
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert "replayed, with the recorded rewards and texts" in text


def test_the_text_has_every_call_with_what_came_of_it_and_every_question(record: Record) -> None:
    text = shown(record)
    for one in record.facts["log"]:
        assert any(
            one["call"] in line and one["seat"] in line and f" {one['turn'] + 1} " in line
            for line in text.split("\n")
        )
    assert all(question.text in text for question in record.questions)
    assert text.count("asked") == len(record.asked)


def test_what_agents_say_moves_no_terminal(record: Record) -> None:
    first, *others = record.actions
    said = replace(record, actions=[("Wait[\x1b[2J[bold]]", *first[1:]), *others])
    text = shown(said)
    assert "\x1b[2J" not in text
    assert "Wait[\\u001b[2J[bold]]" in text


@pytest.mark.parametrize("words", [("--film", "a.gif"), ("--page", "a.html", "--steps", "1:2")])
def test_films_and_parts_are_refused(ran: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(StudyError, match="replays as a page"):
        otherminds("replay", ran, 0, *words)
