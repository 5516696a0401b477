"""Whether a set of facts and knowledge is closed, so that none of it ever holds, for the checker (:mod:`.check`)."""

from __future__ import annotations

from itertools import pairwise, product

from otherminds.household.epistemic.certificate import Claim, Known, Words
from otherminds.household.epistemic.check_rules import ProblemRules, need


def behind(agent: str, chain: Known) -> Known:
    """``K agent`` applied to ``chain``; K a K a φ is K a φ."""
    return chain if chain[0][:1] == (agent,) else ((agent, *chain[0]), chain[1])


class Closure:
    """Whether what never holds is closed. Agents in ``without`` do nothing, but see and hear."""

    def __init__(self, rules: ProblemRules, claim: Claim) -> None:
        self.rules, self.problem, self.claim = rules, rules.problem, claim
        self.never, self.unknown = set(claim.never), set(claim.unknown)
        self.active = [agent for agent in self.problem.agents if agent not in claim.without]

    def may(self, fact: Words) -> bool:
        return fact in self.rules.static or (fact[0] in self.rules.changing and fact not in self.never)

    def is_lost(self, part: Known) -> bool:
        return part in self.unknown if part[0] else not any(map(self.may, self.problem.literals[part[1]]))

    def check(self) -> None:
        """Fails unless one of the parts never holds, and all of ``never`` and ``unknown`` is closed."""
        need(any(map(self.is_lost, self.claim.parts)), "all parts of the goal may hold")
        need(self.never.isdisjoint({*self.problem.start, *self.problem.static}), "a fact holds at the start")
        need(self.unknown.isdisjoint(self.problem.known), "something is known at the start")
        for fact in self.never:
            adding = [
                (action, add) for action in self.problem.actions for add in action.adds if add[:1] == fact[:1]
            ]
            for (action, pattern), agent in product(adding, self.active):
                self.rules.tick()
                for values in self.rules.instances(action, pattern, fact, agent, self.may):
                    reasons = self.rules.reasons(action, values)
                    possible = not reasons or any(self.unknown.isdisjoint(reason) for reason in reasons)
                    need(not possible, f"{action.name} may be possible: {values}")
        for agents, literal in self.unknown:
            visible = all(((agent,), literal) not in self.unknown for agent in agents)
            visible &= all(self.meeting(*pair, literal) for pair in pairwise(agents))
            visible |= any(self.rules.spots(agent, literal, self.may) for agent in agents if not agents[1:])
            need(not visible, f"{agents} {literal} may be seen{' together' if agents[1:] else ''}")
            for sender in self.active:
                self.untold(sender, agents, literal)

    def meeting(self, agent: str, other: str, literal: str) -> bool:
        """Whether an agent may ever see another one, which may see the literal or has it from its secrets."""
        may, meets = self.may, (fact[1:] for fact in self.problem.static if fact[0] == "meets")
        met = any(may(("at", agent, *pair[:1])) and may(("at", other, *pair[1:])) for pair in meets)
        known_at_start = ((other,), literal) in self.problem.known
        return met and (known_at_start or bool(self.rules.spots(other, literal, may)))

    def untold(self, sender: str, agents: Words, literal: str) -> None:
        """Fails if a message may make the chain known."""
        self.rules.tick()
        group = {sender, *self.problem.links.get(sender, ())}
        for length in range(1, len(agents) + 1 if self.problem.budgets.get(sender, 1) > 0 else 1):
            audience, content = {*agents[:length]}, agents[length:]
            if audience <= group and audience != {sender} and len(content) + 2 <= self.claim.deepest:
                stated = behind(sender, (content, literal))
                need(stated in self.unknown, f"{sender} may tell {audience} of {stated}")
