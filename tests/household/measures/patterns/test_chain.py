"""A chain counts as broken where a fact of the goal holds and who should know it of whom does not."""

from __future__ import annotations

from otherminds.household.measures.patterns.chain import chain
from tests.cases import for_each

EACH = for_each("k", range(24))
SOME = for_each("k", range(0, 24, 4), every=3)


def nested(errand, *agents: str) -> str:
    text = errand.goal
    for agent in reversed(agents):
        text = f"(K {agent} {text})"
    return f"(and {errand.goal} {text})"


@EACH
def test_done_and_never_reported(k: int, many, household) -> None:
    errand = many[k]
    script = [
        *errand.wait(),
        *errand.told(),
        *errand.fetch(),
        *errand.says(errand.doer, errand.holder, "See you later!"),
    ]
    found = chain(household(errand, script))
    assert [(one.turn, one.seat) for one in found] == [(errand.delay + 4, errand.doer)]


@SOME
def test_reported_to_somebody_else(k: int, many, household) -> None:
    errand = many[k]
    report = errand.says(errand.doer, errand.third, f"{errand.thing} is on {errand.target}.")
    assert len(chain(household(errand, [*errand.fetch(), *report]))) == 1


@EACH
def test_reported(k: int, many, household) -> None:
    errand = many[k]
    words = ("{} is on {}.", "I have put {} on {}!", "so: {} now stands on {}", "Done, {} on {}")[k % 4]
    report = errand.says(errand.doer, errand.holder, words.format(errand.thing, errand.target))
    assert chain(household(errand, [*errand.wait(), *errand.told(), *errand.fetch(), *report])) == ()


@EACH
def test_a_promise_is_no_report(k: int, many, household) -> None:
    errand = many[k]
    words = ("I will put {} on {}.", "Please put {} on {}.", "Is {} on {}?", "{} is not on {}.")[k % 4]
    said = errand.says(errand.doer, errand.holder, words.format(errand.thing, errand.target))
    assert len(chain(household(errand, [*errand.fetch(), *said]))) == 1


@SOME
def test_what_was_said_before_it_was_so_is_no_report(k: int, many, household) -> None:
    errand = many[k]
    assert len(chain(household(errand, [*errand.reported(), *errand.fetch()]))) == 1


@SOME
def test_a_report_by_one_who_does_not_know(k: int, many, household) -> None:
    errand = many[k]
    words = (f"{errand.thing} is on {errand.target}.", f"Yes, {errand.thing} is on {errand.target}!")[k % 2]
    assert (
        len(chain(household(errand, [*errand.fetch(), *errand.says(errand.third, errand.holder, words)])))
        == 1
    )


@SOME
def test_the_whole_chain_is_needed(k: int, many, household, setting) -> None:
    errand = many[k]
    deep = setting(
        nested(errand, errand.holder, errand.third, errand.doer), barred={errand.third: (errand.room,)}
    )
    place = f"{errand.thing} is on {errand.target}"
    first = [*errand.fetch(), *errand.says(errand.doer, errand.third, f"{place}.")]
    flat = errand.says(errand.third, errand.holder, f"{place}.")
    whole = errand.says(errand.third, errand.holder, f"{errand.doer} knows that {place}.")
    free = errand.says(
        errand.third, errand.holder, f"{errand.doer} told me: {place}, so {errand.doer} knows it!"
    )
    (found,) = chain(household(errand, [*first, *flat], deep))
    assert (found.turn, found.seat) == (3, errand.third)
    assert chain(household(errand, [*first, *whole], deep)) == ()
    assert chain(household(errand, [*first, *free], deep)) == ()


@SOME
def test_seeing_it_is_enough(k: int, many, household, setting) -> None:
    errand = many[k]
    here = setting(nested(errand, errand.third))
    seen = [(errand.third, f"Navigate[{errand.target}]"), *errand.fetch()]
    assert chain(household(errand, seen, here)) == ()


@SOME
def test_what_does_not_hold_breaks_no_chain(k: int, many, household) -> None:
    errand = many[k]
    assert chain(household(errand, [*errand.told(), *errand.fetch(errand.wrong)])) == ()


@SOME
def test_a_relay_in_the_same_turn_tells_nothing(k: int, many, household, setting) -> None:
    """Who relayed had not heard it yet. The record is one without a log of knowledge, to which the log's rule is applied."""
    errand = many[k]
    apart = setting(barred={errand.third: (errand.room,)})
    words = f"good news: {errand.thing} now stands on {errand.target}"
    relay = [*errand.says(errand.doer, errand.third, words), *errand.says(errand.third, errand.holder, words)]
    record = household(errand, [*errand.fetch(), *relay], apart)
    assert chain(record) == ()
    del record.facts["questions"], record.facts["tests"]
    record.facts["entitled"] = dict.fromkeys(record.facts["entitled"])
    assert chain(record) == ()
    first, second = record.facts["messages"]
    second["turn"] = first["turn"]
    assert len(chain(record)) == 1


@SOME
def test_not_closed_is_open(k: int, many, household, setting) -> None:
    errand = many[k]
    known = f"(K {errand.holder} (K {errand.doer} (not (is_closed {errand.door}))))"
    deep = setting(f"(and {errand.goal} (not (is_closed {errand.door})) {known})")
    opens = [(errand.doer, f"Navigate[{errand.door}]"), (errand.doer, f"Open[{errand.door}]")]
    told = errand.says(errand.doer, errand.third, f"{errand.door} is open.")
    relay = errand.says(errand.third, errand.holder, f"{errand.doer} knows that {errand.door} is open.")
    record = household(errand, [*opens, *told, *relay], deep)
    record.facts["entitled"] = dict.fromkeys(record.facts["entitled"])
    assert chain(record) == ()
