"""A probe passes with its foil alone, and nobody scores above 0 by answers that owe nothing to what was seen."""

from __future__ import annotations

from functools import cache

import pytest

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.seeds import stream
from otherminds.core.setup import Setup
from otherminds.epistemic.formula import HELPER, UNKNOWN
from otherminds.epistemic.parse import parse
from otherminds.measures.cells import tabulate
from otherminds.measures.household.foiled import (
    NO_ROOM,
    literal_entitled,
    literal_of_task,
    pairs,
    with_foils,
    won,
)
from otherminds.measures.household.trace import trace
from otherminds.measures.literal import answers, tom_above_chance, tom_percent
from otherminds.measures.registry import Accuracy, Unknown, ratios
from otherminds.play.loop import play_now
from otherminds.worlds.household.probes import answer_of
from otherminds.worlds.household.reference.roster import NULL
from otherminds.worlds.household.scenarios import named
from otherminds.worlds.household.tasks.load import shipped_tasks
from otherminds.worlds.registry import scenario
from tests.cases import for_each

TASKS = tuple(shipped_tasks())
LEVEL_3 = "level_k"
ABOVE = {
    "inspection_limited_messaging",
    "inspection_staging",
    "inverse_handle",
    "mirrored_drawers",
    "nested_confirmation",
    "one_shot_relay",
}
"""The shipped tasks in which what others know differs from what one knows, so that L can be above 0."""
IN_SIGHT = "relay_inspection"
"""Here two agents see each other at the start: even a silent team knows what the other saw."""
TIME = 30
"""Turns in which everybody can be told everything: the tasks' limits count acts, not reports."""


@cache
def shipped(task: str, turns: int | None = None) -> Scenario:
    """The scenario of a shipped task, compiled once."""
    return scenario(named(task), {} if turns is None else {"turns": turns})


@cache
def played(task: str, mind: str, others: str = "", seed: int = 0, turns: int | None = None) -> Record:
    """A shipped task with ``mind`` in the seat of the first question, and ``others`` (or the same) beside it."""
    built = shipped(task, turns)
    first = built.probes[0].question.seat
    specs = {seat: SeatSpec(mind if seat == first else others or mind) for seat in built.focal}
    minds = {seat: built.make(spec.mind, spec.params) for seat, spec in specs.items()}
    return play_now(Setup(built, minds, seed))[0]


class TestNullMinds:
    @for_each("alone", [False, True], ids=["team", "alone"])
    @for_each("null", NULL)
    @for_each("task", TASKS)
    def test_none_has_a_score_above_zero(self, task: str, null: str, alone: bool) -> None:
        record = played(task, null, LEVEL_3 if alone else "")
        own = [pair for pair in pairs(record) if record.spec.seats[pair.seat].mind == null]
        found = won(own) if alone else literal_of_task(record)
        assert isinstance(found, Unknown) or found[0] <= 1e-9

    @pytest.mark.parametrize("task", ["relay_inspection", "remote_lights", "silent_inspection"])
    def test_a_report_shows_no_gap_of_who_does_nothing_and_says_that_all_holds(self, task: str) -> None:
        """It used to have L = 1 and a gap of 1."""
        records = [played(task, "silent_and_done", seed=seed) for seed in range(3)]
        (cell,) = tabulate({(records[0].spec.title, "silent_and_done"): 3}, records)
        assert cell.literal.mean is None or cell.literal.mean <= 0
        assert cell.gap.mean is None or cell.gap.mean <= 0

    @for_each("task", TASKS)
    def test_who_always_says_that_it_does_not_know_passes_nothing(self, task: str) -> None:
        record = played(task, "always_unknown")
        passed, _ = literal_entitled(record)
        assert passed == 0


class TestTeamsOfKnownKnowledge:
    @pytest.mark.parametrize("task", TASKS)
    def test_who_tracks_what_others_know_is_right_wherever_that_shows(self, task: str) -> None:
        found = literal_of_task(played(task, LEVEL_3, turns=TIME))
        if task in ABOVE:
            assert found[0] == found[1] > 0
        else:
            assert isinstance(found, Unknown)
            assert found.reason == NO_ROOM or "no foil" in found.reason

    @for_each("task", TASKS)
    def test_a_silent_team_knows_nothing_of_others(self, task: str) -> None:
        found = literal_of_task(played(task, "no_message"))
        assert isinstance(found, Unknown) or (found[0] < 0) == (task != IN_SIGHT)

    @pytest.mark.parametrize("task", ["cabinet_confirmation", "one_shot_relay"])
    def test_who_was_not_told_in_time_does_not_know(self, task: str) -> None:
        """The last act falls in the last turn: no report can arrive."""
        found = literal_of_task(played(task, LEVEL_3))
        assert not isinstance(found, Unknown)
        assert found[0] < 0

    def test_a_mind_that_draws_lots_is_at_zero_on_average(self) -> None:
        """Its chance of a pair is what counts as 0: over 400 draws the mean is within 3 standard errors of it."""
        record = played("nested_confirmation", LEVEL_3)
        kept = [pair for pair in pairs(record) if not pair.why]
        rng = stream(7, "lots")
        hits = [all(rng.randrange(3) == truth for truth in pair.truths) for _ in range(200) for pair in kept]
        rate, due = sum(hits) / len(hits), kept[0].chance
        assert abs(rate - due) < 3 * (due * (1 - due) / len(hits)) ** 0.5


class TestFoils:
    @for_each("mind", ["level_k", "no_message", "broadcast", "informed"])
    @for_each("task", TASKS)
    def test_a_foil_has_another_true_answer(self, task: str, mind: str) -> None:
        for pair in pairs(played(task, mind)):
            assert pair.why or pair.truths[0] != pair.truths[1]

    def test_what_is_asked_does_not_depend_on_what_is_true(self) -> None:
        one, other = (played("relay_inspection", mind) for mind in ("level_k", "silent_and_done"))
        assert one.questions == other.questions
        assert [a.question for a in one.asked] == [a.question for a in other.asked]

    def test_their_order_comes_from_the_seed(self) -> None:
        orders = {
            tuple(a.question for a in played("relay_inspection", LEVEL_3, seed=s).asked) for s in range(6)
        }
        assert len(orders) > 1

    def test_no_name_tells_probe_from_foil(self) -> None:
        """Names are numbers in an order of their own: some probe comes before, some behind its foils."""
        firsts = set[bool]()
        for task in TASKS:
            seen = trace(played(task, LEVEL_3))
            for test in seen.tests.values():
                assert {name.rpartition("_")[0] for name in (test.probe, *test.foils)} == {"probe"}
                firsts.add(all(_number(test.probe) < _number(foil) for foil in test.foils))
        assert firsts == {True, False}


def _number(name: str) -> int:
    return int(name.rpartition("_")[2])


class TestScripted:
    def done(self, errand) -> list[tuple[str, str]]:
        return [*errand.told(), *errand.fetch(), *errand.reported()]

    @for_each(("foils", "passed"), [(True, 0.0), (False, 1.0), (None, 0.0)])
    def test_both_have_to_be_right(self, errand, household, foils: bool | None, passed: float) -> None:
        given = {"k_probe_0": answer_of(parse(errand.goal), True), "foils": foils}
        record = household(errand, self.done(errand), answers=given)
        assert literal_entitled(record) == (passed, 1.0)

    def test_at_depth_one_who_was_told_has_no_room(self, errand, household) -> None:
        """An agent that reports what it knows is right: nobody else's mind is asked about."""
        record = household(errand, self.done(errand))
        assert literal_of_task(record) == Unknown(NO_ROOM)
        assert with_foils(record) == Accuracy(0, 1, 1)

    def test_a_probe_that_depends_on_an_unread_message_is_left_out(self, errand, household, setting) -> None:
        free = errand.says(errand.doer, errand.holder, "It is where it belongs, I should say.")
        script = [*errand.told(), *errand.fetch(), *free]
        assert [pair.why for pair in pairs(household(errand, script))] == [""], "here the world is the truth"
        goal = f"(and {errand.goal} (K {errand.third} (K {errand.holder} {errand.goal})))"
        deep = household(errand, script, setting(goal))
        assert [pair.why for pair in pairs(deep)] == ["unread"]
        assert ratios.get("probes_unread")(deep) == (1.0, 1.0)
        assert "was not read" in literal_of_task(deep).reason

    @for_each("right", [True, False])
    def test_helpers_count_for_no_score(self, errand, household, setting, right: bool) -> None:
        """What is asked only to have the truth of another question leaves the share of right answers alone."""
        goal = f"(and {errand.goal} (K {errand.holder} (K {errand.doer} {errand.goal})))"
        yes = answer_of(parse(errand.goal), True)
        given = {"k_probe_0": yes, "helper": answer_of(parse(errand.goal), right), "foils": True}
        record = household(errand, self.done(errand), setting(goal), given)
        helpers = [question.id for question in record.questions if question.id.startswith(HELPER)]
        answered = {record.questions[asked.question].id for asked in record.asked if asked.truth is not None}
        assert helpers
        assert answered >= {*helpers}
        assert len(answers(record)) == len(answered) - len(helpers)
        bare = household(errand, self.done(errand), setting(goal), {**given, "helper": UNKNOWN})
        assert tom_percent(record) == tom_percent(bare)
        assert tom_above_chance(record) == tom_above_chance(bare)

    def test_without_probes_nothing_is_known(self, errand, household, setting) -> None:
        record = household(errand, self.done(errand), setting(errand.goal))
        assert isinstance(literal_of_task(record), Unknown)
        assert isinstance(literal_entitled(record), Unknown)
