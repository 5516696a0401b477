"""One test over many cases, where each takes less time than pytest needs to make a test of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from math import ceil
from typing import Any

import pytest
from hypothesis import settings


def for_each(
    names: str | tuple[str, ...],
    values: Iterable[Any],
    ids: Iterable[Any] | Callable[[Any], Any] | None = None,
    every: int = 1,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Runs a test for every case; takes what ``pytest.mark.parametrize`` takes.

    With ``every=n``, the ordinary run takes every n-th case, and the slow run all of them.

    The first case that fails ends the test, and a note on the error names it; one that is skipped does not. All cases share the fixtures
    of one test: use ``parametrize`` where a case needs a ``tmp_path`` or a ``monkeypatch`` of its own.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    rows = [(value,) if len(names) == 1 else tuple(value) for value in values]
    assert rows, f"no case of {names}"
    assert all(len(row) == len(names) for row in rows), f"a case that does not fit {names}"
    if ids is None:
        titles = [", ".join(map(repr, row)) for row in rows]
    else:
        titles = [", ".join(map(str, map(ids, row))) for row in rows] if callable(ids) else [*map(str, ids)]

    def folded(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def over_all(*args: Any, thinned_to: int = 1, **fixtures: Any) -> None:
            left_out = 0
            cases = [*zip(titles, rows, strict=True)][::thinned_to]
            for title, row in cases:
                try:
                    test(*args, **fixtures, **dict(zip(names, row, strict=True)))
                except pytest.skip.Exception:
                    left_out += 1
                except BaseException as error:
                    error.add_note(f"case {title}")
                    raise
            if left_out == len(cases):
                pytest.skip("every case is skipped")

        made = signature(test)
        assert set(names) <= made.parameters.keys(), f"{test.__name__} takes no {names}"
        rest = [one for name, one in made.parameters.items() if name not in names]
        if every > 1:
            rest.append(Parameter("thinned_to", Parameter.KEYWORD_ONLY))
        over_all.__signature__ = made.replace(parameters=rest)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("thinned_to", depth(every, 1))(over_all) if every > 1 else over_all

    return folded


def depth(usual: Any, whole: Any) -> list[Any]:
    """For ``pytest.mark.parametrize``: ``usual`` in every run, ``whole`` in that of the slow tests."""
    return [pytest.param(usual, id="sample"), pytest.param(whole, id="whole", marks=pytest.mark.slow)]


def thinned(values: Iterable[Any], every: int) -> list[Any]:
    """For ``pytest.mark.parametrize``: the first of each ``every`` values always, the others in the slow run."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=[pytest.mark.slow] * (k % every > 0)) for k, row in enumerate(rows)]


def examples(share: float) -> settings:
    """A share of the examples of Hypothesis tests: for one whose examples take long. The slow run has its share of 500."""
    return settings(max_examples=ceil(settings().max_examples * share))
