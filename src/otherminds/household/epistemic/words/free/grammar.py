"""Grammars as files, and the grammar of free sentences about the household, read from ``grammar.txt``.

It covers plain statements in the present, past and perfect, in active and passive voice. A sentence that it does not cover
as a whole is not understood: there are no rules for hedges, conditions, doubts, quotations and reported beliefs.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from msgspec import Struct

from otherminds.household.epistemic.words.free.building import PLAIN, WITH_WORDS
from otherminds.household.epistemic.words.free.parser import Grammar, build_of

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
