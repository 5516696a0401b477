"""The scaffold ``paper_prompts`` of the *in the matrix* substrates: the information of the published prompts.

The facts and figures are those of Cross et al. 2025, appendices C.1, G.1 to G.3, and, where the paper prints no
prompt, of its public code (the prisoner's dilemma). The sentences are our own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from otherminds.core.contracts import Step
from otherminds.core.data import Behaviour, Brief, Game, Invalid, Seat
from otherminds.gridworlds.grid.words import number, window
from otherminds.gridworlds.in_the_matrix import naming
from otherminds.gridworlds.in_the_matrix.naming import STRONG, holding, pairs, pays
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.scaffold import InTheMatrixScaffold
from otherminds.replies.answers import several

NAME = "paper_prompts"
PRINTED = ("rws-repeated-v1", "rws-arena-v1", "pd-repeated-v1")
"""The substrates that the paper has prompts for."""
KEYS = {
    "rws": {
        "they_played": "possible_opponent_inventory",
        "strategy": "Opponent_strategy",
        "they_play": "predicted_opponent_next_inventory",
        "i_play": "my_next_inventory",
        "seek": "opponents_to_seekout",
        "plan": "action_plan",
    },
    "pd": {
        "they_played": "possible_other_player_inventory",
        "strategy": "Other_player_strategy",
        "they_play": "predicted_other_player_next_inventory",
        "i_play": "my_next_inventory",
        "plan": "action_plan",
    },
}
"""How the published prompts call the entries of their dictionaries, by game."""
TITLES = {"rws": "running_with_scissors_in_the_matrix", "pd": "prisoners_dilemma_in_the_matrix"}
"""What the published prompts call the environments."""
COMMITTED = {"rws": (5, 3), "pd": (6, 2)}
"""Resources of one kind that commit strongly to it, and weakly."""
DUELS = {
    "rws": (((3, 1, 1), (1, 5, 1)), ((5, 1, 1), (1, 1, 6)), ((1, 4, 1), (3, 1, 1))),
    "pd": (((6, 1), (1, 6)), ((1, 6), (6, 1)), ((5, 1), (5, 1)), ((1, 7), (1, 8)), ((4, 1), (3, 1))),
}
"""Own and other inventories of the example duels from which what the other held is inferred."""
LONGER = "Think of the whole episode: what you do now has consequences later."


class PaperPrompts(InTheMatrixScaffold):
    """As :class:`InTheMatrixScaffold`, with the information of Cross et al. 2025, appendix G, and no more.

    Classes are called by their kind and colour (``rock/yellow``); inventories that the
    model infers, predicts or wants are repeated with its own numbers; memory gives distances.
    """

    distances = True

    def __init__(self, substrate: Rules, seat: Seat, order: tuple[int, ...]) -> None:
        labels = zip(substrate.classes, substrate.colours, strict=True)
        called = tuple(f"{kind}/{colour}" for kind, colour in labels)
        super().__init__(replace(substrate, classes=called), seat, order)
        self.manner = changed(self.manner, totals=True, afresh=True)
        self._behaviours = substrate.classes
        self._game = substrate.name.partition("-")[0]
        """``rws`` or ``pd``: the game that is played on this map."""

    def system(self, brief: Brief) -> str:
        paragraphs = [self._setting(), self._committing()]
        if brief.game is not None:
            paragraphs.append(self._rewards(brief.game))
        paragraphs += [self._view(), self.skills()]
        paragraphs += [
            f"You are told a secret: {self._words.name_seats(secret)}." for secret in brief.secrets
        ]
        return "\n".join(paragraphs)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return holding(self._rules, self._behaviours.index(behaviour), STRONG)

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        read = naming.read_inventory(self._rules, value)
        return read if isinstance(read, Invalid) else self._behaviours[self._rules.classes.index(read)]

    def retold(self, value: Any, seat: Seat) -> Any:
        """With its own numbers: how strongly others commit matters."""
        if isinstance(value, dict):
            return naming.order_counts(self._rules, value)
        return super().retold(value, seat)

    def key(self, name: str) -> str:
        return KEYS[self._game].get(name, name)

    def clues(self) -> str:
        """How a reward and the own inventory hint at what the other held, with example duels and no arithmetic."""
        rules = self._rules
        strong, weak = COMMITTED[self._game]
        if self._game == "rws":
            how = (
                "First see which kind you held most of. With a reward of -1 or less they held most of the kind that beats "
                "yours; with 1 or more, of the kind that yours beats; in between, perhaps nearly the same as you."
            )
        else:
            cooperate, defect = rules.classes
            how = (
                f"If you played {cooperate}, a reward below 1 suggests strong {defect}, one from 2.8 to 3.66 strong "
                f"{cooperate}. If you played {defect}, a reward above 3.8 suggests strong {cooperate}, one from 1 to 1.5 "
                f"strong {defect}."
            )
        lines = [
            f"{how} How large the reward is, and how much you held yourself, tell whether they played strongly ({strong} or "
            f"more of a kind) or weakly (about {weak}). Write down how many they held. One of each kind is not possible: "
            "without collecting something nobody duels."
        ]
        for mine, theirs in DUELS[self._game]:
            reward = number(pays(rules.game, mine, theirs)[0], signed=self._game == "rws")
            own, other = (dict(zip(rules.classes, counts, strict=True)) for counts in (mine, theirs))
            lines.append(f"Example: you held {own}, your reward was {reward}; they may have held {other}.")
        return "\n".join(lines)

    def hints(self, step: Step) -> str:
        rules, crowd = self._rules, self._words.crowd
        if step == "hypothesise":
            kind = f"{rules.classes[-1]} resources" if self._game == "pd" else "resources of one kind"
            return (
                "They may play the same pure strategy every time, a complex one that adapts to you, or "
                "anything in between; they need not be clever, nor adapt to you at all. Is your reward high, "
                f"or low, each time you play the same type of inventory, such as many {kind}? Then they may "
                "play a pure strategy, which you can exploit by what counters it."
            )
        if step == "predict":
            pure = [f"of pure {rules.classes[k]}: {holding(rules, k, STRONG)}" for k in self._order]
            return (
                "Consider what you played last, too: their strategy may adapt to it, or not. Their next inventory may be, "
                f"{several(pure, 'or')}."
            )
        if step == "choose" and crowd:
            return "Look for patterns across all players as well."
        if step == "choose":
            return (
                "You are not in a competition: both players can gain. If they adapt to you, think about "
                "which of your plays lead them to plays that are better for you in the long term, such as to "
                "cooperate round after round."
            )
        whom = "a player near you whom you can exploit" if crowd else "the other player"
        return (
            "Make a plan of fewer than 6 calls that first brings you to your next inventory; you will be asked again when it "
            f"is carried out. Once you have that inventory, stop collecting and seek a duel with {whom} at once, so after "
            "about 5 to 7 resources in all. Use the distances that are told, and take short ways. What was seen earlier may "
            f"have changed since. Write nothing but calls into the list, no comments. {LONGER}"
        )

    def strategies(self) -> tuple[str, ...]:
        """An example of a hypothesis: always the same, and how strongly."""
        kind, colour = (names[self._order[0]] for names in (self._rules.classes, self._rules.colours))
        return (f"They always play a pure {kind} strategy and collect about {STRONG} {colour} resources.",)

    def skills(self) -> str:
        return (
            "Your plans are calls of these functions, one after the other:\n"
            "- move_to((x, y), (x2, y2)): you go from the first place to the second on an efficient way. You collect a "
            "resource by going to its place. Go to valid places only.\n"
            f"- fire_at((x, y)): you stay around that place and fire as soon as you see {self._words.another}, to begin a duel."
        )

    def _setting(self) -> str:
        rules = self._rules
        width, height = rules.size
        kinds = [
            f"a {colour} box is {name.partition('/')[0]}"
            for colour, name in zip(rules.colours, rules.classes, strict=True)
        ]
        return (
            f"You are agent {self._words.player}, one of {rules.players} players in the Melting Pot environment {TITLES[self._game]}: a "
            f"grid of {width} by {height} cells (x by y) with resources to collect and walls to walk around. Your goal is "
            f"as much reward as possible. {LONGER}\n"
            f"The resources stand for strategies: {several(kinds, 'and')}. Apart from moving, a player can fire an "
            "interaction beam, which begins a duel with the player that it reaches. The inventories of both decide what the "
            "duel pays. An inventory counts the resources picked up since the last respawn; it begins with 1 of each kind. "
            "You see your own."
        )

    def _committing(self) -> str:
        rules = self._rules
        strong, weak = COMMITTED[self._game]
        even = [dict.fromkeys(rules.classes, count) for count in (1, 3)]
        lines = [
            f"To play a strategy strongly, pick up {strong} or more resources of its colour before you fire at another "
            f"player; to commit to it weakly, about {weak}. Before a duel you mostly want a single kind, and other players "
            "almost always pick up a single kind, too."
        ]
        if self._game == "pd":
            lines.append(
                f"Do not collect both: the inventories {even[0]} and {even[1]} bring the same reward."
            )
            return " ".join(lines)
        good, bad = holding(rules, 0, 7), dict.fromkeys(rules.classes, 2)
        lines.append(
            "That tells you most about the strategies of others, and costs no time for other resources. You want many duels: "
            "after 4 to 6 resources, seek one, to learn more and to begin again with a new inventory. With "
            f"{good} a duel tells you much, with {bad} it does not."
        )
        return " ".join(lines)

    def _rewards(self, game: Game) -> str:
        lines = [
            "The reward of a duel is your inventory times the following table times the inventory of the other player, each "
            "inventory as shares of its sum:",
            *pairs(self._words, game, self._order),
        ]
        if self._game == "rws":
            names, kinds = self._rules.classes, range(len(self._rules.classes))
            wins = [(i, j) for i in kinds for j in kinds if self._rules.row[i][j] > 0]
            lines.append(f"{several([f'{names[i]} beats {names[j]}' for i, j in wins], 'and')}.")
            lines.append(
                "Rewards usually lie between -5 and 5; -10 and 10 are the limits, and rare. 3 to 5 in either direction is "
                "much. A reward near 0 suggests that both players held nearly the same."
            )
        else:
            lines.append(
                "The game is repeated, and the numbers of resources matter. If both cooperate, the one with more cooperate "
                "resources gets less than the other. If one cooperates and the other defects, the defector gets the more, the "
                "more defect resources it has. If both defect, the one with more defect resources gets more."
            )
        return "\n".join(lines)

    def _view(self) -> str:
        rules = self._rules
        lines = [
            f"{window(rules.view)} What you saw earlier is kept for you, but may be outdated: another player may have "
            "taken a resource since. Explore, and choose your goals by what you have found out. Look where other players "
            "are, so that you can duel with them and learn about their strategies."
        ]
        if self._words.crowd:
            lines.append(
                "To find a certain player, go where it was seen last, and then around the map at random. It is no good "
                "strategy here to wait in the middle of the map. Once you know something of the others' strategies, seek "
                "those that you can exploit, and play what counters them."
            )
        else:
            lines.append(
                "Before each duel, try to infer what the other player will play, and how that depends on what you play."
            )
        return " ".join(lines)
