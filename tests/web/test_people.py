"""People as models: one reply a turn, whoever sends it and however often."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.api.sessions import Turn
from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.models.registry import open_model
from otherminds.web.people import LONGEST_REPLY, open_desk
from tests.cases import for_each
from tests.web.seats import make_chair

TURN = Turn("ego", 0, "act", 0, (Message("user", "Choose:\nA: 1\nA: 2"),), ("A: 1", "A: 2"))


@given(st.lists(st.one_of(st.just("ask"), st.tuples(st.integers(0, 5), st.text(max_size=3))), max_size=20))
def test_each_turn_has_the_first_reply_to_its_number(events: list[str | tuple[int, str]]) -> None:
    chair = make_chair()
    number, replies, expected = 0, {}, {}
    for event in events:
        if isinstance(event, tuple):
            accepted = chair.answer(*event)
            assert accepted == (event[0] == number and number > 0 and number not in expected)
            if accepted:
                expected[number] = event[1]
        elif number == len(expected):
            number += 1
            replies[number] = chair.ask(TURN)
    for answered in expected:
        assert replies[answered].done()
    assert all(not reply.done() for asked, reply in replies.items() if asked not in expected)


@for_each(
    ("text", "kept"),
    [
        ("A: Option J", "A: Option J"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("null\x00 bell\x07 escape\x1b[2J", "null bell escape[2J"),
        ("turned \u202eround\u2066", "turned round"),
        ("ärger 日本 🙂", "ärger 日本 🙂"),
        ("x" * (LONGEST_REPLY + 5), "x" * LONGEST_REPLY),
    ],
)
def test_a_reply_is_kept_without_control_characters_and_marks_that_turn_text(text: str, kept: str) -> None:
    chair = make_chair()
    reply = chair.ask(TURN)
    assert chair.answer(1, text)
    assert reply.result(0) == kept


def test_a_page_that_waits_sees_a_turn_that_another_thread_opens() -> None:
    chair = make_chair()
    opening = threading.Timer(0.1, chair.ask, [TURN])
    opening.start()
    waiting = asyncio.run(chair.wait(60))
    opening.join()
    assert waiting is not None
    assert waiting.number == 1


def test_a_page_that_waits_learns_that_it_is_over() -> None:
    chair = make_chair()
    leaving = threading.Timer(0.1, chair.dismiss, ["Thank you."])
    leaving.start()
    assert asyncio.run(chair.wait(60)) is None
    leaving.join()
    assert chair.farewell == "Thank you."


def test_a_turn_that_is_withdrawn_takes_no_reply() -> None:
    chair = make_chair()
    reply = chair.ask(TURN)
    chair.close(reply)
    assert not chair.answer(1, "A: 1")
    assert chair.open_turn is None


@for_each("label", ["", "a b", "../x", "x" * 41, "<b>", "-a", "a\n"])
def test_a_person_without_a_proper_label_is_refused(label: str) -> None:
    with pytest.raises(StudyError, match="a person is named by"):
        open_model(f"person:{label}")


def test_people_play_only_where_a_server_seats_them() -> None:
    open_desk({"ann": make_chair()})
    assert open_model("person:ann").spec == "person:ann"
    with pytest.raises(StudyError, match="otherminds host"):
        open_model("person:ben")
