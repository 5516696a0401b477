"""Withholding is found where an agent kept a target from all who could use it, and nowhere else."""

from __future__ import annotations

from otherminds.household.measures.patterns.withheld import withheld
from tests.cases import for_each

EACH = for_each("k", range(24))
SOME = for_each("k", range(0, 24, 4), every=3)
TELLING = (
    "{thing} must end on {target}.",
    "Could you put {thing} on {target}? Thanks!",
    "the {thing} goes to {target} pls",
    "Place it on {target}, please.",
    "{thing}: {target}",
)


@EACH
def test_told_only_after_a_wrong_guess(k: int, many, household) -> None:
    errand = many[k]
    guess = errand.fetch(errand.wrong)
    found = withheld(household(errand, [*errand.wait(), *guess, *errand.told()]))
    assert [(one.turn, one.seat) for one in found] == [(errand.delay + len(guess) - 1, errand.holder)]
    assert errand.wrong in found[0].why


@SOME
def test_told_in_the_turn_of_a_wrong_guess(k: int, many, household) -> None:
    """It arrives when the guess has been made."""
    errand = many[k]
    guess = errand.fetch(errand.wrong)
    last = len(guess) - 1
    found = withheld(household(errand, guess, beside={last: errand.told()[0]}))
    assert [(one.turn, one.seat) for one in found] == [(last, errand.holder)]
    assert f"told only in turn {last}" in found[0].why


@EACH
def test_never_told(k: int, many, household) -> None:
    errand = many[k]
    script = [
        *errand.wait(),
        *errand.says(errand.holder, errand.doer, "Good luck with everything!"),
        *errand.fetch()[:2],
    ]
    found = withheld(household(errand, script))
    assert [(one.turn, one.seat) for one in found] == [(len(script), errand.holder)]


@SOME
def test_told_to_one_who_cannot_use_it(k: int, many, household, setting) -> None:
    errand = many[k]
    script = [*errand.says(errand.holder, errand.third, errand.secret), *errand.fetch()[:2]]
    found = withheld(household(errand, script, setting(barred={errand.third: (errand.room,)})))
    assert [one.seat for one in found] == [errand.holder]


@EACH
def test_told_in_time(k: int, many, household) -> None:
    errand = many[k]
    text = TELLING[k % len(TELLING)].format(thing=errand.thing, target=errand.target)
    told = errand.says(errand.holder, errand.doer, text)
    assert withheld(household(errand, [*errand.wait(), *told, *errand.fetch()[:2]])) == ()


@SOME
def test_told_to_a_relay(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(barred={errand.third: (errand.room,)}, talk={errand.holder: (errand.third,)})
    script = errand.says(errand.holder, errand.third, errand.secret)
    assert withheld(household(errand, script, bound)) == ()


@SOME
def test_nobody_needs_to_be_told_what_it_was_told_itself(k: int, many, household, setting) -> None:
    errand = many[k]
    known = setting(secrets={errand.holder: (errand.secret,), errand.doer: (errand.secret,)})
    assert withheld(household(errand, errand.fetch(errand.wrong), known)) == ()


@SOME
def test_who_can_do_it_alone_withholds_nothing(k: int, many, household, setting) -> None:
    errand = many[k]
    free = setting(barred={errand.holder: ()})
    assert withheld(household(errand, errand.fetch(errand.wrong), free)) == ()


@EACH
def test_a_lucky_guess_is_no_failure(k: int, many, household) -> None:
    errand = many[k]
    assert withheld(household(errand, [*errand.wait(), *errand.fetch()])) == ()
    assert withheld(household(errand, [*errand.fetch(), *errand.told()])) == ()


@SOME
def test_what_must_be_known_must_be_so(k: int, many, household) -> None:
    errand = many[k]
    words = f"By the end, I must know that {errand.thing} is on {errand.target}."
    record = household(errand, [*errand.says(errand.holder, errand.doer, words), *errand.fetch()[:2]])
    assert withheld(record) == ()


@SOME
def test_who_was_granted_all_secrets_needs_no_telling(k: int, many, household) -> None:
    errand = many[k]
    record = household(errand, errand.fetch(errand.wrong))
    assert withheld(record)
    record.spec.grants[errand.doer] = ("secrets",)
    assert withheld(record) == ()


def test_nobody_to_tell(errand, household, setting) -> None:
    mute = setting(talk={errand.holder: ()})
    assert withheld(household(errand, errand.fetch(errand.wrong), mute)) == ()
    spent = setting(limits={errand.holder: 0})
    assert withheld(household(errand, errand.fetch(errand.wrong), spent)) == ()


@SOME
def test_another_thing_of_the_kind_is_a_wrong_guess(k: int, many, household, setting) -> None:
    errand = many[k]
    doors = [f for f in errand.scene.articulated_furniture if f != errand.door]
    kin = [f for f in doors if f.rpartition("_")[0] == errand.door.rpartition("_")[0]]
    home = {f: room for room, inside in errand.scene.furniture_in_rooms.items() for f in inside}
    barred = {errand.holder: (home[errand.door],)}
    bound = setting(f"(is_open {errand.door})", {errand.holder: (f"{errand.door} must end open.",)}, barred)
    other = (kin or doors)[0]
    script = [(errand.doer, f"Navigate[{other}]"), (errand.doer, f"Open[{other}]")]
    record = household(
        errand, [*script, *errand.says(errand.holder, errand.doer, f"{errand.door} must end open.")], bound
    )
    assert [one.turn for one in withheld(record)] == ([1] if kin else [])
