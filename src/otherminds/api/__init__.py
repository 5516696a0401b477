"""The public interface: play, score, run, report, make, and lists of what is registered.

Everything here is public as ``otherminds.<name>``, and is loaded when such a name is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def public(function: F) -> F:
    """Gives a function the module that users import it from, as NumPy does.

    Classes keep theirs: msgspec, dataclasses and ``typing.get_type_hints`` resolve their
    annotations in it, and records name minds by it. Errors, which have no annotations, are
    public by the same rule (:mod:`otherminds.core.errors`).
    """
    function.__module__ = "otherminds"
    return function
