"""Free text read by the names in it and a few words around them: no model, and time linear in its length.

A thing is named by its name in any spelling (``table_18``, ``Table 18``), or by its type where the
goal and the secrets speak of one of that type only ("the fridge").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise

from msgspec import Struct

from otherminds.epistemic import Literal, Not, atom
from otherminds.epistemic.predicates import NAME
from otherminds.measures.household.patterns.vocabulary import (
    ASKING,
    AUXILIARY,
    DENYING,
    DOING,
    FILLERS,
    KNOWING,
    MEANING,
    OBLIGING,
    PICKING,
    POLITE,
    STATES,
    TELLING,
    TOLD,
    WISHING,
    stem,
)
from otherminds.measures.household.trace import Trace

TOKEN = re.compile(r"[a-z]+|[0-9]+", re.ASCII)
CLAUSES = re.compile(r"[;\n]")
NEAR = 3
"""Words after an agent's name within which a verb is its own."""
MOST = 200
"""Words of a clause that are read, so that the work grows with a text's length alone."""


class Clause(Struct, frozen=True):
    """``words`` in lower case, and at which of them a name begins; ``asks`` back if it ends in a question mark."""

    words: tuple[str, ...]
    names: tuple[tuple[int, str], ...]
    asks: bool

    def says(self, some: frozenset[str]) -> bool:
        """Whether one of some words stands in it."""
        return not some.isdisjoint(self.words)

    def pairs(self, end: int | None = None) -> frozenset[str]:
        """Every two words that stand together, before the word at ``end``."""
        words = self.words[:end]
        return frozenset(f"{one} {other}" for one, other in pairwise(words))

    @property
    def wishes(self) -> bool:
        """Whether it speaks of what is to be, or is wanted."""
        return self.says(WISHING | MEANING) or not OBLIGING.isdisjoint(self.pairs())

    def named(self, start: int = 0) -> tuple[str, ...]:
        """What is named from a word on."""
        return tuple(name for at, name in self.names if at >= start)


class ActionRequest(Struct, frozen=True):
    """Somebody is asked to do something: ``doer`` is empty for whoever reads the message.

    ``picks`` if it is to pick up the first of the ``names``.
    """

    doer: str
    names: tuple[str, ...]
    picks: bool


class Reader:
    """Reads what is written in one episode."""

    def __init__(self, seen: Trace) -> None:
        task = seen.task
        told = [
            task.goal,
            *task.private_goals.values(),
            *(line for told in task.secrets.values() for line in told),
        ]
        spoken = dict.fromkeys(name for text in told for name in NAME.findall(text))
        picked = (act.args[0] for act in seen.log if act.tool == "Pick")
        rooms = tuple(dict.fromkeys(task.rooms.values()))
        self._seats = frozenset(seen.seats)
        self._starts: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for name in dict.fromkeys((*seen.seats, *spoken, *task.rooms, *rooms, *picked)):
            self._add(_words(name), name)
        for group in (rooms, tuple(name for name in spoken if name not in rooms and name not in seen.seats)):
            kinds = Counter(_words(name)[:-1] for name in group)
            for name in group:
                if kinds[_words(name)[:-1]] == 1:
                    self._add(_words(name)[:-1], name)
        for entries in self._starts.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def aims_at(self, text: str, literal: Literal) -> bool:
        """Whether a sentence tells that a literal is wanted: where the object goes, how the thing is to be."""
        fact = atom(literal)
        for clause in self.clauses(text):
            named = clause.named()
            if clause.says(DENYING) != isinstance(literal, Not) or fact.args[-1] not in named:
                continue
            if fact.predicate in STATES:
                if clause.says(STATES[fact.predicate]) and set(fact.args) <= set(named):
                    return True
            elif fact.args[0] in named or clause.wishes or any(stem(w) in DOING for w in clause.words):
                return True
        return False

    def reports(self, text: str, literal: Literal) -> tuple[str, ...] | None:
        """Who is said to know that a literal holds, outermost first; ``()`` if it is said itself, ``None`` if not."""
        for clause in self.clauses(text):
            open_still = clause.asks or clause.wishes or self._request(clause) is not None
            if not open_still and self._mentions(clause, literal):
                seats = [(at, name) for at, name in clause.names if name in self._seats]
                knowers = (name for at, name in seats if _knows(clause, at, name))
                return tuple(name for name, _ in groupby(knowers))
        return None

    def confesses(self, text: str, literal: Literal) -> bool:
        """Whether a sentence tells that its writer wants a literal to hold, or asks for it."""
        return any(
            self._mentions(clause, literal) and (clause.wishes or self._request(clause) is not None)
            for clause in self.clauses(text)
        )

    def requests(self, text: str) -> tuple[ActionRequest, ...]:
        """What a sentence asks somebody to do with their hands, or to go and see."""
        found = (self._request(clause) for clause in self.clauses(text))
        return tuple(request for request in found if request and request.names)

    def clauses(self, text: str) -> Iterator[Clause]:
        """The parts of a sentence between semicolons."""
        for part in CLAUSES.split(text.casefold().replace("n't", " not").replace("n\u2019t", " not")):
            words = _words(part)[:MOST]
            names: list[tuple[int, str]] = []
            at = 0
            while at < len(words):
                length, name = self._named_at(words, at)
                if name:
                    names.append((at, name))
                at += length
            yield Clause(words, tuple(names), part.rstrip().endswith("?"))

    def _add(self, words: tuple[str, ...], name: str) -> None:
        self._starts.setdefault(words[0], []).append((words, name))

    def _named_at(self, words: tuple[str, ...], at: int) -> tuple[int, str]:
        """The words that a name takes here, and the name; one word and nothing where none stands.

        A type is no name before a number: "cabinet 7" is not the one cabinet that is spoken of.
        """
        for form, name in self._starts.get(words[at], ()):
            end = at + len(form)
            if words[at:end] == form and (form[-1].isdigit() or not "".join(words[end : end + 1]).isdigit()):
                return len(form), name
        return 1, ""

    def _mentions(self, clause: Clause, literal: Literal) -> bool:
        """Whether a clause names all that a literal is about, and says (not: denies) its state."""
        fact = atom(literal)
        state = STATES.get(fact.predicate)
        said = state is None or clause.says(state)
        return (
            said
            and set(fact.args) <= set(clause.named())
            and clause.says(DENYING) == isinstance(literal, Not)
        )

    def _request(self, clause: Clause) -> ActionRequest | None:
        """What a clause asks to be done: an imperative, a polite form, or a plan for an agent."""
        words = clause.words
        if clause.says(DENYING):
            return None
        starts = [(at, stem(word)) for at, word in enumerate(words) if stem(word) in DOING | TELLING]
        seats = {at: name for at, name in clause.names if name in self._seats}
        for at, verb in starts:
            heard = words[at + 1 : at + 2]
            if verb in TELLING:
                if heard and heard[0] in ("me", "us"):
                    return None
                asked = seats.get(at + 1, "")
                action = next((pair for pair in starts if pair[0] > at and pair[1] in DOING), None)
                if (asked or heard == ("you",)) and action:
                    return ActionRequest(asked, self._things(clause, action[0]), action[1] in PICKING)
                continue
            by = next((name for place, name in seats.items() if _does(words, place + 2, at)), "")
            if by or self._asked_for(clause, at, seats):
                doer = by or next((name for place, name in seats.items() if place < at), "")
                return ActionRequest(doer, self._things(clause, at), verb in PICKING)
        return None

    def _things(self, clause: Clause, start: int) -> tuple[str, ...]:
        return tuple(name for name in clause.named(start) if name not in self._seats)

    def _asked_for(self, clause: Clause, at: int, seats: dict[int, str]) -> bool:
        """Whether the verb at a place is an imperative, or comes after a form of asking."""
        before = clause.words[:at]
        addressed = {place + k for place in seats for k in (0, 1)}
        if all(word in FILLERS or k in addressed for k, word in enumerate(before)):
            return True
        if "i" in before[-2:]:
            return False
        return not POLITE.isdisjoint(before) or not ASKING.isdisjoint(clause.pairs(at))


def _words(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in lower case: ``table_18`` is two."""
    return tuple(TOKEN.findall(text))


def _does(words: tuple[str, ...], start: int, at: int) -> bool:
    """Whether a verb is that of an agent whose name ends at ``start``: "brings", "should bring"."""
    between = words[start:at]
    return start <= at and AUXILIARY.issuperset(between) and (bool(between) or words[at] != stem(words[at]))


def _knows(clause: Clause, at: int, name: str) -> bool:
    """Whether the agent named at a place is said to know, or to have been told."""
    end = at + len(_words(name))
    return bool(KNOWING & set(clause.words[end : end + NEAR])) or clause.words[at - 1 : at] in {
        (t,) for t in TOLD
    }
