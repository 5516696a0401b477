"""What one agent knows: secrets, messages, sights, and nothing else."""

from typing import Any

from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain
from otherminds.household.epistemic.words import Fact, Must
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.picture import FloorPlan
from tests.household.reference import team

BOWL = Atom("is_on_top", ("bowl_0", "table_5"))


def knowledge(*secrets: str) -> Knowledge:
    made = Knowledge(team.brief(secrets=secrets))
    made.begin(FloorPlan(team.plan()))
    return made


def sight(**fields: Any) -> dict[str, Any]:
    """What agent 0 observes in the kitchen."""
    graph = {"objects": {}, "states": {}, "agents": {}} | fields.pop("graph", {})
    return {"turn": 0, "room": "kitchen_1", "holding": [], "graph": graph} | fields


def test_secrets_are_read_and_freer_words_ignored() -> None:
    made = knowledge(
        "bowl_0 must end on table_5. Please hurry!",
        "You cannot enter study_1 or store_1.",
        "You can only message agent_2.",
        "You can send 2 messages.",
        "I think that cabinet_2 works in reverse.",
        "cabinet_6 works in reverse: opening closes it, and closing opens it.",
    )
    assert list(made.goals) == [BOWL]
    assert made.barred["agent_0"] == {"study_1", "store_1"}
    assert made.targets("agent_0") == ("agent_2",)
    assert made.targets("agent_1") == ("agent_0", "agent_2")
    assert made.left == 2
    assert made.wiring.known == [Inverse("cabinet_6")]


def test_what_somebody_is_to_know_has_to_be_so() -> None:
    made = knowledge("By the end, agent_1 must know that bowl_0 is on table_5.")
    assert list(made.chains) == [KnowledgeChain(("agent_1",), BOWL)]
    assert list(made.goals) == [BOWL]
    assert made.statements[Must(BOWL)].derived


def test_another_s_secret_is_read_with_its_owner_as_you() -> None:
    made = knowledge("agent_1 was told: You cannot enter kitchen_1.")
    assert made.barred["agent_1"] == {"kitchen_1"}
    assert made.barred["agent_0"] == frozenset()


def test_a_message_teaches_what_it_says_and_that_its_sender_knows_it() -> None:
    made = knowledge()
    made.hear("agent_1", "cabinet_2 is open. I cannot enter study_1. Rubbish is rubbish.")
    assert made.picture.state("cabinet_2", "is_open") == "is_open"
    assert made.barred["agent_1"] == {"study_1"}
    assert made.statements[Barred("agent_1", ("study_1",))].holders == {"agent_0", "agent_1"}
    assert made.models.holds(("agent_1",), Atom("is_open", ("cabinet_2",))) is True
    assert made.source(Atom("is_open", ("cabinet_2",))) == "agent_1"


def test_who_knows_that_somebody_knows_a_thing_knows_it() -> None:
    made = knowledge()
    made.hear("agent_1", "agent_2 knows that bowl_0 is on table_5.")
    assert made.achieved(BOWL)
    assert made.models.holds(("agent_1", "agent_2"), BOWL) is True


def test_news_replaces_what_was_said_before_even_if_it_was_said_once_already() -> None:
    made = knowledge()
    for text, value in (("is open", "is_open"), ("is closed", "is_closed"), ("is open", "is_open")):
        made.hear("agent_1", f"cabinet_2 {text}.")
        assert made.picture.state("cabinet_2", "is_open") == value


def test_what_is_here_is_believed_as_it_is_seen_and_of_elsewhere_what_was_heard_last() -> None:
    made = knowledge()
    seen = sight(graph={"states": {"cabinet_2": ["is_closed"], "cabinet_6": ["is_closed"]}})
    made.look(seen)
    made.hear("agent_1", "cabinet_2 is open. cabinet_6 is open.")
    made.look(sight(turn=1, graph=seen["graph"]))
    assert made.picture.state("cabinet_2", "is_open") == "is_closed"
    assert made.picture.state("cabinet_6", "is_open") == "is_open"


def test_an_object_that_is_seen_to_be_gone_is_nowhere_known() -> None:
    made = knowledge()
    made.look(sight(graph={"objects": {"bowl_0": ["is_on_top", "counter_0"]}}))
    assert made.picture.room("bowl_0") == "kitchen_1"
    made.look(sight(turn=1, graph={"objects": {"bowl_0": []}}))
    assert made.picture.room("bowl_0") is None


def test_who_is_in_the_room_sees_what_is_there_but_not_into_what_is_closed() -> None:
    made = knowledge()
    objects = {"bowl_0": ["is_on_top", "counter_0"], "cup_0": ["is_inside", "cabinet_2"]}
    states = {"cabinet_2": ["is_closed"]}
    made.look(
        sight(graph={"objects": objects, "states": states, "agents": {"agent_1": {"room": "kitchen_1"}}})
    )
    assert made.models.holds(("agent_1",), Atom("is_on_top", ("bowl_0", "counter_0"))) is True
    assert made.models.holds(("agent_1",), Atom("is_inside", ("cup_0", "cabinet_2"))) is None


def test_what_is_sent_is_known_to_have_arrived_and_costs_a_message() -> None:
    made = knowledge("You can send 2 messages.")
    made.record_sent(["agent_1"], [Must(Know("agent_2", BOWL)), Fact(Atom("is_open", ("cabinet_2",)))])
    assert made.left == 1
    assert made.statements[Must(BOWL)].holders == {"agent_0", "agent_1"}
    assert made.models.holds(("agent_1", "agent_0"), Atom("is_open", ("cabinet_2",))) is True


def test_only_what_is_new_makes_a_turn_count_as_eventful() -> None:
    made = knowledge()
    seen = sight(graph={"states": {"cabinet_2": ["is_closed"]}})
    made.look(seen | {"turn": 3})
    made.look(seen | {"turn": 4})
    assert made.fresh == 3
    made.turn = 5
    made.hear("agent_1", "Hello!")
    assert made.fresh == 3
    made.hear("agent_1", "cabinet_2 is closed.")
    assert made.fresh == 5
