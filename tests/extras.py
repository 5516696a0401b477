"""A pytest plugin: modules that need an extra are left out where it is not installed."""

from __future__ import annotations

from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS = {
    "src/otherminds/bridges/inspect.py": "inspect_ai",
    "src/otherminds/bridges/verifiers.py": "verifiers",
    "src/otherminds/bridges/openenv.py": "openenv",
    "tests/bridges/test_openenv.py": "openenv",
    "src/otherminds/gridworlds/learning/*.py": "jax",
    "tests/gridworlds/learning/test_*.py": "jax",
    "src/otherminds/web/*.py": "starlette",
    "tests/web/[!_]*.py": "starlette",
}
"""The package that the files of a pattern import."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a file whose package is missing; None leaves the decision to pytest."""
    if not collection_path.is_relative_to(config.rootpath):
        return None
    path = collection_path.relative_to(config.rootpath).as_posix()
    missing = any(fnmatch(path, files) and not find_spec(package) for files, package in NEEDS.items())
    return missing or None
