"""Files of users are read in bounded time and memory; each error names the file and the place."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from otherminds.core.errors import StudyError, TaskError
from otherminds.core.user_files import LARGEST, LARGEST_TOML, is_file, json_value, read_bytes, read_toml

DEEP = 100_000

BAD_TOML = {
    "lists": (b"x = 1\ny = " + b"[" * DEEP + b"]" * DEEP, "line 2, column 69: nested more than 64 levels"),
    "inline tables": (
        b"y = " + b"{a=" * DEEP + b"1" + b"}" * DEEP,
        "line 1, column 197: nested more than 64",
    ),
    "a dotted key": (b"\n" + b".".join([b"a"] * DEEP) + b" = 1", "line 2, column 1: a key of more than 64"),
    "a quoted dotted key": (b".".join([b'"a b"'] * DEEP) + b" = 1", "a key of more than 64 parts"),
    "a table's name": (b"[" + b".".join([b"a"] * DEEP) + b"]", "line 1, column 2: a key of more than 64"),
    "two keys together": (b"[" + b".".join([b"a"] * 40) + b"]\n" + b".".join([b"b"] * 40) + b"=1", "nested"),
    "another text encoding": (b'a = 1\nb = "\xff"', "not UTF-8 text (line 2, byte 11)"),
    "a NUL": (b"a = 1\n\0", "(at line 2, column 1)"),
    "a number of 5,000 digits": (b"a = 1\nb = " + b"1" * 5000, "a number is too large (at line 2, column 5)"),
    "a number of 70 bits": (b"a = {b = [1180591620717411303424]}", "line 1: a.b[0]: a number is too large"),
    "such a number in a list of lines": (
        b"a = [\n[1],\n[2],\n]\nb = [\n99999999999999999999]",
        "line 5: b[0]: a number is too large",
    ),
    "a key given twice": (
        b"a = 1\n[b]\nc = 1\nc = 2",
        "the key 'b.c' is given twice (at line 4, first at line 3)",
    ),
    "a table given twice": (b"[b]\n[c]\n[b]", "the key 'b' is given twice (at line 3, first at line 1)"),
    "a key given again dotted": (b"b.c = 1\n[b]\nc = 1", "the key 'b.c' is given twice (at line 3"),
    "a table after a list": (
        b"[[b]]\nc = 1\nc = 2\n[[b]]\nc = 1",
        "the key 'b[0].c' is given twice (at line 3",
    ),
    "a fault after what looks like keys": (b'a = """\na = 1\n"""\nb = 1 # """\nc\n', "(at line 5, column 2)"),
    "too many bytes": (b"#" * (LARGEST_TOML + 1), "larger than 2 MiB"),
}
BAD_JSON = {
    "lists": (b"[" * DEEP + b"]" * DEEP, "line 1, column 65: nested more than 64 levels"),
    "objects": (b'{"a":\n' * DEEP + b"1" + b"}" * DEEP, "line 65, column 1: nested more than 64 levels"),
    "brackets in a text": (b'{"[[": ' + b"[" * 65 + b"]" * 65 + b"}", "nested more than 64 levels"),
    "NaN": (b'{"a": 1,\n "b": NaN}', "(line 2, column 7)"),
    "an infinite number": (b'{"a":\n 1e999}', "a number is too large (line 2, column 2)"),
    "a number of 5,000 digits": (b'{"a": ' + b"9" * 5000 + b"}", "a number is too large (line 1, column 7)"),
    "a key that is given twice": (b'{"a": [{"b": 1, "c": 2, "b": 3}]}', "a[0]: the key 'b' is given twice"),
    "another text encoding": (b'{"a":\n"\xff"}', "not UTF-8 text (line 2, byte 7)"),
    "a character of several bytes before it": ('{"ä": "ö" x}'.encode(), "line 1, column 11"),
    "a NUL": (b"{}\0", "trailing characters (line 1, column 4)"),
    "nothing": (b"", "not JSON"),
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_toml_that_cannot_be_used_is_one_line_with_file_and_place(tmp_path: Path, case: str) -> None:
    data, said = BAD_TOML[case]
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    with pytest.raises(StudyError) as error:
        read_toml(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < len(str(path)) + 250


@pytest.mark.parametrize("case", BAD_JSON)
def test_json_that_cannot_be_used_is_one_line_with_file_and_place(case: str) -> None:
    data, said = BAD_JSON[case]
    with pytest.raises(TaskError) as error:
        json_value(data, "task.json", TaskError)
    assert str(error.value).startswith("task.json: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_byte_order_mark_and_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "notepad.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "s"\r\ntext = """a\r\nb"""\r\n')
    assert read_toml(path) == {"name": "s", "text": "a\nb"}
    assert json_value(b'\xef\xbb\xbf{\r\n"a": 1}', "t.json", TaskError) == {"a": 1}


def test_dots_and_brackets_in_texts_and_comments_are_no_depth(tmp_path: Path) -> None:
    path = tmp_path / "texts.toml"
    dots = ".".join(["a"] * 200)
    path.write_text(f"# {dots}\na = \"{dots}\"\nb = '{dots}'\nc = '''\n{dots}'''\nd = \"{'[' * 200}\"\n")
    assert read_toml(path) == {"a": dots, "b": dots, "c": dots, "d": "[" * 200}
    assert json_value(b'["' + b"[" * 200 + b'"]', "t.json", TaskError) == ["[" * 200]


def test_a_file_of_100_mb_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(StudyError, match="larger than 2 MiB"):
            read_toml(path)
        with pytest.raises(TaskError, match="larger than 8 MiB"):
            read_bytes(path, str(path), TaskError)
        assert tracemalloc.get_traced_memory()[1] < 2 * LARGEST + LARGEST_TOML
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a" * 5000, "nul\0", "gone", ""])
def test_paths_that_cannot_be_opened_are_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert not is_file(path)
    with pytest.raises(StudyError) as error:
        read_toml(path, "prompt pack")
    assert str(tmp_path) in str(error.value), "it names the path"
    assert "\n" not in str(error.value)
