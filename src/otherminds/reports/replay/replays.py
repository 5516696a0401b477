"""How episodes are shown: what a package registers for the worlds that it brings.

A package registers a :class:`Replay` in a module that its entry points ``otherminds.replays`` name. Episodes of worlds
without one are shown in the form that all worlds share (:mod:`.general`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from rich.table import Table

from otherminds.core.plugins import guarded
from otherminds.core.record import Record
from otherminds.core.registry import Registry
from otherminds.core.world import World


@dataclass(frozen=True)
class Happening:
    """Something that happened to ``seats`` (by number), with full information.

    ``step``: the number of steps after which it shows in the frame; it takes ``steps`` more.
    ``did`` names a thing for each seat (or is empty), which gives marks their
    colours. ``stop``: whether a spectator may jump to it.
    """

    step: int
    kind: str
    seats: tuple[int, ...]
    text: str
    did: tuple[str, ...] = ()
    rewards: tuple[float, ...] = ()
    steps: int = 0
    stop: bool = False


@dataclass(frozen=True)
class Playback:
    """An episode, ready to be written. Speeds are in steps a second; ``None`` is the one that suits the world.

    ``page`` makes the page. ``film`` writes a film to a path, and ``cut`` is the playback of the steps from one to
    another, both counted in (``None``: the first, the last); both raise a :class:`~otherminds.core.errors.StudyError`
    for what they cannot do, and are ``None`` in worlds without films and without parts. ``fault`` says where the
    episode, played again, departs from its record; empty if nowhere.
    """

    page: Callable[[float | None], str]
    fault: str = ""
    film: Callable[[Path, float | None], None] | None = None
    cut: Callable[[int | None, int | None], Playback] | None = None


@runtime_checkable
class Replay(Protocol):
    """Shows the episodes of one kind of world."""

    def shows(self, record: Record, world: World | None) -> bool:
        """Whether it shows the episodes of ``world``, which is that of ``record``, new and not reset.

        ``world`` is ``None`` where the record alone has to tell: its text needs no world, and neither does a page if
        the record tells.
        """
        ...

    def text(self, record: Record) -> Iterable[str | Table]:
        """The lines and tables of a terminal, from who played to the last step."""
        ...

    def play(self, record: Record) -> Playback:
        """The episode, played again if its page needs more than the record has.

        Raises:
            StudyError: it cannot be played again.
        """
        ...


def _fits(component: object) -> bool:
    return isinstance(component, Replay) and not isinstance(component, type)


replays: Registry[Replay] = Registry("replay", fits=_fits)


def find_replay(record: Record, world: World | None = None) -> Replay | None:
    """The first replay, by name, that shows ``record``; see :meth:`Replay.shows`."""
    for name in replays:
        with guarded(f"replay {name!r}"):
            if (replay := replays.get(name)).shows(record, world):
                return replay
    return None
