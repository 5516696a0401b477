"""Worked examples for few-shot prompts: situations in another house, with reasoning and the answer."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Brief, Moment, Question, ReceivedMessage, Turn
from otherminds.household.epistemic.formula import Atom
from otherminds.household.probes import answer_of, foretold
from otherminds.household.words import told_secrets

TURN = 4
CLOSED = Atom("is_closed", ("cabinet_91",))


class ExampleScene(Struct, frozen=True, forbid_unknown_fields=True):
    """A situation (``words_examples.toml`` explains its fields)."""

    call: str
    result: str
    thoughts: str
    answer: str
    secrets: tuple[str, ...] = ()
    room: str = "pantry_90"
    cup: tuple[str, str] | None = None
    opened: bool = True
    said: str = ""
    of_other: bool = False


class ExampleScenes(Struct, frozen=True):
    """The situations for choices and for probes, and their house, whose names no scene has."""

    house: dict[str, Any]
    choices: tuple[ExampleScene, ...]
    reports: tuple[ExampleScene, ...]


_FILE = files("otherminds.household") / "words_examples.toml"
SCENES = msgspec.toml.decode(_FILE.read_bytes(), type=ExampleScenes)
ELSEWHERE = SCENES.house


def imagine_examples(verbalizer: Verbalizer, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
    """Three examples of choices or of probes; the first other seat is the other agent in all of them."""
    scenes = SCENES.choices if isinstance(about, Turn) else SCENES.reports
    texts = (_example(verbalizer, scene, about, brief) for scene in scenes)
    return tuple(f"Example {number}, in another house:\n{text}" for number, text in enumerate(texts, 1))


def _example(verbalizer: Verbalizer, scene: ExampleScene, about: Turn | Question, brief: Brief) -> str:
    other, choice = brief.others[0], isinstance(about, Turn)
    question = Question(
        "k_probe_0",
        brief.seat,
        "end",
        f"{f'Predict what {foretold((other,))}' if scene.of_other else 'Report'} about: cabinet_91 is closed.",
        tuple(answer_of(CLOSED, holds) for holds in (True, False, None)),
        1 / 3,
        about=other if scene.of_other else "",
    )
    ask = verbalizer.ask(Turn() if choice else question, Moment(TURN, None))
    lines = [
        *told_secrets(scene.secrets),
        verbalizer.tell(_moment(scene, other, not choice)),
        ask.text,
        scene.thoughts.format(other=other),
        ask.template.format(scene.answer.format(other=other)),
    ]
    return "\n".join(lines)


def _moment(scene: ExampleScene, other: str, last: bool) -> Moment:
    in_pantry = scene.room == "pantry_90"
    observation = {
        **{"turn": TURN, "call": scene.call, "result": scene.result, "worked": True, "events": []},
        **{"room": scene.room, "holding": []},
        "graph": {
            "objects": {"cup_90": list(scene.cup)} if scene.cup else {},
            "states": {"cabinet_91": ["is_open" if scene.opened else "is_closed"]} if in_pantry else {},
            "agents": {},
        },
        "house": ELSEWHERE,
    }
    return Moment(
        TURN, observation, told=(ReceivedMessage(other, scene.said),) if scene.said else (), last=last
    )
