"""What counts as passed: the physical goal, every probe, private goals apart."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.core.data import Invalid
from otherminds.core.record import Asked, Outcome
from otherminds.household.epistemic.parse import parse
from otherminds.household.measures.attempts import (
    attempt,
    functional_pass,
    functional_with_private,
    literal_pass,
    literal_pass_unknowing,
    private_rate,
    turns_used,
)
from otherminds.household.probes import answer_of
from otherminds.measures.cost import reward_per_1200_steps, runs
from otherminds.measures.episode import summarise
from otherminds.measures.registry import Unknown, measures
from tests.cases import for_each


def done(errand) -> list[tuple[str, str]]:
    return [*errand.told(), *errand.fetch(), *errand.reported()]


def deep(errand, setting):
    return setting(f"(and {errand.goal} (K {errand.holder} (K {errand.doer} {errand.goal})))")


def test_the_physical_goal_alone_makes_success(errand, household) -> None:
    silent = household(errand, errand.fetch())
    assert functional_pass(silent) == 1
    assert silent.total("agent_0") == 1
    assert functional_pass(household(errand, errand.fetch(errand.wrong))) == 0
    assert turns_used(silent) == 5


@for_each("right", [True, False, None])
def test_a_probe_of_depth_one_is_about_the_world(errand, household, right: bool | None) -> None:
    record = household(errand, done(errand), answers={"k_probe_0": answer_of(parse(errand.goal), right)})
    assert literal_pass(record) == float(right is True)
    assert literal_pass_unknowing(record) == 0


@for_each("reported", [True, False, None])
@for_each("predicted", [True, False, None])
def test_by_the_paper_a_deeper_probe_is_about_what_was_reported(
    errand, household, setting, reported: bool | None, predicted: bool | None
) -> None:
    fact = parse(errand.goal)
    given = {"k_probe_0": answer_of(fact, predicted), "helper": answer_of(fact, reported)}
    record = household(errand, done(errand), deep(errand, setting), given)
    assert literal_pass(record) == float(predicted == reported)
    assert literal_pass_unknowing(record) == 1


def test_every_probe_has_to_be_right(errand, household, setting) -> None:
    fact = parse(errand.goal)
    both = setting(f"(and {errand.goal} (K {errand.holder} {errand.goal}) (K {errand.third} {errand.goal}))")
    record = household(errand, done(errand), both, {"k_probe_0": answer_of(fact, True)})
    assert literal_pass(record) == 0
    right = {name: answer_of(fact, True) for name in ("k_probe_0", "k_probe_1")}
    assert literal_pass(household(errand, done(errand), both, right)) == 1


def test_a_probe_whose_next_agent_gave_no_report_does_not_pass(errand, household, setting) -> None:
    fact = parse(errand.goal)
    given = {"k_probe_0": answer_of(fact, True), "helper": answer_of(fact, True)}
    record = household(errand, done(errand), deep(errand, setting), given)
    assert literal_pass(record) == 1
    helper = record.facts["tests"]["k_probe_0"]["helper"]
    k = [question.id for question in record.questions].index(helper)
    record.asked = tuple(
        Asked(a.step, a.question, None, a.truth, Invalid("mumbled")) if a.question == k else a
        for a in record.asked
    )
    assert literal_pass(record) == 0


def test_without_probes_nothing_is_known(errand, household, setting) -> None:
    record = household(errand, done(errand), setting(errand.goal))
    assert isinstance(literal_pass(record), Unknown)
    assert isinstance(literal_pass_unknowing(record), Unknown)
    assert (attempt(record).literal, attempt(record).items, attempt(record).left_out) == (None, (), {})


def test_private_goals_are_scored_apart(errand, household, setting) -> None:
    own = {errand.third: f"(is_open {errand.door})", errand.doer: errand.goal}
    record = household(errand, done(errand), setting(private=own))
    assert functional_pass(record) == 1
    assert private_rate(record) == 0.5
    assert attempt(record).private == (1, 2)
    assert functional_with_private(record) == 0
    own = {errand.doer: errand.goal}
    assert functional_with_private(household(errand, done(errand), setting(private=own))) == 1
    for measure in (private_rate, functional_with_private):
        assert isinstance(measure(household(errand, done(errand))), Unknown)


def test_private_goals_do_not_make_up_for_the_shared_goal(errand, household, setting) -> None:
    record = household(errand, [], setting(private={errand.third: f"(is_closed {errand.door})"}))
    assert (functional_pass(record), private_rate(record), functional_with_private(record)) == (0, 1, 0)


def test_a_run_that_was_not_scored_has_passed_nothing(errand, household) -> None:
    record = household(errand, done(errand), answers={"k_probe_0": answer_of(parse(errand.goal), True)})
    assert (attempt(record).functional, attempt(record).literal) == (True, True)
    record.outcome = Outcome("failed", "provider", "no answer", 7)
    found = summarise(record).details["household"]
    assert (found.functional, found.literal, found.scored, found.patterns) == (False, False, False, {})


def test_every_seat_is_counted_among_replies(errand, household) -> None:
    record = household(errand, done(errand))
    assert summarise(record).replies == (0, 3 * len(record.actions) + len(record.asked))


def test_other_worlds_have_no_numbers_of_the_household(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3)
    assert attempt(record) is None
    for name in (
        "functional_pass",
        "literal_pass",
        "private_rate",
        "functional_with_private",
        "turns_used",
        "messages_used",
        "pattern_chain",
    ):
        assert isinstance(measures.get(name)(record), Unknown)


def test_a_task_has_no_reward_per_1200_steps(errand, household) -> None:
    record = household(errand, errand.fetch())
    assert isinstance(reward_per_1200_steps(record), Unknown)
    (run,) = runs([(record.spec.title, "errand")], [replace(summarise(record), mind="errand")], {})
    assert (run.reward, run.normalised) == (1, None)
