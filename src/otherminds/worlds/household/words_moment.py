"""What an agent is told each turn, and what it knows, in words: by its own observation alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from otherminds.core.data import Moment, ReceivedMessage
from otherminds.core.quoting import quoted
from otherminds.worlds.asking import several
from otherminds.worlds.household.rules.actions import WHERE

NOTABLE = {"is_dirty": "dirty", "is_filled": "filled", "is_powered_on": "switched on"}
"""States of objects that are said; the opposite ones go without saying."""

UNSEEN = "Not seen yet"

Observed = Mapping[str, Any]
"""What :class:`~otherminds.worlds.household.world.HouseholdWorld` lets a seat observe."""


def one_line(text: str) -> str:
    r"""What an agent wrote itself as one line, without anything that could be more than text to its reader.

    >>> one_line('Communicate[agent_1, "a\nb"]')
    'Communicate[agent_1, "a\\nb"]'
    """
    return quoted(text)[1:-1].replace('\\"', '"')


def message(told: ReceivedMessage) -> str:
    """What somebody said, as a quotation."""
    return f"{told.sender} tells you: {quoted(told.text)}"


def done(seen: Observed) -> str:
    """The last call, and what came of it."""
    return f"You called {one_line(seen['call'])}. {one_line(seen['result'])}"


def here(seen: Observed) -> str:
    """The own hands and room, as far as one knows it."""
    graph, room = seen["graph"], seen["room"]
    held = [named(graph, o) for o in seen["holding"]]
    told = [f"You are in {room} and hold {several(held or ['nothing'], 'and')}.", *stands(seen, room)]
    agents = [agent for agent, where in sorted(graph["agents"].items()) if where["room"] == room]
    return " ".join([*told, *(f"{agent} is here{carried(graph, agent)}." for agent in agents)])


def others(seen: Observed) -> str:
    """What one saw others do; empty for nothing."""
    acts = [did(agent, what) for agent, what in seen["events"]]
    return f"You saw: {'; '.join(acts)}." if acts else ""


def did(agent: str, what: str) -> str:
    """What another was seen to do: a call, or how it moved."""
    return f"{agent} {'called ' if what.endswith(']') else ''}{one_line(what)}"


def stands(seen: Observed, room: str) -> list[str]:
    """What one knows of things in ``room``, in sentences."""
    graph, furniture = seen["graph"], seen["house"]["furniture"]
    places: dict[str, list[str]] = {}
    for o, place in graph["objects"].items():
        if place and place[0] in WHERE and furniture[place[1]]["room"] == room:
            places.setdefault(f"{WHERE[place[0]]} {place[1]}", []).append(named(graph, o))
    found = [f"{where}: {', '.join(things)}" for where, things in places.items()]
    text = "; ".join(found)
    sentences = [f"{text[0].upper()}{text[1:]}."] if text else []
    turned: dict[str, list[str]] = {}
    for name, about in furniture.items():
        if about["room"] == room:
            for word in conditions(about["is"], graph["states"].get(name, ())):
                turned.setdefault(word, []).append(name)
    return sentences + [f"{word}: {', '.join(names)}." for word, names in turned.items()]


def conditions(able: Sequence[str], states: Sequence[str]) -> list[str]:
    """What is to be said of furniture: what does not go without saying.

    >>> conditions(["articulated", "container"], ["is_open"]), conditions(["articulated"], [])
    (['Open'], ['Not seen yet'])
    """
    if not states and {"articulated", "switch"} & {*able}:
        return [UNSEEN]
    usual = "is_closed" if "articulated" in able else "is_open"
    words = {"is_open": "Open", "is_closed": "Closed", "is_powered_on": "Switched on"}
    return [word for state, word in words.items() if state in states and state != usual]


def named(graph: Mapping[str, Any], o: str) -> str:
    """An object with those of its states that are said."""
    states = [word for state, word in NOTABLE.items() if state in graph["states"].get(o, ())]
    return f"{o} ({', '.join(states)})" if states else o


def carried(graph: Mapping[str, Any], agent: str) -> str:
    """What one believes another to hold, behind its name."""
    held = [named(graph, o) for o, place in graph["objects"].items() if place == ["is_held_by", agent]]
    return f" and holds {several(held, 'and')}" if held else ""


def known(seen: Observed) -> list[str]:
    """All that one knows: a line for each room of which one has seen anything, then the others."""
    graph = seen["graph"]
    lines: list[str] = []
    for room in seen["house"]["rooms"]:
        told = stands(seen, room)
        if any(not sentence.startswith(UNSEEN) for sentence in told):
            lines.append(f"{room}: {' '.join(told)}")
    lines += [
        f"{agent} was last seen in {where['room']}{carried(graph, agent)}."
        for agent, where in sorted(graph["agents"].items())
    ]
    lost = [o for o, place in graph["objects"].items() if not place]
    return [*lines, f"Not where you last saw it: {', '.join(lost)}."] if lost else lines


def in_short(moments: Sequence[Moment]) -> list[str]:
    """The calls, what others were seen to do, everything known at the end, and every message."""
    seen = [moment.observation for moment in moments]
    calls = [
        f"{at['turn']} {one_line(at['call'])}{'' if at['worked'] else ' (failed)'}"
        for at in seen
        if at["call"]
    ]
    acts = [f"{at['turn']} {did(agent, what)}" for at in seen for agent, what in at["events"]]
    lines = [f"Up to turn {seen[-1]['turn'] + 1} in short."]
    if calls:
        lines.append(f"Your calls, by turn: {'; '.join(calls)}.")
    if acts:
        lines.append(f"What you saw others do, by turn: {'; '.join(acts)}.")
    said = [
        f"In turn {at['turn'] + 1}, {message(told)}"
        for at, moment in zip(seen, moments, strict=True)
        for told in moment.told
    ]
    return [*lines, "What you knew then:", *known(seen[-1]), *said]
