"""Other Minds: does an agent use what it knows about others, or only say it?

>>> import otherminds as om
>>> record = om.play("ipd-tit_for_tat-v1", "rmax", seed=0, options={"rounds": 10})
>>> om.score(record).returns == record.total("ego")
True

The names that ``dir(otherminds)`` lists are public. Each is imported when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.api.catalogue import games, minds, models, partners, scenarios, strategies
    from otherminds.api.environments import make, policy
    from otherminds.api.playing import aplay, play
    from otherminds.api.recorded import records, rounds
    from otherminds.api.running import arun, compare, evaluate, rank, run
    from otherminds.api.scoring import Report, Score, report, score
    from otherminds.api.sessions import AsyncSession, Done, Session, Turn, asession, session
    from otherminds.core.contracts import Mind
    from otherminds.core.data import Automaton, Game
    from otherminds.core.errors import (
        InternalError,
        OtherMindsError,
        ProviderError,
        ReplyError,
        StudyError,
        TaskError,
        TransientError,
        UnknownNameError,
        WorldError,
    )
    from otherminds.core.record import Record, SeatSpec
    from otherminds.core.scenario import Scenario, Setup
    from otherminds.measures.intervals import Estimate

__version__ = "0.1.0"

_PUBLIC = {
    "api.catalogue": ("games", "minds", "models", "partners", "scenarios", "strategies"),
    "api.environments": ("make", "policy"),
    "api.playing": ("aplay", "play"),
    "api.recorded": ("records", "rounds"),
    "api.running": ("compare", "evaluate", "arun", "rank", "run"),
    "api.scoring": ("Report", "Score", "report", "score"),
    "api.sessions": ("AsyncSession", "Done", "Session", "Turn", "asession", "session"),
    "core.contracts": ("Mind",),
    "core.data": ("Automaton", "Game"),
    "core.errors": (
        "InternalError",
        "OtherMindsError",
        "ProviderError",
        "ReplyError",
        "StudyError",
        "TaskError",
        "TransientError",
        "UnknownNameError",
        "WorldError",
    ),
    "core.record": ("Record", "SeatSpec"),
    "core.scenario": ("Scenario", "Setup"),
    "measures.intervals": ("Estimate",),
}
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names}
_MOVED = {
    "core.contracts": ("MindContext", "Verbalizer"),
    "core.data": ("Brief", "Encounter", "Invalid", "Moment", "Question", "SkillChoice"),
    "core.model": ("Model",),
    "core.record": ("EpisodeSpec",),
    "core.scenario": ("Participant", "World"),
    "play.loop": ("play_now",),
    "studies.access": ("Limits",),
}
_NEW_HOMES = {name: module for module, names in _MOVED.items() for name in names}

__all__ = ["__version__"]
__all__ += ["aplay", "arun", "compare", "evaluate", "make", "play", "policy", "rank", "records", "report"]
__all__ += ["rounds", "run", "score"]
__all__ += ["games", "minds", "models", "partners", "scenarios", "strategies"]
__all__ += ["Estimate", "Record", "Report", "Score"]
__all__ += ["Automaton", "Game", "Mind", "Scenario", "SeatSpec", "Setup"]
__all__ += ["AsyncSession", "Done", "Session", "Turn", "asession", "session"]
__all__ += ["InternalError", "OtherMindsError", "ProviderError", "ReplyError", "StudyError", "TaskError"]
__all__ += ["TransientError", "UnknownNameError", "WorldError"]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that starting is quick."""
    if name in _NEW_HOMES:
        module = f"otherminds.{_NEW_HOMES[name]}"
        raise AttributeError(f"otherminds.{name} is now {module}.{name}: from {module} import {name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'otherminds' has no attribute {name!r}")
    public = globals()[name] = getattr(import_module(f"otherminds.{_HOMES[name]}"), name)
    return public


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """Keeps public names that packages of ours have too, such as ``play`` and ``minds``.

    Importing ``otherminds.play.loop`` would set the attribute ``play`` to the package.
    ``from otherminds.play.loop import ...`` is not affected.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

if (
    "gymnasium.envs.registration" in sys.modules
):  # importing Gymnasium for its ids would double the time of the import
    import_module("otherminds.api.gymnasium_ids")
