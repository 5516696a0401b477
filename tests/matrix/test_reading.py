"""A garbled reply is never an action: replies as models write them, mutated 10,000 times for each reader.

What is read is held against a second reader that is written differently and
is deliberately simple: it says which labels stand as answers at all, and which
replies a person could not misread.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Ask, Invalid, Moment, Question, Turn
from otherminds.games.registry import games
from otherminds.matrix.words import SETS, MatrixVerbalizer, label_options
from tests.cases import depth, for_each

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "replies.jsonl").read_text().splitlines()
]
REPLIES = [entry["reply"] for entry in CORPUS]


def asked(game: str, names: str | list[str], literal: bool) -> tuple[MatrixVerbalizer, Ask]:
    made = games.get(game)()
    own, others = label_options(made, names)
    telling = MatrixVerbalizer(made, "ego", "partner_0", own, others, tuple(range(len(own))), 10)
    options = made.behaviours[1]
    question = Question("next:partner_0", "ego", "after", "", options, 1 / len(options), about="partner_0")
    return telling, telling.ask(question if literal else Turn(), Moment(0, None))


OWN = ["Stay", "Stay out"]
READERS = [
    (game, names, literal)
    for literal in (False, True)
    for game, names in [*((game, names) for names, of in SETS.items() for game in of), ("ipd", OWN)]
]


def filled(reply: str, labels: tuple[str, ...]) -> str:
    return reply.replace("«1»", labels[0]).replace("«2»", labels[1])


def label(ask: Ask, read: Any) -> str | None:
    return None if isinstance(read, Invalid) else ask.labels[ask.options.index(read)]


@for_each(("game", "names", "literal"), READERS)
def test_real_replies_are_read_as_a_person_reads_them(game: str, names: Any, literal: bool) -> None:
    telling, ask = asked(game, names, literal)
    for entry in CORPUS:
        reply = filled(entry["reply"], ask.labels)
        read = telling.read(ask, reply)
        assert label(ask, read) == (None if entry["reads"] is None else ask.labels[entry["reads"] - 1]), reply
        if isinstance(read, Invalid):
            assert read.raw == reply
            assert read.cause == "option" or read.reason in (
                "no answer in the form asked for",
                "several different answers",
                "no clear answer",
            )


def test_the_replies_are_many_and_of_every_kind() -> None:
    kinds = [entry["kind"] for entry in CORPUS]
    assert set(kinds) == {"small", "chatty", "reasoning", "json", "broken"}
    assert len(REPLIES) == len(set(REPLIES)) >= 60
    assert all(isinstance(entry["reply"], str) and entry["reads"] in (None, 1, 2) for entry in CORPUS)


@for_each(
    ("reply", "option"),
    [
        ('{"option": "J", "why": "A: Option F loses"}', None),
        ('{"option": "J", "why": "the other one loses"}', 0),
        ('{"option": "\\u004a"}', 0),
        ('{"option": "\\u0408"}', None),
        ('{"option": "j"}', None),
        ('{"option": "JF"}', None),
        ('{"option": "J", "Option": "F"}', 0),
        ('{"answer": {"option": "J"}}', None),
        ('{"option": {"option": "J"}}', None),
        ('{"option": 0}', None),
        ('{"option": {"F": ["J"]}}\nA: Option J', 0),
        ("A: Option Ј", None),
        ("A: Option J\u0335", None),
        ("A: Option J\u200dF", None),
        ("A: Option Jé", None),
        ("A: Option J-F", None),
        ("A: Option J's", None),
        ("A: Option J.5", None),
        ("A: Option J|F", None),
        ("A: Option J; F", None),
        ("A: Option J + Option F", None),
        ("A: Option J (or F)", None),
        ("A: Option J vs. Option F", None),
        ("A: Option J\rA: Option F", None),
        ("A: Option J\x0bA: Option F", None),
        ("A: Option J. A: Option F", None),
        ("A: Option J. A: Option J", 0),
        ("A: Option J? No.", None),
        ("A: Option J?\nA: Option F", None),
        ("A: Option J or F.\nA: Option F", None),
        ("A: Option J\nor\nOption F", None),
        ("A: Option J\n? A: Option F", None),
        ("A: Option J?\nA: Option J", 0),
        ("QA: Option J", None),
        ("FAQA: Option F\nA: Option J", 0),
        ("A: Option not J", None),
        ("A: Op<think>no</think>tion J", None),
        ("<think>A: Option J</think>A: Option F", 1),
        ("<think>A: Option J", None),
        ("A: Option J</think>", None),
    ],
)
def test_near_misses(reply: str, option: int | None) -> None:
    telling, ask = asked("ipd", "neutral", literal=False)
    read = telling.read(ask, reply)
    assert (None if isinstance(read, Invalid) else read) == option


def test_a_longer_name_is_never_read_as_a_shorter_one() -> None:
    telling, ask = asked("ipd", OWN, literal=False)
    for reply in (
        "A: Option Stay out",
        "A: Option Stay  out.",
        '{"option": "Stay out"}',
        "**A: Option Stay out**",
    ):
        assert telling.read(ask, reply) == 1
    for reply in ("A: Option Stay", "A: Option Stay\nout of it", '{"option": "Stay"}'):
        assert telling.read(ask, reply) == 0
    for reply in (
        "A: Option Stay-out",
        "A: Option Stayout",
        '{"option": "Stay  out"}',
        "A: Option Stay, Stay out",
    ):
        assert isinstance(telling.read(ask, reply), Invalid)


# The second reader.


def said(reply: str) -> str:
    """What is left without reasoning: after the last lone end tag, the parts not opened by a start tag."""
    parts = re.split(r"(?i)(</?think(?:ing)?[ \t]*>)", reply)
    kept: list[str] = []
    tag = ""
    for i, part in enumerate(parts):
        if i % 2:
            if "/" in part and (not tag or "/" in tag):
                kept = []
            tag = part
        elif not tag or "/" in tag:
            kept.append(part)
    return "\n".join(kept)


def claims(text: str, labels: tuple[str, ...]) -> Iterator[str]:
    """Every label that stands somewhere behind ``A: Option``, the longest one that fits."""
    flat = " ".join(text.split())
    for rest in flat.split("A:")[1:]:
        words = rest.strip()
        if words.startswith("Option "):
            words = words.removeprefix("Option ").lstrip(" \"'*")
            fitting = [
                name
                for name in labels
                if words == name or (re.match(r"\W", words.removeprefix(name)) and words.startswith(name))
            ]
            yield from sorted(fitting, key=len)[-1:]


def blocked(text: str, labels: tuple[str, ...]) -> Iterator[str]:
    """Every label that is the ``option`` of something between braces that a parser of Python's own accepts."""
    ends = [i + 1 for i, char in enumerate(text) if char == "}"]
    for start in (i for i, char in enumerate(text) if char == "{"):
        for end in ends:
            for parse in (json.loads, ast.literal_eval):
                try:
                    with warnings.catch_warnings(action="ignore"):
                        found = parse(text[start:end])
                except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                    continue
                option = found.get("option") if isinstance(found, dict) else None
                if isinstance(option, str) and option.strip() in labels:
                    yield option.strip()


def judged(reply: str, labels: tuple[str, ...]) -> tuple[set[str], str | None]:
    """The labels that stand in ``reply`` as answers, and the one that nobody could miss, if there is one."""
    text = said(reply)
    standing = {*claims(text, labels), *blocked(text, labels)}
    plain = {name for name in labels if f"A: Option {name}" in text.splitlines()}
    weighed = re.search(r"[?,;/&|+(]|\b(?:or|and|vs)\b", text)
    bare = {name for name in labels if text.strip() == json.dumps({"option": name})}
    sure = plain if "{" not in text and not weighed else bare
    rest = text.replace(next(iter(sure), "A:"), "")
    others = [r"A:\s*Option\s+(?:[A-Z]|\d+)", *(rf"(?<!\w){re.escape(name)}" for name in labels)]
    if any(re.search(rf"{other}(?!\w)", rest) for other in others):
        sure = set[str]()
    return standing, next(iter(sure)) if len(sure) == 1 and standing == sure else None


# The mutations.

TOKENS = [
    "A:",
    "A: ",
    "Option ",
    "A: Option ",
    "\nA: Option ",
    "«1»",
    "«2»",
    "\n",
    " ",
    "",
    "or ",
    ", ",
    "not ",
    "?",
    ".",
    "*",
    "'",
]
TOKENS += [
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    '{"option": "«1»"}',
    '"option"',
    "option",
    "\\",
    "```",
    "\n```\n",
    "<think>",
    "</think>",
]
TOKENS += [
    "null",
    "1",
    "é",
    "\u0301",
    "\u200b",
    "\u2028",
    "\r",
    "Ј",
    "А",
    "\x00",
    "\ud800",
    "(",
    ")",
    "#",
    "»",
    "J",
    "F",
]


def mutated(rng: Random) -> str:
    reply = rng.choice(REPLIES)
    for _ in range(rng.randint(1, 6)):
        parts = re.findall(r"«\d»|\w+|\s|.", reply, re.DOTALL) or [""]
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(7):
            case 0:
                parts.insert(i, rng.choice(TOKENS))
            case 1:
                del parts[i : i + rng.randint(1, 4)]
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[i:i] = parts[min(i, j) : max(i, j) + 1]
            case 4:
                parts = parts[:i] if rng.random() < 0.5 else parts[i:]
            case 5:
                parts.append(rng.choice(["", "\n", " "]) + rng.choice(REPLIES))
            case _:
                parts[i] = rng.choice(TOKENS)
        reply = "".join(parts)[:600]
    return reply


def check(telling: MatrixVerbalizer, ask: Ask, reply: str) -> str | None:
    read = telling.read(ask, reply)
    found = label(ask, read)
    standing, sure = judged(reply, ask.labels)
    if found is None:
        assert read.raw == reply
        assert sure is None, f"nobody could misread {reply!r}"
    else:
        assert found in standing, f"{found!r} was read and is no answer in {reply!r}"
        plain = {name for name in ask.labels if f"A: Option {name}" in said(reply).splitlines()}
        assert plain <= {found}, f"{found!r} was read, and {plain} stand in {reply!r}"
    return found


@for_each("literal", [False, True])
@pytest.mark.parametrize("many", depth(600, 10_000))
def test_no_mutation_of_a_real_reply_becomes_an_action(literal: bool, many: int) -> None:
    """10,000 for choices and as many for questions in the slow run, over every set of names; 0 coercions."""
    rng = Random(7 + literal)
    readers = [asked(*reader) for reader in READERS if reader[2] is literal]
    read: list[str | None] = []
    for i in range(many):
        telling, ask = readers[i % len(readers)]
        read.append(check(telling, ask, filled(mutated(rng), ask.labels)))
    valid = sum(found is not None for found in read)
    assert 0.1 < valid / many < 0.9, "both kinds are met"


@for_each("literal", [False, True])
@pytest.mark.parametrize("many", depth(600, 10_000))
def test_no_heap_of_fragments_becomes_an_action(literal: bool, many: int) -> None:
    rng = Random(9 + literal)
    readers = [asked(*reader) for reader in READERS if reader[2] is literal]
    for i in range(many):
        telling, ask = readers[i % len(readers)]
        check(telling, ask, filled("".join(rng.choices(TOKENS, k=rng.randint(0, 12))), ask.labels))


@given(
    st.sampled_from(READERS),
    st.lists(st.sampled_from(TOKENS + REPLIES) | st.text(max_size=5), max_size=8).map("".join),
)
def test_no_text_becomes_an_action(reader: tuple[str, Any, bool], text: str) -> None:
    telling, ask = asked(*reader)
    check(telling, ask, filled(text, ask.labels))


UNITS = [
    "\n",
    "*",
    " ",
    "'",
    "?",
    "A:",
    "A: ",
    "A:\n",
    "A: Option",
    "A: Option ",
    "A: Option '",
    "A: Option J",
    "A: Option J ",
    "\nA: Option J",
]
UNITS += [
    "A: Option J or ",
    "A: Option J, '",
    "A: Option J)",
    "\nA: Option Stay ",
    "or ",
    "[",
    "{",
    '{"option": "J"} ',
    "<think>",
    "</think>",
    "J",
]


@for_each("unit", UNITS, every=8)
@for_each("before", ["", "A: Option J", "A: Option Stay ", "A: "])
def test_time_grows_with_length_and_no_faster(unit: str, before: str) -> None:
    """Eight times the length costs about eight times as much, where a square would be sixty-four."""
    telling, ask = asked("ipd", OWN if "Stay" in unit + before else "neutral", literal=False)

    def cost(length: int) -> float:
        reply = before + unit * (length // len(unit)) + "x"
        start = process_time()
        telling.read(ask, reply)
        return process_time() - start

    assert any(cost(20_000) <= 30 * max(cost(2_500), 0.001) for _ in range(3))
