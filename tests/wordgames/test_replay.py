"""Replays of word games: what happened, what ego said, and what could be known."""

import re
from io import StringIO

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

import otherminds as om
from otherminds.core.encoding import encode
from otherminds.core.record import Outcome, Record, prompts
from otherminds.wordgames.game import EGO
from otherminds.wordgames.replay import WordGameReplay, as_game_page, find_departure, replay_game
from otherminds.wordgames.rules import GAMES, read_rules
from otherminds.wordgames.scenarios import name_scenario
from tests.cases import for_each
from tests.reports.replay.reading import told, unpacked


def play(game: str, mind: str, **options: object) -> Record:
    """An episode as a reader of a run finds it: written and read again."""
    record = om.play(name_scenario(game, "mixed"), mind, seed=2, options={"boards": 8, **options})
    return msgspec.json.decode(encode(record), type=Record)


def read_text(record: Record) -> str:
    console = Console(width=3000, file=StringIO())
    for part in WordGameReplay().text(record):
        console.print(part)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@for_each("game", GAMES)
def test_a_replay_tells_every_round_and_departs_nowhere(game: str) -> None:
    record = play(game, "bayes")
    replay = replay_game(record)
    assert len(replay.rounds) == 8
    assert sum(shown.earned for shown in replay.rounds) == pytest.approx(record.total(EGO))
    assert find_departure(record) == ""
    assert all(sum(shown.chances.values()) == pytest.approx(1) for shown in replay.rounds)
    assert [bool(shown.answers) for shown in replay.rounds] == [False] * 4 + [True] * 4
    text, page = read_text(record), as_game_page(replay)
    for part in (*replay.summary, replay.rounds[0].board.split(".")[0]):
        assert part[:100] in text
        assert part.replace("'", "&#39;") in page
    for event in replay.rounds[-1].events:
        assert event in page


@for_each("game", GAMES)
def test_who_infers_the_partner_gives_nothing_away(game: str) -> None:
    bayes, coin = (replay_game(play(game, mind)) for mind in ("bayes", "coin"))
    assert sum(shown.lost for shown in bayes.rounds) == pytest.approx(0, abs=1e-6)
    assert sum(shown.lost for shown in coin.rounds) > 1


def test_answers_stand_beside_what_is_true() -> None:
    right = replay_game(play("taboo", "informed"))
    assert {answer.mark for shown in right.rounds for answer in shown.answers} == {"✓"}
    wrong = as_game_page(replay_game(play("taboo", "hash")))
    assert "✗" in read_text(play("taboo", "hash"))
    assert 'class="wrong"' in wrong


@for_each("game", GAMES)
def test_the_page_counts_rounds_as_ego_does_and_says_what_its_bars_are(game: str) -> None:
    """From 1 on: in the field, at each round, and before each call of a model; so do rounds with a loss."""
    record = om.play(name_scenario(game, "mixed"), "qa@scripted:first", seed=1, options={"boards": 4})
    page = as_game_page(replay_game(record))
    story, calls = told(page), msgspec.json.decode(unpacked(page, "prompts"))
    assert (story["first"], story["last"], story["unit"]) == (1, 4, "round")
    assert [f'data-step="{number}"' in page for number in range(6)] == [False, *[True] * 4, False]
    assert {*story["stops"]} <= {1, 2, 3, 4}
    for call, prompt in zip(calls, prompts(record.calls), strict=True):
        assert re.findall(r"Round (\d)", prompt[-1].content)[-1] == str(call["step"] + 1)
    assert "4 rounds, scored" in page
    assert "how likely each association of the partner is, by the rounds before: bars from 0 to 100 %" in page
    assert page.count(" point") >= 4


def test_a_changed_record_departs() -> None:
    record = play("codenames-guesser", "bayes")
    assert read_rules(record) is not None
    rewards = [*record.rewards]
    rewards[-1] = (9.0, 9.0)
    assert "replay is not what was recorded" in find_departure(replace(record, rewards=rewards))


def test_of_a_model_as_partner_nothing_is_known() -> None:
    record = om.play(
        "wavelength-guesser-mixed-v1",
        {EGO: "qa@scripted:first", "partner": "qa@scripted:first"},
        options={"boards": 4},
    )
    replay = replay_game(record)
    assert replay.partner == "The partner is a mind."
    assert {answer.mark for shown in replay.rounds for answer in shown.answers} == {""}


def test_an_episode_that_broke_off_says_where() -> None:
    record = play("taboo", "bayes")
    outcome = Outcome("invalid", "reply", "mumbled", 6)
    broken = replace(record, actions=record.actions[:6], rewards=record.rewards[:6], outcome=outcome)
    replay = replay_game(broken)
    assert 0 < len(replay.rounds) < 8
    assert f"Round {len(replay.rounds) + 1} was not played to its end" in read_text(broken)
