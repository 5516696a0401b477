"""A damaged reply of any API is a reply or a fault with a type, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.models.mutated import APIS, SERVER, ends


@pytest.mark.parametrize("count", [600, pytest.param(50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("api", APIS)
def test_every_mutant_is_read_or_is_a_fault(api: str, count: int) -> None:
    found = ends(api, count, seed=1)
    assert sum(found.values()) == count
    assert found.keys() <= {"read", "MalformedError", "TransientError", "RefusedError"}
    assert found["read"] > count / 20
    assert found["MalformedError"] > count / 20


@pytest.mark.parametrize("api", APIS)
def test_the_reply_that_is_mutated_is_good(api: str) -> None:
    good, form, read = APIS[api]
    assert read(SERVER.read(200, {}, json.dumps(good).encode(), form)) is not None
