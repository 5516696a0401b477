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
    from otherminds.api.environment import make
    from otherminds.api.evaluating import compare, evaluate
    from otherminds.api.playing import aplay, play
    from otherminds.api.running import arun, run
    from otherminds.api.scoring import Report, Score, report, score
    from otherminds.api.sessions import AsyncSession, Done, Session, Turn, asession, session
    from otherminds.core.contracts import Mind, MindContext, Verbalizer
    from otherminds.core.data import Automaton, Brief, Encounter, Game, Invalid, Moment, Question, SkillChoice
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
    from otherminds.core.model import Model
    from otherminds.core.record import EpisodeSpec, Record, SeatSpec
    from otherminds.core.scenario import Scenario
    from otherminds.core.setup import Participant, Setup
    from otherminds.core.world import World
    from otherminds.measures.intervals import Estimate
    from otherminds.play.loop import play_now
    from otherminds.studies.access import Limits

__version__ = "0.1.0"

_PUBLIC = {
    "api.catalogue": ("games", "minds", "models", "partners", "scenarios", "strategies"),
    "api.environment": ("make",),
    "api.evaluating": ("compare", "evaluate"),
    "api.playing": ("aplay", "play"),
    "api.running": ("arun", "run"),
    "api.scoring": ("Report", "Score", "report", "score"),
    "api.sessions": ("AsyncSession", "Done", "Session", "Turn", "asession", "session"),
    "core.contracts": ("Mind", "MindContext", "Verbalizer"),
    "core.data": ("Automaton", "Brief", "Encounter", "Game", "Invalid", "Moment", "Question", "SkillChoice"),
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
    "core.model": ("Model",),
    "core.record": ("EpisodeSpec", "Record", "SeatSpec"),
    "core.scenario": ("Scenario",),
    "core.setup": ("Participant", "Setup"),
    "core.world": ("World",),
    "measures.intervals": ("Estimate",),
    "play.loop": ("play_now",),
    "studies.access": ("Limits",),
}
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = ["__version__"]
__all__ += ["aplay", "games", "make", "minds", "models", "partners", "play", "scenarios", "strategies"]
__all__ += ["compare", "evaluate"]
__all__ += ["AsyncSession", "Done", "Session", "Turn", "asession", "session"]
__all__ += ["Mind", "MindContext", "Report", "Score", "Verbalizer", "arun", "report", "run", "score"]
__all__ += ["Automaton", "Brief", "Encounter", "Game", "Invalid", "Moment", "Question", "SkillChoice"]
__all__ += ["InternalError", "OtherMindsError", "ProviderError", "ReplyError", "StudyError", "TaskError"]
__all__ += ["TransientError", "UnknownNameError", "WorldError"]
__all__ += ["EpisodeSpec", "Model", "Participant", "Record", "Scenario", "SeatSpec", "Setup", "World"]
__all__ += ["Estimate", "Limits", "play_now"]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that starting is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'otherminds' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"otherminds.{_HOMES[name]}"), name)
    return found


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
