"""Texts that are data: every fault of a table is named, with what it may contain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Struct

from otherminds import SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.user_files import read_toml
from otherminds.core.wording import Fields, name_value, texts
from tests.cases import for_each


class Greeting(Struct, frozen=True):
    hello: Annotated[str, Fields("name", "time")]
    bye: str


FAULTS: dict[str, tuple[Any, str]] = {
    "no table": ("hi", "must be a table"),
    "unknown key": ({"hello": "", "bye": "", "hallo": ""}, "no 'hallo'; its texts are hello, bye"),
    "missing key": ({"hello": ""}, "bye missing; its texts are hello, bye"),
    "no text": ({"hello": 3, "bye": ""}, "here.hello: it must be a text in quotation marks, not 3"),
    "unknown field": (
        {"hello": "{nam}", "bye": ""},
        "here.hello: unknown field {nam}; it may use {name}, {time}",
    ),
    "field where there is none": (
        {"hello": "", "bye": "{name}"},
        "here.bye: unknown field {name}; it has no fields",
    ),
    "empty field": ({"hello": "{}", "bye": ""}, "unknown field {}"),
    "attribute": ({"hello": "{name.real}", "bye": ""}, "unknown field {name.real}"),
    "index": ({"hello": "{name[0]}", "bye": ""}, "unknown field {name[0]}"),
    "format": ({"hello": "{name:>9}", "bye": ""}, "unknown field {name:>9}"),
    "nested format": ({"hello": "{name:{time}}", "bye": ""}, "unknown field {name:{time}}"),
    "conversion": ({"hello": "{name!r}", "bye": ""}, "unknown field {name!r}"),
    "open brace": ({"hello": "{name", "bye": ""}, "write {{ and }} for braces"),
}


@for_each("fault", FAULTS)
def test_a_fault_is_named_with_its_place_and_what_is_allowed(fault: str) -> None:
    given, said = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        texts(Greeting, given, "here")
    assert said in str(caught.value)
    assert str(caught.value).startswith("here")


def test_texts_are_as_given_and_braces_can_be_written() -> None:
    made = texts(Greeting, {"hello": "{name} {{x}}", "bye": "b"}, "here")
    assert made.hello.format(name="N", time="T") == "N {x}"
    assert made.bye == "b"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("a = ")
    (tmp_path / "latin.toml").write_bytes(b'a = "\xff"')
    for name, said in (
        ("none.toml", "there is no file"),
        ("bad.toml", "not TOML"),
        ("latin.toml", "not UTF-8"),
        ("", "is a folder"),
    ):
        with pytest.raises(StudyError, match=said):
            read_toml(tmp_path / name, "prompt pack")


def test_a_seat_is_called_by_the_name_and_digest_of_what_it_contains() -> None:
    one, two = ({"name": "mine", "texts": {"a": text}} for text in "xy")
    assert name_value(one) != name_value(two)
    seat = SeatSpec("qa", {"pack": one, "tries": 2}, "m")
    assert seat.called == f"qa@m(pack={name_value(one)}, tries=2)"
    assert len(name_value(one)) == len("mine#") + 8
