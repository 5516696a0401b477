"""The checker rejects certificates of shipped tasks that were tampered with, and accepts all true ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product

import msgspec
import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import (
    Certificate,
    Claim,
    EpistemicProblem,
    PlanAct,
    PlanTell,
    decoded,
)
from otherminds.household.epistemic.check import Checked, RejectedError, check, refuted
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.proofs.matching import check_for, differing
from otherminds.household.proofs.verdicts import verified
from otherminds.household.tasks.load import loaded, shipped_tasks
from tests.cases import depth, for_each
from tests.household.epistemic.tampering import tamper, tamper_task

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
USUAL = ("cabinet_confirmation", "relay_inspection")


def house(name: str) -> House:
    found = loaded(name).house()
    assert found is not None
    return found


@cache
def true(name: str) -> Certificate:
    return verified(house(name)).certificate


def written(problem: EpistemicProblem, claims: dict[str, Claim], digest: str = "") -> bytes:
    """A certificate without episodes."""
    return msgspec.json.encode(Certificate(problem, digest or problem.sha256(), claims))


@pytest.mark.parametrize("names", depth(USUAL, shipped_tasks()))
def test_the_true_certificates_of_shipped_tasks_are_accepted(names):
    for name in names:
        whole = true(name)
        raw = msgspec.json.encode(whole)
        assert decoded(raw) == whole
        for said in (check(raw), check_for(house(name), raw)):
            assert said.accepted
            assert {"solvable", "not solved at the start", "needs messages", "fair"} <= said.due.keys()
            assert str(said) == f"{len(said.due)} of {len(said.due)} due verdicts shown"


replace = structs.replace


def plans(claim: Claim, problem: EpistemicProblem) -> Iterator[tuple[str, Claim]]:
    """Forged plans: none of them reaches the parts of the goal."""
    plan, parts, told = claim.plan, claim.parts, [one for one in claim.plan if isinstance(one, PlanTell)]
    acts = [one for one in plan if isinstance(one, PlanAct)]
    first, act, last = told[0], acts[0], plan[-1]
    sender = first.sender
    other = next(agent for agent in problem.agents if agent != act.values[0])
    dear = next((agent for agent in problem.budgets), sender)
    mine = next(known for known in problem.known if known[0] == (sender,))[1]
    theirs = next(
        fact for who, fact in problem.known if who != (sender,) and ((sender,), fact) not in problem.known
    )
    linked = problem.links[sender][0]

    def with_plan(*steps: PlanAct | PlanTell) -> Claim:
        return replace(claim, plan=steps)

    yield "no steps", with_plan()
    yield "the last step dropped", with_plan(*plan[:-1])
    yield "all messages dropped", with_plan(*acts)
    yield "all acts dropped", with_plan(*told)
    yield "the first message dropped", with_plan(*(one for one in plan if one is not first))
    yield "reversed", with_plan(*plan[::-1])
    yield "messages last: a secret is used before its message", with_plan(*acts, *told)
    yield "an act twice", with_plan(act, act, *plan)
    yield "an act forged", with_plan(PlanAct("Teleport", act.values), *plan)
    yield "an act of another agent", with_plan(PlanAct(act.action, (other, *act.values[1:])), *plan)
    yield "an act of an agent without that room", with_plan(PlanAct(act.action, act.values[::-1]), *plan)
    yield "a value too few", with_plan(PlanAct(act.action, act.values[:-1]), *plan)
    yield "a value too many", with_plan(PlanAct(act.action, (*act.values, act.values[-1])), *plan)
    yield "values of other types", with_plan(PlanAct(act.action, (act.values[0],) * len(act.values)), *plan)
    yield "an unknown name", with_plan(PlanAct(act.action, (*act.values[:-1], "cabinet_999")), *plan)
    yield (
        "over budget",
        with_plan(*[PlanTell(sender, (linked,), ((), mine))] * 50, *plan)
        if (sender == dear)
        else with_plan(*plan, *[last] * 50),
    )
    yield "over a missing link", with_plan(PlanTell(sender, (sender,), first.content), *plan)
    yield "to nobody", with_plan(PlanTell(sender, (), first.content), *plan)
    yield "to an addressee twice", with_plan(PlanTell(sender, (linked, linked), first.content), *plan)
    yield "by nobody", with_plan(PlanTell("agent_99", (linked,), first.content), *plan)
    yield "of what the sender does not know", with_plan(PlanTell(sender, (linked,), ((), theirs)), *plan)
    yield "of deeper knowledge", with_plan(PlanTell(sender, (linked,), ((linked,), theirs)), *plan)
    yield "of what nobody said", with_plan(PlanTell(sender, (linked,), ((), "(goal (is_open x_1))")), *plan)
    yield "widened goal", replace(claim, parts=(*parts, (("agent_0",) * 2, parts[0][1])))
    yield "another goal", replace(claim, parts=(((), "(is_open cabinet_999)"),))
    yield "no goal", replace(claim, parts=())
    yield "a planner's word", replace(claim, evidence="planner", plan=())
    yield "a planner's word with a plan", replace(claim, evidence="planner")
    yield "the start as evidence", replace(claim, evidence="start")
    yield "an agent listed that does nothing", replace(claim, without=(sender,))
    yield "no messages listed", replace(claim, deepest=0)


@for_each("name", USUAL)
def test_a_forged_plan_is_rejected(name):
    whole = true(name)
    claim = whole.claims["solvable"]
    accepted = [kind for kind, forged in plans(claim, whole.problem) if not refuted(whole.problem, forged)]
    assert accepted == []


@for_each("name", USUAL)
def test_the_plan_of_the_physical_goal_does_not_prove_the_chains(name):
    whole = true(name)
    claim = whole.claims["solvable"]
    chains = tuple(part for part in whole.problem.goal if part[0])
    assert refuted(whole.problem, replace(claim, parts=(*claim.parts, *chains)))


def fixpoints(name: str, claim: Claim, problem: EpistemicProblem) -> Iterator[tuple[str, Claim]]:
    """Forged evidence that something never holds."""
    target = next((fact for fact in claim.never if fact in problem.literals.get(claim.parts[0][1], ())), None)
    start, known = problem.start[0], problem.known[0]
    actor = next(fact for fact in problem.start if fact[0] == "at")
    if target is not None and not claim.parts[0][0]:
        yield (
            "the target dropped",
            replace(claim, never=tuple(fact for fact in claim.never if fact != target)),
        )
    if claim.unknown:
        yield "knowledge dropped", replace(claim, unknown=())
    yield (
        "only the target",
        replace(
            claim, never=claim.never[:0], unknown=tuple(one for one in claim.unknown if one in claim.parts)
        ),
    )
    yield "enlarged by what holds", replace(claim, never=(*claim.never, start))
    yield "enlarged by a static fact", replace(claim, never=(*claim.never, problem.static[0]))
    yield "enlarged by what is known", replace(claim, unknown=(*claim.unknown, known))
    yield "enlarged by knowledge of nobody", replace(claim, unknown=(*claim.unknown, ((), claim.parts[0][1])))
    if claim.deepest > 1:
        told = (problem.links[known[0][0]][0],)
        yield (
            "enlarged by what may be told",
            replace(claim, without=(), unknown=(*claim.unknown, (told, known[1]))),
        )
    yield (
        "enlarged by a place that can be reached",
        replace(claim, without=(), never=(*claim.never, *_near(actor, problem))),
    )
    yield "a plan beside it", replace(claim, plan=(PlanAct("x", ("agent_0",)),))
    yield "without an unknown agent", replace(claim, without=(*claim.without, "agent_99"))
    yield "a planner's exit code", replace(claim, evidence="planner", never=(), unknown=())
    yield "called a plan", replace(claim, kind="reached", evidence="plan")
    yield "called the start", replace(claim, kind="open", evidence="start")
    yield "about other parts", replace(claim, parts=((("agent_0", "agent_1", "agent_0"), "(x y)"),))
    if name.startswith("needs agent"):
        yield "the agent acts", replace(claim, without=())
    if name == "needs messages":
        yield "messages", replace(claim, deepest=1000)
    if name.startswith("needs depth"):
        yield "deeper messages", replace(claim, deepest=claim.deepest + 1)


def _near(at: tuple[str, ...], problem: EpistemicProblem) -> list[tuple[str, ...]]:
    """A place to which an agent can walk at once."""
    walk = next(one for one in problem.actions if any(fact[:2] == ("at", "?a") for fact in one.removes))
    for values in product((at[1],), *(problem.names[kind] for _, kind in walk.parameters[1:])):
        named = dict(zip(dict(walk.parameters), values, strict=True))
        facts = {tuple(named.get(word, word) for word in need) for need in walk.needs}
        if facts <= {*problem.start, *problem.static}:
            added = tuple(named.get(word, word) for word in walk.adds[0])
            if added not in problem.start:
                return [added]
    raise AssertionError("an agent that cannot walk")


@for_each("name", USUAL)
def test_a_forged_fixpoint_is_rejected(name):
    whole = true(name)
    proved = {title: claim for title, claim in whole.claims.items() if claim.evidence == "never"}
    assert len(proved) >= 3
    accepted = [
        (title, kind)
        for title, claim in proved.items()
        for kind, forged in fixpoints(title, claim, whole.problem)
        if not refuted(whole.problem, forged)
    ]
    assert accepted == []


def test_claims_are_rejected_with_the_problem_of_another_task():
    for one, other in (USUAL, USUAL[::-1]):
        mine, its = true(one), true(other)
        assert all(refuted(its.problem, claim) for claim in mine.claims.values())
        with pytest.raises(RejectedError, match="changed"):
            check(written(its.problem, mine.claims, digest=mine.digest))
        with pytest.raises(RejectedError, match="not that of task"):
            check_for(house(one), written(its.problem, its.claims))


Change = Callable[[EpistemicProblem], EpistemicProblem]
CHANGES: dict[str, Change] = {
    "another name": lambda p: replace(p, task="another"),
    "another digest of the task": lambda p: replace(p, digest="0" * 64),
    "the other agents first": lambda p: replace(p, agents=p.agents[::-1], names=p.names | {"agent": p.agents[::-1]}),
    "a name added": lambda p: replace(p, names=p.names | {"room": (*p.names["room"], "room_99")}),
    "a need of each action removed": lambda p: replace(
        p, actions=tuple(replace(one, needs=one.needs[1:]) for one in p.actions)
    ),
    "nothing is removed": lambda p: replace(p, actions=tuple(replace(one, removes=()) for one in p.actions)),
    "an effect added": lambda p: replace(
        p, actions=tuple(replace(one, adds=(*one.adds, next(iter(p.literals.values()))[0])) for one in p.actions)
    ),
    "an action removed": lambda p: replace(p, actions=p.actions[1:]),
    "an action added": lambda p: replace(p, actions=(*p.actions, replace(p.actions[0], name="Wish"))),
    "sights removed": lambda p: replace(p, sights=()),
    "a sight removed": lambda p: replace(p, sights=p.sights[1:]),
    "a sight through walls": lambda p: replace(
        p, sights=tuple(replace(one, needs=one.needs[:1]) for one in p.sights)
    ),
    "static facts added": lambda p: replace(
        p, static=(*p.static, *(("may_go", agent, spot) for agent in p.agents for spot in p.names["spot"]))
    ),
    "a static fact removed": lambda p: replace(p, static=p.static[1:]),
    "a fact of the start added": lambda p: replace(p, start=(*p.start, next(iter(p.literals.values()))[0])),
    "a fact of the start removed": lambda p: replace(p, start=p.start[1:]),
    "knowledge added": lambda p: replace(
        p, known=(*p.known, *(((agent,), fact) for agent in p.agents for _, fact in p.known))
    ),
    "knowledge removed": lambda p: replace(p, known=()),
    "links removed": lambda p: replace(p, links={}),
    "links added": lambda p: replace(p, links=dict.fromkeys(p.agents, p.agents)),
    "budgets removed": lambda p: replace(p, budgets={}),
    "a budget raised": lambda p: replace(p, budgets=dict.fromkeys(p.agents, 99)),
    "gates removed": lambda p: replace(p, gates=()),
    "gates without secrets": lambda p: replace(
        p, gates=tuple(replace(one, secrets=()) for one in p.gates)
    ),
    "a gate added": lambda p: replace(p, gates=(*p.gates, replace(p.gates[0], secrets=("magic",)))),
    "a goal narrowed": lambda p: replace(p, goal=p.goal[:1]),
    "a goal widened": lambda p: replace(p, goal=(*p.goal, (p.agents[:1], p.goal[0][1]))),
    "a literal by everything": lambda p: replace(p, literals=dict.fromkeys(p.literals, p.start)),
    "a literal by nothing": lambda p: replace(p, literals=dict.fromkeys(p.literals, ())),
}  # fmt: skip


@for_each("kind", CHANGES)
def test_a_changed_problem_is_rejected_with_its_old_digest_and_with_its_new_one(kind):
    name = USUAL[0]
    whole = true(name)
    problem = CHANGES[kind](whole.problem)
    assert problem != whole.problem
    with pytest.raises(RejectedError, match="changed"):
        check(written(problem, whole.claims, digest=whole.digest))
    assert differing(problem, house(name))
    with pytest.raises(RejectedError, match="not that of task"):
        check_for(house(name), written(problem, whole.claims))


def test_what_is_no_certificate_is_about_no_task():
    with pytest.raises(RejectedError, match="no certificate"):
        check_for(house(USUAL[0]), b"?")


def rejects(look: Callable[[bytes], Checked], raw: bytes) -> bool:
    try:
        return not look(raw).accepted
    except RejectedError:
        return True


@pytest.mark.parametrize("step", depth(20, 1))
def test_every_kind_of_tampering_is_rejected_with_and_without_the_task(step):
    """With the task, episodes are played: only one of each kind is tried there, and in short runs of every 20th kind."""
    name, other = USUAL
    kinds: dict[str, list[bytes]] = {}
    for kind, raw in tamper(true(name), true(other)):
        kinds.setdefault(kind, []).append(raw)
    assert len(kinds) >= 60
    alone = {kind: some[: None if step == 1 else 1] for kind, some in kinds.items()}
    assert [kind for kind, some in alone.items() if not all(rejects(check, raw) for raw in some)] == []
    look = partial(check_for, house(name))
    assert [kind for kind in [*kinds][::step] if not rejects(look, kinds[kind][0])] == []


@for_each("name", USUAL)
def test_tampering_with_the_task_and_its_episodes_is_rejected_with_the_task(name):
    look = partial(check_for, house(name))
    tampered = {kind: msgspec.json.encode(one) for kind, one in tamper_task(true(name))}
    assert [kind for kind, raw in tampered.items() if not rejects(look, raw)] == []


def test_the_whole_certificate_of_another_task_is_rejected_with_the_task():
    with pytest.raises(RejectedError, match="not that of task"):
        check_for(house(USUAL[0]), msgspec.json.encode(true(USUAL[1])))
