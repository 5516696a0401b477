"""Assertions and comparisons of the kit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import numpy as np

from otherminds.core.encoding import encode, jsonable
from otherminds.core.errors import InternalError, WorldError

T = TypeVar("T")

FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NotImplementedError)
"""Exceptions of code that meets an unexpected value."""


def promise(holds: bool, promised: str, happened: str) -> None:
    """Raises ``AssertionError`` with what was promised and what happened, unless ``holds``."""
    if not holds:
        raise AssertionError(f"promised: {promised}; happened: {happened}")


def alike(first: Sequence[Any], second: Sequence[Any], promised: str, differs: str = "it differs") -> None:
    """Raises ``AssertionError`` with the first difference of two sequences, unless they are equal."""
    if first != second:
        promise(False, promised, f"{differs} {difference(first, second)}")


@contextmanager
def keeping(promised: str, *faults: type[Exception]) -> Iterator[None]:
    """Turns an error of the types ``faults`` into an ``AssertionError`` with what was promised."""
    try:
        yield
    except faults as error:
        kind = "" if isinstance(error, WorldError | InternalError) else f"{type(error).__name__}: "
        raise AssertionError(f"promised: {promised}; happened: {kind}{error}") from error


def form(value: Any) -> bytes:
    """The canonical JSON of ``value``, as records hold it.

    Raises:
        AssertionError: it has none.
    """
    try:
        return encode(value)
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        raise AssertionError(f"promised: data with a JSON form; happened: {error} in {value!r}") from error


def plain(value: Any) -> Any:
    """``value`` as after a JSON round trip: lists for tuples and arrays, and for structs.

    What JSON cannot represent (sets, keys other than strings, NaN) is unchanged, and compares
    unequal to the decoded value.

    >>> plain((1, {"a": (2,)}))
    [1, {'a': [2]}]
    """
    if isinstance(value, msgspec.Struct):
        parts = (getattr(value, name) for name in value.__struct_fields__)
        return [type(value).__name__, *map(plain, parts)]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return list(value) if _SCALARS.issuperset(map(type, value)) else [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(jsonable(value))
    return value


_SCALARS = frozenset((bool, int, float, str, type(None)))


def round_trips(value: T, kind: type[T]) -> bool:
    """Whether a JSON round trip leaves ``value`` unchanged.

    Raises:
        AssertionError: it has no JSON form.
    """
    try:
        back = msgspec.json.decode(form(value), type=kind)
    except msgspec.ValidationError as error:
        raise AssertionError(
            f"promised: {kind.__name__} comes back from JSON; happened: {error} in {value!r}"
        ) from error
    return plain(back) == plain(value)


def difference(first: Sequence[Any], second: Sequence[Any]) -> str:
    """A description of the first difference of two sequences.

    >>> difference(["a", "b"], ["a", "c"])
    "at 1: 'b' against 'c'"
    """

    def short(value: Any) -> str:
        text = value.decode() if isinstance(value, bytes) else repr(value)
        return text if len(text) <= 300 else text[:297] + "..."

    for i, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return f"at {i}: {short(a)} against {short(b)}"
    return f"{len(first)} entries against {len(second)}"


@contextmanager
def global_randomness(seed: int) -> Iterator[None]:
    """Seeds the global generators of ``random`` and NumPy with ``seed``, and restores them at the end."""
    states = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def leaves_randomness_alone(run: Callable[[], T], who: str) -> tuple[T, T]:
    """What ``run`` returns under two states of the global generators.

    Raises:
        AssertionError: the generators were used; ``who`` names what may have used them.
    """

    def once(seed: int) -> T:
        with global_randomness(seed):
            before = repr((random.getstate(), np.random.get_state()))
            result = run()
            untouched = repr((random.getstate(), np.random.get_state())) == before
            promise(
                untouched,
                "the global generators are left alone",
                f"{who} drew from one of them, or seeded it",
            )
            return result

    return once(1), once(2)
