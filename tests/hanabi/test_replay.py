"""Replays: every turn or game with all cards, what was done and said, and what each holder can know."""

from __future__ import annotations

from html import unescape
from io import StringIO

from msgspec.structs import replace
from rich.console import Console

import otherminds as om
from otherminds import Record
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.hanabi.replay import HanabiReplay, replay_games, replay_turns
from otherminds.hanabi.tiny.evidence import read_games
from otherminds.hanabi.tiny.game import ACTIONS, CARDS, PAYOFFS
from otherminds.hanabi.world import EGO
from otherminds.play.loop import play_now
from otherminds.reports.replay.replays import RIGHT, find_replay
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
    story = replay_turns(record)
    assert [turn.number for turn in story.turns] == [*range(len(record.actions) + 1)]
    fact = record.facts["hanabi"]
    assert sum(int(pile.face) for pile in story.turns[-1].rows["piles"]) == fact["points"]
    assert f"the score is {fact['score']}" in story.summary[-1]
    lives = [int(turn.state.split(" lives")[0].split()[-1]) for turn in story.turns]
    assert sum(turn.slip for turn in story.turns) == lives[0] - lives[-1]
    for turn in story.turns:
        assert len(turn.rows) == 1 + len(record.seats)
        for cards in [*turn.rows.values()][1:]:
            for card in cards:
                told, possible, scores = card.notes
                assert told == "told: nothing" or card.colour in told or card.face in told
                assert 1 <= int(possible.split()[2]) <= 25
                assert 0 <= int(scores.split()[1]) <= 100
    assert sum(len(turn.answers) for turn in story.turns) == len(record.asked)


@for_each("mind", ["informed", "half_used", "coin"])
def test_each_game_of_tiny_hanabi_shows_both_cards_the_choices_and_what_they_earn(mind: str) -> None:
    record = play("tiny_hanabi-mixed-v1", mind)
    games, story = read_games(record), replay_games(record)
    assert games is not None
    assert [turn.number for turn in story.turns] == [*range(1, 25)]
    earned = 0
    for turn, deal, played, asked in zip(story.turns, *games, record.asked, strict=True):
        pays = PAYOFFS[deal.theirs][deal.own][played.signal]
        earned += pays[played.action]
        (theirs,), (own,), choices = turn.rows.values()
        assert (theirs.face, own.face) == (CARDS[deal.theirs], CARDS[deal.own])
        assert [choice.face for choice in choices if choice.label == "chosen"] == [ACTIONS[played.action]]
        for choice, pay in zip(choices, pays, strict=True):
            assert f"earns {pay} if {theirs.face}" in choice.notes
        assert f"both earn {pays[played.action]}" in turn.move
        assert (RIGHT in turn.answers[0]) == (asked.answer == asked.truth)
        assert ("50 %" in turn.state) == ("100 %" not in turn.state)
    assert earned == record.total(EGO)
    assert any(turn.slip for turn in story.turns) == (mind != "informed")


@for_each(
    "name, mind",
    [("hanabi-3p-inferring-v1", "smart"), ("tiny_hanabi-mixed-v1", "coin")],
)
def test_text_and_page_show_every_turn_and_no_raw_names(name: str, mind: str) -> None:
    record = play(name, mind)
    replay = find_replay(record)
    assert isinstance(replay, HanabiReplay)
    console = Console(file=StringIO(), width=400)
    for part in replay.text(record):
        console.print(part)
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    page = unescape(replay.play(record).page(None))
    story = replay_turns(record) if "hanabi" in record.facts else replay_games(record)
    for turn in story.turns:
        assert turn.move in text
        assert turn.move in page
        assert f'data-step="{turn.number}"' in page
        assert all(answer in page for answer in turn.answers)
    assert story.summary[-1] in page
    body = page.split("<body>")[1]
    main = body.split("<main>")[1].split("</main>")[0]
    assert "told Partner" not in main
    assert not [raw for raw in ("agent_", "own:", "next:", "holds:") if raw in main]
    assert "http" not in body, "a page needs no network"


def test_an_episode_that_stopped_shows_the_games_that_were_finished() -> None:
    record = play("tiny_hanabi-mixed-v1", "bayes")
    cut = replace(record, actions=record.actions[:7], rewards=record.rewards[:7], asked=record.asked[:4])
    assert [turn.number for turn in replay_games(cut).turns] == [1, 2, 3]
    empty = replace(record, actions=(), rewards=(), asked=())
    assert "0 points in 0 games" in HanabiReplay().play(empty).page(None)


def test_no_name_of_a_record_is_read_as_markup() -> None:
    record = play("hanabi-2p-mixed-v1", "iggi")
    partner = replace(record.partners["agent_1"], name=EVIL)
    seats = {**record.spec.seats, EGO: SeatSpec(EVIL)}
    page = (
        HanabiReplay()
        .play(replace(record, partners={"agent_1": partner}, spec=replace(record.spec, seats=seats)))
        .page(None)
    )
    assert "<img" not in page


def test_other_worlds_are_shown_in_their_own_form() -> None:
    assert not isinstance(find_replay(om.play("rps-mixed-v1", "uniform", seed=1)), HanabiReplay)
