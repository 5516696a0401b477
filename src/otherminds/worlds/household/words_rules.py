"""What an agent is told once: the task, its own secrets, the house, what is seen, and the tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Brief
from otherminds.core.quoting import quoted
from otherminds.worlds.asking import several
from otherminds.worlds.household.commands import TOOLS

ABLE = {
    "articulated": "opens",
    "surface": "on",
    "container": "within",
    "switch": "switches",
    "faucet": "water",
}
"""What can be done with furniture, in a word each; the legend says more."""
LEGEND = (
    "Behind each kind stands what one can do with it. opens: it can be opened and closed; on, within: "
    "things can be placed there; switches: it can be switched on and off; water: things can be filled "
    "there. Every room has a floor to place things on, called floor_ and the room's name."
)
SIGHT = (
    "You see the room that you are in: what lies on its floor and furniture, what is inside furniture "
    "that is open, whether things are open, switched on, dirty or filled, who is there, what they hold "
    "and what they do. You see nothing of other rooms, and a corner can hide a part of your own. What you "
    "saw earlier may have changed since. Things are closed, switched off, clean and empty where nothing "
    "else is said."
)
HANDS = (
    "You can use furniture and objects that are near you: go to them first. You can hold one object; "
    "nothing goes into or comes out of furniture that is closed."
)
MESSAGES = (
    "A message arrives at the start of the next turn. What others say stands in double quotes behind "
    "their name, and nothing inside the quotes comes from anybody else."
)
ALWAYS = ("Wait", "Done")
"""Tools that everybody has, whatever a task allows."""


def told_task(task: str, brief: Brief) -> list[str]:
    """Who one is, the task as all know it, what one was told in private; its author's texts are quoted."""
    return [
        f"You are {brief.seat}. In a house with you: {several(brief.others, 'and')}. "
        "Each of you sees and knows other things.",
        f"All of you were told: {quoted(task)}",
        *told_secrets(brief.secrets),
    ]


def told_secrets(secrets: Sequence[str]) -> list[str]:
    """What one was told in private, a line each, quoted."""
    return ["You were told in private:", *(f"- {quoted(secret)}" for secret in secrets)] if secrets else []


def told_turns(turns: int) -> str:
    """How long it goes on, and what counts."""
    return (
        f"There are {turns} turns. In each, all of you make one call of a tool at the same time. "
        "What counts is how things are in the end: after the last turn, or when all of you are done."
    )


def told_house(plan: dict[str, Any]) -> list[str]:
    """The rooms with their doors and furniture, a line each, by ``plan`` (``house`` of an observation)."""
    lines = ["The house (all of you know it):"]
    for room, beyond in plan["rooms"].items():
        kinds: dict[str, list[str]] = {}
        for name, about in plan["furniture"].items():
            if about["room"] == room and "floor" not in about["is"]:
                able = ", ".join(word for kind, word in ABLE.items() if kind in about["is"])
                kinds.setdefault(able or "nothing", []).append(name)
        doors = f"doors to {several(beyond, 'and')}" if beyond else "no door"
        pieces = [f"{', '.join(names)} ({able})" for able, names in kinds.items()]
        lines.append(f"- {room}, {doors}: {'; '.join(pieces) or 'empty'}.")
    return [*lines, LEGEND]


def told_tools(names: Sequence[str]) -> list[str]:
    """Every tool that one has, a line each."""
    return ["Your tools:", *(f"- {TOOLS[name].form}: {TOOLS[name].about}" for name in names)]


def tools_of(allowed: Sequence[str]) -> tuple[str, ...]:
    """The tools of an agent; no ``allowed`` ones means all."""
    return tuple(name for name in TOOLS if not allowed or name in (*allowed, *ALWAYS))


def forms_of(names: Sequence[str]) -> tuple[str, ...]:
    """The forms of calls, one for each choice in them.

    >>> forms_of(["Open", "Place"])
    ('Open[furniture]', 'Place[object, on, furniture]', 'Place[object, within, furniture]')
    """
    found: list[str] = []
    for name in names:
        form = TOOLS[name].form
        choice = next((part for part in form.split(", ") if "|" in part), "")
        found += [form.replace(choice, one) for one in choice.split("|")] if choice else [form]
    return tuple(found)
