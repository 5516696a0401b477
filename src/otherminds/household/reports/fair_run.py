"""The run that shows that a task is fair, turn by turn: the episode of level 3 in the simulator, and its map.

The episode is that of the certificate, confirmed by the simulator, or else the team plays again.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from otherminds.household.epistemic.certificate import TeamEpisode
from otherminds.household.epistemic.check import RejectedError
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.house import House
from otherminds.household.proofs.fairness import LEVELS, team_episode, turn_by_turn
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.marks import Mark, Outline, Style, TextLine
from otherminds.household.reports.moment import ChartMoment, Named
from otherminds.household.reports.replay import HouseFrame, house_frame, wishes
from otherminds.household.reports.state import MapState
from otherminds.household.reports.svg import elements
from otherminds.household.scenes.plane import bounds, footprint

TEAM = LEVELS[-1]
"""The team whose run decides whether a task is fair."""
FOCUS = Style(size=15, bold=True)
"""The size of the names of furniture that a task is about."""


@dataclass(frozen=True)
class FairRun:
    """A run of T turns as T + 1 frames.

    ``certified`` says that its calls are those of an episode that was given, and ``fault`` is the simulator's reason to
    reject it.
    """

    frames: tuple[HouseFrame, ...]
    messages: tuple[Sent, ...]
    solved: bool
    certified: bool
    fault: str = ""


def fair_run(house: House, episodes: tuple[TeamEpisode, ...] = ()) -> FairRun:
    """The run of :data:`TEAM` among ``episodes``; without one, the team plays.

    Raises:
        InternalError: a mind of the team fails.
    """
    team_episodes = [episode for episode in episodes if episode.team == TEAM]
    goals, frames, fault = wishes(house), list[HouseFrame](), ""
    worlds = turn_by_turn(house, team_episodes[0] if team_episodes else team_episode(house, TEAM))
    world = next(worlds)
    frames.append(house_frame(world, goals, 0))
    try:
        for step, after in enumerate(worlds, 1):
            frames.append(house_frame(after, goals, step))
    except RejectedError as error:
        fault = str(error)
    happened = world.happened()
    return FairRun(tuple(frames), happened.messages, happened.solved, bool(team_episodes), fault)


class RunMap:
    """The map of a run: ``marks`` are SVG elements, and ``turns`` says which of them each frame shows, in order.

    It shows the agents, and of objects and states only those in ``named`` and those that change in the run.
    """

    def __init__(self, chart: Chart, frames: tuple[HouseFrame, ...], names: frozenset[str]) -> None:
        states = [frame.state for frame in frames]
        start = states[0]
        visible = names.union(
            *({o for o, place in state.objects.items() if place != start.objects[o]} for state in states),
            *({f for f, _ in state.turned.items() ^ start.turned.items()} for state in states),
        )
        labels: Named = {}
        numbers: dict[str, int] = {}
        self.turns: list[list[int]] = []
        for state in states:
            # The names are larger on this page than on other maps, and must not be covered.
            marks = sorted(
                ChartMoment(chart, _only(state, visible), labels).marks(),
                key=lambda mark: isinstance(mark, TextLine),
            )
            self.turns.append([numbers.setdefault(elements([mark]), len(numbers)) for mark in marks])
        self.marks = [*numbers]


def highlights(chart: Chart, goal_names: frozenset[str], bound: frozenset[str]) -> list[Mark]:
    """The outlines and names of furniture in the goal (``goal_names``) and, if not there, of furniture that mechanics bind."""
    kinds = {**dict.fromkeys(bound, "bound"), **dict.fromkeys(goal_names, "wanted")}
    words = {"bound": "bound by a mechanic", "wanted": "in the goal"}
    pieces = chart.scene.geometry.furniture
    outlines = {f: chart.view.outline(footprint(pieces[f].box)) for f in pieces if f in kinds}
    labels = chart.labels.copy()
    for outline in outlines.values():
        labels.block(bounds(outline))
    marks: list[Mark] = []
    for f, outline in outlines.items():
        marks.append(Outline(kinds[f], outline, title=f"{f}: {words[kinds[f]]}"))
        x0, y0, x1, y1 = bounds(outline)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        place, _ = labels.place(f, FOCUS, middle, ((x1 - x0) / 2, (y1 - y0) / 2))
        marks.append(TextLine("focus-name", place, f))
    return marks


def _only(state: MapState, names: frozenset[str]) -> MapState:
    """A moment with these things alone, and agents without beliefs."""
    return MapState(
        {o: placement for o, placement in state.objects.items() if o in names},
        {entity: states for entity, states in state.turned.items() if entity in names},
        {
            agent: structs.replace(mind, objects={}, turned={}, others={})
            for agent, mind in state.agents.items()
        },
    )
