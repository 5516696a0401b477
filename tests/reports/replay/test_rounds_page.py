"""The page of an episode without a map."""

from __future__ import annotations

import json

from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.data import Message
from otherminds.core.record import Call, prompts
from otherminds.reports.replay.general import as_rounds_page
from tests.reports.replay import reading

Reader, told = reading.Reader, reading.told


def test_every_round_stands_beside_what_was_predicted_for_it(rounds: Record) -> None:
    story = told(as_rounds_page(rounds))
    assert (story["first"], story["last"], len(story["rounds"])) == (0, 5, 5)
    assert [one["step"] for one in story["rounds"]] == [0, 1, 2, 3, 4]
    assert story["rounds"][-1]["total"] == rounds.total("ego")
    assert [one["said"][0][1:] for one in story["rounds"]] == [
        [None, False],
        [True, False],
        [False, False],
        [True, False],
        [True, True],
    ]
    assert len(story["minds"]) == 1


def test_names_are_no_markup(rounds: Record) -> None:
    evil = "</script><script>alert(1)</script>$title"
    rounds.spec = replace(
        rounds.spec, label=evil, seats={**rounds.spec.seats, "ego": SeatSpec("x", label=evil)}
    )
    page = as_rounds_page(rounds)
    read = Reader(page)
    assert "alert(1)</script>" not in page
    assert read.tags.count("script") == 3
    assert read.text.count(evil) == 3  # the title, the heading, and who played


def test_without_notes_answers_stand_beside_the_rounds(rounds: Record) -> None:
    rounds.notes = ()
    story = told(as_rounds_page(rounds))
    assert story["predicted"] == ["ego said of partner_0"]
    asked = {one.step: one for one in rounds.asked}
    assert [one["said"] for one in story["rounds"]] == [
        [[asked[step].answer, asked[step].answer == asked[step].truth, False]] for step in range(5)
    ]


def test_a_world_without_encounters_shows_its_actions(rounds: Record) -> None:
    rounds.notes, rounds.met = (), {}
    found = told(as_rounds_page(rounds))["rounds"]
    assert [one["did"] for one in found] == [[str(done) for done in row] for row in rounds.actions]
    assert [one["reward"] for one in found] == [row[0] for row in rounds.rewards]


def test_prompts_of_a_long_episode_travel_as_additions(rounds: Record) -> None:
    text = "".join(f"Round {n}: you played rock.\n" for n in range(1000))
    added = [text[n * 24 : (n + 1) * 24] for n in range(1000)]
    rounds.calls = tuple(
        Call("ego", n, "act", 0, (Message("user", added[n]),), n - 1, 0, 24 * n, reply=f"move {n}")
        for n in range(1000)
    )
    page = as_rounds_page(rounds)
    calls = json.loads(reading.unpacked(page, "prompts"))
    assert prompts(rounds.calls)[999][0].content == text[:24_000]
    assert [one["added"] for one in calls] == [[["user", part]] for part in added]
    assert [(one["base"], one["messages"], one["chars"], one["reply"]) for one in calls[:2]] == [
        (-1, 0, 0, "move 0"),
        (0, 0, 24, "move 1"),
    ]
    assert len(page) < 200_000


def test_what_nobody_sees_in_a_prompt_is_an_escape(rounds: Record) -> None:
    """Also in the texts that the script unpacks: a direction of writing could show another reply than there was."""
    hidden = "a\u202eb\u200bc\x1b[2J"
    call = Call("ego", 0, "act", 0, (Message("user", hidden),), reply=hidden, reasoning=hidden)
    page = as_rounds_page(replace(rounds, calls=(call,)))
    assert reading.raw_characters(page) == set()
    (prompt,) = json.loads(reading.unpacked(page, "prompts"))
    assert prompt["reply"] == prompt["reasoning"] == prompt["added"][0][1] == r"a\u202eb\u200bc\u001b[2J"
