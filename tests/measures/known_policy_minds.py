"""Minds whose nature is known in the Prisoner's Dilemma with policy questions: how a partner answers, and what they do."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from otherminds import Record
from otherminds.core.scenario import Participant, Scenario, Setup, scenario
from otherminds.games.blind import Response, planned_actions, response_of
from otherminds.games.player import Player
from otherminds.measures.cells import tabulate
from otherminds.measures.verdict import Verdict
from otherminds.play.loop import play_now
from tests.measures.known_minds import History, design_seeds

ROUNDS, A_PARTNER, DESIGNS = 20, 8, 4
DEFECT = 1


def built(*, questions: bool = True, population: str = "mixed", literal: str = "after") -> Scenario:
    """The Prisoner's Dilemma of ``ROUNDS`` rounds."""
    options = {"rounds": ROUNDS, "policy_questions": questions, "literal": literal}
    return scenario(f"ipd-{population}-v1", options)


class Knows:
    """What a nature may know: ``truth`` is how the partner answers, ``shown`` its next behaviour."""

    def __init__(self, study: int, seed: int, truth: Response) -> None:
        self.rng, self.study, self.truth, self.shown = Random(f"{study} {seed}"), study, truth, 0
        self.history: History = []

    def plan(self, shown: int, response: Response) -> int:
        return planned_actions(built().game, shown, response, ROUNDS - len(self.history))[0]

    def last(self) -> int:
        return self.history[-1][1] if self.history else 0

    def seen(self) -> Response:
        """What followed each own behaviour; the partner's last behaviour after one that was not tried."""
        after = {own: other for (own, _), (_, other) in zip(self.history, self.history[1:], strict=False)}
        return after.get(0, self.last()), after.get(1, self.last())

    def learns(self) -> tuple[int, Response, int]:
        trying = len(self.history) % 2
        return (
            self.last(),
            self.seen(),
            trying if len(self.history) < 4 else self.plan(self.shown, self.seen()),
        )


Nature = Callable[[Knows], tuple[int, Response, int]]
"""The next behaviour that it says, how it says that the partner answers, and what it does."""


def draw(k: Knows) -> int:
    return k.rng.randrange(2)


USERS: dict[str, Nature] = {
    "knows the policy, plans": lambda k: (k.shown, k.truth, k.plan(k.shown, k.truth)),
    "learns the policy, tries both, plans": Knows.learns,
}
AT_REST: dict[str, Nature] = {
    "always defects, says: as last time, whatever I do": lambda k: (k.last(), (k.last(),) * 2, DEFECT),
}
IDLE: dict[str, Nature] = {"knows the policy, always defects": lambda k: (k.shown, k.truth, DEFECT)}
HALF: dict[str, Nature] = {
    "knows, half used": lambda k: (
        *(k.shown, k.truth),
        k.plan(k.shown, k.truth) if k.rng.random() < 0.5 else draw(k),
    )
}
IGNORANT: dict[str, Nature] = {
    "uniform": lambda k: (draw(k), (draw(k), draw(k)), draw(k)),
    "hash": lambda k: tuple_of(Random(f"{k.study} {k.history}")),
    "tit for tat of everybody, defects": lambda k: (0, (0, 1), DEFECT),
    "tit for tat of everybody, cooperates": lambda k: (0, (0, 1), 0),
    "always the same, at random": lambda k: (0, (k.study % 2,) * 2, draw(k)),
}


def tuple_of(rng: Random) -> tuple[int, Response, int]:
    return rng.randrange(2), (rng.randrange(2), rng.randrange(2)), rng.randrange(2)


class PolicyMind(Player):
    """Plays a nature against a partner that it may know."""

    def __init__(self, nature: Nature, met: int, study: int, seed: int) -> None:
        self._nature, self._met, self._study, self._seed = nature, met, study, seed

    def start(self, own: int, others: int) -> None:
        partner = built().priors["family"]()[self._met].automaton
        response = response_of(partner)
        assert response is not None
        self._knows = Knows(self._study, self._seed, response)
        self._knows.shown = partner.output[partner.start].index(1.0)
        self._decision: tuple[int, Response, int] | None = None

    def learn(self, own: int, other: int, reward: float) -> None:
        self._knows.history.append((own, other))
        self._knows.shown = self._knows.truth[own]
        self._decision = None

    def decide(self) -> tuple[int, Response, int]:
        self._decision = self._decision or self._nature(self._knows)
        return self._decision

    def choose(self) -> int:
        return self.decide()[2]

    def predict(self) -> int:
        return self.decide()[0]

    def predict_after(self, own: int) -> int:
        return self.decide()[1][own]


def play_policy_study(nature: Nature, number: int, kind: type[PolicyMind] = PolicyMind) -> list[Record]:
    """A study of ``A_PARTNER`` episodes with each partner, in ``DESIGNS`` label designs that all partners share."""
    world = built()
    records: list[Record] = []
    for place, (_, partners) in enumerate(world.population.members):
        seeds = design_seeds(world, partners, DESIGNS)
        for n in range(A_PARTNER):
            ego = Participant(kind(nature, place, number, 100 * place + n))
            met = dict(zip(world.others, partners, strict=True))
            records.append(play_now(Setup(world, {"ego": ego}, seeds[n % DESIGNS], met))[0])
    return records


def verdict_of(records: list[Record]) -> Verdict:
    """The verdict about the mind of these episodes, as a report gives it."""
    mind = records[0].spec.seats["ego"].title
    return tabulate({(records[0].spec.title, mind): len(records)}, records)[0].verdict
