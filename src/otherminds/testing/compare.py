"""How the kit compares: promises kept or broken, JSON forms, first differences."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
import numpy as np

from otherminds.core.encoding import encode, jsonable

T = TypeVar("T")

FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NotImplementedError)
"""What code raises that meets something it did not expect."""


def promise(kept: bool, promised: str, happened: str) -> None:
    """Demands that a promise was kept.

    Raises:
        AssertionError: it was not; the text says what was promised and what happened.
    """
    if not kept:
        raise AssertionError(f"promised: {promised}; happened: {happened}")


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
    """``value`` as JSON would give it back: lists for tuples and arrays, mappings for structs.

    What JSON cannot give back (sets, keys that are no text, NaN) stays as it is,
    and so compares unequal to what was decoded.

    >>> plain((1, {"a": (2,)}))
    [1, {'a': [2]}]
    """
    if isinstance(value, msgspec.Struct):
        return [type(value).__name__, *(plain(part) for part in _fields(value))]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(jsonable(value))
    return value


def round_trips(value: T, kind: type[T]) -> bool:
    """Whether ``value`` comes back from JSON as it was.

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


def difference(one: Sequence[Any], two: Sequence[Any]) -> str:
    """The first place where two sequences differ, in words.

    >>> difference(["a", "b"], ["a", "c"])
    "at 1: 'b' against 'c'"
    """
    for i, (left, right) in enumerate(zip(one, two, strict=False)):
        if left != right:
            return f"at {i}: {_short(left)} against {_short(right)}"
    return f"{len(one)} entries against {len(two)}"


@contextmanager
def global_randomness(seed: int) -> Iterator[None]:
    """Inside, the global generators of ``random`` and NumPy are seeded with ``seed``; then restored."""
    kept = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])


def leaves_randomness_alone(run: Callable[[], T], who: str) -> tuple[T, T]:
    """What ``run`` returns under two states of the global generators.

    Raises:
        AssertionError: the generators were used; ``who`` names what may have used them.
    """

    def once(seed: int) -> T:
        with global_randomness(seed):
            before = _global_state()
            result = run()
            promise(
                _global_state() == before,
                "the global generators are left alone",
                f"{who} drew from one of them, or seeded it",
            )
        return result

    return once(1), once(2)


def _global_state() -> str:
    return repr((random.getstate(), np.random.get_state()))


def _fields(value: msgspec.Struct) -> list[Any]:
    return [getattr(value, name) for name in value.__struct_fields__]


def _short(value: Any) -> str:
    text = value.decode() if isinstance(value, bytes) else repr(value)
    return text if len(text) <= 300 else text[:297] + "..."
