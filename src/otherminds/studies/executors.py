"""The registry of executors, and access to them by spec string: ``processes``, ``ray:ADDRESS``, ``dask:ADDRESS``, ..."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import TypeAlias

from otherminds.core.errors import StudyError
from otherminds.core.plugins import guarded
from otherminds.core.registry import Registry
from otherminds.studies.executor import Executor

ExecutorKind: TypeAlias = Callable[[str, tuple[str, ...]], AbstractContextManager[Executor]]
"""``kind(where, plugins)`` opens an executor; ``where`` is the spec string after its first colon."""

executors: Registry[ExecutorKind] = Registry("executor", "otherminds.studies")


@contextmanager
def open_executor(spec: str, plugins: tuple[str, ...]) -> Generator[Executor]:
    """The executor that ``spec`` names, such as ``processes`` or ``dask:tcp://HOST:8786``, until the end of the block.

    ``plugins`` are the files of :attr:`~otherminds.studies.plan.StudyPlan.plugins`, which other machines
    need at the same paths.

    Raises:
        StudyError: there is no such executor, its package is not installed, or its machines do not answer.
    """
    kind, _, where = spec.partition(":")
    opened = executors.make(kind, {}, where, plugins)
    with ExitStack() as resources:
        with guarded(f"executor {spec!r} cannot be opened"):
            executor = resources.enter_context(opened)
        yield executor


def package(name: str, extra: str) -> ModuleType:
    """The optional package ``name``, which ``extra`` installs.

    Raises:
        StudyError: it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise StudyError(
            f"this executor needs the extra {extra!r}; install it with: pip install 'otherminds[{extra}]'"
        ) from error
