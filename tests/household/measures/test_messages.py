"""Messages are counted by what became of them, each for one thing."""

from __future__ import annotations

from otherminds.household.measures.attempts import Traffic, messages_wasted, traffic
from otherminds.household.measures.trace import trace
from otherminds.measures.registry import measures
from tests.cases import for_each


def counted(record) -> Traffic:
    return traffic(trace(record))


def test_news_is_no_waste(errand, household) -> None:
    record = household(errand, [*errand.told(), *errand.fetch(), *errand.reported()])
    assert counted(record) == Traffic(tried=2)
    assert messages_wasted(record) == (0, 2)
    assert measures.get("messages_used")(record) == 2


def test_blocked_ones_are_tried_and_not_used(errand, household, setting) -> None:
    bound = setting(talk={errand.holder: (errand.third,)}, limits={errand.holder: 1})
    script = [
        *errand.told(),
        *errand.says(errand.holder, errand.third, "Hi."),
        *errand.says(errand.holder, errand.third, "Yo."),
    ]
    found = counted(household(errand, script, bound))
    assert found == Traffic(tried=3, blocked=2)
    assert (found.used, found.wasted) == (1, 2)


@for_each(
    ("first", "second", "repeated"),
    [
        ("{thing} must end on {target}.", "{thing} must end on {target}.", 1),
        (
            "{thing} must end on {target}. {door} is open.",
            "{door} is open.  {thing} must end on {target}.",
            1,
        ),
        ("Look out!", "look  OUT!", 1),
        ("Look out!", "Look in!", 0),
        ("{thing} must end on {target}.", "{thing} must end on {wrong}.", 0),
    ],
)
def test_the_same_again(errand, household, first: str, second: str, repeated: int) -> None:
    names = {"thing": errand.thing, "target": errand.target, "wrong": errand.wrong, "door": errand.door}
    script = [
        call
        for text in (first, second)
        for call in errand.says(errand.third, errand.doer, text.format(**names))
    ]
    assert counted(household(errand, script)).repeated == repeated


def test_the_same_to_somebody_else_is_news(errand, household) -> None:
    script = [
        *errand.told(),
        *errand.says(errand.holder, "all", errand.secret),
        *errand.says(errand.holder, "all", errand.secret),
    ]
    assert counted(household(errand, script)) == Traffic(tried=3, repeated=1)


def test_known_from_another(errand, household) -> None:
    again = errand.says(errand.third, errand.doer, errand.secret)
    assert counted(household(errand, [*errand.told(), *again])) == Traffic(tried=2, known=1)
    assert counted(household(errand, errand.says(errand.third, errand.holder, errand.secret))).known == 1
    both = errand.says(errand.third, "all", errand.secret)
    assert counted(household(errand, [*errand.told(), *both])) == Traffic(tried=2, known=1)


def test_what_is_still_on_its_way_is_not_known(errand, household) -> None:
    record = household(errand, [*errand.told(), *errand.says(errand.third, errand.doer, errand.secret)])
    assert counted(record).known == 1
    for message in record.facts["messages"]:
        message["turn"] = 0
    assert counted(record).known == 0


def test_known_by_having_said_it(errand, household) -> None:
    place = f"{errand.thing} is on {errand.start}."
    script = [*errand.says(errand.doer, errand.third, place), *errand.says(errand.third, errand.doer, place)]
    assert counted(household(errand, script)).known == 1


def test_known_by_own_doing(errand, household) -> None:
    told = errand.says(errand.third, errand.doer, f"{errand.thing} is on {errand.target}.")
    assert counted(household(errand, [*errand.fetch(), *told])).known == 1
    assert counted(household(errand, [*told, *errand.fetch()])).known == 0


def test_known_by_sight(errand, household, setting) -> None:
    watching = setting(f"(and {errand.goal} (K {errand.third} {errand.goal}))")
    told = errand.says(errand.doer, errand.third, f"{errand.thing} is on {errand.target}.")
    there = [(errand.third, f"Navigate[{errand.target}]")]
    assert counted(household(errand, [*there, *errand.fetch(), *told], watching)).known == 1
    assert counted(household(errand, [*errand.fetch(), *told], watching)).known == 0


def test_not_closed_is_open(errand, household, setting) -> None:
    opens = [(errand.doer, f"Navigate[{errand.door}]"), (errand.doer, f"Open[{errand.door}]")]
    told = errand.says(errand.third, errand.doer, f"{errand.door} is not closed.")
    assert counted(household(errand, [*opens, *told])).known == 1
    watching = setting(f"(and {errand.goal} (K {errand.third} (not (is_closed {errand.door}))))")
    there = [(errand.third, f"Navigate[{errand.door}]")]
    told = errand.says(errand.doer, errand.third, f"{errand.door} is open.")
    assert counted(household(errand, [*there, *opens, *told], watching)).known == 1


def test_what_was_told_otherwise_since_is_not_known(errand, household) -> None:
    one, other = (f"{errand.thing} is on {place}." for place in (errand.start, errand.wrong))
    script = [
        *errand.says(errand.third, errand.doer, one),
        *errand.says(errand.third, errand.doer, other),
        *errand.says(errand.holder, errand.doer, one),
    ]
    assert counted(household(errand, script)) == Traffic(tried=3)


def test_of_free_words_nobody_can_say_who_knew(errand, household) -> None:
    script = [*errand.told(), *errand.says(errand.third, errand.doer, f"{errand.secret} Or so they say")]
    assert counted(household(errand, script)) == Traffic(tried=2)


def test_no_messages_no_share(errand, household) -> None:
    assert messages_wasted(household(errand, errand.fetch())) == (0, 0)
