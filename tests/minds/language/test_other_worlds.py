"""Strategies speak to the telling alone: the same files run in worlds that are no matrix game.

The duel has skills of many steps and encounters that leave doubts; the house two
language minds, messages and questions about other things. Their words are the
stand-in's in ``words.py``.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from otherminds import Record, Scenario, SeatSpec
from otherminds.core.contracts import Probe
from otherminds.core.data import Invalid, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.scenario import Participant, Setup
from otherminds.core.scenario import scenario as matrix
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, games
from otherminds.minds.registry import make_mind, strategies
from otherminds.play.loop import play
from otherminds.testing.partners import stage
from tests.cases import for_each
from tests.contracts import duel as duels
from tests.contracts import house
from tests.minds.language import words
from tests.minds.language.plain import GIVEN_THAT

ORACLES = ["oracle", "oracle_max"]
LITERAL = sorted(set(strategies) - set(ORACLES))
FORM = re.compile(r":\n((?:Verily <.*>\n?)+)\Z")


def talking(prompt: str, decoding: Decoding) -> str:
    """Waits, else takes what is listed last, after other words; rewrites and reflects in its own."""
    form = FORM.search(prompt)
    if not form:
        return "It was what it was."
    answers = form[1].rstrip().splitlines()
    return f"Plans: go on.\nInsights: none.\n{'Verily <wait>' if 'Verily <wait>' in answers else answers[-1]}"


def played(built: Scenario, words: ModuleType, seats: dict[str, Any], models: dict[str, Any]) -> Record:
    """One episode of ``built`` in the stand-in's words; strategies sit where ``models`` are."""
    built = dataclasses.replace(built, verbalizer=words.telling(built))
    minds = {seat: Participant(make_mind(seats[seat]), model) for seat, model in models.items()}
    partners = {seat: who for seat, who in seats.items() if seat not in models}
    return asyncio.run(play(Setup(built, minds, 3, partners)))[0]


@pytest.mark.parametrize("name", LITERAL)
class TestDuel:
    def record(self, name: str, words: ModuleType, model: Any, **params: Any) -> Record:
        duel = duels.scenario(games.get("rps")(), duels=4)
        seats = {"ego": SeatSpec(name, params, model="stand-in"), "partner_0": SeatSpec("tit_for_tat")}
        return played(duel, words, seats, {"ego": model})

    def test_it_plays_and_predicts(self, stand_in: Any, name: str) -> None:
        record = self.record(name, words, stand_in(talking, favourite=" scissors"))
        assert record.outcome.status == "scored"
        mine = [choice for choice in record.choices if choice.seat == "ego"]
        assert mine
        assert {choice.made for choice in mine} == {SkillChoice("scissors")}
        assert [asked.answer for asked in record.asked] == ["scissors"] * len(record.asked)
        assert len(record.asked) >= 4

    def test_its_prompts_are_in_this_worlds_words(self, stand_in: Any, name: str) -> None:
        model = stand_in(talking, favourite=" scissors")
        self.record(name, words, model)
        for prompt in model.prompts:
            assert "Option" not in prompt
            assert "round" not in prompt
            assert prompt.startswith(("Thou art ego", "It was what it was.")), (
                "a rewriting stands for the rules"
            )
        assert any("partner_0 did" in prompt for prompt in model.prompts)

    def test_what_cannot_be_read_is_a_fallback_step(self, stand_in: Any, name: str) -> None:
        if name == "lm":
            return
        record = self.record(name, words, stand_in(lambda prompt, decoding: "Let us see."), tries=1)
        stay = 0
        assert {row[0] for row in record.actions} == {stay}
        assert all(isinstance(choice.made, Invalid) for choice in record.choices if choice.seat == "ego")
        assert [asked.invalid is not None for asked in record.asked] == [name != "social_lm"]


@pytest.mark.parametrize("name", [name for name in LITERAL if name != "lm"])
def test_what_cannot_be_read_is_a_fallback_step(stand_in: Any, name: str) -> None:
    model = stand_in(lambda prompt, decoding: "Let us see.")
    record = TestDuel().record(name, words, model, tries=1)
    stay = 0
    assert {row[0] for row in record.actions} == {stay}
    assert all(isinstance(choice.made, Invalid) for choice in record.choices if choice.seat == "ego")
    assert [asked.invalid is not None for asked in record.asked] == [name != "social_lm"]


@pytest.mark.parametrize("name", ["social_qa", "social_lm"])
def test_a_prediction_stands_until_something_new_is_told(stand_in: Any, purposes: Any, name: str) -> None:
    model = stand_in(talking, favourite=" scissors")
    record = TestDuel().record(name, words, model)
    expected = [call.step for call in record.calls if call.purpose == "expect"]
    ends = [met.step + 1 for met in record.met["ego"]]
    assert expected == [0, *ends[:-1]], "once at the start and after each duel, not at every step"
    assert len(record.actions) > len(expected)
    told = [prompt for prompt in model.prompts if GIVEN_THAT.words in prompt]
    assert all(
        "\nYou predict what the other player does next: Verily <scissors>.\n" in prompt for prompt in told
    )
    assert len(told) == len([call for call in record.calls if call.purpose == "act"])


@pytest.mark.parametrize("name", ["social_qa", "social_lm"])
def test_only_the_very_question_is_answered_by_the_prediction(stand_in: Any, name: str) -> None:
    """Other options, another one asked about, what somebody would say, afterwards: each is put by itself."""
    duel = duels.scenario(games.get("rps")(), duels=1)
    very = duel.probes[0].question
    others = (
        msgspec.structs.replace(very, id="other options", options=("yes", "no")),
        msgspec.structs.replace(very, id="another", about="ego"),
        msgspec.structs.replace(very, id="what it would say", truth_is=very.id),
        msgspec.structs.replace(very, id="when all is over", when="end"),
    )
    for question, calls in ((very, 0), *((other, 1) for other in others)):
        asked = dataclasses.replace(
            duel, probes=(Probe(question, lambda moment: moment.step == 0 or moment.last),)
        )
        seats = {"ego": SeatSpec(name, model="stand-in"), "partner_0": SeatSpec("tit_for_tat")}
        record = played(asked, words, seats, {"ego": stand_in(talking, favourite=" paper")})
        assert [call.purpose for call in record.calls].count("predict") == calls, question.id
        assert len(record.asked) == 1


def test_reflections_follow_encounters_not_steps(stand_in: Any) -> None:
    record = TestDuel().record("reflexion", words, stand_in(talking))
    reflected = [call.step for call in record.calls if call.purpose == "reflect"]
    assert reflected == [met.step + 1 for met in record.met["ego"]][:-1]


def test_plans_of_a_reply_without_an_answer_are_not_kept(stand_in: Any) -> None:
    """The episode goes on here, so that it would show."""
    model = stand_in(lambda prompt, decoding: "Plans: win.\nInsights: none.")
    record = TestDuel().record("plans_insights", words, model)
    assert len(record.actions) > 1
    assert not any("Your plans" in prompt for prompt in model.prompts)


@pytest.mark.parametrize("readable", [True, False])
def test_the_own_choice_is_shown_only_if_there_is_one(stand_in: Any, said: Any, readable: bool) -> None:
    """An unreadable one is a fallback step here, and the question after it tells of no choice."""
    duel = duels.scenario(games.get("rps")(), duels=1)
    after = msgspec.structs.replace(duel.probes[0].question, when="after")
    asked = dataclasses.replace(duel, probes=(Probe(after, lambda moment: moment.step == 0),))
    seats = {"ego": SeatSpec("qa", model="stand-in"), "partner_0": SeatSpec("tit_for_tat")}
    model = stand_in(talking if readable else lambda prompt, decoding: "hm")
    record = played(asked, words, seats, {"ego": model})
    assert {"Thou chosest scissors." in prompt for prompt in said(record, "predict")} == {readable}
    assert {"Thou chosest" in prompt for prompt in said(record, "predict")} == {readable}


@for_each("name", LITERAL)
def test_two_of_a_kind_share_a_house(stand_in: Any, name: str) -> None:
    """Nobody knows the payoffs here, and the questions are not about the other's next choice."""
    seats = {seat: SeatSpec(name, {"payoffs": False}, model="stand-in") for seat in house.AGENTS}
    models = {seat: stand_in(talking, favourite=" cupboard") for seat in house.AGENTS}
    record = played(house.scenario(turns=3), words, seats, models)
    assert record.outcome.status == "scored"
    assert len(record.actions) == 3
    assert {asked.answer for asked in record.asked} == {"cupboard"}
    assert len(record.asked) == 3
    asked = [call for call in record.calls if call.purpose == "predict"]
    assert [call.step for call in asked] == [3, 3, 3], "other options: each question is put by itself"


@pytest.mark.parametrize("name", ORACLES)
def test_an_oracle_is_told_in_this_worlds_words(
    stand_in: Any, said: Callable[..., list[str]], name: str
) -> None:
    game = games.get("rps")()
    built = stage(game, 6, lambda: AutomatonPlayer(automaton("cycler", game, 6, {"pattern": [0, 1, 2]})))
    seats = {"ego": SeatSpec(name, model="stand-in"), "partner_0": SeatSpec("partner")}
    record = played(built, words, seats, {"ego": stand_in(talking)})
    assert record.outcome.status == "scored"
    told = [re.findall(r"does next: Verily <(\w+)>\.", prompt) for prompt in said(record, "act")]
    assert told == [["rock"], ["paper"], ["scissors"]] * 2


@pytest.mark.parametrize("name", ["social_qa", "social_lm"])
def test_who_predicts_needs_one_other(stand_in: Any, name: str) -> None:
    """One that is alone, or among several, has nobody to predict."""
    built = matrix("ipd-tit_for_tat-v1", {"rounds": 2})
    world = built.world

    class Alone(type(world())):
        def brief(self, seat: str) -> Any:
            brief = super().brief(seat)
            return msgspec.structs.replace(brief, others=()) if seat == "ego" else brief

    alone = dataclasses.replace(built, world=lambda: Alone(built.game, 2), probes=())
    seats = {"ego": SeatSpec(name, model="stand-in"), "partner_0": SeatSpec("tit_for_tat")}
    with pytest.raises(StudyError, match="predicts one other seat, and there are 0"):
        played(alone, words, seats, {"ego": stand_in(talking)})
