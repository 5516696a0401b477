"""Verbs of free sentences, with their forms, by what their act leaves behind."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """One verb: ``open``, ``opened``, ``opened``, ``opening``."""

    base: str
    past: str
    done: str
    doing: str


def regular(*bases: str) -> tuple[Verb, ...]:
    """Verbs with their forms by rule.

    >>> regular("place", "drop")[0].doing, regular("carry")[0].past
    ('placing', 'carried')
    """
    return tuple(_formed(base) for base in bases)


def _formed(base: str) -> Verb:
    if base in (
        "drop",
        "grab",
        "flip",
        "slip",
        "pop",
        "step",
        "spot",
        "transfer",
        "slam",
        "unplug",
        "top",
        "shut",
    ):
        stem = base + base[-1]
    else:
        stem = base
    past = stem[:-1] + "ied" if stem[-1] == "y" and stem[-2] not in "aeo" else stem.removesuffix("e") + "ed"
    return Verb(base, past, past, stem.removesuffix("e") + "ing")


SHUT = Verb("shut", "shut", "shut", "shutting")
PUT = Verb("put", "put", "put", "putting")
SET = Verb("set", "set", "set", "setting")
LAY = Verb("lay", "laid", "laid", "laying")
LEAVE = Verb("leave", "left", "left", "leaving")
BRING = Verb("bring", "brought", "brought", "bringing")
KEEP = Verb("keep", "kept", "kept", "keeping")
TAKE = Verb("take", "took", "taken", "taking")
GET = Verb("get", "got", "gotten", "getting")
GO = Verb("go", "went", "gone", "going")
COME = Verb("come", "came", "come", "coming")
SWING = Verb("swing", "swung", "swung", "swinging")
SLIDE = Verb("slide", "slid", "slid", "sliding")

TURNING: dict[str, tuple[Verb, ...]] = {
    "is_open": regular("open", "reopen"),
    "is_closed": (*regular("close", "reclose"), SHUT),
    "is_clean": regular("clean", "wash", "wipe", "rinse", "scrub", "polish"),
    "is_dirty": regular("soil", "dirty"),
    "is_filled": regular("fill", "refill"),
    "is_empty": regular("empty", "drain"),
    "is_powered_on": regular("activate"),
    "is_powered_off": regular("deactivate"),
}
"""Verbs whose act leaves their object in a state."""
PARTICLES = {
    "is_clean": ("up", "off", "down"),
    "is_filled": ("up",),
    "is_empty": ("out",),
    "is_closed": ("up",),
}
"""Particles that change nothing of the sense."""
SWITCHING = regular("turn", "switch", "power", "flip")
"""Verbs that take ``on`` or ``off``."""
LOOKING = regular("look", "check", "inspect", "examine", "visit", "explore", "search")
"""Verbs whose act changes nothing."""
PUSHING = (*regular("pull", "push", "slam", "prop"), SWING, SLIDE)
"""Verbs that take ``open``, ``shut`` or ``closed``."""
PUTTING = (
    *regular(
        "place", "deposit", "store", "stash", "position", "drop", "relocate", "transfer", "rest", "move"
    ),
    *regular("tuck", "insert", "slip", "pop", "park"),
    *regular("carry", "deliver", "return", "stow"),
    PUT,
    SET,
    LAY,
    LEAVE,
    BRING,
)
"""Verbs whose act leaves their object in a place."""
PICKING = (*regular("grab", "snatch", "lift", "collect", "retrieve"), TAKE, GET)
"""Verbs whose act leaves their object in the hand."""
GOING = (*regular("move", "walk", "step", "return", "travel", "navigate"), GO, COME, GET)
"""Verbs whose act leaves one in a room."""
