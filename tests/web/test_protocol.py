"""The pages around the episodes of a study: each once, in their order, also after the server was killed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.web.protocol import Protocol, read_protocol
from otherminds.web.stays import AGREE, DECLINE, GO_ON, Event, Journal, Stay
from tests.cases import for_each

PROTOCOL = Protocol.model_validate(
    {
        "consent": "May we?",
        "instructions": "Twenty rounds.",
        "questions": [
            {"text": "How many rounds?", "options": ["10", "20"], "answer": "20"},
            {"text": "Who plays?", "options": ["you", "nobody"], "answer": "you"},
        ],
        "attempts": 2,
        "code": "DONE",
        "screened_code": "SORRY",
    }
)


def open_stay(folder: Path, protocol: Protocol = PROTOCOL) -> Stay:
    """The stay of Ann as a server that has just started knows it."""
    journal = Journal(folder)
    return Stay(protocol, "ann", journal, journal.read_events().get("ann", []))


def press(folder: Path, *buttons: str) -> Stay:
    """Each button on the page that is shown, by a server that is started anew before each."""
    for button in buttons:
        stay = open_stay(folder)
        page = stay.page()
        assert page is not None
        assert button in page.buttons
        stay.press(page.number, button)
    return open_stay(folder)


def test_pages_come_in_their_order_and_then_the_episodes(tmp_path: Path) -> None:
    texts = []
    for button in (AGREE, GO_ON, "20", "you"):
        page = open_stay(tmp_path).page()
        assert page is not None
        texts.append(page.text)
        press(tmp_path, button)
    assert texts == ["May we?", "Twenty rounds.", "How many rounds?", "Who plays?"]
    stay = open_stay(tmp_path)
    assert stay.page() is None
    assert stay.refusal == ""
    assert "DONE" in stay.farewell()


def test_who_does_not_agree_sees_nothing_else(tmp_path: Path) -> None:
    stay = press(tmp_path, DECLINE)
    page = stay.page()
    assert page is not None
    assert page.buttons == ()
    assert "did not agree" in page.text
    assert "agree" in stay.refusal


def test_a_wrong_answer_shows_the_instructions_again_and_too_many_end_it(tmp_path: Path) -> None:
    again = press(tmp_path, AGREE, GO_ON, "10").page()
    assert again is not None
    assert "Twenty rounds." in again.text
    stay = press(tmp_path, "10")
    page = stay.page()
    assert page is not None
    assert page.buttons == ()
    assert "SORRY" in page.text
    assert "questions" in stay.refusal
    attempts = [
        json.loads(line)["detail"] for line in (tmp_path / "people.jsonl").read_text("utf-8").splitlines()[2:]
    ]
    assert [(attempt["button"], attempt["right"]) for attempt in attempts] == [("10", False), ("10", False)]


@given(
    st.lists(
        st.tuples(
            st.integers(-1, 6), st.sampled_from([AGREE, DECLINE, GO_ON, "10", "20", "you", "nobody", ""])
        ),
        max_size=12,
    )
)
def test_a_button_of_another_page_changes_nothing(presses: list[tuple[int, str]]) -> None:
    class Nowhere(Journal):
        def add(self, label: str, name: str, detail: Mapping[str, Any]) -> Event:
            return Event(name, detail, 0.0)

    stay = Stay(PROTOCOL, "ann", Nowhere(Path()), [])
    for number, button in presses:
        before = stay.page()
        stay.press(number, button)
        fits = before is not None and number == before.number and button in before.buttons
        assert (stay.page() != before) == fits


def test_a_line_that_was_cut_off_is_forgotten_and_others_stay(tmp_path: Path) -> None:
    press(tmp_path, AGREE, GO_ON)
    path = tmp_path / "people.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    page = press(tmp_path).page()
    assert page is not None
    assert page.text == "Twenty rounds."
    press(tmp_path, GO_ON)
    page = open_stay(tmp_path).page()
    assert page is not None
    assert page.text == "How many rounds?"


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text("{\n{}\n")
    with pytest.raises(StudyError, match="line 1: is damaged"):
        open_stay(tmp_path)


@for_each(
    ("text", "message"),
    [
        ("", "consent"),
        ('consent = "x"\nno_consent = true', "not both"),
        ('consent = " "', "consent"),
        ('consent = "x"\nseconds = 0', "seconds"),
        ('consent = "x"\nseconds = nan', "seconds"),
        ('consent = "x"\nattempts = 0', "attempts"),
        ('consent = "x"\nwait = 3', "wait"),
        ('consent = "x"\njoin = { parameter = "a b" }', "parameter"),
        ('consent = "x"\njoin = { parameter = "PID", pattern = "(" }', "no regular expression"),
        ('consent = "x"\nattention_failures = 1', "attention"),
        ('consent = "x"\nbonus = { per_point = 1, at_most = 5, currency = "euro" }', "currency"),
        ('consent = "x"\nbonus = { per_point = 1, currency = "EUR" }', "at_most"),
        ('consent = "x"\nbonus = { per_point = inf, at_most = 5, currency = "EUR" }', "per_point"),
        ('consent = "x"\ntotal_seconds = 0', "total_seconds"),
        ('consent = "x"\nseconds = 9\ndrop_out = "wait"', "wait_seconds"),
        ('consent = "x"\nwait_seconds = 9', "wait_seconds"),
        ('consent = "x"\ndrop_out = "wait"\nwait_seconds = 9', "needs seconds"),
        ('consent = "x"\ndrop_out = "automaton"', "automaton"),
        ('consent = "x"\ndrop_out = "automaton"\nautomaton = "openai:x@http://evil.example"', "automaton"),
        ('consent = "x"\ndrop_out = "leave"', "drop_out"),
        (
            'consent = "x"\n[[questions]]\ntext = "?"\noptions = ["a", "b"]\nanswer = "c"',
            "none of the options",
        ),
        ('consent = "x"\n[[questions]]\ntext = "?"\noptions = ["a"]\nanswer = "a"', "options"),
        ("consent = ", "not TOML"),
    ],
)
def test_a_faulty_protocol_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "protocol.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(StudyError) as caught:
        read_protocol(path)
    assert message in str(caught.value)


def test_the_example_has_every_key_of_a_protocol() -> None:
    path = Path("examples/people_protocol.toml")
    assert read_protocol(path).consent
    text = path.read_text("utf-8")
    assert [key for key in Protocol.model_fields if key != "no_consent" and key not in text] == []
