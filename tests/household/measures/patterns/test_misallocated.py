"""Messages are misallocated if they go to who is out of reach, or all go without the one thing to be told."""

from __future__ import annotations

from otherminds.household.measures.patterns.withheld import misallocated
from tests.cases import for_each

EACH = for_each("k", range(24))
SOME = for_each("k", range(0, 24, 4), every=3)
CHATTER = (
    "Hello team!",
    "How is the weather?",
    "The hallway is empty.",
    "agent_7, are you there?",
    "I am well.",
)


@EACH
def test_out_of_reach(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(talk={errand.holder: (errand.third,)})
    found = misallocated(household(errand, [*errand.wait(), *errand.told(), *errand.told()], bound))
    assert [(one.turn, one.seat) for one in found] == [(errand.delay + n, errand.holder) for n in (0, 1)]


@EACH
def test_spent_on_other_things(k: int, many, household, setting) -> None:
    errand, limit = many[k], 1 + k % 2
    bound = setting(limits={errand.holder: limit})
    chatter = [
        call for n in range(limit) for call in errand.says(errand.holder, errand.doer, CHATTER[(k + n) % 5])
    ]
    (found,) = misallocated(household(errand, [*errand.wait(), *chatter, *errand.told()], bound))
    assert (found.turn, found.seat) == (errand.delay + limit - 1, errand.holder)


@SOME
def test_spent_on_the_wrong_recipient(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(barred={errand.third: (errand.room,)}, limits={errand.holder: 1})
    told = errand.says(errand.holder, errand.third, errand.secret)
    assert [one.seat for one in misallocated(household(errand, told, bound))] == [errand.holder]


@EACH
def test_spent_well(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(limits={errand.holder: 1, errand.doer: 1})
    script = [*errand.wait(), *errand.told(), *errand.fetch(), *errand.reported()]
    assert misallocated(household(errand, script, bound)) == ()
    unfinished = [*errand.wait(), *errand.told(), *errand.says(errand.holder, errand.doer, "And?")]
    assert misallocated(household(errand, unfinished, bound)) == ()


@SOME
def test_a_budget_that_is_not_spent(k: int, many, household, setting) -> None:
    errand = many[k]
    chatter = errand.says(errand.holder, errand.doer, CHATTER[k % 5])
    assert misallocated(household(errand, chatter, setting(limits={errand.holder: 2}))) == ()
    assert misallocated(household(errand, chatter)) == ()


@SOME
def test_all_was_well_without(k: int, many, household, setting) -> None:
    errand = many[k]
    chatter = errand.says(errand.holder, errand.doer, CHATTER[k % 5])
    assert (
        misallocated(household(errand, [*chatter, *errand.fetch()], setting(limits={errand.holder: 1}))) == ()
    )


def test_a_recipient_that_is_nobody(errand, household) -> None:
    assert misallocated(household(errand, errand.says(errand.holder, "agent_9", "Hello?"))) == ()
