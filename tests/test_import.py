"""Starting is quick because nothing heavy is imported before it is used."""

import pickle
import subprocess
import sys
from importlib import import_module
from inspect import getsource
from types import ModuleType
from typing import get_type_hints

import pytest

import otherminds
from otherminds.core import errors
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
CATALOGUES = ("games", "minds", "models", "partners", "scenarios", "strategies")
MOVED = (
    *(
        "Brief",
        "Encounter",
        "EpisodeSpec",
        "Invalid",
        "Limits",
        "MindContext",
        "Model",
        "Moment",
        "Participant",
    ),
    *("Question", "SkillChoice", "Verbalizer", "World", "play_now"),
)
"""Names that ``otherminds`` exported before they stayed in their modules."""
CORE = (
    *("core.data", "core.contracts", "core.record", "core.registry", "core.encoding", "core.errors"),
    "play.seat_context",
)


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


def test_nor_any_other_module_of_ours() -> None:
    code = "import otherminds, sys; print(*(name for name in sys.modules if name.startswith('otherminds')))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["otherminds"]


def test_nor_do_the_contracts() -> None:
    modules = "\n".join(f"import otherminds.{name}" for name in CORE)
    assert not imported(modules).intersection(HEAVY)


def test_it_would_be_seen() -> None:
    assert "numpy" in imported("import otherminds\notherminds.play")


def test_playing_needs_no_more_than_the_world_does() -> None:
    code = "import otherminds\nfrom otherminds.core.scenario import scenario\nscenario('ipd-mixed-v1', {'rounds': 3})"
    heavy = set(HEAVY) - {"numpy", "pettingzoo", "gymnasium"}
    assert not imported(code).intersection(heavy)


@for_each("name", [name for name in otherminds.__all__ if name != "__version__"])
def test_every_public_name_is_there_however_often_it_is_used(name: str) -> None:
    """A name that a package of ours has too stays the name when that package is imported."""
    thing = getattr(otherminds, name)
    assert not isinstance(thing, ModuleType)
    assert getattr(otherminds, name) is thing
    if name not in CATALOGUES:
        assert thing.__name__ == name
        assert pickle.loads(pickle.dumps(thing)) is thing


@pytest.mark.parametrize("name", ["play", "games", "minds", "models"])
def test_packages_do_not_replace_public_names(name: str) -> None:
    code = f"import otherminds.{name}\nfrom types import ModuleType\nimport otherminds as om\n"
    code += f"from otherminds.{name} import __doc__\nassert not isinstance(om.{name}, ModuleType)\n"
    code += f"import sys; assert isinstance(sys.modules['otherminds.{name}'], ModuleType)"
    imported(code)


def test_modules_of_such_packages_are_reached_by_their_path() -> None:
    imported(
        "import otherminds.minds.registry as there\nassert there.minds\nimport otherminds\notherminds.minds.registry.minds"
    )


def test_dir_lists_the_public_names() -> None:
    assert dir(otherminds) == sorted(otherminds.__all__)
    assert {"play", "score", "run", "report", "make", "minds", "scenarios"} <= set(dir(otherminds))


@pytest.mark.parametrize("name", ["aplay", "arun", "make", "play", "report", "run", "score"])
def test_functions_are_found_where_users_import_them(name: str) -> None:
    function = getattr(otherminds, name)
    assert function.__module__ == "otherminds"
    assert function.__doc__
    assert get_type_hints(function)["return"]
    assert f"def {name}(" in getsource(function)


def test_errors_are_public_and_drawn_in_one_tree() -> None:
    found = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert len(found) == 9
    for kind in found:
        assert kind.__module__ == "otherminds"
        assert getattr(otherminds, kind.__name__) is kind
        assert kind.__name__ in (errors.__doc__ or "")


def test_the_public_names_are_those_that_a_user_types() -> None:
    assert set(otherminds.__all__) == {
        *(
            "__version__",
            "aplay",
            "arun",
            "compare",
            "evaluate",
            "make",
            "play",
            "policy",
            "rank",
            "records",
            "report",
        ),
        *("rounds", "run", "score"),
        *("AsyncSession", "Done", "Session", "Turn", "asession", "session"),
        *CATALOGUES,
        *("Estimate", "Record", "Report", "Score"),
        *("Automaton", "Game", "Mind", "Scenario", "SeatSpec", "Setup"),
        *(name for name, kind in vars(errors).items() if isinstance(kind, type)),
    }


@for_each("name", MOVED)
def test_a_name_of_an_earlier_version_answers_with_its_module(name: str) -> None:
    with pytest.raises(AttributeError, match=f"from otherminds[a-z._]+ import {name}$") as refusal:
        getattr(otherminds, name)
    module = str(refusal.value).split()[-3]
    assert getattr(import_module(module), name)
    assert name not in dir(otherminds)


def test_names_are_listed_once_and_in_one_place() -> None:
    assert len(set(otherminds.__all__)) == len(otherminds.__all__)
    assert set(otherminds.__all__) == {*otherminds._HOMES, "__version__"}


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(AttributeError, match="module 'otherminds' has no attribute 'plays'"):
        _ = otherminds.plays
