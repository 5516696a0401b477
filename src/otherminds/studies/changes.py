"""What changed between two versions of a study, key by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, cast

from otherminds.core.encoding import encode

MOST = 20
"""Changes that are listed; the others are counted."""
LONGEST = 60
"""Characters of a value that are shown."""


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """A line for each difference: its place in the study, the old and the new value.

    >>> changes({"rounds": 3, "cells": [{"minds": ["rmax"]}]}, {"rounds": 4, "cells": [{"minds": ["rmax", "qa"]}]})
    ['rounds: was 3, is 4', "cells[0].minds[1]: 'qa' is new"]
    """
    found = list(_differing("", old, new))
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    return found[:MOST] + more


def _differing(place: str, old: object, new: object) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        before, after = cast("Mapping[str, object]", old), cast("Mapping[str, object]", new)
        for key in dict.fromkeys((*before, *after)):
            where = f"{place}.{key}" if place else key
            if key not in after:
                yield f"{where}: {_shown(before[key])} was removed"
            elif key not in before:
                yield f"{where}: {_shown(after[key])} is new"
            else:
                yield from _differing(where, before[key], after[key])
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        yield from _in_lists(place, cast("Sequence[object]", old), cast("Sequence[object]", new))
    elif old != new:
        yield f"{place}: was {_shown(old)}, is {_shown(new)}"


def _in_lists(place: str, old: Sequence[object], new: Sequence[object]) -> Iterator[str]:
    """Equal elements are matched, so that an inserted one does not change the others."""
    matched = SequenceMatcher(
        None, [encode(one) for one in old], [encode(one) for one in new], autojunk=False
    )
    for kind, a, b, c, d in matched.get_opcodes():
        if kind == "equal":
            continue
        both = min(b - a, d - c)
        for k in range(both):
            yield from _differing(f"{place}[{c + k}]", old[a + k], new[c + k])
        for k in range(a + both, b):
            yield f"{place}: {_shown(old[k])} was removed"
        for k in range(c + both, d):
            yield f"{place}[{k}]: {_shown(new[k])} is new"


def _shown(value: object) -> str:
    """A value, cut; a table without its empty keys."""
    if isinstance(value, Mapping):
        whole = cast("Mapping[str, object]", value)
        value = {key: one for key, one in whole.items() if one not in (None, "", [], {})}
    text = ascii(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
