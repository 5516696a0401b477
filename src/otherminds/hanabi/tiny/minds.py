"""Minds of known nature for tiny Hanabi, and its speakers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import md5
from random import Random

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Behaviour, Brief, Invalid, Moment, Question, Seat
from otherminds.hanabi.tiny.game import (
    ACTIONS,
    CARDS,
    SPEAKERS,
    Convention,
    Posterior,
    list_best,
    list_blind,
    list_worths,
)
from otherminds.hanabi.world import EGO
from otherminds.minds.known_nature import INFORMED, KnownPartner, find_granted, find_policy

SPEAKER = "agent_1"
SEATS: tuple[Seat, ...] = (EGO, SPEAKER)


class Reader:
    """Says which card the speaker holds and acts on the posterior over speakers; with probability 1 − ``use`` at random."""

    def __init__(self, rng: Random, use: float = 1.0, weights: list[float] | None = None) -> None:
        self._rng, self._use, self._posterior = rng, use, Posterior(weights)

    def predict(self, own: int, signal: int) -> int:
        """The speaker's card."""
        chances = self._posterior.read(signal)
        return chances.index(max(chances))

    def choose(self, own: int, signal: int) -> int:
        """The own action."""
        if self._use < 1 and self._rng.random() >= self._use:
            return self._rng.randrange(3)
        return list_best(list_worths(own, signal, self._posterior.read(signal)))[0]

    def learn(self, card: int, signal: int) -> None:
        """Takes the card that the speaker showed after the game into account."""
        self._posterior.learn(card, signal)


class BlindPlayer(Reader):
    """Says what it has learned, and acts as one who never learns the convention."""

    def choose(self, own: int, signal: int) -> int:
        return self._rng.choice(list_blind(own, signal))


class Guesser(Reader):
    """Guesses the speaker's card without a look at earlier games, and replies to the guess, or acts at random."""

    def __init__(self, rng: Random, guess: Callable[[int, int, int], int], *, replies: bool = True) -> None:
        super().__init__(rng, use=float(replies))
        self._guess, self._games = guess, 0

    def predict(self, own: int, signal: int) -> int:
        return self._guess(own, signal, self._games)

    def choose(self, own: int, signal: int) -> int:
        if not self._use:
            return self._rng.randrange(3)
        return list_best(
            list_worths(own, signal, [float(card == self.predict(own, signal)) for card in range(2)])
        )[0]

    def learn(self, card: int, signal: int) -> None:
        self._games += 1


def _hash(own: int, signal: int, games: int) -> int:
    return md5(repr((own, signal, games)).encode()).digest()[0] % 2


def know(speaker: str) -> list[float]:
    """The weights of one who knows the speaker."""
    return [float(name == speaker) for name in SPEAKERS]


POLICIES: dict[str, Callable[[Random, str], Reader]] = {
    INFORMED: lambda rng, speaker: Reader(rng, weights=know(speaker)),
    "bayes": lambda rng, speaker: Reader(rng),
    "half_used": lambda rng, speaker: Reader(rng, 0.5),
    "acts_at_random": lambda rng, speaker: Reader(rng, 0.0),
    "plays_blind": lambda rng, speaker: BlindPlayer(rng),
    "fixed_code": lambda rng, speaker: Guesser(rng, lambda own, signal, games: signal > 0),
    "same_card": lambda rng, speaker: Guesser(rng, lambda own, signal, games: own),
    "constant": lambda rng, speaker: Guesser(rng, lambda own, signal, games: 0),
    "hash": lambda rng, speaker: Guesser(rng, _hash),
    "coin": lambda rng, speaker: Guesser(rng, lambda own, signal, games: rng.randrange(2), replies=False),
}
"""The policies by name, made from a random stream and the speaker's name, which only the informed one looks at."""
IGNORANT = ("fixed_code", "same_card", "constant", "hash", "coin")
"""Those that never learn the convention."""


class ReaderMind(Mind):
    """A policy of :data:`POLICIES` in the seat under test.

    Raises:
        StudyError: there is no such policy.
    """

    def __init__(self, policy: str) -> None:
        self._make, self.grants = find_policy(POLICIES, policy, "tiny Hanabi")

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._reader = self._make(Random(context.rng.random()), find_granted(brief, SPEAKER))
        self._own = self._signal = self._prediction = self._action = 0

    async def perceive(self, moment: Moment) -> None:
        if moment.encounters:
            self._reader.learn(CARDS.index(moment.encounters[-1].did[SPEAKER][0]), self._signal)
        self._own, signal = int(moment.observation[0]), int(moment.observation[1])
        if signal and not moment.last:
            self._signal = signal - 1
            self._prediction = self._reader.predict(self._own, self._signal)
            self._action = self._reader.choose(self._own, self._signal)

    async def act(self) -> Action:
        return self._action

    async def answer(self, question: Question) -> Answer | Invalid:
        return CARDS[self._prediction]


class SpeakerMind(KnownPartner):
    """Speaks by a convention."""

    def __init__(self, convention: Convention) -> None:
        self._convention = convention
        codes = (f"{ACTIONS[action]} with {card}" for card, action in zip(CARDS, convention, strict=True))
        self.policy_in_words = f"it chooses {' and '.join(codes)}"

    async def act(self) -> Action:
        return self._convention[int(self.moment.observation[0])]

    def intends(self) -> Mapping[Behaviour, float]:
        return {CARDS[int(self.moment.observation[0])]: 1.0}
