"""Secrets by two writers who had not seen the reader, and traps: what is read is right, and what is doubtful stays unread.

``two_writers.jsonl`` has the secrets of 14 tasks with their meanings, by a writer of plain and one of colloquial English. Tasks
of the half ``tuned`` were looked at while the reader was extended; of the half ``held``, only what was read wrongly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, Know
from otherminds.household.epistemic.words.free.grammar import Vocabulary
from otherminds.household.epistemic.words.free.plainer import phrases
from otherminds.household.epistemic.words.free.release import Admitted, Confined, Linked, Told, Unreached
from otherminds.household.epistemic.words.free.worded import read_sentences
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from tests.cases import for_each, thinned
from tests.household.epistemic.words.test_worded import nested, parts

Part = tuple[Any, ...]
FOLDER = Path(__file__).parent
TASKS = [json.loads(row) for row in (FOLDER / "two_writers.jsonl").read_text("utf-8").splitlines()]
TRAPS = [
    json.loads(row)["text"] for row in (FOLDER / "colloquial_traps.jsonl").read_text("utf-8").splitlines()
]
ME = "agent_0"
HOUSE = Vocabulary(
    frozenset({"kitchen_1", "bedroom_1", "bedroom_2", "closet_1", "living_room_1"}),
    frozenset(
        {
            "cabinet_31",
            "cabinet_28",
            "table_4",
            "counter_29",
            "fridge_14",
            "chest_of_drawers_20",
            "washer_dryer_3",
        }
    ),
    frozenset({"picture_frame_5", "mug_2", "tray_0", "candle_3"}),
    frozenset({"agent_0", "agent_1", "agent_2"}),
)


class Score(Struct):
    """Counts over sentences: those that mean something and are read in full, traps, and parts of meaning."""

    sentences: int = 0
    in_full: int = 0
    traps: int = 0
    traps_read: int = 0
    wanted: int = 0
    read: int = 0
    right: int = 0


def vocabulary(task: dict[str, Any]) -> Vocabulary:
    floors = [f"floor_{room}" for room in task["rooms"]]
    return Vocabulary(
        frozenset(task["rooms"]),
        frozenset((*task["furniture"], *floors)),
        frozenset(task["objects"]),
        frozenset(task["agents"]),
    )


def told(text: str, me: str = ME, names: Vocabulary = HOUSE) -> Told:
    return tuple(one for _, several in read_sentences(text, me, names) for one in several)


def stated(given: Told, me: str, names: Vocabulary) -> Iterator[Part]:
    """What was read, room by room and agent by agent, in the parts of the data; "a teammate" of two agents is the other."""
    others = sorted(names.agents - {me})
    for one in given:
        match one:
            case Admitted(agent, rooms):
                yield from (("enter", agent, room) for room in rooms)
            case Barred(agent, ()):
                yield from (("enter", agent, room) for room in names.rooms)
            case Confined(agent, rooms):
                yield from (("bar", agent, room) for room in names.rooms - set(rooms))
            case Reaches(agent, targets) | Linked(agent, targets):
                yield from (("link", agent, to) for to in targets)
            case MessageBudget("all", count):
                yield from (("budget", agent, count) for agent in names.agents)
            case _:
                for part in parts((one,), me):
                    yield tuple(
                        text.replace("?", others[0]) if isinstance(text, str) and len(others) == 1 else text
                        for text in part
                    )


def score(writer: str, half: str, reader: Any = told) -> Score:
    """The counts for the tasks of a writer in a half; ``reader`` is called as :func:`told`."""
    counts = Score()
    for task in TASKS:
        if (task["writer"], task["half"]) != (writer, half):
            continue
        names = vocabulary(task)
        for row in task["sentences"]:
            meaning = {tuple(part) for part in row["means"]}
            read = set(stated(reader(row["text"], row["reader"], names), row["reader"], names))
            counts.sentences += bool(meaning)
            counts.in_full += bool(meaning) and read == meaning
            counts.traps += not meaning
            counts.traps_read += bool(read) and not meaning
            counts.wanted += len(meaning)
            counts.read += len(read)
            counts.right += len(meaning & read)
    return counts


@pytest.mark.parametrize(
    ("writer", "half", "recall"),
    thinned(
        [
            ("plain", "held", 0.66),
            ("plain", "tuned", 0.84),
            ("colloquial", "tuned", 0.83),
            ("colloquial", "held", 0.25),
        ],
        2,
    ),
)
def test_what_two_strangers_wrote_is_never_read_wrongly(writer: str, half: str, recall: float) -> None:
    counts = score(writer, half)
    assert counts.traps_read == 0
    assert counts.right == counts.read
    assert counts.right / counts.wanted >= recall


def test_traps_are_not_read() -> None:
    assert {text: told(text) for text in TRAPS if told(text)} == {}


BASES: dict[str, Told] = {
    "You cannot enter the kitchen": (Barred(ME, ("kitchen_1",)),),
    "Cabinet 31 must be open at the end": (words.Must(Atom("is_open", ("cabinet_31",))),),
    "The mug is on table 4": (words.Fact(Atom("is_on_top", ("mug_2", "table_4"))),),
}


@for_each("filler", phrases("FILLERS"), every=6)
def test_a_phrase_that_changes_nothing_is_left_out_before_any_statement(filler: str) -> None:
    if any(mark in filler for mark in "([+?"):
        return
    for base, meaning in BASES.items():
        assert told(f"{filler.capitalize()}, {base[0].lower()}{base[1:]}.") == meaning, base


@for_each("word", phrases("OPERATORS"), every=8)
def test_an_event_with_a_word_that_hedges_or_denies_is_not_the_end(word: str) -> None:
    assert (
        told("Cabinet 31 must be open by the time the guest arrives.")
        == BASES["Cabinet 31 must be open at the end"]
    )
    assert told(f"Cabinet 31 must be open by the time the guest {word} arrives.") == ()
    assert told(f"Since the floor {word} is wet, you cannot enter the kitchen.") == ()


@for_each(
    "text",
    [
        *(f"Cabinet 31 must not be {state} before the guest arrives." for state in ("open", "closed")),
        *(
            f"You cannot enter the kitchen {joint} cabinet 31 is open."
            for joint in ("while", "when", "until", "if")
        ),
        *(f"The mug lies in cabinet 31, {word} is open." for word in ("that", "who")),
        *(
            f"Cabinet 31 controls fridge 14: {act} fridge 14 {acts} cabinet 31."
            for act, acts in (("opening", "opens"), ("closing", "closes"))
        ),
        *(
            "The mug is open.",
            "The mug must be closed at the end.",
            "The tray is on the mug.",
            "You want the mug to be open at the end.",
        ),
        *(f"You {modal} stay out of the kitchen." for modal in ("should", "had better", "ought perhaps to")),
    ],
)
def test_a_sentence_whose_parts_change_one_another_stays_unread(text: str) -> None:
    assert told(text) == ()


def test_a_clause_with_which_is_about_the_name_before_it() -> None:
    closed = words.Fact(Atom("is_closed", ("cabinet_31",)))
    for place in ("lies in", "is in", "is inside", "is stored in"):
        assert set(told(f"The mug {place} cabinet 31, which is closed.")) == {
            words.Fact(Atom("is_inside", ("mug_2", "cabinet_31"))),
            closed,
        }


@for_each(
    "text",
    [
        "You may enter the kitchen.",
        "The kitchen is open to you.",
        "Nothing stops you from entering the kitchen.",
    ],
)
def test_a_room_that_one_may_enter_is_said_to_be_open_and_no_other(text: str) -> None:
    assert told(text) == (Admitted(ME, ("kitchen_1",)),)


@for_each(
    "text",
    [
        "Agent 1 can be reached by you, and one message is allowed.",
        "You can message Agent 1, and you have one message.",
    ],
)
def test_the_limit_after_a_link_is_that_of_its_reader(text: str) -> None:
    assert MessageBudget("agent_1", 1) not in told(text)


def test_a_goal_of_knowledge_has_its_agents_in_their_order() -> None:
    text = "At the end of the day, you must be sure that Agent 2 knows that Agent 1 knows cabinet 31 is open."
    (goal,) = told(text)
    assert isinstance(goal, words.Must)
    assert isinstance(goal.formula, Know)
    assert nested([ME, "agent_2", "agent_1"], "(is_open cabinet_31)") == dict(parts((goal,), ME))["goal"]


def test_a_long_sentence_of_many_clauses_is_given_up_in_few_readings() -> None:
    text = ", but ".join(["cabinet_31 is perhaps open and fridge_14 is not"] * 8)
    assert told(f"{text}.") == ()


def test_a_person_out_of_reach_is_not_the_one_in_the_other_clause() -> None:
    read = told("Agent 1 is someone you can write to; Agent 2 is beyond your reach.")
    assert not any("agent_1" in one.targets for one in read if isinstance(one, Unreached))
