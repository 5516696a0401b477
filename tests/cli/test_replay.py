"""``otherminds replay``: text for any world, a page or a film where there is a map."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from otherminds.core.scenario import Setup, scenario
from otherminds.reports.replay.general import tabulate_steps
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from tests.cli.running import otherminds

STUDY = """
name = "maps"
episodes = 1
[[cells]]
scenarios = ["rws-repeated-6-v1"]
options = { steps = 120 }
minds = ["random"]
[[cells]]
scenarios = ["rps-single-v1"]
options = { rounds = 5 }
minds = ["random"]
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 6
minds = ["hm@competent"]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    (folder / "maps.toml").write_text(STUDY)
    done = otherminds("run", folder / "maps.toml", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_a_page_and_a_film_are_written_and_their_paths_printed(ran: Path, tmp_path: Path) -> None:
    page, film = tmp_path / "new" / "a.html", tmp_path / "a.gif"
    done = otherminds("replay", ran, 0, "--page", page, "--film", film, "--steps", "10:14", "--speed", 20)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(page), str(film)]
    assert page.read_text().startswith("<!doctype html>")
    assert film.read_bytes().startswith(b"GIF89a")


def test_what_a_mind_thought_is_a_page_where_there_is_no_map_and_stands_in_the_text(
    ran: Path, tmp_path: Path
) -> None:
    page = tmp_path / "mind.html"
    done = otherminds("replay", ran, 2, "--page", page)
    assert (done.returncode, done.stdout.strip()) == (0, str(page)), done.stderr
    assert page.read_text().startswith("<!doctype html>")
    lines = otherminds("replay", ran, 2).stdout.splitlines()
    start = lines.index("ego about partner_0")
    assert lines[start + 1].startswith("  before step 1, at the start; wants: ")
    assert any("validated" in line for line in lines[start:])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1", "--film", "a.gif"], "'rps-single-v1' replays as a page (--page), whole: it has no film"),
        (["0", "--film", "a.mov"], "a film is a .gif or an .mp4"),
        (["0", "--page", "a.html", "--steps", "ten"], "--steps ten: give FROM:TO"),
        (["0", "--page", "a.html", "--steps", "5:999"], "steps 5:999 are not within 0:120"),
        (["0", "--page", "/dev/null/a.html"], "cannot be written"),
    ],
)
def test_what_cannot_be_shown_is_one_line_and_exit_code_2(ran: Path, words: list[str], expected: str) -> None:
    done = otherminds("replay", ran, *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr


def text(name: str, **options: int) -> str:
    made = scenario(name, options)
    record = played(Setup(made, {"ego": RandomMind()}, 1))
    console = Console(width=140)
    with console.capture() as shown:
        console.print(tabulate_steps(record))
    return shown.get()


def test_the_text_of_a_matrix_game_has_its_payoffs_a_row_a_round_and_a_summary(ran: Path) -> None:
    lines = [line.strip() for line in otherminds("replay", ran, 2).stdout.splitlines()]
    assert [line.split()[0] for line in lines if line[:1].isdigit()] == [str(n + 1) for n in range(6)]
    assert {line.split()[0] for line in lines if line.count(", ") == 3 and line[0].isalpha()} >= {
        *("rock", "paper", "scissors")
    }
    (head,) = [line for line in lines if line.startswith("prediction")]
    for column in ("prediction", "choice", "partner", "earned", "would pay", "mark"):
        assert column in head
    assert any("rightly in" in line and line.endswith("of 6 rounds.") for line in lines)
    assert lines[-1].startswith("totals: ego ")


@pytest.mark.parametrize("episode", [1, 2])
def test_a_matrix_game_has_the_page_of_its_rounds(ran: Path, tmp_path: Path, episode: int) -> None:
    otherminds("replay", ran, episode, "--page", tmp_path / "a.html", "--speed", 7)
    page = (tmp_path / "a.html").read_text()
    assert "Payoffs of a round" in page
    assert '<option value="7.0" selected>' in page


def test_the_text_of_a_grid_has_only_steps_in_which_something_happened() -> None:
    shown = text("rws-repeated-6-v1", steps=300)
    assert "chosen" in shown
    assert 10 < shown.count("\n") < 60


def test_the_text_of_a_crowd_says_line_by_line_who_did_what() -> None:
    shown = text("rws-arena-0-v1", steps=150)
    assert "did and earned" in shown
    assert "partner_6 " in shown
