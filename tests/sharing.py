"""A pytest plugin: in a fresh clone, the workers of a run share the work of rewriting the assertions of all tests.

Rewriting is half of what collecting costs, and its result is kept in ``__pycache__``. If all workers collected in the
same order, each would rewrite every test, at the same time as the others. So every second one collects the folders of
``tests`` from the last one on, and finds rewritten what the others have collected until then.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    report = yield
    if WORKER and int(WORKER.removeprefix("gw")) % 2 and collector.path == TESTS:
        report.result.sort(key=lambda found: found.path.name, reverse=True)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All workers have the tests in one order in the end."""
    if WORKER:
        places = [n for n, item in enumerate(items) if TESTS in item.path.parents]
        found = sorted((items[n] for n in places), key=lambda item: item.path.relative_to(TESTS).parts[0])
        for n, item in zip(places, found, strict=True):
            items[n] = item
