"""How cooking is shown: what is in hands and pots, acts, deliveries."""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import pixels as kitchen_pixels
from otherminds.gridworlds.cooking import state as kitchen
from otherminds.gridworlds.cooking.rules import DISH, ITEMS, SOUP, TOMATO
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.pixels import overlaid, sprites
from otherminds.gridworlds.replay import scenes
from otherminds.gridworlds.replay.scenes import Frame, HeldThing, Stage, hue
from otherminds.reports.replay.replays import Happening

SHADES = {TOMATO: "#ed394a", DISH: "#aab4c8", SOUP: "#f59ca4"}
"""As the items' sprites are coloured; a dish a little darker, to be seen on white."""
HANDLED = {
    **dict.fromkeys((acts.TOOK_TOMATO, acts.FILLED_POT), TOMATO),
    **dict.fromkeys((acts.TOOK_DISH, acts.PUT_DISH), DISH),
    **dict.fromkeys((acts.TOOK_SOUP, acts.DELIVERED), SOUP),
}
"""The item that each act is about."""


class CookingScenery:
    """The kitchen with its margin cut off; deliveries are what one jumps between.

    The cooks' own colours, navy and lime, are lost on black or white; seats have
    those of the pairs *in the matrix*, blue for who sees itself so.
    """

    world = CookingWorld

    def stage(self, world: CookingWorld) -> Stage:
        colours = (hue(overlaid(look[0])) for look in sprites()["pair"])
        holdings = (HeldThing(ITEMS[item], shade) for item, shade in SHADES.items())
        return scenes.grid_stage(
            world.rules, kitchen_pixels.mix_paint(world.rules), colours, holdings, 1, ("",), "delivery"
        )

    def frame(self, world: CookingWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        hands = avatars[:, kitchen.HELD, None] == np.arange(1, len(ITEMS))
        return Frame(
            codes=scenes.inside(kitchen_pixels.mix_paint(rules), kitchen_pixels.encode_map(rules, state, 0)),
            stands=avatars[:, : kitchen.FACING + 1].astype(np.int16),
            counts=hands.astype(np.int16),
            states=np.zeros(rules.players, np.uint8),
            beams=scenes.measure_charge(avatars[:, kitchen.COOLDOWN], rules.cooldown),
        )

    def happened(self, world: CookingWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """The acts of the step; a delivery is paid to all."""
        happenings: list[Happening] = []
        for act in world.acts:
            if act.step == step - 1 and act.behaviour in HANDLED:
                paid = act.behaviour == acts.DELIVERED
                text = f"{world.possible_agents[act.player]} {act.behaviour}"
                text += f", {world.rules.pay:+g} for everyone" if paid else ""
                kind, item = "delivery" if paid else "act", ITEMS[HANDLED[act.behaviour]]
                happenings.append(Happening(step, kind, (act.player,), text, (item,), stop=paid))
        return happenings


scenes.sceneries.add("cooking", CookingScenery())
