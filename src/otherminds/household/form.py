"""The drawn form of a turn in the household: the room as the text tells it, with the calls for each thing, then the other rooms, and messages.

Drawn is what this turn tells of the own room, and the plan of the house, which the rules tell. Any other call can be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherminds.core.data import Moment
from otherminds.household import words
from otherminds.household.commands import EVERYBODY
from otherminds.household.rules import WHERE
from otherminds.household.shared import plan_of
from otherminds.household.verbalizer import HouseholdVerbalizer
from otherminds.play.seat_context import Scene
from otherminds.web.forms import TEXT, Box, Button, Form, Part, Writing, forms

FINDERS = ("FindObjectTool", "FindReceptacleTool", "FindRoomTool")
"""The tools that take a text."""


@forms.register("household")
def draw_turn(scene: Scene) -> Form | None:
    """The form of a choice whose messages tell the turn; ``None`` for questions and other worlds."""
    verbalizer = scene.verbalizer
    if not isinstance(verbalizer, HouseholdVerbalizer) or not scene.ask.forms or not scene.moments:
        return None
    moment = scene.moments[-1]
    if moment.last or f"in turn {moment.observation['turn'] + 1} of" not in scene.ask.text:
        return None
    return HouseDrawing(scene, moment, plan_of(verbalizer.house)).draw()


class HouseDrawing:
    """A turn of a seat; ``plan`` is what all are told of the house."""

    def __init__(self, scene: Scene, moment: Moment, plan: dict[str, Any]) -> None:
        self._scene, self._plan, self._observation = scene, plan, moment.observation
        self._tools = {tool.name for tool in scene.ask.tools}
        self._held: list[str] = self._observation["holding"]

    def draw(self) -> Form:
        """The form: the own room, the other agents, the other rooms, messages."""
        here = self._observation["room"]
        brief = self._scene.brief
        parts: list[Part] = [Box(f"You are in {here}", (*self._draw_room(here), *self._draw_agents(here)))]
        parts += [
            Box(
                f"{room}, doors to {', '.join(beyond)}" if beyond else f"{room}, no door",
                tuple(self._draw_rest(room)),
                folded=True,
            )
            for room, beyond in self._plan["rooms"].items()
        ]
        receivers = (*brief.others, *((EVERYBODY,) if len(brief.others) > 1 else ()))
        messages = self._offer(*(("Communicate", agent, f'"{TEXT}"') for agent in receivers))
        finds = self._offer(*((tool, TEXT) for tool in FINDERS))
        for title, buttons in (("A message", messages), ("A text to look up", finds)):
            if buttons:
                named = (
                    Button(button.name.partition(TEXT)[0].replace("[", " ").strip(', "'), button.reply)
                    for button in buttons
                )
                parts.append(Writing(title, tuple(named)))
        parts.append(Box("Without a thing", tuple(self._offer(("Wait",), ("Done",)))))
        return Form(tuple(parts))

    def _draw_room(self, room: str) -> Iterator[Button | Box]:
        """What one can do with what one holds, and with each thing in the own room."""
        graph = self._observation["graph"]
        for o in self._held:
            yield Box(
                f"You hold {words.name_object(graph, o)}",
                tuple(self._offer(("Clean", o), ("Fill", o), ("Place", o, "on", f"floor_{room}"))),
            )
        placed = words.place_objects(self._observation, room)
        for thing, about in self._plan["furniture"].items():
            lying = {where: placed[where, thing] for where in (*WHERE.values(),) if (where, thing) in placed}
            if about["room"] != room or ("floor" in about["is"] and not lying):
                continue
            able = [] if "floor" in about["is"] else [words.describe_furniture(about)]
            states = words.conditions(about["is"], graph["states"].get(thing, ()))
            named = [
                f"{where}: {', '.join(words.name_object(graph, o) for o in objects)}"
                for where, objects in lying.items()
            ]
            title = "; ".join(part for part in (thing, ", ".join(able), *states, *named) if part)
            calls = [call for objects in lying.values() for o in objects for call in self._call_object(o)]
            yield Box(
                title, tuple(self._offer(*self._call_furniture(thing, about["is"]), *calls)), folded=True
            )

    def _draw_agents(self, room: str) -> Iterator[Box]:
        graph = self._observation["graph"]
        for agent, where in sorted(graph["agents"].items()):
            if where["room"] == room:
                title = f"{agent} is here{words.tell_carried(graph, agent)}"
                yield Box(title, tuple(self._offer(("Navigate", agent))), folded=True)

    def _draw_rest(self, room: str) -> Iterator[Button]:
        yield from self._offer(("Navigate", room), ("Explore", room))
        if room != self._observation["room"]:
            things = [
                thing
                for thing, about in self._plan["furniture"].items()
                if about["room"] == room and "floor" not in about["is"]
            ]
            yield from self._offer(*(("Navigate", thing) for thing in things))

    def _call_furniture(self, thing: str, able: list[str]) -> Iterator[tuple[str, ...]]:
        yield "Navigate", thing
        if "articulated" in able:
            yield from (("Open", thing), ("Close", thing))
        if "switch" in able:
            yield from (("PowerOn", thing), ("PowerOff", thing))
        for o in self._held:
            yield from (
                ("Place", o, word, thing)
                for kind, word in (("surface", "on"), ("container", "within"))
                if kind in able
            )

    def _call_object(self, o: str) -> Iterator[tuple[str, ...]]:
        yield from (("Navigate", o), ("Pour" if self._held else "Pick", o))
        yield from (("Clean", o), ("PowerOn", o), ("PowerOff", o))

    def _offer(self, *calls: tuple[str, ...]) -> list[Button]:
        """A button for each call of a tool that the seat has."""
        texts = [f"{tool}[{', '.join(args)}]" for tool, *args in calls if tool in self._tools]
        return [Button(text, self._scene.reply(text)) for text in texts]
