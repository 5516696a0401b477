"""One world being played: by the compiled kernel where numba is there, else in plain Python."""

from __future__ import annotations

from importlib.util import find_spec

from otherminds.worlds.grid.engine import Engine, PlainEngine
from otherminds.worlds.in_the_matrix.pixels import observe
from otherminds.worlds.in_the_matrix.plain import Plain
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import empty
from otherminds.worlds.in_the_matrix.views import window


def plain_engine(rules: Rules) -> PlainEngine:
    """The rules as they are written to be read."""
    return PlainEngine(rules, Plain(rules), empty(rules, 1), window, observe)


def engine(rules: Rules, plain: bool = False) -> Engine:
    """The fastest engine there is, or the plain one."""
    if plain or find_spec("numba") is None:
        return plain_engine(rules)
    from otherminds.worlds.in_the_matrix._kernel import CompiledEngine

    return CompiledEngine(rules)
