"""The levels on one small task each: who says what to whom, turn by turn."""

from otherminds.household.reference.mind import LEVELS
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.reference import team

SECRETS = {
    "agent_0": [
        *("You cannot enter bedroom_1.", "fridge_3 must end open.", "chest_11 must end open."),
        *("agent_1 cannot enter bedroom_1.", "You can send 1 message."),
    ],
    "agent_1": ["You cannot enter bedroom_1."],
}
BINDINGS = (
    *(team.barred("agent_0", "bedroom_1"), team.barred("agent_1", "bedroom_1")),
    Binding("limited_bandwidth", message_limits={"agent_0": 1}),
)
TO_OPEN = ["Navigate[fridge_3]", "Open[fridge_3]"]
EXPECTED: dict[int, tuple[bool, list[str]]] = {
    0: (False, TO_OPEN),
    1: (False, ['Communicate[agent_1, "fridge_3 must end open."]', *TO_OPEN]),
    2: (True, ['Communicate[agent_2, "chest_11 must end open."]', *TO_OPEN]),
    3: (True, ['Communicate[agent_2, "chest_11 must end open."]', *TO_OPEN]),
}


@for_each("k", LEVELS)
def test_what_each_level_does(k: int) -> None:
    house = team.house(*BINDINGS, goal="(and (is_open fridge_3) (is_open chest_11))", secrets=SECRETS)
    played = team.play(house, {seat: LEVELS[k]() for seat in house.agents}, 12)
    solved, calls = EXPECTED[k]
    assert played.solved == solved
    assert played.calls("agent_0")[: len(calls)] == calls


def test_who_knows_of_something_undone_stays_to_the_end() -> None:
    house = team.house(*BINDINGS, goal="(is_open chest_11)", secrets={"agent_0": ["chest_11 must end open."]})
    turns = [team.play(house, {seat: LEVELS[k]() for seat in house.agents}, 20).world.turn for k in range(4)]
    assert turns[0] <= turns[3]
