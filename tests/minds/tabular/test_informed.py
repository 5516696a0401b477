"""The mind that knows whom it meets: one partner exactly, among several by seeking those it beats."""

from __future__ import annotations

import msgspec
import pytest
from gymnasium.spaces import Discrete

from otherminds.core.contracts import MindContext
from otherminds.core.data import Brief, Encounter, Moment, SkillChoice, WeightedPolicy
from otherminds.games.registry import automaton, rps
from otherminds.minds.references import Blind, Informed
from otherminds.minds.tabular import Constant
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext

GAME = rps()
ROCK, PAPER, SCISSORS = GAME.behaviours[0]
SEATS = ("ego", "partner_0", "partner_1", "partner_2")


def brief(policies: dict[str, str | None], **more: object) -> Brief:
    """Partners that always show one behaviour, or answer the last one (None)."""
    partners = tuple(
        WeightedPolicy(
            1.0,
            automaton("level_k", GAME, 50, {"level": 1})
            if shown is None
            else automaton("single", GAME, 50, {"behaviour": GAME.behaviours[1].index(shown)}),
            seat if len(policies) > 1 else "",
        )
        for seat, shown in policies.items()
    )
    return Brief(
        seat="ego",
        others=tuple(policies),
        action_space=Discrete(8),
        behaviours=dict.fromkeys(("ego", *policies), GAME.behaviours[0]),
        reward_range=(-1.0, 1.0),
        horizon=5000,
        skills=GAME.behaviours[0],
        game=GAME,
        partners=partners,
        rounds=50,
    )


def context() -> MindContext:
    return SeatContext("ego", 0, Now(), None, None)


def test_among_several_it_seeks_all_those_whom_its_behaviour_beats() -> None:
    mind = Informed()
    mind.begin(brief({"partner_0": ROCK, "partner_1": SCISSORS, "partner_2": ROCK}), context())
    finish(mind.perceive(Moment(0, None)))
    assert finish(mind.act()) == SkillChoice(PAPER, ("partner_0", "partner_2"))


def test_with_one_partner_it_plays_for_as_many_encounters_as_its_brief_says() -> None:
    mind = Informed()
    mind.begin(brief({"partner_0": None}), context())
    finish(mind.perceive(Moment(0, None)))
    shown: list[str] = []
    state = automaton("level_k", GAME, 50, {"level": 1})
    at, won = state.start, 0.0
    for _ in range(60):
        made = finish(mind.act())
        assert isinstance(made, SkillChoice)
        shown.append(made.name)
        own = GAME.behaviours[0].index(made.name)
        other = state.output[at].index(1.0)
        won += GAME.payoffs[own][other][0]
        at = state.next[at][other][own]
        did = {"ego": (made.name,), "partner_0": (GAME.behaviours[1][other],)}
        finish(mind.perceive(Moment(1, None, 0.0, (Encounter(0, did, 0.0),))))
    assert won == pytest.approx(60)


def test_a_partner_that_slips_is_taken_to_have_meant_what_its_policy_says() -> None:
    mind = Informed()
    mind.begin(brief({"partner_0": SCISSORS}), context())
    did = {"ego": (PAPER,), "partner_0": (ROCK,)}
    finish(mind.perceive(Moment(1, None, 0.0, (Encounter(0, did, 0.0),))))
    assert finish(mind.act()) == SkillChoice(ROCK)


def test_a_doubtful_behaviour_is_read_as_the_one_the_policy_makes_likelier() -> None:
    grim = automaton("grim", GAME, 50, {})
    mind = Informed()
    known = brief({"partner_0": ROCK})
    mind.begin(msgspec.structs.replace(known, partners=(WeightedPolicy(1.0, grim),)), context())
    did = {"ego": (PAPER,), "partner_0": (SCISSORS, ROCK, PAPER)}
    finish(mind.perceive(Moment(1, None, 0.0, (Encounter(0, did, 0.0),))))
    assert mind.predict() == GAME.behaviours[1].index(SCISSORS)


def test_a_constant_mind_shows_one_behaviour_and_says_what_it_cannot_show() -> None:
    from otherminds.core.errors import StudyError

    mind = Constant("rock")
    mind.begin(brief({"partner_0": SCISSORS}), context())
    assert finish(mind.act()) == SkillChoice(ROCK)
    with pytest.raises(StudyError, match="cannot show 'stone'"):
        Constant("stone").begin(brief({"partner_0": SCISSORS}), context())


def test_a_blind_plan_goes_on_with_every_encounter_whoever_it_is_with() -> None:
    plain = Blind()
    plain.begin(brief({"partner_0": None}), context())
    many = Blind()
    known = msgspec.structs.replace(
        brief({"partner_0": None, "partner_1": None}), partners=brief({"partner_0": None}).partners
    )
    many.begin(known, context())
    for k in range(6):
        assert finish(many.act()) == finish(plain.act())
        for mind, seat in ((plain, "partner_0"), (many, f"partner_{k % 2}")):
            met = Encounter(0, {"ego": (ROCK,), seat: (PAPER,)}, 0.0)
            finish(mind.perceive(Moment(1, None, 0.0, (met,))))
    assert len({plain.choose(), *(plain._plan[:3])}) > 1, "the plan is no constant"
