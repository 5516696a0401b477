"""Building, checking and following finite automata."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.data import Automaton
from otherminds.core.errors import WorldError
from otherminds.games.automata import always, best_reply, check, deterministic, unfold
from otherminds.games.registry import games
from tests.cases import for_each
from tests.games import kit

GOOD = Automaton(0, ((1.0, 0.0), (0.5, 0.5)), (((0, 1), (0, 1)), ((1, 1), (0, 0))))


@given(
    table=st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=5, max_size=5),
    outputs=st.lists(st.integers(0, 1), min_size=5, max_size=5),
    rounds=st.integers(1, 6),
    played=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=5),
)
def test_a_rule_and_its_table_play_alike(
    table: list[list[int]], outputs: list[int], rounds: int, played: list[tuple[int, int]]
) -> None:
    """``played`` pairs the partner's own behaviour with the other's; at most ``rounds`` − 1 of them matter."""

    def advance(state: int, own: int, other: int) -> int:
        return table[state][2 * own + other]

    built = unfold(0, lambda state: always(outputs[state], 2), advance, (2, 2), rounds)
    check(built, games.get("ipd")())
    rule, at = 0, built.start
    assert built.output[at] == always(outputs[rule], 2)
    for own, other in played[: rounds - 1]:
        rule, at = advance(rule, own, other), built.next[at][own][other]
        assert built.output[at] == always(outputs[rule], 2)


def test_only_states_that_can_be_reached_are_kept() -> None:
    built = unfold(0, lambda state: always(0, 2), lambda state, own, other: state + 1, (2, 2), 3)
    assert len(built.output) == 4
    assert built.next[3] == ((3, 3), (3, 3)), "what comes after the last round leads back to itself"


def test_states_may_be_anything_hashable() -> None:
    built = unfold(
        (),
        lambda seen: always(len(seen) % 2, 2),
        lambda seen, own, other: (*seen, other)[-2:],
        (2, 2),
        4,
    )
    assert len(built.output) == 1 + 2 + 4


BAD = {
    "start": ({"start": 2}, "an automaton of 2 states starts in 2"),
    "no start": ({"start": -1}, "starts in -1"),
    "too few transitions": ({"next": GOOD.next[:1]}, "lacks transitions"),
    "output too long": ({"output": ((1.0, 0.0, 0.0), (1.0, 0.0))}, "state 0 .* over 2 behaviours"),
    "no distribution": ({"output": ((1.0, 0.0), (0.5, 0.4))}, "state 1 .* distribution"),
    "negative": ({"output": ((1.5, -0.5), (1.0, 0.0))}, "state 0 .* distribution"),
    "a row missing": ({"next": (((0, 1),), GOOD.next[1])}, "state 0 .* do not fit the game"),
    "a row too long": ({"next": (GOOD.next[0], ((0, 1, 0), (0, 1)))}, "state 1 .* do not fit"),
    "leads nowhere": ({"next": (GOOD.next[0], ((0, 1), (0, 2)))}, "state 1 .* do not fit"),
}


@for_each("fault", BAD)
def test_a_table_that_does_not_fit_is_refused(fault: str) -> None:
    change, text = BAD[fault]
    with pytest.raises(WorldError, match=text):
        check(msgspec.structs.replace(GOOD, **change), games.get("ipd")())


@settings(max_examples=30)
@given(data=st.data())
def test_any_fitting_table_is_accepted(data: st.DataObject) -> None:
    game = data.draw(kit.games(rows=3, columns=2))
    check(data.draw(kit.automata(rows=3, columns=2, noisy=True)), game)


def test_which_partners_are_sure() -> None:
    assert not deterministic(GOOD)
    assert deterministic(msgspec.structs.replace(GOOD, output=((1.0, 0.0), (0.0, 1.0))))


def test_best_replies() -> None:
    rps, ipd = games.get("rps")(), games.get("ipd")()
    assert [best_reply(rps, b) for b in range(3)] == [1, 2, 0], "paper, scissors, rock"
    assert [best_reply(ipd, b) for b in range(2)] == [1, 1]
    even = msgspec.structs.replace(ipd, payoffs=(((1.0, 0.0),) * 2,) * 2)
    assert best_reply(even, 1) == 0, "the lowest of equals"
