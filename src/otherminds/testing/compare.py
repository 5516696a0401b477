"""What the kit compares: assertions, the complete state of an object as text, and episodes of a world without minds."""

from __future__ import annotations

import hashlib
import random
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import msgspec
import numpy as np
from gymnasium.spaces import Space

from otherminds.core.data import Action, Brief, Moment, Seat
from otherminds.core.encoding import derive, encode, jsonable
from otherminds.core.errors import InternalError, WorldError
from otherminds.core.scenario import World
from otherminds.play.seat_context import SeatContext

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


Actions = dict[Seat, Action]


class SteppedEpisode:
    """One episode of ``world``, played step by step.

    Without a ``script``, actions are sampled from copies of the action spaces, seeded by ``acting``
    (default: ``seed``) and the seat. ``grants`` are passed to the world.
    """

    def __init__(
        self,
        world: World,
        seed: int,
        script: Sequence[Actions] | None = None,
        grants: dict[Seat, dict[str, Any]] | None = None,
        acting: int | None = None,
    ) -> None:
        self.world = world
        self.seats = tuple(world.possible_agents)
        self._script = script
        self._spaces = {seat: sampler(world, seat, seed if acting is None else acting) for seat in self.seats}
        observations, infos = world.reset(
            seed=derive(seed, "world") % 2**31, options={"grants": grants or {}}
        )
        self.briefs = {seat: world.brief(seat) for seat in self.seats}
        self.horizon = min(brief.horizon for brief in self.briefs.values())
        self.moments: dict[Seat, list[Moment]] = {seat: [] for seat in self.seats}
        self.heard: dict[Seat, list[bytes]] = {seat: [encode_brief(self.briefs[seat])] for seat in self.seats}
        self.actions: list[Actions] = []
        self.flags: list[tuple[dict[Seat, bool], dict[Seat, bool]]] = []
        self.present: list[tuple[Seat, ...]] = [tuple(world.agents)]
        self._hear(observations, dict.fromkeys(self.seats, 0.0), infos)

    @property
    def going(self) -> bool:
        """Whether the episode continues."""
        return bool(self.world.agents)

    def next_actions(self) -> Actions:
        """The next actions of all seats."""
        if self._script is not None:
            promise(
                len(self.actions) < len(self._script),
                "the same actions lead to the same end",
                f"the episode went on after its {len(self._script)} steps",
            )
            return dict(self._script[len(self.actions)])
        return {seat: self._spaces[seat].sample() for seat in self.seats}

    def step(self, actions: Actions | None = None) -> None:
        """Plays one step."""
        promise(
            len(self.actions) < self.horizon,
            f"the episode ends within its horizon of {self.horizon} steps",
            f"seats {self.world.agents} are still there after {len(self.actions)}",
        )
        choices = self.next_actions() if actions is None else actions
        observations, rewards, terminations, truncations, infos = self.world.step(dict(choices))
        self.actions.append(choices)
        self.flags.append((dict(terminations), dict(truncations)))
        self.present.append(tuple(self.world.agents))
        self._hear(observations, rewards, infos)

    def play(self) -> SteppedEpisode:
        """Plays to the end."""
        while self.going:
            self.step()
        return self

    @property
    def lines(self) -> list[bytes]:
        """Everything that any seat received, the flags and the facts."""
        lines = [line for seat in self.seats for line in self.heard[seat]]
        return [*lines, *map(form, self.flags), form(self.present), form(self.world.facts())]

    @property
    def hash(self) -> str:
        """SHA-256 of :attr:`lines`."""
        return hashlib.sha256(b"\n".join(self.lines)).hexdigest()

    def _hear(
        self, observations: dict[Seat, Any], rewards: dict[Seat, float], infos: dict[Seat, dict[str, Any]]
    ) -> None:
        for by_seat, name in ((observations, "an observation"), (rewards, "a reward"), (infos, "an info")):
            promise(
                set(self.seats) <= set(by_seat),
                f"a seat that has finished keeps its place: each of {self.seats} is given {name}",
                f"at step {len(self.actions)} only {sorted(by_seat)} were",
            )
        for seat in self.seats:
            met, messages = (infos[seat].get(key, ()) for key in ("encounters", "told"))
            step, last = len(self.actions), not self.going
            moment = Moment(step, observations[seat], rewards[seat], met, None, messages, last)
            self.moments[seat].append(moment)
            self.heard[seat].append(form(moment))


def encode_brief(brief: Brief) -> bytes:
    """A brief as bytes; its action space by name."""
    return form(msgspec.structs.replace(brief, action_space=repr(brief.action_space)))


def sampler(world: World, seat: Seat, seed: int) -> Space[Any]:
    """A seeded copy of a seat's action space."""
    space = deepcopy(world.action_space(seat))
    space.seed(derive(seed, "actions", seat) % 2**31)
    return space


def member(space: Space[Any], action: Action) -> bool:
    """Whether ``action`` is in ``space``; false if ``contains`` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(space.contains(action))
        except (TypeError, ValueError, AttributeError):
            return False


def outside(space: Space[Any]) -> list[Action]:
    """Actions that are not in ``space``: of a wrong type, range or shape."""
    sample = deepcopy(space).sample()
    candidates: list[Any] = [None, "no such action", [], {}, -1, 10**9, 1.5, np.array([0, 0])]
    if isinstance(sample, int | np.integer):
        candidates += [-1 - int(sample), float(sample), str(sample), [int(sample)]]
    if isinstance(sample, np.ndarray):
        candidates += [sample - 10**6, sample + 10**6, np.append(sample, sample)]
    return [action for action in candidates if not member(space, action)]
