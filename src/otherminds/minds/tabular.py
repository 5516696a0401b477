"""Minds without a language model: learners, equilibria, null minds that observe nobody, and a mind of known ability."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.games.automata import best_reply
from otherminds.games.best_response import nash
from otherminds.games.partners.best_responding import level_k_reply
from otherminds.games.player import Player
from otherminds.minds.registry import minds

GAMMA = 0.9
START = -1
Known = tuple[tuple[tuple[int, int], tuple[int, float]], ...]
"""The transitions seen: ((state, action), (state after, reward)), sorted."""


@lru_cache(maxsize=4096)
def greedy(transitions: Known, rmax: float, actions: int) -> dict[int, tuple[int, ...]]:
    """The greedy actions of every state seen, with all ties, by value iteration.

    An action not tried in a state is worth rmax / (1 − γ).
    """
    model = dict(transitions)
    heaven = rmax / (1 - GAMMA)
    states = {START} | {s for s, _ in model} | {after for after, _ in model.values()}
    value = dict.fromkeys(states, heaven)

    def q(state: int, action: int) -> float:
        if (state, action) not in model:
            return heaven
        after, reward = model[state, action]
        return reward + GAMMA * value[after]

    iterate(value, q, actions)
    best = {s: max(q(s, a) for a in range(actions)) for s in states}
    return {s: tuple(a for a in range(actions) if q(s, a) > best[s] - 1e-6) for s in states}


def iterate(value: dict[int, float], q: Callable[[int, int], float], actions: int) -> None:
    """Value iteration in place, to 1e-9: each ``value[state]`` becomes the largest ``q(state, action)``."""
    change = 1.0
    while change > 1e-9:
        fresh = {s: max(q(s, a) for a in range(actions)) for s in value}
        change = max(abs(fresh[s] - value[s]) for s in value)
        value.update(fresh)


@minds.register("rmax")
class RMax(Player):
    """RMax (Brafman & Tennenholtz 2002) with m = 1, as the yardstick of Riemer et al. 2025.

    State: the last joint action, or the start. Value iteration after each new pair,
    γ = 0.9, greedy, ties uniformly at random. Prediction: the partner's most frequent
    behaviour in the state, index 0 without data. Of payoffs and partner it knows only
    the highest reward.

    The authors published no code. This reconstruction reproduces the printed numbers
    (``benchmarks/reproduce_riemer.py``); one-step optimistic Q-learning, states of own
    or partner's actions alone, lowest-index ties, m = 2 and random openings do not.
    """

    def start(self, own: int, others: int) -> None:
        self._actions_n, self._others_n = own, others
        self._rmax = self.brief.reward_range[1]
        self._state = START
        self._model: dict[tuple[int, int], tuple[int, float]] = {}
        self._greedy = greedy((), self._rmax, own)
        self._counts: dict[int, list[int]] = {}

    def learn(self, own: int, other: int, reward: float) -> None:
        after = own * self._others_n + other
        counts = self._counts.setdefault(self._state, [0] * self._others_n)
        counts[other] += 1
        if (self._state, own) not in self._model:
            self._model[self._state, own] = (after, reward)
            self._greedy = greedy(tuple(sorted(self._model.items())), self._rmax, self._actions_n)
        self._state = after

    def choose(self) -> int:
        best = self._greedy.get(self._state, tuple(range(self._actions_n)))
        return best[0] if len(best) == 1 else self.context.rng.choice(best)

    def predict(self) -> int:
        return self._most_frequent(self._state)

    def predict_after(self, own: int) -> int:
        return self._most_frequent(own * self._others_n + self.predict())

    def _most_frequent(self, state: int) -> int:
        counts = self._counts.get(state)
        return counts.index(max(counts)) if counts else 0


Pairs = tuple[tuple[int, int], ...]
"""(own last behaviour, the partner's reply), sorted."""
Payoffs = tuple[tuple[tuple[int, int], float], ...]
"""((own, other), reward) of each cell seen, sorted."""


def expected_reply(reply: dict[int, int], constant: int | None, last: int) -> int | None:
    """The partner's expected reply to the own ``last``; ``None`` if unknown."""
    return reply.get(last, constant)


@lru_cache(maxsize=8192)
def best_actions(
    payoffs: Payoffs, replies: Pairs, constant: int | None, last: int, rmax: float, actions: int
) -> tuple[int, ...]:
    """The best actions after the own behaviour ``last``; known cells first among equals.

    An unknown cell or reply is worth rmax / (1 − γ).
    """
    cells, reply = dict(payoffs), dict(replies)
    heaven = rmax / (1 - GAMMA)
    value = dict.fromkeys((START, *range(actions)), heaven)

    def q(state: int, action: int) -> float:
        other = expected_reply(reply, constant, state)
        if other is None or (action, other) not in cells:
            return heaven
        return cells[action, other] + GAMMA * value[action]

    iterate(value, q, actions)
    best = max(q(last, a) for a in range(actions))
    ties = [a for a in range(actions) if q(last, a) > best - 1e-6]
    other = expected_reply(reply, constant, last)
    return tuple(a for a in ties if other is not None and (a, other) in cells) or tuple(ties)


@minds.register("factored_rmax")
class FactoredRMax(Player):
    """Learns a payoff table and a model of the partner's replies, without knowing the payoffs.

    The model is a reply to the own last behaviour, assumed constant until refuted.
    Unknown cells and replies are valued optimistically. Ties go to known cells, then
    uniformly at random. Two to five times less regret than the published yardstick ``rmax``.
    """

    def start(self, own: int, others: int) -> None:
        self._actions_n = own
        self._rmax = self.brief.reward_range[1]
        self._cells: dict[tuple[int, int], float] = {}
        self._reply: dict[int, int] = {}
        self._constant: int | None = None
        self._refuted = False
        self._last = START

    def learn(self, own: int, other: int, reward: float) -> None:
        self._cells[own, other] = reward
        self._reply[self._last] = other
        if self._constant is None and not self._refuted:
            self._constant = other
        elif other != self._constant:
            self._constant, self._refuted = None, True
        self._last = own

    def choose(self) -> int:
        best = best_actions(
            tuple(sorted(self._cells.items())),
            tuple(sorted(self._reply.items())),
            self._constant,
            self._last,
            self._rmax,
            self._actions_n,
        )
        return best[0] if len(best) == 1 else self.context.rng.choice(best)

    def predict(self) -> int:
        return self.predict_after(self._last)

    def predict_after(self, own: int) -> int:
        other = expected_reply(self._reply, self._constant, own)
        return 0 if other is None else other


@minds.register("fictitious_play")
class FictitiousPlay(Player):
    """Best-responds to the observed frequencies; lowest index on ties.

    Fictitious play (Brown 1951). Its prediction is the most frequent behaviour so far. Prediction
    and choice agree, and both ignore reactions to its own behaviour.
    """

    grants = frozenset({"payoffs"})

    def start(self, own: int, others: int) -> None:
        self._payoffs = self.game.payoffs
        self._counts = [0] * others

    def learn(self, own: int, other: int, reward: float) -> None:
        self._counts[other] += 1

    def choose(self) -> int:
        weights = self._counts if any(self._counts) else [1] * len(self._counts)
        worth = [sum(n * row[b][0] for b, n in enumerate(weights)) for row in self._payoffs]
        return worth.index(max(worth))

    def predict(self) -> int:
        return self._counts.index(max(self._counts))


@minds.register("level_k")
class LevelK(Player):
    """Best-responds to a partner of level ``level`` − 1.

    Level-k reasoning over the last encounter (Stahl & Wilson 1994). Level 0 repeats its own last behaviour; round 1 assumes behaviour 0 of both before it.
    Level 2 is optimal against tit-for-tat in RPS.
    """

    grants = frozenset({"payoffs"})

    def __init__(self, level: int = 2) -> None:
        if level < 1:
            raise StudyError(f"level_k needs a level of at least 1, not {level}")
        self.level = level

    def start(self, own: int, others: int) -> None:
        self._last = (0, 0)

    def learn(self, own: int, other: int, reward: float) -> None:
        self._last = (own, other)

    def choose(self) -> int:
        return level_k_reply(self.game, self.level, *self._last)

    def predict(self) -> int:
        own, other = self._last
        return level_k_reply(self.game.flipped(), self.level - 1, other, own)

    def predict_after(self, own: int) -> int:
        return level_k_reply(self.game.flipped(), self.level - 1, self.predict(), own)


@minds.register("nash")
class Nash(Player):
    """Plays its side of the stage game's equilibrium, and predicts the partner's.

    The equilibrium with the largest supports (:func:`otherminds.games.best_response.nash`).
    """

    grants = frozenset({"payoffs"})
    several = True

    def start(self, own: int, others: int) -> None:
        self._mine, self._theirs = nash(self.game)

    def choose(self) -> int:
        return self.context.rng.choices(range(len(self._mine)), self._mine)[0]

    def predict(self) -> int:
        return self._theirs.index(max(self._theirs))


@minds.register("uniform")
class Uniform(Player):
    """Plays uniformly at random; predicts behaviour 0."""

    several = True

    def start(self, own: int, others: int) -> None:
        self._size = own

    def choose(self) -> int:
        return self.context.rng.randrange(self._size)

    def predict(self) -> int:
        return 0


class Fixed(Player):
    """Shows one behaviour and predicts one, both set at the start."""

    several = True
    _choice: int
    _said: int

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._said


@minds.register("constant")
class Constant(Fixed):
    """Shows ``behaviour`` in every encounter; in a grid, a collector of that class.

    It predicts ``prediction``, by default the partner's first behaviour.
    """

    def __init__(self, behaviour: str, prediction: str = "") -> None:
        self.behaviour = behaviour
        self.prediction = prediction

    def start(self, own: int, others: int) -> None:
        if self.behaviour not in self._own:
            raise StudyError(
                f"constant cannot show {self.behaviour!r}; seat {self.seat!r} shows {', '.join(self._own)}"
            )
        if self.prediction and self.prediction not in self._others:
            raise StudyError(
                f"constant cannot predict {self.prediction!r}; others show {', '.join(self._others)}"
            )
        self._choice = self._own[self.behaviour]
        self._said = self._others[self.prediction] if self.prediction else 0


@minds.register("echo")
class Echo(Fixed):
    """Draws one behaviour at random, always plays it, and predicts it of its partner.

    Its predictions can be right against a partner that copies or answers the last move,
    without any knowledge of the partner.
    """

    def start(self, own: int, others: int) -> None:
        self._choice = self.context.rng.randrange(own)
        self._said = self._choice % others


@minds.register("mirror")
class Mirror(Fixed):
    """Plays uniformly at random, and predicts that its partner makes the same choice."""

    def start(self, own: int, others: int) -> None:
        self._own_n, self._others_n = own, others
        self._draw()

    async def perceive(self, moment: Moment) -> None:
        if moment.encounters:
            self._draw()

    def _draw(self) -> None:
        self._choice = self.context.rng.randrange(self._own_n)
        self._said = self._choice % self._others_n


@minds.register("random")
class Random(Mind):
    """Samples its action space, and answers questions uniformly.

    In a grid that is a random walk; :class:`~otherminds.minds.tabular.Uniform`
    chooses among behaviours instead. Answers are drawn before they are asked for.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._space = deepcopy(brief.action_space)
        self._space.seed(self._rng.getrandbits(31))

    async def perceive(self, moment: Moment) -> None:
        self._luck = self._rng.random()

    async def act(self) -> Action | SkillChoice | Invalid:
        action: Action = self._space.sample()
        return int(action) if getattr(action, "shape", None) == () else action

    async def answer(self, question: Question) -> Answer | Invalid:
        if not question.options:
            return Invalid("a random mind has nothing to choose from")
        return question.options[int(self._luck * len(question.options))]


@minds.register("simulated")
class Simulated(Player):
    """Predicts right with probability ``accuracy``, and best-responds to that with ``rationality``.

    Otherwise the prediction is one of the other behaviours, uniformly, and so is the
    choice. It knows its partner's policy (a grant), and draws before it is asked. Its answers to policy
    questions are right where its prediction is. With probability ``heeds`` it best-responds to what an
    intervention shows it instead: to the behaviour that is named, else to what its partner most likely does.
    """

    grants = frozenset({"payoffs", "policy"})
    notices = True

    def __init__(self, accuracy: float = 1.0, rationality: float = 1.0, heeds: float = 0.0) -> None:
        for name, share in (("accuracy", accuracy), ("rationality", rationality), ("heeds", heeds)):
            if not 0.0 <= share <= 1.0:
                raise StudyError(f"the {name} of simulated must lie in 0..1, not {share}")
        self.accuracy = accuracy
        self.rationality = rationality
        self.heeds = heeds

    def start(self, own: int, others: int) -> None:
        self._automaton = self.family[0].automaton
        self._state = self._automaton.start
        self._own_n, self._others_n = own, others

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        output = self._automaton.output[self._state]
        actual = self.context.rng.choices(range(self._others_n), output)[0]
        self._actual = actual
        self._prediction = self._slip(actual, self._others_n, self.accuracy)
        best = best_reply(self.game, self._prediction)
        self._choice = self._slip(best, self._own_n, self.rationality)
        # Drawn in every arm, so that arms with one seed differ by what is shown alone.
        self._heeding = self.heeds > 0 and self.context.rng.random() < self.heeds

    def learn(self, own: int, other: int, reward: float) -> None:
        self._state = self._automaton.next[self._state][other][own]

    def choose(self) -> int:
        notice = self.context.notice
        if notice is None or not self._heeding:
            return self._choice
        output = self._automaton.output[self._state]
        coming = output.index(max(output)) if notice.behaviour is None else self._others[notice.behaviour]
        return best_reply(self.game, coming)

    def predict(self) -> int:
        return self._prediction

    def predict_after(self, own: int) -> int:
        output = self._automaton.output[self._automaton.next[self._state][self._actual][own]]
        missed = self._prediction - self._actual
        return (output.index(max(output)) + missed) % self._others_n

    def _slip(self, right: int, of: int, share: float) -> int:
        rng = self.context.rng
        if rng.random() < share or of == 1:
            return right
        return rng.choice([i for i in range(of) if i != right])
