"""How calls of tools are read: exactly what is meant, or a text that says how to write it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.commands import LONGEST, TOOLS, Command, Malformed, parse
from tests.cases import for_each

READ = {
    "Navigate[kitchen_1]": ("Navigate", "kitchen_1"),
    "  Navigate [ kitchen_1 ]\n": ("Navigate", "kitchen_1"),
    'Pick["bowl_0"]': ("Pick", "bowl_0"),
    "Pick['bowl_0']": ("Pick", "bowl_0"),
    "Pick[\u201cbowl_0\u201d]": ("Pick", "bowl_0"),
    "Wait[]": ("Wait",),
    "Wait": ("Wait",),
    "Wait()": ("Wait",),
    "Done[None]": ("Done",),
    "Place[bowl_0, on, table_1]": ("Place", "bowl_0", "on", "table_1"),
    "Place[bowl_0,within,fridge_1]": ("Place", "bowl_0", "within", "fridge_1"),
    "Place[bowl_0, in, fridge_1]": ("Place", "bowl_0", "within", "fridge_1"),
    "Place[bowl_0, inside, fridge_1]": ("Place", "bowl_0", "within", "fridge_1"),
    "Place[bowl_0, Inside, fridge_1, None, None]": ("Place", "bowl_0", "within", "fridge_1"),
    "Place[bowl_0, On, table_1]": ("Place", "bowl_0", "on", "table_1"),
    "Place[bowl_0, ON, table_1, Next_To, cup_0]": ("Place", "bowl_0", "on", "table_1", "next_to", "cup_0"),
    "Place[bowl_0, on, table_1, None, None]": ("Place", "bowl_0", "on", "table_1"),
    "Place[bowl_0, on, table_1, none, cup_0]": ("Place", "bowl_0", "on", "table_1"),
    "Place[bowl_0, on, table_1, next_to, cup_0]": ("Place", "bowl_0", "on", "table_1", "next_to", "cup_0"),
    'Communicate[agent_1, "Hello, you [two]!"]': ("Communicate", "agent_1", "Hello, you [two]!"),
    "Communicate[all, no quotes, but commas]": ("Communicate", "all", "no quotes, but commas"),
    'Communicate[agent_1, "over\nlines"]': ("Communicate", "agent_1", "over\nlines"),
    "FindObjectTool[cups, and plates]": ("FindObjectTool", "cups, and plates"),
    "Explore[kitchen_1]": ("Explore", "kitchen_1"),
}

REFUSED = {
    "": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
    "I will open it.": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
    "Open[a] Close[b": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
    "[kitchen_1]": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
    "Open(fridge_1)": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
    "open[fridge_1]": "Malformed call! There is no tool open;",
    "Jump[]": "Malformed call! There is no tool Jump;",
    "Pick[]": "Malformed call! Write Pick[object].",
    "Pick": "Malformed call! Write Pick[object].",
    "Pick[a, b]": "Malformed call! Write Pick[object].",
    "Wait[a while]": "Malformed call! Write Wait[].",
    "Place[a, on]": "Malformed call! Write Place[object, on|within, furniture].",
    "Place[a, under, b]": "Malformed call! Write Place[object, on|within, furniture].",
    "Place[a, on, b, next_to]": "Malformed call! Write Place[object, on|within, furniture].",
    "Place[a, on, b, near, c]": "Malformed call! Write Place[object, on|within, furniture].",
    "Place[a, on, b, next_to, ]": "Malformed call! Write Place[object, on|within, furniture].",
    "Communicate[agent_1]": 'Malformed call! Write Communicate[agent, "text"].',
    'Communicate[agent_1, ""]': 'Malformed call! Write Communicate[agent, "text"].',
    "Communicate[, hello]": 'Malformed call! Write Communicate[agent, "text"].',
    "FindRoomTool[]": "Malformed call! Write FindRoomTool[text].",
    "Pick[" + "a" * LONGEST + "]": "Malformed call! Write one call of a tool, such as Navigate[kitchen_1].",
}


@for_each("text", READ)
def test_a_call_is_read(text: str) -> None:
    tool, *args = READ[text]
    assert parse(text) == Command(tool, tuple(args))


@for_each("text", REFUSED, ids=lambda text: text[:40])
def test_what_is_no_call_is_told_how_to_write_one(text: str) -> None:
    read = parse(text)
    assert isinstance(read, Malformed)
    assert read.text.startswith(REFUSED[text])


def test_an_unknown_tool_is_told_all_there_are() -> None:
    read = parse("Jump[]")
    assert isinstance(read, Malformed)
    assert read.text.endswith(f"the tools are {', '.join(TOOLS)}.")


def test_every_tool_takes_the_arguments_of_its_form() -> None:
    for tool in TOOLS.values():
        inside = re.fullmatch(r"\w+\[(.*)\]", tool.form)
        assert inside
        assert len([part for part in inside[1].split(",") if part.strip()]) == tool.arguments[0]


NAME = st.from_regex(r"[a-z]{1,6}_[0-9]{1,2}", fullmatch=True)
SAID = st.text(min_size=1, max_size=80).filter(
    lambda text: text.strip() == text and text[0] not in "\"'\u201c"
)
COMMANDS = st.one_of(
    st.builds(
        lambda tool, name: Command(tool, (name,)),
        st.sampled_from([tool.name for tool in TOOLS.values() if tool.arguments == (1,)]),
        NAME,
    ),
    st.builds(lambda to, text: Command("Communicate", (to, text)), NAME, SAID),
    st.builds(lambda o, how, f: Command("Place", (o, how, f)), NAME, st.sampled_from(["on", "within"]), NAME),
    st.builds(lambda o, f, b: Command("Place", (o, "on", f, "next_to", b)), NAME, NAME, NAME),
    st.sampled_from([Command("Wait"), Command("Done")]),
)


@given(COMMANDS)
def test_a_command_is_written_as_it_is_read(command: Command) -> None:
    assert parse(str(command)) == command


@for_each(
    "text",
    [
        "A[" + "]" * (LONGEST - 10) + "x",
        "A[" + "] " * (LONGEST // 2 - 10) + "x",
        "A" * LONGEST,
        " " * (LONGEST - 1) + "!",
        "Place[" + "," * (LONGEST - 10) + "]",
    ],
    ids=["brackets", "brackets and blanks", "letters", "blanks", "commas"],
)
def test_texts_made_to_be_slow_to_read_are_read_to_the_end(text: str) -> None:
    assert isinstance(parse(text), Malformed)
