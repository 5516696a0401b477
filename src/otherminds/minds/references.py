"""Minds that know the population or their partners, whose play gives the ends of F and L."""

from __future__ import annotations

from otherminds.core.data import Action, Answer, Automaton, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.games.belief import FamilyPlan
from otherminds.games.best_response import best_response
from otherminds.games.blind import LONGEST, USUAL, blind_pattern, blind_plan, repeat
from otherminds.games.player import Player
from otherminds.minds.registry import minds


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
    says to plan for. If a partner shows what its policy excludes, the state advances by what
    the policy prescribes.

    With several partners it chooses the behaviour with the largest total gain over the
    partners that it beats, and seeks these: they are arguments of the behaviour's skill. It
    knows a policy's history from its own encounters only.
    """

    grants = frozenset({"payoffs", "policy"})
    several = True

    def start(self, own: int, others: int) -> None:
        brief = self.brief
        self._policies: dict[Seat, Automaton] = {p.seat or self.other: p.automaton for p in self.family}
        self._state = {seat: policy.start for seat, policy in self._policies.items()}
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
        return self._plan.act(min(self._round, self._plan.rounds - 1), self._state[self.other])

    def predict(self) -> int:
        return self._foreseen(self.other)

    def predict_after(self, own: int) -> int:
        policy, state = self._policies[self.other], self._state[self.other]
        output = policy.output[policy.next[state][self.predict()][own]]
        return output.index(max(output))

    def _foreseen(self, seat: Seat) -> int:
        output = self._policies[seat].output[self._state[seat]]
        return output.index(max(output))

    def _follow(self, seat: Seat, own: int, could: list[int]) -> None:
        policy, state = self._policies[seat], self._state[seat]
        output = policy.output[state]
        likeliest = max(could, key=output.__getitem__)
        meant = likeliest if output[likeliest] else output.index(max(output))
        self._state[seat] = policy.next[state][meant][own]

    def _gains(self, behaviour: int) -> dict[Seat, float]:
        """The expected gain of ``behaviour`` from each partner, where it is positive."""
        row = self.game.payoffs[behaviour]
        outputs = {seat: policy.output[self._state[seat]] for seat, policy in self._policies.items()}
        gains = {seat: sum(p * row[b][0] for b, p in enumerate(out)) for seat, out in outputs.items()}
        return {seat: gain for seat, gain in gains.items() if gain > 0}
