"""Code of others: entry points of other distributions, and whatever plugins make.

A plugin can raise anything at import and at construction. :func:`guarded` turns what it raises into a
:class:`~otherminds.core.errors.StudyError` of one line. An entry point that cannot be loaded is passed
over with one line in the log ``otherminds`` (on the terminal, if logging is not configured): a package that
happens to be installed does not keep others from running. Looking up a name that is then unknown
mentions it again, since it may have been that package's.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import EntryPoint
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from otherminds.core.disk import read_file, resolve_path
from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.user_files import check_kind

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

    def __init__(self, fits: Callable[[object], bool] = callable) -> None:
        self.broken: list[str] = []
        self._fits = fits

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
            if self._fits(component):
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
