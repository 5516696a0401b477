"""The complete state of an object as text, so that a change can be named."""

from __future__ import annotations

import hashlib
import warnings
from collections import deque
from functools import cache
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from otherminds.core.seat_context import SeatContext

_LEAVES = (type(None), bool, int, float, complex, str, bytes)
_PLAIN = frozenset(_LEAVES)
_NAMED = (type, ModuleType, BuiltinFunctionType)


def snapshot(value: Any) -> dict[str, str]:
    """The value at each path that is reachable from ``value``, as text.

    Includes the state of random generators, the closures of functions, and the data of classes.
    Of a context, the random stream, notes and verbalizer are included; its model and its calls are
    not, since asking may add calls.
    """
    walk = _Walk()
    walk.visit("", value)
    return walk.found


def find_changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The paths at which two snapshots differ.

    >>> box = [1]
    >>> first = snapshot(box)
    >>> box.append(2)
    >>> find_changes(first, snapshot(box))
    ['', '[1]']
    """
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path, "") != after.get(path, "")
    )


class _Walk:
    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._seen: dict[int, str] = {}
        self._kept: list[Any] = []

    def visit(self, path: str, value: Any) -> None:
        """Adds ``value`` and everything below it."""
        if type(value) in _PLAIN or isinstance(value, _LEAVES):
            self.found[path] = repr(value)
            return
        if id(value) in self._seen:
            self.found[path] = f"see {self._seen[id(value)]}"
            return
        self._seen[id(value)] = path
        self._kept.append(value)
        self.found[path] = type(value).__qualname__
        if isinstance(value, dict):
            self._items(path, value)
        elif type(value) is tuple and _PLAIN.issuperset(map(type, value)):
            self.found[path] += repr(value)
        elif isinstance(value, list | tuple | deque):
            self.found[path] += f" of {len(value)}"
            for i, part in enumerate(value):
                self.visit(f"{path}[{i}]", part)
        elif isinstance(value, set | frozenset):
            self.found[path] += repr(sorted(map(repr, value)))
        elif isinstance(value, np.ndarray):
            self.found[path] += f" {value.dtype}{value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif isinstance(value, Random):
            self.found[path] += f" {hashlib.sha256(repr(value.getstate()).encode()).hexdigest()}"
        elif isinstance(value, SeatContext):
            self._items(path, {"rng": value.rng, "notes": value.notes, "verbalizer": value.verbalizer})
        elif isinstance(value, FunctionType):
            cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            self.visit(f"{path}.closure", {name: cell.cell_contents for name, cell in cells})
            self.visit(f"{path}.defaults", value.__defaults__)
        elif isinstance(value, MethodType):
            self.visit(f"{path}.self", value.__self__)
        elif not isinstance(value, _NAMED) and not _model(value):
            self._object(path, value)

    def _items(self, path: str, items: dict[Any, Any]) -> None:
        self.found[path] += f" with {len(items)}"
        for key, part in items.items():
            self.visit(f"{path}[{key!r}]", part)

    def _object(self, path: str, value: Any) -> None:
        """Adds the attributes of an object, or the parts that it would be copied from."""
        kinds = _kinds(type(value))
        names = [name for kind in kinds for name in _fields(kind)]
        for kind in reversed(kinds):
            for name in _list_shared(kind, len(vars(kind))):
                self.visit(f"{path}.{name}", vars(kind)[name])
        own = {name: getattr(value, name) for name in names if hasattr(value, name)}
        own |= getattr(value, "__dict__", {})
        for name, part in own.items():
            self.visit(f"{path}.{name}", part)
        if own:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                copied = value.__reduce_ex__(4)
        except TypeError:
            self.found[path] += f" at {id(value)}"
            return
        self.visit(f"{path}.copy", list(copied[1:]) if isinstance(copied, tuple) else copied)


@cache
def _kinds(kind: type) -> list[type]:
    """The classes that an object gets its attributes from."""
    return [base for base in kind.__mro__ if base.__module__ not in ("builtins", "typing")]


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The attributes that a class keeps in slots or as a struct."""
    return (*_own(kind, "__slots__"), *_own(kind, "__struct_fields__"))


@cache
def _list_shared(kind: type, size: int) -> tuple[str, ...]:
    """The attributes of a class that are data, while it has ``size`` attributes."""
    return tuple(name for name, part in vars(kind).items() if _data(name, part))


def _own(kind: type, name: str) -> tuple[str, ...]:
    """The names of attributes that a class keeps in slots."""
    names = vars(kind).get(name, ())
    if isinstance(names, str):
        names = (names,)
    return tuple(n for n in names if not n.startswith("__")) if isinstance(names, tuple | list) else ()


def _data(name: str, part: Any) -> bool:
    """Whether an attribute of a class is data, not a method or a description."""
    return not name.startswith("__") and isinstance(part, (*_LEAVES, list, dict, set, deque, Random))


def _model(value: Any) -> bool:
    """Whether ``value`` is a language model, whose state is not part of a mind's."""
    return hasattr(value, "generate") and hasattr(value, "concurrency")
