"""The factory and the declarations of a world's test class."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from otherminds.core.data import Automaton, Game, Moment, Question, Seat, WeightedPolicy
from otherminds.core.world import World
from otherminds.testing.transcripts import SteppedEpisode


class Variant(NamedTuple):
    """Two worlds that differ only in private state of seats other than ``seat``.

    ``seat`` must receive the same for ``steps`` steps (0: in its brief and first moment).
    """

    label: str
    seat: Seat
    one: World
    two: World
    steps: int


_GAME = Game("granted", (("a", "b"), ("c", "d")), (((1.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 0.0))))
_LIKELY = WeightedPolicy(1.0, Automaton(0, ((0.5, 0.5),), (((0, 0), (0, 0)),)))


class WorldCase:
    """Write :meth:`make_world`; the rest has defaults.

    ``has_chance`` says that the world is random, so that seeds must lead to different episodes.
    """

    seeds: tuple[int, ...] = (0, 1, 2)
    has_chance: bool = False

    def make_world(self) -> World:
        """A fresh world with short episodes, which are played many times."""
        raise NotImplementedError(f"{type(self).__name__} must write make_world()")

    def private_variants(self) -> Iterable[Variant]:
        """Pairs of worlds that differ in private state."""
        return ()

    def questions(self) -> Sequence[Question]:
        """Questions that the world has true answers to."""
        return ()

    def grants(self) -> dict[str, Any]:
        """Grants that the world honours, by their field in the brief."""
        return {"game": _GAME, "partners": (_LIKELY,), "secrets": ("the key is under the mat",)}

    def fingerprint(self) -> str:
        """A hash of whole episodes under all seeds."""
        return hashlib.sha256("".join(run.hash for run in self.runs()).encode()).hexdigest()

    def run(self, seed: int) -> SteppedEpisode:
        """A whole episode of a fresh world."""
        return SteppedEpisode(self.make_world(), seed).play()

    def runs(self) -> tuple[SteppedEpisode, ...]:
        """A whole episode under each seed, played once for all checks that only read it."""
        return _runs(type(self))

    def every_moment(self) -> Iterator[tuple[SteppedEpisode, Seat, Moment]]:
        """Every moment of :meth:`runs`, with its episode and seat."""
        return (
            (run, seat, moment) for run in self.runs() for seat in run.seats for moment in run.moments[seat]
        )


@lru_cache(maxsize=1)
def _runs(kind: type[WorldCase]) -> tuple[SteppedEpisode, ...]:
    case = kind()
    return tuple(case.run(seed) for seed in case.seeds)
