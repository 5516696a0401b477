"""Names keep out of each other's way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.reports.marks import LIGHT, Labels, extent

STYLE = LIGHT.styles["object-name"]
SIZE = (1000, 1000)
places = st.tuples(st.floats(200, 800), st.floats(200, 800))


def box(text: str, at: tuple[float, float]) -> tuple[float, float, float, float]:
    wide, high = extent(text, STYLE.size)
    return at[0] - wide / 2, at[1] - high / 2, at[0] + wide / 2, at[1] + high / 2


def covers(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """By more than rounding does."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    along = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0.2 and along > 0.2


@given(places, st.tuples(st.floats(3, 20), st.floats(3, 20)))
def test_a_name_stands_beside_its_thing_and_not_on_it(
    at: tuple[float, float], half: tuple[float, float]
) -> None:
    middle, away = Labels(SIZE).place("bowl_0", STYLE, at, half)
    thing = (at[0] - half[0], at[1] - half[1], at[0] + half[0], at[1] + half[1])
    near = (thing[0] - 12, thing[1] - 12, thing[2] + 12, thing[3] + 12)
    assert not away
    assert covers(box("bowl_0", middle), near)


@given(places)
def test_names_of_things_in_one_place_do_not_cover_each_other(at: tuple[float, float]) -> None:
    labels = Labels(SIZE)
    names = [f"cup_{k}" for k in range(6)]
    boxes = [box(name, labels.place(name, STYLE, at, (4, 4))[0]) for name in names]
    assert not any(covers(boxes[i], boxes[j]) for i in range(6) for j in range(i))


def test_a_name_stays_on_the_picture() -> None:
    middle, _ = Labels(SIZE).place("bowl_0", STYLE, (998, 500), (4, 4))
    assert box("bowl_0", middle)[2] <= SIZE[0]


def test_a_copy_goes_its_own_way() -> None:
    labels = Labels(SIZE)
    first = labels.copy().place("cup_0", STYLE, (500, 500), (4, 4))
    assert labels.place("cup_0", STYLE, (500, 500), (4, 4)) == first


def test_of_places_as_good_the_first_is_taken() -> None:
    labels = Labels(SIZE)
    assert labels.within("bed_0", STYLE, [(300, 300), (600, 600)]) == (300, 300)
    assert labels.within("bed_1", STYLE, [(300, 300), (600, 600)]) == (600, 600)
