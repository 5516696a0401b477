"""Who had to be told what: targets, who is able, wrong guesses."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.words.sentences import read, tell
from otherminds.household.measures.patterns.withheld import (
    able,
    barred_from,
    required_literal,
    targets,
    triggers,
    wrong_guess,
)
from otherminds.household.measures.trace import trace
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.scenes.scene import kind_of
from tests.cases import for_each


def of(record):
    return targets(trace(record))


def test_a_target_names_who_is_able_and_who_can_be_told(errand, household, setting) -> None:
    (target,) = of(household(errand, []))
    assert target.holder == errand.holder
    assert set(target.able) == set(target.audience) == {errand.doer, errand.third}
    (target,) = of(
        household(
            errand, [], setting(barred={errand.third: (errand.room,)}, talk={errand.holder: (errand.third,)})
        )
    )
    assert (target.able, target.audience) == ((errand.doer,), (errand.third,))


@for_each(
    "words",
    [
        "{thing} must end on {target}.",
        "The {thing} has to go on {target}",
        "In the end, {thing} has to be on {target}.",
    ],
)
def test_secrets_are_understood_in_any_words(errand, household, setting, words: str) -> None:
    secret = words.format(thing=errand.thing, target=errand.target)
    assert [t.holder for t in of(household(errand, [], setting(secrets={errand.holder: (secret,)})))] == [
        errand.holder
    ]


def test_where_a_thing_is_now_is_no_target(errand, household, setting) -> None:
    secret = f"{errand.thing} is on {errand.target}."
    assert of(household(errand, [], setting(secrets={errand.holder: (secret,)}))) == []


def test_what_can_be_set_from_elsewhere_is_in_more_hands(errand, household, setting) -> None:
    home = {f: room for room, inside in errand.scene.furniture_in_rooms.items() for f in inside}
    bound = setting(f"(is_open {errand.door})", {}, {errand.holder: (home[errand.door],)})
    alone = trace(household(errand, [], bound))
    assert set(able(alone, parse(f"(is_open {errand.door})"))) == {errand.doer, errand.third}
    for statement in (Controls("lamp_9", errand.door, "open"), Mirrors(errand.door, "lamp_9")):
        secrets = {errand.third: (tell(statement, errand.third),)}
        seen = trace(household(errand, [], setting(bound.goal, secrets, bound.barred)))
        assert triggers(seen, errand.door) == ("lamp_9",)
        assert set(able(seen, parse(f"(is_open {errand.door})"))) == {
            errand.holder,
            errand.doer,
            errand.third,
        }


def test_only_an_agent_itself_can_hold_or_be_somewhere(errand, household) -> None:
    seen = trace(household(errand, []))
    assert able(seen, parse(f"(is_held_by {errand.thing} {errand.third})")) == (errand.third,)
    assert able(seen, parse(f"(agent_in_room {errand.doer} {errand.room})")) == (errand.doer,)
    assert able(seen, parse(f"(agent_in_room {errand.holder} {errand.room})")) == ()


def test_rooms_by_name_and_by_what_they_hold(errand, household) -> None:
    seen = trace(household(errand, []))
    assert barred_from(seen, errand.holder, (errand.thing, errand.target)) == errand.room
    assert barred_from(seen, errand.holder, (errand.room,)) == errand.room
    assert barred_from(seen, errand.holder, (errand.start,)) == ""
    assert barred_from(seen, errand.doer, (errand.target,)) == ""


def test_the_floor_is_no_guess(errand, household) -> None:
    script = [*errand.fetch()[:3], (errand.doer, f"Place[{errand.thing}, on, floor_{errand.room}]")]
    record = household(errand, script)
    (target,) = of(record)
    assert wrong_guess(trace(record), target) is None


@pytest.mark.parametrize("mirrored", [False, True])
def test_what_sets_a_thing_of_the_goal_is_no_guess(many, household, setting, mirrored: bool) -> None:
    errand, other = next(
        (e, f)
        for e in many
        for f in e.scene.articulated_furniture
        if f != e.door and kind_of(f) == kind_of(e.door)
    )
    home = {f: room for room, inside in errand.scene.furniture_in_rooms.items() for f in inside}
    door = errand.door
    secrets = {errand.holder: (f"{door} must end open.",)}
    secrets |= {errand.doer: (tell(Mirrors(other, door), errand.doer),)} if mirrored else {}
    bound = setting(f"(is_open {door})", secrets, {errand.holder: tuple({home[door], home[other]})})
    script = [(errand.doer, f"Navigate[{other}]"), (errand.doer, f"Open[{other}]")]
    record = household(errand, script, bound)
    (target,) = of(record)
    assert (wrong_guess(trace(record), target) is None) is mirrored


def test_what_statements_want() -> None:
    goal = parse("(is_closed cabinet_3)")
    for text in (
        "cabinet_3 must end closed.",
        "cabinet_3 must not end open.",
        "agent_1 will see to it that cabinet_3 ends closed.",
        "agent_1, please see to it that cabinet_3 ends closed.",
        "By the end, agent_1 must know that cabinet_3 is closed.",
    ):
        assert [required_literal(statement) for statement in read(text)] == [goal]
    assert [required_literal(statement) for statement in read("cabinet_3 is closed.")] == [None]
