"""The verdicts about a task, each with its evidence: solvable, needs messages, each agent, its restrictions, its depth, ...

Those about episodes of teams are in :mod:`.episodes`, those about guesses in :mod:`.guessing`, those about policies without
partners in :mod:`.partners`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from math import ceil

from msgspec import structs

from otherminds.core.errors import InternalError
from otherminds.household.epistemic.certificate import (
    Certificate,
    Claim,
    EpistemicProblem,
    Known,
    Words,
    known_in_words,
)
from otherminds.household.epistemic.check import ProblemRules, refuted
from otherminds.household.epistemic.check_due import BARRED, COMPATIBLE, FAIR, FOR_KNOWLEDGE, depth_verdict
from otherminds.household.epistemic.relaxed import (
    WHOLE,
    ProblemVariant,
    Reachability,
    leave_untold,
    list_secrets,
    needed_secrets,
)
from otherminds.household.house import House
from otherminds.household.proofs.episodes import (
    CheapSolvers,
    fair_verdicts,
    judge_hard,
    runs_solved,
    team_episodes,
)
from otherminds.household.proofs.exported import HouseAccess, barred_rooms, exported, walks
from otherminds.household.proofs.guess_check import check_guess
from otherminds.household.proofs.guessing import LIMIT, bound_guesses
from otherminds.household.proofs.partners import judge_partners
from otherminds.household.proofs.private_goals import PrivateGoals
from otherminds.household.proofs.replayed import replay_plan, shortest, together
from otherminds.household.proofs.searching import (
    UNGATED,
    Plans,
    cannot_be_told,
    claim_untold,
    shorten_plan,
)
from otherminds.household.proofs.verification import ProofVerdict, Verification

SECONDS = 10.0
"""Processor time of one search."""
PUBLIC = ("not solved at the start", "shortest plan")
"""The verdicts that do not depend on what agents know."""
PROSE = "unverified: the task has no agent_knows, so that what its agents know is prose alone"
SILENT = ProblemVariant(deepest=0)
FEWEST = "{} joint turns with all secrets public are the fewest"


def verified(house: House, seconds: float = SECONDS, cheap: CheapSolvers | None = None) -> Verification:
    """The verdicts of a task; each search of the planner takes at most ``seconds`` of processor time.

    ``cheap`` are the cheap teams that solve it, if they have played.

    Raises:
        StudyError: the planner is not installed.
        TaskError: the goal has a literal that proofs do not have.
    """
    prover = Prover(house, seconds)
    return prover.verification([*prover.proofs()], cheap)


class Prover:
    """Proves the verdicts of a task: first those of :meth:`proofs`, then those about episodes.

    Each search of the planner takes at most ``seconds`` of processor time. With ``quick``, nothing more is searched for a
    verdict that stays unknown anyway.

    Raises:
        StudyError: the planner is not installed.
        TaskError: the goal has a literal that proofs do not have.
    """

    def __init__(self, house: House, seconds: float, quick: bool = False) -> None:
        self.house, self.seconds, self.quick = house, seconds, quick
        self.problem = exported(house)
        self.rules = ProblemRules(self.problem)
        self.goal, self.physical = self.problem.goal, self.problem.physical
        self.chains = tuple(part for part in self.goal if part[0])
        self.private = PrivateGoals(house, self.problem, self.rules)
        self.claims: dict[str, Claim] = {}
        self.bars = barred_rooms(house)
        self.lifted = {bar: ProblemVariant(deepest=0, static=walks(house, [bar])) for bar in self.bars}
        self.free = ProblemVariant(deepest=0, static=walks(house, self.bars))
        # Where a message may say everything, one could tell all secrets.
        self.secrets = list_secrets(self.problem) if house.statements else ()
        full_depth = [WHOLE, SILENT, *map(_without, house.agents), *map(leave_untold, self.secrets)]
        depths = [_below(chain) for chain in self.chains]
        self.reach = Reachability(
            self.problem, [*full_depth, *self.lifted.values(), self.free, *depths, UNGATED]
        )
        self.reach.explore(self.physical, [*full_depth, *self.lifted.values(), self.free])
        self.reach.explore(self.chains, [WHOLE, *depths])
        self.told = {
            chain: not cannot_be_told(self.problem, self.reach, chain, seconds)
            for chain in self.chains
            if self.reach.holds(chain)
        }
        self.parts = tuple(
            dict.fromkeys((*self.physical, *(chain for chain, tellable in self.told.items() if tellable)))
        )
        self.plan = self._plan_parts(self.parts)

    def proofs(self) -> Iterator[ProofVerdict]:
        """The verdicts that need no episode, each when it is proved."""
        yield self._solvable()
        yield self._open()
        yield self._needs_messages()
        yield from map(self._needs, self.house.agents)
        yield from self._barred_rooms()
        for chain in self.chains:
            yield from self._about(chain)
        yield from self.private.verdicts(
            self._plan_shared_goal, self.seconds, self.reach, self._prove_claim, self.quick
        )
        yield self._guess_proof()
        yield self._partner_proof()
        yield self._shortest()

    def verification(self, proofs: Sequence[ProofVerdict], cheap: CheapSolvers | None) -> Verification:
        """All verdicts: ``proofs``, and those about episodes, with ``cheap`` as in :func:`verified`."""
        verdicts = [*proofs]
        if not self.house.task.verified and any(self.house.task.agent_secrets.values()):
            verdicts = [*map(self._without_formulas, verdicts)]
        episodes = team_episodes(self.house)
        verdicts += fair_verdicts(self.house, episodes)
        hard = None
        if episodes:
            fair = any(verdict.proved for verdict in verdicts if verdict.name == FAIR)
            verdict, hard = judge_hard(self.house, episodes, fair, cheap)
            verdicts.append(verdict)
        certificate = Certificate(self.problem, self.problem.sha256(), dict(self.claims), episodes, hard)
        return Verification(tuple(verdicts), certificate, runs_solved(episodes))

    def _without_formulas(self, verdict: ProofVerdict) -> ProofVerdict:
        """What holds of a task whose secrets are prose alone, whatever they say: they can only forbid acts."""
        claim = self.claims.get(verdict.name)
        needed = verdict.name.startswith("needs ") and claim is not None and claim.kind == "unreachable"
        never = verdict.name in (COMPATIBLE, "solvable") and verdict.status == "refuted"
        if never or verdict.name in PUBLIC or (needed and verdict.decisive):
            return verdict
        own, untold = verdict.name, f"untold {verdict.name.removeprefix('knows ')}"
        for name in (own, f"never {own}", f"{own}{FOR_KNOWLEDGE}", untold):
            self.claims.pop(name, None)
        return structs.replace(verdict, status="unknown", says=PROSE)

    def _prove_claim(self, name: str, claim: Claim, says: str, decisive: bool = True) -> ProofVerdict:
        """The verdict of a claim that the checker accepts.

        Raises:
            InternalError: it does not.
        """
        if why := refuted(self.problem, claim, self.rules):
            raise InternalError(f"{self.problem.task}: {name}: the checker rejects the certificate: {why}")
        self.claims[name] = claim
        return ProofVerdict(name, "proved and checked", says, decisive)

    def _plan_parts(self, parts: tuple[Known, ...]) -> Claim | str:
        """A plan for parts of the goal; or why there is none, or none was found."""
        if claim := self.reach.never(parts):
            return f"{_find_lost_part(claim)} can never hold"
        return Plans(self.house, self.problem, self.seconds, self.private.untold).find(parts)

    @cached_property
    def _plan_shared_goal(self) -> Claim | str:
        """A plan for the physical goal, or why there is none, or none was found."""
        if isinstance(self.plan, Claim):
            return shorten_plan(self.rules, self.plan, self.physical)
        return self._plan_parts(self.physical)

    def _solvable(self) -> ProofVerdict:
        if claim := self.reach.never(self.physical):
            self.claims["not solvable"] = claim
            return ProofVerdict(
                "solvable", "refuted", f"{_find_lost_part(claim)} can never hold; let an agent reach it"
            )
        if isinstance(plan := self._plan_shared_goal, str):
            return ProofVerdict("solvable", "unknown", f"no plan was found: {plan}")
        replay = together(self.house, plan.plan, plan.parts)
        if not replay.reached:
            raise InternalError(f"{self.problem.task}: the plan fails in the simulator: {replay}")
        limit = f" of {2 * best.turns}" if (best := self.house.task.calibration) else ""
        steps = f"{len(plan.plan)} acts and messages, {len(replay.turns)} turns{limit}"
        return self._prove_claim("solvable", plan, f"a plan with private information: {steps}")

    def _open(self) -> ProofVerdict:
        claim = Claim("open", "start", parts=self.physical)
        if refuted(self.problem, claim, self.rules):
            return ProofVerdict(
                "not solved at the start", "refuted", "the goal holds at the start; ask for a change"
            )
        return self._prove_claim("not solved at the start", claim, "the goal does not hold at the start")

    def _needs_messages(self) -> ProofVerdict:
        name = "needs messages"
        if claim := self.reach.never(self.physical, SILENT):
            says = f"without messages {_find_lost_part(claim)} never holds{self._count_messages()}; {self._signalling()}"
            return self._prove_claim(name, claim, says)
        return self._silent_plan(name, (), "hide a goal or a place from an agent that must act on it")

    def _count_messages(self) -> str:
        """How many messages without requests the goal needs at least, where their statements are limited."""
        statements = self.house.statements
        needed = needed_secrets(self.reach, self.physical, self.secrets)
        if not statements or not needed:
            return ""
        least = ceil(len(needed) / statements)
        stated = "1 secret" if len(needed) == 1 else f"{len(needed)} secrets"
        where = "1 message" if least == 1 else f"{least} messages"
        return (
            f", and without requests {stated} must be stated, in at least {where} "
            "(a request can stand for several secrets)"
        )

    def _needs(self, agent: str) -> ProofVerdict:
        name = f"needs {agent}"
        if claim := self.reach.never(self.physical, _without(agent)):
            return self._prove_claim(name, claim, f"without {agent} {_find_lost_part(claim)} never holds")
        if claim := self.reach.never(self.goal, _without(agent)):
            says = f"the others can do everything; only {_find_lost_part(claim)} needs {agent}: give it an act of its own"
            proved = self._prove_claim(f"{name}{FOR_KNOWLEDGE}", claim, says, decisive=False)
            return structs.replace(proved, name=name)
        return self._silent_plan(name, (agent,), f"give {agent} a room, a secret or an act that no other has")

    def _silent_plan(self, name: str, without: Words, mend: str) -> ProofVerdict:
        """A refutation by a plan without messages, or without an agent."""
        links = {} if not without else _links(self.problem, without)
        problem = structs.replace(
            self.problem, links=links, agents=tuple(a for a in self.problem.agents if a not in without)
        )
        plan = Plans(self.house, problem, self.seconds, self.private.untold).find(self.physical)
        if isinstance(plan, str):
            return ProofVerdict(name, "unknown", f"neither a proof nor a plan was found: {plan}")
        return ProofVerdict(name, "refuted", f"a plan of {len(plan.plan)} steps does without; {mend}")

    def _signalling(self) -> str:
        access = HouseAccess(self.house)
        open_ = any(len(access.sources(agent)) > 1 for agent in self.house.agents)
        return f"a silent code by facts of the world is {'not excluded' if open_ else 'excluded'}"

    def _guess_proof(self) -> ProofVerdict:
        """Whether few of the tasks that differ in hidden targets only are solved by one silent policy."""
        guess = bound_guesses(self.house)
        if faults := check_guess(self.house, guess):
            raise InternalError(f"{self.problem.task}: the bound on guesses is rejected: {faults}")
        share = guess.bound.share
        says = (
            f"silent guesses without a code solve at most {share} of the tasks that differ in hidden targets"
        )
        if guess.guess_proof:
            return ProofVerdict("guess-proof", "proved and checked", says)
        mend = f"{LIMIT} is the limit: ask for more pieces of one kind to stay as they are, or for a rarer target"
        return ProofVerdict("guess-proof", "unknown", f"{says}; {mend}")

    def _partner_proof(self) -> ProofVerdict:
        """Whether few of the tasks that differ in others' abilities are solved by one policy that ignores these."""
        verdict, claim = judge_partners(self.house, self.rules, self.seconds)
        return self._prove_claim(verdict.name, claim, verdict.says, verdict.decisive) if claim else verdict

    def _barred_rooms(self) -> Iterator[ProofVerdict]:
        """Which barred rooms carry weight: opening one, or all, lets parts of the goal be reached in silence."""
        if not self.bars:
            return
        lost = self._unreachable(SILENT)
        weight = {bar: lost - self._unreachable(variant) for bar, variant in self.lifted.items()}
        decorative = [str(bar) for bar, gained in weight.items() if not gained]
        jointly = lost - self._unreachable(self.free)
        if not jointly:
            says = "no barred room keeps any part of the goal from being reached in silence, not even all together"
            yield ProofVerdict(BARRED, "refuted", f"{says}; bar a room that somebody needs")
            return
        alone = len(self.bars) - len(decorative)
        says = f"{alone} of {len(self.bars)} barred rooms carry weight alone; without all of them, {len(jointly)} parts of the goal can be reached in silence"
        if decorative:
            says += f"; no weight alone: {', '.join(decorative)}"
        if claim := self._without_bars(jointly):
            yield self._prove_claim(BARRED, claim, says)
        else:
            yield ProofVerdict(BARRED, "unknown", says)

    def _without_bars(self, parts: Collection[Known]) -> Claim | None:
        """The claim that one of the parts is never reached in silence, but is if no room is barred."""
        static = (*self.problem.static, *self.free.static)
        silent = Plans(
            self.house,
            structs.replace(self.problem, static=static, links={}),
            self.seconds,
            self.private.untold,
        )
        for part in sorted(parts):
            plan, never = silent.find((part,)), self.reach.never((part,), SILENT)
            if isinstance(plan, Claim) and never:
                lifted = tuple((bar.agent, bar.room) for bar in self.bars)
                return structs.replace(never, kind="barred", evidence="bars", plan=plan.plan, lifted=lifted)
        return None

    def _unreachable(self, variant: ProblemVariant) -> set[Known]:
        """The parts of the goal that are not reachable in a variant."""
        return {part for part in self.goal if not self.reach.holds(part, variant)}

    def _about(self, chain: Known) -> Iterator[ProofVerdict]:
        established = self._judge_chain(chain)
        yield established
        if established.status != "refuted":
            yield self._deep(chain)

    def _judge_chain(self, chain: Known) -> ProofVerdict:
        """Whether the team can come to the knowledge that the goal asks for."""
        name = f"knows {known_in_words(chain)}"
        if claim := self.reach.never((chain,)):
            self.claims[f"never {name}"] = claim
            return ProofVerdict(
                name,
                "refuted",
                "no agent can see it, and none can learn it from a message; ask for something that can be seen",
                False,
            )
        if not self.told[chain]:
            claim = claim_untold(self.problem, self.reach, chain)
            if not refuted(self.problem, claim, self.rules):
                self.claims[f"untold {known_in_words(chain)}"] = claim
            return ProofVerdict(
                name, "refuted", "the messages do not suffice to tell it, only to guess it", False
            )
        parts = (*self.physical, chain)
        if isinstance(self.plan, Claim):
            plan = structs.replace(self.plan, parts=parts)
        elif isinstance(plan := self.plan if parts == self.parts else self._plan_parts(parts), str):
            return ProofVerdict(name, "unknown", f"no plan was found: {plan}", False)
        replay = replay_plan(self.house, plan.plan, plan.parts)
        if not replay.reached:
            raise InternalError(f"{self.problem.task}: the plan for {name} fails in the simulator: {replay}")
        return self._prove_claim(
            name, plan, f"a plan of {len(plan.plan)} steps, with the rest of the goal", False
        )

    def _deep(self, chain: Known) -> ProofVerdict:
        """Whether messages must establish chains as long as this one, and its first agent cannot see it."""
        name = depth_verdict(chain)
        if claim := self.reach.never((chain,), _below(chain)):
            return self._prove_claim(
                name, claim, "no message about less deep knowledge establishes it", False
            )
        says = "it may follow from less deep messages, or from what agents see of one another"
        return ProofVerdict(name, "unknown", f"{says}; bar one of them from where it is seen", False)

    def _shortest(self) -> ProofVerdict:
        best = self.house.task.calibration
        name = "shortest plan"
        if best is None:
            return ProofVerdict(name, "unknown", "not calibrated: otherminds tasks calibrate --write")
        if claim := shortest(self.house, self.rules, self.physical, best.plan):
            self.claims[name] = claim
            return ProofVerdict(name, "proved and checked", FEWEST.format(best.turns))
        if best.least == best.turns:
            return ProofVerdict(name, "proved by planner", FEWEST.format(best.turns))
        return ProofVerdict(
            name, "unknown", f"{best.turns} joint turns; the fewest are at least {best.least}", False
        )


def _without(agent: str) -> ProblemVariant:
    return ProblemVariant(without=(agent,))


def _below(chain: Known) -> ProblemVariant:
    """Messages establish only chains that are shorter than this one."""
    return ProblemVariant(deepest=len(chain[0]) - 1)


def _find_lost_part(claim: Claim) -> str:
    """The part of the goal that the evidence shows never to hold."""
    return known_in_words(claim.parts[0])


def _links(problem: EpistemicProblem, without: Words) -> dict[str, Words]:
    return {
        agent: tuple(other for other in links if other not in without)
        for agent, links in problem.links.items()
        if agent not in without
    }
