"""Structured replies: the last well-formed block, parsed and never evaluated, whatever else stands there."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.encoding import encode
from otherminds.replies.blocks import DEPTH, blocks, last_block, split_reasoning
from tests.cases import for_each

WHOLE = st.integers(-(2**63), 2**63 - 1)
SCALARS = st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(), SCALARS, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
AROUND = [
    "{}",
    "Sure, here's the JSON:\n\n```json\n{}\n```\nIt's what I'd do (I think).",
    "```\n{}\n```",
    "```python {}```",
    "I don't weigh [the options] {{J and F}}: {} - that's all",
    "<think>[1, 2]</think>\n{}",
    "~~~json\r\n{}\r\n~~~",
    '{{"an": "earlier block"}} {}',
]

Growth = Callable[[Callable[[str], Any], str], float]


@pytest.mark.parametrize("around", AROUND)
@given(value=VALUES)
def test_a_block_is_read_as_json_and_as_python_in_whatever_stands_around(around: str, value: Any) -> None:
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), repr(value)):
        found = last_block(around.format(written))
        assert found == value
        assert encode(found) == encode(value), "types too"


@for_each(
    ("reply", "found"),
    [
        ('{"a": 1} and then {"a": 2}', {"a": 2}),
        ('{"a": 1} and then {"a": 2', {"a": 1}),
        ('{"a": 1} and then {"a": }', {"a": 1}),
        ('{"a": {"b": [1, {"c": 2}]}}', {"a": {"b": [1, {"c": 2}]}}),
        (
            "{'a': (1, 2), 'b': (3,), 'c': (4), 'd': (), 'e': (1, 2,)}",
            {"a": [1, 2], "b": [3], "c": 4, "d": [], "e": [1, 2]},
        ),
        ("{'a': True, 'b': None, 'c': [False,],}", {"a": True, "b": None, "c": [False]}),
        (
            r"{'a': 'it\'s', 'b': 'q\x41\u0042\101\n\d', 'c': \"don't\"}".replace(r"\"", '"'),
            {"a": "it's", "b": "qABA\n\\d", "c": "don't"},
        ),
        ('{"a": "]}```<|im_end|>"}', {"a": "]}```<|im_end|>"}),
        ('{"a": "\\ud83d\\ude42"}', {"a": "🙂"}),
        ("[]", []),
        ("{ }", {}),
        ("[[1], {}] {oops}", [[1], {}]),
        ('```json\n{"broken": [\n```\nI mean\n```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": 9223372036854775807}', {"a": 2**63 - 1}),
        ('{"a": -9223372036854775808}', {"a": -(2**63)}),
        ('{"a": 1.5e3}', {"a": 1500.0}),
    ],
)
def test_what_is_read(reply: str, found: Any) -> None:
    assert encode(last_block(reply)) == encode(found)


@for_each(
    "reply",
    [
        "",
        "J",
        "null",
        '"J"',
        "42",
        "{J, F}",
        "{J}",
        "{{'a': 1}}",
        "{option: {'a': 1}}",
        "[the other player]",
        "{option: 'J'}",
        '{"a": 1, "a": 1}',
        "{'a': 1, 'a': 2}",
        '{"b": {"a": 1, "a": 2}}',
        '{"a": NaN}',
        '[{"a": Infinity}]',
        '[NaN, {"a": 1}]',
        '[-Infinity, {"a": 1}]',
        '{"a": 1e999}',
        "{'a': -1e999}",
        '{"a": 9223372036854775808}',
        '{"a": -9223372036854775809}',
        '{"a": 1' + "0" * 9999 + "}",
        r'{"a": "\ud800"}',
        r"{'a': '\ud800'}",
        r"{'a': '\UFFFFFFFF'}",
        r"{'a': '\U00110000'}",
        r"{'a': '\u12'}",
        r"{'a': '\x'}",
        r"{'a': '\N{BULLET}'}",
        "{'a': 'one\ntwo'}",
        "{'a': 'one\\\\\ntwo'}",
        '{"a": "one\ntwo"}',
        "['one\ntwo']",
        "['one\x00two']",
        "['one\u2028', \u2028 'two']",
        "{'a': ٣}",
        "{'a': true}",
        '{"a": True, "b": true}',
        "{'a', 'b'}",
        "{1: 'a'}",
        "{('a', 'b'): 1}",
        "[1 2]",
        "['a' 'b']",
        "[1, , 2]",
        "[,]",
        "[(,)]",
        "{,}",
        "{'a':,}",
        "{'a'}",
        "[+1]",
        "[1-1]",
        "[--1]",
        "[1_000]",
        "[0x10]",
        "[007]",
        "[1j]",
        "[b'a']",
        "[f'{1}']",
        "[r'a']",
        "['''a''']",
        '{"a": 1 // why\n}',
        "[__import__('os').getcwd()]",
        "['a'.upper()]",
        "['a' * 9]",
        "{**{}}",
        "[lambda: 1]",
        "[1 if 1 else 2]",
        "[not 1]",
        "[...]",
    ],
)
def test_what_is_not_read(reply: str) -> None:
    assert last_block(reply) is None


@for_each(
    "prose", ["[I don't know] {}", "{} [so be it", "\\boxed{{J}} [the set {}]", "[1] {}", "{{J, F}}: {}"]
)
def test_brackets_in_prose_hide_no_block(prose: str) -> None:
    assert last_block(prose.format('{"a": 1}')) == {"a": 1}


@for_each(
    "garbled",
    [
        '{"b": {"a": 1}',
        '{"b": {"a": 1}, c: 2}',
        '{"b": {"a": 1}, "c": "cut off',
        '{"b": {"a": 1}, "c": "over\nlines"}',
        '[{"a": 1}, {"a": 2}}',
        '[{"a": 1} {"a": 2}]',
        '({"b": [{"a": 1}), {"a": 2}]'.removeprefix("("),
        '{"b": "it\'s", \'c\': {"a": 1}, "d": \\n}',
        '{"b": [' + "[" * DEPTH + ']]]} {"a": 1}',
    ],
)
def test_a_part_of_a_garbled_block_is_no_block(garbled: str) -> None:
    assert last_block(garbled) is None


@given(inner=VALUES, cut=st.data())
def test_a_block_cut_short_gives_nothing(inner: Any, cut: st.DataObject) -> None:
    whole = json.dumps({"reason": "because", "considered": inner, "option": "J"})
    assert last_block(whole[: cut.draw(st.integers(0, len(whole) - 1))]) is None


def test_every_block_is_given_in_order_and_the_last_wins() -> None:
    reply = '{"a": 1}, [2], {"a": 3, "a": 4}, {\'a\': (5,)}'
    assert blocks(reply) == ({"a": 1}, [2], {"a": [5]})
    assert last_block(reply) == {"a": [5]}


def test_depth_is_bounded() -> None:
    deep = "[" * DEPTH + "]" * DEPTH
    assert encode(last_block(deep)) == deep.encode()
    assert last_block(f"[{deep}]") is None
    assert last_block("(" * 9 + deep + ")" * 9) == last_block(deep), "outside a block, brackets are prose"


def test_reasoning_is_not_read() -> None:
    assert last_block('<think>{"a": 1}</think> done') is None
    assert last_block('{"a": 1}</think> {"a": 2}') == {"a": 2}
    assert last_block('{"a": 1} <think>or {"a": 2}') == {"a": 1}


FRAGMENTS = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    '"',
    "'",
    "\\",
    "\n",
    " ",
    "1",
    "-",
    "e",
    ".",
    "a",
    '"a"',
    "'b'",
    "null",
    "None",
]
FRAGMENTS += [
    "True",
    "true",
    "NaN",
    '{"a": 1}',
    "[1, 2]",
    "('a',)",
    "```\n",
    "\n```json\n",
    "<think>",
    "</think>",
    "é",
    "\ud800",
    "\x00",
]


def parsed(text: str) -> Iterator[Any]:
    """Every part of ``text`` between brackets that a parser of Python's own accepts."""
    for start in (i for i, char in enumerate(text) if char in "{["):
        for end in (i for i, char in enumerate(text) if char in "}]" and i > start):
            for parse in (json.loads, ast.literal_eval):
                try:
                    with warnings.catch_warnings(action="ignore"):
                        yield parse(text[start : end + 1])
                except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                    continue


def plain(value: Any) -> Any:
    """``value`` with lists for tuples."""
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return {key: plain(one) for key, one in value.items()} if isinstance(value, dict) else value


def test_nothing_is_read_that_a_parser_would_refuse() -> None:
    """10,000 garbled texts: what is found stands there, for ``json`` or ``ast``, and can be recorded."""
    rng = Random(3)
    found = []
    for _ in range(10_000):
        text = "".join(rng.choices(FRAGMENTS, k=rng.randint(1, 16)))
        for value in blocks(text):
            encode(value)
            found.append((text, value))
            assert any(repr(plain(one)) == repr(value) for one in parsed(split_reasoning(text)[0])), text
    assert len(found) > 500, "the test reads something"


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    assert last_block(text) is None or isinstance(last_block(text), dict | list)


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=40).map("".join))
def test_no_fragments_make_it_fail(text: str) -> None:
    for value in blocks(text):
        encode(value)


UNITS = [
    "[",
    "{",
    "(",
    "[(",
    '["',
    "['",
    '{"a":',
    "{'a': (",
    "[[],",
    "[1,",
    "[-",
    "-",
    "9",
    "[9",
    '"',
    "'",
    "\\",
    '["\\',
    "[] ",
]
UNITS += [
    "```\n",
    "`",
    "~",
    "``` ",
    "\n",
    " ",
    "[ ",
    "{ ",
    "<think>",
    "</think>",
    "<think",
    "<think ",
    '{"a": 1} ',
    "[1}",
    '{"a": "',
]


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_length_and_no_faster(unit: str, growth: Growth) -> None:
    assert growth(blocks, unit) <= 30


@for_each("unit", ["[", "{", "[{", '{"a":', "(", "[("])
def test_a_hundred_thousand_brackets_are_no_block(unit: str) -> None:
    closed = {"[": "]", "{": "}", "(": ")"}
    brackets = [char for char in unit if char in closed]
    text = unit * 100_000 + "".join(closed[char] for char in reversed(brackets)) * 100_000
    assert last_block(text) is None
