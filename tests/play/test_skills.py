"""A skill runs until it ends; its mind is asked again only then."""

from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

from otherminds.core.contracts import Controller
from otherminds.core.data import Brief, Ended, Invalid, Moment, SkillChoice
from otherminds.core.record import Choice
from otherminds.core.scenario import Setup
from otherminds.play.loop import play_now
from tests.play import toys


def push(brief: Brief, rng: Random, times: int = 3, action: int = 2) -> Controller:
    """Plays ``action`` a given number of times, then ends."""
    left = [times]

    def control(moment: Moment) -> int | Ended:
        if not left[0]:
            return Ended(True, "pushed")
        left[0] -= 1
        return action

    return control


def refuse(brief: Brief, rng: Random) -> Controller:
    return lambda moment: Ended(False, "nothing to push")


def shuffle(brief: Brief, rng: Random) -> Controller:
    """Draws every action, for ever."""
    return lambda moment: rng.randrange(3)


def watch(seen: list[Moment]) -> Callable[..., Controller]:
    def skill(brief: Brief, rng: Random) -> Controller:
        def control(moment: Moment) -> int:
            seen.append(moment)
            return 0

        return control

    return skill


SKILLS = {"push": push, "refuse": refuse, "shuffle": shuffle}


def test_a_skill_runs_and_its_end_is_told_once() -> None:
    ego = toys.Diary([SkillChoice("push"), 0])
    record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(6), skills=SKILLS), {"ego": ego}, 1))
    assert [row[0] for row in record.actions] == [2, 2, 2, 0, 1, 1]
    assert [m.ended for m in ego.moments] == [
        None,
        None,
        None,
        Ended(True, "pushed", SkillChoice("push")),
        None,
        None,
        None,
    ]
    assert [step for what, _, step in ego.log if what == "act"] == [0, 3, 4, 5]
    assert [step for what, _, step in ego.log if what == "perceive"] == [0, 1, 2, 3, 4, 5, 6]
    assert record.choices == (Choice(0, "ego", SkillChoice("push")),)


def test_arguments_reach_the_skill() -> None:
    ego = toys.Diary([SkillChoice("push", (1, 0))])
    record, _ = play_now(Setup(toys.scenario(skills=SKILLS), {"ego": ego}, 1))
    assert [row[0] for row in record.actions] == [0, 1, 1]


def test_a_skill_hears_every_moment_from_its_own_step_to_the_last() -> None:
    seen: list[Moment] = []
    ego = toys.Diary([1, SkillChoice("watch")])
    play_now(Setup(toys.scenario(lambda: toys.Line(4), skills={"watch": watch(seen)}), {"ego": ego}, 1))
    assert seen == ego.moments[1:]


def test_a_skill_that_ends_at_once_costs_the_fallback() -> None:
    ego = toys.Diary([SkillChoice("refuse"), 2])
    scene = toys.scenario(lambda: toys.Line(3, fallback=0), skills=SKILLS)
    record, _ = play_now(Setup(scene, {"ego": ego}, 1))
    assert [row[0] for row in record.actions] == [0, 2, 1]
    assert ego.moments[1].ended == Ended(False, "nothing to push", SkillChoice("refuse"))
    assert [m.ended for m in ego.moments if m.step != 1] == [None] * 3
    assert record.outcome.status == "scored"


def test_a_skill_that_ends_at_once_ends_an_episode_without_a_fallback() -> None:
    record, _ = play_now(
        Setup(toys.scenario(skills=SKILLS), {"ego": toys.Diary([1, SkillChoice("refuse")])}, 1)
    )
    assert (record.outcome.status, record.outcome.step) == ("invalid", 1)
    assert record.outcome.reason == "ego: skill 'refuse' ended at once: nothing to push"
    assert len(record.actions) == 1


def test_an_unknown_skill_is_a_fault_of_the_world() -> None:
    record, _ = play_now(Setup(toys.scenario(skills=SKILLS), {"ego": toys.Diary([1, SkillChoice("fly")])}, 1))
    assert (record.outcome.status, record.outcome.blame) == ("failed", "world")
    assert record.outcome.reason == "scenario 'toy-v1' has no skill 'fly'"
    assert record.choices[-1] == Choice(1, "ego", SkillChoice("fly"))


def test_both_seats_may_run_skills() -> None:
    minds = {
        "ego": toys.Diary([SkillChoice("push", (2,))]),
        "partner_0": toys.Diary([0, SkillChoice("push", (5, 0))]),
    }
    record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(4), skills=SKILLS), minds, 1))
    assert record.actions == [(2, 0), (2, 0), (1, 0), (1, 0)]


def test_questions_are_put_while_a_skill_runs() -> None:
    probes = (toys.question("before", "before"), toys.question("after", "after"))
    scene = toys.scenario(probes=probes, skills=SKILLS)
    record, _ = play_now(Setup(scene, {"ego": toys.Diary([SkillChoice("push")])}, 1))
    assert [(a.step, a.question) for a in record.asked] == [(t, q) for t in range(3) for q in (0, 1)]


class TestTies:
    """A skill's draws hang on its seat and step, and take none from a mind."""

    def first(self, toys: ModuleType, plan: list[Any], other: list[Any]) -> list[int]:
        minds = {"ego": toys.Diary(other), "partner_0": toys.Diary(plan)}
        record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(9), skills=SKILLS), minds, 1))
        return [row[1] for row in record.actions]

    def test_the_same_step_draws_the_same(self) -> None:
        drawn = self.first(toys, [SkillChoice("shuffle")], [])
        assert drawn == self.first(toys, [SkillChoice("shuffle")], [SkillChoice("shuffle")])
        assert len(set(drawn)) == 3

    def test_a_later_step_draws_otherwise(self) -> None:
        assert (
            self.first(toys, [SkillChoice("shuffle")], [])[:7]
            != self.first(toys, [1, 1, SkillChoice("shuffle")], [])[2:]
        )

    def test_how_long_a_skill_takes_shifts_no_draw_of_its_mind(self) -> None:
        """What a partner decides must not hang on how often the other blocked its way."""

        def wander(brief: Brief, rng: Random, draws: int) -> Controller:
            actions = iter([[rng.randrange(3) for _ in range(draws)][-1]])

            def control(moment: Moment) -> int | Ended:
                return next(actions, Ended(True))

            return control

        def decided(draws: int) -> list[float]:
            class Chance(toys.Diary):
                async def act(self) -> SkillChoice:
                    self.context.note("draw", self.context.rng.random())
                    return SkillChoice("wander", (draws,))

            scene = toys.scenario(lambda: toys.Line(5), skills={"wander": wander})
            record, _ = play_now(Setup(scene, {"ego": Chance()}, 1))
            return [note.data for note in record.notes]

        assert decided(1) == decided(4)
        assert len(set(decided(1))) == 5


def test_an_invalid_decision_while_the_other_runs_a_skill() -> None:
    minds = {
        "ego": toys.Diary([SkillChoice("push")]),
        "partner_0": toys.Diary([1, Invalid("unreadable", "?")]),
    }
    scene = toys.scenario(lambda: toys.Line(3, fallback=0), skills=SKILLS)
    record, _ = play_now(Setup(scene, minds, 1))
    assert record.actions == [(2, 1), (2, 0), (2, 1)]
