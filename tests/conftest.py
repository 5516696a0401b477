"""For all tests: a slow machine is no failure, and neither examples nor processes cost more than they tell."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from multiprocessing.context import BaseContext
from pkgutil import walk_packages

import pytest
from hypothesis import is_hypothesis_test, settings

settings.register_profile("usual", deadline=None, max_examples=15)
settings.register_profile("slow", deadline=None, max_examples=500)

# Thousands of tests and modules live until the end: with the usual thresholds, a fifth of the run looks for garbage among them.
gc.set_threshold(20_000, 20, 20)


def pytest_configure(config: pytest.Config) -> None:
    """Before tests are collected: some take a share of these examples."""
    settings.load_profile("slow" if config.option.markexpr == "slow" else "usual")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """``pytest -m slow`` runs all Hypothesis tests too, with more examples."""
    if config.option.markexpr == "slow":
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def workers_are_forked() -> Iterator[None]:
    """Workers of studies are forked from one process that has imported all that plays, not started one by one."""
    context = multiprocessing.get_context("forkserver")

    @cache
    def ready() -> BaseContext:
        rooms = (import_module(f"otherminds.{room}") for room in ("games", "minds", "studies"))
        found = (
            module.name for room in rooms for module in walk_packages(room.__path__, f"{room.__name__}.")
        )
        worlds = [point.module for point in entry_points(group="otherminds.scenarios")]
        context.set_forkserver_preload([*(name for name in found if "._" not in name), *worlds])
        return context

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda method=None: ready())
        yield
