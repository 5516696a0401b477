"""The checker's rules on a small task: what is accepted is true, and what is true by the rules is accepted."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic.certificate import (
    Claim,
    EpistemicProblem,
    Gate,
    Known,
    PlanAct,
    PlanTell,
    ProblemAction,
    SightRule,
)
from otherminds.household.epistemic.check import RejectedError, refuted
from tests.cases import for_each
from tests.household.epistemic.small import (
    BOX,
    CLAIMS,
    CLOSES,
    GO,
    ONE,
    OPEN,
    OPENS,
    PLAN,
    PROBLEM,
    REPORT,
    SECRET,
    SHUT_IN,
    TOLD,
    ZERO,
    certificate,
    changed,
    evidence,
    never,
    reached,
)

TWO = "agent_2"
LOOKS = ((ONE,), OPEN)
THREE = changed(
    agents=(ZERO, ONE, TWO),
    names=PROBLEM.names | {"agent": (ZERO, ONE, TWO)},
    start=(*PROBLEM.start, ("at", TWO, "hall")),
    static=(*PROBLEM.static, ("may_go", TWO, "hall"), ("may_go", TWO, "den")),
    links={ZERO: (ONE, TWO), ONE: (ZERO, TWO), TWO: (ZERO, ONE)},
    goal=(*PROBLEM.goal, ((ZERO, ONE, TWO), OPEN), ((TWO,), OPEN), ((ONE, TWO), OPEN)),
)


def test_all_true_claims_are_accepted():
    assert evidence(certificate()) == dict.fromkeys(CLAIMS, "")


@for_each(
    "plan",
    [
        (),
        PLAN[1:],
        PLAN[:-1],
        (TOLD, OPENS, REPORT),
        (GO, OPENS, TOLD, REPORT),
        (TOLD, GO, REPORT, OPENS),
        (*PLAN, CLOSES),
        (*PLAN[:3], CLOSES, REPORT),
        (TOLD, TOLD, *PLAN[1:]),
        (*PLAN, REPORT),
        (TOLD, GO, OPENS, PlanTell(ONE, (), ((), OPEN))),
        (TOLD, GO, OPENS, PlanTell(ONE, (ONE,), ((), OPEN))),
        (TOLD, GO, OPENS, PlanTell(ONE, (ZERO, ZERO), ((), OPEN))),
        (TOLD, GO, OPENS, PlanTell(ONE, ("nobody",), ((), OPEN))),
        (TOLD, GO, OPENS, PlanTell("nobody", (ZERO,), ((), OPEN))),
        (TOLD, GO, OPENS, PlanTell(ONE, (ZERO,), (("nobody",), OPEN))),
        (TOLD, GO, OPENS, PlanTell(ONE, (ZERO,), ((), "(is_open box_2)"))),
        (PlanTell(ZERO, (ONE,), ((), OPEN)), *PLAN[1:]),
        (PlanTell(ZERO, (ONE,), ((ONE,), SECRET)), *PLAN[1:]),
        (TOLD, PlanAct("walk", (ZERO, "hall", "den")), PlanAct("open", (ZERO, "den", "box_1")), REPORT),
        (TOLD, PlanAct("walk", (ONE, "den", "den")), OPENS, REPORT),
        (TOLD, PlanAct("fly", (ONE, "hall", "den")), OPENS, REPORT),
        (TOLD, PlanAct("walk", (ONE, "hall")), OPENS, REPORT),
        (TOLD, PlanAct("walk", (ONE, "hall", "den", "den")), OPENS, REPORT),
        (TOLD, PlanAct("walk", ("hall", ONE, "den")), OPENS, REPORT),
    ],
)
def test_a_plan_that_does_not_work_is_rejected(plan):
    assert refuted(PROBLEM, reached(*plan))


def test_knowledge_ends_when_the_fact_ceases_to_hold_and_a_secret_never_ends():
    rich = changed(budgets={})
    assert not refuted(rich, reached(*PLAN, CLOSES, OPENS, REPORT))
    assert refuted(rich, reached(*PLAN, CLOSES, OPENS))


def test_what_was_seen_is_known_no_longer_than_it_holds():
    looked = changed(goal=(*PROBLEM.goal, LOOKS))
    for plan, known in (((), True), ((CLOSES,), False), ((CLOSES, OPENS), True)):
        assert (refuted(looked, reached(TOLD, GO, OPENS, *plan, parts=(LOOKS,))) == "") is known


def test_what_is_known_at_the_start_and_false_is_not_known():
    believed = changed(known=(*PROBLEM.known, ((ZERO,), OPEN)))
    assert refuted(believed, reached(*PLAN[:3], parts=(((ZERO,), OPEN),)))


def test_a_fact_seen_earlier_stays_known_while_it_holds():
    back = PlanAct("walk", (ONE, "den", "hall"))
    assert not refuted(PROBLEM, reached(TOLD, GO, OPENS, back, REPORT))


GO_TWO = PlanAct("walk", (TWO, "hall", "den"))


def test_agents_that_see_a_fact_and_one_another_know_it_jointly_at_any_depth():
    seen = (((ONE, TWO), OPEN), ((TWO,), OPEN))
    assert not refuted(THREE, reached(TOLD, GO, GO_TWO, OPENS, parts=seen))
    deep = changed(THREE, goal=(((ONE, TWO, ONE, TWO), OPEN),))
    assert not refuted(deep, reached(TOLD, GO, GO_TWO, OPENS, parts=deep.goal))


def test_agents_that_see_a_fact_one_after_another_do_not_know_it_jointly():
    back = PlanAct("walk", (ONE, "den", "hall"))
    assert refuted(THREE, reached(TOLD, GO, OPENS, back, GO_TWO, parts=(((ONE, TWO), OPEN),)))


def test_agents_that_do_not_see_one_another_do_not_know_a_fact_jointly():
    apart = changed(THREE, static=tuple(fact for fact in THREE.static if fact != ("meets", "den", "den")))
    assert refuted(apart, reached(TOLD, GO, GO_TWO, OPENS, parts=(((ONE, TWO), OPEN),)))
    half = changed(
        apart,
        names=THREE.names | {"spot": ("hall", "den", "loft")},
        static=(
            *apart.static,
            ("may_go", TWO, "loft"),
            ("sees", "loft", "box_1"),
            ("meets", "den", "loft"),
        ),
    )
    up = PlanAct("walk", (TWO, "hall", "loft"))
    assert refuted(half, reached(TOLD, GO, up, OPENS, parts=(((ONE, TWO), OPEN),)))
    both = changed(half, static=(*half.static, ("meets", "loft", "den")))
    assert not refuted(both, reached(TOLD, GO, up, OPENS, parts=(((ONE, TWO), OPEN),)))


def test_a_message_to_all_addressees_costs_one_and_one_to_some_of_them_is_none():
    told = PlanTell(ZERO, (ONE, TWO), ((), SECRET))
    gated = changed(THREE, goal=(((), OPEN), ((ZERO, ONE), OPEN)))
    assert not refuted(gated, reached(told, GO, OPENS, REPORT, parts=gated.goal))
    four = changed(
        THREE,
        agents=(*THREE.agents, "agent_3"),
        names=THREE.names | {"agent": (*THREE.agents, "agent_3")},
        links=THREE.links | {ZERO: (ONE, TWO, "agent_3")},
    )
    assert refuted(four, reached(told, GO, OPENS, parts=(((), OPEN),)))
    assert refuted(THREE, reached(told, PlanTell(ZERO, (TWO,), ((), SECRET)), GO, OPENS, parts=(((), OPEN),)))


def test_a_relay_tells_what_it_was_told():
    chain = changed(THREE, goal=(((ZERO, ONE, TWO), OPEN),))
    to_two = PlanTell(ZERO, (TWO,), ((), SECRET))
    opens = (to_two, GO_TWO, PlanAct("open", (TWO, "den", "box_1")))
    relay = PlanTell(TWO, (ONE,), ((), OPEN))
    assert not refuted(
        chain, reached(*opens, relay, PlanTell(ONE, (ZERO,), ((TWO,), OPEN)), parts=chain.goal)
    )
    assert refuted(chain, reached(*opens, relay, PlanTell(ONE, (ZERO,), ((), OPEN)), parts=chain.goal))


@for_each(
    "claim",
    [
        Claim("reached", "plan", ()),
        Claim("reached", "plan", (((), "(is_open box_2)"),), PLAN),
        Claim("reached", "plan", (((ONE, ZERO), OPEN),), PLAN),
        Claim("reached", "planner", PROBLEM.goal, PLAN),
        Claim("reached", "start", PROBLEM.goal, PLAN),
        Claim("reached", "plan", PROBLEM.goal, PLAN, without=(ZERO,)),
        Claim("reached", "plan", PROBLEM.goal, PLAN, deepest=0),
        Claim("reached", "plan", PROBLEM.goal, PLAN, never=(BOX,)),
        Claim("open", "plan", PROBLEM.goal),
        Claim("open", "planner", PROBLEM.goal),
        Claim("open", "start", ()),
        Claim("open", "start", PROBLEM.goal, PLAN),
        Claim("open", "start", PROBLEM.goal, without=(ONE,)),
        Claim("unreachable", "planner", PROBLEM.goal, without=(ONE,)),
        Claim("unreachable", "start", PROBLEM.goal, without=(ONE,)),
        Claim("unreachable", "plan", PROBLEM.goal, PLAN),
    ],
)
def test_evidence_of_another_kind_and_claims_about_other_parts_are_rejected(claim):
    assert refuted(PROBLEM, claim)


@for_each(
    "claim",
    [
        never(),
        never(BOX),
        never(BOX, SHUT_IN),
        never(BOX, SHUT_IN, unknown=(((ONE,), SECRET),)),
        never(BOX, unknown=(((ONE,), SECRET),), deepest=0),
        never(BOX, without=(ZERO,)),
        never(BOX, unknown=(((ONE,), SECRET),), without=(ONE,)),
        never(BOX, SHUT_IN, without=("agent_9",), unknown=(((ONE,), SECRET),)),
        never(BOX, SHUT_IN, ("at", ONE, "hall"), without=(ONE,)),
        never(BOX, SHUT_IN, ("sees", "den", "box_1"), without=(ONE,)),
        never(BOX, SHUT_IN, unknown=(((), OPEN),), without=(ONE,)),
        never(BOX, SHUT_IN, unknown=(((ZERO,), SECRET),), without=(ONE,)),
        never(SHUT_IN, parts=(((ZERO, ONE), OPEN),), unknown=(((ZERO, ONE), OPEN),), deepest=2),
        never(parts=(((ZERO, ONE), OPEN),), unknown=(((ZERO, ONE), OPEN),), deepest=1),
        never(parts=(((ZERO,), OPEN),), unknown=(((ZERO,), OPEN),)),
        never(SHUT_IN, parts=(((ZERO,), OPEN),), unknown=(((ZERO,), OPEN), ((ONE,), OPEN))),
    ],
)
def test_evidence_that_is_not_closed_is_rejected(claim):
    assert refuted(PROBLEM, claim)


def test_agents_that_do_nothing_see_and_hear():
    idle = changed(THREE, start=(*PROBLEM.start, ("at", TWO, "den")), goal=(((TWO,), OPEN),))
    sees = never(parts=idle.goal, unknown=(((TWO,), OPEN),), without=(TWO,))
    assert refuted(idle, sees)
    blind = changed(idle, sights=())
    heard = never(parts=idle.goal, unknown=(((TWO,), OPEN), ((ONE,), OPEN), ((ZERO,), OPEN)), without=(TWO,))
    assert not refuted(blind, heard)
    told = changed(blind, known=(*blind.known, ((ZERO,), OPEN)))
    assert refuted(told, never(parts=idle.goal, unknown=(((TWO,), OPEN), ((ONE,), OPEN)), without=(TWO,)))


def test_an_agent_without_messages_cannot_tell():
    for budget in (0, -1):
        mute = changed(budgets={ZERO: budget, ONE: 1})
        assert refuted(mute, reached(*PLAN))
        assert not refuted(mute, never(BOX, SHUT_IN, unknown=(((ONE,), SECRET),)))


def _action(name: str, *adds: tuple[str, ...], **kinds: str) -> ProblemAction:
    parameters = (("?a", "agent"), *((f"?{one}", kind) for one, kind in kinds.items()))
    return ProblemAction(name, parameters, (), adds, ())


def test_a_further_effect_may_give_another_reason_for_an_action():
    """Values that are not known yet may give a reason that the values known so far do not."""
    push = _action("push", BOX, ("seen_at", "?t"), t="spot")
    gates = (Gate(("push",), (BOX,), (SECRET,)), Gate(("push",), (("seen_at", "den"),), ("mine",)))
    two = changed(actions=(push,), start=(), gates=gates, known=(*PROBLEM.known, ((ONE,), "mine")))
    assert not refuted(two, reached(PlanAct("push", (ONE, "den")), parts=(((), OPEN),)))
    assert refuted(two, reached(PlanAct("push", (ONE, "hall")), parts=(((), OPEN),)))
    assert refuted(two, never(BOX, unknown=(((ONE,), SECRET),), without=(ZERO,)))


def test_an_action_needs_all_secrets_of_one_gate():
    gates = (Gate(("open",), (BOX,), (SECRET, "more")), Gate(("open",), (BOX,), ("other",)))
    two = changed(gates=gates, budgets={})
    assert refuted(two, reached(*PLAN))
    more = PlanTell(ZERO, (ONE,), ((), "more"))
    knowing = changed(two, known=(*two.known, ((ZERO,), "more")))
    assert not refuted(knowing, reached(TOLD, more, *PLAN[1:]))
    assert not refuted(changed(two, known=(*two.known, ((ONE,), "other"))), reached(*PLAN[1:]))
    lacking = tuple(((agent,), secret) for agent in (ZERO, ONE) for secret in ("more", "other"))
    assert not refuted(two, never(BOX, SHUT_IN, unknown=lacking))
    assert refuted(two, never(BOX, SHUT_IN, unknown=lacking[::2]))


HELD = SightRule(
    (("?a", "agent"), ("?s", "spot"), ("?t", "spot"), ("?b", "agent"), ("?f", "furniture")),
    (("at", "?a", "?s"), ("meets", "?s", "?t"), ("at", "?b", "?t"), ("is_held", "?f", "?b")),
    ("is_open", "?f"),
)


def test_a_sight_may_need_something_about_others_than_the_agent():
    """Agent 0 sees an open box in the hands of agent 1: it knows that, and that it is not open is false."""
    take = ProblemAction(
        "take", (("?a", "agent"), ("?f", "furniture")), (), (("is_held", "?f", "?a"),), (("is_open", "?f"),)
    )
    start = (("at", ZERO, "hall"), ("at", ONE, "hall"), ("is_held", "box_1", ONE), BOX)
    static = (*PROBLEM.static, ("meets", "hall", "hall"))
    held = changed(sights=(HELD,), actions=(*PROBLEM.actions, take), start=start, static=static)
    assert not refuted(held, reached())
    assert refuted(held, Claim("open", "start", PROBLEM.goal))


@for_each(
    "kind", ["furniture", "spot"], ids=["the types of the sight are those of the names", "they are others"]
)
def test_a_sight_is_of_names_of_its_types(kind: str):
    parameters = (("?a", "agent"), ("?s", "spot"), ("?f", kind))
    sights = tuple(SightRule(parameters, one.needs, one.shows) for one in PROBLEM.sights)
    here = changed(sights=sights)
    whole = reached(TOLD, GO, OPENS, parts=(((ZERO,), OPEN),))
    blind = never(SHUT_IN, parts=(((ZERO,), OPEN),), unknown=(((ZERO,), OPEN), ((ONE,), OPEN)))
    assert refuted(here, whole)
    assert bool(refuted(here, reached(*PLAN))) == (kind == "spot")
    assert bool(refuted(here, blind)) == (kind == "furniture")


def test_a_literal_without_ways_never_holds_and_one_by_a_static_fact_always():
    none = changed(literals={OPEN: ()}, goal=(((), OPEN),))
    assert not refuted(none, never())
    assert not refuted(none, Claim("open", "start", none.goal))
    always = changed(literals={OPEN: (("sees", "den", "box_1"),)}, goal=(((), OPEN),))
    assert refuted(always, never())
    assert refuted(always, never(("sees", "den", "box_1")))
    assert refuted(always, Claim("open", "start", always.goal))
    assert not refuted(always, reached(parts=always.goal))
    unheard = changed(literals={OPEN: (("is_blue", "box_1"),)}, goal=(((), OPEN),))
    assert not refuted(unheard, never(("is_blue", "box_1")))
    assert refuted(unheard, reached(parts=unheard.goal))


def test_a_literal_is_reached_by_any_of_its_ways_and_lost_with_all():
    two = changed(literals={OPEN: (BOX, ("at", ZERO, "den"))}, goal=(((), OPEN),))
    assert refuted(two, never(BOX, unknown=(((ONE,), SECRET),), without=(ZERO,)))
    assert not refuted(two, never(BOX, SHUT_IN, without=(ONE,)))


UNKNOWN = "agent_9"
WRONG: dict[str, EpistemicProblem] = {
    "an agent without the type": changed(names=PROBLEM.names | {"agent": (ZERO,)}),
    "a name of type agent that is none": changed(names=PROBLEM.names | {"agent": (ZERO, ONE, UNKNOWN)}),
    "two actions of one name": changed(actions=(*PROBLEM.actions, _action("open", BOX))),
    "a parameter twice": changed(
        actions=(ProblemAction("go", (("?a", "agent"), ("?a", "agent")), (), (BOX,), ()),)
    ),
    "no actor": changed(actions=(ProblemAction("go", (("?f", "furniture"),), (), (("is_open", "?f"),), ()),)),
    "an actor of another type": changed(actions=(ProblemAction("go", (("?a", "spot"),), (), (BOX,), ()),)),
    "an unknown parameter": changed(actions=(_action("go", ("is_open", "?f")),)),
    "a constant as parameter": changed(
        actions=(ProblemAction("go", (("?a", "agent"), ("box_1", "furniture")), (), (BOX,), ()),)
    ),
    "a variable predicate": changed(actions=(_action("go", ("?f", "box_1"), f="furniture"),)),
    "an empty effect": changed(actions=(_action("go", ()),)),
    "an empty fact": changed(static=(*PROBLEM.static, ())),
    "a variable fact": changed(start=(*PROBLEM.start, ("is_open", "?f"))),
    "a variable name": changed(names=PROBLEM.names | {"furniture": ("box_1", "?s")}),
    "a variable way": changed(literals={OPEN: (("is_open", "?f"),)}),
    "a static fact that changes": changed(static=(*PROBLEM.static, BOX)),
    "a static fact at the start": changed(start=(*PROBLEM.start, ("may_go", ZERO, "den"))),
    "a sight from nowhere": changed(sights=(SightRule((("?a", "agent"),), (), BOX),)),
    "a link to nobody": changed(links={ZERO: (UNKNOWN,)}),
    "a link of nobody": changed(links={UNKNOWN: (ZERO,)}),
    "joint knowledge at the start": changed(known=(((ZERO, ONE), SECRET),)),
    "knowledge of nobody at the start": changed(known=(((), SECRET),)),
    "a goal of nobody": changed(goal=(((UNKNOWN,), OPEN),)),
    "a goal without a literal": changed(goal=(((), "(is_open box_2)"),)),
    "a goal that can be shortened": changed(goal=(((ZERO, ZERO), OPEN),)),
    "a goal that is too deep": changed(goal=(((ZERO, ONE) * 500, OPEN),)),
}


@for_each("problem", WRONG.values(), ids=WRONG)
def test_a_problem_without_one_meaning_is_rejected(problem: EpistemicProblem):
    with pytest.raises(RejectedError):
        evidence(certificate(problem))
    parts: tuple[Known, ...] = problem.goal
    assert refuted(problem, Claim("open", "start", parts))


def test_a_claim_as_a_phrase_says_what_is_claimed_and_not_its_name():
    whole = f"[{OPEN}; K agent_0 {OPEN}; K agent_0 K agent_1 {OPEN}]"
    assert str(reached(*PLAN)) == f"{whole} hold after a plan of 4 steps"
    assert str(CLAIMS["not solved at the start"]) == f"[{OPEN}] do not all hold at the start"
    assert str(CLAIMS["needs agent_1"]) == f"[{OPEN}] never all hold, if agent_1 do nothing"
    assert str(CLAIMS["needs messages"]) == f"[{OPEN}] never all hold, without messages"
