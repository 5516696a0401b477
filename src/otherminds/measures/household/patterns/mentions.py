"""Free text interpreted by the names in it and a few words around them: without a model, in linear time.

A thing is mentioned by its name in any spelling (``table_18``, ``Table 18``), or by its type if the goal and the secrets
mention only one thing of that type ("the fridge").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise

from msgspec import Struct

from otherminds.epistemic.formula import Literal, Not, atom
from otherminds.epistemic.predicates import NAME
from otherminds.measures.household.trace import Trace

TOKEN = re.compile(r"[a-z]+|[0-9]+", re.ASCII)
CLAUSES = re.compile(r"[;\n]")
NEAR = 3
"""The largest distance in words between an agent's name and its verb."""
MOST = 200
"""The largest number of words of a clause, so that the time is linear in the length of a text."""


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


DOING = _split(
    "bring carry check clean close collect come deliver drop empty enter explore fetch fill get go grab head "
    "inspect lay leave look move navigate open pick place pour power put return set shut switch take turn "
    "verify walk wash"
)
"""Acts that can be requested."""
PICKING = _split("collect fetch get grab pick")
"""Acts that require an empty hand."""
TELLING = _split("ask confirm inform let message pass relay remind report say tell")
"""Acts of communication that can be requested."""
POLITE = _split("kindly please plz pls")
ASKING = frozenset(("you should", "you must", "you to")).union(
    f"{word} you" for word in ("can", "could", "would", "will", "need", "want")
)
"""Two words that introduce a request."""
AUXILIARY = _split("can could has must needs should to will")
"""Words between an agent and its act."""
FILLERS = POLITE | _split(
    "also and everyone first guys hello hey hi just next now ok okay so team thanks then well"
)
"""Words before an imperative."""
WISHING = _split(
    "aim goal hope must mission need needs objective ought personal personally prefer private "
    "privately secret secretly should supposed target want wants wish"
)
OBLIGING = frozenset(("have to", "has to"))
"""Two words that introduce a wish."""
MEANING = _split("gonna going intend later ll planning shall soon will")
"""Words of the future."""
DENYING = _split("cannot cant didnt doesnt dont isnt neither never no nobody none nor not wont without")
KNOWING = _split(
    "aware checked confirmed confirms informed knows know noticed reported reports said saw says seen sees told"
)
TOLD = _split("told informed")

STATES: dict[str, frozenset[str]] = {
    "is_open": _split("open opened opening opens"),
    "is_closed": _split("close closed closes closing shut shuts shutting"),
    "is_clean": _split("clean cleaned wash washed"),
    "is_dirty": _split("dirty unwashed"),
    "is_filled": _split("fill filled full"),
    "is_empty": _split("empty emptied"),
    "is_powered_on": _split("on powered running"),
    "is_powered_off": _split("off unpowered"),
    "is_on_floor": _split("floor ground"),
    "is_held_by": _split("carries carry carrying has have hold holding holds"),
}
"""Words for each state; one of them must accompany a name."""


class Clause(Struct, frozen=True):
    """``words`` in lower case, the indices of names, and whether the clause ``asks`` (ends in a question mark)."""

    words: tuple[str, ...]
    names: tuple[tuple[int, str], ...]
    asks: bool

    def says(self, some: frozenset[str]) -> bool:
        return not some.isdisjoint(self.words)

    def pairs(self, end: int | None = None) -> frozenset[str]:
        """All pairs of adjacent words before the word at ``end``."""
        words = self.words[:end]
        return frozenset(f"{one} {other}" for one, other in pairwise(words))

    @property
    def wishes(self) -> bool:
        return self.says(WISHING | MEANING) or not OBLIGING.isdisjoint(self.pairs())

    def named(self, start: int = 0) -> tuple[str, ...]:
        """The names from a word on."""
        return tuple(name for at, name in self.names if at >= start)


class ActionRequest(Struct, frozen=True):
    """A request to act; ``doer`` is empty for the receivers of the message.

    ``picks`` says whether the first of the ``names`` is to be picked up.
    """

    doer: str
    names: tuple[str, ...]
    picks: bool


class Reader:
    """Interprets the messages and secrets of one episode."""

    def __init__(self, seen: Trace) -> None:
        task = seen.task
        secrets = (line for told in task.secrets.values() for line in told)
        told = [task.goal, *task.private_goals.values(), *secrets]
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
        """Whether a sentence states a literal as a goal: the place of an object, or the state of a thing."""
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
        """The agents that a sentence states to know a literal, outermost first; ``()`` for the literal itself, else ``None``."""
        for clause in self.clauses(text):
            open_still = clause.asks or clause.wishes or self._request(clause) is not None
            if not open_still and self._mentions(clause, literal):
                seats = [(at, name) for at, name in clause.names if name in self._seats]
                knowers = (name for at, name in seats if _knows(clause, at, name))
                return tuple(name for name, _ in groupby(knowers))
        return None

    def confesses(self, text: str, literal: Literal) -> bool:
        """Whether the writer of a sentence wants a literal to hold, or asks for it."""
        return any(
            self._mentions(clause, literal) and (clause.wishes or self._request(clause) is not None)
            for clause in self.clauses(text)
        )

    def requests(self, text: str) -> tuple[ActionRequest, ...]:
        """The requests for acts or observations in a sentence."""
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
        """The number of words of the name at an index, and the name; 1 and an empty name if there is none.

        A type before a number is not a name: "cabinet 7" is not the only mentioned cabinet.
        """
        for form, name in self._starts.get(words[at], ()):
            end = at + len(form)
            if words[at:end] == form and (form[-1].isdigit() or not "".join(words[end : end + 1]).isdigit()):
                return len(form), name
        return 1, ""

    def _mentions(self, clause: Clause, literal: Literal) -> bool:
        """Whether a clause contains all names of a literal, and states its state with the same polarity."""
        fact = atom(literal)
        state = STATES.get(fact.predicate)
        if clause.says(DENYING) != isinstance(literal, Not) or (state and not clause.says(state)):
            return False
        return set(fact.args) <= set(clause.named())

    def _request(self, clause: Clause) -> ActionRequest | None:
        """The request of a clause: an imperative, a polite form, or a plan for an agent."""
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
        """Whether the verb at an index is an imperative, or follows a form of request."""
        before = clause.words[:at]
        addressed = {place + k for place in seats for k in (0, 1)}
        if all(word in FILLERS or k in addressed for k, word in enumerate(before)):
            return True
        if "i" in before[-2:]:
            return False
        return not POLITE.isdisjoint(before) or not ASKING.isdisjoint(clause.pairs(at))


def stem(word: str) -> str:
    """The stem of a verb form in -s, -es or -ing if it is in ``DOING`` or ``TELLING``; else the word.

    >>> stem("placing"), stem("brings"), stem("fetches"), stem("putting"), stem("thing")
    ('place', 'bring', 'fetch', 'put', 'thing')
    """
    ends = [word]
    if word.endswith("ing"):
        root = word[:-3]
        ends += [root, root + "e", root[:-1]]
    elif word.endswith("s"):
        ends += [word[:-1], word[:-2]]
    return next((end for end in ends if end in DOING or end in TELLING), word)


def _words(text: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(text))


def _does(words: tuple[str, ...], start: int, at: int) -> bool:
    """Whether a verb is that of an agent whose name ends at ``start``: "brings", "should bring"."""
    between = words[start:at]
    return start <= at and AUXILIARY.issuperset(between) and (bool(between) or words[at] != stem(words[at]))


def _knows(clause: Clause, at: int, name: str) -> bool:
    """Whether the agent at an index is stated to know, or to have been told."""
    end = at + len(_words(name))
    return bool(KNOWING & set(clause.words[end : end + NEAR])) or clause.words[at - 1 : at] in {
        (t,) for t in TOLD
    }
