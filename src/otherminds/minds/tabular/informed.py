"""The best response to the actual partners: R_informed of the functional score."""

from __future__ import annotations

from otherminds.core.data import Action, Answer, Automaton, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.games.best_response import best_response
from otherminds.games.player import Player
from otherminds.minds.registry import minds


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
