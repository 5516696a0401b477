"""Sentences of the release's secrets that are read by their words, whatever the order: rooms, messages, states and mechanics.

A sentence of a kind has few words: those of access or of messages, of a state or a place, and of what is due. If each word of
a sentence belongs to one kind (``frames.txt``), its names and its negations decide what it says. A word of no list, such as
one that hedges or sets a condition, leaves it unread, and so does a second negation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, Not
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words.free.grammar import language_of
from otherminds.household.epistemic.words.free.parser import WordToken
from otherminds.household.epistemic.words.free.release import (
    Admitted,
    Confined,
    Coupled,
    KnowledgeGoal,
    Linked,
    Told,
    Unreached,
    aims,
)
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors

COUNTS = {"once": 1, "one": 1, "single": 1, "twice": 2, "thrice": 3, "zero": 0}
SKIPPED = frozenset(("the", "a", "an", "top", "of"))


@cache
def _list(*names: str) -> frozenset[str]:
    """The words of these lists of ``frames.txt`` together."""
    lists = language_of("frames.txt").lists
    return frozenset(word for name in names for word in lists[name])


class Sentence(Struct, frozen=True):
    """The words and names of a sentence; ``furniture`` are the names that are known to be furniture."""

    tokens: tuple[WordToken, ...]
    you: str
    furniture: frozenset[str]

    @property
    def texts(self) -> tuple[str, ...]:
        """The words, without names and numbers."""
        return tuple(token.text for token in self.tokens if not token.kind)

    def of(self, *kinds: str) -> tuple[str, ...]:
        """The different names of these classes, in their order."""
        return tuple(dict.fromkeys(token.text for token in self.tokens if token.kind in kinds))

    def has(self, *lists: str) -> bool:
        return not _list(*lists).isdisjoint(self.texts)

    def together(self, *ways: str) -> bool:
        """Whether some of these words stand side by side: "may be"."""
        spaced = f" {' '.join(token.text for token in self.tokens)} "
        return any(f" {way} " in spaced for way in ways)

    def within(self, *lists: str) -> bool:
        """Whether all words are in these lists or common."""
        return _list("COMMON", "NEGATIONS", *lists).issuperset(self.texts)

    def count(self, *lists: str) -> int:
        return sum(text in _list(*lists) for text in self.texts)

    def first(self, *kinds: str) -> int:
        """Where the first name of these classes stands; the number of tokens if there is none."""
        places = (k for k, token in enumerate(self.tokens) if token.kind in kinds)
        return next(places, len(self.tokens))

    def where(self, *lists: str) -> int:
        """Where the first word of these lists stands; the number of tokens if there is none."""
        places = (k for k, token in enumerate(self.tokens) if not token.kind and token.text in _list(*lists))
        return next(places, len(self.tokens))


def read_frames(tokens: Sequence[WordToken], you: str, furniture: frozenset[str]) -> Told:
    """What a sentence says by its words; empty if no frame reads it, or several do differently."""
    sentence = Sentence(tuple(tokens), you, furniture)
    if sentence.together("may be", "may not be", "may have") or ";" in sentence.texts:
        return ()
    readings = {
        content
        for frame in (_rooms, _links, _budget, _inverse, _pair, _house)
        if (content := frame(sentence))
    }
    return readings.pop() if len(readings) == 1 else ()


def _persons(sentence: Sentence) -> tuple[str, ...]:
    """The agents of whom a sentence speaks; "your teammate agent_1" is that teammate."""
    agents = sentence.of("AGENT")
    yours = () if agents and {"teammate", "partner"} & set(sentence.texts) else sentence.of("YOUR")
    return tuple(dict.fromkeys((*sentence.of("YOU"), *yours, *agents)))


def _rooms(sentence: Sentence) -> Told:
    """Rooms that somebody may not enter, the only ones that it may, or some that it may."""
    rooms, persons = sentence.of("ROOM"), _persons(sentence)
    if not rooms or not persons or sentence.of("THING", "NUMBER"):
        return ()
    if len(persons) > 1 and not {"and", "both", "neither"} & set(sentence.texts):
        return ()
    if not sentence.within("ACCESS", "DENIALS", "ONLY", "EXCEPT") or {"nobody", "none"} & set(sentence.texts):
        return ()
    denied = sentence.count("NEGATIONS") + sentence.has("DENIALS")
    if (
        not denied
        and not sentence.has("ONLY", "EXCEPT", "STAYING", "EVERYWHERE")
        and sentence.has("ADMITTING")
    ):
        return tuple(Admitted(person, rooms) for person in persons)
    alone = sentence.tokens[0].text in _list("ONLY") or sentence.tokens[1].text == "alone"
    if alone or not sentence.has("ENTERING", "STAYING", "DENIALS"):
        return ()
    apart = sentence.has("EXCEPT") and sentence.has("EVERYWHERE")
    if sentence.has("EXCEPT") and not apart:
        return ()
    if "or" in sentence.texts and sentence.first("ROOM") < sentence.where("NEGATIONS", "DENIALS"):
        return ()
    if sentence.has("ONLY") or (apart and denied == 1):
        staying = (
            not denied
            or (apart and denied == 1)
            or not set(sentence.texts) & (_list("DENIALS") - {"restricted"})
        )
        if staying and len(persons) == 1 and not sentence.count("NEGATIONS") - (apart and denied == 1):
            return (Confined(persons[0], rooms),)
        return ()
    if denied == (0 if apart else 1):
        if {"leave", "leaving"} & set(sentence.texts):
            return (Confined(persons[0], rooms),) if len(persons) == 1 else ()
        return tuple(Barred(person, rooms) for person in persons)
    return ()


def _links(sentence: Sentence) -> Told:
    """Whom the reader can message, or cannot."""
    targets = sentence.of("AGENT")
    if not targets or not sentence.of("YOU", "YOUR") or sentence.you in targets:
        return ()
    if len(targets) < sum(token.kind == "AGENT" for token in sentence.tokens):
        return ()  # an agent that is named twice is also a subject
    if sentence.of("THING", "ROOM", "NUMBER") or not sentence.within("SENDING", "ONLY", "EXCEPT", "EVERYONE"):
        return ()
    if not sentence.has("SENDING"):
        return ()
    if sentence.tokens[0].text in _list("ONLY") and sentence.tokens[1].kind in ("YOU", "YOUR"):
        return ()
    first = sentence.first("AGENT") < sentence.first("YOU", "YOUR")
    if first and not sentence.has("RECEIVING") and not sentence.of("YOUR"):
        return ()
    if sentence.together("and no one else", "and nobody else", "and none else"):
        single = sentence.count("NEGATIONS") == 1 and not sentence.has("EXCEPT")
        return (Reaches(sentence.you, targets),) if single else ()
    negations = sentence.count("NEGATIONS") + sentence.has("BLOCKED")
    if sentence.has("EXCEPT") and sentence.has("EVERYONE"):
        return (
            (Reaches(sentence.you, targets),)
            if negations == 1
            else ((Unreached(sentence.you, targets),) if not negations else ())
        )
    if sentence.has("EXCEPT") or negations > 1:
        return ()
    if sentence.has("ONLY"):
        return (Reaches(sentence.you, targets),) if not negations else ()
    return (Unreached(sentence.you, targets),) if negations else (Linked(sentence.you, targets),)


def _budget(sentence: Sentence) -> Told:
    """How many messages somebody can send."""
    persons = _persons(sentence)
    if len(persons) != 1 or sentence.of("THING", "ROOM"):
        return ()
    if not sentence.within("LIMITS", "MESSAGE_WORDS") or not sentence.has("MESSAGE_WORDS"):
        return ()
    texts = sentence.texts
    numbers = [int(number) for number in sentence.of("NUMBER")] + [
        COUNTS[text] for text in texts if text in COUNTS
    ]
    following = dict(pairwise(texts))
    if "per" in texts and following.get("per") not in ("episode", "task", "game"):
        return ()
    if sentence.together("have to", "has to") or "must" in texts:
        return ()
    if ("sent" in texts and not {"be", "been"} & set(texts)) or "receive" in texts:
        return ()
    negations = sentence.count("NEGATIONS")
    if len(numbers) == 1 and negations == ("more" in texts or "exceed" in texts):
        return (MessageBudget(persons[0], numbers[0]),)
    return (MessageBudget(persons[0], 0),) if not numbers and negations == 1 and "more" not in texts else ()


def _inverse(sentence: Sentence) -> Told:
    """A thing that works in reverse."""
    names = sentence.of("THING")
    if len(names) != 1 or sentence.of("ROOM", "AGENT", "NUMBER") or sentence.has("NEGATIONS"):
        return ()
    if not sentence.within("REVERSED", "REVERSING"):
        return ()
    if sentence.together("opening it opens", "closing it closes", "open opens", "close closes"):
        return ()
    turned = sentence.has("OPEN_WORDS") and sentence.has("SHUT_WORDS") and sentence.has("TURNING")
    return (Inverse(names[0]),) if sentence.has("REVERSED") or turned else ()


def _pair(sentence: Sentence) -> Told:
    """Two things that move together, or of which one sets the other."""
    names = sentence.of("THING")
    if len(names) != 2 or sentence.of("AGENT", "NUMBER") or sentence.has("NEGATIONS"):
        return ()
    if not sentence.within("SAME", "DRIVING", "COUPLING") or {"may", "have"} & set(sentence.texts):
        return ()
    if any(
        before.text in _list("ON_WORDS", "IN_WORDS") and token.kind == "THING"
        for before, token in pairwise(sentence.tokens)
    ):
        return ()  # a place, and no mechanic
    first, second = names
    mentions = [token.text for token in sentence.tokens if token.kind == "THING"]
    if mentions != [first, second] * (len(mentions) // 2):
        return ()  # the order says which of the two is the trigger
    when = [k for k, token in enumerate(sentence.tokens) if token.text in _list("WHENEVER")]
    if not all(_begins_clause(sentence.tokens, k) for k in when):
        return ()
    if sentence.has("SAME") or ("as", "one") in zip(sentence.texts, sentence.texts[1:], strict=False):
        return (Coupled(first, second),) if when else (Mirrors(first, second),)
    if {"opened", "closed"} & set(sentence.texts) and not {"is", "be", "are", "gets", "been"} & set(
        sentence.texts
    ):
        return ()
    both = sentence.has("OPEN_WORDS") and sentence.has("SHUT_WORDS")
    if not sentence.has("DRIVING", "WHENEVER") or (both and not {"or", "vice"} & set(sentence.texts)):
        return ()
    at = next(k for k, token in enumerate(sentence.tokens) if token.text == second)
    before = sentence.tokens[sentence.first("THING") : at]
    back = any(
        token.text in _list("BACKWARD", "WHENEVER") or token.text in ("from", "using") for token in before
    )
    if len(when) > 1 or (when and when[0] < sentence.first("THING") and back):
        return ()
    state = "open" if sentence.has("OPEN_WORDS") and not sentence.has("SHUT_WORDS") else None
    return (Coupled(second, first, state) if back else Coupled(first, second, state),)


def _begins_clause(tokens: Sequence[WordToken], at: int) -> bool:
    """Whether a word such as "when" begins a clause about somebody or a thing, at the start or behind a verb."""
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else WordToken("")
    behind = before is None or before.text in _list("OPEN_WORDS", "SHUT_WORDS", "CLAUSE_ENDS")
    return behind and (after.kind in ("THING", "YOU") or after.text in _list("PERSONS"))


# States and places


def _house(sentence: Sentence) -> Told:
    """What holds at the start, what must hold at the end, what its reader wants, or what must be known."""
    if not sentence.of("THING") or sentence.of("NUMBER"):
        return ()
    states = ("OPEN_WORDS", "SHUT_WORDS", "ON_WORDS", "IN_WORDS")
    is_goal = sentence.has("GOAL_CUES") or sentence.together("has to", "have to")
    if sentence.has("KNOW_WORDS") and (is_goal or "have" in sentence.texts):
        return _read_knowledge_goal(sentence)
    if sentence.of("AGENT"):
        return ()
    own = sentence.has("PRIVATE_CUES") or bool(
        {"secret", "hidden", "side"} & set(sentence.texts) and _list("PRIVATE_NOUNS") & set(sentence.texts)
    )
    if own and sentence.of("YOU", "YOUR"):
        if not sentence.within(
            "PRIVATE_CUES", "PRIVATE_WORDS", "GOAL_CUES", "GOAL_WORDS", "END_WORDS", *states
        ):
            return ()
        conditions = [k for k, token in enumerate(sentence.tokens[:-1]) if token.text in ("if", "when")]
        if "wanted" in sentence.texts or any(sentence.tokens[k + 1].kind != "THING" for k in conditions):
            return ()
        return aims(words.Private, _literals(sentence))
    if is_goal:
        texts = [token.text for token in sentence.tokens]
        conditions = [k for k, text in enumerate(texts) if text in ("if", "when", "once")]
        if any(not k or texts[k - 1] != "only" for k in conditions):
            return ()
        if not sentence.within("GOAL_CUES", "GOAL_WORDS", "END_WORDS", *states) or (
            sentence.has("START_WORDS") and "right" not in sentence.texts
        ):
            return ()
        return aims(words.Must, _literals(sentence))
    if sentence.has("END_WORDS", "POSSIBLE", "TURNED") or not sentence.within(
        "FACT_WORDS", "START_WORDS", "OPEN_WORDS", "SHUT_WORDS", *states
    ):
        return ()
    placed = len(sentence.of("THING", "ROOM")) > 1 and not sentence.has("OPEN_WORDS", "SHUT_WORDS")
    if placed and not (
        sentence.has("ON_WORDS", "IN_WORDS") or {"holds", "contains", "holding"} & set(sentence.texts)
    ):
        return ()
    return tuple(map(words.Fact, _literals(sentence)))


def _read_knowledge_goal(sentence: Sentence) -> Told:
    """A goal of knowledge: each knower stands before a word of knowing, and what is known comes last."""
    knowers: list[str] = []
    waiting, last, since = "", 0, 0
    for k, token in enumerate(sentence.tokens):
        if token.kind == "THING":
            break
        if token.kind in ("YOU", "AGENT"):
            between = {word.text for word in sentence.tokens[since + 1 : k] if not word.kind}
            if waiting and (knowers or not between <= _list("CAUSING")):
                return ()
            waiting, since = token.text, k
        elif not token.kind and token.text in _list("KNOW_WORDS") and waiting:
            knowers.append(waiting)
            waiting, last = "", k
    head = Sentence(sentence.tokens[: last + 1], sentence.you, sentence.furniture)
    tail = Sentence(sentence.tokens[last + 1 :], sentence.you, sentence.furniture)
    states = ("OPEN_WORDS", "SHUT_WORDS", "ON_WORDS", "IN_WORDS")
    if not knowers or waiting or tail.of("YOU", "AGENT") or head.has("NEGATIONS"):
        return ()
    if not (head.has("GOAL_CUES") or {"have", "has"} & set(head.texts)) or tail.has("GOAL_CUES"):
        return ()
    if not head.within("KNOW_WORDS", "KNOW_FILLER", "GOAL_CUES", "END_WORDS"):
        return ()
    if not tail.within("FACT_WORDS", "END_WORDS", "KNOW_FILLER", *states) or "or" in tail.texts:
        return ()
    whether = "whether" in tail.texts
    return tuple(
        KnowledgeGoal(tuple(knowers), fact, whether=True)
        if whether
        else words.Must(KnowledgeChain(tuple(knowers), fact).formula)
        for fact in _literals(tail)
    )


def _literals(sentence: Sentence) -> tuple[Literal, ...]:
    """The state of a thing, or the place of one, that a sentence names; empty if it names more than one."""
    negations = sentence.count("NEGATIONS")
    if negations and (not _denies_end(sentence) or sentence.has("AIMED")):
        return ()
    names, rooms = sentence.of("THING"), sentence.of("ROOM")
    listed = (
        {"and", "both", "neither"} & set(sentence.texts)
        and not rooms
        and not sentence.has("ON_WORDS", "IN_WORDS")
    )
    facts = _states(sentence) if (len(names) == 1 and not rooms) or listed else _read_placement(sentence)
    if negations > 1 or not facts or (negations and len(facts) > 1 and "neither" not in sentence.texts):
        return ()
    return tuple(positive(Not(fact)) for fact in facts) if negations else facts


def _denies_end(sentence: Sentence) -> bool:
    """Whether the negation is that of the state or place, and not that of the demand ("need not", "is not required")."""
    tokens = [token.text for token in sentence.tokens]
    if "neither" in tokens:
        return "nor" in tokens
    at = next(k for k, text in enumerate(tokens) if text in _list("NEGATIONS"))
    before, after = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
    return tokens[at] == "not" and before in _list("MODAL") and after not in _list("LOOSE")


def _states(sentence: Sentence) -> tuple[Atom, ...]:
    texts = set(sentence.texts)
    opened, shut = bool(texts & {"open", "opened"}), bool(texts & {"closed", "shut"})
    state = "is_open" if opened else "is_closed"
    return tuple(Atom(state, (name,)) for name in sentence.of("THING")) if opened != shut else ()


def _read_placement(sentence: Sentence) -> tuple[Atom, ...]:
    """One thing at a place, and possibly the room of that place."""
    names, rooms = sentence.of("THING"), sentence.of("ROOM")
    if len(names) > 2 or len(rooms) > 1 or sentence.count("OPEN_WORDS", "SHUT_WORDS"):
        return ()
    if len(names) == 1:
        return (Atom("is_in_room", (names[0], rooms[0])),) if rooms and sentence.has("IN_WORDS") else ()
    pieces = [name for name in names if _is_furniture(name, sentence.furniture)]
    if len(pieces) != 1:
        return ()
    (piece,) = pieces
    (object_name,) = (name for name in names if name != piece)
    fact = Atom(_preposition(sentence, piece), (object_name, piece))
    return (fact, Atom("is_in_room", (piece, rooms[0]))) if rooms else (fact,)


def _preposition(sentence: Sentence, piece: str) -> str:
    """The predicate by the preposition before a piece of furniture, if there is one."""
    at = next(k for k, token in enumerate(sentence.tokens) if token.text == piece)
    before = [token.text for token in sentence.tokens[:at] if token.text not in SKIPPED]
    return "is_inside" if before and before[-1] in _list("IN_WORDS") else "is_on_top"


def _is_furniture(name: str, furniture: frozenset[str]) -> bool:
    return (
        name in furniture
        if furniture
        else name.rpartition("_")[0] in _list("FURNITURE") or name.startswith("floor_")
    )
