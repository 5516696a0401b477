"""A candidate: a draft of the wanted pattern, its task, and the checks and verdicts that keep or reject it.

The cheapest checks come first. A task is kept if all its deciding verdicts are proved and checked, so that its certificate
shows all that are due, each chain of its goal is established by a plan, and the depth of each is proved. A hard task is
solved by level 3 also with whole memories, by no team that relays nothing on purpose (neither ``broadcast`` nor level 1 or
2), and by at most :data:`~..proofs.episodes.MOST_SOLVERS` cheap teams.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from resource import RUSAGE_CHILDREN, getrusage

import msgspec
from msgspec import structs

from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families import (
    DraftRequest,
    draft_delegation,
    draft_gated,
    draft_relay,
    draft_sequencing,
    with_private_goals,
)
from otherminds.household.generating.parts import shortest
from otherminds.household.generating.properties import (
    AGENTS,
    DEPTHS,
    HIDDEN,
    HIDING,
    LINKS,
    PAIR,
    Candidate,
    TaskProperties,
    checked,
    fits,
)
from otherminds.household.generating.structure import structure
from otherminds.household.generating.wording import choose_description
from otherminds.household.house import House
from otherminds.household.planning.planned import failure, planned
from otherminds.household.pool.store import Pattern, PooledTask, PoolEntry, digest_bytes, task_json
from otherminds.household.proofs.episodes import (
    LEVELS,
    MOST_SOLVERS,
    SEEDS,
    WHOLE,
    CheapSolvers,
    cheap_solvers,
    team_episode,
)
from otherminds.household.proofs.guessing import bound_guesses
from otherminds.household.proofs.private_goals import met_by_the_way
from otherminds.household.proofs.verdicts import Prover
from otherminds.household.proofs.verification import ProofVerdict, Verification
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task

SECONDS = 1.0
"""The longest processor time of a search of the planner; a task that needs more is rejected."""
FAMILIES: Mapping[Pattern, Callable[[random.Random, DraftRequest], Draft | None]] = {
    "delegation": draft_delegation,
    "sequencing": draft_sequencing,
    "relay": draft_relay,
    "gated": draft_gated,
}
"""The families; a task with mixed motives is of one of them too."""
DOUBTFUL = ("level 2", "level 1")
"""Teams below level 3 that, with whole memories, solve some drafts of hard tasks; the others hardly ever do."""


class RejectedDraftError(Exception):
    """The name of the check that a draft fails."""


def candidate(seed: int, properties: TaskProperties) -> Candidate:
    """The candidate of a seed: equal for equal arguments, but for its times.

    Raises:
        StudyError: no task has all that is wanted.
    """
    making = _Making(seed, properties)
    try:
        pooled, certificate = making.make()
    except RejectedDraftError as error:
        return Candidate(seed, str(error), None, b"", making.seconds)
    return Candidate(seed, "", pooled, certificate, making.seconds)


def draft_task(seed: int, properties: TaskProperties) -> Task | None:
    """The task of a seed that passes the cheap checks, of guesses and of first episodes; ``None`` if there is none.

    It has no plan, and nothing is proved of it.

    Raises:
        StudyError: no task has all that is wanted.
    """
    making = _Making(seed, properties)
    try:
        return making.first()[0].task
    except RejectedDraftError:
        return None


class _Making:
    def __init__(self, seed: int, properties: TaskProperties) -> None:
        self.seed, self.wanted = seed, checked(properties)
        self.draw = random.Random(f"household task {seed}")
        self.hidden = next((mechanic for mechanic in HIDDEN if mechanic in properties.mechanics), "")
        self.pattern: Pattern = properties.pattern or self._pattern()
        self.seconds: dict[str, float] = {}

    def make(self) -> tuple[PooledTask, bytes]:
        """The task with its entry, and its certificate.

        Raises:
            RejectedDraftError: it fails a check.
        """
        house, turns = self.first()
        with self._time_step("shortest plan"):
            best = planned(house, SECONDS, quick=True).calibration
        if best is None:
            raise RejectedDraftError("shortest plan")
        with self._time_step("private goals"):
            _require(not self._met_by(house, best.plan), "private goals")
        if best.turns != turns:
            with self._time_step("first episodes"):
                self._episodes(house, best.turns)
        # Cheap teams reject only drafts of hard tasks, and cost about as much as the proofs.
        solvers = self._cheap(house, best.turns) if self.wanted.hard else None
        with self._time_step("draft"):
            task = _normalize_task(structs.replace(house.task, calibration=best))
            house = House(task, house.scene)
        with self._time_step("verdicts"):
            prover = Prover(house, SECONDS, quick=True)
            proofs = [*map(self._require_proved, prover.proofs())]
        if solvers is None:
            solvers = self._cheap(house, best.turns)
        with self._time_step("verdicts"):
            verification = prover.verification(proofs, solvers)
            self._accept(verification)
        with self._time_step("structure"):
            certificate = msgspec.json.encode(verification.certificate)
            entry = PoolEntry(
                task.task_id,
                self.pattern,
                self.seed,
                structure(task),
                digest_bytes(task_json(task)),
                verification.verdicts,
                verification.levels,
                digest_bytes(certificate),
                dict(solvers),
            )
        return PooledTask(entry, task), certificate

    def first(self) -> tuple[House, int]:
        """The house of a draft that passes the checks that need no plan, and about how many turns its shortest plan has.

        Raises:
            RejectedDraftError: it fails one.
        """
        with self._time_step("draft"):
            task, turns = self._task()
            house = House(task, load_scene(task.scene_id))
        with self._time_step("guesses"):
            _require(bound_guesses(house).guess_proof, "guess-proof")
        with self._time_step("first episodes"):
            self._episodes(house, turns)
        return house, turns

    def _pattern(self) -> Pattern:
        """Mixed in half of the cases if no category is wanted; else a family that fits what is wanted."""
        category = self.wanted.category or self.draw.choice(("cooperative", "mixed"))
        return "mixed" if category == "mixed" else self._family(self.wanted.agents, self.wanted.depth)

    def _family(self, agents: int | None, depth: int | None) -> Pattern:
        """A family that has such tasks."""
        patterns: list[Pattern] = [
            pattern
            for pattern in FAMILIES
            if fits(pattern, agents, depth) and (pattern in HIDING or not self.hidden)
        ]
        return self.draw.choice(patterns)

    def _task(self) -> tuple[Task, int]:
        """The task, and about how many turns its shortest plan has."""
        draft = self._draft(*self._team())
        if draft is None:
            raise RejectedDraftError("no such house")
        title, text = choose_description(
            self.pattern, "mixed" if draft.private_goals else "cooperative", self.draw
        )
        task = structs.replace(draft.task(f"{self.pattern}_{self.seed}", title, text), pattern=self.pattern)
        _require(set(self.wanted.mechanics) <= set(task.active_mechanics), "mechanics")
        return _normalize_task(task), shortest(draft)

    def _team(self) -> tuple[int, int]:
        """The number of agents and the depth; those that are not asked for are drawn by their shares in the splits."""
        properties = self.wanted
        least = PAIR + bool(properties.hard or LINKS in properties.mechanics)
        shares = {
            (agents, depth): of_agents * of_depth
            for agents, of_agents in ({properties.agents: 1} if properties.agents else AGENTS).items()
            for depth, of_depth in ({properties.depth: 1} if properties.depth else DEPTHS).items()
            if agents >= least and fits(self.pattern, agents, depth)
        }
        _require(bool(shares), "no such house")
        return self.draw.choices([*shares], [*shares.values()])[0]

    def _draft(self, agents: int, depth: int) -> Draft | None:
        """A draft of the pattern; one with mixed motives is of another pattern too."""
        properties = self.wanted
        mixes = self.pattern == "mixed"
        base = self._family(agents, depth) if mixes else self.pattern
        request = DraftRequest(
            agents, depth, bool(properties.hard), LINKS in properties.mechanics, self.hidden
        )
        draft = FAMILIES[base](self.draw, request)
        return with_private_goals(draft) if draft and mixes else draft

    def _episodes(self, house: House, turns: int) -> None:
        """Rejects most tasks that are not fair or not hard if their shortest plan has this many turns."""
        _require(team_episode(house, LEVELS[-1], turns=2 * turns).solved, "fair")
        for team in (LEVELS[-1], *DOUBTFUL) if self.wanted.hard else ():
            solved = team_episode(house, team + WHOLE, turns=2 * turns).solved
            _require(solved == (team == LEVELS[-1]), "hard")

    def _met_by(self, house: House, plan: Sequence[Sequence[str]]) -> bool:
        """Whether the plan with all secrets public reaches a private goal."""
        alone = (
            structs.replace(house.task, problem_pddl=goal, private_goals={})
            for goal in house.task.private_goals.values()
        )
        return any(not failure(House(task, house.scene), plan) for task in alone)

    def _cheap(self, house: House, turns: int) -> CheapSolvers:
        with self._time_step("cheap teams"):
            solvers = cheap_solvers(house, turns, most=MOST_SOLVERS if self.wanted.hard else None)
        _require(not self.wanted.hard or len(solvers) <= MOST_SOLVERS, "cheap teams")
        return solvers

    def _require_proved(self, verdict: ProofVerdict) -> ProofVerdict:
        """The verdict, unless it rejects the task."""
        _require(verdict.checked or not verdict.required, re.sub(r"_\d+$| (K |\d+ of ).*", "", verdict.name))
        _require(verdict.proved or not verdict.name.startswith("order of "), "order of goals")
        return verdict

    def _accept(self, verification: Verification) -> None:
        """Rejects a task for its episodes, or for its certificate as a whole."""
        for verdict in verification.verdicts:
            self._require_proved(verdict)
        _require(not met_by_the_way(verification.certificate), "private goals")
        hard = next(verdict.proved for verdict in verification.verdicts if verdict.name == "hard")
        _require(
            not self.wanted.hard or (hard and verification.levels[LEVELS[-1] + WHOLE] == len(SEEDS)), "hard"
        )

    @contextmanager
    def _time_step(self, step: str) -> Iterator[None]:
        began = _read_processor_time()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + _read_processor_time() - began


def _normalize_task(task: Task) -> Task:
    """A task as it is stored: the evidence may depend on the order of names, which is sorted there."""
    return msgspec.json.decode(task_json(task), type=Task)


def _require(so: bool, check: str) -> None:
    if not so:
        raise RejectedDraftError(check)


def _read_processor_time() -> float:
    """Processor seconds of this process and of its ended children."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
