"""Plugins can raise anything, at import and when they make something: one line that names them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from otherminds.core import registry as module
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.registry import Registry, described, guarded, load_plugins

BROKEN = {
    "an exception": ("raise Exception('two\\nlines')", "Exception: two lines"),
    "an exit": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "endless recursion": ("def f(): f()\nf()", "RecursionError: maximum recursion"),
    "a syntax error": ("def (", "SyntaxError"),
    "a missing module": ("import no_such_module_at_all", "ModuleNotFoundError: No module named"),
    "an error without a text": ("raise KeyError()", "KeyError"),
    "an error that cannot be told": (
        "class E(BaseException):\n  def __str__(self): return 1 / 0\nraise E",
        "is left out: E (",
    ),
    "a missing attribute": ("other = 1", "AttributeError"),
    "a wrong type": ("made = 3", "it is of the wrong type, int"),
}


@pytest.fixture
def things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[object]:
    """A registry of a package without components."""
    name = f"empty_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    return Registry("thing", name, attributes=("begin", "act"))


def offered(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    monkeypatch.setattr(
        module, "entry_points", lambda group: [EntryPoint(n, v, group) for n, v in points.items()]
    )


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_entry_point_is_left_out_with_one_line(
    things: Registry[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    case: str,
) -> None:
    source, said = BROKEN[case]
    broken = f"broken_{tmp_path.name}"
    (tmp_path / f"{broken}.py").write_text(source)
    offered(monkeypatch, bad=f"{broken}:made", good="json:loads")
    with caplog.at_level(logging.WARNING, "otherminds"):
        assert list(things) == ["good"]
    assert len(caplog.messages) == 1, "once, and nothing for the one that can be loaded"
    line = caplog.messages[0]
    assert line.startswith(f"otherminds: plugin 'bad' ({broken}:made) is left out: ")
    assert said in line
    assert "\n" not in line
    with pytest.raises(StudyError, match=r"no thing is called 'bad'; .*plugin 'bad'") as error:
        things.get("bad")
    assert said in str(error.value), "who asks for it reads why it is not there"


def test_an_interrupt_while_a_plugin_is_loaded_ends_the_program(
    things: Registry[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"slow_{tmp_path.name}.py").write_text("raise KeyboardInterrupt")
    offered(monkeypatch, slow=f"slow_{tmp_path.name}")
    with pytest.raises(KeyboardInterrupt):
        list(things)


def fails() -> object:
    raise ZeroDivisionError("division by zero")


def exits() -> object:
    raise SystemExit(0)


def number() -> object:
    return 3


def refuses() -> object:
    raise ProviderError("the service is down")


@pytest.mark.parametrize(
    ("maker", "said"),
    [
        (fails, "thing 'x' cannot be made: ZeroDivisionError: division by zero ("),
        (exits, "thing 'x' cannot be made: SystemExit: 0 ("),
        (number, "thing 'x' is made as int, which is no thing: it has no 'begin'"),
        (3, "thing 'x': TypeError: 3 is not a callable object"),
    ],
)
def test_what_cannot_be_made_is_one_line(things: Registry[object], maker: object, said: str) -> None:
    things.add("x", maker)
    with pytest.raises(StudyError) as error:
        things.make("x", {})
    assert str(error.value).startswith(said)


def test_errors_of_our_own_pass_as_they_are(things: Registry[object]) -> None:
    things.add("x", refuses)
    with pytest.raises(ProviderError, match="the service is down"):
        things.make("x", {})


def test_long_messages_of_others_are_cut() -> None:
    with pytest.raises(StudyError) as error, guarded("plugin 'p'"):
        raise ValueError("x" * 10_000)
    assert len(str(error.value)) < 500
    assert described(SystemExit()) == "SystemExit"


FILE = """
from {here} import known
known.register({name!r})(lambda: {value})
"""


@pytest.fixture
def write(tmp_path: Path, things: Registry[object], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Writes a plugin that registers a name in ``things``, and returns its path."""
    here = ModuleType(f"here_{tmp_path.name}")
    here.known = things  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, here.__name__, here)

    def written(folder: str, name: str, value: int) -> str:
        path = tmp_path / folder / "plugin.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(FILE.format(here=here.__name__, name=name, value=value))
        return str(path)

    return written


def _made(things: Registry[object], name: str) -> object:
    maker = things.get(name)
    assert callable(maker)
    return maker()


def test_files_of_one_name_in_two_folders_are_both_imported(
    write: Callable[..., str], things: Registry[object]
) -> None:
    load_plugins([write("a", "one", 1)])
    load_plugins([write("b", "two", 2)])
    assert [_made(things, name) for name in ("one", "two")] == [1, 2]


def test_a_copy_of_an_imported_file_is_not_imported_again(
    write: Callable[..., str], things: Registry[object]
) -> None:
    load_plugins([write("a", "one", 1)])
    held = things.get("one")
    load_plugins([write("a", "one", 1), write("b", "one", 1)])
    assert things.get("one") is held


def test_a_changed_file_is_imported_again(write: Callable[..., str], things: Registry[object]) -> None:
    for value in (1, 2, 1):
        load_plugins([write("a", "one", value)])
        assert _made(things, "one") == value


def test_two_files_that_register_one_name_are_refused(write: Callable[..., str]) -> None:
    load_plugins([write("a", "one", 1)])
    with pytest.raises(StudyError, match="two things are called 'one'"):
        load_plugins([write("b", "one", 2)])
