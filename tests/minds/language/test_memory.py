"""What a model wrote and reads again: one line, bounded, told from the answer beside it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Ask
from otherminds.minds.language.requests import LONGEST, fields, one_line, tame

NAMES = ("Plans", "Insights")
ASK = Ask("Q: Which?", ("J", "F"), (0, 1), "A: Option", "A: Option {}")


@given(st.text(max_size=2000))
def test_one_line_is_one_line_and_bounded(text: str) -> None:
    line = one_line(text)
    assert len(line) <= LONGEST
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


def test_a_short_text_loses_nothing_but_line_breaks() -> None:
    assert one_line(" It copies me.\n\nSo I\tcooperate. ") == "It copies me. So I cooperate."


def test_a_long_text_is_cut_at_a_word_and_says_so() -> None:
    line = one_line("word " * 500)
    assert line.endswith(" word…")
    assert LONGEST - 5 <= len(line) <= LONGEST
    assert one_line("x" * 2 * LONGEST) == "x" * (LONGEST - 1) + "…"


def test_fields_are_read_in_any_order_case_and_markup() -> None:
    told = {"Plans": "Stay with J.", "Insights": "It copies me."}
    for reply in (
        "Plans: Stay with J.\nInsights: It copies me.\nA: Option J",
        "**Insights:** It copies me.\n\n**Plans:** Stay with J.\n\n**A: Option J**",
        "- PLANS : Stay with J.\n- insights: It copies me.\nA: Option J",
        "## Plans:\nStay\nwith J.\n## Insights:\nIt copies me.\n\nA: Option J",
        "A: Option J\nPlans: Stay with J.\nInsights: It copies me.",
        '"Plans": "Stay with J."\n"Insights": "It copies me."\nA: Option J',
        "**My updated plans:** Stay with J.\nYour insights: It copies me.\nA: Option J",
        "Let me think.\nPlans: None.\nPlans: Stay with J.\nInsights: It copies me.\nA: Option J\nThat is all.",
    ):
        assert fields(reply, NAMES, ASK) == told, reply


def test_a_field_that_is_missing_or_empty_is_not_there() -> None:
    assert fields("A: Option J", NAMES, ASK) == {}
    assert fields("Plans:\nA: Option J", NAMES, ASK) == {}
    assert fields("Plans: (-3 now)\nA: Option J", NAMES, ASK) == {"Plans": "(-3 now)"}, (
        "nothing else is cut off"
    )
    assert fields("Plans: **\nInsights: it copies\nA: Option J", NAMES, ASK) == {"Insights": "it copies"}
    assert fields("My plans are good.\nPlanes: none\nA: Option J", NAMES, ASK) == {}


def test_an_answer_ends_a_field_however_it_is_written() -> None:
    for answer in ("A: Option J", "**A: Option J**", "a:  option 'J'", "A: Option J, because it copies me."):
        assert fields(f"Plans: wait\n{answer}\nmore", NAMES, ASK) == {"Plans": "wait"}


def test_a_line_that_only_begins_like_an_answer_ends_none() -> None:
    short = Ask("Q: Where?", ("hall", "kitchen"), (0, 1), "A:", "A: {}")
    reply = "Plans: go on\nand then wait.\nA: hall\nInsights: it is\nA-one.\nA: hall"
    assert fields(reply, NAMES, short) == {"Plans": "go on and then wait.", "Insights": "it is A-one."}
    assert fields("Plans: go on\nA: Optional\nA: Option J", NAMES, ASK) == {"Plans": "go on A: Optional"}
    bare = Ask("Where?", ("hall", "kitchen"), (0, 1), "", "{}")
    assert fields("Plans: go\non\nhall", NAMES, bare) == {"Plans": "go on hall"}, "no cue, no end"


@given(st.text(max_size=3000))
def test_whatever_a_reply_says_fields_are_bounded_lines(reply: str) -> None:
    found = fields(f"Plans: {reply}\nInsights: {reply}", NAMES, ASK)
    assert set(found) <= set(NAMES)
    assert all(0 < len(text) <= LONGEST and text.splitlines() == [text] for text in found.values())


def test_nothing_a_model_wrote_is_a_control_token_when_it_reads_it_again() -> None:
    tokens = (Path(__file__).parents[2] / "data" / "control_tokens.txt").read_text().split()
    assert len(tokens) > 50
    for token in tokens:
        for shown in (one_line(f"plan {token} next"), tame(f"plan {token} next")):
            assert token not in shown
            assert shown.startswith("plan ")
    assert tame("a \x1b[2J b") == "a \\u001b[2J b"
    assert one_line('“J” is "best"') == '"J" is "best"'
