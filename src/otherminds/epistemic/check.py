"""An independent checker of certificates: ``python -m otherminds.epistemic.check FILE ...``.

A certificate (JSON, or JSON in gzip) has a problem as data and claims about it. A claim is accepted only if its evidence
is sufficient by these rules, which this module and those called ``check_...`` beside it implement by themselves: of the
package they import the format alone.

- State. An action is applicable if its needs hold and its actor ``?a`` knows all secrets of one of its gates, if it has
  any; it removes facts, then adds facts. Agents act one at a time.
- Knowledge. ``K a1 ... an φ`` is known from the moment when a1 ... an all see φ, which holds, and one another; or when a
  truthful message tells it: the content c from x to y establishes K_y c, K_y K_x c and K_x K_y c and costs x one unit,
  also if it reaches all addressees of x. All knowledge of φ ends when φ ceases to hold. Secrets hold always.
- Evidence. ``plan``: its steps are executed. ``start``: the start itself. ``never``: facts and knowledge of which none
  ever holds, since none holds at the start and what could add one needs another one. Deletions and numbers of messages are
  ignored, a message is common knowledge of its sender and addressees, and agents that know φ know this of one another if
  each may ever see the next one, which may see φ or has it from its secrets. ``bars``: ``never`` without messages, and a
  silent plan where some rooms are not barred. ``turns``: the turns of a plan are executed, and all shorter ones of a
  projection are searched. Planners and episodes are no evidence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import pairwise, product
from math import inf
from time import monotonic

from otherminds.epistemic import certificate as form
from otherminds.epistemic.certificate import Claim, EpistemicProblem, Known, Words
from otherminds.epistemic.check_bars import without_bars
from otherminds.epistemic.check_rules import ProblemRules, RejectedError, bound, need
from otherminds.epistemic.check_turns import after_turns, fewest_turns

SECONDS = 60.0
"""The longest time for a certificate."""


def behind(agent: str, known: Known) -> Known:
    """``K agent`` applied to ``known``; K a K a φ is K a φ."""
    return known if known[0][:1] == (agent,) else ((agent, *known[0]), known[1])


class Execution:
    """The state and the knowledge of the agents, step after step; the static facts in ``more`` hold too.

    ``told`` is what secrets and messages made known; ``since`` has, for each literal, the states since it holds.
    """

    def __init__(self, rules: ProblemRules, more: Iterable[Words] = ()) -> None:
        self.rules, self.problem = rules, rules.problem
        self.state = {*self.problem.start, *self.problem.static, *more}
        self.left: dict[str, float] = {**self.problem.budgets}
        self.told = set(self.problem.known)
        self.since: dict[str, list[set[Words]]] = {literal: [] for literal in self.problem.literals}
        self.observe()

    def holds(self, literal: str) -> bool:
        return literal not in self.since or not self.state.isdisjoint(self.problem.literals[literal])

    def knows(self, known: Known) -> bool:
        return known in self.told or any(self.saw(*known, state) for state in self.since.get(known[1], ()))

    def saw(self, agents: Words, literal: str, state: set[Words]) -> bool:
        """Whether agents saw a literal together in a state in which it held."""
        return self.rules.together([self.rules.spots(a, literal, state.__contains__) for a in {*agents}])

    def reached(self, parts: Iterable[Known]) -> bool:
        return all(self.knows(part) if part[0] else self.holds(part[1]) for part in parts)

    def observe(self) -> None:
        self.told = {one for one in self.told if self.holds(one[1])}
        for literal, states in self.since.items():
            self.rules.tick()
            states[:] = [*states, self.state] if self.holds(literal) else []

    def act(self, step: form.PlanAct) -> None:
        action = next((one for one in self.problem.actions if one.name == step.action), None)
        if action is None or len(action.parameters) != len(step.values):
            raise RejectedError(f"no action {step}")
        values = dict(zip(dict(action.parameters), step.values, strict=True))
        need(self.rules.fits(action, values, self.state.__contains__), f"{step}: a need does not hold")
        reasons = self.rules.reasons(action, values)
        need(not reasons or any(all(map(self.knows, one)) for one in reasons), f"{step}: no reason is known")
        self.state = self.state.difference(bound(action.removes, values)).union(bound(action.adds, values))
        self.observe()

    def tell(self, step: form.PlanTell) -> None:
        sender, links = step.sender, self.problem.links.get(step.sender, ())
        single = len(step.hearers) == 1 and step.hearers[0] in links
        need(single or (links != () and sorted(step.hearers) == sorted(links)), f"{step}: no such link")
        need(self.left.get(sender, 1) > 0, f"{step}: no messages left")
        need(self.knows(behind(sender, step.content)), f"{step}: the sender does not know that")
        self.left[sender] = self.left.get(sender, inf) - 1
        for hearer in step.hearers:
            heard = behind(hearer, step.content)
            self.told |= {heard, behind(sender, heard), behind(hearer, behind(sender, step.content))}
        self.observe()


class Closure:
    """Whether what never holds is closed. Agents in ``without`` do nothing, but see and hear."""

    def __init__(self, rules: ProblemRules, claim: Claim) -> None:
        self.rules, self.problem, self.claim = rules, rules.problem, claim
        self.never, self.unknown = set(claim.never), set(claim.unknown)
        self.active = [agent for agent in self.problem.agents if agent not in claim.without]

    def may(self, fact: Words) -> bool:
        return fact in self.rules.static or (fact[0] in self.rules.changing and fact not in self.never)

    def lost(self, part: Known) -> bool:
        return part in self.unknown if part[0] else not any(map(self.may, self.problem.literals[part[1]]))

    def check(self) -> None:
        """Fails unless one of the parts never holds, and all of ``never`` and ``unknown`` is closed."""
        need(any(map(self.lost, self.claim.parts)), "all parts of the goal may hold")
        need(self.never.isdisjoint({*self.problem.start, *self.problem.static}), "a fact holds at the start")
        need(self.unknown.isdisjoint(self.problem.known), "something is known at the start")
        for fact in self.never:
            adding = [(one, add) for one in self.problem.actions for add in one.adds if add[:1] == fact[:1]]
            for (action, pattern), agent in product(adding, self.active):
                self.rules.tick()
                for values in self.rules.instances(action, pattern, fact, agent, self.may):
                    reasons = self.rules.reasons(action, values)
                    possible = not reasons or any(self.unknown.isdisjoint(one) for one in reasons)
                    need(not possible, f"{action.name} may be possible: {values}")
        for agents, literal in self.unknown:
            seen = all(((one,), literal) not in self.unknown for one in agents)
            seen &= all(self.meeting(*pair, literal) for pair in pairwise(agents))
            seen |= any(self.rules.spots(one, literal, self.may) for one in agents if not agents[1:])
            need(not seen, f"{agents} {literal} may be seen{' together' if agents[1:] else ''}")
            for sender in self.active:
                self.untold(sender, agents, literal)

    def meeting(self, one: str, other: str, literal: str) -> bool:
        """Whether an agent may ever see another one, which may see the literal or has it from its secrets."""
        may, meets = self.may, (fact[1:] for fact in self.problem.static if fact[0] == "meets")
        met = any(may(("at", one, *pair[:1])) and may(("at", other, *pair[1:])) for pair in meets)
        known = ((other,), literal) in self.problem.known
        return met and (known or bool(self.rules.spots(other, literal, may)))

    def untold(self, sender: str, agents: Words, literal: str) -> None:
        """Fails if a message may make the chain known."""
        self.rules.tick()
        group = {sender, *self.problem.links.get(sender, ())}
        for length in range(1, len(agents) + 1 if self.problem.budgets.get(sender, 1) > 0 else 1):
            told, content = {*agents[:length]}, agents[length:]
            if told <= group and told != {sender} and len(content) + 2 <= self.claim.deepest:
                stated = behind(sender, (content, literal))
                need(stated in self.unknown, f"{sender} may tell {told} of {stated}")


def prove(rules: ProblemRules, claim: Claim) -> None:
    """Fails unless the evidence proves the claim; it has nothing that its kind does not use."""
    rules.tick()
    parts, plan = claim.parts, claim.plan
    need(bool(parts) and set(parts) <= set(rules.problem.goal), "these are no parts of the goal")
    if claim == Claim("reached", "plan", parts, plan):
        need(executed(Execution(rules), plan).reached(parts), "the parts do not all hold after the plan")
    elif claim == Claim("open", "start", parts):
        need(not Execution(rules).reached(parts), "they hold at the start")
    elif claim.kind == "barred":
        mine = Claim(
            "barred", "bars", parts, plan, claim.never, claim.unknown, deepest=0, lifted=claim.lifted
        )
        need(claim == mine and claim.lifted != (), "no evidence for this kind")
        need(all(isinstance(step, form.PlanAct) for step in plan), "the plan is not silent")
        free = Execution(rules, without_bars(rules.problem, claim.lifted))
        need(executed(free, plan).reached(parts), "the parts do not all hold after the plan")
        Closure(rules, claim).check()
    elif claim.kind == "shortest":
        mine = Claim(
            "shortest", "turns", parts, turns=claim.turns, slowest=claim.slowest, tracked=claim.tracked
        )
        need(claim == mine and set(claim.slowest) <= set(parts), "no evidence for this kind")
        need(not any(agents for agents, _ in parts), "turns are counted for what is physical")
        state = after_turns(rules, claim.turns)
        need(
            all(state & {*rules.problem.literals[one]} for _, one in parts),
            "the parts do not all hold after the turns",
        )
        least = fewest_turns(rules, claim.tracked, claim.slowest, len(claim.turns))
        need(least == len(claim.turns), f"{least} turns may be enough")
    else:
        need((claim.kind, claim.evidence, plan) == ("unreachable", "never", ()), "no evidence for this kind")
        need(
            (claim.lifted, claim.turns, claim.slowest, claim.tracked) == ((),) * 4,
            "no evidence for this kind",
        )
        need(set(claim.without) <= set(rules.problem.agents), "without unknown agents")
        Closure(rules, claim).check()


def executed(run: Execution, plan: Iterable[form.PlanAct | form.PlanTell]) -> Execution:
    """The execution after the steps of a plan."""
    for step in plan:
        run.act(step) if isinstance(step, form.PlanAct) else run.tell(step)
    return run


def refuted(problem: EpistemicProblem, claim: Claim, rules: ProblemRules | None = None) -> str:
    """The reason why the evidence does not prove the claim; "" if it does."""
    try:
        prove(rules or ProblemRules(problem), claim)
    except (RejectedError, RecursionError) as error:
        return str(error)
    return ""


def check(raw: bytes) -> dict[str, str]:
    """The reason for each claim that is rejected, and "" for each that is accepted; names may be misleading.

    Raises:
        RejectedError: the content is no certificate, or its problem has several meanings or another digest.
    """
    try:
        found = form.decoded(raw)
        need(found.problem.sha256() == found.digest, "the problem was changed")
    except ValueError as error:
        raise RejectedError(f"no certificate: {error}") from None
    rules = ProblemRules(found.problem, monotonic() + SECONDS)
    return {name: refuted(found.problem, claim, rules) for name, claim in found.claims.items()}


def main(files: list[str]) -> int:
    """Prints a line for each claim; 0 if there are some and all are accepted."""
    bad = 0 if files else 1
    for file in files:
        try:
            with open(file, "rb") as stream:
                said = check(raw := stream.read(form.MOST + 1)) or {"": "it claims nothing"}
            claims = form.decoded(raw).claims
        except (OSError, ValueError, RejectedError) as error:
            said, claims = {"": str(error)}, {}
        for name, why in said.items():
            verdict = f"rejected: {why}" if why else f"accepted: {claims[name]}"
            print(f"{file}: {name}: {verdict}".encode("unicode_escape").decode())
            bad |= bool(why)
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
