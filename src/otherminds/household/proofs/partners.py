"""Whether a task needs to know its partners: a bound on the tasks that one policy solves which ignores their abilities.

The family of a task, the policies, the lemma and the bound are in :mod:`otherminds.household.epistemic.check_partners`, which computes
the bound anew. Here the partners are chosen with which the bound is lowest, and each task of the family gets a plan.

The literal reading, that *every* agent's secrets stay as they are, leaves one task in the family of a generated one: agents are
told which rooms they cannot enter and whom they can message. Hence only choosers keep their secrets, and the others have the
abilities of one another. What a cheap team can do without knowing its partners, it can do in all tasks of the family: tell all
that one was told, pass on all that one heard, do oneself what one can, or hand objects over where all can go. The bound is below
1 only if an agent that can learn nothing of its partners by hearing and seeing has too few messages for all that it was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, RoleSwap
from otherminds.household.epistemic.check_due import PARTNER_PROOF
from otherminds.household.epistemic.check_partners import (
    LIMIT,
    PARTNERS,
    choosers,
    family_of,
    know_all,
    largest_share,
    solved_by_choice,
    statements_of,
    with_roles,
)
from otherminds.household.epistemic.check_rules import ProblemRules, RejectedError
from otherminds.household.house import House
from otherminds.household.proofs.searching import Plans
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.scenes.scene import Spawn
from otherminds.household.teams import PANEL

RESISTS = f"of a hard task it can only be said how many of {len(PANEL)} cheap teams it resists"


class PartnerBound(NamedTuple):
    """The largest share of a family, the partners whose abilities are permuted, and all tasks that may be solved."""

    share: Fraction
    partners: tuple[str, ...]
    family: tuple[dict[str, str], ...]
    choosing: tuple[str, ...]


def bound_partners(rules: ProblemRules) -> PartnerBound | None:
    """The lowest bound below 1 over all choices of partners; ``None`` if there is none.

    That the tasks of the family can be solved is not shown yet.
    """
    problem = rules.problem
    secrets_by_agent = know_all(problem, {})
    short = {
        agent
        for agent in problem.agents
        if (limit := statements_of(problem, agent)) is not None and 0 < limit < len(secrets_by_agent[agent])
    }
    best: PartnerBound | None = None
    for size in range(2, min(PARTNERS, len(problem.agents) - 1) + 1 if short else 0):
        for partners in combinations(problem.agents, size):
            choosing = choosers(rules, partners) if short.difference(partners) else ()
            if short.isdisjoint(choosing):
                continue
            every = family_of(partners)
            try:
                solved = solved_by_choice(rules, every, choosing)
            except RejectedError:
                continue
            members = sorted(frozenset[int]().union(*solved))
            share = largest_share(solved, members) if members else Fraction(1)
            if share < (best.share if best else 1):
                family = tuple(every[number] for number in members)
                best = PartnerBound(share, partners, family, choosing)
    return best


def claim_partners(house: House, rules: ProblemRules, bound: PartnerBound, seconds: float) -> Claim | str:
    """The claim of a bound, with a plan for each task of its family; or why one has none."""
    members = list[RoleSwap]()
    for roles in bound.family:
        problem = with_roles(rules.problem, roles)
        plan = Plans(swap_abilities(house, roles), problem, seconds).find(problem.physical)
        if isinstance(plan, str):
            swapped = ", ".join(f"{agent} as {role}" for agent, role in roles.items())
            return f"no plan was found with {swapped}: {plan}"
        members.append(RoleSwap(roles, plan.plan))
    return Claim("partners", "roles", rules.problem.physical, members=tuple(members), share=str(bound.share))


def judge_partners(house: House, rules: ProblemRules, seconds: float) -> tuple[ProofVerdict, Claim | None]:
    """The verdict *partner-proof*, which decides about no task, and the claim that shows it, still to be checked."""
    bound = bound_partners(rules)
    if bound is None:
        why = "no agent that can learn nothing of its partners has to choose what it tells"
        return ProofVerdict(PARTNER_PROOF, "unknown", f"{why}: the bound is 1; {RESISTS}", False), None
    partners, choosing = ", ".join(bound.partners), ", ".join(bound.choosing)
    says = (
        f"of the {len(bound.family)} tasks in which the abilities of {partners} are permuted, "
        f"one policy in which {choosing} ignores them solves at most {bound.share}"
    )
    if bound.share > LIMIT:
        return ProofVerdict(PARTNER_PROOF, "unknown", f"{says}; {LIMIT} is the limit; {RESISTS}", False), None
    claim = claim_partners(house, rules, bound, seconds)
    if isinstance(claim, str):
        return ProofVerdict(PARTNER_PROOF, "unknown", f"{claim}; {RESISTS}", False), None
    return ProofVerdict(PARTNER_PROOF, "proved and checked", says, False), claim


def swap_abilities(house: House, roles: Mapping[str, str]) -> House:
    """The house in which each agent in ``roles`` starts where another one does, and cannot enter what that one cannot.

    What agents are told is left as it is: nobody acts on what is told of abilities in the proofs.
    """
    task, owner = house.task, {role: agent for agent, role in roles.items()}
    bindings = tuple(
        structs.replace(binding, for_agents=tuple(owner.get(agent, agent) for agent in binding.for_agents))
        for binding in task.mechanic_bindings
    )
    spawns = {owner.get(agent, agent): _spawn(house, agent) for agent in house.agents}
    return House(structs.replace(task, mechanic_bindings=bindings, agent_spawns=spawns), house.scene)


def _spawn(house: House, agent: str) -> Spawn:
    spot = house.start_spot[agent]
    x, z = house.scene.tables.spots[house.spots[spot]]
    return house.task.agent_spawns.get(agent, Spawn((x, 0.0, z), house.spot_room[spot]))
