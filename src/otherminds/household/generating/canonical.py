"""Canonical digests of labelled relations between named things: equal exactly if a renaming maps one onto the other.

Colour refinement tells things apart by their relations. Where it leaves several things with one colour, each of them in turn
gets a colour of its own, and the least result counts. Things that can be swapped without any change count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TypeAlias

import msgspec

Relation: TypeAlias = tuple[str, tuple[str, ...]]
"""A label, and the names of the things that it connects, in order."""
Row: TypeAlias = tuple[int, tuple[int, ...]]
"""A relation with numbers for its label and its things."""


def canonical_digest(kinds: Mapping[str, str], relations: Iterable[Relation]) -> str:
    """A hex digest of the relations up to the names of things.

    ``kinds`` has the kind of each thing, which renaming keeps; names in relations that it lacks are a ``KeyError``.

    >>> one = canonical_digest({"a": "", "b": ""}, [("above", ("a", "b"))])
    >>> one == canonical_digest({"x": "", "a": ""}, [("above", ("x", "a"))])
    True
    """
    return _Relations(kinds, relations).digest()


class _Relations:
    """Things and relations by number; ``at`` has, for each thing, its relations with its position in each."""

    def __init__(self, kinds: Mapping[str, str], relations: Iterable[Relation]) -> None:
        number = {name: k for k, name in enumerate(kinds)}
        distinct = set(relations)
        self.labels = sorted({label for label, _ in distinct})
        order = {label: k for k, label in enumerate(self.labels)}
        self.rows: set[Row] = {
            (order[label], tuple([number[name] for name in names])) for label, names in distinct
        }
        self.at: list[list[tuple[int, Row]]] = [[] for _ in kinds]
        for row in self.rows:
            for position, thing in enumerate(row[1]):
                self.at[thing].append((position, row))
        self.kinds = sorted(kinds.values())
        self.start = [self.kinds.index(kind) for kind in kinds.values()]

    def digest(self) -> str:
        """The digest of the least form."""
        return sha256(msgspec.json.encode([self.kinds, self.labels, self.least(self.start)])).hexdigest()

    def least(self, colours: Sequence[int]) -> list[Row]:
        """The least list of relations, with the colours of things in place of their numbers, over all ways to tell things apart."""
        colours = self.refined(colours)
        classes: dict[int, list[int]] = {}
        for thing, colour in enumerate(colours):
            classes.setdefault(colour, []).append(thing)
        several = next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), None)
        if several is None:
            return sorted((label, tuple([colours[k] for k in things])) for label, things in self.rows)
        chosen: list[int] = []
        for thing in several:
            if not any(self.alike(thing, other) for other in chosen):
                chosen.append(thing)
        doubled = [2 * colour + 1 for colour in colours]
        return min(
            self.least([colour - (k == thing) for k, colour in enumerate(doubled)]) for thing in chosen
        )

    def refined(self, colours: Sequence[int]) -> Sequence[int]:
        """Colours that agree only for things whose relations agree in colours too."""
        count = len(set(colours))
        while True:
            signs = [
                (
                    colours[thing],
                    tuple(
                        sorted(
                            [(p, label, tuple([colours[k] for k in things])) for p, (label, things) in rows]
                        )
                    ),
                )
                for thing, rows in enumerate(self.at)
            ]
            rank = {sign: k for k, sign in enumerate(sorted(set(signs)))}
            colours = [rank[sign] for sign in signs]
            if len(rank) == count:
                return colours
            count = len(rank)

    def alike(self, one: int, other: int) -> bool:
        """Whether the relations stay the same if two things are swapped."""
        swap = {one: other, other: one}
        return all(
            (label, tuple([swap.get(k, k) for k in things])) in self.rows
            for thing in (one, other)
            for _, (label, things) in self.at[thing]
        )
