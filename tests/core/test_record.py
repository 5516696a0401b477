"""Specs and records: one hash for one episode, whatever its numbers are made of."""

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import (
    Automaton,
    Encounter,
    Game,
    Invalid,
    Message,
    Partner,
    Question,
    SkillChoice,
)
from otherminds.core.encoding import encode
from otherminds.core.record import Asked, Bounds, Call, Choice, EpisodeSpec, Note, Outcome, Record, SeatSpec
from tests.cases import for_each

SPEC = EpisodeSpec(
    "toy-v1", {"ego": SeatSpec("rmax"), "partner_0": SeatSpec("single", {"behaviour": 1})}, seed=3
)
KINDS = {"plain": (int, float), "numpy": (np.int64, np.float64), "small": (np.int8, np.float64)}


def record(whole: Any = int, real: Any = float) -> Record:
    """A record with one of everything; ``whole`` and ``real`` make its numbers."""
    return Record(
        spec=SPEC,
        seats=("ego", "partner_0"),
        drawn={"order": [whole(1), whole(0)]},
        game=Game("toy", (("a", "b"), ("x",)), (((real(1), real(0)),), ((real(0.5), real(2)),))),
        partners={"partner_0": Partner("single", Automaton(0, ((1.0,),), (((0, 0),),)))},
        bounds=Bounds(1.5, None, None, "mixed", reason="unknown"),
        actions=[(whole(0), whole(1)), (whole(1), {"say": "hello"})],
        rewards=[(real(1), real(0)), (real(0.1), real(-2))],
        met={"ego": (Encounter(0, {"ego": ("a",), "partner_0": ("x", "y")}, real(1)),), "partner_0": ()},
        questions=(Question("q", "ego", "end", "what?", ("x", "y"), 0.5, "partner_0", "p"),),
        asked=(Asked(0, 0, "x", "y"), Asked(2, 0, None, "y", Invalid("unclear", "hm"))),
        choices=(Choice(0, "ego", SkillChoice("go", (whole(3), "hall"))), Choice(1, "ego", Invalid("no"))),
        calls=(Call("ego", 0, "act", 0, (Message("user", "hi"),), config={"seed": whole(4)}),),
        notes=(Note("ego", 1, "belief", {"odds": [real(0.25), None]}),),
        facts={"map": [[whole(1), whole(2)], [whole(3), whole(4)]]},
        outcome=Outcome("invalid", "reply", "ego: no", 1),
    )


def reread(played: Record) -> Record:
    return msgspec.json.decode(encode(played), type=Record)


@for_each("kind", KINDS)
def test_the_hash_does_not_hang_on_what_numbers_are_made_of(kind: str) -> None:
    assert record(*KINDS[kind]).hash == record().hash


@for_each("kind", KINDS)
def test_a_record_reads_back(kind: str) -> None:
    played = record(*KINDS[kind])
    back = reread(played)
    assert back.hash == played.hash
    assert encode(reread(back)) == encode(back)
    assert back.met == record().met
    assert back.choices == record().choices
    assert back.asked == record().asked
    assert back.calls == record().calls


def test_arrays_are_lists() -> None:
    plain = record()
    plain.facts = {"map": np.array([[1, 2], [3, 4]]), "seen": np.bool_(True)}
    listed = record()
    listed.facts = {"map": [[1, 2], [3, 4]], "seen": True}
    assert plain.hash == listed.hash


def test_whole_rewards_are_the_same_episode_as_real_ones() -> None:
    """A world may pay 1 where another pays 1.0; what is read back is the latter."""
    played = record()
    played.rewards = [(1, 0), (2, -2)]
    assert reread(played).hash == played.hash


def test_what_has_no_json_form_is_named() -> None:
    played = record()
    played.facts = {"thing": object()}
    with pytest.raises(NotImplementedError, match="object has no JSON form"):
        encode(played)


def test_the_order_of_keys_is_no_difference() -> None:
    one, two = record(), record()
    one.facts = {"a": 1, "b": {"c": 2, "d": 3}}
    two.facts = {"b": {"d": 3, "c": 2}, "a": 1}
    assert one.hash == two.hash
    assert encode(one) == encode(two)


@for_each(
    "change",
    [
        {"actions": [(1, 1)]},
        {"rewards": [(1.0, 0.0), (0.1, -2.0000001)]},
        {"outcome": Outcome()},
        {"asked": ()},
        {"spec": msgspec.structs.replace(SPEC, seed=4)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_episode_has_another_hash(change: dict[str, Any]) -> None:
    assert msgspec.structs.replace(record(), **change).hash != record().hash


@given(
    rows=st.lists(st.tuples(st.integers(-9, 9), st.floats(-1e9, 1e9)), max_size=6),
    facts=st.dictionaries(st.text(max_size=4), st.lists(st.integers(-9, 9) | st.text(max_size=3))),
)
def test_any_row_reads_back(rows: list[tuple[int, float]], facts: dict[str, Any]) -> None:
    played = msgspec.structs.replace(
        record(),
        actions=[(a, a) for a, _ in rows],
        rewards=[(r, -r) for _, r in rows],
        facts=facts,
    )
    assert reread(played) == reread(reread(played))
    assert reread(played).hash == played.hash


def test_total_is_the_return_of_a_seat() -> None:
    assert record().total("ego") == pytest.approx(1.1)
    assert record().total("partner_0") == -2.0
    with pytest.raises(ValueError, match="not in tuple"):
        record().total("nobody")


def test_equal_specs_are_one_episode_and_any_change_is_another() -> None:
    again = EpisodeSpec("toy-v1", dict(reversed(SPEC.seats.items())), 3)
    assert again.hash == SPEC.hash
    assert len(SPEC.hash) == 16
    changes: list[dict[str, Any]] = [
        {"scenario": "toy-v2"},
        {"seats": {"ego": SeatSpec("rmax")}},
        {"seed": 4},
        {"options": {"rounds": 5}},
        {"grants": {"ego": ("payoffs",)}},
        {"ask": False},
    ]
    hashes = {msgspec.structs.replace(SPEC, **change).hash for change in changes}
    assert len(hashes) == len(changes)
    assert SPEC.hash not in hashes
    assert msgspec.json.decode(encode(SPEC), type=EpisodeSpec) == SPEC


@for_each(
    ("spec", "title"),
    [
        (SeatSpec("rmax"), "rmax"),
        (SeatSpec("single", {"behaviour": 1}), "single(behaviour=1)"),
        (SeatSpec("lm", {"b": 2, "a": 1}, "embedded:qwen"), "lm@embedded:qwen(a=1, b=2)"),
        (SeatSpec("lm", {"b": 2}, "embedded:qwen", "ours"), "ours"),
    ],
)
def test_a_seat_has_a_title(spec: SeatSpec, title: str) -> None:
    assert spec.title == title


def test_an_episode_has_a_title() -> None:
    assert SPEC.title == "toy-v1"
    assert msgspec.structs.replace(SPEC, label="toy, 3 rounds").title == "toy, 3 rounds"
