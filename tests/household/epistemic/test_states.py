"""The states of furniture: each has an opposite, a tool, and a word that is read back."""

from typing import get_args

from otherminds.household.epistemic.predicates import (
    ACTIVE,
    MEANT,
    OPPOSITES,
    PREDICATES,
    SHOWN,
    TOOLS,
    TURNS,
    State,
)
from otherminds.household.epistemic.words.sentences import read, say
from otherminds.household.mechanics.remote_control import Controls
from tests.cases import for_each

STATES = [state for pair in TURNS.values() for state in pair]


def test_states_come_in_pairs_of_opposites_the_active_one_first() -> None:
    assert all(OPPOSITES[active] == other for active, other in TURNS.values())
    assert set(ACTIVE) == {"is_open", "is_powered_on"}
    assert set(STATES) <= set(PREDICATES)


def test_every_state_has_a_tool_of_its_own_and_a_word_of_its_own() -> None:
    assert set(TOOLS) == set(SHOWN) == set(STATES)
    assert len(set(TOOLS.values())) == len(STATES)
    assert set(MEANT) == set(get_args(State))
    assert all(MEANT[SHOWN[state]] == state for state in STATES)


@for_each("state", STATES)
def test_the_word_is_that_of_the_vocabulary_and_of_the_controlled_language(state: str) -> None:
    assert PREDICATES[state].words.format("tv_1") == f"tv_1 is {SHOWN[state]}"
    told = Controls("cabinet_3", "tv_1", SHOWN[state])
    assert read(say(told)) == (told,)
