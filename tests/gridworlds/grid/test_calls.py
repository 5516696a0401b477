"""Calls of skills are read strictly: what is read is what was written, and garbage is no plan."""

from __future__ import annotations

import ast
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Invalid, SkillChoice
from otherminds.gridworlds.grid.words import LONGEST, call, plan
from tests.cases import for_each

PLACES = {"move_to": (1, 2), "fire_at": (1,)}
NUMBERS = st.integers(0, 9999)
CELLS = st.tuples(NUMBERS, NUMBERS)


@given(st.sampled_from(["move_to", "fire_at", "interact"]), st.lists(CELLS, max_size=4))
def test_what_is_written_is_read(name: str, cells: list[tuple[int, int]]) -> None:
    assert call(f"{name}({', '.join(map(str, cells))})") == (name, tuple(cells))


@for_each(
    ("text", "read"),
    [
        ("fire_at((5, 6))", ("fire_at", ((5, 6),))),
        (" move_to( (3,4) ,\t( 5 , 4 ) )\n", ("move_to", ((3, 4), (5, 4)))),
        ("move_to()", ("move_to", ())),
    ],
)
def test_blanks_do_not_matter(text: str, read: object) -> None:
    assert call(text) == read


@for_each(
    "text",
    [
        "",
        "move_to",
        "move_to(3, 4)",
        "move_to((3, 4)",
        "move_to((3, 4),)",
        "move_to((3, 4, 5))",
        "move_to((-3, 4))",
        "move_to((3.0, 4))",
        "move_to((1e3, 4))",
        "move_to((12345, 4))",
        "move_to((x, y))",
        "move_to((٣, 4))",
        "move_to((3, 4)); fire_at((3, 4))",
        "move_to((3, 4)) fire_at((3, 4))",
        "move_to((3, 4)) # there",
        "move_to(target=(3, 4))",
        "self.move_to((3, 4))",
        "move_to((3, 4)) or exit()",
        "move_to(((3, 4)))",
        "__import__('os').system('true')",
        "MOVE_TO((3, 4))",
    ],
)
def test_what_is_no_call_is_not_read(text: str) -> None:
    assert call(text) == Invalid("no call of a skill with places (x, y)", text)


@for_each(
    ("calls", "due"),
    [
        (
            ["move_to((1, 1), (2, 1))", "fire_at((2, 2))"],
            (SkillChoice("move_to", (2, 1)), SkillChoice("fire_at", (2, 2))),
        ),
        (["move_to((2, 1))"], (SkillChoice("move_to", (2, 1)),)),
        ([], "a plan has at least one call"),
        (["fire_at((2, 2))", "dance((1, 1))"], "there is no skill dance; there are move_to, fire_at"),
        (["fire_at((1, 1), (2, 2))"], "fire_at cannot be called with 2 places"),
        (["move_to()"], "move_to cannot be called with 0 places"),
        ([("fire_at", (2, 2))], "a call is a text"),
        ([None], "a call is a text"),
    ],
)
def test_a_plan_is_read_as_a_whole_or_not_at_all(
    calls: list[object], due: tuple[SkillChoice, ...] | str
) -> None:
    made = plan(calls, PLACES)
    assert (made.reason if isinstance(made, Invalid) else made) == due


@given(st.text(alphabet="move_tofir a(1,2)'\"\\\n٣x-.", max_size=60))
def test_whatever_is_read_a_second_reader_reads_alike(text: str) -> None:
    _agree(text)


def test_mutations_of_calls_never_become_other_calls() -> None:
    rng = Random(7)
    read = 0
    for _ in range(10_000):
        text = [*rng.choice(["move_to((3, 4), (15, 4))", "fire_at((5, 6))", "interact( (4, 2) )"])]
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(text))
            text[at : at + rng.randrange(2)] = rng.choice(
                ["", "(", ")", ",", " ", "1", "-", "x", "0x", "_", "\n"]
            )
        read += _agree("".join(text))
    assert 2000 < read < 9000, "both kinds are met"


@for_each("piece", ["(", "move_to(", "(1, 2), ", " ", "1", "move_to((1, 2), (3, 4)) "])
def test_long_texts_are_refused_and_not_repeated(piece: str) -> None:
    found = call(piece * 100_000)
    assert isinstance(found, Invalid)
    assert len(found.raw) <= LONGEST


def _agree(text: str) -> bool:
    """Whether ``text`` is read; if so, Python's own grammar reads the same call in it."""
    found = call(text)
    if isinstance(found, Invalid):
        return False
    # Python reads no leading zeros and no line of blanks before a call; these are spelled out for it.
    (statement,) = ast.parse(_without_zeros(text.strip())).body
    assert isinstance(statement, ast.Expr)
    made = statement.value
    assert isinstance(made, ast.Call)
    assert isinstance(made.func, ast.Name)
    assert found == (made.func.id, tuple(ast.literal_eval(arg) for arg in made.args))
    return True


def _without_zeros(text: str) -> str:
    digits: list[str] = []
    for i, char in enumerate(text):
        begins = char == "0" and (i == 0 or not text[i - 1].isdigit())
        if not (begins and text[i + 1 : i + 2].isdigit()):
            digits.append(char)
    fewer = "".join(digits)
    return fewer if fewer == text else _without_zeros(fewer)
