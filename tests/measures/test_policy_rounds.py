"""Verdicts from policy questions in the Prisoner's Dilemma, for minds of known nature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from otherminds import Invalid, Question, Record, play_now
from otherminds.core.data import Answer
from otherminds.core.record import SeatSpec
from otherminds.core.setup import Participant, Setup
from otherminds.games.player import Player
from otherminds.games.said_policy import Response, planned_actions, policy_room, response_of
from otherminds.measures.cells import tabulate
from otherminds.measures.episode import summarise
from otherminds.measures.population import rounds_played
from otherminds.measures.verdict import KNOWLEDGE, Verdict
from otherminds.minds.making import make_mind
from otherminds.worlds.matrix.scenarios import policy_steps
from otherminds.worlds.registry import scenario
from tests.cases import depth, for_each
from tests.measures.known_minds import History, design_seeds

ROUNDS, A_PARTNER, DESIGNS = 20, 8, 4
DEFECT = 1


def built(*, questions: bool = True, population: str = "mixed", literal: str = "after"):
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


class Silent(PolicyMind):
    """Answers the question about the next move, and no policy question."""

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("?") if question.supposed else await super().answer(question)


def study(nature: Nature, number: int, kind: type[PolicyMind] = PolicyMind) -> list[Record]:
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
    mind = records[0].spec.seats["ego"].title
    return tabulate({(records[0].spec.title, mind): len(records)}, records)[0].verdict


def verdicts(nature: Nature, studies: int) -> list[Verdict]:
    return [verdict_of(study(nature, number)) for number in range(studies)]


@pytest.mark.parametrize("studies", depth(4, 60))
def test_minds_that_plan_by_what_they_say_are_never_accused(studies: int) -> None:
    for mind, nature in USERS.items():
        found = verdicts(nature, studies)
        assert {one.kind for one in found} <= {"uses", "undecided"}, mind
        assert all(one.unused.mean == pytest.approx(0.0, abs=0.01) for one in found), mind
        assert all(one.literal.mean > 0.9 for one in found), mind


@pytest.mark.parametrize("studies", depth(4, 60))
def test_defection_against_a_known_tit_for_tat_is_not_using_it(studies: int) -> None:
    for nature in IDLE.values():
        found = verdicts(nature, studies)
        assert {one.kind for one in found} == {"does not use"}
        assert all(one.unused.mean == pytest.approx(1.0, abs=0.01) for one in found)
    for nature in HALF.values():
        found = verdicts(nature, studies)
        kinds = Counter(one.kind for one in found)
        assert kinds["uses in part"] + kinds["does not use"] >= 0.95 * studies
        assert set(kinds) <= {"uses in part", "does not use", "undecided"}
        assert sum(one.unused.mean for one in found) / len(found) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("studies", depth(4, 60))
def test_defection_that_follows_from_what_it_says_is_not_accused(studies: int) -> None:
    """It is wrong about tit-for-tat, and right that defection is best against constants."""
    for nature in AT_REST.values():
        assert not {one.kind for one in verdicts(nature, studies)} & {"does not use", "uses in part"}


@pytest.mark.parametrize("studies", depth(10, 200))
def test_ignorance_is_never_called_knowledge(studies: int) -> None:
    for mind, nature in IGNORANT.items():
        kinds = Counter(one.kind for one in verdicts(nature, studies))
        assert sum(kinds[kind] for kind in KNOWLEDGE) <= max(1, 0.05 * studies), (mind, kinds)


def test_the_optimal_mind_is_not_accused() -> None:
    """It was: "L .98, F .98, a gap of 0.00 [0.00, 0.00] … Sure"."""
    for name in ("bayes", "rmax", "factored_rmax", "informed"):
        world = built()
        records = [
            play_now(Setup(world, {"ego": Participant(make_mind(SeatSpec(name)))}, seed))[0]
            for seed in range(48)
        ]
        assert verdict_of(records).kind not in ("does not use", "uses in part"), name
        if name in ("bayes", "informed"):
            assert verdict_of(records).kind in ("uses", "undecided"), name


def test_unanswered_policy_questions_are_missing() -> None:
    found = verdict_of(study(USERS["knows the policy, plans"], 0, Silent))
    assert found.kind == "not measured"
    assert "192 of 192 predictions could not be read" in found.reason


def test_they_are_asked_in_the_second_half_at_most_four_times_and_never_at_the_end() -> None:
    for rounds in range(1, 60):
        steps = policy_steps(rounds)
        assert len(steps) <= 4
        assert all(rounds // 2 <= step <= rounds - 2 for step in steps)
        assert steps or rounds < 3


@for_each("literal", ["before", "after"])
@for_each("mind", ["rmax", "factored_rmax", "bayes", "bayesian", "level_k", "uniform", "echo", "random"])
def test_published_columns_and_play_stay_as_they_were(mind: str, literal: str) -> None:
    ego = Participant(make_mind(SeatSpec(mind)))
    for seed in range(3):
        asked, plain = (
            play_now(Setup(built(questions=questions, literal=literal), {"ego": ego}, seed))[0]
            for questions in (True, False)
        )
        assert asked.actions == plain.actions
        assert rounds_played(asked) == rounds_played(plain)
        assert len(asked.asked) == len(plain.asked) + 2 * len(policy_steps(ROUNDS))
        with_them, without = summarise(asked), summarise(plain)
        for part in ("reward", "replies", "values", "basis", "profile", "regrets", "hits", "ratios", "told"):
            assert repr(getattr(with_them, part)) == repr(getattr(without, part)), part


def test_unread_policy_answers_are_no_invalid_replies() -> None:
    """They are counted by the verdict; a mind without them has the columns that it had."""
    for record in study(USERS["knows the policy, plans"], 0, Silent)[:3]:
        assert summarise(record).replies == (0, 2 * ROUNDS)


def test_partners_that_remember_more_are_not_measured_by_them() -> None:
    world = built(population="grim")
    record = play_now(Setup(world, {"ego": Participant(make_mind(SeatSpec("bayes")))}, 0))[0]
    assert verdict_of([record]).kind == "not measured"
    assert "remembers more" in verdict_of([record]).reason


def test_the_floor_is_the_best_single_guess() -> None:
    """ "Tit for tat" is right about it, and about half of the answers of each constant."""
    world = built()
    room = policy_room(world.game, world.priors["reference"]())
    assert room is not None
    assert room.floors == (0.5, 0.5, 1.0)
    assert room.weights == (0.5, 0.5, 0.0)
    assert room.base == 0


def test_plans_by_hand() -> None:
    game = built().game
    tit_for_tat, cooperator, defector = (0, 1), (0, 0), (1, 1)
    assert planned_actions(game, 0, tit_for_tat, 5) == (0,)
    assert planned_actions(game, 0, tit_for_tat, 1) == (1,)
    for response in (cooperator, defector):
        assert planned_actions(game, 0, response, 5) == (1,)
