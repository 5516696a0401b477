"""Found: asking the barred or the full-handed, and trying a barred room again."""

from __future__ import annotations

from otherminds.household.measures.patterns.partners import constraints
from tests.cases import for_each

EACH = for_each("k", range(24))
SOME = for_each("k", range(0, 24, 4), every=3)
ASKING = (
    "{who}, please see to it that {thing} ends on {target}.",
    "Please put {thing} on {target}.",
    "can you move {thing} onto {target}?",
    "{who}, could you go to {room} and have a look?",
    "I need you to place {thing} on {target}.",
    "Go to {room}!",
    "{who} should put {thing} on {target}, pls",
)
FINE = (
    "{thing} must end on {target}.",
    "I will put {thing} on {target} myself.",
    "Do not go to {room}.",
    "Have you seen {thing}?",
    "{thing} is on {target}.",
    "Please tell {other} to put {thing} on {target}.",
    "Please let me know when {thing} is on {target}.",
    "I can open a door in {room}.",
)


def filled(words: str, errand, who: str, other: str) -> str:
    return words.format(thing=errand.thing, target=errand.target, room=errand.room, who=who, other=other)


@EACH
def test_asking_the_barred(k: int, many, household) -> None:
    errand, words = many[k], ASKING[k % len(ASKING)]
    text = filled(words, errand, errand.holder, errand.third)
    script = [*errand.wait(), *errand.says(errand.doer, errand.holder, text)]
    (found,) = constraints(household(errand, script))
    assert (found.turn, found.seat) == (errand.delay, errand.doer)


@EACH
def test_asking_somebody_who_can(k: int, many, household) -> None:
    errand, words = many[k], ASKING[k % len(ASKING)]
    text = filled(words, errand, errand.third, errand.holder)
    assert constraints(household(errand, errand.says(errand.doer, errand.third, text))) == ()


@EACH
def test_not_asking(k: int, many, household) -> None:
    errand, words = many[k], FINE[k % len(FINE)]
    text = filled(words, errand, errand.holder, errand.third)
    assert constraints(household(errand, errand.says(errand.doer, errand.holder, text))) == ()


@SOME
def test_through_somebody(k: int, many, household) -> None:
    errand = many[k]
    text = f"Please ask {errand.holder} to put {errand.thing} on {errand.target}."
    (found,) = constraints(household(errand, errand.says(errand.doer, errand.third, text)))
    assert errand.holder in found.why


@SOME
def test_asking_everybody_is_asking_who_can(k: int, many, household) -> None:
    errand = many[k]
    text = f"Please put {errand.thing} on {errand.target}."
    assert constraints(household(errand, errand.says(errand.doer, "all", text))) == ()


@SOME
def test_full_hands(k: int, many, household) -> None:
    errand = many[k]
    text = ("Please grab {}.", "pick up {} pls", "{who}, please see to it that {who} ends holding {}.")[k % 3]
    asked = errand.says(errand.third, errand.doer, text.format(errand.thing, who=errand.doer))
    (found,) = constraints(household(errand, [*errand.fetch()[:2], *asked]))
    assert (found.turn, found.seat) == (2, errand.third)
    assert constraints(household(errand, [*asked, *errand.fetch()])) == ()
    assert constraints(household(errand, [*errand.fetch(), *asked])) == ()


@SOME
def test_trying_a_barred_room_again(k: int, many, household) -> None:
    errand = many[k]
    tries = [(errand.holder, f"Navigate[{errand.room}]"), (errand.holder, f"Navigate[{errand.target}]")]
    once = tries[k % 2 :][:1]
    assert constraints(household(errand, [*errand.wait(), *once, *errand.told(), *errand.fetch()])) == ()
    (found,) = constraints(household(errand, [*errand.wait(), *tries]))
    assert (found.turn, found.seat) == (errand.delay + 1, errand.holder)


@SOME
def test_a_request_that_did_not_arrive_is_none(k: int, many, household, setting) -> None:
    errand = many[k]
    text = f"Please put {errand.thing} on {errand.target}."
    bound = setting(talk={errand.doer: (errand.third,)})
    assert constraints(household(errand, errand.says(errand.doer, errand.holder, text), bound)) == ()
