"""Calls drawn at random: mostly such as may well work, so that every rule fires, sometimes anything."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from otherminds.household.commands import TOOLS, Command
from otherminds.household.engine import HouseEngine


class Chooser:
    """Draws calls for the agents of ``engine``. All that it draws comes from ``seed`` and what they believe."""

    def __init__(self, engine: HouseEngine, seed: int) -> None:
        self.engine = engine
        self.draw = random.Random(seed)
        house = engine.house
        self.names = (*house.rooms, *house.furniture, *house.objects, *house.agents, "ghost_7")
        kinds = {
            kind: {fact[1] for fact in house.static if fact[0] == kind}
            for kind in ("surface", "container", "washable", "fillable", "switch")
        }
        self.fits = {
            f: [how for how, kind in (("on", "surface"), ("within", "container")) if f in kinds[kind]]
            or ["on"]
            for f in house.furniture
        }
        self.able = {"Clean": kinds["washable"], "PowerOn": kinds["switch"], "PowerOff": kinds["switch"]}
        self.able |= dict.fromkeys(("Fill", "Pour"), kinds["fillable"])
        self.wanted, self.going = "", house.rooms[0]

    def choose(self, i: int) -> Command:
        """A call of agent ``i``."""
        draw, house = self.draw, self.engine.house
        chance = draw.random()
        if chance < 0.05:
            return self.anything()
        if chance < 0.3:
            return self._walk(i)
        if chance < 0.36:
            to = draw.choice((*house.agents, "all"))
            return Command("Communicate", (to, "Hello." if house.statements is None else self._said()))
        if chance < 0.4:
            return Command("Explore", (draw.choice(house.rooms),))
        return self._handle(i, chance)

    def _said(self) -> str:
        """Statements about anything, whether the sender knows its name or not, with text between them that is none."""
        draw, house = self.draw, self.engine.house
        o, f, agent = (
            draw.choice((*house.objects, "ghost_7")),
            draw.choice(house.furniture),
            draw.choice(house.agents),
        )
        said = (
            f"{o} is on {f}.",
            f"{o} must end on {f}.",
            f"{agent} knows that {f} is open.",
            f"{agent} cannot enter {draw.choice(house.rooms)}.",
            f"Please put {o} on {f}!",
            "Hello.",
            "x7 q9",
        )
        return " ".join(draw.choices(said, k=draw.choice((1, 1, 2, 3))))

    def anything(self) -> Command:
        """A call of any tool but Done with any names."""
        draw = self.draw
        tool = draw.choice([tool for tool in TOOLS.values() if tool.name != "Done"])
        args = [draw.choice(self.names) for _ in range(draw.choice(tool.arguments))]
        if tool.name == "Place":
            args[1] = draw.choice(("on", "within"))
            args[3:4] = ["next_to"] * len(args[3:4])
        return Command(tool.name, tuple(args))

    def _walk(self, i: int) -> Command:
        draw, house = self.draw, self.engine.house
        known = [o for o in house.objects if self.engine.sight.knows(i, o)]
        pools = (house.furniture, house.furniture, house.rooms, known or house.agents, house.agents)
        # Often where the last one went: agents that meet get in each other's way.
        if draw.random() >= 0.4:
            self.going = draw.choice(draw.choice(pools))
        return Command("Navigate", (self.going,))

    def _handle(self, i: int, chance: float) -> Command:
        """Something with what is at hand."""
        draw, engine = self.draw, self.engine
        near = sorted(engine.house.reaches[engine.spot[i]])
        if draw.random() < 0.1:
            near = list(engine.house.furniture)
        places = {o: engine.sight.where(i, o) for o in engine.house.objects}
        held = [o for o, place in places.items() if place == ("is_held_by", engine.agents[i])]
        here = [o for o, place in places.items() if place and place[1] in near]
        if self.wanted in here and draw.random() < 0.3:
            here = [self.wanted]
        if chance < 0.58 and near:
            return Command(
                draw.choice(("Open", "Open", "Close", "PowerOn", "PowerOff")), (draw.choice(near),)
            )
        if chance < 0.72 and (held or here):
            tool = draw.choice(("Clean", "Pour", "Pour", "Pour", "Fill", "PowerOn", "PowerOff"))
            able = [o for o in held + here if o in self.able[tool]] or held + here
            self.wanted = draw.choice(held if tool == "Fill" and held else able)
            return Command(tool, (self.wanted,))
        if held and near and chance < 0.97:
            return self._place(draw.choice(held + here) if chance < 0.74 else held[0], near, places)
        if not here:
            return self.anything()
        useful = [o for o in here if o in self.able["Pour"]] if chance > 0.9 else here
        self.wanted = draw.choice(useful or here)
        return Command("Pick", (self.wanted,))

    def _place(self, o: str, near: Sequence[str], places: Mapping[str, tuple[str, str] | None]) -> Command:
        """Putting down what is held, now and then where that cannot be."""
        draw = self.draw
        f = draw.choice(near if draw.random() < 0.9 else self.engine.house.furniture)
        relation = draw.choice(self.fits[f] if draw.random() < 0.7 else ["on", "within"])
        beside = [other for other, place in places.items() if place and place[1] == f]
        if beside and draw.random() < 0.3:
            return Command("Place", (o, relation, f, "next_to", draw.choice(beside)))
        return Command("Place", (o, relation, f))
