"""Talking that thinks of the partners: the right thing to the right one, and through third parties."""

from otherminds.household.reference.mind import Housemate, LevelOne, LevelThree, LevelTwo
from otherminds.household.task import Binding
from tests.household.reference import team

OPEN_12 = "(is_open cabinet_12)"
ONE_EACH = Binding("limited_bandwidth", message_limits={"agent_0": 1, "agent_1": 1, "agent_2": 1})


def play(
    kind: type[Housemate], *bindings: Binding, goal: str, turns: int = 20, **secrets: list[str]
) -> object:
    house = team.house(*bindings, goal=goal, secrets=secrets)
    return team.play(house, {seat: kind() for seat in house.agents}, turns)


def test_the_one_message_says_what_one_cannot_do_oneself_to_who_can() -> None:
    played = play(
        LevelTwo,
        *(ONE_EACH, team.barred("agent_0", "store_1"), team.barred("agent_1", "store_1")),
        goal=f"(and (is_open fridge_3) {OPEN_12})",
        agent_0=[
            *("You can send 1 message.", "You cannot enter store_1.", "agent_1 cannot enter store_1."),
            *("fridge_3 must end open.", "cabinet_12 must end open."),
        ],
    )
    assert played.said[0] == ("agent_0", "agent_2", "cabinet_12 must end open.")
    assert played.solved


def test_no_message_is_spent_on_a_goal_that_its_actor_knows() -> None:
    """One secret decides which of two goals is worth the only message."""
    goals = ("cabinet_12 must end open.", "chest_11 must end open.")
    for known, news in (goals, goals[::-1]):
        played = play(
            LevelTwo,
            *(ONE_EACH, team.barred("agent_0", "store_1", "bedroom_1")),
            team.barred("agent_1", "store_1", "bedroom_1"),
            goal=f"(and (is_open chest_11) {OPEN_12})",
            agent_0=[
                *("You can send 1 message.", "You cannot enter store_1 or bedroom_1."),
                "agent_1 cannot enter store_1 or bedroom_1.",
                *goals,
                f"agent_2 knows that {known}",
            ],
            agent_2=[known],
        )
        assert played.said[0] == ("agent_0", "agent_2", news)
        assert played.solved


def test_what_is_likely_shut_waits_for_what_has_to_be_done() -> None:
    played = play(
        LevelTwo,
        *(ONE_EACH, team.barred("agent_0", "store_1", "bedroom_1"), team.barred("agent_1", "store_1")),
        goal=f"(and (is_closed chest_11) {OPEN_12})",
        agent_0=[
            *(
                "You can send 1 message.",
                "You cannot enter store_1 or bedroom_1.",
                "agent_1 cannot enter store_1.",
            ),
            *("chest_11 must end closed.", "cabinet_12 must end open."),
        ],
    )
    assert played.said[0] == ("agent_0", "agent_2", "cabinet_12 must end open.")
    assert played.solved


def test_what_is_known_to_be_open_and_must_be_shut_does_not_wait() -> None:
    played = play(
        LevelTwo,
        *(ONE_EACH, team.barred("agent_0", "bedroom_1"), team.barred("agent_1", "bedroom_1")),
        goal="(and (is_closed chest_11) (is_open cabinet_10))",
        agent_0=[
            *("You can send 1 message.", "You cannot enter bedroom_1.", "agent_1 cannot enter bedroom_1."),
            *("chest_11 is open.", "chest_11 must end closed.", "cabinet_10 must end open."),
        ],
    )
    assert played.said[0] == ("agent_0", "agent_2", "chest_11 must end closed.")


def test_level_1_has_wasted_it() -> None:
    played = play(
        LevelOne,
        *(ONE_EACH, team.barred("agent_0", "store_1"), team.barred("agent_1", "store_1")),
        goal=f"(and (is_open fridge_3) {OPEN_12})",
        agent_0=[
            *("You can send 1 message.", "You cannot enter store_1.", "agent_1 cannot enter store_1."),
            *("fridge_3 must end open.", "cabinet_12 must end open."),
        ],
    )
    assert played.said[0] == ("agent_0", "agent_1", "fridge_3 must end open.")
    assert not played.solved


CHAIN = Binding(
    "restricted_communication",
    allowed_targets={"agent_0": ("agent_1",), "agent_1": ("agent_0", "agent_2"), "agent_2": ("agent_1",)},
)
RELAY = {
    "agent_0": [
        *("You can only message agent_1.", "You can send 1 message.", "You cannot enter store_1."),
        *("agent_1 cannot enter store_1.", "cabinet_12 must end open."),
    ],
    "agent_1": [
        "You can only message agent_0 or agent_2.",
        "You can send 1 message.",
        "You cannot enter store_1.",
    ],
    "agent_2": ["You can only message agent_1.", "You can send 1 message."],
}
RELAYED = (ONE_EACH, CHAIN, team.barred("agent_0", "store_1"), team.barred("agent_1", "store_1"))


def test_level_3_goes_through_a_third_and_the_third_passes_it_on() -> None:
    played = play(LevelThree, *RELAYED, goal=OPEN_12, **RELAY)
    asked = "agent_2, please see to it that cabinet_12 ends open."
    assert played.said[:2] == [("agent_0", "agent_1", asked), ("agent_1", "agent_2", asked)]
    assert played.solved


def test_level_2_says_nothing_to_who_cannot_use_it() -> None:
    played = play(LevelTwo, *RELAYED, goal=OPEN_12, **RELAY)
    assert played.said == []
    assert not played.solved


def test_what_a_thing_follows_is_asked_for_instead_of_the_thing() -> None:
    played = play(
        LevelTwo,
        *(
            Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12"),
            *(team.barred(f"agent_{i}", "store_1") for i in range(3)),
            *(team.barred("agent_0", "study_1"), team.barred("agent_1", "study_1")),
        ),
        goal=OPEN_12,
        agent_0=[
            *("You cannot enter store_1 or study_1.", "agent_1 cannot enter study_1."),
            *("cabinet_12 must end open.", "cabinet_6 and cabinet_12 always move together."),
        ],
    )
    assert ("agent_0", "agent_2", "agent_2, please see to it that cabinet_6 ends open.") in played.said
    assert played.solved


def test_who_knows_how_a_handle_works_tells_who_is_to_turn_it() -> None:
    reverse = "chest_11 works in reverse: opening closes it, and closing opens it."
    played = play(
        LevelTwo,
        *(Binding("inverse_state", trigger_object="chest_11"), team.barred("agent_0", "bedroom_1")),
        goal="(is_open chest_11)",
        agent_0=[
            "You cannot enter bedroom_1.",
            reverse,
            "chest_11 must end open.",
            "agent_1 cannot enter bedroom_1.",
        ],
    )
    assert [text for *_, text in played.said[:2]] == ["chest_11 must end open.", reverse]
    assert "Open[chest_11]" not in played.calls("agent_2")
    assert played.solved


def test_who_does_not_find_a_thing_asks_those_who_may_go_elsewhere() -> None:
    played = play(
        LevelTwo,
        *(team.barred("agent_0", "bedroom_1"),),
        goal="(is_on_top ball_0 table_5)",
        turns=30,
        agent_0=["You cannot enter bedroom_1.", "ball_0 must end on table_5."],
    )
    assert "ball_0 must end on table_5." in [text for *_, text in played.said]
    assert played.solved


def test_who_knows_where_a_thing_is_tells_who_is_to_move_it() -> None:
    played = play(
        LevelTwo,
        *(team.barred("agent_0", "study_1"), team.barred("agent_1", "study_1")),
        goal="(is_on_top key_0 table_5)",
        agent_0=[
            *("You cannot enter study_1.", "agent_1 cannot enter study_1."),
            *("key_0 must end on table_5.", "key_0 is inside cabinet_12."),
        ],
    )
    assert [text for *_, text in played.said[:2]] == [
        "key_0 must end on table_5.",
        "key_0 is inside cabinet_12.",
    ]
    opened = [call for call in played.calls("agent_2") if call.startswith("Open")]
    assert opened == ["Open[cabinet_12]"]
    assert played.solved


def test_what_somebody_is_to_know_in_the_end_it_is_told() -> None:
    goal = "(and (is_open cabinet_12) (K agent_0 (K agent_2 (is_open cabinet_12))))"
    played = play(
        LevelTwo,
        *(team.barred("agent_0", "store_1"), team.barred("agent_1", "store_1")),
        goal=goal,
        agent_0=[
            *("You cannot enter store_1.", "agent_1 cannot enter store_1."),
            "By the end, you must know that agent_2 knows that cabinet_12 is open.",
        ],
    )
    assert ("agent_2", "agent_0", "cabinet_12 is open.") in played.said
    assert played.right == [True]
    assert played.world.entitled.facts()["k_probe_0"] is not None


def test_a_confirmation_is_relayed_as_what_its_source_knows() -> None:
    goal = "(and (is_open cabinet_12) (K agent_0 (K agent_1 (K agent_2 (is_open cabinet_12)))))"
    secrets = RELAY | {
        "agent_0": [
            *RELAY["agent_0"][:-1],
            "By the end, you must know that agent_1 knows that agent_2 knows that cabinet_12 is open.",
        ],
        "agent_1": [*RELAY["agent_1"][::2], "You can send 2 messages."],
    }
    limits = Binding("limited_bandwidth", message_limits={"agent_0": 1, "agent_1": 2, "agent_2": 1})
    played = play(LevelThree, limits, *RELAYED[1:], goal=goal, **secrets)
    assert ("agent_1", "agent_0", "agent_2 knows that cabinet_12 is open.") in played.said
    assert played.solved
    assert played.right == [True]


def test_who_was_asked_for_what_it_cannot_do_says_so_when_nobody_else_is_left() -> None:
    house = team.house(
        team.barred("agent_1", "store_1"),
        goal=OPEN_12,
        secrets={
            "agent_0": ["cabinet_12 must end open.", "You cannot enter store_1."],
            "agent_1": ["You cannot enter store_1."],
        },
        agents=2,
    )
    played = team.play(house, {"agent_0": LevelTwo(), "agent_1": LevelTwo()}, 20)
    assert ("agent_1", "agent_0", "I cannot enter store_1.") in played.said
