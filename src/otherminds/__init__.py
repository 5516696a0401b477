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
    from otherminds.api.catalogue import games as games
    from otherminds.api.catalogue import minds as minds
    from otherminds.api.catalogue import models as models
    from otherminds.api.catalogue import partners as partners
    from otherminds.api.catalogue import scenarios as scenarios
    from otherminds.api.catalogue import strategies as strategies
    from otherminds.api.environment import make as make
    from otherminds.api.playing import aplay as aplay
    from otherminds.api.playing import play as play
    from otherminds.api.running import arun as arun
    from otherminds.api.running import run as run
    from otherminds.api.scoring import Report as Report
    from otherminds.api.scoring import Score as Score
    from otherminds.api.scoring import report as report
    from otherminds.api.scoring import score as score
    from otherminds.core.contracts import Mind as Mind
    from otherminds.core.contracts import MindContext as MindContext
    from otherminds.core.contracts import Verbalizer as Verbalizer
    from otherminds.core.data import Automaton as Automaton
    from otherminds.core.data import Brief as Brief
    from otherminds.core.data import Encounter as Encounter
    from otherminds.core.data import Game as Game
    from otherminds.core.data import Invalid as Invalid
    from otherminds.core.data import Moment as Moment
    from otherminds.core.data import Question as Question
    from otherminds.core.data import SkillChoice as SkillChoice
    from otherminds.core.errors import InternalError as InternalError
    from otherminds.core.errors import OtherMindsError as OtherMindsError
    from otherminds.core.errors import ProviderError as ProviderError
    from otherminds.core.errors import ReplyError as ReplyError
    from otherminds.core.errors import StudyError as StudyError
    from otherminds.core.errors import TaskError as TaskError
    from otherminds.core.errors import TransientError as TransientError
    from otherminds.core.errors import UnknownNameError as UnknownNameError
    from otherminds.core.errors import WorldError as WorldError
    from otherminds.core.model import Model as Model
    from otherminds.core.record import EpisodeSpec as EpisodeSpec
    from otherminds.core.record import Record as Record
    from otherminds.core.record import SeatSpec as SeatSpec
    from otherminds.core.scenario import Scenario as Scenario
    from otherminds.core.setup import Participant as Participant
    from otherminds.core.setup import Setup as Setup
    from otherminds.core.world import World as World
    from otherminds.measures.intervals import Estimate as Estimate
    from otherminds.play.loop import play_now as play_now
    from otherminds.studies.access import Limits as Limits

__version__ = "0.1.0"

_HOMES = {
    "Automaton": "core.data",
    "MindContext": "core.contracts",
    "Brief": "core.data",
    "SkillChoice": "core.data",
    "Encounter": "core.data",
    "EpisodeSpec": "core.record",
    "Estimate": "measures.intervals",
    "Game": "core.data",
    "InternalError": "core.errors",
    "Invalid": "core.data",
    "Limits": "studies.access",
    "Mind": "core.contracts",
    "Model": "core.model",
    "Moment": "core.data",
    "OtherMindsError": "core.errors",
    "Participant": "core.setup",
    "ProviderError": "core.errors",
    "Question": "core.data",
    "Record": "core.record",
    "ReplyError": "core.errors",
    "Report": "api.scoring",
    "Scenario": "core.scenario",
    "Score": "api.scoring",
    "SeatSpec": "core.record",
    "Setup": "core.setup",
    "StudyError": "core.errors",
    "TaskError": "core.errors",
    "TransientError": "core.errors",
    "UnknownNameError": "core.errors",
    "Verbalizer": "core.contracts",
    "World": "core.world",
    "WorldError": "core.errors",
    "aplay": "api.playing",
    "arun": "api.running",
    "games": "api.catalogue",
    "make": "api.environment",
    "minds": "api.catalogue",
    "models": "api.catalogue",
    "partners": "api.catalogue",
    "play": "api.playing",
    "play_now": "play.loop",
    "report": "api.scoring",
    "run": "api.running",
    "scenarios": "api.catalogue",
    "score": "api.scoring",
    "strategies": "api.catalogue",
}

__all__ = [
    "Automaton",
    "Brief",
    "Encounter",
    "EpisodeSpec",
    "Estimate",
    "Game",
    "InternalError",
    "Invalid",
    "Limits",
    "Mind",
    "MindContext",
    "Model",
    "Moment",
    "OtherMindsError",
    "Participant",
    "ProviderError",
    "Question",
    "Record",
    "ReplyError",
    "Report",
    "Scenario",
    "Score",
    "SeatSpec",
    "Setup",
    "SkillChoice",
    "StudyError",
    "TaskError",
    "TransientError",
    "UnknownNameError",
    "Verbalizer",
    "World",
    "WorldError",
    "__version__",
    "aplay",
    "arun",
    "games",
    "make",
    "minds",
    "models",
    "partners",
    "play",
    "play_now",
    "report",
    "run",
    "scenarios",
    "score",
    "strategies",
]


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
