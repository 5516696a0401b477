"""What is said about a cell: who plays, by which names, and how its replies came about."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from otherminds.core.record import Call, Outcome
from otherminds.measures.notes import About, about, common
from tests.cases import for_each

DRAWN = {"temperature": 0.7, "top_p": 0.95, "max_tokens": 24, "stop": [], "seed": 1}


def call(seat: str = "ego", **parts: Any) -> Call:
    return Call(seat, 0, "act", 0, (), **parts)


@for_each(
    ("made", "words"),
    [
        (
            call(scores=(-1.0, -2.0)),
            "options scored by log-probability, as continuations of the bare prompt (no chat template applied)",
        ),
        (
            call(scores=(-1.0, -2.0), form="chat"),
            "options scored by log-probability, by the first token of a chat reply (chat template applied)",
        ),
        (call(config=DRAWN), "replies drawn at temperature 0.7, top-p 0.95, at most 24 tokens"),
        (
            call(config={**DRAWN, "schema": {}}),
            "replies drawn at temperature 0.7, top-p 0.95, at most 24 tokens, in a JSON schema",
        ),
    ],
)
def test_how_a_reply_came_about(play, made: Call, words: str) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    record.calls = (made, made, call("partner_0", config={**DRAWN, "temperature": 9.0}))
    assert about(record).decodings == (words,)


def test_parameters_that_a_server_refused(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    record.calls = (
        call("ego", dropped=("temperature", "seed")),
        call("ego", dropped=("seed",)),
        call("partner_0", dropped=("stop",)),
    )
    assert about(record).dropped == ("seed", "temperature")
    assert common([about(record), About(dropped=("top_p",))]).dropped == ("seed", "temperature", "top_p")


def test_who_plays_and_by_which_names(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, label="it", rounds=3, names="canonical")
    found = about(record)
    assert (found.names, found.rounds, found.who) == ("canonical", (3,), record.spec.seats["ego"])
    assert found.who.title == "it"
    listed = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3, names=["A", "B", "C"])
    assert about(listed).names == "A/B/C"
    assert about(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3)).names == ""


def test_only_scored_episodes_have_a_length(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3)
    record.outcome = Outcome("failed", "provider", "no answer", 1)
    assert about(record).rounds == ()


def test_a_cell_has_what_any_of_its_episodes_has(play) -> None:
    one = about(play("rps-mixed-v1", lambda h: 0, lambda h: 0, 0, rounds=3))
    two = about(play("rps-mixed-v1", lambda h: 0, lambda h: 0, 1, rounds=5))
    both = common([replace(one, grants=("payoffs",), decodings=("b",)), replace(two, decodings=("a",))])
    assert both.partners == ("single", "tit_for_tat")
    assert (both.rounds, both.grants, both.decodings) == ((3, 5), ("payoffs",), ("a", "b"))
    assert both.who == one.who
    assert common([]) == About()
