"""An independent checker of certificates: ``python -m otherminds.household.epistemic.check FILE ...``.

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
  projection are searched. ``messages``: ``never`` without messages and gates, and all ways to send messages are searched.
  ``states``: all states of some facts are searched. ``roles``: plans of all tasks of a family, and all choices of what some
  agents tell (:mod:`.check_partners`). Planners are no evidence.
- Names. Which verdicts are due, and what a claim must claim under its name, follow from the problem (:mod:`.check_due`).
- Episodes. All runs of all teams must be there; what they show is counted. They are not played: that needs the simulator.
- Hard. That few cheap teams solve the task is not checked: that too needs the simulator.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from stat import S_ISREG
from time import monotonic

from msgspec import Struct, structs

from otherminds.household.epistemic import certificate as form
from otherminds.household.epistemic.certificate import Certificate, Claim, EpistemicProblem, Known, Words
from otherminds.household.epistemic.check_due import HARD, find_misnamed, unshown, unshown_by_episodes
from otherminds.household.epistemic.check_partners import check_family, with_roles
from otherminds.household.epistemic.check_rules import (
    Closure,
    ProblemRules,
    RejectedError,
    behind,
    bound,
    need,
    without_bars,
)
from otherminds.household.epistemic.check_searches import (
    after_turns,
    can_be_told,
    fewest_turns,
    may_hold_together,
)

SECONDS = 60.0
"""The longest time for a certificate."""
PLAYED = "played again"
UNPLAYED = (
    "only the task and its house can show what cheap teams solve: otherminds tasks verify TASK --check FILE"
)
"""What is said of an episode that is accepted."""


class Execution:
    """The state and the knowledge of the agents, step after step; the static ``extra_facts`` hold too.

    ``told`` is what secrets and messages made known; ``since`` has, for each literal, the states since it holds.
    """

    def __init__(self, rules: ProblemRules, extra_facts: Iterable[Words] = ()) -> None:
        self.rules, self.problem = rules, rules.problem
        self.state = {*self.problem.start, *self.problem.static, *extra_facts}
        self.left: dict[str, float] = {**self.problem.budgets}
        self.told = set(self.problem.known)
        self.since: dict[str, list[set[Words]]] = {literal: [] for literal in self.problem.literals}
        self.observe()

    def holds(self, literal: str) -> bool:
        return literal not in self.since or not self.state.isdisjoint(self.problem.literals[literal])

    def knows(self, chain: Known) -> bool:
        return chain in self.told or any(self.saw(*chain, state) for state in self.since.get(chain[1], ()))

    def saw(self, agents: Words, literal: str, state: set[Words]) -> bool:
        """Whether agents saw a literal together in a state in which it held."""
        return self.rules.together([self.rules.spots(a, literal, state.__contains__) for a in {*agents}])

    def reached(self, parts: Iterable[Known]) -> bool:
        return all(self.knows(part) if part[0] else self.holds(part[1]) for part in parts)

    def observe(self) -> None:
        self.told = {chain for chain in self.told if self.holds(chain[1])}
        for literal, states in self.since.items():
            self.rules.tick()
            states[:] = [*states, self.state] if self.holds(literal) else []

    def act(self, step: form.PlanAct) -> None:
        action = next(
            (candidate for candidate in self.problem.actions if candidate.name == step.action), None
        )
        if action is None or len(action.parameters) != len(step.values):
            raise RejectedError(f"no action {step}")
        values = dict(zip(dict(action.parameters), step.values, strict=True))
        need(self.rules.fits(action, values, self.state.__contains__), f"{step}: a need does not hold")
        reasons = self.rules.reasons(action, values)
        need(
            not reasons or any(all(map(self.knows, reason)) for reason in reasons),
            f"{step}: no reason is known",
        )
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
            hearer_knows = behind(hearer, step.content)
            self.told |= {
                hearer_knows,
                behind(sender, hearer_knows),
                behind(hearer, behind(sender, step.content)),
            }
        self.observe()


def prove(rules: ProblemRules, claim: Claim) -> None:
    """Fails unless the evidence proves the claim; it has nothing that its kind does not use."""
    rules.tick()
    parts, plan = claim.parts, claim.plan
    own = (part for agent in rules.problem.private for part in rules.problem.private_parts(agent))
    need(bool(parts) and set(parts) <= {*rules.problem.goal, *own}, "these are no parts of the goal")
    if claim == Claim("reached", "plan", parts, plan):
        need(execute_plan(Execution(rules), plan).reached(parts), "the parts do not all hold after the plan")
    elif claim == Claim("open", "start", parts):
        need(not Execution(rules).reached(parts), "they hold at the start")
    elif claim.kind == "barred":
        mine = Claim(
            "barred", "bars", parts, plan, claim.never, claim.unknown, deepest=0, lifted=claim.lifted
        )
        need(claim == mine and claim.lifted != (), "no evidence for this kind")
        need(all(isinstance(step, form.PlanAct) for step in plan), "the plan is not silent")
        free = Execution(rules, without_bars(rules.problem, claim.lifted))
        need(execute_plan(free, plan).reached(parts), "the parts do not all hold after the plan")
        Closure(rules, claim).check()
    elif claim.kind == "shortest":
        mine = Claim(
            "shortest", "turns", parts, turns=claim.turns, slowest=claim.slowest, tracked=claim.tracked
        )
        need(claim == mine and set(claim.slowest) <= set(parts), "no evidence for this kind")
        need(not any(agents for agents, _ in parts), "turns are counted for what is physical")
        state = after_turns(rules, claim.turns)
        need(
            all(state & {*rules.problem.literals[literal]} for _, literal in parts),
            "the parts do not all hold after the turns",
        )
        least = fewest_turns(rules, claim.tracked, claim.slowest, len(claim.turns))
        need(least == len(claim.turns), f"{least} turns may be enough")
    elif claim.kind == "untold":
        mine = Claim(
            "untold", "messages", parts, never=claim.never, unknown=claim.unknown, deepest=claim.deepest
        )
        need(claim == mine and claim.deepest == form.UNLIMITED, "no evidence for this kind")
        need(len(parts) == 1 and parts[0][0] != (), "this is no chain of knowledge")
        free = ProblemRules(structs.replace(rules.problem, gates=()), rules.until)
        Closure(free, structs.replace(claim, deepest=0)).check()
        need(not can_be_told(rules, parts[0], claim.unknown), "some messages may tell it")
    elif claim.kind == "apart":
        need(claim == Claim("apart", "states", parts, tracked=claim.tracked), "no evidence for this kind")
        need(not any(agents for agents, _ in parts), "only what is physical is excluded")
        need(not may_hold_together(rules, parts, claim.tracked), "they may hold together")
    elif claim.kind == "partners":
        mine = Claim("partners", "roles", parts, members=claim.members, share=claim.share)
        need(claim == mine, "no evidence for this kind")
        need({*parts} == {*rules.problem.physical}, "this is not the physical goal")
        for member in claim.members:
            other = ProblemRules(with_roles(rules.problem, member.roles), rules.until)
            need(execute_plan(Execution(other), member.plan).reached(parts), "a plan does not reach the goal")
        check_family(rules, claim.members, claim.share)
    else:
        need((claim.kind, claim.evidence, plan) == ("unreachable", "never", ()), "no evidence for this kind")
        need(
            (claim.lifted, claim.turns, claim.slowest, claim.tracked, claim.members, claim.share)
            == (*((),) * 5, ""),
            "no evidence for this kind",
        )
        need(set(claim.without) <= set(rules.problem.agents), "without unknown agents")
        Closure(rules, claim).check()


def execute_plan(run: Execution, plan: Iterable[form.PlanAct | form.PlanTell]) -> Execution:
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


class Checked(Struct, frozen=True):
    """Why each claim is rejected, and why each due verdict is not shown; "" for what is accepted and what is shown.

    ``unchecked`` has the reasons why claims are neither accepted nor rejected.
    """

    claims: dict[str, str]
    due: dict[str, str]
    unchecked: dict[str, str] = {}

    @property
    def accepted(self) -> bool:
        """Whether all claims are accepted, and all due verdicts are shown."""
        return not any((*self.claims.values(), *self.due.values()))

    def __str__(self) -> str:
        """How many of the due verdicts are shown."""
        return f"{sum(not why for why in self.due.values())} of {len(self.due)} due verdicts shown"


def read_certificate(raw: bytes) -> Certificate:
    """The certificate in a file.

    Raises:
        RejectedError: the content is no certificate, or its problem has another digest.
    """
    try:
        certificate = form.decoded(raw)
        need(certificate.problem.sha256() == certificate.digest, "the problem was changed")
    except ValueError as error:
        raise RejectedError(f"no certificate: {error}") from None
    return certificate


def check_evidence(certificate: Certificate, rules: ProblemRules | None = None) -> dict[str, str]:
    """The reason why the evidence of each claim does not prove it; "" if it does. Names are not considered.

    Raises:
        RejectedError: the problem has several meanings.
    """
    rules = rules or ProblemRules(certificate.problem, monotonic() + SECONDS)
    return {name: refuted(certificate.problem, claim, rules) for name, claim in certificate.claims.items()}


def check(raw: bytes) -> Checked:
    """The verdict on a certificate.

    Raises:
        RejectedError: the content is no certificate, or its problem has several meanings or another digest.
    """
    certificate = read_certificate(raw)
    problem, names = certificate.problem, find_misnamed(certificate.problem, certificate.claims)
    rules = ProblemRules(problem, monotonic() + SECONDS)
    claims = {name: names[name] or why for name, why in check_evidence(certificate, rules).items()}
    accepted = [name for name, why in claims.items() if not why]
    private = ((agent, problem.private_parts(agent)) for agent in problem.private)
    start = Execution(rules)
    opened = [agent for agent, parts in private if not start.reached(parts)]
    due = unshown(problem, opened, accepted) | unshown_by_episodes(problem, certificate.episodes)
    return Checked(claims, due, {HARD: UNPLAYED} if certificate.hard else {})


def main(files: list[str]) -> int:
    """Prints a line for each claim, and for each due verdict that is not shown, and their number; 0 if all is accepted."""
    bad = 0 if files else 1
    for file in files:
        try:
            with open(file, "rb", opener=_open_at_once) as stream:
                need(S_ISREG(os.fstat(stream.fileno()).st_mode), "it is no regular file")
                checked = check(raw := stream.read(form.MOST + 1))
            claims = read_certificate(raw).claims
        except (OSError, ValueError, RejectedError) as error:
            checked, claims = Checked({"": str(error)}, {}), dict[str, Claim]()
        for line in lines(checked, claims):
            print(f"{file}: {line}".encode("unicode_escape").decode())
        bad |= not checked.accepted
    return bad


def _open_at_once(file: str, flags: int) -> int:
    """Opens a file without waiting: a named pipe would wait for its writer for ever."""
    return os.open(file, flags | getattr(os, "O_NONBLOCK", 0))


def lines(checked: Checked, claims: Mapping[str, Claim]) -> Iterator[str]:
    """The verdict in lines: each claim, each due verdict that is not shown, and how many are."""
    for name, why in checked.claims.items():
        # The claim itself says what is proved.
        yield f"{name}: {f'rejected: {why}' if why else f'accepted: {claims.get(name, PLAYED)}'}"
    yield from (f"{name}: not checked: {why}" for name, why in checked.unchecked.items())
    yield from (f"{name}: not shown: {why}" for name, why in checked.due.items() if why)
    if checked.due:
        yield str(checked)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        if sys.stdout is not None:  # closed before Python started
            sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError) and sys.stderr is not None:
            sys.stderr.write(f"the verdict cannot be written: {error.strerror}\n")
        os._exit(141 if isinstance(error, BrokenPipeError) else 2)  # a normal exit would write it again
    sys.exit(code)
