"""Minds whose nature is known, to try verdicts on: they know nothing, use what they know, or do not use it.

Each is a function of the round, the history and what the mind may know; :class:`KnownMind` plays it as a plugin would be
played. ``Knowledge.design`` numbers the labels of an episode, which a language model would see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import md5
from itertools import pairwise
from random import Random

from otherminds import Record
from otherminds.core.data import Action, Answer, Game, Invalid, Question, SkillChoice
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.games.belief import Valuation, best_replies, valuation
from otherminds.games.player import Player
from otherminds.play.loop import play_now

History = list[tuple[int, int]]
"""(own, other) of the rounds so far."""


@dataclass
class Knowledge:
    """What a mind of known nature may know: ``truth`` is the partner's next behaviour, ``worths`` the exact Q."""

    rng: Random
    study: int
    design: int
    step: int
    rounds: int
    history: History
    truth: int
    likeliest: int
    worths: Sequence[float]
    game: Game
    memory: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def options(self) -> int:
        return len(self.worths)

    def draw(self) -> int:
        return self.rng.randrange(self.options)

    def reply(self, said: int) -> int:
        return best_replies(self.game)[said][0]

    def hash(self, *parts: object) -> int:
        return int(md5(repr((self.study, *parts, self.history)).encode()).hexdigest()[:8], 16) % self.options

    def fixed(self) -> int:
        """One behaviour, drawn at the start of the episode."""
        return self.memory.setdefault("fixed", self.draw())


Nature = Callable[[Knowledge], tuple[int | None, int]]
"""What it says about the partner's next behaviour (``None``: it falls silent), and what it does."""


def frequent(history: History, options: int) -> int:
    """The partner's most frequent behaviour."""
    counts = [sum(other == x for _, other in history) for x in range(options)]
    return counts.index(max(counts))


def following(history: History, options: int) -> int:
    """What most often followed the last joint choice; the most frequent behaviour where nothing did."""
    counts = [0] * options
    for before, (_, other) in pairwise(history):
        counts[other] += before == history[-1]
    return counts.index(max(counts)) if any(counts) else frequent(history, options)


def replies(say: Callable[[Knowledge], int], share: float = 1.0) -> Nature:
    """Acts on its word with probability ``share``, else at random."""

    def nature(k: Knowledge) -> tuple[int, int]:
        said = say(k)
        return said, k.reply(said) if k.rng.random() < share else k.draw()

    return nature


def bayes(k: Knowledge, slips: float = 0.0) -> tuple[int, int]:
    best = max(range(k.options), key=lambda a: k.worths[a])
    return k.likeliest, best if k.rng.random() >= slips else k.draw()


def quitter(k: Knowledge) -> tuple[int | None, int]:
    said = k.fixed()
    return (None if k.history and k.history[-1][1] != said else said), k.draw()


def explorer(k: Knowledge) -> tuple[int, int]:
    said = following(k.history, k.options)
    return said, k.step // 3 if k.step < 3 * k.options else k.reply(said)


def win_stay(k: Knowledge) -> tuple[int, int]:
    stays = bool(k.history) and k.game.payoffs[k.history[-1][0]][k.history[-1][1]][0] > 0
    return k.draw(), k.history[-1][0] if stays else k.draw()


def last(k: Knowledge) -> int:
    return k.history[-1][1] if k.history else 0


def often(k: Knowledge) -> int:
    return frequent(k.history, k.options)


def joint(k: Knowledge) -> int:
    return following(k.history, k.options)


def mirror(k: Knowledge) -> tuple[int, int]:
    act = k.draw()
    return act, act


IGNORANT: dict[str, Nature] = {
    "uniform": lambda k: (k.draw(), k.draw()),
    "stuck": lambda k: (1, 1),
    "stuck play, hash says": lambda k: (k.hash(k.design), 0),
    "hash": lambda k: (k.hash(k.design), k.hash(1, k.design)),
    "hash, blind to labels": lambda k: (k.hash(), k.hash(1)),
    "hash, own seed": lambda k: (k.hash(s := k.memory.setdefault("s", k.rng.getrandbits(32))), k.hash(1, s)),
    "own constant": lambda k: (k.fixed(), k.draw()),
    "echo": lambda k: (k.history[-1][0], k.history[-1][0]) if k.history else (0, 0),
    "mirror": mirror,
    "clock": lambda k: (k.step % k.options, k.step % k.options),
    "quitter": quitter,
    "knows in the first half only": lambda k: (k.truth if 2 * k.step < k.rounds else k.draw(), k.draw()),
}
PLAYS: dict[str, Nature] = {"win-stay, says at random": win_stay}
USERS: dict[str, Nature] = {
    "bayes": bayes,
    "best reply to last move": replies(last),
    "best reply to frequency": replies(often),
    "explores, then replies": explorer,
}
SLIPS: dict[str, Nature] = {
    "bayes, 2 % slips": lambda k: bayes(k, 0.02),
    "best reply, 10 % slips": replies(often, 0.9),
}
PARTLY: dict[str, Nature] = {"80 % used": replies(joint, 0.8), "70 % used": replies(joint, 0.7)}
HALF: dict[str, Nature] = {"half used": replies(joint, 0.5)}
IDLE: dict[str, Nature] = {
    "counts, plays at random": lambda k: (often(k), k.draw()),
    "truth, plays at random": lambda k: (k.truth, k.draw()),
    "truth, stuck": lambda k: (k.truth, 0),
    "knows from the middle on, plays at random": lambda k: (
        k.truth if 2 * k.step >= k.rounds else k.draw(),
        k.draw(),
    ),
}


class KnownMind(Player):
    """A mind of known ``nature`` against the partner ``met``; silent where it says ``None``."""

    def __init__(
        self, nature: Nature, scenario: Scenario, met: int, rounds: int, study: int, seed: int, design: int
    ) -> None:
        assert scenario.game is not None
        self._nature, self._game, self._rounds = nature, scenario.game, rounds
        self._family = scenario.priors["family"]()
        self._met, self._study, self._seed, self._design = met, study, seed, design

    def start(self, own: int, others: int) -> None:
        self._valued: Valuation = valuation(self._game, self._family, self._rounds)
        self._belief = self._valued.start
        self._partner = self._family[self._met].automaton
        self._state = self._partner.start
        self._rng = Random(f"{self._study} {self._seed}")
        self._history: History = []
        self._memory: dict[str, int] = {}
        self._plan: tuple[int | None, int] | None = None

    def learn(self, own: int, other: int, reward: float) -> None:
        self._history.append((own, other))
        self._belief = self._valued.after(self._belief, own, other) or self._belief
        self._state = self._partner.next[self._state][other][own]
        self._plan = None

    def decision(self) -> tuple[int | None, int]:
        if self._plan is None:
            step, output = len(self._history), self._partner.output[self._state]
            self._plan = self._nature(
                Knowledge(
                    *(self._rng, self._study, self._design, step, self._rounds, self._history),
                    *(output.index(max(output)), self._valued.likeliest(self._belief)),
                    *(self._valued.worths(step, self._belief), self._game, self._memory),
                )
            )
        return self._plan

    async def act(self) -> Action | SkillChoice | Invalid:
        said, act = self.decision()
        return Invalid("it fell silent") if said is None else act

    async def answer(self, question: Question) -> Answer | Invalid:
        said, _ = self.decision()
        return Invalid("it fell silent") if said is None else self._names[said]


def play_study(
    scenario: Scenario, nature: Nature, study: int, per_partner: int, designs: int, rounds: int
) -> list[Record]:
    """A study of ``per_partner`` episodes with each partner, in ``designs`` label designs that all partners share."""
    records: list[Record] = []
    for place, (_, partners) in enumerate(scenario.population.members):
        seeds = design_seeds(scenario, partners, designs)
        for n in range(per_partner):
            mind = KnownMind(nature, scenario, place, rounds, study, 1000 * place + n, n % designs)
            met = dict(zip(scenario.others, partners, strict=True))
            setup = Setup(scenario, {"ego": Participant(mind)}, seeds[n % designs], met)
            records.append(play_now(setup)[0])
    return records


def design_seeds(scenario: Scenario, partners: tuple[SeatSpec, ...], designs: int) -> list[int]:
    """The first episodes with these partners in the schedule, one a cycle."""
    order = scenario.population.schedule()
    return [cycle * len(order) + order.index(partners) for cycle in range(designs)]
