"""Worked examples for few-shot prompts: situations in another house, with thoughts and the answer."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Brief, Moment, Question, ReceivedMessage, Turn
from otherminds.epistemic.formula import Atom
from otherminds.worlds.household.probes import answer_of, foretold
from otherminds.worlds.household.words import told_secrets

ELSEWHERE: dict[str, Any] = {
    "rooms": {"pantry_90": ["study_90"], "study_90": ["pantry_90"]},
    "furniture": {
        "cabinet_91": {"room": "pantry_90", "is": ["articulated", "container"]},
        "table_92": {"room": "pantry_90", "is": ["surface"]},
        "desk_93": {"room": "study_90", "is": ["surface"]},
    },
}
"""A house of two rooms; no scene has such names."""
TURN = 4
CLOSED = Atom("is_closed", ("cabinet_91",))


class ExampleScene(Struct, frozen=True):
    """A situation: the own secrets, last call and room, where the cup is, and what another says.

    ``thoughts`` lead to ``answer``; ``{other}`` stands for the other agent in both.
    ``opened``: ``cabinet_91`` is. ``of_other``: the probe is about what the other would report.
    """

    secrets: tuple[str, ...]
    call: str
    result: str
    thoughts: str
    answer: str
    room: str = "pantry_90"
    cup: tuple[str, str] | None = None
    opened: bool = True
    said: str = ""
    of_other: bool = False


CHOICES = (
    ExampleScene(
        secrets=("cup_90 must end on table_92.",),
        call="Open[cabinet_91]",
        result="Successful execution! cabinet_91 is now open.",
        cup=("is_inside", "cabinet_91"),
        thoughts=(
            "I was told that cup_90 must end on table_92. It is inside cabinet_91, which is open now "
            "and near me, since I have just opened it. My hand is empty, so I pick the cup up; "
            "table_92 comes after that."
        ),
        answer="Pick[cup_90]",
    ),
    ExampleScene(
        secrets=("You cannot enter study_90.", "cup_90 must end on desk_93.", "You can send 1 message."),
        call="Navigate[table_92]",
        result="Successful execution! You are in pantry_90.",
        cup=("is_on_top", "table_92"),
        said="I am in study_90.",
        thoughts=(
            "desk_93 stands in study_90, which I cannot enter; {other} is there. {other} has not seen "
            "the cup and may not know where it belongs. I have one message, so it must say both."
        ),
        answer='Communicate[{other}, "cup_90 is on table_92. cup_90 must end on desk_93."]',
    ),
    ExampleScene(
        secrets=("cup_90 must end on table_92.",),
        call="Explore[pantry_90]",
        result="Successful execution! You are in pantry_90.",
        thoughts=(
            "I have looked at all of pantry_90, and cabinet_91 is open and empty. The cup must be "
            "somewhere else. The only other room is study_90, and nobody has told me of it. I go and look."
        ),
        answer="Explore[study_90]",
    ),
)
REPORTS = (
    ExampleScene(
        secrets=(),
        call="Close[cabinet_91]",
        result="Successful execution! cabinet_91 is now closed.",
        opened=False,
        thoughts="I closed cabinet_91 myself, in the last turn, and nobody else was there to open it again.",
        answer="it holds",
    ),
    ExampleScene(
        secrets=(),
        call="Close[cabinet_91]",
        result="Successful execution! cabinet_91 is now closed.",
        opened=False,
        said="I am in study_90. cabinet_91 is open.",
        of_other=True,
        thoughts=(
            "I have just closed it, but {other} did not see that: {other} is in study_90, said that "
            "cabinet_91 is open, and I told nobody. So {other} would report that it is open, and not closed."
        ),
        answer="it does not hold",
    ),
    ExampleScene(
        secrets=(),
        call="Explore[study_90]",
        result="Successful execution! You are in study_90.",
        room="study_90",
        thoughts=(
            "cabinet_91 stands in pantry_90. I have never been there, and nobody has told me anything of it."
        ),
        answer="unknown",
    ),
)


def imagined(verbalizer: Verbalizer, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
    """Three examples of choices, or of probes; the first other seat plays the other agent in all of them."""
    scenes = CHOICES if isinstance(about, Turn) else REPORTS
    return tuple(
        f"Example {number}, in another house:\n{_example(verbalizer, one, about, brief)}"
        for number, one in enumerate(scenes, 1)
    )


def _example(verbalizer: Verbalizer, one: ExampleScene, about: Turn | Question, brief: Brief) -> str:
    other, choice = brief.others[0], isinstance(about, Turn)
    question = Question(
        "k_probe_0",
        brief.seat,
        "end",
        f"{f'Predict what {foretold((other,))}' if one.of_other else 'Report'} about: cabinet_91 is closed.",
        tuple(answer_of(CLOSED, holds) for holds in (True, False, None)),
        1 / 3,
        about=other if one.of_other else "",
    )
    asked = verbalizer.ask(Turn() if choice else question, Moment(TURN, None))
    lines = [
        *told_secrets(one.secrets),
        verbalizer.tell(_moment(one, other, not choice)),
        asked.text,
        one.thoughts.format(other=other),
        asked.template.format(one.answer.format(other=other)),
    ]
    return "\n".join(lines)


def _moment(one: ExampleScene, other: str, last: bool) -> Moment:
    """The situation as its seat hears it."""
    seen = one.room == "pantry_90"
    observation = {
        "turn": TURN,
        "call": one.call,
        "result": one.result,
        "worked": True,
        "events": [],
        "room": one.room,
        "holding": [],
        "graph": {
            "objects": {"cup_90": list(one.cup)} if one.cup else {},
            "states": {"cabinet_91": ["is_open" if one.opened else "is_closed"]} if seen else {},
            "agents": {},
        },
        "house": ELSEWHERE,
    }
    return Moment(TURN, observation, told=(ReceivedMessage(other, one.said),) if one.said else (), last=last)
