"""Registries of components: by decorator, or by entry point; no central list.

Looking a name up in a :class:`Registry` imports the modules of its own package, if it has one, and loads the entry points
of its group, ``otherminds.<plural>``, of all installed distributions. Worlds, with all that belongs to them, are found by
entry points alone, those of this distribution like any other's. An entry point names a component, or a module or package
that registers components. Modules whose names begin with an underscore are not imported: they are heavy and register
nothing.

A plugin can raise anything at import and at construction. :func:`guarded` turns what it raises into a
:class:`~otherminds.core.errors.StudyError` of one line. An entry point that cannot be loaded is passed over with one line
in the log ``otherminds`` (on the terminal, if logging is not configured): a package that happens to be installed does not
keep others from running. Looking up a name that is then unknown mentions it again, since it may have been that package's."""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from pathlib import Path
from threading import RLock
from traceback import extract_tb
from types import ModuleType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

from otherminds.core.disk import read_file, resolve_path
from otherminds.core.errors import OtherMindsError, StudyError, UnknownNameError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import check_kind

T = TypeVar("T")
A = TypeVar("A")


class Maker(Protocol):
    """Makes components by name: a registry, or a scenario with minds of its own."""

    def make(self, name: str, params: Mapping[str, Any]) -> Any:
        """The component ``name``, made with ``params``."""
        ...


class Origin(NamedTuple):
    """The name and the parameters that a component was made from, and its maker."""

    maker: Maker
    name: str
    params: dict[str, Any]

    def again(self) -> Any:
        """Another component, made in the same way."""
        return self.maker.make(self.name, deepcopy(self.params))

    def registered(self, *kinds: str) -> bool:
        """Whether the genuine registry of one of ``kinds`` made it."""
        if not isinstance(self.maker, Registry):
            return False
        maker = cast("Registry[Any]", self.maker)
        return maker.kind in kinds and maker.genuine


def stamp_origin(component: A, maker: Maker, name: str, params: Mapping[str, Any]) -> A:
    """``component`` with its :class:`Origin`, if its class has an attribute ``origin``."""
    if hasattr(type(component), "origin"):
        object.__setattr__(component, "origin", Origin(maker, name, deepcopy(dict(params))))
    return component


class Registry(Generic[T]):
    """The components of one ``kind`` (``"mind"``, ``"partner"``, ...), by name.

    Names in records refer to the first registry of a kind (``genuine``). ``attributes`` are those that
    all that is made here must have; ``accepts`` says whether an entry point is a component.
    """

    _first: ClassVar[dict[str, Registry[Any]]] = {}
    _loading: ClassVar[RLock] = RLock()
    """Held while a registry loads: another thread waits until all names are known."""

    def __init__(
        self,
        kind: str,
        package: str = "",
        plural: str = "",
        attributes: tuple[str, ...] = (),
        accepts: Callable[[object], bool] = callable,
    ) -> None:
        Registry._first.setdefault(kind, self)
        self.kind = kind
        self.plural = plural or f"{kind}s"
        self._package = package
        self._attributes = attributes
        self._plugins = Plugins(accepts)
        self._known: dict[str, T] = {}
        self._families: list[Callable[[], Mapping[str, T]]] = []
        self._openers: dict[str, Callable[[Path], T]] = {}
        self._begun = self._loaded = False

    @property
    def genuine(self) -> bool:
        """Whether it is the first registry of its kind."""
        return Registry._first[self.kind] is self

    def register(self, name: str) -> Callable[[A], A]:
        """A decorator that registers a class or a function as ``name``; see :meth:`add`."""

        def remember(component: A) -> A:
            self.add(name, cast("T", component))
            return component

        return remember

    def add(self, name: str, component: T) -> None:
        """Registers ``component`` as ``name``.

        Raises:
            StudyError: another component of this kind has that name, or the name has a colon.
        """
        if ":" in name:
            raise StudyError(
                f"{self.kind} {name!r}: a name has no colon; records mark what has no name with one"
            )
        earlier = self._known.get(name)
        if earlier is not None and _source(earlier) != _source(component):
            raise StudyError(
                f"two {self.plural} are called {name!r}: {_source(earlier)} and {_source(component)}"
            )
        self._known[name] = component

    def family(self, members: Callable[[], Mapping[str, T]]) -> Callable[[], Mapping[str, T]]:
        """Registers names that are derived from other registries; called at every look-up."""
        self._families.append(members)
        return members

    def opens(self, suffix: str) -> Callable[[Callable[[Path], T]], Callable[[Path], T]]:
        """A decorator: a name that ends in ``suffix`` is the path of a user's file, of which the function makes a component."""

        def remember(opener: Callable[[Path], T]) -> Callable[[Path], T]:
            self._openers[suffix] = opener
            return opener

        return remember

    def get(self, name: str) -> T:
        """The component registered as ``name``.

        Raises:
            UnknownNameError: there is none; the text lists near matches.
        """
        self._load()
        if name in self._known:
            return self._known[name]
        for members in self._families:
            if name in (by_name := members()):
                return by_name[name]
        if (suffix := Path(name).suffix) in self._openers:
            return self._openers[suffix](Path(name))
        text = f"no {self.kind} is called {quote_name(name)}"
        text += hint(name, self, f"see `otherminds list {self.plural}`")
        raise UnknownNameError("; ".join((text, *self._plugins.broken)))

    def make(self, name: str, params: Mapping[str, Any], *arguments: Any) -> Any:
        """Makes the component ``name``: calls it with ``arguments`` and then ``params`` by name.

        Raises:
            StudyError: an unknown name, unknown or missing parameters, or the component cannot be made of them.
        """
        return stamp_origin(self.build(name, params, *arguments), self, name, params)

    def build(self, name: str, params: Mapping[str, Any], *arguments: Any) -> Any:
        """As :meth:`make`, without an origin. A registry of parts overrides this to make the whole."""
        subject = f"{self.kind} {name!r}"
        component = call(subject, self.get(name), params, *arguments)
        for attribute in self._attributes:
            if not hasattr(component, attribute):
                kind = type(component).__name__
                raise StudyError(
                    f"{subject} is made as {kind}, which is no {self.kind}: it has no {attribute!r}"
                )
        return component

    def __contains__(self, name: str) -> bool:
        self._load()
        return name in self._known or name in self._everything() or Path(name).suffix in self._openers

    def __iter__(self) -> Iterator[str]:
        """The known names, in alphabetical order."""
        self._load()
        return iter(sorted(self._everything()))

    def _everything(self) -> dict[str, T]:
        by_name = dict(self._known)
        for members in self._families:
            by_name.update(members())
        return by_name

    def _load(self) -> None:
        if self._loaded:
            return
        with Registry._loading:
            if self._begun:
                return
            self._begun = True
            try:
                if self._package:
                    import_modules(importlib.import_module(self._package))
                for name, component in self._plugins.load(entry_points(group=f"otherminds.{self.plural}")):
                    self._known.setdefault(name, cast("T", component))
            except BaseException:
                self._begun = False  # so that the next look-up raises the same error, not an unknown name
                raise
            self._loaded = True


def call(subject: str, component: Any, params: Mapping[str, Any], *arguments: Any) -> Any:
    """Calls ``component`` with ``arguments`` and then ``params`` by name; ``subject`` names it in errors.

    Raises:
        StudyError: unknown or missing parameters, or ``component`` raises an error of another kind.
    """
    with guarded(subject):
        accepted = parameters(component)[len(arguments) :]
    for key in params:
        if key not in (p.name for p in accepted):
            names = ", ".join(p.name for p in accepted) or "no parameters"
            raise StudyError(f"{subject} has no parameter {key!r}; it takes {names}")
    for p in accepted:
        if p.default is p.empty and p.name not in params:
            raise StudyError(f"{subject} needs the parameter {p.name!r}")
    with guarded(f"{subject} cannot be made"):
        return component(*arguments, **params)


@lru_cache(maxsize=4096)
def parameters(component: Any) -> tuple[Parameter, ...]:
    """The parameters of ``component``. Cached, since a mind is made again for each episode."""
    return tuple(p for p in signature(component).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD)


def _source(component: object) -> str:
    """Where a component is defined; equal for a module that is loaded twice."""
    name = getattr(component, "__qualname__", type(component).__qualname__)
    return f"{getattr(component, '__module__', '?')}.{name}"


_files: dict[str, tuple[str, bytes]] = {}
"""The name and the content of the plugin files that are imported, by module."""
LOG = logging.getLogger("otherminds")
LONGEST = 200
"""Characters of another package's message that are shown."""


@contextmanager
def guarded(subject: str | Callable[[], str]) -> Generator[None]:
    """Runs code of others; ``subject``, or what it returns by then, begins the text of the error.

    Errors of Other Minds pass as they are, and so does an interrupt by the user.

    Raises:
        StudyError: the code raised something else, ``SystemExit`` included.
    """
    try:
        yield
    except (OtherMindsError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        name = subject if isinstance(subject, str) else subject()
        raise StudyError(f"{name}: {described(error)}") from error


def load_plugins(files: Iterable[str]) -> None:
    """Imports the user's own files, which register minds, scenarios or models.

    A file that has changed since is imported again; one that is a copy of an imported file of its name is not.

    Raises:
        StudyError: a file is missing or cannot be imported, or registers a name that another file has registered.
    """
    for name in files:
        path = resolve_path(Path(name))
        if not path.is_file():
            check_kind(path, StudyError)
            raise StudyError(f"plugin {path.name!r} is not at {path}; paths are relative to the study file")
        module = f"otherminds_plugin_{path.stem}_{sha256(bytes(path)).hexdigest()[:8]}"
        content = read_file(path)
        if (path.stem, content) in _files.values():
            continue
        imported = sys.modules[module] = ModuleType(module)
        imported.__file__ = str(path)
        try:
            with guarded(f"plugin {path.name!r} cannot be loaded"):
                exec(compile(content, path, "exec"), vars(imported))
        except BaseException:
            del sys.modules[module]
            raise
        _files[module] = path.stem, content


def described(error: BaseException) -> str:
    """An error in one line: its type, its text and the line of code that raised it.

    >>> described(ValueError("two\\nlines"))
    'ValueError: two lines'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in _text(error)).split())
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    frames = extract_tb(error.__traceback__, limit=-1)
    # The text of a syntax error names its place.
    placed = frames and not isinstance(error, SyntaxError)
    place = f" ({frames[0].filename}, line {frames[0].lineno})" if placed else ""
    return f"{type(error).__name__}{f': {text}' if text else ''}{place}"


def _text(error: BaseException) -> str:
    """``str(error)``, which is code of others too."""
    try:
        return str(error)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return ""


class Plugins:
    """The entry points of one group, loaded in order. ``broken`` has a line for each that cannot be loaded."""

    def __init__(self, accepts: Callable[[object], bool] = callable) -> None:
        self.broken: list[str] = []
        self._accepts = accepts

    def load(self, points: Iterable[EntryPoint]) -> Iterator[tuple[str, object]]:
        """The name and the object of each that can be loaded; importing a module registers what it has."""
        for point in points:
            subject = f"plugin {point.name!r} ({_package(point)}{point.value}) is left out"
            try:
                with guarded(subject):
                    component = point.load()
                    if isinstance(component, ModuleType):
                        import_modules(component)
                        continue
            except OtherMindsError as error:
                self._leave_out(str(error) if str(error).startswith(subject) else f"{subject}: {error}")
                continue
            if self._accepts(component):
                yield point.name, component
            else:
                self._leave_out(f"{subject}: it is of the wrong type, {type(component).__name__}")

    def _leave_out(self, line: str) -> None:
        self.broken.append(line)
        LOG.warning("otherminds: %s", line)


def import_modules(module: ModuleType) -> None:
    """Imports all modules of a package, which register what they have; does nothing for a module that is none.

    Modules whose names begin with an underscore, and those of such packages, are left out.
    """
    for inside in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
        if "._" not in inside.name:
            importlib.import_module(inside.name)


def _package(point: EntryPoint) -> str:
    return f"of {point.dist.name}, " if point.dist is not None else ""
