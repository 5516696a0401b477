"""The list of mutants, and the runner that tries them: ``python tools/mutants.py`` itself takes minutes and is run by hand."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tools import mutants

LISTED = mutants.read_mutants()

LIBRARY = """
def add(a: int, b: int) -> int:
    return a + b


def largest(numbers: list[int]) -> int:
    return max(numbers)
"""
TESTS = """
from otherminds.sums import add, largest


def test_sums() -> None:
    assert add(2, 3) == 5


def test_largest() -> None:
    assert largest([2, 2]) == 2
"""
MUTANTS = """
[caught]
module = "otherminds.sums"
old = "a + b"
new = "a - b"
promise = "a sum"
tests = ["tests/test_sums.py::test_sums"]

[missed]
module = "otherminds.moved.since"
old = "max(numbers)"
new = "numbers[0]"
promise = "the largest"
tests = ["tests/test_moved_since.py::test_largest"]

[gone]
module = "otherminds.sums"
old = "a * b"
new = "a / b"
promise = "a product"
tests = ["tests/test_sums.py::test_sums"]

[without_a_test]
module = "otherminds.sums"
old = "return a"
new = "return b"
promise = "a test that is there"
tests = ["tests/test_sums.py::test_differences"]

[no_python]
module = "otherminds.sums"
old = "def add"
new = "add"
promise = "a module that can be imported"
tests = ["tests/test_sums.py::test_sums"]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one module with tests and mutants."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    files = {
        "src/otherminds/__init__.py": "",
        "src/otherminds/sums.py": LIBRARY,
        "tests/test_sums.py": TESTS,
        "tests/mutants/mutants.toml": MUTANTS,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_text_of_each_mutant_is_in_one_place_of_the_package() -> None:
    text = "\0".join(
        path.read_text(encoding="utf-8") for path in (mutants.ROOT / mutants.PACKAGE).rglob("*.py")
    )
    assert {mutant.name: count for mutant in LISTED if (count := text.count(mutant.old)) != 1} == {}


def test_each_mutant_is_a_program() -> None:
    for mutant in LISTED:
        source = mutants.find_source(mutant, mutants.ROOT).read_text(encoding="utf-8")
        ast.parse(source.replace(mutant.old, mutant.new))
        assert mutant.old.split() != mutant.new.split(), mutant.name


def test_the_tests_of_each_mutant_exist() -> None:
    assert [mutant.name for mutant in LISTED if not mutant.tests] == []
    for mutant in LISTED:
        for test in mutant.tests:
            mutants.find_test(test, mutants.ROOT)


def test_every_package_has_mutants() -> None:
    packages = {path.parent.name for path in (mutants.ROOT / mutants.PACKAGE).glob("*/__init__.py")}
    counts = Counter(mutant.module.split(".")[1] for mutant in LISTED)
    assert counts.keys() == packages
    assert counts.total() >= 60


def test_the_verdict_of_each_mutant_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main([], project) == 1
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert {row[0].strip("| "): row[3] for row in rows[1:]} == {
        "caught": "killed",
        "missed": "survived",
        "gone": "stale",
        "without_a_test": "stale",
        "no_python": "broken",
    }


def test_the_exit_code_is_that_of_the_named_mutants(project: Path) -> None:
    assert mutants.main(["caught"], project) == 0
    assert mutants.main(["caught", "unheard_of"], project) == 1


def test_tests_that_fail_anyhow_kill_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "src/otherminds/sums.py").write_text(LIBRARY.replace("a + b", "a + b + 1"), encoding="utf-8")
    assert mutants.main(["caught"], project) == 1
    assert "without any mutant" in capsys.readouterr().err


def test_a_text_in_two_places_is_stale(project: Path) -> None:
    (project / "src/otherminds/again.py").write_text(LIBRARY, encoding="utf-8")
    here = mutants.Mutant("here", "otherminds.sums", "a + b", "a - b", "", ())
    assert mutants.find_source(here, project).name == "sums.py"
    with pytest.raises(mutants.StaleError):
        mutants.find_source(here._replace(module="otherminds.moved"), project)
