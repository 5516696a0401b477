"""Which questions count, what the log says of them, and what one could answer without looking at who knows."""

from __future__ import annotations

import pytest

from otherminds.core.data import HELPER
from otherminds.core.data import UNKNOWN as NOTHING_KNOWN
from otherminds.core.record import Record
from otherminds.household.epistemic.formula import show
from otherminds.household.epistemic.parse import parse
from otherminds.household.measures.questions import (
    FAILS,
    HOLDS,
    INVALID,
    UNKNOWN,
    Item,
    LeftOut,
    items,
    literal_entitled,
    literal_of_task,
)
from otherminds.household.measures.trace import trace
from otherminds.household.probes import answer_of
from otherminds.household.task import Binding
from otherminds.measures.literal import answers, tom_above_chance, tom_percent
from otherminds.measures.registry import Unknown, ratios


@pytest.fixture(scope="module")
def errand(many, household, setting):
    """One in which the third agent never sees the thing, and so has nothing to report."""

    def truth(one) -> int | None:
        return getattr(of(household(one, done(one), deep(one, setting)), one.doer, one.third), "truth", None)

    return next(one for one in many if truth(one) == UNKNOWN)


def done(errand) -> list[tuple[str, str]]:
    return [*errand.told(), *errand.fetch(), *errand.reported()]


def deep(errand, setting):
    return setting(f"(and {errand.goal} (K {errand.holder} (K {errand.doer} {errand.goal})))")


def of(record: Record, *agents: str, fact: str = "") -> Item | LeftOut:
    """The question about what ``agents`` know of the goal, or of ``fact``."""
    seen = trace(record)
    chain = "".join(f"(K {agent} " for agent in agents) + (
        fact or record.facts["task"]["goal"].split(" (K")[0][5:]
    )
    chain += ")" * len(agents)
    (name,) = (name for name, one in seen.questions.items() if one.chain == show(parse(chain)))
    names = [record.questions[asked.question].id for asked in record.asked]
    kept = [one for one in names if one.removeprefix("cut_") in _scored(record)]
    return items(record)[kept.index(name)]


def _scored(record: Record) -> set[str]:
    tests = trace(record).tests.values()
    return {name for test in tests for name in (test.probe, *test.foils)}


class TestTruth:
    def test_who_told_knows_that_the_other_knows_and_a_third_does_not(
        self, errand, household, setting
    ) -> None:
        record = household(errand, done(errand), deep(errand, setting))
        told = of(record, errand.holder, errand.doer)
        assert (told.truth, told.own, told.form[2]) == (HOLDS, HOLDS, "probe")
        assert of(record, errand.doer, errand.holder).truth == HOLDS
        for agent in (errand.holder, errand.doer):
            third = of(record, agent, errand.third)
            place = (errand.holder, errand.doer).index(agent)
            assert (third.truth, third.own, third.form[2:]) == (UNKNOWN, HOLDS, ("agent", f"{place},-"))

    def test_before_the_report_the_goal_came_true_and_only_one_agent_knows(
        self, errand, household, setting
    ) -> None:
        silent = household(errand, [*errand.told(), *errand.fetch()], deep(errand, setting))
        told = of(silent, errand.doer, errand.holder)
        assert (told.truth, told.own, told.sent, told.last) == (UNKNOWN, HOLDS, UNKNOWN, UNKNOWN)

    def test_what_was_said_is_known_by_who_said_it_and_who_heard_it(self, errand, household, setting) -> None:
        record = household(errand, done(errand), deep(errand, setting))
        sender, receiver = of(record, errand.doer, errand.third), of(record, errand.holder, errand.third)
        assert (sender.sent, sender.received, sender.last) == (HOLDS, UNKNOWN, HOLDS)
        assert (receiver.sent, receiver.received, receiver.last) == (UNKNOWN, HOLDS, HOLDS)
        silent = household(errand, [*errand.told(), *errand.fetch()], deep(errand, setting))
        bystander = of(silent, errand.third, errand.holder)
        assert (bystander.sent, bystander.received, bystander.last) == (UNKNOWN,) * 3

    @pytest.mark.parametrize(("turns", "arrived"), [(1, True), (9, False)])
    def test_a_report_is_received_when_it_arrives_and_sent_at_once(
        self, errand, household, setting, turns: int, arrived: bool
    ) -> None:
        late = Binding("delayed_delivery", turns=turns, for_agents=(errand.doer,))
        where = setting(deep(errand, setting).goal, bindings=(late,))
        record = household(errand, done(errand), where)
        sender, receiver = of(record, errand.doer, errand.third), of(record, errand.holder, errand.third)
        assert (sender.sent, receiver.received) == (HOLDS, HOLDS if arrived else UNKNOWN)
        assert of(record, errand.doer, errand.holder).truth == (HOLDS if arrived else UNKNOWN)

    def test_an_invalid_answer_counts_and_is_wrong(self, errand, household, setting) -> None:
        record = household(errand, done(errand), deep(errand, setting), {"k_probe_0": "mumbled"})
        told = of(record, errand.holder, errand.doer)
        assert (told.answer, told.right) == (INVALID, False)


class TestLeftOut:
    def why(self, record: Record) -> set[str]:
        return {one.why for one in items(record) if isinstance(one, LeftOut)}

    def test_what_the_asked_agent_could_not_know(self, errand, household, setting) -> None:
        """The holder is told nothing, and the doer cannot know what was said behind its back."""
        told_third = errand.says(errand.doer, errand.third, f"{errand.thing} is on {errand.target}.")
        record = household(errand, [*errand.fetch(), *told_third], deep(errand, setting))
        found = of(record, errand.holder, errand.third)
        assert isinstance(found, LeftOut)
        assert found.why == "unknowable"
        assert of(record, errand.doer, errand.third).truth == HOLDS

    def test_what_depends_on_an_unread_message(self, errand, household, setting) -> None:
        free = errand.says(errand.doer, errand.holder, "It is where it belongs, I should say.")
        record = household(errand, [*errand.told(), *errand.fetch(), *free], deep(errand, setting))
        assert "unread" in self.why(record)
        some, all_of_them = ratios.get("probes_unread")(record)
        assert 0 < some < all_of_them == len(items(record))

    @pytest.mark.parametrize("foils", [True, False, None])
    def test_no_answer_has_a_part_in_it(self, errand, household, setting, foils: bool | None) -> None:
        given = {"k_probe_0": answer_of(parse(errand.goal), foils), "foils": foils}
        record, other = (
            household(errand, done(errand), deep(errand, setting), answers) for answers in (given, {})
        )
        kept, others = (
            [(one.form, getattr(one, "truth", one)) for one in items(some)] for some in (record, other)
        )
        assert kept == others

    def test_without_probes_nothing_is_known(self, errand, household, setting) -> None:
        record = household(errand, done(errand), setting(errand.goal))
        assert isinstance(items(record), Unknown)
        assert isinstance(literal_entitled(record), Unknown)
        assert isinstance(literal_of_task(record), Unknown)


@pytest.mark.parametrize("right", [True, False])
def test_helpers_count_for_no_score(errand, household, setting, right: bool) -> None:
    """What is asked only to have the truth of another question leaves the share of right answers alone."""
    yes = answer_of(parse(errand.goal), True)
    given = {"k_probe_0": yes, "helper": answer_of(parse(errand.goal), right), "foils": True}
    record = household(errand, done(errand), deep(errand, setting), given)
    helpers = [question.id for question in record.questions if question.id.startswith(HELPER)]
    answered = {record.questions[asked.question].id for asked in record.asked if asked.truth is not None}
    unknown = [asked for asked in record.asked if asked.truth == NOTHING_KNOWN]
    assert helpers
    assert answered >= {*helpers}
    assert len(answers(record)) == len(answered) - len(helpers) - len(unknown)
    bare = household(errand, done(errand), deep(errand, setting), {**given, "helper": NOTHING_KNOWN})
    assert tom_percent(record) == tom_percent(bare)
    assert tom_above_chance(record) == tom_above_chance(bare)


def test_the_share_of_right_answers_is_of_the_questions_that_count(errand, household, setting) -> None:
    record = household(errand, done(errand), deep(errand, setting))
    kept = [one for one in items(record) if isinstance(one, Item)]
    unknown = sum(one.truth == UNKNOWN for one in kept)
    assert literal_entitled(record) == (unknown, len(kept)), "the scripted mind says that it does not know"
    assert 0 < unknown < len(kept)


def test_a_contrary_is_the_opposite_state_or_another_place_of_the_same_thing(
    errand, household, setting
) -> None:
    record = household(errand, done(errand), deep(errand, setting))
    kept = [one for one in items(record) if isinstance(one, Item)]
    assert {one.truth for one in kept if one.form[2] == "contrary"} == {FAILS}
