"""Names of a task as people write them: "Cabinet 31", "the washer-dryer", "Agent 0", "the frame", "both bedrooms"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec import Struct

from otherminds.household.epistemic.words.free.reading import normalize_spelling

PARTNERS = r"partner|teammate|companion|colleague|friend|other agent"
"""What the other agent is called, where a task has two."""
EVERY_OTHER = rf"\b(?:both|all(?: (?:two|three|four|five))?) (?:of )?(?:your |the )?(?:others|other agents|(?:{PARTNERS})s)\b"
"""All other agents of a task."""
NOT_ALONE = r"(?! (?:floor|door|cabinet|room)\b)(?![\w'-]*_)(?!\w)"
"""What may not follow a type that stands for the only thing of that type."""
ARTICLES = r"(?:the|an?) "


class Vocabulary(Struct, frozen=True):
    """The names of a task: rooms, furniture, objects, agents. Without names only their form decides what they are."""

    rooms: frozenset[str] = frozenset()
    furniture: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()

    @property
    def things(self) -> frozenset[str]:
        return self.furniture | self.objects


NO_NAMES = Vocabulary()


def spell_names(text: str, you: str = "", names: Vocabulary = NO_NAMES) -> str:
    """``text`` in lower case, with each mention of a name of the task as that name.

    A name is meant by its type and number; by its type, or the last word of it, after "the", if the task has one thing
    of that type, or if the text names only one before; the two rooms of a type by "both". In a task of two agents
    "your partner" is the other one.

    >>> some = Vocabulary(frozenset({"bedroom_1", "bedroom_2"}), frozenset({"washer_dryer_3"}), frozenset({"picture_frame_5"}))
    >>> spell_names("The frame in Bedroom 2 is on the washer-dryer; keep out of both bedrooms, Agent 1.", "agent_0", some)
    'picture_frame_5 in bedroom_2 is on washer_dryer_3; keep out of bedroom_1 and bedroom_2, agent_1.'
    """
    text = re.sub(r"\bagent[ -](\d+)\b", r"agent_\1", normalize_spelling(text))
    for pattern, name in _mentions(names):
        text = pattern.sub(name, text)
    others = sorted(names.agents - {you})
    if you and len(names.agents) == 2 and len(others) == 1 and others[0] not in text:
        text = re.sub(rf"\b(?:your (?:only )?(?:{PARTNERS})|the other agent)\b(?! ')", others[0], text)
    if you and len(others) > 1:
        listed = f"{', '.join(others[:-1])} and {others[-1]}"
        text = re.sub(EVERY_OTHER, listed, text)
    return _name_repeated(text, names)


def _name_repeated(text: str, names: Vocabulary) -> str:
    """ "The cabinet" after one cabinet of several was named."""
    every = (*names.rooms, *names.things)
    for kind in {_kind(name) for name in every if not name.startswith("floor_")}:
        again = re.compile(rf"\bthe {_spoken(kind)}{NOT_ALONE}")
        if mention := again.search(text):
            before = {
                name
                for name in every
                if _kind(name) == kind and re.search(rf"\b{name}\b", text[: mention.start()])
            }
            if len(before) == 1:
                text = again.sub(before.pop(), text)
    return text


def _kind(name: str) -> str:
    return name.rpartition("_")[0]


def _spoken(kind: str) -> str:
    """A type as a pattern: words with spaces or hyphens between them, "laundry room" for laundryroom."""
    words = re.escape(kind).replace("_", "[ _-]?")
    return re.sub(r"(?<=[a-z])room$", "[ -]?room", words)


@lru_cache(maxsize=64)
def _mentions(names: Vocabulary) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Patterns of mentions, the longest types first, each with the name that is meant."""
    every = sorted((*names.rooms, *names.things), key=lambda name: (-len(name), name))
    return (
        *_match_numbered(every),
        *_match_pairs(sorted(names.rooms)),
        *_match_floors(names),
        *_match_alone(every),
    )


def _match_numbered(every: Collection[str]) -> Iterator[tuple[re.Pattern[str], str]]:
    for name in every:
        kind, _, number = name.rpartition("_")
        if kind and number.isdecimal() and not name.startswith("floor_"):
            yield re.compile(rf"(?<![\w-])(?:{ARTICLES})?{_spoken(kind)}[ _-]{number}(?![\w-])"), name


def _match_pairs(rooms: Collection[str]) -> Iterator[tuple[re.Pattern[str], str]]:
    for kind in sorted({_kind(room) for room in rooms}):
        pair = [room for room in rooms if _kind(room) == kind]
        if len(pair) == 2:
            both = rf"\b(?:both(?: of the)?|the two) {_spoken(kind)}s\b"
            yield re.compile(both), " and ".join(pair)


def _match_floors(names: Vocabulary) -> Iterator[tuple[re.Pattern[str], str]]:
    for room in sorted(names.rooms):
        if (floor := f"floor_{room}") in names.furniture:
            yield re.compile(rf"\bthe floor (?:of|in) (?:the )?{room}\b"), floor
            if sum(_kind(other) == _kind(room) for other in names.rooms) == 1:
                kind = _spoken(_kind(room))
                yield re.compile(rf"\bthe (?:{kind} floor|floor (?:of|in) the {kind})\b"), floor


def _match_alone(every: Collection[str]) -> Iterator[tuple[re.Pattern[str], str]]:
    """ "The fridge" for the only fridge, "the frame" for picture_frame_5 if nothing else is a frame."""
    typed = [name for name in every if not name.startswith("floor_") and _kind(name)]
    for name in typed:
        kind = _kind(name)
        last = kind.rpartition("_")[2]
        for noun in dict.fromkeys((kind, last)):
            alike = [other for other in typed if noun in (_kind(other), _kind(other).rpartition("_")[2])]
            if alike == [name]:
                yield re.compile(rf"\bthe {_spoken(noun)}{NOT_ALONE}(?! [a-z_]*{re.escape(noun)}_\d)"), name
