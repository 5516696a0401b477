"""Digests are equal exactly for relations that a renaming maps onto each other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.household.generating.canonical import Relation, canonical_digest

THINGS = "abcd"
KINDS = {"a": "one", "b": "one", "c": "one", "d": "other"}
RELATIONS = st.frozensets(
    st.one_of(
        st.tuples(st.sampled_from("xy"), st.tuples(st.sampled_from(THINGS))),
        st.tuples(st.just("z"), st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS))),
    ),
    max_size=5,
)


def renamed(relations: frozenset[Relation], names: Mapping[str, str]) -> frozenset[Relation]:
    return frozenset((label, tuple(names[one] for one in things)) for label, things in relations)


def equal_up_to_names(one: frozenset[Relation], other: frozenset[Relation]) -> bool:
    orders = ((*order, "d") for order in permutations("abc"))
    return any(renamed(one, dict(zip(THINGS, order, strict=True))) == other for order in orders)


@settings(max_examples=300, deadline=None)
@given(RELATIONS, RELATIONS, st.permutations("abc"))
def test_digests_are_equal_exactly_for_relations_that_are_equal_up_to_names(one, other, order) -> None:
    digest = canonical_digest(KINDS, one)
    assert (digest == canonical_digest(KINDS, other)) == equal_up_to_names(one, other)
    names = dict(zip(THINGS, (*order, "d"), strict=True))
    assert canonical_digest({names[k]: kind for k, kind in KINDS.items()}, renamed(one, names)) == digest


def cycle(things: str) -> list[Relation]:
    pairs = zip(things, things[1:] + things[0], strict=True)
    return [("next", pair) for one, other in pairs for pair in ((one, other), (other, one))]


def test_relations_that_look_alike_from_each_thing_have_different_digests() -> None:
    """A ring of six and two rings of three: everything has two neighbours, so that refinement alone sees no difference."""
    kinds = dict.fromkeys("abcdef", "")
    digest = canonical_digest(kinds, cycle("abcdef"))
    assert digest == canonical_digest(kinds, cycle("afbecd"))
    assert digest != canonical_digest(kinds, cycle("abc") + cycle("def"))


def test_many_things_that_can_be_exchanged_take_no_time() -> None:
    """Without the look for exchangeable things, 30 factorial orders would be tried."""
    kinds = {f"thing_{k}": "" for k in range(30)}
    every = [("stays", (name,)) for name in kinds]
    assert canonical_digest(kinds, every) != canonical_digest(kinds, every[:-1])
