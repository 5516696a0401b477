"""What an agent is told in words: once (the task, its secrets, the house, the tools), and each turn (its observation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from otherminds.core.data import Brief, ModelTool, Moment, ReceivedMessage
from otherminds.core.text import quoted
from otherminds.household.commands import TOOLS
from otherminds.household.rules import WHERE
from otherminds.replies.answers import several

ABLE = {
    "articulated": "opens",
    "surface": "on",
    "container": "within",
    "switch": "switches",
    "faucet": "water",
}
"""The word for each property of furniture; the legend explains them."""
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
STATEMENT = (
    "A statement is one of these: a fact (bowl_90 is on table_91.), what an agent knows (agent_9 knows that cabinet_92 "
    "is open.), a goal (bowl_90 must end on table_91.), a request or a promise that something will be so in the end "
    "(agent_9, please see to it that cabinet_92 ends open.), or a rule (agent_9 cannot enter kitchen_93.). "
    "Statements are transmitted in plain words, and other text is not. A message without a statement is refused "
    "and costs nothing."
)
LENGTH = (
    "There are {} turns. In each, all of you make one call of a tool at the same time. "
    "What counts is how things are in the end: after the last turn, or when all of you are done."
)
ALWAYS = ("Wait", "Done")
"""Tools that every agent has, whatever a task allows."""


def told_task(task: str, brief: Brief) -> list[str]:
    """The agent, the public task and the agent's secrets; texts of the task's author are quoted."""
    return [
        f"You are {brief.seat}. In a house with you: {several(brief.others, 'and')}. "
        "Each of you sees and knows other things.",
        f"All of you were told: {quoted(task)}",
        *told_secrets(brief.secrets),
    ]


def told_secrets(secrets: Sequence[str]) -> list[str]:
    """The secrets, one quoted line each."""
    return ["You were told in private:", *(f"- {quoted(secret)}" for secret in secrets)] if secrets else []


def limit_of(statements: int) -> str:
    """The limit of the statements of a message, as a sentence.

    >>> limit_of(1)
    'Only the first statement of a message is transmitted.'
    """
    if statements == 1:
        return "Only the first statement of a message is transmitted."
    return f"Only the first {statements} statements of a message are transmitted."


def told_house(plan: dict[str, Any]) -> list[str]:
    """The rooms with their doors and furniture, one line each, from ``plan`` (``house`` of an observation)."""
    lines = ["The house (all of you know it):"]
    for room, beyond in plan["rooms"].items():
        kinds: dict[str, list[str]] = {}
        for name, about in plan["furniture"].items():
            if about["room"] == room and "floor" not in about["is"]:
                kinds.setdefault(describe_furniture(about), []).append(name)
        doors = f"doors to {several(beyond, 'and')}" if beyond else "no door"
        pieces = [f"{', '.join(names)} ({able})" for able, names in kinds.items()]
        lines.append(f"- {room}, {doors}: {'; '.join(pieces) or 'empty'}.")
    return [*lines, LEGEND]


def describe_furniture(about: Mapping[str, Any]) -> str:
    """What one can do with a piece of furniture, in the words of the legend."""
    return ", ".join(word for kind, word in ABLE.items() if kind in about["is"]) or "nothing"


def tools_of(allowed: Sequence[str]) -> tuple[str, ...]:
    """The tools of an agent; all if ``allowed`` is empty."""
    return tuple(name for name in TOOLS if not allowed or name in (*allowed, *ALWAYS))


def forms_of(names: Sequence[str]) -> tuple[str, ...]:
    """The forms of calls, one for each alternative.

    >>> forms_of(["Open", "Place"])
    ('Open[furniture]', 'Place[object, on, furniture]', 'Place[object, within, furniture]')
    """
    forms: list[str] = []
    for name in names:
        form = TOOLS[name].form
        choice = next((part for part in form.split(", ") if "|" in part), "")
        forms += (
            [form.replace(choice, alternative) for alternative in choice.split("|")] if choice else [form]
        )
    return tuple(forms)


def describe_tool(name: str, statements: int | None) -> str:
    """What a tool does; ``statements`` is the largest number of statements of a message, ``None`` if unlimited."""
    about = TOOLS[name].about
    return about if name != "Communicate" or statements is None else f"{about} {limit_of(statements)}"


def functions_of(names: Sequence[str], statements: int | None = None) -> tuple[ModelTool, ...]:
    """The tools as functions for native tool calls; ``statements`` as in :func:`describe_tool`."""
    return tuple(ModelTool(name, describe_tool(name, statements), TOOLS[name].schema) for name in names)


NOTABLE = {"is_dirty": "dirty", "is_filled": "filled", "is_powered_on": "switched on"}
"""States of objects that are mentioned; the opposite states are the default."""

UNSEEN = "Not seen yet"

Observed = Mapping[str, Any]
"""An observation of :class:`~otherminds.household.world.HouseholdWorld`."""


def one_line(text: str) -> str:
    r"""A text of an agent on one line, without control characters or markup.

    >>> one_line('Communicate[agent_1, "a\nb"]')
    'Communicate[agent_1, "a\\nb"]'
    """
    return quoted(text)[1:-1].replace('\\"', '"')


def message(incoming: ReceivedMessage) -> str:
    """A message as a quotation; what the world says about its delivery stands outside the quotes."""
    note = f" ({incoming.note})" if incoming.note else ""
    return f"{incoming.sender} tells you: {quoted(incoming.text)}{note}"


def here(observation: Observed) -> str:
    """The agent's hands and its room, as far as it knows them."""
    graph, room = observation["graph"], observation["room"]
    objects = [name_object(graph, o) for o in observation["holding"]]
    sentences = [
        f"You are in {room} and hold {several(objects or ['nothing'], 'and')}.",
        *stands(observation, room),
    ]
    agents = [agent for agent, where in sorted(graph["agents"].items()) if where["room"] == room]
    return " ".join([*sentences, *(f"{agent} is here{tell_carried(graph, agent)}." for agent in agents)])


def others(observation: Observed) -> str:
    """The observed acts of others; empty if there are none."""
    acts = "; ".join(did(agent, act) for agent, act in observation["events"])
    return f"You saw: {acts}." if acts else ""


def did(agent: str, act: str) -> str:
    """An observed act of another agent: a call, or a movement."""
    return f"{agent} {'called ' if act.endswith(']') else ''}{one_line(act)}"


def stands(observation: Observed, room: str) -> list[str]:
    """What the agent knows about things in ``room``, in sentences."""
    graph, furniture = observation["graph"], observation["house"]["furniture"]
    text = "; ".join(
        f"{where} {thing}: {', '.join(name_object(graph, o) for o in objects)}"
        for (where, thing), objects in place_objects(observation, room).items()
    )
    sentences = [f"{text[0].upper()}{text[1:]}."] if text else []
    turned: dict[str, list[str]] = {}
    for name, about in furniture.items():
        if about["room"] == room:
            for word in conditions(about["is"], graph["states"].get(name, ())):
                turned.setdefault(word, []).append(name)
    return sentences + [f"{word}: {', '.join(names)}." for word, names in turned.items()]


def place_objects(observation: Observed, room: str) -> dict[tuple[str, str], list[str]]:
    """The objects that the agent knows in ``room``, by the word for their relation to a piece of furniture, and its name."""
    furniture = observation["house"]["furniture"]
    places: dict[tuple[str, str], list[str]] = {}
    for o, place in observation["graph"]["objects"].items():
        if place and place[0] in WHERE and furniture[place[1]]["room"] == room:
            places.setdefault((WHERE[place[0]], place[1]), []).append(o)
    return places


def conditions(able: Sequence[str], states: Sequence[str]) -> list[str]:
    """The mentioned states of furniture: those that are not the default.

    >>> conditions(["articulated", "container"], ["is_open"]), conditions(["articulated"], [])
    (['Open'], ['Not seen yet'])
    """
    if not states and {"articulated", "switch"} & {*able}:
        return [UNSEEN]
    usual = "is_closed" if "articulated" in able else "is_open"
    words = {"is_open": "Open", "is_closed": "Closed", "is_powered_on": "Switched on"}
    return [word for state, word in words.items() if state in states and state != usual]


def name_object(graph: Mapping[str, Any], o: str) -> str:
    """An object with its mentioned states."""
    states = [word for state, word in NOTABLE.items() if state in graph["states"].get(o, ())]
    return f"{o} ({', '.join(states)})" if states else o


def tell_carried(graph: Mapping[str, Any], agent: str) -> str:
    """What another agent is believed to hold, as the end of a clause."""
    objects = [
        name_object(graph, o) for o, place in graph["objects"].items() if place == ["is_held_by", agent]
    ]
    return f" and holds {several(objects, 'and')}" if objects else ""


def tell_knowledge(observation: Observed) -> list[str]:
    """All that the agent knows: a line for each room that it has seen, then the other agents."""
    graph = observation["graph"]
    lines: list[str] = []
    for room in observation["house"]["rooms"]:
        sentences = stands(observation, room)
        if any(not sentence.startswith(UNSEEN) for sentence in sentences):
            lines.append(f"{room}: {' '.join(sentences)}")
    for agent, where in sorted(graph["agents"].items()):
        lines.append(f"{agent} was last seen in {where['room']}{tell_carried(graph, agent)}.")
    lost = [o for o, place in graph["objects"].items() if not place]
    return [*lines, f"Not where you last saw it: {', '.join(lost)}."] if lost else lines


def in_short(moments: Sequence[Moment]) -> list[str]:
    """The calls, the observed acts of others, everything known at the end, and every message."""
    observations = [moment.observation for moment in moments]
    called = [at for at in observations if at["call"]]
    calls = [f"{at['turn']} {one_line(at['call'])}{'' if at['worked'] else ' (failed)'}" for at in called]
    acts = [f"{at['turn']} {did(agent, act)}" for at in observations for agent, act in at["events"]]
    lines = [f"Up to turn {observations[-1]['turn'] + 1} in short."]
    if calls:
        lines.append(f"Your calls, by turn: {'; '.join(calls)}.")
    if acts:
        lines.append(f"What you saw others do, by turn: {'; '.join(acts)}.")
    deliveries = (
        (moment.observation["turn"] + 1, incoming) for moment in moments for incoming in moment.told
    )
    quotes = [f"In turn {turn}, {message(incoming)}" for turn, incoming in deliveries]
    return [*lines, "What you knew then:", *tell_knowledge(observations[-1]), *quotes]
