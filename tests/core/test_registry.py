"""Additions are found by decorator and by entry point; errors name what comes near."""

from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from otherminds.core import registry as module
from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.core.text import FEW

SHELF = """
from otherminds.core.registry import Registry

toys = Registry("toy", "SHELF")
"""
TOY = """
from SHELF.shelf import toys

@toys.register("{name}")
def {name}(base, size, colour="red"):
    "A toy."
    return (base, size, colour)
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[object]:
    """A registry over a package of its own, with two additions that it has not imported yet."""
    name = f"shelf_{tmp_path.name}"
    package = tmp_path / name
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "deep" / "__init__.py").write_text("")
    (package / "shelf.py").write_text(SHELF.replace("SHELF", name))
    (package / "spinner.py").write_text(TOY.format(name="spinner").replace("SHELF", name))
    (package / "deep" / "kite.py").write_text(TOY.format(name="kite").replace("SHELF", name))
    monkeypatch.syspath_prepend(tmp_path)
    return __import__(f"{name}.shelf", fromlist=["toys"]).toys


def plug(monkeypatch: pytest.MonkeyPatch, kind: str, **points: str) -> list[str]:
    """Makes other distributions offer ``points``; returns the groups that are asked for."""
    asked: list[str] = []

    def entry_points(group: str) -> list[EntryPoint]:
        asked.append(group)
        return [EntryPoint(name, value, group) for name, value in points.items()]

    monkeypatch.setattr(module, "entry_points", entry_points)
    return asked


def test_modules_of_the_package_are_found_at_any_depth(toys: Registry[object]) -> None:
    assert list(toys) == ["kite", "spinner"]
    assert "kite" in toys
    assert "ball" not in toys


def test_a_name_that_is_nearly_right_is_suggested(toys: Registry[object]) -> None:
    with pytest.raises(StudyError, match=r"^no toy is called 'spiner'; did you mean spinner\?$"):
        toys.get("spiner")


def test_a_name_like_no_other_is_answered_with_the_few_there_are(toys: Registry[object]) -> None:
    toys.add("ball", object())
    toys.add("boat", object())
    with pytest.raises(StudyError, match=r"no toy is called 'xyz'; there are .*ball, boat"):
        toys.get("xyz")


def test_where_there_are_many_it_points_to_the_list(toys: Registry[object]) -> None:
    for k in range(FEW + 1):
        toys.add(f"toy_{k}", object())
    with pytest.raises(StudyError, match="no toy is called 'xyz'; see `otherminds list toys`"):
        toys.get("xyz")


def test_the_plural_may_be_irregular(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = plug(monkeypatch, "strategy")
    ways: Registry[object] = Registry("strategy", "otherminds.replies", "strategies")
    with pytest.raises(StudyError, match="no strategy is called 'xyz'"):
        ways.get("xyz")
    assert asked == ["otherminds.strategies"]


def rubber() -> str:
    return "a ball"


def leather() -> str:
    return "another"


def test_two_things_of_one_name_are_refused(toys: Registry[object]) -> None:
    assert toys.register("ball")(rubber) is rubber
    with pytest.raises(StudyError, match=r"two toys are called 'ball': .*rubber and .*leather"):
        toys.register("ball")(leather)
    assert toys.get("ball") is rubber


def test_a_module_loaded_twice_is_no_conflict(toys: Registry[object]) -> None:
    toys.add("ball", rubber)
    toys.add("ball", rubber)
    assert toys.get("ball") is rubber


def test_entry_points_of_other_distributions_are_known(
    toys: Registry[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = plug(monkeypatch, "toy", rope="json:loads", kite="json:dumps")
    assert toys.get("rope").__name__ == "loads"
    assert asked == ["otherminds.toys"]
    assert toys.get("kite").__name__ == "kite", "what the package itself has stays"
    assert list(toys) == ["kite", "rope", "spinner"]
    assert len(asked) == 1, "looked for once"


def test_an_entry_point_may_name_a_module_that_registers_what_it_adds(
    toys: Registry[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(monkeypatch, "toy", boxes="json")
    assert list(toys) == ["kite", "spinner"], "the module itself is no toy"
    with pytest.raises(StudyError, match="no toy is called 'boxes'"):
        toys.get("boxes")


def test_names_that_begin_with_an_underscore_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "attic"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_heavy.py").write_text("raise ImportError('too heavy')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert list(Registry("thing", "attic")) == []


def test_things_are_made_from_named_parameters(toys: Registry[object]) -> None:
    assert toys.make("kite", {"size": 3}, "paper") == ("paper", 3, "red")
    with pytest.raises(StudyError, match="toy 'kite' has no parameter 'weight'; it takes size, colour"):
        toys.make("kite", {"size": 3, "weight": 1}, "paper")
    with pytest.raises(StudyError, match="toy 'kite' needs the parameter 'size'"):
        toys.make("kite", {"colour": "blue"}, "paper")
    with pytest.raises(StudyError, match="no toy is called 'kites'; did you mean kite"):
        toys.make("kites", {})


def test_what_is_given_by_position_cannot_be_named(toys: Registry[object]) -> None:
    with pytest.raises(StudyError, match="has no parameter 'base'"):
        toys.make("kite", {"base": "x", "size": 1}, "paper")


def test_names_may_follow_from_what_others_know(toys: Registry[object]) -> None:
    """A family is asked anew at every look-up, so that what is added later counts."""
    kinds = ["red"]
    toys.family(lambda: {f"{kind}-kite": rubber for kind in kinds})
    assert "red-kite" in toys
    assert "blue-kite" not in toys
    kinds.append("blue")
    assert toys.get("blue-kite") is rubber
    assert list(toys) == ["blue-kite", "kite", "red-kite", "spinner"]
    with pytest.raises(StudyError, match="did you mean blue-kite"):
        toys.get("blue-kit")


def test_a_broken_addition_gives_the_same_error_at_every_look_up(
    toys: Registry[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(group: str) -> list[EntryPoint]:
        raise ZeroDivisionError("at import")

    monkeypatch.setattr(module, "entry_points", broken)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="at import"):
            toys.get("kite")


def test_threads_that_look_up_at_once_all_find_a_name(toys: Registry[object]) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: "kite" in toys, range(8)))
