"""The scaffold ``paper_prompts`` of cooking: the information of the published prompts, in sentences of our own.

Source: Cross et al. 2025, appendix G.4, and for keys that it does not print the public code.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from otherminds.core.data import Brief
from otherminds.core.scaffold import Manner, Step
from otherminds.gridworlds.cooking.kitchen import layout
from otherminds.gridworlds.cooking.rules import POT, Rules
from otherminds.gridworlds.cooking.scaffold import MANNER, CookingScaffold
from otherminds.gridworlds.grid.actions import player_of
from otherminds.gridworlds.grid.words import number, window

NAME = "paper_prompts"
KEYS = {
    "strategy": "teammate_strategy",
    "they_play": "predicted_next_behavior",
    "match": "evaluate_predicted_behavior",
    "plan": "action_plan",
}
PUBLISHED = replace(MANNER, totals=True, afresh=True)
STRATEGIES = ("They always put tomatoes into the pot at the far end and leave everything else to me.",)
HINTS: dict[Step, str] = {
    "hypothesise": (
        "Do they specialise in an activity or a part of the work? How competent are they? Consider how you can adapt to "
        "that, so that you work together well. You cannot communicate."
    ),
    "predict": "A short label of what they do next is enough.",
    "choose": "Adapt to what they do, and make the most of all that there is.",
    "plan": (
        "Make a short plan of fewer than 4 calls; you will be asked again when it is carried out. Consider the whole "
        "state, take short ways, and use only what stands on your side. Write nothing but calls into the list."
    ),
}


@dataclass(frozen=True)
class PaperPrompts(CookingScaffold):
    """As :class:`~otherminds.gridworlds.cooking.scaffold.CookingScaffold`, with the published information and no more."""

    manner: Manner = PUBLISHED

    def system(self, brief: Brief) -> str:
        rules = self.substrate
        lines = [
            _kitchen(rules, player_of(self.me)),
            f"For tomato soup: 1. put {rules.capacity} tomatoes into a pot, 2. take a dish when the soup is cooked, 3. put "
            f"the soup into the dish, 4. deliver it. Each soup delivered brings your team {number(rules.pay)}.",
            "Use only what stands on your side. You hold one thing at a time: no second tomato, and no tomato from the "
            "dispenser while you hold something else, such as a dish. Before you take soup from a pot, take a dish.",
            window(rules.view),
            "You will be asked for strategies, and for plans that carry them out. Plans are calls of these functions:",
            self.skills(),
            "Mostly you want interact, which walks and uses, so that it is enough for every step of the work. To pick up "
            "something else, free your hands by interact with a counter. Put nothing on the floor or onto a place of "
            "delivery.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines)

    def key(self, name: str) -> str:
        return KEYS.get(name, name)

    def hints(self, step: Step) -> str:
        return HINTS[step]

    def strategies(self) -> tuple[str, ...]:
        return STRATEGIES

    def skills(self) -> str:
        return (
            "- move_to((x, y), (x2, y2)): walk from the first place to the second, where neither a counter nor anything "
            "else stands. Rarely needed.\n"
            "- interact((x, y)): go to what stands at (x, y) and use it, to take something or to deliver; with a counter, "
            "to put down what you hold. Mostly use this.\n"
            "- wait((x, y)): wait until the pot at (x, y) has cooked. Mostly of use when both pots are full."
        )


def _kitchen(rules: Rules, player: int) -> str:
    columns = sorted({x for (x, _), tile in layout(rules).things.items() if tile == POT})
    return (
        f"You are player {player} in Collaborative Cooking Asymmetric: {rules.players} players cook tomato soup and deliver "
        "it, as many dishes as they can. The kitchen has tomato dispensers, pots, dish dispensers and places of delivery, "
        f"and each player gets to a part of it only: at x = {', '.join(map(str, columns))} a barrier that nobody "
        "passes separates the sides, and the pots stand in it. Nobody can communicate, so infer the strategy of your "
        "teammate from what it does, and adapt to it."
    )
