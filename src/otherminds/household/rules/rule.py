"""Rules of action as data: parameters, preconditions with the message of each failure, effects; and rules ground to bit masks.

A pattern is a predicate with its arguments, ``("is_closed", "?f")``. Arguments that begin with ``?`` are parameters;
all others are names. A state of the house is one whole number with a bit for each fact, and so is what an agent believes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct, field, structs

from otherminds.household.epistemic.predicates import OPPOSITES

Pattern = tuple[str, ...]
Fact = tuple[str, ...]
"""A pattern without parameters."""

PLACING = ("is_held_by", "is_on_top", "is_inside", "lies_on")
DYNAMIC = frozenset((*OPPOSITES, *PLACING, "at", "agent_in_room", "hand_empty", "left"))
"""The predicates that rules change; all others are static."""


class Precondition(Struct, frozen=True):
    """What must hold, and the message if it does not; ``{f}`` is replaced by the value of ``?f``."""

    pattern: Pattern
    text: str = ""


class Rule(Struct, frozen=True):
    """One way in which a tool can work.

    ``parameters`` pair each name with its type: agent, spot, room, furniture (including floors), object or number.
    Preconditions are tested in order. All are positive, because opposites (``is_open``, ``is_closed``) are separate
    facts. ``del_effects`` are applied before ``add_effects``. ``says`` is the message of a success. If ``shown`` is
    false, a success is reported like a failure, but its effects are applied.
    """

    name: str
    tool: str
    parameters: tuple[tuple[str, str], ...]
    preconditions: tuple[Precondition, ...]
    add_effects: tuple[Pattern, ...] = ()
    del_effects: tuple[Pattern, ...] = ()
    says: str = ""
    shown: bool = True

    def given(self, values: Mapping[str, str], name: str) -> Rule:
        """This rule with some parameters replaced by constants, under another name."""
        return structs.replace(
            self,
            name=name,
            parameters=tuple(pair for pair in self.parameters if pair[0] not in values),
            preconditions=tuple(
                Precondition(bound(precondition.pattern, values), fill_words(precondition.text, values))
                for precondition in self.preconditions
            ),
            add_effects=tuple(bound(pattern, values) for pattern in self.add_effects),
            del_effects=tuple(bound(pattern, values) for pattern in self.del_effects),
            says=fill_words(self.says, values),
        )


class Axiom(Struct, frozen=True):
    """A derived fact: ``head`` holds if all of ``body`` hold for some furniture ``?f``."""

    head: Pattern
    body: tuple[Pattern, ...]


class Facts:
    """Numbers every fact that a task can have; bit ``i`` of a state says whether fact ``i`` holds."""

    def __init__(self) -> None:
        self.named: list[Fact] = []
        self._index: dict[Fact, int] = {}

    def index(self, fact: Fact) -> int:
        """The number of ``fact``; an unknown fact gets the next number."""
        if fact not in self._index:
            self._index[fact] = len(self.named)
            self.named.append(fact)
        return self._index[fact]

    def add(self, facts: Sequence[Fact]) -> None:
        """Numbers ``facts``, of which unknown ones get the next numbers, in order."""
        fresh = [fact for fact in facts if fact not in self._index]
        self._index |= zip(fresh, range(len(self.named), len(self.named) + len(fresh)), strict=True)
        self.named += fresh

    def bit(self, fact: Fact) -> int:
        """``fact`` alone, as a mask."""
        return 1 << self.index(fact)

    def mask(self, facts: Iterable[Fact]) -> int:
        """All of ``facts``, as a mask."""
        mask = 0
        for fact in facts:
            mask |= self.bit(fact)
        return mask

    def get(self, fact: Fact) -> int:
        """The mask of ``fact``, or 0 if the task cannot have it."""
        return 1 << self._index[fact] if fact in self._index else 0

    def shown(self, state: int) -> Iterator[Fact]:
        """The facts of a state, by number."""
        return (self.named[number] for number in bits(state))


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, in increasing order.

    >>> bits(0b10110)
    [1, 2, 4]
    """
    numbers: list[int] = []
    while mask:
        highest = mask.bit_length() - 1
        numbers.append(highest)
        mask ^= 1 << highest
    numbers.reverse()
    return numbers


class GroundRule(Struct, frozen=True):
    """A rule with values for all its parameters.

    It is applicable if all ``preconditions`` hold. The next state is ``(state | effects) ^ deleted``: ``effects`` are all
    facts that it changes, ``deleted`` those that do not hold afterwards. ``first`` has the mask of each precondition of
    ``rule``, in order, by its number, except of static ones that hold; the mask of a static one that does not hold is -1,
    which no state contains.
    """

    preconditions: int
    effects: int
    deleted: int
    first: dict[int, int]
    says: str
    shown: bool
    rule: Rule
    values: Mapping[str, str]
    texts: dict[int, str] = field(default_factory=dict[int, str])

    def refusal(self, state: int) -> str:
        """The message of the first precondition that does not hold in ``state``; empty if all hold."""
        for number, mask in self.first.items():
            if state & mask != mask:
                text = self.texts.get(number)
                if text is None:
                    text = self.texts[number] = fill_words(self.rule.preconditions[number].text, self.values)
                return text
        return ""


def ground(rule: Rule, values: Mapping[str, str], facts: Facts, static: Set[Fact]) -> GroundRule:
    """``rule`` with ``values`` for all its parameters.

    ``facts`` are not extended: a precondition that the task cannot have never holds, and only a rule that is never
    applicable has such an effect.
    """
    first: dict[int, int] = {}
    for number, precondition in enumerate(rule.preconditions):
        fact = bound(precondition.pattern, values)
        if fact[0] in DYNAMIC or fact not in static:
            first[number] = facts.get(fact) or -1
    preconditions = added = deleted = 0
    for mask in first.values():
        preconditions |= mask
    for precondition in rule.del_effects:
        deleted |= facts.get(bound(precondition, values))
    for precondition in rule.add_effects:
        added |= facts.get(bound(precondition, values))
    says = fill_words(rule.says, values)
    effects = added | deleted
    return GroundRule(preconditions, effects, effects ^ added, first, says, rule.shown, rule, values)


def pattern(text: str) -> Pattern:
    """A pattern from its text.

    >>> pattern("is_on_top ?o ?f")
    ('is_on_top', '?o', '?f')
    """
    return tuple(text.split())


def patterns(text: str) -> tuple[Pattern, ...]:
    """Patterns separated by commas."""
    return tuple(map(pattern, text.split(",")))


def bound(fact: Pattern, values: Mapping[str, str]) -> Fact:
    """A pattern with values substituted for its parameters.

    >>> bound(("is_on_top", "?o", "?f"), {"?o": "bowl_0", "?f": "table_1"})
    ('is_on_top', 'bowl_0', 'table_1')
    """
    return tuple([values.get(part, part) for part in fact])


def fill_words(text: str, values: Mapping[str, str]) -> str:
    """A message with values substituted for ``{f}`` and other placeholders.

    >>> fill_words("{f} is closed.", {"?f": "fridge_1"})
    'fridge_1 is closed.'
    """
    for name, value in values.items():
        text = text.replace(f"{{{name[1:]}}}", value)
    return text
