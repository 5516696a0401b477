"""The replay of a game: every turn with all hands, and what each holder can know."""

from __future__ import annotations

from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from otherminds import Record
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.hanabi.replay import replay_turns
from otherminds.hanabi.world import EGO
from otherminds.play.loop import play_now
from otherminds.reports.replay.replays import find_replay
from tests.cases import for_each

EVIL = "</script><img src=x onerror=alert(1)>"


def play(name: str, mind: str, seed: int = 1) -> Record:
    place = scenario(name, {})
    return play_now(Setup(place, {EGO: place.make(mind, {})}, seed))[0]


@for_each(
    "name, mind",
    [
        ("hanabi-2p-mixed-v1", "smart"),
        ("hanabi-5p-mixed-v1", "legal_random"),
        ("hanabi-small-3p-mixed-v1", "iggi"),
    ],
)
def test_each_turn_has_its_table_and_ends_at_the_score(name: str, mind: str) -> None:
    record = play(name, mind)
    turns = replay_turns(record)
    assert len(turns) == len(record.actions) + 1
    fact = record.facts["hanabi"]
    assert sum(turns[-1].fireworks.values()) == fact["points"]
    assert (turns[-1].lives == 0) == (
        fact["score"] == 0 < fact["points"] or fact["points"] == 0 == turns[-1].lives
    )
    for turn in turns:
        assert {*turn.hands} == {*record.seats}
        for card in (card for hand in turn.hands.values() for card in hand):
            assert 1 <= card.possible <= 25
            assert 0 <= card.scoring <= 1
            assert card.hinted == "nothing" or card.colour in card.hinted or str(card.number) in card.hinted
    asked = sum(len(turn.answers) for turn in turns)
    assert asked == len(record.asked)


def test_text_and_page_show_every_turn() -> None:
    record = play("hanabi-3p-inferring-v1", "smart")
    replay = find_replay(record)
    assert replay is not None
    console = Console(file=StringIO(), width=200)
    for part in replay.text(record):
        console.print(part)
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    page = replay.play(record).page(None)
    for turn in replay_turns(record):
        assert turn.move in text
        assert f'data-step="{turn.number}"' in page
    assert f"the score is {record.total(EGO):g}" in page
    assert "http" not in page.split("<body>")[1], "a page needs no network"


def test_no_name_of_a_record_is_read_as_markup() -> None:
    record = play("hanabi-2p-mixed-v1", "iggi")
    partner = replace(record.partners["agent_1"], name=EVIL)
    seats = {**record.spec.seats, EGO: SeatSpec(EVIL)}
    replay = find_replay(record)
    assert replay is not None
    page = replay.play(
        replace(record, partners={"agent_1": partner}, spec=replace(record.spec, seats=seats))
    ).page(None)
    assert "<img" not in page


@pytest.mark.parametrize("name", ["tiny_hanabi-mixed-v1", "rps-mixed-v1"])
def test_other_worlds_are_shown_in_their_own_form(name: str) -> None:
    replay = find_replay(play(name, "bayes") if name.startswith("tiny") else play_rps())
    assert replay is None or type(replay).__name__ != "HanabiReplay"


def play_rps() -> Record:
    import otherminds as om

    return om.play("rps-mixed-v1", "uniform", seed=1)
