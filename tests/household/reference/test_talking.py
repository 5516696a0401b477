"""The simple ways of talking: nothing, everything to everybody, or something to the first who listens."""

from otherminds.household.commands import LONGEST as CALL
from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.reference.mind import Broadcaster, Housemate, LevelOne, LevelThree, LevelTwo
from otherminds.household.reference.talking import LONGEST
from otherminds.household.task import Binding
from tests.household.reference import team

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


def whole(kind: type[Housemate], turns: int = 12, goal: str = GOAL, **secrets: list[str]) -> list[tuple]:
    """What is said in a team of minds of one kind that send their whole memories: senders, addressees, statements."""
    bars = (team.barred("agent_0", "study_1"), team.barred("agent_1", "study_1"))
    made = team.house(*bars, goal=goal, secrets=secrets or {"agent_0": SECRETS})
    minds = {seat: kind(whole_memory=True) for seat in made.agents}
    return [(one, to, read(text, me=one)) for one, to, text in team.play(made, minds, turns).said]


def test_a_whole_memory_has_what_its_sender_was_told_and_sees() -> None:
    for kind in (Broadcaster, LevelOne, LevelTwo, LevelThree):
        sender, _, statements = whole(kind)[0]
        told = {*read(" ".join(SECRETS), you="agent_0")}
        seen = {Fact(Atom("is_on_top", ("plate_0", "counter_0"))), Fact(Atom("is_closed", ("fridge_3",)))}
        assert sender == "agent_0"
        assert told | seen <= {*statements}
        assert Fact(Atom("is_on_top", ("cup_1", "table_5"))) not in statements
        assert len(set(statements)) == len(statements)


def test_a_whole_memory_begins_with_the_message_that_would_be_sent_without_it() -> None:
    for kind in (LevelOne, LevelTwo, LevelThree):
        (_, to, text), *_ = said(kind)
        _, whole_to, (first, *_) = whole(kind)[0]
        assert (to, read(text, me="agent_0")) == (whole_to, (first,))


def test_a_whole_memory_has_what_others_told() -> None:
    """Agent 1 has a need of its own, and so tells also what it heard."""
    heard = "radio_0 must end on bed_9."
    goal = "(and (is_on_top book_0 shelves_8) (is_on_top radio_0 bed_9) (is_open cabinet_6))"
    secrets = {
        "agent_0": [
            "You can only message agent_1.",
            heard,
            "cabinet_6 must end open.",
            "You cannot enter study_1.",
        ],
        "agent_1": ["You cannot enter study_1.", "book_0 must end on shelves_8."],
    }
    told = [statements for one, to, statements in whole(LevelTwo, 20, goal, **secrets) if one == "agent_1"]
    assert any(read(heard)[0] in statements for statements in told)


def test_a_whole_memory_tells_no_one_the_same_twice() -> None:
    for kind in (Broadcaster, LevelTwo):
        told: dict[tuple[str, str], list[object]] = {}
        for sender, to, (_, *rest) in whole(kind, 30):
            told.setdefault((sender, to), []).extend(rest)
        for several in told.values():
            assert len(set(several)) == len(several)


def test_a_whole_memory_fits_into_a_call() -> None:
    many = [f"agent_{k} cannot enter kitchen_1, hallway_1 or bedroom_1." for k in range(3, 120)]
    made = team.house(goal=GOAL, secrets={"agent_0": many})
    minds = {seat: Broadcaster(whole_memory=True) for seat in made.agents}
    calls = [entry.call for entry in team.play(made, minds, 12).world.log]
    assert CALL - 100 < max(map(len, calls)) <= CALL


def test_a_whole_memory_has_nothing_that_its_sender_saw_to_be_otherwise() -> None:
    _, _, statements = whole(LevelTwo, agent_0=[*SECRETS, "bowl_0 is on shelves_8."])[0]
    assert Fact(Atom("is_on_top", ("bowl_0", "counter_0"))) in statements
    assert Fact(Atom("is_on_top", ("bowl_0", "shelves_8"))) not in statements


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
