"""Lists of what is registered: ``minds``, ``scenarios``, ``partners``, ``games``, ``models`` and ``strategies``.

Each is a mapping over a registry. An entry is derived from the class or function that is registered:
its docstring, the docstring of its module, the traits that the class declares, and its parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import getdoc
from typing import Any, TypeVar

from otherminds.core import scenario as known_worlds
from otherminds.core.registry import Registry, parameters
from otherminds.core.scenario import Scenario
from otherminds.core.text import html_table, text_table
from otherminds.games import registry as known_games
from otherminds.minds import registry as known_minds
from otherminds.models import registry as known_models

A = TypeVar("A")
YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
SENTENCE = re.compile(r"(?<=[.;:])\s+(?=[A-Z])")
PLAIN = (bool, int, float, str, frozenset)


@dataclass(frozen=True)
class Entry:
    """What is registered under a name.

    Attributes:
        name: The name.
        description: The first paragraph of its documentation.
        traits: What it declares, by name: its parameters with their defaults, the grants that it
            needs, whether it waits for a model, its behaviours, its seats.
        source: The sentences of its documentation that cite a publication, or those of its module or
            package; empty if none does.
        registered: What is registered: a class or a function.
    """

    name: str
    description: str
    traits: Mapping[str, Any]
    source: str
    registered: Any = field(repr=False)

    def _repr_html_(self) -> str:
        rows = [(name, _write_value(value)) for name, value in self.traits.items()]
        notes = tuple(filter(None, (self.description, self.source)))
        return html_table(self.name, ("trait", "value"), rows, notes)


class Catalogue(Mapping[str, Entry]):
    """Everything registered of one kind, by name. Entries are made when they are looked up.

    ``catalogue[name]`` raises :class:`~otherminds.core.errors.UnknownNameError`, a ``KeyError``
    that names near matches. An attribute that it does not have is looked up in the package of
    the same name, so that ``otherminds.minds.registry`` is that module.
    """

    def __init__(
        self,
        registry: Registry[Any],
        skipped: int = 0,
        traits: Callable[[Any], Mapping[str, Any]] = lambda component: {},
    ) -> None:
        self._registry = registry
        self._skipped = skipped
        self._traits = traits

    def register(self, name: str) -> Callable[[A], A]:
        """A decorator that registers a class or a function under ``name``."""
        return self._registry.register(name)

    def make(self, name: str, params: Mapping[str, Any] | None = None) -> Any:
        """Makes what is registered under ``name``, with parameters by name. Records name it so.

        Raises:
            StudyError: no such name, or parameters that it does not take or lacks.
        """
        return self._registry.make(name, params or {})

    def __getitem__(self, name: str) -> Entry:
        component = self._registry.get(name)
        about = getdoc(component) or ""
        accepted = parameters(component)[self._skipped :]
        defaults = {p.name: p.default for p in accepted if p.default is not p.empty}
        traits: dict[str, Any] = {"parameters": defaults} | _declared_traits(component)
        if needed := tuple(p.name for p in accepted if p.default is p.empty):
            traits |= {"needs": needed}
        else:
            traits |= self._traits(component)
        first, *_ = traits.pop("description", about).split("\n\n")
        return Entry(name, " ".join(first.split()).replace("``", "`"), traits, _source(component), component)

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry)

    def __len__(self) -> int:
        return sum(1 for _ in self._registry)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._registry

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(import_module(f"otherminds.{self._registry.plural}"), name)

    def __repr__(self) -> str:
        return text_table(("name", "description"), self._rows())

    def _repr_html_(self) -> str:
        return html_table(f"{len(self)} {self._registry.plural}", ("name", "description"), self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        return [(name, self._line(name)) for name in self]

    def _line(self, name: str) -> str:
        """The description; nothing is made for it where the registered thing has one."""
        described = getattr(self._registry.get(name), "description", None)
        if isinstance(described, str):
            return described
        entry = self[name]
        return entry.description or f"needs the parameter {', '.join(entry.traits.get('needs', ()))}"


def _game(make: Callable[[], Any]) -> dict[str, Any]:
    game = make()
    return {"behaviours": game.behaviours, "payoffs": game.payoffs}


def _scenario(make: Callable[..., Scenario]) -> dict[str, Any]:
    built = make()
    members = {", ".join(s.title for s in specs): weight for weight, specs in built.population.members}
    return {
        "description": built.description,
        "seats": built.seats,
        "under_test": built.focal,
        "game": built.game.name if built.game else None,
        "population": members,
        "minds": tuple(built.minds),
        "grants": (*built.priors, *built.grants),
    }


def _declared_traits(component: Any) -> dict[str, Any]:
    """The plain class attributes that a class, or a class that it inherits from, declares with a type."""
    kinds = reversed(getattr(component, "__mro__", ()))
    names = dict.fromkeys(name for kind in kinds for name in vars(kind).get("__annotations__", ()))
    values = {name: getattr(component, name, None) for name in names if not name.startswith("_")}
    return {
        name: tuple(sorted(value)) if isinstance(value, frozenset) else value
        for name, value in values.items()
        if isinstance(value, PLAIN)
    }


def _source(component: Any) -> str:
    """What the documentation of a thing cites; else that of its module, else that of its package."""
    module = import_module(component.__module__)
    for place in (component, module, import_module(module.__package__ or module.__name__)):
        sentences = SENTENCE.split(" ".join((getdoc(place) or "").split()))
        if cited := [sentence for sentence in sentences if YEAR.search(sentence)]:
            return " ".join(cited).replace("``", "`")
    return ""


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {element}" for name, element in value.items())
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


games = Catalogue(known_games.games, traits=_game)
minds = Catalogue(known_minds.minds)
models = Catalogue(known_models.models, skipped=1)
partners = Catalogue(known_games.partners, skipped=2)
scenarios = Catalogue(known_worlds.scenarios, traits=_scenario)
strategies = Catalogue(known_minds.strategies)
