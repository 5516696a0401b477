"""Replay of an episode of the household, with the states, beliefs, acts and messages of each turn, and its HTML page.

The map is drawn here, turn by turn, as the parts of an SVG that change; the browser puts them in their places. Nothing that an
agent or a model said is ever markup: what is said travels as packed JSON and is shown as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from rich.table import Table

from otherminds.core.data import HELPER, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Asked, Record
from otherminds.core.scenario import Scenario, World
from otherminds.household.epistemic.formula import Literal, physical, probed, show
from otherminds.household.epistemic.household_facts import Act, HouseholdFacts
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.measures.trace import PARTS
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.map import ChartMoment, Named, elements, styles
from otherminds.household.reports.marks import AGENTS, DARK, LIGHT
from otherminds.household.reports.state import MapState, Rest, falsehoods, taken, words
from otherminds.household.world import HouseholdWorld
from otherminds.measures.registry import in_words
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.general import CallResult, list_seats, tabulate_calls
from otherminds.reports.replay.replays import (
    Again,
    Happening,
    Playback,
    answered,
    ended,
    minds,
    replays,
    story,
)


@dataclass(frozen=True)
class HouseFrame:
    """The house after a number of turns.

    ``did`` are the acts of the last turn, by seat (empty at the start; without seats that are done); ``holding`` says for
    the goal's physical literals and then for each seat's private ones whether they hold; ``known`` says for each probe
    whether its chain is known by the log.
    """

    state: MapState
    did: Mapping[Seat, Act]
    holding: tuple[bool, ...]
    known: Mapping[str, bool]


@dataclass(frozen=True)
class HouseReplay:
    """An episode of T turns as T + 1 frames. ``fault`` describes the first difference to the record."""

    record: Record
    house: House
    turns: tuple[HouseFrame, ...]
    facts: HouseholdFacts
    fault: str = ""
    first: int = 0

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self.turns) - 1

    @property
    def happenings(self) -> tuple[Happening, ...]:
        """All calls with their results, and all messages, for the log."""
        seats = self.record.seats
        happenings: list[Happening] = []
        for step, turn in enumerate(self.turns):
            for seat, did in turn.did.items():
                kind = "call" if did.ok else "failed call"
                text = f"{did.call} → {did.text}"
                happenings.append(Happening(step, kind, (seats.index(seat),), text, stop=True))
        for sent in self.facts.messages:
            whom = (seats.index(sent.sender), *map(seats.index, sent.delivered))
            why = "" if sent.delivered else f" ({sent.why})"
            kind = "message" if sent.delivered else "blocked message"
            happenings.append(
                Happening(sent.turn + 1, kind, whom, f"to {sent.to}: {sent.text}{why}", stop=True)
            )
        return tuple(happenings)


def wishes(house: House) -> tuple[tuple[Seat, Literal], ...]:
    """The physical literals of the goal, with an empty seat, and then those of private goals."""
    private = ((seat, literal) for seat, goal in house.private.items() for literal in physical(goal))
    return (*(("", literal) for literal in physical(house.goal)), *private)


def household_again(record: Record, scenario: Scenario | None = None) -> HouseReplay:
    """Replays ``record`` in ``scenario``, or else in the scenario that it names.

    Rewards are compared at each step and, if the record has its log, the messages to agents.

    Raises:
        StudyError: its world is not the household, or there is no such scenario.
    """
    played = Again(record, scenario)
    world = played.world
    if not isinstance(world, HouseholdWorld):
        raise StudyError(f"{record.spec.scenario!r} is not in the household; see `otherminds replay --help`")
    goals = wishes(world.house)
    turns = [house_frame(world, goals, 0)]
    turns += [house_frame(world, goals, step) for step in played.steps()]
    recorded = record.facts.get("log")
    if recorded is not None:
        for act, logged in zip(world.log, msgspec.convert(recorded, tuple[Act, ...]), strict=False):
            if act != logged:
                played.found(
                    f"in turn {logged.turn + 1} the replay is not what was recorded: {logged.seat} was told "
                    f"{logged.text!r} after {logged.call!r}, but receives {act.text!r} in the replay"
                )
    return HouseReplay(record, world.house, tuple(turns), world.happened(), played.fault)


def house_frame(world: HouseholdWorld, goals: tuple[tuple[Seat, Literal], ...], step: int) -> HouseFrame:
    """The house after ``step`` turns; ``goals`` are its :func:`wishes`."""
    engine = world.engine
    did = {act.seat: act for act in world.log if act.turn == step - 1}
    knowledge = {name: since is not None for name, since in world.entitled.facts().items()}
    return HouseFrame(taken(engine), did, tuple(holds(engine, literal) for _, literal in goals), knowledge)


SPEED = 1.0
"""Turns a second."""
SPEEDS = (0.5, 1, 2, 5, 10)
"""Turns a second that one may choose."""
PACKAGE = "otherminds.household.reports"
HOUSEHOLD = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:script/replay.js", "timeline.js", "stops.js"))


def as_household_page(house_replay: HouseReplay, speed: float = SPEED) -> str:
    """The page, which starts at ``speed`` turns a second."""
    chart = Chart(house_replay.house.scene)
    count = len(house_replay.record.seats)
    dark = f"@media (prefers-color-scheme: dark){{{styles(DARK, count, '.map')}}}"
    return standalone(
        HOUSEHOLD,
        house_replay.record,
        _about(house_replay),
        {
            "fault": house_replay.fault,
            "task": house_replay.house.task.task,
            "unit": "turn",
            "stop": "message",
            "speeds": sorted({*SPEEDS, speed}),
            "speed": speed,
            "marks": styles(LIGHT, count, ".map") + dark,
            "size": f"{chart.view.size[0]} {chart.view.size[1]}",
            "floors": elements(chart.floors),
            "still": elements(chart.still),
        },
        {"story": _story(house_replay, chart, speed)},
    )


def _about(house_replay: HouseReplay) -> str:
    record, task, facts = house_replay.record, house_replay.house.task, house_replay.facts
    solved = "solved" if facts.solved else "not solved"
    how = "departs from the record" if house_replay.fault else "replayed, with the recorded rewards and texts"
    return (
        f"{', '.join((f'task {task.task_id}', task.category, *task.lacks))}, scene {task.scene_id}; "
        f"{len(record.actions)} of at most {facts.task.turns} turns, {solved}, {ended(record)}; "
        f"episode {record.spec.hash}, body {record.hash[:16]}; {how}"
    )


def _story(house_replay: HouseReplay, chart: Chart, speed: float) -> dict[str, Any]:
    """Everything but the still part of the map, as JSON."""
    record, house = house_replay.record, house_replay.house
    cache: Named = {}
    moments = [ChartMoment(chart, turn.state, cache) for turn in house_replay.turns]
    goal = {name: chain for name, chain in probed(house.goal).items() if not name.startswith(HELPER)}
    return {
        "first": house_replay.first,
        "last": house_replay.last,
        "speed": speed,
        "seats": [_seat(house_replay, seat, n) for n, seat in enumerate(record.seats)],
        "turns": [
            {
                "views": elements(moment.views()),
                "moment": elements(moment.marks()),
                "agents": [_agent(turn, seat) for seat in record.seats],
                "holding": turn.holding,
                "known": [turn.known[name] for name in goal],
            }
            for turn, moment in zip(house_replay.turns, moments, strict=True)
        ],
        "wishes": [[seat, show(literal)] for seat, literal in wishes(house)],
        "chains": [show(chain.formula) for chain in goal.values()],
        "messages": [
            {
                "step": sent.turn + 1,
                "sender": record.seats.index(sent.sender),
                "to": sent.to,
                "text": sent.text,
                "reached": [record.seats.index(seat) for seat in sent.delivered],
                "why": sent.why,
            }
            for sent in house_replay.facts.messages
        ],
        "probes": [_probe(house_replay, answer) for answer in record.asked],
        "happenings": [],
        "minds": minds(record),
        "log": story(house_replay),
    }


def _seat(house_replay: HouseReplay, seat: Seat, n: int) -> dict[str, Any]:
    """What stays as it is of an agent: who decides for it, what it alone was told, what binds it."""
    spec, house = house_replay.record.spec, house_replay.house
    limit = house.limits[seat]
    return {
        "name": seat,
        "mind": spec.seats[seat].called,
        "colour": AGENTS[n % len(AGENTS)],
        "grants": list(spec.grants.get(seat, ())),
        "secrets": list(house.task.agent_secrets.get(seat, ())),
        "binds": [
            f"may write to {', '.join(house.talk[seat]) or 'nobody'}",
            *([f"may send {limit} message{'' if limit == 1 else 's'}"] if limit is not None else []),
            *([f"may not enter {', '.join(sorted(house.barred[seat]))}"] if house.barred[seat] else []),
        ],
    }


def _agent(turn: HouseFrame, seat: Seat) -> dict[str, Any]:
    """What is so of an agent after a turn; beliefs as [of what, what is believed, the truth if it is another]."""
    mind, did = turn.state.agents[seat], turn.did.get(seat)
    false = {(falsehood.kind, falsehood.about): falsehood.true for falsehood in falsehoods(turn.state, seat)}
    beliefs = (
        *(("place", o, "somewhere" if place is None else str(place)) for o, place in mind.objects.items()),
        *(("turned", entity, words(states)) for entity, states in mind.turned.items()),
        *(("room", other, f"in {room}") for other, room in mind.others.items()),
    )
    return {
        "room": mind.room,
        "holds": [o for o, placement in turn.state.objects.items() if placement.rest == Rest("held", seat)],
        "did": None if did is None else [did.call, did.ok, did.text],
        "beliefs": [[about, believed, false.get((kind, about))] for kind, about, believed in beliefs],
    }


def _probe(house_replay: HouseReplay, answer: Asked) -> dict[str, Any]:
    """A question at the end with its answer: ``known`` is what the log says of its truth, ``role`` what it is for."""
    record = house_replay.record
    question = record.questions[answer.question]
    tests, of_log = house_replay.facts.tests.values(), house_replay.facts.questions.get(question.id)
    foil = any(question.id in test.foils for test in tests)
    probe = any(question.id == test.probe for test in tests)
    return {
        "seat": record.seats.index(question.seat),
        "role": "probe" if probe else "foil" if foil else "helper",
        "text": question.text,
        "answer": f"invalid: {answer.invalid.reason}" if answer.invalid else answered(answer.answer),
        "truth": "" if answer.truth is None else answered(answer.truth),
        "right": None if answer.truth is None else answer.answer == answer.truth,
        "known": of_log.truth if of_log else "",
    }


class HouseholdReplay:
    """The household: a table of calls with their results, and a page with the map."""

    def shows(self, record: Record, world: World | None) -> bool:
        return isinstance(world, HouseholdWorld) or (in_words(record) and record.facts.keys() >= PARTS)

    def text(self, record: Record) -> Iterator[str | Table]:
        yield f"{list_seats(record)}; drawn: {record.drawn}"
        log = {(act["turn"], act["seat"]): act for act in record.facts["log"]}
        yield tabulate_calls(
            record, {at: CallResult(act.get("text", ""), act.get("ok", True)) for at, act in log.items()}
        )

    def play(self, record: Record) -> Playback:
        house_replay = household_again(record)
        return Playback(lambda speed: as_household_page(house_replay, speed or SPEED), house_replay.fault)


replays.add("household", HouseholdReplay())
