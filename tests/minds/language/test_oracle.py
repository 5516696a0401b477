"""Oracle prompting: the partner's true next action is in the prompt of the choice."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Ask, Invalid, Question
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.registry import games
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play, play_now
from otherminds.testing import RandomMind
from tests.contracts import duel as duels
from tests.minds.language.plain import AT_ONCE

Episode = Callable[..., Record]
LISTED = Ask("", ("J", "F"), (0, 1))
both = pytest.mark.parametrize("name", ["oracle", "oracle_max"])
KNOWN = re.compile(r"^You know for certain what the other player does next: Option (\w+)\.$", re.MULTILINE)
BEATS = {"J": "F", "F": "B", "B": "J"}


def oracle(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


def beating(prompt: str, decoding: Decoding) -> str:
    """Plays what beats the action that it is told of."""
    return f"A: Option {BEATS[KNOWN.findall(prompt)[0]]}"


@both
@pytest.mark.parametrize("partner", ["rps-single-v1", "rps-tit_for_tat-v1", "rps-noisy_tit_for_tat-v1"])
def test_it_is_told_the_truth_every_round(
    episode: Episode, stand_in: Any, said: Any, purposes: Any, name: str, partner: str
) -> None:
    for seed in range(3):
        record = episode(oracle(name), stand_in(beating), partner, seed=seed, rounds=8, names=[*BEATS])
        assert purposes(record) == [["act"]] * 8
        assert [row[0] for row in record.rewards] == [1.0] * 8
        told = [KNOWN.findall(prompt) for prompt in said(record, "act")]
        assert told == [["JFB"[row[1]]] for row in record.actions]


@both
def test_the_sentence_stands_after_the_history(episode: Episode, stand_in: Any, said: Any, name: str) -> None:
    record = episode(oracle(name), stand_in(beating), "rps-single-v1", rounds=4)
    for done, prompt in enumerate(said(record, "act")):
        lines = prompt.splitlines()
        at = next(i for i, line in enumerate(lines) if KNOWN.match(line))
        assert lines[at + 1] == f"You are currently playing round {done + 1}."
        assert sum(line.startswith("In round") for line in lines[:at]) == done
        assert not any(line.startswith("In round") for line in lines[at:])


def test_only_oracle_max_stresses_the_own_gain(episode: Episode, stand_in: Any, said: Any) -> None:
    plain, stressed = (
        said(episode(oracle(name), stand_in(beating), "rps-single-v1"), "act")[0]
        for name in ("oracle", "oracle_max")
    )
    head, form = plain.split(f"\n{AT_ONCE.put(LISTED)}\n")
    assert stressed.startswith(head)
    assert stressed.endswith(form)
    assert "maximise your own gain" in stressed


@both
def test_it_has_no_literal_form_and_holds_the_grant(episode: Episode, stand_in: Any, name: str) -> None:
    record = episode(oracle(name), stand_in(beating), "rps-single-v1")
    assert record.questions == ()
    assert record.asked == ()
    assert record.spec.grants["ego"] == ("next_action", "payoffs")
    built = scenario("rps-single-v1", {"rounds": 2})
    assert built.probes, "it would have been asked"


def test_a_strategy_without_a_literal_form_says_so_if_asked() -> None:
    asked = Question("next", "ego", "before", "", ("a", "b"), 0.5)
    strategy: Any = make_mind(oracle("oracle"))
    read = asyncio.run(strategy.strategy.predict(None, Ask("", ("a", "b"), ("a", "b")), asked))
    assert read == Invalid("this strategy has no literal form")


@both
def test_a_partner_whose_decision_is_unreadable_is_not_told_of(
    episode: Episode, stand_in: Any, name: str
) -> None:
    """Both seats are language minds; the partner's reply cannot be read."""
    built = scenario("rps-single-v1", {"rounds": 2})
    specs = {"ego": oracle(name), "partner_0": SeatSpec("qa", model="stand-in")}
    models = {
        "ego": stand_in(lambda prompt, decoding: "A: Option J"),
        "partner_0": stand_in(lambda prompt, decoding: "no"),
    }
    minds = {seat: Participant(make_mind(spec), models[seat]) for seat, spec in specs.items()}
    record = asyncio.run(play(Setup(built, minds)))[0]
    assert record.outcome.reason.startswith("partner_0:")
    assert [KNOWN.findall(prompt) for prompt in models["ego"].prompts] == [[]]
    assert f"\n{AT_ONCE.put(LISTED)}\n" in models["ego"].prompts[0]


def test_it_is_refused_where_actions_are_no_behaviours() -> None:
    """The duel of the contracts: one acts by skills there."""
    duel = duels.scenario(games.get("rps")())
    setup = Setup(duel, {"ego": RandomMind()}, grants={"ego": ("next_action",)})
    with pytest.raises(StudyError, match="no grant 'next_action'"):
        play_now(setup)
