"""Who says less is likelier beforehand."""

import pytest

from otherminds.games.expressions import program
from tests.cases import for_each
from tests.games.expressions import kit as tools

LONGER = [
    ("'cooperate'", "mine(1)"),
    ("mine(1)", "mine(2)"),
    ("mine(2)", "mine(20)"),
    ("mine(1)", "noisy(mine(1), 0.1)"),
    ("noisy(mine(1), 0.1)", "noisy(mine(1), 0.123)"),
    ("first(2, 'cooperate', 'defect')", "first(9, 'cooperate', 'defect')"),
    ("cycle('cooperate', 'defect')", "cycle('cooperate', 'defect', 'defect')"),
    ("first(2, 'cooperate', 'defect')", "if round <= 2 then 'cooperate' else 'defect'"),
    ("mine(1)", "if round == 1 then 'cooperate' else mine(1)"),
]


@for_each(("short", "long"), LONGER)
def test_what_says_more_is_longer(short: str, long: str) -> None:
    assert 0 < program(short, tools.IPD).bits < program(long, tools.IPD).bits


def test_more_behaviours_take_more_bits_to_name() -> None:
    assert (
        program("cycle('a', 'b')", tools.UNEVEN).bits
        > program("cycle('cooperate', 'defect')", tools.IPD).bits
    )


def test_a_behaviour_costs_what_it_takes_to_name_it() -> None:
    assert program("'cooperate'", tools.IPD).bits == pytest.approx(1 + 1 + 1)


def test_all_programs_of_a_kind_share_no_more_than_one_probability() -> None:
    """Kraft's inequality for what can be listed: 2^-bits of different programs sum to no more than 1."""
    texts = {
        *(f"'{name}'" for name in tools.IPD.names),
        *(f"{side}({k})" for side in ("their", "mine") for k in range(1, 41)),
        *(f"other({side}({k}))" for side in ("their", "mine") for k in range(1, 41)),
        *(f"{what}({side})" for side in ("their", "mine") for what in ("most", "frequencies")),
        *(f"first({n}, '{a}', '{b}')" for n in range(200) for a in tools.IPD.names for b in tools.IPD.names),
        *(f"if their({k}) == mine({n}) then 'defect' else 'cooperate'" for k in range(1, 20) for n in range(1, 20)),
        "uniform",
    }  # fmt: skip
    assert sum(2.0 ** -program(text, tools.IPD).bits for text in texts) <= 1
