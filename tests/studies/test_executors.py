"""Executors by name: what is wrong with a name, a place or a missing package is one line."""

from __future__ import annotations

import sys

import pytest

from otherminds.core.errors import StudyError
from otherminds.studies.executor import executors, open_executor

PACKAGES = {"ray": "ray", "dask": "distributed", "parsl": "parsl.concurrent", "submitit": "submitit"}


def test_an_unknown_executor_is_named() -> None:
    with (
        pytest.raises(StudyError, match=r"no executor is called 'process'.*processes"),
        open_executor("process", ()),
    ):
        pass


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_that_is_missing_is_named_with_its_extra(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name in executors
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    with (
        pytest.raises(StudyError, match=rf"install it with: pip install 'otherminds\[{name}\]'$"),
        open_executor(name, ()),
    ):
        pass
