"""Dictionaries with slips: each slip is read, well-formed ones as ever, and nothing ambiguous at all."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.encoding import encode
from otherminds.replies import blocks as replies
from otherminds.replies.blocks import LONGEST, blocks, dictionaries
from tests.cases import for_each

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
DICTS = st.dictionaries(
    st.text(),
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_size=4,
)
AROUND = [
    "{}",
    "Here it is:\n```python\n{}\n```\nIt's what I'd do.",
    "{{'an': 'earlier one'}} {}",
    "<think>{{'a': 1}}</think>{}",
]
PLAIN = st.text("abcxyz (),1", max_size=8)
KEYS = ("they_play", "i_play", "plan")

Growth = Callable[[Callable[[str], Any], str], float]


@pytest.mark.parametrize("around", AROUND)
@given(value=DICTS)
def test_what_is_well_formed_is_read_as_ever(around: str, value: dict[str, Any]) -> None:
    reply = around.format(repr(value))
    found = dictionaries(reply)
    assert found == blocks(reply)
    assert encode(found[-1]) == encode(value), "types too"


@for_each(
    ("reply", "found"),
    [
        ("{'a': 'rock',  # it's what they do: {always}\n 'b': 2}", {"a": "rock", "b": 2}),
        ("{ # first\n'a': [1, # one\n 2]\n# last }\n}", {"a": [1, 2]}),
        ('{"a": true, # yes\n "b": null}', {"a": True, "b": None}),
        ("{'a': '# no comment', 'b': 'x#y'}", {"a": "# no comment", "b": "x#y"}),
        ("{'a': 'rock' 'b': 'paper'}", {"a": "rock", "b": "paper"}),
        (
            "{'a': {'rock': 5, 'paper': 1}\n 'b': {'rock': 1}}",
            {"a": {"rock": 5, "paper": 1}, "b": {"rock": 1}},
        ),
        ("{'a': 1 'b': (2, 3) 'c': True 'd': ['x']}", {"a": 1, "b": [2, 3], "c": True, "d": ["x"]}),
        ("{“a”: “rock”, ‘b’: ‘it’s “paper”’}", {"a": "rock", "b": "it’s “paper”"}),
        ("{„a“: 1, ‚b‘: 2}", {"a": 1, "b": 2}),
        (
            "{'a': 'they don't wait', 'b': 'the players' boxes'}",
            {"a": "they don't wait", "b": "the players' boxes"},
        ),
        ("{'a': 'it’s'  # isn't it?\n 'b': ‘don’t’}", {"a": "it’s", "b": "don’t"}),
        ("```python\n{'a': ['go(1)',  # then on\n 'go(2)',]}\n```", {"a": ["go(1)", "go(2)"]}),
    ],
)
def test_slips_are_read(reply: str, found: dict[str, Any]) -> None:
    assert dictionaries(f"I think so: {reply} That's all.")[-1] == found


@for_each(
    "reply",
    [
        "{'a': 'rock' 'paper'}",
        "{'a': ['go(1)' 'go(2)']}",
        "{'a': 'rock' 'b'}",
        "{'a' 'b': 1}",
        "{'a': 'rock', 'b': 'paper' 'a': 'scissors'}",
        "{'a': rock}",
        "{a: 'rock'}",
        "{'a': 'they play 'rock' now'}",
        "{'a': 'rock', 'b': 'pa}",
        "{'a': 'over\nthe end'}",
        "{'a': “rock’}",
        "{'a': “rock'}",
        "{'a': 'rock', # }",
        "{'a': 'rock' or 'paper'}",
        "{'a': 5 or 6}",
        "{'a': 'rock'; 'b': 1}",
        "{'a': {'rock': 5 1}}",
        "{'a', 'b'}",
        "{'a': 1 + 1}",
    ],
)
def test_what_could_mean_two_things_or_nothing_is_not_read(reply: str) -> None:
    """It comes as text, so that nobody takes an earlier dictionary for the answer."""
    found = dictionaries(f"{{'a': 'earlier'}} no: {reply}")
    assert found[0] == {"a": "earlier"}
    assert isinstance(found[-1], str)


def slipped(value: dict[str, Any], rng: Random) -> str:
    """``value``, its texts free of quotes and hashes, written with every kind of slip by chance."""

    def quoted(text: str) -> str:
        opening, closing = rng.choice(["''", '""', "“”", "‘’"])
        return f"{opening}{text}{closing}"

    def one(inner: Any) -> str:
        if isinstance(inner, str):
            return quoted(inner)
        if isinstance(inner, list):
            return f"[{', '.join(map(one, inner))}]"
        return repr(inner)

    parts = [f"{quoted(key)}: {one(inner)}" for key, inner in value.items()]
    joints = [rng.choice([", ", " ", "\n", ", # isn't this {so}?\n", "  # so 'it' is\n"]) for _ in parts]
    return "{" + "".join(part + joint for part, joint in zip(parts, joints, strict=True)) + "\n}"


@given(
    st.dictionaries(
        st.sampled_from(KEYS),
        PLAIN | st.integers(0, 9) | st.booleans() | st.lists(PLAIN, max_size=3),
        min_size=1,
    ),
    st.integers(0, 2**32),
)
def test_slips_change_nothing_of_what_is_meant(value: dict[str, Any], seed: int) -> None:
    assert dictionaries(slipped(value, Random(seed)))[-1] == value


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
    "’",
    "‘",
    "“",
    "”",
    "\\",
    "\n",
    " ",
    "#",
    "# ",
    "1",
]
FRAGMENTS += [
    "'a'",
    "“b”",
    "‘c’",
    "True",
    "null",
    "don't",
    "players' ",
    "{'a': 1}",
    "'b': 2",
    "```\n",
    "<think>",
    "\ud800",
]


def test_no_fragments_make_it_fail_and_none_become_a_value_that_does_not_stand_there() -> None:
    """20,000 garbled texts: each string, number and key that is read stands in the text as it is."""
    rng, read = Random(5), 0
    for _ in range(20_000):
        text = "".join(rng.choices(FRAGMENTS, k=rng.randint(1, 16)))
        for found in dictionaries(text):
            if not isinstance(found, str):
                encode(found)
                read += bool(found)
                for key, value in found.items():
                    for part in (key, value):
                        assert not isinstance(part, str) or part in text.replace("\\", "") or "\\" in text, (
                            text
                        )
                        assert not isinstance(part, int) or isinstance(part, bool) or str(part) in text, text
    assert read > 300, "the test reads something"


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    assert all(isinstance(one, str | dict) for one in dictionaries(text))


UNITS = [
    "{",
    "{'a':",
    "{'a': 'it's ",
    "'",
    "’",
    "“",
    "#",
    "# '\n",
    "{# ",
    "{'a': 1 # it's\n}",
    "{'a': 1 'b'",
    "s' ",
    "{“a”: ",
    "\\'",
]
UNITS += ["{'a': 1} ", "{‘a’", "{'a' 'a': 'a' ", "{}{", "{[("]


@pytest.mark.parametrize("unit", UNITS)
def test_time_grows_with_length_and_no_faster(
    unit: str, growth: Growth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "LONGEST", 10**9)
    assert growth(dictionaries, unit) <= 30


def test_a_reply_beyond_the_bound_is_read_only_where_it_is_well_formed() -> None:
    long = "because " * (LONGEST // 8)
    assert dictionaries(f"{long} {{'a': 1}}") == ({"a": 1},)
    assert dictionaries(f"{long} {{'a': 1 'b': 2}}") == ()
    assert dictionaries("{'a': 1 'b': 2}") == ({"a": 1, "b": 2},)
