"""Other Minds: does an agent use what it knows about others, or only say it?

>>> import otherminds
>>> game = otherminds.Game("toy", (("a", "b"), ("x",)), (((1, 0),), ((0, 1),)))
>>> game.flipped().behaviours[0]
('x',)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.core.contracts import Bench as Bench
    from otherminds.core.contracts import Mind as Mind
    from otherminds.core.contracts import Verbalizer as Verbalizer
    from otherminds.core.data import Automaton as Automaton
    from otherminds.core.data import Brief as Brief
    from otherminds.core.data import Do as Do
    from otherminds.core.data import Encounter as Encounter
    from otherminds.core.data import Game as Game
    from otherminds.core.data import Invalid as Invalid
    from otherminds.core.data import Moment as Moment
    from otherminds.core.data import Question as Question
    from otherminds.core.errors import OtherMindsError as OtherMindsError
    from otherminds.core.model import Model as Model
    from otherminds.core.record import EpisodeSpec as EpisodeSpec
    from otherminds.core.record import Record as Record
    from otherminds.core.record import SeatSpec as SeatSpec
    from otherminds.core.scenario import Scenario as Scenario
    from otherminds.core.setup import Participant as Participant
    from otherminds.core.setup import Setup as Setup
    from otherminds.core.world import World as World
    from otherminds.play.loop import play_now as play_now

__version__ = "0.1.0"

_HOMES = {
    "Automaton": "core.data",
    "Bench": "core.contracts",
    "Brief": "core.data",
    "Do": "core.data",
    "Encounter": "core.data",
    "EpisodeSpec": "core.record",
    "Game": "core.data",
    "Invalid": "core.data",
    "Mind": "core.contracts",
    "Model": "core.model",
    "Moment": "core.data",
    "OtherMindsError": "core.errors",
    "Participant": "core.setup",
    "Question": "core.data",
    "Record": "core.record",
    "Scenario": "core.scenario",
    "SeatSpec": "core.record",
    "Setup": "core.setup",
    "Verbalizer": "core.contracts",
    "World": "core.world",
    "play_now": "play.loop",
}

__all__ = [
    "Automaton",
    "Bench",
    "Brief",
    "Do",
    "Encounter",
    "EpisodeSpec",
    "Game",
    "Invalid",
    "Mind",
    "Model",
    "Moment",
    "OtherMindsError",
    "Participant",
    "Question",
    "Record",
    "Scenario",
    "SeatSpec",
    "Setup",
    "Verbalizer",
    "World",
    "__version__",
    "play_now",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that starting is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'otherminds' has no attribute {name!r}")
    return getattr(import_module(f"otherminds.{_HOMES[name]}"), name)
