"""The log tells what minds said, chose and wrote, at the frames at which they did."""

from __future__ import annotations

from dataclasses import replace as changed

from msgspec.structs import replace

from otherminds import Record
from otherminds.core.data import Invalid, Question, SkillChoice
from otherminds.core.record import Asked, Call, Choice, Note
from otherminds.gridworlds.replay.scenes import GridReplay
from otherminds.reports.replay.replays import LONGEST, LogLine, story

QUESTION = Question("next", "ego", "before", "What next?", ("rock", "paper"), 0.5, about="partner_0")


def told(grid_replay: GridReplay, **changes: object) -> list[LogLine]:
    """The lines of a record in which only ``changes`` happened."""
    nothing = {"asked": (), "choices": (), "calls": (), "notes": ()}
    record: Record = replace(grid_replay.record, **{**nothing, **changes})
    return story(changed(grid_replay, record=record, happenings=()))


def test_lines_are_in_the_order_of_their_steps(grid_replay: GridReplay) -> None:
    steps = [line.step for line in story(grid_replay)]
    assert steps == sorted(steps)
    assert {line.kind for line in story(grid_replay)} == {"duel", "back", "question", "choice"}


def test_answers_are_right_wrong_invalid_or_open(grid_replay: GridReplay) -> None:
    asked = (
        Asked(3, 0, "rock", "rock"),
        Asked(4, 0, "rock", "paper"),
        Asked(5, 0, None, "paper", Invalid("no option", "dunno")),
        Asked(6, 0, "rock", None),
    )
    lines = told(grid_replay, questions=(QUESTION,), asked=asked)
    assert [line.right for line in lines] == [True, False, False, None]
    assert lines[0].text == "partner_0: What next? → rock, true: rock"
    assert lines[2].text == "partner_0: What next? → invalid: no option"
    assert lines[2].more == "dunno"
    assert lines[3].text == "partner_0: What next? → rock"


def test_choices_replies_and_notes_are_told_with_their_seats(grid_replay: GridReplay) -> None:
    lines = told(
        grid_replay,
        choices=(
            Choice(1, "ego", SkillChoice("move_to", ((3, 5),))),
            Choice(2, "partner_0", Invalid("mumbled")),
        ),
        calls=(
            Call("ego", 3, "act", 1, (), reply="rock!", reasoning="They like scissors."),
            Call("ego", 4, "act", 0, (), continuations=("a", "b"), scores=(-2.0, -1.0)),
        ),
        notes=(Note("partner_0", 5, "belief", {"rock": 0.5}),),
    )
    assert [(line.step, line.kind, line.seats, line.text, line.more) for line in lines] == [
        (1, "choice", (0,), "move_to([3, 5])", ""),
        (2, "choice", (1,), "invalid: mumbled", ""),
        (3, "reply", (0,), "act, try 2", "They like scissors.\n\nrock!"),
        (4, "reply", (0,), "act", "b"),
        (5, "note", (1,), "belief", '{"rock": 0.5}'),
    ]


def test_a_long_reply_is_cut_and_says_so(grid_replay: GridReplay) -> None:
    (line,) = told(grid_replay, calls=(Call("ego", 0, "act", 0, (), reply="x" * (LONGEST + 7)),))
    assert line.more == "x" * LONGEST + " … (7 more characters in the record)"


def test_a_part_tells_only_what_is_in_it(grid_replay: GridReplay) -> None:
    assert {line.step for line in story(grid_replay.cut(100, 150))} <= set(range(100, 151))


def test_hypotheses_are_told_in_words(grid_replay: GridReplay) -> None:
    thought = {"id": 0, "text": "They always play rock.", "value": 0.3, "predicts": "rock", "hit": True}
    thinking = {"partner": "partner_0", "encounter": 2, "came": "rock", "thoughts": [thought], "used": 0}
    (line,) = told(grid_replay, notes=(Note("ego", 40, "thinking", thinking),))
    assert line.text == "thinking of partner_0: after 2 encounters; came: rock"
    assert line.more == "[+0.30] They always play rock. (✓, → rock, used)"


def test_what_an_intervention_showed_is_told_in_a_line(grid_replay: GridReplay) -> None:
    notice = {"arm": "inject_advice", "about": "partner_0", "behaviour": "rock"}
    (line,) = told(grid_replay, notes=(Note("ego", 4, "shown", notice),))
    assert (line.step, line.kind, line.text) == (4, "note", "inject_advice, about partner_0: rock")
