"""The text of the calls by which an agent acts: ``Navigate[kitchen_1]``, ``Communicate[agent_1, "Hello"]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from otherminds.household.epistemic import household_facts

LONGEST = 4000
"""Characters of a command; a longer one is malformed."""
EVERYBODY = household_facts.EVERYBODY
RELATIONS: Mapping[str, str] = {
    "on": "on",
    "onto": "on",
    **dict.fromkeys(("within", "in", "inside", "into"), "within"),
}
"""The relations of ``Place``, by the words for them."""
RELATION, NEXT_TO = "relation", "next_to"
"""The arguments of ``Place`` in a native tool call that its written form does not name."""


class HouseTool(Struct, frozen=True):
    """A tool: its form, its description in one sentence, and its possible numbers of arguments."""

    form: str
    about: str
    arguments: tuple[int, ...]

    @property
    def name(self) -> str:
        """The word before the bracket."""
        return self.form.partition("[")[0]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments as an object, in their order; of some, the last one may be left out."""
        parts = [part.strip('"') for part in self.form.partition("[")[2].rstrip("]").split(", ") if part]
        properties = {
            RELATION if "|" in part else part: {"type": "string", "enum": part.split("|")}
            if "|" in part
            else {"type": "string"}
            for part in parts
        }
        required = list(properties)
        if len(parts) < max(self.arguments):
            properties[NEXT_TO] = {"type": "string"}
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


TOOLS: dict[str, HouseTool] = {
    tool.name: tool
    for tool in (
        HouseTool("Navigate[target]", "Go to a room, a piece of furniture, an object or an agent.", (1,)),
        HouseTool("Open[furniture]", "Open articulated furniture near you.", (1,)),
        HouseTool("Close[furniture]", "Close articulated furniture near you.", (1,)),
        HouseTool("Pick[object]", "Pick up an object near you; you can hold one.", (1,)),
        HouseTool(
            "Place[object, on|within, furniture]",
            "Put what you hold on or within furniture near you; floor_ROOM is the floor of a room. "
            "Place[object, on, furniture, next_to, other] puts it beside another object there.",
            (3, 5),
        ),
        HouseTool("Clean[object]", "Clean an object in your hand or near you.", (1,)),
        HouseTool("Fill[object]", "Fill what you hold at a faucet near you.", (1,)),
        HouseTool("Pour[object]", "Pour what you hold into an object near you.", (1,)),
        HouseTool("PowerOn[target]", "Switch on furniture or an object near you.", (1,)),
        HouseTool("PowerOff[target]", "Switch off furniture or an object near you.", (1,)),
        HouseTool(
            'Communicate[agent, "text"]',
            "Send a message; it arrives at the start of the next turn. Communicate[all, ...] reaches everybody "
            "whom you may write to, and costs one message.",
            (2,),
        ),
        HouseTool("FindObjectTool[text]", "Look up objects in what you know.", (1,)),
        HouseTool("FindReceptacleTool[text]", "Look up furniture in what you know.", (1,)),
        HouseTool("FindRoomTool[text]", "Look up rooms in what you know.", (1,)),
        HouseTool("Explore[room]", "Walk through a room and look at everything in it.", (1,)),
        HouseTool("Wait[]", "Do nothing this turn.", (0,)),
        HouseTool("Done[]", "Say that you are done; you do nothing more until the episode ends.", (0,)),
    )
}
"""PARTNR's tools as Juneja et al. 2026 use them; one call is one turn."""
CALL = re.compile(r"\s*+([A-Za-z_]\w*+)\s*+(?:\[(.*)\]|\(\s*+\)|)\s*+", re.DOTALL)
RECIPIENT = re.compile(r"agent_\d+|all", re.ASCII)
QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d"}


class Command(Struct, frozen=True, cache_hash=True):
    """A call of an existing tool with a valid number of arguments."""

    tool: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.tool == "Communicate":
            return f'Communicate[{self.args[0]}, "{self.args[1]}"]'
        return f"{self.tool}[{', '.join(self.args)}]"


def command(name: str, arguments: Mapping[str, str]) -> Command:
    """The call of an existing tool with ``arguments`` by name, each on one line.

    >>> str(command("Place", {"object": "bowl_0", "next_to": "cup_0", "relation": "on", "furniture": "table_1"}))
    'Place[bowl_0, on, table_1, next_to, cup_0]'
    """
    args: list[str] = []
    for key in TOOLS[name].schema["properties"]:
        if key in arguments:
            args += [NEXT_TO] if key == NEXT_TO else []
            value = " ".join(arguments[key].split())
            args.append(RELATIONS.get(value.lower(), value) if key == RELATION else value)
    return Command(name, tuple(args))


class Malformed(Struct, frozen=True):
    """A call that cannot be parsed, with the message for its agent, who waits instead."""

    text: str
    tool: ClassVar[str] = "Wait"


def parse(text: str) -> Command | Malformed:
    """Parses one call; never raises.

    >>> parse("Place[bowl_0, on, table_1]")
    Command(tool='Place', args=('bowl_0', 'on', 'table_1'))
    >>> parse("Place[bowl_0, on, table_1, None, None]").args
    ('bowl_0', 'on', 'table_1')
    >>> parse("Place[bowl_0, Inside, cabinet_3]").args
    ('bowl_0', 'within', 'cabinet_3')
    >>> parse("Pick[]").text
    'Malformed call! Write Pick[object].'
    """
    match = CALL.fullmatch(text) if len(text) <= LONGEST else None
    if match is None:
        return Malformed("Malformed call! Write one call of a tool, such as Navigate[kitchen_1].")
    name, inside = match[1], match[2] or ""
    tool = TOOLS.get(name)
    if tool is None:
        return Malformed(f"Malformed call! There is no tool {name[:40]}; the tools are {', '.join(TOOLS)}.")
    args = READERS.get(name, _split_arguments)(inside)
    if len(args) not in tool.arguments or not all(args):
        return Malformed(f"Malformed call! Write {tool.form}.")
    if name == "Place" and (args[1] not in ("on", "within") or args[3:4] not in ((), ("next_to",))):
        return Malformed(f"Malformed call! Write {tool.form}.")
    return Command(name, args)


def _split_arguments(inside: str) -> tuple[str, ...]:
    """Arguments separated by commas, without quotation marks."""
    return tuple(_bare(part) for part in inside.split(",")) if inside.strip() else ()


def _split_placing(inside: str) -> tuple[str, ...]:
    """PARTNR's five arguments, of which the last two may be None; words for a relation are read in any case."""
    args = tuple(
        RELATIONS.get(arg.lower(), arg) if k == 1 else arg.lower() if k == 3 else arg
        for k, arg in enumerate(_split_arguments(inside))
    )
    return args[:3] if len(args) == 5 and args[3].lower() in ("none", "") else args


def _nothing(inside: str) -> tuple[str, ...]:
    """The arguments of a tool that takes none; models often write ``Done[None]``."""
    return () if inside.strip().lower() in ("", "none") else (inside,)


def _message(inside: str) -> tuple[str, ...]:
    """A recipient, and everything after the first comma; or, as the public release writes it, the text first."""
    to, comma, words = inside.partition(",")
    head, _, last = inside.rpartition(",")
    text, behind = _bare(head), _bare(last)
    released = text != head.strip() and RECIPIENT.fullmatch(behind) and not RECIPIENT.fullmatch(_bare(to))
    if comma and released:
        return behind, text
    return (_bare(to), _bare(words)) if comma else (_bare(to),)


def _bare(part: str) -> str:
    part = part.strip()
    if len(part) > 1 and QUOTES.get(part[0]) == part[-1]:
        return part[1:-1].strip()
    return part


READERS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "Place": _split_placing,
    "Communicate": _message,
    "Wait": _nothing,
    "Done": _nothing,
    **dict.fromkeys(
        ("FindObjectTool", "FindReceptacleTool", "FindRoomTool"), lambda inside: (_bare(inside),)
    ),
}
"""Parsers of the arguments of some tools; all others take a list."""
