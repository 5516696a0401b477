"""Replay of an episode of encounters: a row for each in a terminal, and the map of the house with every turn on a page.

The record has the contexts, what ego did and where the partner went. All of it is played in the household engine once more for the
page: the context, ego's first choice where it changes what the partner knows, and the walk of both to their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from msgspec import Struct
from rich.box import SIMPLE_HEAD
from rich.table import Table

from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.household.acted_beliefs.contexts import AGENTS, EGO, PARTNER
from otherminds.household.acted_beliefs.played import KITCHEN, PLACES, THING, WAITING, build_house
from otherminds.household.acted_beliefs.replayed import (
    EpisodeReplay,
    ShownEncounter,
    find_departure,
    replay_encounters,
)
from otherminds.household.acted_beliefs.rules import FACT, EncounterRules
from otherminds.household.acted_beliefs.turns import EncounterFrame, play_frames
from otherminds.household.acted_beliefs.words import describe_payoffs
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.map import ChartMoment, Named, elements, styles
from otherminds.household.reports.marks import AGENTS as COLOURS
from otherminds.household.reports.marks import DARK, LIGHT, MARGIN, TextLine
from otherminds.household.scenes.plane import bounds
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.general import SPEEDS, list_seats, renumber_steps
from otherminds.reports.replay.replays import (
    RIGHT,
    WRONG,
    Happening,
    Playback,
    describe_arm,
    ended,
    minds,
    replays,
    story,
)

SPEED = 1.0
"""Turns a second."""
PACKAGE = "otherminds.household.acted_beliefs"
ENCOUNTERS = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:replay.js", "timeline.js", "stops.js"))
BESIDE = 130
"""Pixels of the partner's room that are shown beside it."""
LONGEST_REPLY = 300
"""Characters of a reply without a place that are shown in a terminal; `--prompts` shows it whole."""
MARKS = {True: "right", False: "wrong", None: ""}
BELIEF = {True: "true", False: "false"}


class Fact(NamedTuple):
    """A line on an encounter. ``kind`` is ``right`` or ``wrong`` of a prediction, ``true`` or ``false`` of a belief, or empty."""

    label: str
    words: str
    kind: str = ""


def list_facts(encounter: ShownEncounter) -> list[Fact]:
    """What is shown of an encounter; what is unknown or does not apply has no words."""
    names, view = encounter.rules.names, encounter.context.view
    thinks = f"{names[encounter.find_belief(view)]} ({BELIEF[encounter.knows]})"
    if any(kind.order > 1 for kind in encounter.rules.tables.types):
        thinks += f", and that {EGO} thinks {names[view.thinks[1]]}"
    went, earned = ("", "") if encounter.place is None else (names[encounter.place], f"{encounter.earned:g}")
    return [
        Fact("shown before the choice", encounter.notice),
        Fact(f"{THING} is on", names[encounter.context.now]),
        Fact(f"{PARTNER} thinks", thinks, BELIEF[encounter.knows]),
        Fact(
            f"{EGO} predicted",
            encounter.predicted or ("unread" if encounter.unread else ""),
            MARKS[encounter.right],
        ),
        Fact(f"{EGO} chose", ", then ".join(encounter.chosen)),
        Fact(f"{PARTNER} went to", went),
        Fact("earned", earned),
    ]


def print_encounters(replay: EpisodeReplay) -> Iterator[str | Table]:
    """A row for each encounter, what stopped the episode, and what it comes to."""
    yield _describe_game(replay.rules)
    rows = [list_facts(encounter) for encounter in replay.encounters]
    columns = [column for column in zip(*rows, strict=True) if any(fact.words for fact in column)]
    table = Table("", box=SIMPLE_HEAD, padding=0)
    table.add_column("what happened", overflow="fold")
    for column in columns:
        narrow = not any(" " in fact.words for fact in column)
        table.add_column(
            column[0].label.replace(" ", "\n" if narrow else " "), no_wrap=narrow, overflow="fold"
        )
    signs = {"right": f" {RIGHT}", "wrong": f" {WRONG}"}
    for encounter, *cells in zip(replay.encounters, *columns, strict=True):
        table.add_row(
            str(encounter.number + 1),
            encounter.story,
            *(fact.words + signs.get(fact.kind, "") for fact in cells),
        )
    yield table
    for encounter in replay.encounters:
        if encounter.unread:
            yield f"encounter {encounter.number + 1}, the reply to the question: {shorten(encounter.unread, LONGEST_REPLY)}"
    yield from (f"{label}: {words}" for label, words, _ in _list_stop(replay))
    yield from summarise_encounters(replay)


def _list_stop(replay: EpisodeReplay) -> list[Fact]:
    """Why the last encounter was not played to its end, and the reply that stopped it."""
    stopped = replay.stopped
    if stopped is None:
        return []
    number = stopped.step // replay.rules.stage.steps + 1
    why = Fact(f"encounter {number} was not played to its end", stopped.reason, "false")
    return [why, Fact("the reply", stopped.reply)] if stopped.reply else [why]


def _describe_game(rules: EncounterRules) -> str:
    return f"{rules.game}, as {EGO} is told: {describe_payoffs(rules.stage)}"


def summarise_encounters(replay: EpisodeReplay) -> list[str]:
    """Who the partner is, and what predictions and payoffs come to, in sentences."""
    arm = describe_arm(replay.record)
    lines = [arm] if arm else []
    kinds = dict.fromkeys(encounter.kind for encounter in replay.encounters if encounter.kind)
    for kind in kinds:
        lines.append(
            f"{PARTNER} ({kind.name}) {kind.about}{f'; “you” is {EGO}' if 'you' in kind.about else ''}."
        )
    for knows, belief in BELIEF.items():
        answers = [
            encounter.right is True
            for encounter in replay.encounters
            if encounter.knows == knows and (encounter.predicted or encounter.unread)
        ]
        if answers:
            right = f"{sum(answers)} of {len(answers)} right"
            lines.append(f"Predictions with a {belief} belief of {PARTNER}: {right}.")
    return lines


class EncounterLog(Struct, frozen=True):
    """What the log of the page is made of; steps are turns of the page."""

    record: Record
    happenings: tuple[Happening, ...]
    last: int
    first: int = 0


def as_encounters_page(replay: EpisodeReplay, fault: str = "", speed: float = SPEED) -> str:
    """The page, which starts at ``speed`` turns a second; ``fault`` says where the episode departs from its record."""
    record, rules = replay.record, replay.rules
    chart = Chart(build_house(PLACES[0]).scene)
    names = {*PLACES, KITCHEN, *WAITING.values()}
    still = (mark for mark in chart.still if not isinstance(mark, TextLine) or mark.text in names)
    (left, top, _, _), (_, _, _, bottom) = (
        bounds(chart.view.outline(chart.scene.geometry.rooms[room].polygon))
        for room in (KITCHEN, WAITING[EGO])
    )
    right = chart.view.at(chart.scene.tables.spots[f"centre:{WAITING[PARTNER]}"])[0] + BESIDE
    about = (
        f"{list_seats(record)}; {sum(encounter.place is not None for encounter in replay.encounters)} encounters, {ended(record)}; "
        f"episode {record.spec.hash}, body {record.hash[:16]}; "
        f"{'departs from the record' if fault else 'replayed, with the recorded contexts and rewards'}"
    )
    dark = f"@media (prefers-color-scheme: dark){{{styles(DARK, len(AGENTS), '.map')}}}"
    parts = {
        "fault": fault,
        "game": _describe_game(rules),
        "summary": summarise_encounters(replay),
        "unit": "turn",
        "stop": "encounter",
        "speeds": sorted({*SPEEDS, speed}),
        "speed": speed,
        "marks": styles(LIGHT, len(AGENTS), ".map") + dark,
        "box": f"{left - MARGIN:g} {top - 2 * MARGIN:g} {right - left + MARGIN:g} {bottom - top + 2.5 * MARGIN:g}",
        "floors": elements(chart.floors),
        "still": elements(still),
    }
    return standalone(ENCOUNTERS, record, about, parts, {"story": _story(replay, chart, speed)})


def _story(replay: EpisodeReplay, chart: Chart, speed: float) -> dict[str, Any]:
    """Everything but the still part of the map, as JSON."""
    record, rules = replay.record, replay.rules
    frames = [frame for encounter in replay.encounters for frame in play_frames(encounter)]
    cache: Named = {}
    moments = [ChartMoment(chart, frame.state, cache) for frame in frames]
    moved = _count_in_turns(record, frames, rules.stage.steps)
    texts = [
        Happening(n, "event", (), frame.text, stop=True)
        for n, frame in enumerate(frames)
        if not n or frame.text != frames[n - 1].text
    ]
    last = len(frames) - 1
    return {
        "first": 0,
        "last": last,
        "speed": speed,
        "planned": len(rules.contexts),
        "unit": "encounter" if rules.stage.steps == 1 else "step",
        "seats": [_seat(record, agent, n) for n, agent in enumerate(AGENTS)],
        "turns": [
            {
                "encounter": frame.encounter,
                "text": frame.text,
                "views": elements(moment.views()),
                "moment": elements(moment.marks()),
                "agents": frame.agents,
            }
            for frame, moment in zip(frames, moments, strict=True)
        ],
        "encounters": [
            {
                "step": next(n for n, frame in enumerate(frames) if frame.encounter == encounter.number),
                **_outline(encounter, replay),
            }
            for encounter in replay.encounters
        ],
        "happenings": [],
        "minds": minds(moved),
        "log": story(EncounterLog(moved, tuple(texts), last)),
    }


def _count_in_turns(record: Record, frames: Sequence[EncounterFrame], steps: int) -> Record:
    """The record with the turn of the page at which each step begins in place of the step."""
    begins: dict[int, int] = {}
    for turn, frame in enumerate(frames):
        for step in range(frame.step, steps):
            begins[frame.encounter * steps + step] = turn
    last = len(frames) - 1
    return renumber_steps(record, lambda step: begins.get(step, last))


def _seat(record: Record, agent: str, number: int) -> dict[str, Any]:
    seated = record.spec.seats.get(agent)
    return {
        "name": agent,
        "mind": seated.called if seated else "a third hand",
        "colour": COLOURS[number],
        "grants": [*record.spec.grants.get(agent, ())],
    }


def _outline(encounter: ShownEncounter, replay: EpisodeReplay) -> dict[str, Any]:
    """An encounter in short; ``share`` is the part of the largest payoff, ``right`` is ``None`` without a known prediction."""
    game, finished = encounter.rules.stage, encounter.place is not None
    unread = [Fact("the reply to the question", encounter.unread)] if encounter.unread else []
    facts = [
        Fact("what happened", encounter.story),
        *list_facts(encounter),
        *unread,
        *([] if finished else _list_stop(replay)),
    ]
    return {
        "right": encounter.right,
        "earned": encounter.earned if finished else None,
        "share": (encounter.earned - game.least) / (game.most - game.least) if finished else 0.0,
        "facts": [fact for fact in facts if fact.words],
    }


class EncountersReplay:
    """Encounters: a table by the record alone, and a page with the map, for which they are played again."""

    def shows(self, record: Record, world: World | None) -> bool:
        return FACT in record.facts

    def text(self, record: Record) -> Iterator[str | Table]:
        yield list_seats(record)
        yield from print_encounters(replay_encounters(record))

    def play(self, record: Record) -> Playback:
        replay, fault = replay_encounters(record), find_departure(record)
        return Playback(lambda speed: as_encounters_page(replay, fault, speed or SPEED), fault)


replays.add("acted_beliefs", EncountersReplay())
