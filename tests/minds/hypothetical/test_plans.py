"""Plans of skills: when one is asked for, what it is told, and what happens when it brings nothing."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.core.contracts import Sighting
from otherminds.core.data import Encounter, Ended, Invalid, SkillChoice
from tests.cases import for_each
from tests.minds.hypothetical import fakes


def done(why: str = "") -> Ended:
    return Ended(True, why, SkillChoice("go"))


def failed(why: str) -> Ended:
    return Ended(False, why, SkillChoice("go"))


@pytest.fixture
def seat() -> Any:
    return fakes.Seat("hm", fakes.MAPPED, fakes.Model(plan=["go(3)", "go(4)"], i_play="PAPER"))


def test_a_plan_runs_skill_by_skill_and_then_a_new_one_is_made(seat: Any) -> None:
    made = [seat.step()]
    for place in (3, 4, 5):
        seat.place = place
        made.append(seat.step(ended=done()))
    assert made == [
        SkillChoice("go", (3,)),
        SkillChoice("go", (4,)),
        SkillChoice("go", (3,)),
        SkillChoice("go", (4,)),
    ]
    assert seat.calls() == ["open", "plan", "plan"]


def test_a_plan_is_told_the_target_the_scene_and_the_memory(seat: Any) -> None:
    seat.step()
    seat.place = 8
    seat.step(ended=failed("a wall"))
    lines = seat.model.prompts[-1].splitlines()
    assert "It is step 1." in lines
    assert "Your next behaviour: 'PAPER'" in lines
    assert "You are at: 8" in lines
    assert "Stones seen earlier: [((0, 0), 0), ((8, 0), 1)]" in lines


def test_memory_keeps_each_place_with_the_step_last_seen(seat: Any) -> None:
    for place in (1, 2, 1):
        seat.place = place
        seat.step(ended=done())
    memory = seat.mind._work.memory
    assert {place: seen.step for place, seen in memory.items()} == {(2, 0): 1, (1, 0): 2}
    for place in range(10, 300):
        seat.place = place
        seat.hear()
    assert len(memory) == 100
    assert (299, 0) in memory


def test_what_moves_is_remembered_by_what_it_is(seat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places where somebody once stood crowd out nothing."""

    def walker_and_first_stone(words: Any, moment: Any) -> tuple[Sighting, ...]:
        stone = (Sighting("a stone", (0, 5)),) if moment.observation == 0 else ()
        return (*stone, Sighting("player 2", (moment.observation, 0), moves=True))

    monkeypatch.setattr(fakes.PlanningWords, "sightings", walker_and_first_stone)
    for place in range(300):
        seat.place = place
        seat.hear()
    memory = seat.mind._work.memory
    assert [*memory] == [(0, 5), "player 2"]
    assert memory["player 2"].sighting.place == (299, 0)


def test_a_failed_skill_ends_the_plan_and_the_next_one_is_told(seat: Any) -> None:
    seat.step()
    seat.step(ended=failed("a wall is in the way"))
    assert seat.calls() == ["open", "plan", "plan"]
    assert "What came of your last plan:\n- go(3): failed (a wall is in the way)\n" in seat.model.prompts[-1]


def test_a_new_target_ends_the_plan(seat: Any) -> None:
    seat.step()
    seat.place = 3
    seat.step(ended=done())
    seat.model.said["i_play"] = "SCISSORS"
    seat.hear(Encounter(2, {"ego": ("rock",), "partner_0": ("rock",)}, 1.0))
    assert seat.act() == SkillChoice("go", (3,))
    prompt = seat.model.prompts[-1]
    assert "- go(3): done\n- go(4): broken off\n" in prompt
    assert "Your next behaviour: 'SCISSORS'" in prompt


def test_without_a_usable_reply_the_plan_goes_on(seat: Any) -> None:
    seat.step()
    seat.model.raw = {"plan": "no plan today"}
    seat.hear(Encounter(1, {"ego": ("rock",), "partner_0": ("rock",)}, 1.0))
    assert seat.act() == SkillChoice("go", (4,))
    assert [note["kept"] for note in seat.notes("fallback")] == ["the running plan goes on"]


def test_without_a_plan_it_rests_and_asks_again_afterwards(seat: Any) -> None:
    """The skill of the target behaviour is there, and no plan may call it: nor does the fallback."""
    seat.model.raw = {"plan": "no plan today"}
    assert [seat.step() for _ in range(10)] == [Invalid("rest: no usable plan")] * 10
    assert seat.notes("fallback") == [{"purpose": "plan", "kept": "rest for 10 steps"}]
    assert seat.calls() == ["open", "plan", "plan", "plan"]
    seat.model.raw = {}
    assert seat.step() == SkillChoice("go", (3,))


def test_a_new_target_ends_the_rest(seat: Any) -> None:
    seat.model.raw = {"plan": "no plan today"}
    seat.step()
    seat.model.raw = {}
    assert seat.meet() == SkillChoice("go", (3,))


def test_plans_that_bring_nothing_take_no_unbounded_calls(seat: Any) -> None:
    """One call a step at most; after three such plans it rests for ten steps, and nothing plays for it."""
    made = [seat.step()]
    made += [seat.step(ended=failed("ended at once")) for _ in range(2)]
    assert made == [SkillChoice("go", (3,))] * 3
    rest = [seat.step(ended=failed("ended at once")), *(seat.step() for _ in range(9))]
    assert all(isinstance(one, Invalid) for one in rest)
    assert seat.step() == SkillChoice("go", (3,))
    assert seat.calls().count("plan") == 4
    assert not seat.notes("fallback")


def test_plans_that_end_well_and_change_nothing_bring_nothing(seat: Any) -> None:
    made = [seat.step()]
    made += [seat.step(ended=done("there already")) for _ in range(6)]
    assert made[:6] == [SkillChoice("go", (3,)), SkillChoice("go", (4,))] * 3
    assert isinstance(made[6], Invalid)


def test_a_plan_that_moves_on_starts_the_count_again(seat: Any) -> None:
    seat.step()
    for n in range(12):
        seat.place = n // 4
        seat.step(ended=failed("a wall") if n % 2 else done())
    assert not seat.notes("fallback")


def test_an_evaluator_compares_before_and_after() -> None:
    model = fakes.Model(plan=["go(3)"], feedback="Go further.")
    seat = fakes.Seat("reflexion_agent", fakes.MAPPED, model)
    seat.step()
    seat.place = 3
    seat.step(ended=done())
    assert seat.calls() == ["plan", "reflect", "plan"]
    evaluated, planned = model.prompts[-2:]
    assert (
        "- go(3): done\nBefore the plan: at 0\nAfter the plan: at 3\nReward during the plan: +0.5\n"
        in evaluated
    )
    assert "Feedback on what you did last:\nGo further.\n" in planned


@for_each(
    ("mind", "manner", "reflects"),
    [
        ("hm", "mapped", False),
        ("hm", "cooking", True),
        ("react", "cooking", False),
        ("plan_react", "cooking", False),
        ("reflexion_agent", "mapped", True),
    ],
)
def test_who_reflects_where(mind: str, manner: str, reflects: bool) -> None:
    seat = fakes.Seat(mind, fakes.MANNERS[manner], fakes.Model(plan=["go(3)"]))
    seat.step()
    seat.place = 3
    seat.step(ended=done())
    assert ("reflect" in seat.calls()) == reflects


def test_react_has_worked_examples_and_the_history_but_no_target() -> None:
    seat = fakes.Seat("react", fakes.MAPPED, fakes.Model())
    seat.step()
    duel = Encounter(1, {"ego": ("paper",), "partner_0": ("rock", "paper")}, 1.0)
    seat.step(duel, ended=failed("a duel came in between"))
    prompt = seat.model.prompts[-1]
    assert "Example 3:\nI am at 2 and walk on.\n{'plan': ['go(2)', 'go(3)']}" in prompt
    assert "you played 'PAPER', your reward +1; they played: unknown" in prompt
    assert "Your next behaviour" not in prompt
    assert seat.notes("thinking") == []
