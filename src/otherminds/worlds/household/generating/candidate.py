"""A candidate: a draft of the wanted pattern, its task, and the checks and verdicts that keep or reject it.

The cheapest checks come first. A task is kept if all its deciding verdicts are proved, each chain of its goal is
established by a plan, and the depth of each is proved. A hard task is solved by level 3 also with whole memories, and by
no team that relays nothing on purpose: neither ``broadcast`` nor level 1 or 2.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from resource import RUSAGE_CHILDREN, getrusage

import msgspec
from msgspec import structs

from otherminds.worlds.household.generating.composition import AGENTS, DEPTHS
from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.families import delegation, gated, mixed, relay, sequencing
from otherminds.worlds.household.generating.families.wish import Wish
from otherminds.worlds.household.generating.structure import structure
from otherminds.worlds.household.generating.wanted import Candidate, Wanted
from otherminds.worlds.household.generating.wording import described
from otherminds.worlds.household.house import House
from otherminds.worlds.household.planning.planned import planned
from otherminds.worlds.household.pool.entry import PATTERNS, Pattern, PooledTask, PoolEntry, digest, task_json
from otherminds.worlds.household.proofs.fairness import EASY, LEVELS, SEEDS, WHOLE, team_episode
from otherminds.worlds.household.proofs.guessing import guessed
from otherminds.worlds.household.proofs.verdicts import verified
from otherminds.worlds.household.proofs.verification import Verification
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.task import Task

SECONDS = 1.0
"""The longest processor time of a search of the planner; a task that needs more is rejected."""
FAMILIES: Mapping[str, Callable[[random.Random, Wish], Draft | None]] = {
    "delegation": delegation.draft,
    "sequencing": sequencing.draft,
    "relay": relay.draft,
    "gated": gated.draft,
}
"""The families; a task with mixed motives is of one of them too."""


class RejectedDraftError(Exception):
    """The name of the check that a draft fails."""


def candidate(seed: int, wanted: Wanted) -> Candidate:
    """The candidate of a seed: equal for equal arguments, but for its times."""
    made = _Making(seed, wanted)
    try:
        pooled, certificate = made.make()
    except RejectedDraftError as error:
        return Candidate(seed, str(error), None, b"", made.seconds)
    return Candidate(seed, "", pooled, certificate, made.seconds)


class _Making:
    def __init__(self, seed: int, wanted: Wanted) -> None:
        self.seed, self.wanted = seed, wanted
        self.draw = random.Random(f"household task {seed}")
        self.pattern: Pattern = wanted.pattern or self._pattern()
        self.seconds: dict[str, float] = {}

    def make(self) -> tuple[PooledTask, bytes]:
        """The task with its entry, and its certificate.

        Raises:
            RejectedDraftError: it fails a check.
        """
        with self._timed("draft"):
            task, turns = self._task()
            house = House(task, load_scene(task.scene_id))
        with self._timed("guesses"):
            _require(guessed(house).guess_proof, "guess-proof")
        with self._timed("first episodes"):
            _require(team_episode(house, LEVELS[-1], turns=2 * turns).solved, "fair")
        with self._timed("shortest plan"):
            best = planned(house, SECONDS, quick=True).calibration
        _require(best is not None, "shortest plan")
        task = structs.replace(task, calibration=best)
        with self._timed("draft"):
            house = House(task, house.scene)
        with self._timed("first episodes"):
            _require(team_episode(house, LEVELS[-1]).solved, "fair")
            self._hard(house)
        with self._timed("verdicts"):
            found = verified(house, SECONDS)
        self._accept(found)
        with self._timed("structure"):
            certificate = msgspec.json.encode(found.certificate)
            entry = PoolEntry(
                task.task_id,
                self.pattern,
                self.seed,
                structure(task),
                digest(task_json(task)),
                found.verdicts,
                found.levels,
                digest(certificate),
            )
        return PooledTask(entry, task), certificate

    def _pattern(self) -> Pattern:
        if self.wanted.category:
            mixes = self.wanted.category == "mixed"
            return self.draw.choice([one for one in PATTERNS if (one == "mixed") == mixes])
        return self.draw.choice((*PATTERNS, "mixed", "mixed", "mixed"))

    def _task(self) -> tuple[Task, int]:
        """The task, and about how many turns its shortest plan has."""
        wanted, draw = self.wanted, self.draw
        agents = wanted.agents or draw.choices([*AGENTS], [*AGENTS.values()])[0]
        depth = wanted.depth or draw.choices([*DEPTHS], [*DEPTHS.values()])[0]
        made = self._draft(agents, depth)
        _require(made is not None, "no such house")
        assert made is not None
        title, text = described(self.pattern, "mixed" if made.wishes else "cooperative", draw)
        task = structs.replace(made.task(f"{self.pattern}_{self.seed}", title, text), pattern=self.pattern)
        _require(set(wanted.mechanics) <= set(task.active_mechanics), "mechanics")
        return task, max(made.turns.values())

    def _draft(self, agents: int, depth: int) -> Draft | None:
        """A draft of the pattern; one with mixed motives is of another pattern too."""
        wanted = self.wanted
        hidden = [one for one in gated.HIDDEN if one in wanted.mechanics]
        base = self.draw.choice([*FAMILIES]) if self.pattern == "mixed" else self.pattern
        if hidden and self.pattern == "mixed":
            base = "gated"
        links = "restricted_communication" in wanted.mechanics
        made = FAMILIES[base](
            self.draw, Wish(agents, depth, bool(wanted.hard), links, hidden[0] if hidden else "")
        )
        return mixed.with_wishes(made) if made and self.pattern == "mixed" else made

    def _hard(self, house: House) -> None:
        if self.wanted.hard:
            _require(team_episode(house, LEVELS[-1] + WHOLE).solved, "hard")
            for team in EASY:
                for one in (team, team + WHOLE):
                    _require(not team_episode(house, one).solved, "hard")

    def _accept(self, found: Verification) -> None:
        for one in found.verdicts:
            needed = one.decisive or one.name.startswith(("knows ", "needs depth "))
            _require(one.proved or not needed, re.sub(r" (K |agent_\d|\d+ of).*", "", one.name))
        hard = next(one.proved for one in found.verdicts if one.name == "hard")
        _require(not self.wanted.hard or (hard and found.levels[LEVELS[-1] + WHOLE] == len(SEEDS)), "hard")

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        began = _spent()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + _spent() - began


def _require(so: bool, check: str) -> None:
    if not so:
        raise RejectedDraftError(check)


def _spent() -> float:
    """Processor seconds of this process and of its ended children."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
