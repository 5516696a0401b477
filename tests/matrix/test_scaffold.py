"""The scaffold of matrix games: the labels of the episode in its order, and no plans."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.contracts import Manner, PlanningScaffold
from otherminds.core.data import Encounter, Game, Invalid
from otherminds.core.scenario import scenario
from otherminds.games.registry import games
from otherminds.matrix.words import MatrixScaffold, MatrixVerbalizer
from tests.cases import for_each

EGO, PARTNER = "ego", "partner_0"
RPS = games.get("rps")()
CLASH = Game("clash", (("up", "down"), ("left", "middle", "right")), (((1, 0),) * 3, ((0, 1),) * 3))


def words(game: Game = RPS, order: tuple[int, ...] = (2, 0, 1)) -> MatrixScaffold:
    own, other = ("J", "F", "B")[: len(game.behaviours[0])], ("J", "F", "B")[: len(game.behaviours[1])]
    return MatrixScaffold(MatrixVerbalizer(game, EGO, PARTNER, own, other, order, 20))


def test_rounds_are_encounters_that_are_told_and_what_is_chosen_is_played() -> None:
    assert words().manner == Manner(hidden=False, joint=True, choice="behaviour")
    assert words().clues() == ""


def test_options_are_called_and_listed_as_the_telling_does() -> None:
    scaffold = words()
    assert scaffold.choices(EGO) == scaffold.choices(PARTNER) == ("B", "J", "F")
    assert [scaffold.written(behaviour, EGO) for behaviour in RPS.behaviours[0]] == ["J", "F", "B"]
    uneven = words(CLASH)
    assert (uneven.choices(EGO), uneven.choices(PARTNER)) == (("J", "F"), ("B", "J", "F"))
    assert [uneven.read("J", seat) for seat in (EGO, PARTNER)] == ["up", "left"]
    assert isinstance(uneven.read("B", EGO), Invalid)


@for_each("said", ["F", " F ", "Option F"])
def test_a_label_is_read_with_and_without_the_word_option(said: str) -> None:
    assert words().read(said, PARTNER) == RPS.behaviours[1][1]


@for_each("said", ["f", "paper", "Option", "", "F or J", "Option Option F", 1, True, None, ["F"], {}])
def test_nothing_else_is_read(said: Any) -> None:
    found = words().read(said, PARTNER)
    assert isinstance(found, Invalid)
    assert found.reason == "it is none of the options; write 'B', 'J' or 'F'"


@given(st.recursive(st.none() | st.text() | st.floats() | st.integers(), st.lists, max_leaves=4))
def test_garbage_never_raises(value: Any) -> None:
    found = words().read(value, EGO)
    assert found in RPS.behaviours[0] if isinstance(found, str) else len(found.raw) <= 200


@for_each("names", ["neutral", "canonical", ["Stay out", "Stay", "Go"]])
def test_the_scenario_draws_names_and_order_for_telling_and_scaffold_alike(names: Any) -> None:
    made = scenario("rps-mixed-v1", {"names": names, "rounds": 5})
    assert made.verbalizer is not None
    drawn = made.drawn(1) | {"order": [1, 2, 0]}
    telling = made.verbalizer(drawn, PARTNER)
    scaffold = telling.scaffolds["own"]
    world = made.world()
    world.reset(options={"grants": {PARTNER: {"game": RPS.flipped()}}})
    told, untold = (scaffold.system(world.brief(seat)) for seat in (PARTNER, EGO))
    assert told.startswith(telling.rules(world.brief(PARTNER)))
    assert f"Option {scaffold.choices(PARTNER)[0]}, Option {scaffold.choices(PARTNER)[1]} and" in told
    assert "receive" in told
    assert "receive" not in untold
    assert scaffold.seat(scaffold.name(EGO)) == EGO
    assert scaffold.seat("nobody") is None


def test_a_round_is_heard_by_its_own_part() -> None:
    for other in RPS.behaviours[1]:
        heard = words().heard(Encounter(4, {EGO: ("paper",), PARTNER: (other,)}, 1.0), ())
        assert (heard.when, heard.own) == ("round 5", "F")


def test_it_has_no_plans() -> None:
    assert not isinstance(words(), PlanningScaffold)
