"""Beliefs: what was noted last holds, and what follows from it."""

from hypothesis import given
from hypothesis import strategies as some

from otherminds.household.epistemic.formula import Atom, Literal, Not
from otherminds.household.epistemic.predicates import opposite
from otherminds.household.reference.picture import Picture

ROOM_OF = {
    "table_1": "kitchen_1",
    "cabinet_2": "kitchen_1",
    "bed_3": "bedroom_1",
    "floor_bedroom_1": "bedroom_1",
}
FURNITURE, ROOMS, OBJECTS = tuple(ROOM_OF), ("kitchen_1", "bedroom_1"), ("bowl_0", "cup_1")
ATOMS = some.one_of(
    some.builds(
        lambda p, o, f: Atom(p, (o, f)),
        some.sampled_from(("is_on_top", "is_inside")),
        some.sampled_from(OBJECTS),
        some.sampled_from(FURNITURE),
    ),
    some.builds(
        lambda o, r: Atom("is_in_room", (o, r)), some.sampled_from(OBJECTS), some.sampled_from(ROOMS)
    ),
    some.builds(lambda o: Atom("is_on_floor", (o,)), some.sampled_from(OBJECTS)),
    some.builds(lambda o: Atom("is_held_by", (o, "agent_1")), some.sampled_from(OBJECTS)),
    some.builds(lambda r: Atom("agent_in_room", ("agent_1", r)), some.sampled_from(ROOMS)),
    some.builds(lambda p: Atom(p, ("cabinet_2",)), some.sampled_from(("is_open", "is_closed"))),
    some.just(Atom("is_next_to", OBJECTS)),
)
LITERALS: some.SearchStrategy[Literal] = some.one_of(ATOMS, ATOMS.map(Not))


def picture(*literals: Literal) -> Picture:
    made = Picture(ROOM_OF)
    for literal in literals:
        made.note(literal)
    return made


@given(some.lists(LITERALS, max_size=6), ATOMS)
def test_what_is_noted_holds_whatever_was_noted_before(before: list[Literal], atom: Atom) -> None:
    made = picture(*before, atom)
    assert made.holds(atom) is True
    assert made.holds(Not(atom)) is False


@given(some.lists(LITERALS, max_size=6), ATOMS)
def test_what_is_denied_is_not_believed(before: list[Literal], atom: Atom) -> None:
    made = picture(*before, Not(atom))
    assert made.holds(atom) is not True
    if opposite(atom):
        assert made.holds(atom) is False


def test_an_empty_picture_knows_nothing() -> None:
    assert picture().holds(Atom("is_open", ("cabinet_2",))) is None
    assert picture().room("bowl_0") is None
    assert picture().room("table_1") == "kitchen_1"


def test_where_an_object_is_settles_where_it_is_not() -> None:
    made = picture(Atom("is_on_top", ("bowl_0", "table_1")))
    assert made.holds(Atom("is_in_room", ("bowl_0", "kitchen_1"))) is True
    assert made.holds(Atom("is_in_room", ("bowl_0", "bedroom_1"))) is False
    assert made.holds(Atom("is_inside", ("bowl_0", "cabinet_2"))) is False
    assert made.holds(Atom("is_on_floor", ("bowl_0",))) is False


def test_a_room_alone_leaves_open_where_in_it() -> None:
    made = picture(Atom("is_in_room", ("bowl_0", "kitchen_1")))
    assert made.holds(Atom("is_on_top", ("bowl_0", "table_1"))) is None
    assert made.holds(Atom("is_on_top", ("bowl_0", "bed_3"))) is False
    assert made.room("bowl_0") == "kitchen_1"


def test_what_somebody_holds_is_where_that_is() -> None:
    made = picture(Atom("is_held_by", ("bowl_0", "agent_1")), Atom("agent_in_room", ("agent_1", "bedroom_1")))
    assert made.room("bowl_0") == "bedroom_1"
    assert made.holds(Atom("is_in_room", ("bowl_0", "bedroom_1"))) is False


def test_no_nonsense_that_is_told_goes_round_in_circles() -> None:
    made = picture(Atom("is_on_top", ("bowl_0", "cup_1")), Atom("is_on_top", ("cup_1", "bowl_0")))
    assert made.room("bowl_0") is None
