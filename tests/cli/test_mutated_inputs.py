"""Damaged files of every kind end in exit code 2 and a few lines that name the file, or are still valid.

``benchmarks/hardening_inputs.py`` does the same with more mutants.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import otherminds
from tests.mutated_inputs import judged, kinds
from tests.mutations import BYTES, HEADER, VALUES, mutants

COUNT = 30
KINDS = ("study", "prompt pack", "prices", "task", "scene", "packed scene", "GGUF", "policy")


@pytest.mark.parametrize("kind", KINDS)
def test_mutants_are_refused_or_valid(tmp_path: Path, kind: str) -> None:
    account = judged(kinds(tmp_path)[kind], tmp_path, COUNT)
    assert account.wrong == []
    assert account.outcomes["refused"] > COUNT // 3, "most mutants are damaged"
    assert account.outcomes.total() == COUNT


def test_files_are_valid_before_they_are_damaged(tmp_path: Path) -> None:
    """Else all their mutants would be refused for another reason."""
    found = kinds(tmp_path)
    assert tuple(found) == KINDS
    for title, kind in found.items():
        if title == "GGUF":
            continue
        for data in kind.sources.values():
            (tmp_path / kind.name).write_bytes(data)
            done = otherminds(*kind.words(tmp_path / kind.name))
            assert done.returncode == 0, (title, done.stderr)


def test_a_valid_model_file_reaches_the_engine(tmp_path: Path) -> None:
    kind = kinds(tmp_path)["GGUF"]._replace(mutations=((lambda data, rng: data,),))
    assert judged(kind, tmp_path, 1).outcomes == {"valid": 1}


def test_mutants_are_always_the_same_and_differ_from_the_file() -> None:
    source = {"a": b'name = "s"\nrounds = 3\n' * 5}
    first = list(mutants(source, 50, (BYTES, VALUES, HEADER)))
    assert first == list(mutants(source, 50, (BYTES, VALUES, HEADER)))
    assert len({data for _, data in first} - set(source.values())) > 40
