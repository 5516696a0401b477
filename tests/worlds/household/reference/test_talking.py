"""The simple ways of talking: nothing, everything to everybody, or something to the first who listens."""

from otherminds.epistemic.words.sentences import read
from otherminds.worlds.household.reference.levels import Broadcaster, LevelOne
from otherminds.worlds.household.reference.mind import Housemate
from otherminds.worlds.household.reference.talking import LONGEST
from otherminds.worlds.household.task import Binding
from tests.worlds.household.reference import team

SECRETS = [
    "You cannot enter study_1.",
    "fridge_3 must end open.",
    "bowl_0 must end on table_5.",
    "cabinet_6 works in reverse: opening closes it, and closing opens it.",
]
GOAL = "(and (is_open fridge_3) (is_on_top bowl_0 table_5))"


def house(*bindings: Binding) -> object:
    bars = team.barred("agent_0", "study_1")
    return team.house(bars, *bindings, goal=GOAL, secrets={"agent_0": SECRETS})


def played(kind: type[Housemate], *bindings: Binding, turns: int = 12) -> object:
    """An episode of agent 0 among the silent."""
    minds = {"agent_0": kind(), "agent_1": Housemate(), "agent_2": Housemate()}
    return team.play(house(*bindings), minds, turns)


def said(kind: type[Housemate], *bindings: Binding, turns: int = 12) -> list[tuple[str, str, str]]:
    """What agent 0 says, alone among the silent."""
    return played(kind, *bindings, turns=turns).said


def test_who_is_silent_says_nothing() -> None:
    assert said(Housemate) == []


def test_broadcast_tells_all_that_it_knows_to_all_at_once() -> None:
    (sender, to, text), *_ = said(Broadcaster)
    assert (sender, to) == ("agent_0", "all")
    assert set(read(text, me="agent_0")) == set(read(" ".join(SECRETS), you="agent_0"))


def test_broadcast_passes_on_what_it_hears_and_says_nothing_twice() -> None:
    minds = {f"agent_{i}": Broadcaster() for i in range(3)}
    told = team.play(house(), minds, 12).said
    for i in range(3):
        mine = [text for sender, _, text in told if sender == f"agent_{i}"]
        sentences = [statement for text in mine for statement in read(text, me=f"agent_{i}")]
        assert len(sentences) == len(set(sentences))
        assert read("fridge_3 must end open.")[0] in sentences


def test_a_message_has_its_length() -> None:
    rooms = "kitchen_1, hallway_1 or bedroom_1"
    many = [f"agent_{k} cannot enter {rooms}." for k in range(3, 60)]
    made = team.house(goal=GOAL, secrets={"agent_0": many})
    minds = {"agent_0": Broadcaster(), "agent_1": Housemate(), "agent_2": Housemate()}
    told = team.play(made, minds, 12).said
    assert all(len(text) <= LONGEST for *_, text in told)
    assert sum(len(read(text, me="agent_0")) for *_, text in told) >= len(many)


def test_level_1_tells_one_thing_a_message_in_order_the_first_first() -> None:
    told = said(LevelOne)
    assert told[:3] == [
        ("agent_0", "agent_1", "fridge_3 must end open."),
        ("agent_0", "agent_1", "bowl_0 must end on table_5."),
        ("agent_0", "agent_1", "cabinet_6 works in reverse: opening closes it, and closing opens it."),
    ]


def test_level_1_tells_the_others_when_it_has_nothing_else_to_do() -> None:
    told = said(LevelOne, turns=30)
    assert ("agent_0", "agent_2", "bowl_0 must end on table_5.") in told
    assert len(told) == len(set(told))


def test_level_1_spends_few_messages_on_whatever_it_knew_first() -> None:
    limit = Binding("limited_bandwidth", message_limits={"agent_0": 1})
    delivered = [message.text for message in played(LevelOne, limit).world.messages if message.delivered]
    assert delivered == ["fridge_3 must end open."]


def test_whom_one_cannot_reach_one_learns_from_the_first_failure() -> None:
    narrow = Binding("restricted_communication", allowed_targets={"agent_0": ("agent_2",)})
    told = said(LevelOne, narrow)
    assert [to for _, to, _ in told][:3] == ["agent_1", "agent_2", "agent_2"]
    nobody = Binding("restricted_communication", allowed_targets={"agent_0": ()})
    assert len(said(LevelOne, nobody)) == 1


def test_without_messages_left_nothing_more_is_tried() -> None:
    limit = Binding("limited_bandwidth", message_limits={"agent_0": 0})
    assert len(said(LevelOne, limit)) == 1
    assert len(said(Broadcaster, limit)) == 1
