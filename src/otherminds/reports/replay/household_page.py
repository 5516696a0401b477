"""An episode in the household as one HTML page that needs nothing else: no network, no other file.

The map is drawn here, turn by turn, as the parts of an SVG that change; the browser puts
them in their places. Nothing that an agent or a model said is ever markup: what is said
travels as packed JSON and is shown as text, and the page lets no script run but its own.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import otherminds
from otherminds.core.data import Answer, Seat
from otherminds.core.record import Asked
from otherminds.epistemic.probing import HELPER
from otherminds.epistemic.show import show
from otherminds.reports.household.chart import Chart
from otherminds.reports.household.moment import Moment, Named
from otherminds.reports.household.palette import AGENTS, DARK, LIGHT
from otherminds.reports.household.state import AgentState, falsehoods, words
from otherminds.reports.household.svg import elements, styles
from otherminds.reports.replay.household import Tape, Turn, wishes
from otherminds.reports.replay.minds import minds
from otherminds.reports.replay.page import packed
from otherminds.reports.replay.story import story
from otherminds.worlds.household.probes import Probed

SPEED = 1.0
"""Turns a second."""
SCRIPT = (
    "0_tools.js",
    "household_1_data.js",
    "household_2_map.js",
    "household_3_agents.js",
    "household_4_lanes.js",
    "household_5_sides.js",
    "5_log.js",
    "6_minds.js",
    "household_7_moving.js",
)
"""The parts of one module, in their order."""


def as_household_page(tape: Tape, speed: float = SPEED) -> str:
    """The page, which starts at ``speed`` turns a second."""
    spec, folder = tape.record.spec, files("otherminds.reports.replay")
    script = (
        "\n" + "\n".join((folder / "script" / part).read_text(encoding="utf-8") for part in SCRIPT) + "\n"
    )
    chart = Chart(tape.house.scene)
    count = len(tape.record.seats)
    dark = f"@media (prefers-color-scheme: dark){{{styles(DARK, count, '.map')}}}"
    return Template(folder.joinpath("household.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{spec.title}, seed {spec.seed}"),
        about=escape(_about(tape)),
        task=escape(tape.house.task.task),
        fault=escape(tape.fault),
        look=folder.joinpath("look.css").read_text(encoding="utf-8"),
        marks=styles(LIGHT, count, ".map") + dark,
        size=f"{chart.view.size[0]} {chart.view.size[1]}",
        floors=elements(chart.floors),
        still=elements(chart.still),
        story=packed(json.dumps(_story(tape, chart, speed)).encode()),
        script=script,
        digest=b64encode(sha256(script.encode()).digest()).decode(),
        version=escape(otherminds.__version__),
    )


def _about(tape: Tape) -> str:
    record, task = tape.record, tape.house.task
    outcome = record.outcome
    ended = outcome.status + (f" ({outcome.blame}: {outcome.reason})" if outcome.reason else "")
    solved = "solved" if tape.facts["solved"] else "not solved"
    return (
        f"task {task.task_id}, {task.category}, scene {task.scene_id}; {len(record.actions)} of at most "
        f"{tape.facts['task']['turns']} turns, {solved}, {ended}; episode {record.spec.hash}, body {record.hash[:16]}; "
        + ("departs from the record" if tape.fault else "replayed, with the recorded rewards and texts")
    )


def _story(tape: Tape, chart: Chart, speed: float) -> dict[str, Any]:
    """Everything but the still part of the map, as JSON."""
    record, house = tape.record, tape.house
    named: Named = {}
    moments = [Moment(chart, turn.state, named) for turn in tape.turns]
    probed = Probed(house.goal)
    return {
        "first": tape.first,
        "last": tape.last,
        "speed": speed,
        "seats": [_seat(tape, seat, n) for n, seat in enumerate(record.seats)],
        "mechanics": sorted({binding.mechanic_type for binding in house.task.mechanic_bindings}),
        "turns": [
            {
                "views": elements(moment.views()),
                "moment": elements(moment.marks()),
                "agents": [_agent(turn, seat) for seat in record.seats],
                "holding": turn.holding,
                "known": [turn.known[name] for name in probed.chains if not name.startswith(HELPER)],
            }
            for turn, moment in zip(tape.turns, moments, strict=True)
        ],
        "wishes": [[seat, show(literal)] for seat, literal in wishes(house)],
        "chains": [
            show(chain.formula) for name, chain in probed.chains.items() if not name.startswith(HELPER)
        ],
        "messages": [
            {
                "step": sent.step,
                "sender": record.seats.index(sent.sender),
                "to": sent.to,
                "text": sent.text,
                "reached": [record.seats.index(seat) for seat in sent.reached],
                "why": sent.why,
            }
            for sent in tape.sent
        ],
        "probes": [_probe(tape, asked) for asked in record.asked],
        "happenings": [],
        "minds": minds(record),
        "log": [[line.step, line.kind, line.seats, line.text, line.more, line.right] for line in story(tape)],
    }


def _seat(tape: Tape, seat: Seat, n: int) -> dict[str, Any]:
    """What stays as it is of an agent: who decides for it, what it alone was told, what binds it."""
    spec, house = tape.record.spec, tape.house
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


def _agent(turn: Turn, seat: Seat) -> dict[str, Any]:
    """What is so of an agent after a turn; beliefs as [of what, what is believed, the truth if it is another]."""
    mind, did = turn.state.agents[seat], turn.did.get(seat)
    false = {(one.kind, one.about): one.true for one in falsehoods(turn.state, seat)}
    return {
        "room": mind.room,
        "holds": [
            o
            for o, thing in turn.state.objects.items()
            if (thing.rest.how, thing.rest.where) == ("held", seat)
        ],
        "did": None if did is None else [did.call, did.worked, did.text],
        "beliefs": [[about, believed, false.get((kind, about))] for kind, about, believed in _beliefs(mind)],
    }


def _beliefs(mind: AgentState) -> list[tuple[str, str, str]]:
    return [
        *(("place", o, "somewhere" if rest is None else str(rest)) for o, rest in mind.objects.items()),
        *(("turned", thing, words(said)) for thing, said in mind.turned.items()),
        *(("room", other, f"in {room}") for other, room in mind.others.items()),
    ]


def _probe(tape: Tape, asked: Asked) -> dict[str, Any]:
    """A question at the end with its answer; ``entitled``: the turn since which its chain is known, if it is."""
    record = tape.record
    question = record.questions[asked.question]
    return {
        "seat": record.seats.index(question.seat),
        "helper": question.id.startswith(HELPER),
        "text": question.text,
        "answer": f"invalid: {asked.invalid.reason}" if asked.invalid else answered(asked.answer),
        "truth": "" if asked.truth is None else answered(asked.truth),
        "right": None if asked.truth is None else asked.answer == asked.truth,
        "entitled": tape.facts["entitled"].get(question.id),
    }


def answered(answer: Answer) -> str:
    """A structured answer as one reads it.

    >>> answered({"predicate": "is_open", "holds": False, "args": ["cabinet_3"]})
    'not is_open cabinet_3'
    >>> answered({"predicate": "unknown", "holds": None, "args": []})
    'unknown'
    """
    if not isinstance(answer, dict) or "predicate" not in answer:
        return json.dumps(answer)
    if answer.get("holds") is None:
        return str(answer["predicate"])
    return " ".join([*([] if answer["holds"] else ["not"]), answer["predicate"], *answer.get("args", ())])
