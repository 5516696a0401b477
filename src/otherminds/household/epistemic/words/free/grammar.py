"""The grammar of free sentences about the household, their words and marks, and names as people write them.

Grammars are files; that of sentences, ``grammar.txt``, covers plain statements in the present, past and perfect, in active and
passive voice. A sentence that it does not cover as a whole is not understood: there are no rules for hedges, conditions,
doubts, quotations and reported beliefs. Names of a task are recognised as people write them: "Cabinet 31", "the
washer-dryer", "Agent 0", "the frame", "both bedrooms"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import zip_longest

from msgspec import Struct

from otherminds.household.epistemic.predicates import AGENT, NAME
from otherminds.household.epistemic.words.free.meaning import PLAIN, WITH_WORDS
from otherminds.household.epistemic.words.free.parser import Grammar, WordToken, build_of

FORMS = ("base", "past", "done", "doing")
DOUBLED = frozenset(
    {"drop", "grab", "flip", "slip", "pop", "step", "spot", "transfer", "slam", "unplug", "top", "shut"}
)
"""Regular verbs whose last letter is doubled: ``dropped``."""


class Language(Struct, frozen=True):
    """The content of a file of words and rules: lists of words, and rules (name, symbols, action) with ``{form}`` filled in."""

    lists: dict[str, frozenset[str]]
    rules: tuple[tuple[str, str, str], ...]

    def words(self, *names: str) -> frozenset[str]:
        return frozenset(word for name, symbols, _ in self.rules if name in names for word in symbols.split())


def language() -> Language:
    """The words and rules of free sentences."""
    return language_of("grammar.txt")


@cache
def language_of(file: str) -> Language:
    """The words and rules in a file of this package."""
    return language_in(_text(file))


@cache
def language_in(text: str) -> Language:
    """The words and rules in a text of the form of ``grammar.txt``."""
    lists: dict[str, frozenset[str]] = {}
    rules: list[tuple[str, str, str]] = []
    for line in _lines(text):
        name, mark, definition = line.split(maxsplit=2)
        if name == "verb":
            verbs = [conjugate_verb(verb) for verb in definition.split()]
            rules += [(f"_{mark[:-1]}_{form}", verb[k], "") for k, form in enumerate(FORMS) for verb in verbs]
        elif mark == "=":
            lists[name] = frozenset(definition.split())
        else:
            for form in FORMS if "{form}" in line else ("",):
                symbols, _, action = definition.replace("{form}", form).partition("=>")
                symbol = name.replace("{form}", form)
                rules += [(symbol, alternative.strip(), action.strip()) for alternative in symbols.split("|")]
    return Language(lists, tuple(rules))


def lines_of(file: str) -> list[str]:
    """The lines of a file of this package, without comments, each with the lines that continue it."""
    return _lines(_text(file))


def _text(file: str) -> str:
    return files("otherminds.household.epistemic.words.free").joinpath(file).read_text(encoding="utf-8")


def _lines(text: str) -> list[str]:
    return list(
        filter(None, re.sub(r"\n +", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines())
    )


def conjugate_verb(verb: str) -> tuple[str, ...]:
    """The forms of a verb, by rule unless they are given: ``put/put/put/putting``.

    >>> conjugate_verb("place"), conjugate_verb("drop"), conjugate_verb("carry")[1]
    (('place', 'placed', 'placed', 'placing'), ('drop', 'dropped', 'dropped', 'dropping'), 'carried')
    """
    if "/" in verb:
        return tuple(verb.split("/"))
    stem = verb + verb[-1] if verb in DOUBLED else verb
    past = stem[:-1] + "ied" if stem[-1] == "y" and stem[-2] not in "aeo" else stem.removesuffix("e") + "ed"
    return verb, past, past, stem.removesuffix("e") + "ing"


@cache
def grammar() -> Grammar:
    """All rules; the value of ``sentence`` is the events that it states."""
    rules, lists = Grammar(), language().lists
    room_words, requested = lists["ROOMS"] | lists["ROOM_WORDS"], lists["REQUESTED"]
    for kind in ("THING", "ROOM", "AGENT", "TYPE"):
        rules.kind(kind, lambda token, kind=kind: token.kind == kind)
    rules.kind("ROOMWORD", lambda token: not token.kind and token.text in room_words)
    rules.kind("PLAIN", lambda token: bool(token.kind) or token.text in lists["PLAIN"])
    rules.kind("REQUEST", lambda token: token.text in requested, ahead=True)
    rules.kind("BID", lambda token: token.text in requested - {"put", "set", "shut", "let"}, ahead=True)
    rules.kind("TELEGRAM", lambda token: token.text not in requested, ahead=True)
    for name, symbols, action in language().rules:
        rules.add(name, symbols, build_of(action, PLAIN, WITH_WORDS))
    return rules


MOST = 60
"""The largest number of words of a sentence that is parsed."""
PLAIN_WORD = re.compile(r"[a-z]+|[0-9]+", re.ASCII)
WORD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*_[0-9]+|'s|'re|'m|'ve|'ll|'d|[a-z]+|[0-9]+|\S", re.ASCII)
SPACED = re.compile(r"\b(?:(the|a|an) ([a-z]+ [a-z]+)|([a-z]+ of [a-z]+)|([a-z]+)) #?([0-9]+)\b", re.ASCII)
"""``table 18``, ``chest of drawers 43``, ``coffee table 3``."""
FAMILIAR = ("_adv", "_opening", "_is_on_top", "_is_inside", "_is_next_to")
CHANGING = ("is_open", "is_closed_bare", "is_clean_bare", "is_dirty", "is_filled_bare", "is_empty_bare")
ACTING = (*CHANGING, "is_powered_on", "is_powered_off", "put", "pick")
QUOTED = re.compile(r"[`*]{1,2}([a-z]\w*_[0-9]+)[`*]{1,2}", re.ASCII)
SPELLED = (
    *(("\u2019", "'"), ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not")),
    *((" with id ", " "), ("\u2013", "-"), ("\u2014", "-"), ("->", "="), ("\u2192", "=")),
)


def tokens(sentence: str) -> list[WordToken]:
    """The words, names and marks of a sentence, without its last stop; ``table 18`` is a name like ``table_18``.

    >>> [token.text for token in tokens("It's on the Coffee Table 3!")]
    ['it', "'s", 'on', 'the', 'coffee_table_3']
    """
    text = SPACED.sub(_join_name, normalize_spelling(sentence)).rstrip(".! ")
    word_tokens = [token_of(word) for word in WORD.findall(text)]
    return [
        token
        for token, after in zip_longest(word_tokens, word_tokens[1:])
        if not (after and _is_apposition(token, after))
    ]


def may_name(sentence: str, names: Iterable[str]) -> bool:
    """Whether a sentence has the number of one of the names, or its type as words.

    >>> may_name("Put teh bowl on tabel 18", ["table_18"]), may_name("Hello team!", ["table_18"])
    (True, False)
    """
    text = normalize_spelling(sentence)
    words = {word for form in PLAIN_WORD.findall(text) for word in (form, form.removesuffix("s"))}
    kinds = (name.rpartition("_") for name in names)
    return any(number in words or words.issuperset(kind.split("_")) for kind, _, number in kinds)


def normalize_spelling(sentence: str) -> str:
    """A sentence in lower case, without contractions of "not" and marks around names, and with plain characters."""
    text = QUOTED.sub(r"\1", sentence.casefold())
    for spelling, plain in SPELLED:
        text = text.replace(spelling, plain)
    return text


def _is_apposition(word: WordToken, name: WordToken) -> bool:
    """Whether a word is the type of the following name: the cabinet cabinet_7."""
    return not word.kind and bool(name.kind) and word.text in name.text.split("_")[:-1]


@cache
def _common() -> frozenset[str]:
    """Words that are not part of a name before a number."""
    acts = (f"_{verb}_{form}" for verb in ACTING for form in FORMS)
    return language().lists["COMMON"] | language().words(*FAMILIAR, *acts)


def _join_name(match: re.Match[str]) -> str:
    """``table_18`` for ``table 18``; two words form a name only after an article."""
    article, *types, number = match.groups()
    words, common = next(text for text in types if text).split(" "), _common()
    first = next((k for k, word in enumerate(words) if word not in common), len(words))
    if first == len(words) or any(word in common - {"of"} for word in words[first:]):
        return match[0]
    lead = [*([article] if article else []), *words[:first]]
    return " ".join([*lead, f"{'_'.join(words[first:])}_{number}"])


def token_of(word: str) -> WordToken:
    """A word, mark or name with its class; the floor of a room is a thing."""
    if AGENT.fullmatch(word):
        return WordToken(word, "AGENT")
    if not NAME.fullmatch(word):
        return WordToken(word)
    kind = word.rpartition("_")[0]
    room = kind in language().lists["ROOMS"] or (kind.endswith("room") and not kind.startswith("floor_"))
    return WordToken(word, "ROOM" if room else "THING")


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
