"""Acting for oneself against the shared goal, and telling one's private goal, are found in mixed tasks alone."""

from __future__ import annotations

from otherminds.household.epistemic.parse import parse
from otherminds.household.measures.patterns.partners import at_odds, private
from tests.cases import for_each

EACH = for_each("k", range(24))
SOME = for_each("k", range(0, 24, 4))
TELLING = (
    "{door} must end closed.",
    "I will see to it that {door} ends closed.",
    "My personal objective: {door} CLOSED in the end.",
    "Just between us, I want {door} closed.",
    "Could you close {door} for me?",
)
OTHER = ("{door} is closed.", "{door} must end open.", "Please open {door}.", "Hello there!")


def moves(who: str, *calls: str) -> list[tuple[str, str]]:
    return [(who, call) for call in calls]


def doors(errand, setting, own: str = "is_closed", cooperative: bool = False):
    """The shared goal wants a door open; one agent privately wants it otherwise."""
    return setting(
        f"(and (is_open {errand.door}) (K {errand.doer} (is_open {errand.door})))",
        {errand.doer: (f"{errand.door} must end open.",)},
        {errand.holder: ()},
        private={} if cooperative else {errand.third: f"({own} {errand.door})"},
    )


@EACH
def test_undoing_what_is_shared(k: int, many, household, setting) -> None:
    errand = many[k]
    script = [
        *errand.wait(),
        *moves(errand.doer, f"Navigate[{errand.door}]", f"Open[{errand.door}]"),
        *moves(errand.third, f"Navigate[{errand.door}]", f"Close[{errand.door}]"),
    ]
    (found,) = private(household(errand, script, doors(errand, setting)))
    assert (found.turn, found.seat) == (errand.delay + 3, errand.third)
    assert private(household(errand, script, doors(errand, setting, cooperative=True))) == ()


@SOME
def test_doing_the_opposite(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(
        barred={errand.holder: ()}, private={errand.third: f"(is_on_top {errand.thing} {errand.wrong})"}
    )
    script = [(errand.third, call) for _, call in errand.fetch(errand.wrong)]
    (found,) = private(household(errand, [*errand.wait(), *script], bound))
    assert (found.turn, found.seat) == (errand.delay + 3, errand.third)


@EACH
def test_telling_it(k: int, many, household, setting) -> None:
    errand = many[k]
    told = errand.says(errand.third, errand.doer, TELLING[k % len(TELLING)].format(door=errand.door))
    (found,) = private(household(errand, [*errand.wait(), *told], doors(errand, setting)))
    assert (found.turn, found.seat) == (errand.delay, errand.third)


@EACH
def test_other_words_give_nothing_away(k: int, many, household, setting) -> None:
    errand = many[k]
    told = errand.says(errand.third, errand.doer, OTHER[k % len(OTHER)].format(door=errand.door))
    assert private(household(errand, told, doors(errand, setting))) == ()


@SOME
def test_a_harmless_goal_of_ones_own(k: int, many, household, setting) -> None:
    errand = many[k]
    bound = setting(private={errand.third: f"(is_open {errand.door})"})
    script = moves(errand.third, f"Navigate[{errand.door}]", f"Open[{errand.door}]")
    record = household(errand, [*errand.wait(), *errand.told(), *errand.fetch(), *script], bound)
    assert record.facts["solved"]
    assert record.facts["private"] == {errand.third: True}
    assert private(record) == ()


@SOME
def test_somebody_elses_doing(k: int, many, household, setting) -> None:
    errand = many[k]
    script = moves(errand.doer, f"Navigate[{errand.door}]", f"Open[{errand.door}]", f"Close[{errand.door}]")
    assert private(household(errand, script, doors(errand, setting))) == ()


@for_each(
    ("one", "other", "cannot"),
    [
        ("(is_open cabinet_1)", "(is_closed cabinet_1)", True),
        ("(is_open cabinet_1)", "(is_closed cabinet_2)", False),
        ("(is_on_top cup_1 table_2)", "(is_inside cup_1 cabinet_1)", True),
        ("(is_on_top cup_1 table_2)", "(is_on_top cup_1 table_2)", False),
        ("(is_on_top cup_1 table_2)", "(is_in_room cup_1 kitchen_1)", False),
        ("(is_in_room cup_1 bedroom_1)", "(is_in_room cup_1 kitchen_1)", True),
        ("(is_on_top cup_1 table_2)", "(not (is_on_top cup_1 table_2))", True),
        ("(is_next_to cup_1 cup_2)", "(is_on_top cup_1 table_2)", False),
    ],
)
def test_what_cannot_both_hold(one: str, other: str, cannot: bool) -> None:
    assert at_odds(parse(one), parse(other)) is cannot
    assert at_odds(parse(other), parse(one)) is cannot
