"""No reply of a server exhausts a client: each ends in a fault or a reply, within bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.bombs import BOMBS, serving_bombs

MEMORY = 300
"""Megabytes that a client may have at its peak; one that has read nothing has about 40."""
QUICK = (
    *("zstd, 1 GiB", "br", "endless headers", "endless header", "endless body in chunks"),
    *(
        "endless events (SSE)",
        "an error without end",
        "objects, 1,000,000 deep",
        "deep beside a half character",
    ),
    *("a text of 20 MB with an emoji", "lists in arguments, 20 MB", "numbers of 100,000 digits in arguments"),
)
ROOT = Path(__file__).resolve().parents[2]


def measured(names: tuple[str, ...]) -> list[dict[str, object]]:
    """What the bombs ``names`` did to one client, one after the other."""
    with serving_bombs(names) as url:
        done = subprocess.run(
            [sys.executable, "-m", "tests.models.bombs", url, *names],
            capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(BOMBS), marks=pytest.mark.slow)])
def test_a_bomb_takes_little_memory(names: tuple[str, ...]) -> None:
    found = measured(names)
    assert [one["name"] for one in found] == list(names)
    for one in found:
        assert isinstance(one["peak"], float)
        assert one["peak"] < MEMORY, one
