"""Starting is quick because nothing heavy is imported before it is used."""

import subprocess
import sys

import pytest

import otherminds
from tests.cases import for_each

HEAVY = (
    "torch",
    "pandas",
    "matplotlib",
    "numba",
    "inspect_ai",
    "pettingzoo",
    "gymnasium",
    "numpy",
    "scipy",
    "pydantic",
    "rich",
    "xllamacpp",
)
CORE = ("data", "contracts", "bench", "record", "registry", "seeds", "errors")


def imported(code: str) -> set[str]:
    """Which heavy packages a fresh process has imported after ``code``."""
    said = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name.partition(".")[0] for name in said.split()}


def test_importing_the_package_pulls_in_nothing_heavy() -> None:
    assert not imported("import otherminds").intersection(HEAVY)


def test_nor_do_the_contracts() -> None:
    modules = "\n".join(f"import otherminds.core.{name}" for name in CORE)
    assert not imported(modules).intersection(HEAVY)


def test_it_would_be_seen() -> None:
    assert "numpy" in imported("import otherminds\notherminds.play_now")


def test_playing_needs_no_more_than_the_world_does() -> None:
    code = "import otherminds\nfrom otherminds.worlds.registry import scenario\nscenario('ipd-mixed-v1', {'rounds': 3})"
    heavy = set(HEAVY) - {"numpy", "pettingzoo", "gymnasium"}
    assert not imported(code).intersection(heavy)


@for_each("name", [name for name in otherminds.__all__ if name != "__version__"])
def test_every_public_name_is_there_however_often_it_is_used(name: str) -> None:
    """A name that a room has too would become the room once that is imported."""
    thing = getattr(otherminds, name)
    assert thing.__name__ == name
    assert getattr(otherminds, name) is thing


def test_names_are_listed_once_and_in_one_place() -> None:
    assert len(set(otherminds.__all__)) == len(otherminds.__all__)
    assert set(otherminds.__all__) == {*otherminds._HOMES, "__version__"}


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(AttributeError, match="module 'otherminds' has no attribute 'plays'"):
        _ = otherminds.plays
