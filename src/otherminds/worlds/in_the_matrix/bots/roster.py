"""The background bots of Melting Pot's scenarios, scripted: a puppeteer on a puppet.

Policies and parameters are those of Melting Pot 2.4.1; the legs are ours (the
official ones are networks), so a score against these bots is not comparable with
published ones. ``free_0`` has no published policy: a stand-in.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Literal

from otherminds.core.contracts import Bench, Mind
from otherminds.core.data import Action, Answer, Automaton, Brief, Do, Invalid, Moment, Partner, Question
from otherminds.core.errors import StudyError
from otherminds.games.registry import automaton
from otherminds.worlds.in_the_matrix.bots.puppet import Puppet
from otherminds.worlds.in_the_matrix.bots.puppeteers import (
    Aim,
    Corrigible,
    CounterPrevious,
    GrimTrigger,
    Gullible,
    News,
    Puppeteer,
    ScheduledFlip,
    Specialist,
    TitForTat,
    goal,
)
from otherminds.worlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.worlds.in_the_matrix.sight import Sight

ROCK, PAPER, SCISSORS = range(3)
COOPERATE, DEFECT = range(2)
BEATEN_BY = (PAPER, SCISSORS, ROCK)
TREMBLE = 0.15

Reach = Literal["window", "map"]


def _flip(first: int, final: int, threshold: int = 3, margin: int = 1) -> ScheduledFlip:
    return ScheduledFlip(threshold, Aim(first, margin), Aim(final, 5))


def _dilemma(margin: int, suffix: str) -> dict[str, Puppeteer]:
    """The bots that the Prisoner's Dilemma has in two strengths."""
    return {
        f"puppet_cooperator_{suffix}": Specialist(COOPERATE, margin),
        f"puppet_defector_{suffix}": Specialist(DEFECT, margin),
        f"puppet_grim_one_strike_{suffix}": GrimTrigger(1, COOPERATE, DEFECT, margin),
        f"puppet_grim_two_strikes_{suffix}": GrimTrigger(2, COOPERATE, DEFECT, margin),
        f"puppet_tft_{suffix}": TitForTat(COOPERATE, DEFECT, margin),
        f"puppet_tft_tremble_{suffix}": TitForTat(COOPERATE, DEFECT, margin, TREMBLE),
    }


BOTS: Mapping[str, Mapping[str, Puppeteer]] = {
    RWS_REPEATED.name: {
        "flip_p2r_0": _flip(PAPER, ROCK),
        "flip_p2r_1": _flip(PAPER, ROCK, 2, 5),
        "flip_r2s_0": _flip(ROCK, SCISSORS),
        "flip_r2s_1": _flip(ROCK, SCISSORS, 2, 5),
        "flip_s2p_0": _flip(SCISSORS, PAPER),
        "flip_s2p_1": _flip(SCISSORS, PAPER, 2, 5),
        "free_0": Gullible(BEATEN_BY, 5),
        "paper_0": Specialist(PAPER, 1),
        "paper_margin_0": Specialist(PAPER, 5),
        "resp2prev_margin_0": CounterPrevious(BEATEN_BY, 5),
        "rock_0": Specialist(ROCK, 1),
        "rock_margin_0": Specialist(ROCK, 5),
        "scissors_0": Specialist(SCISSORS, 1),
        "scissors_margin_0": Specialist(SCISSORS, 5),
    },
    RWS_ARENA.name: {
        # Its name and its scenario say rock; its configuration says scissors, and that is what it plays.
        "flip_p2r_0": _flip(PAPER, SCISSORS),
        "flip_r2s_0": _flip(ROCK, SCISSORS),
        "flip_s2p_0": _flip(SCISSORS, PAPER),
        "free_0": Gullible(BEATEN_BY, 3),
        "paper_margin_0": Specialist(PAPER, 3),
        "paper_margin_1": Specialist(PAPER, 5),
        "rock_margin_0": Specialist(ROCK, 3),
        "rock_margin_1": Specialist(ROCK, 5),
        "scissors_margin_0": Specialist(SCISSORS, 3),
        "scissors_margin_1": Specialist(SCISSORS, 5),
    },
    PD_REPEATED.name: {
        **_dilemma(5, "margin_0"),
        **_dilemma(7, "margin_1"),
        "puppet_corrigible_0": Corrigible(3, COOPERATE, DEFECT, 5),
        "puppet_corrigible_tremble_0": Corrigible(3, COOPERATE, DEFECT, 5, TREMBLE),
        "puppet_flip_0": ScheduledFlip(3, Aim(COOPERATE, 1), Aim(DEFECT, 5)),
    },
}
"""By substrate, under Melting Pot's names without the substrate's in front."""


def bot_names(rules: Rules) -> tuple[str, ...]:
    """The bots of a substrate, in alphabetical order."""
    return tuple(sorted(BOTS.get(rules.name, ())))


def policy(rules: Rules, name: str) -> Puppeteer:
    """What bot ``name`` follows.

    Raises:
        StudyError: the substrate has no such bot.
    """
    if name not in BOTS.get(rules.name, ()):
        known = ", ".join(bot_names(rules)) or "none"
        raise StudyError(f"{rules.name} has no background bot {name!r}; it has {known}")
    return BOTS[rules.name][name]


def bot(rules: Rules, name: str, noise: float = 0.0, reach: Reach = "window") -> Bot:
    """The mind of bot ``name``; see :class:`Bot`.

    Raises:
        StudyError: the substrate has no such bot, or ``noise`` or ``reach`` are none.
    """
    return Bot(rules, policy(rules, name), noise, reach)


def recorded(rules: Rules, name: str, rounds: int) -> Partner:
    """Bot ``name`` as it is recorded: with the automaton over duels that it follows, over ``rounds`` of them.

    The automaton sits in the column seat of ``rules.game``.

    Raises:
        StudyError: the substrate has no such bot.
    """
    return Partner(name, behaves(rules, policy(rules, name), rounds))


def behaves(rules: Rules, followed: Puppeteer, rounds: int) -> Automaton:
    """The automaton over duels that a policy amounts to, if each duel has a winner class on either side."""
    family, params = _family(followed)
    return automaton(family, rules.game, rounds, params)


def _family(followed: Puppeteer) -> tuple[str, dict[str, Any]]:
    match followed:
        case Specialist(kind=kind):
            return "single", {"behaviour": kind}
        case ScheduledFlip(threshold=threshold, first=first, final=final):
            return "flip", {"first": first.kind, "second": final.kind, "after": threshold - 1}
        case GrimTrigger(threshold=threshold):
            return "grim", {"strikes": threshold}
        case TitForTat(tremble=tremble):
            return "noisy_tit_for_tat", {"noise": tremble}
        case Corrigible(threshold=threshold, tremble=tremble):
            return "corrigible", {"strikes": threshold, "noise": tremble}
        case CounterPrevious():
            return "best_response_to_last", {}
        case _:
            raise StudyError(f"no partner family says what {type(followed).__name__} does")


class Bot(Mind):
    """Follows a policy with a puppet. It acts in every step, with primitive actions.

    ``noise`` is the probability of a random movement in a step. ``reach``: it sees
    its window, as the official bots do, or the whole ``map``, which is stronger.
    """

    answers = False

    def __init__(
        self, rules: Rules, followed: Puppeteer, noise: float = 0.0, reach: Reach = "window"
    ) -> None:
        if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0.0 <= noise <= 1.0:
            raise StudyError(f"the noise of a bot must be from 0 to 1, not {noise!r}")
        if reach not in ("window", "map"):
            raise StudyError(f"a bot sees its 'window' or the 'map', not {reach!r}")
        self.rules = rules
        self.followed = followed
        self.noise = noise
        self.grants = frozenset({"inventories"} if reach == "window" else {"inventories", "map"})

    @property
    def aim(self) -> Aim:
        """What it raises now."""
        return self.followed.plays(self._state)

    def begin(self, brief: Brief, bench: Bench) -> None:
        # The legs have a stream of their own, so that what lies in the way shifts no tremble.
        self._rng = bench.rng
        self._sight = Sight(self.rules)
        self._puppet = Puppet(self._sight, Random(bench.rng.getrandbits(64)), self.noise)
        self._state = self.followed.start(self._rng)

    async def perceive(self, moment: Moment) -> None:
        self._sight.see(moment.observation, moment.step)
        partner = tuple(int(count) for count in moment.observation["INTERACTION_INVENTORIES"][1])
        self._state = self.followed.hear(self._state, News(partner, self._sight.taken), self._rng)

    async def act(self) -> Action | Do | Invalid:
        return self._puppet.act(goal(self.aim, self._sight.inventory))

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")
