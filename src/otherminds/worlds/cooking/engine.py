"""One world being played: by the compiled kernel where numba is there, else in plain Python."""

from __future__ import annotations

from importlib.util import find_spec

from otherminds.worlds.cooking.pixels import observe
from otherminds.worlds.cooking.plain import Plain
from otherminds.worlds.cooking.rules import Rules
from otherminds.worlds.cooking.state import empty
from otherminds.worlds.cooking.views import window
from otherminds.worlds.grid.engine import Engine, PlainEngine


def plain_engine(rules: Rules) -> PlainEngine:
    """The rules as they are written to be read."""
    return PlainEngine(rules, Plain(rules), empty(rules, 1), window, observe)


def engine(rules: Rules, plain: bool = False) -> Engine:
    """The fastest engine there is, or the plain one."""
    if plain or find_spec("numba") is None:
        return plain_engine(rules)
    from otherminds.worlds.cooking._kernel import CompiledEngine

    return CompiledEngine(rules)
