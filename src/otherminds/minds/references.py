"""Minds that know the population or their partners, whose play gives the ends of F and L."""

from __future__ import annotations

from typing import TypeAlias

from otherminds.core.data import Action, Answer, Automaton, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.games.belief import FamilyPlan
from otherminds.games.best_response import TIE, best_response
from otherminds.games.blind import LONGEST, USUAL, blind_pattern, blind_plan, repeat
from otherminds.games.filtering import among
from otherminds.games.player import Player
from otherminds.minds.registry import minds

States: TypeAlias = dict[int, float]
"""The probability of each state that an automaton may be in."""


@minds.register("bayes")
class Bayes(Player):
    """Exact belief dynamic programming over ``prior``.

    ``prior`` is ``family`` (the population it meets) or ``mixed`` (half constant
    partners, half tit-for-tat). Its regret is the least that any mind with that
    prior can expect. With partners that draw at random the beliefs are too many for
    an exact plan, and a study refuses it before it starts. A partner outside the
    family empties the belief; a note says so, and it keeps its last belief.
    """

    def __init__(self, prior: str = "family") -> None:
        if prior not in ("family", "mixed"):
            raise StudyError(f"the prior of bayes must be 'family' or 'mixed', not {prior!r}")
        self.grants = frozenset({"payoffs", prior})

    def start(self, own: int, others: int) -> None:
        self._plan = FamilyPlan(self.game, self.family, self.brief.planned)

    def learn(self, own: int, other: int, reward: float) -> None:
        if not self._plan.learn(own, (other,)):
            self.context.note("belief emptied", {"own": own, "other": other})

    def choose(self) -> int:
        return self._plan.act()

    def predict(self) -> int:
        chances = self._plan.chances()
        return chances.index(max(chances))

    def predict_after(self, own: int) -> int:
        chances = self._plan.chances_after(own)
        return chances.index(max(chances))


@minds.register("blind")
class Blind(Player):
    """Plays the open-loop plan that is best against the reference population.

    With several partners the plan advances with every encounter, whatever the partner. Its
    prediction is the population's most frequent first behaviour. It observes no partner.

    With ``pattern`` the plan is the best repeated pattern of at most so many behaviours, over
    :data:`~otherminds.games.blind.USUAL` encounters: for populations against which an exact plan would be too large.
    """

    grants = frozenset({"payoffs", "reference"})
    several = True

    def __init__(self, pattern: int = 0) -> None:
        if isinstance(pattern, bool) or not isinstance(pattern, int) or not 0 <= pattern <= LONGEST:
            raise StudyError(f"the pattern of blind is a whole number from 0 to {LONGEST}, not {pattern!r}")
        self.pattern = pattern

    def start(self, own: int, others: int) -> None:
        if self.pattern:
            pattern = blind_pattern(self.game, self.family, USUAL, self.pattern)
            self._plan = repeat(pattern, self.brief.planned)
        else:
            self._plan = blind_plan(self.game, self.family, self.brief.planned)
        self._round = 0
        opening = [
            sum(p.weight * p.automaton.output[p.automaton.start][b] for p in self.family)
            for b in range(others)
        ]
        self._guess = opening.index(max(opening))

    async def perceive(self, moment: Moment) -> None:
        self._round += len(moment.encounters)

    def choose(self) -> int:
        return self._plan[min(self._round, len(self._plan) - 1)]

    def predict(self) -> int:
        return self._guess


@minds.register("informed")
class Informed(Player):
    """Knows the policies of its partners, and tracks their states.

    Against one partner it plays the exact best response for the encounters that its brief
    says to plan for; where what it observed leaves several states of the partner possible, what is
    best on average over them. If a partner shows what its policy excludes, the state advances by
    what the policy prescribes.

    With several partners it chooses the behaviour with the largest total gain over the
    partners that it beats, and seeks these: they are arguments of the behaviour's skill. It
    knows a policy's history from its own encounters only.
    """

    grants = frozenset({"payoffs", "policy"})
    several = True

    def start(self, own: int, others: int) -> None:
        brief = self.brief
        self._policies: dict[Seat, Automaton] = {p.seat or self.other: p.automaton for p in self.family}
        self._states: dict[Seat, States] = {
            seat: {policy.start: 1.0} for seat, policy in self._policies.items()
        }
        self._alone = len(brief.others) == 1
        if self._alone:
            self._plan = best_response(self.game, self._policies[self.other], brief.planned)
        self._round = 0

    async def perceive(self, moment: Moment) -> None:
        for encounter in moment.encounters:
            own = self._own[encounter.did[self.seat][0]]
            for seat, could in encounter.did.items():
                if seat in self._policies:
                    self._follow(seat, own, [self._others[name] for name in could])
            self._round += 1

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._alone:
            return self._actions[self.choose()]
        pays = [self._gains(a) for a in range(len(self._own))]
        best = max(range(len(pays)), key=lambda a: sum(pays[a].values()))
        action = self._actions[best]
        if isinstance(action, SkillChoice):
            return SkillChoice(action.name, tuple(sorted(pays[best])))
        return action

    async def answer(self, question: Question) -> Answer | Invalid:
        if question.supposed:
            return self._names[self.predict_after(self._own[question.supposed])]
        return self._names[self._foreseen(question.about or self.other)]

    def choose(self) -> int:
        t, states = min(self._round, self._plan.rounds - 1), self._states[self.other]
        if len(states) == 1:
            return self._plan.act(t, next(iter(states)))
        worths = [self._expect(a, t) for a in range(len(self._own))]
        return next(a for a, worth in enumerate(worths) if worth >= max(worths) - TIE)

    def predict(self) -> int:
        return self._foreseen(self.other)

    def predict_after(self, own: int) -> int:
        policy, behaviour = self._policies[self.other], self.predict()
        chances = [0.0] * len(self._names)
        for state, p in self._states[self.other].items():
            for b, q in enumerate(policy.output[policy.next[state][behaviour][own]]):
                chances[b] += p * q
        return chances.index(max(chances))

    def _foreseen(self, seat: Seat) -> int:
        chances = self._predict(seat)
        return chances.index(max(chances))

    def _predict(self, seat: Seat) -> list[float]:
        """The distribution of the next behaviour of ``seat``."""
        outputs = [(p, self._policies[seat].output[state]) for state, p in self._states[seat].items()]
        return [sum(p * output[b] for p, output in outputs) for b in range(len(outputs[0][1]))]

    def _expect(self, behaviour: int, t: int) -> float:
        """The expected return of ``behaviour`` in round ``t``, the partner's state being known from then on."""
        policy, plan, row = self._policies[self.other], self._plan, self.game.payoffs[behaviour]
        return sum(
            p * q * (row[b][0] + float(plan.values[t + 1, plan.number[policy.next[state][b][behaviour]]]))
            for state, p in self._states[self.other].items()
            for b, q in enumerate(policy.output[state])
            if q
        )

    def _follow(self, seat: Seat, own: int, could: list[int]) -> None:
        policy, states = self._policies[seat], self._states[seat]
        evidence = among(could, len(policy.output[0]))
        after: States = {}
        for state, p in states.items():
            for b, q in enumerate(policy.output[state]):
                if weight := p * q * evidence[b]:
                    to = policy.next[state][b][own]
                    after[to] = after.get(to, 0.0) + weight
        if not after:
            for state, p in states.items():
                output = policy.output[state]
                to = policy.next[state][output.index(max(output))][own]
                after[to] = after.get(to, 0.0) + p
        total = sum(after.values())
        self._states[seat] = {state: weight / total for state, weight in after.items()}

    def _gains(self, behaviour: int) -> dict[Seat, float]:
        """The expected gain of ``behaviour`` from each partner, where it is positive."""
        row = self.game.payoffs[behaviour]
        chances = {seat: self._predict(seat) for seat in self._policies}
        gains = {seat: sum(p * row[b][0] for b, p in enumerate(out)) for seat, out in chances.items()}
        return {seat: gain for seat, gain in gains.items() if gain > 0}
