"""The engine: what every state keeps, what agents come to believe, and where walks end."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.data import ReceivedMessage
from otherminds.household.commands import Command, Malformed, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.task import Binding
from tests.cases import examples, for_each
from tests.household import drawn_tasks as drawn
from tests.household import eyes
from tests.household import small_house as small
from tests.household.choosing import Chooser

OPPOSITES = (
    ("is_open", "is_closed"),
    ("is_powered_on", "is_powered_off"),
    ("is_clean", "is_dirty"),
    ("is_filled", "is_empty"),
)
PLACES = ("is_on_top", "is_inside", "lies_on", "is_held_by")


def call(engine: HouseEngine, *calls: str) -> list[tuple[bool, str]]:
    """One turn; who has no call waits."""
    commands = [parse(text) for text in (*calls, *["Wait[]"] * (len(engine.agents) - len(calls)))]
    assert not [command for command in commands if isinstance(command, Malformed)]
    return engine.step([command for command in commands if isinstance(command, Command)])


def spot(engine: HouseEngine, i: int = 0) -> str:
    return engine.house.spots[engine.spot[i]]


def check(engine: HouseEngine) -> None:
    """What holds in every state."""
    house, facts = engine.house, small.facts(engine)
    for o in house.objects:
        assert len([fact for fact in facts if fact[0] in PLACES and fact[1] == o]) == 1
        assert (engine.current.place_of(o)[0], o, engine.current.place_of(o)[1]) in facts
        assert (o in engine.layout.at) == (engine.current.place_of(o)[0] != "is_held_by")
    for i, agent in enumerate(house.agents):
        assert [fact[2] for fact in facts if fact[:2] == ("at", agent)] == [spot(engine, i)]
        assert [fact[2] for fact in facts if fact[:2] == ("agent_in_room", agent)] == [
            house.spot_room[engine.spot[i]]
        ]
        held = [fact for fact in facts if fact[0] == "is_held_by" and fact[2] == agent]
        assert len(held) == (("hand_empty", agent) not in facts)
        assert len([fact for fact in facts if fact[:2] == ("left", agent)]) == 1
        assert house.spot_room[engine.spot[i]] not in house.barred[agent]
        believe(engine, i, facts)
    for one, other in OPPOSITES:
        ones, others = ({fact[1] for fact in facts if fact[0] == name} for name in (one, other))
        assert not ones & others


def believe(engine: HouseEngine, i: int, facts: frozenset[tuple[str, ...]]) -> None:
    """Beliefs are of one mind, and right about what is in sight."""
    believed = set(engine.house.facts.shown(engine.sight.believed[i]))
    for o in engine.house.objects:
        assert len([fact for fact in believed if fact[0] in PLACES and fact[1] == o]) <= 1
    for agent in engine.agents:
        assert len([fact for fact in believed if fact[:2] == ("agent_in_room", agent)]) <= 1
    for one, other in OPPOSITES:
        assert not {fact[1] for fact in believed if fact[0] == one} & {
            fact[1] for fact in believed if fact[0] == other
        }
    seen = eyes.in_sight(engine, i)
    assert seen <= believed
    things = {fact[1] for fact in seen if fact[0] in PLACES}
    assert all(engine.sight.where(i, o) == engine.current.place_of(o) for o in things)
    assert not [fact for fact in believed if fact[0] in PLACES and fact[2] == engine.agents[i]] or (
        ("hand_empty", engine.agents[i]) not in facts
    )


@settings(examples(0.6))
@given(seed=st.integers(0, 10_000), scene=st.sampled_from([None, None, *shipped_scenes()]))
def test_every_state_and_every_belief_makes_sense_whatever_is_done(seed: int, scene: str | None) -> None:
    house = (
        drawn.house(load_scene(scene), seed)
        if scene
        else small.house(*small.ALL_SIX, initial_states=small.many_states())
    )
    engine = HouseEngine(house)
    chooser = Chooser(engine, seed)
    check(engine)
    for _ in range(40):
        known = list(engine.sight.known)
        engine.step([chooser.choose(i) for i in range(len(engine.agents))])
        check(engine)
        assert all(before & ~after == 0 for before, after in zip(known, engine.sight.known, strict=True))


def play(engine: HouseEngine, seed: int) -> list[object]:
    chooser = Chooser(engine, seed)
    told: list[object] = []
    for _ in range(60):
        told.append(engine.step([chooser.choose(i) for i in range(len(engine.agents))]))
        told.append((small.facts(engine), tuple(engine.spot), [list(box) for box in engine.mail]))
    return told


def test_episodes_share_a_house_and_change_nothing_in_it() -> None:
    house = small.house(*small.ALL_SIX)
    engine, other = HouseEngine(house), HouseEngine(house)
    first = play(engine, 1)
    play(other, 2)
    engine.reset()
    assert play(engine, 1) == first
    assert play(HouseEngine(house), 1) == first
    assert play(HouseEngine(small.house(*small.ALL_SIX)), 1) == first


class TestBeliefs:
    def test_an_object_is_unknown_until_it_is_seen(self) -> None:
        engine = HouseEngine(small.house())
        assert engine.sight.where(0, "bowl_0") == ("is_on_top", "counter_0")
        assert not engine.sight.knows(0, "cup_0")
        assert not engine.sight.knows(0, "book_0")
        call(engine, "Open[cabinet_2]")
        assert engine.sight.where(0, "cup_0") == ("is_inside", "cabinet_2")
        call(engine, "Navigate[study_1]")
        assert engine.sight.where(0, "book_0") == ("is_on_top", "table_5")

    def test_open_shelves_are_seen_into(self) -> None:
        assert HouseEngine(small.house()).sight.where(1, "jug_0") == ("is_inside", "shelves_8")

    def test_a_belief_grows_stale_until_the_place_is_seen_again(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[hallway_1]", "Navigate[kitchen_1]")
        call(engine, "Wait[]", "Pick[bowl_0]")
        call(engine, "Wait[]", "Place[bowl_0, on, stove_4]")
        assert engine.sight.where(0, "bowl_0") == ("is_on_top", "counter_0")
        assert engine.sight.where(1, "bowl_0") == ("is_on_top", "stove_4")
        call(engine, "Navigate[kitchen_1]")
        assert engine.sight.where(0, "bowl_0") == ("is_on_top", "stove_4")

    def test_what_is_gone_from_where_it_was_is_known_of_but_nowhere(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[hallway_1]", "Navigate[kitchen_1]")
        call(engine, "Wait[]", "Pick[bowl_0]")
        call(engine, "Wait[]", "Navigate[study_1]")
        call(engine, "Navigate[kitchen_1]")
        assert engine.sight.where(0, "bowl_0") is None
        assert engine.sight.knows(0, "bowl_0")

    def test_what_somebody_carries_out_of_sight_is_believed_in_its_hand(self) -> None:
        engine = HouseEngine(small.house())
        for calls in (
            ("Wait[]", "Navigate[kitchen_1]"),
            ("Wait[]", "Pick[bowl_0]"),
            ("Wait[]", "Navigate[study_1]"),
        ):
            call(engine, *calls)
        assert engine.sight.where(0, "bowl_0") == ("is_held_by", "agent_1")
        call(engine, "Wait[]", "Place[bowl_0, on, table_5]")
        assert engine.sight.where(0, "bowl_0") == ("is_held_by", "agent_1")
        call(engine, "Navigate[study_1]")
        assert engine.sight.where(0, "bowl_0") == ("is_on_top", "table_5")

    def test_what_was_done_to_an_object_is_seen_with_it(self) -> None:
        engine = HouseEngine(small.house(initial_states={"plate_0": {"is_dirty": True}}))
        dirty, clean = (engine.house.facts.bit((state, "plate_0")) for state in ("is_dirty", "is_clean"))
        assert engine.sight.believed[0] & dirty
        call(engine, "Navigate[hallway_1]", "Navigate[kitchen_1]")
        call(engine, "Wait[]", "Clean[plate_0]")
        assert engine.sight.believed[0] & dirty
        call(engine, "Navigate[kitchen_1]")
        assert engine.sight.believed[0] & clean
        assert not engine.sight.believed[0] & dirty

    def test_what_a_mechanic_moved_is_seen_where_it_stands_only(self) -> None:
        engine = HouseEngine(
            small.house(
                Binding(
                    "remote_control",
                    trigger_object="cabinet_2",
                    target_object="cabinet_10",
                    target_state="open",
                )
            )
        )
        call(engine, "Open[cabinet_2]")
        opened = engine.house.facts.bit(("is_open", "cabinet_10"))
        assert engine.sight.believed[2] & opened
        assert not engine.sight.believed[0] & opened
        assert engine.sight.knows(2, "radio_0")
        assert engine.acts == [
            (0, Command("Open", ("cabinet_2",)), engine.spot[0], engine.spot[0], tuple(engine.spot))
        ]

    def test_an_empty_room_shows_that_who_was_there_has_left(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[study_1]")
        room = engine.house.rooms_mask["agent_1"]
        assert engine.sight.believed[0] & room
        call(engine, "Navigate[kitchen_1]")
        call(engine, "Wait[]", "Navigate[bedroom_1]")
        assert engine.sight.believed[0] & room
        call(engine, "Navigate[study_1]")
        assert not engine.sight.believed[0] & room


class TestWalks:
    def test_one_stays_where_one_is_if_the_furniture_is_in_reach(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[counter_0]")
        assert spot(engine) == "spawn:agent_0"
        call(engine, "Navigate[bed_9]")
        assert spot(engine) == "stand:bed_9"
        call(engine, "Navigate[chest_11]")
        assert spot(engine) == "stand:bed_9"
        call(engine, "Navigate[cabinet_10]")
        assert spot(engine) == "stand:cabinet_10"

    def test_a_room_is_entered_to_its_middle_and_a_floor_reached_from_there(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[store_1]")
        assert spot(engine) == "centre:store_1"
        call(engine, "Navigate[floor_bedroom_1]")
        assert spot(engine) == "centre:bedroom_1"

    def test_who_has_walked_is_in_one_room_at_one_spot(self) -> None:
        engine = HouseEngine(small.house())
        for room in ("store_1", "bedroom_1", "kitchen_1"):
            call(engine, f"Navigate[{room}]")
            where = {
                fact
                for fact in small.facts(engine)
                if fact[1] == "agent_0" and fact[0] in ("at", "agent_in_room")
            }
            assert where == {("at", "agent_0", f"centre:{room}"), ("agent_in_room", "agent_0", room)}

    def test_an_object_is_walked_to_where_it_is_believed_to_be(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[bedroom_1]", "Navigate[kitchen_1]")
        call(engine, "Wait[]", "Pick[bowl_0]")
        call(engine, "Wait[]", "Navigate[bed_9]")
        call(engine, "Wait[]", "Place[bowl_0, on, bed_9]")
        call(engine, "Navigate[hallway_1]", "Pick[bowl_0]")
        call(engine, "Navigate[bowl_0]")
        assert spot(engine) == "stand:bed_9"

    def test_an_agent_in_sight_is_walked_up_to(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[study_1]")
        call(engine, "Navigate[agent_1]")
        assert spot(engine) == "spawn:agent_1"

    def test_an_agent_out_of_sight_is_looked_for_in_the_middle_of_its_room_of_before(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[study_1]")
        call(engine, "Navigate[kitchen_1]", "Navigate[bedroom_1]")
        worked, _, _ = call(engine, "Navigate[agent_1]")
        assert worked == (True, "Successful execution! You are in study_1.")
        assert spot(engine) == "centre:study_1"

    def test_what_another_holds_is_found_where_that_one_is(self) -> None:
        engine = HouseEngine(small.house())
        for calls in (("Wait[]", "Navigate[kitchen_1]"), ("Wait[]", "Pick[bowl_0]"), ("Navigate[bowl_0]",)):
            call(engine, *calls)
        assert spot(engine) == "centre:kitchen_1"

    def test_to_explore_a_room_is_to_look_round_its_corners_too(self) -> None:
        engine = HouseEngine(small.house())
        open_stand = engine.house.facts.bit(("is_closed", "stand_14"))
        call(engine, "Navigate[hallway_1]")
        assert not engine.sight.believed[0] & open_stand
        call(engine, "Explore[hallway_1]")
        assert engine.sight.believed[0] & open_stand
        assert spot(engine) == "centre:hallway_1"


class TestTurns:
    def test_commands_are_resolved_in_the_order_of_seats(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Navigate[study_1]")
        assert call(engine, "Pick[cup_1]", "Pick[cup_1]")[1] == (
            False,
            "Failed to pick! cup_1 is not there any more.",
        )

    def test_an_earlier_seat_opens_and_a_later_one_takes_what_it_knows_to_be_inside(self) -> None:
        engine = HouseEngine(small.house())
        for calls in (("Open[cabinet_2]", "Navigate[kitchen_1]"), ("Close[cabinet_2]",)):
            call(engine, *calls)
        assert call(engine, "Open[cabinet_2]", "Pick[cup_0]")[1] == (
            True,
            "Successful execution! You hold cup_0.",
        )

    def test_mail_is_there_for_one_turn(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, 'Communicate[all, "Hello."]', 'Communicate[agent_2, "Psst."]')
        assert engine.mail == [
            [],
            [ReceivedMessage("agent_0", "Hello.")],
            [ReceivedMessage("agent_0", "Hello."), ReceivedMessage("agent_1", "Psst.")],
        ]
        call(engine)
        assert engine.mail == [[], [], []]

    def test_who_is_done_does_nothing_more(self) -> None:
        engine = HouseEngine(small.house())
        call(engine, "Done[]")
        assert call(engine, "Pick[bowl_0]")[0] == (True, "You are done.")
        assert engine.current.place_of("bowl_0") == ("is_on_top", "counter_0")


WAIT = Command("Wait")
HELLO = Command("Communicate", ("agent_2", "Hello."))
ONLY = Binding("restricted_communication", allowed_targets={"agent_0": ("agent_1",)})
NONE = Binding("limited_bandwidth", message_limits={"agent_0": 0})


@for_each(
    ("secrets", "told"),
    [
        ((), "Blocked: You can only send messages to: agent_1."),
        (("You can only message agent_1.",), "Blocked: You can only send messages to: agent_1."),
        (("You can send 0 messages.",), "Blocked: You have no messages left."),
        (
            ("You can only message agent_1.", "You can send 0 messages."),
            "Blocked: You have no messages left.",
        ),
    ],
)
def test_a_message_refused_for_two_reasons_is_refused_for_the_one_that_is_known(
    secrets: tuple[str, ...], told: str
) -> None:
    engine = HouseEngine(small.house(ONLY, NONE, agent_secrets={"agent_0": secrets}))
    assert engine.step([HELLO, WAIT, WAIT])[0] == (False, told)


def test_a_refusal_lists_whom_one_was_told_of_and_no_hidden_restriction() -> None:
    secrets = {"agent_0": ("You can only message agent_1.",)}
    hidden = Binding("restricted_communication", allowed_targets={"agent_0": ()})
    texts = [
        HouseEngine(small.house(*bindings, agent_secrets=secrets)).step([HELLO, WAIT, WAIT])[0]
        for bindings in ((ONLY,), (ONLY, hidden))
    ]
    assert texts[0] == texts[1] == (False, "Blocked: You can only send messages to: agent_1.")


def test_a_refused_walk_does_not_tell_which_room_is_barred() -> None:
    bars = [("bedroom_1",), ("bedroom_1", "store_1")]
    texts = [
        HouseEngine(
            small.house(Binding("room_restriction", restricted_rooms=rooms, for_agents=("agent_0",)))
        ).step([Command("Navigate", ("store_1",)), WAIT, WAIT])[0]
        for rooms in bars
    ]
    assert texts[0] == texts[1]
    assert not texts[0][0]
