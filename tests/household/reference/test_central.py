"""The team to which all secrets are shared: the same plan in every head, no message, soon done."""

from otherminds.core.data import Brief
from otherminds.household.epistemic.formula import Atom
from otherminds.household.reference.picture import FloorPlan
from otherminds.household.reference.roster import Common, InformedHousemate, shares
from otherminds.household.task import Binding
from tests.household.reference import team

GOAL = "(and (is_on_top bowl_0 table_5) (is_open cabinet_12) (is_open fridge_3) (is_closed cabinet_10))"
SECRETS = {
    "agent_0": ["You cannot enter store_1.", "cabinet_12 must end open.", "fridge_3 must end open."],
    "agent_1": ["bowl_0 must end on table_5.", "cabinet_10 must end closed."],
    "agent_2": ["You cannot enter study_1."],
}
BARS = (team.barred("agent_0", "store_1"), team.barred("agent_2", "study_1"))


def play(*bindings: Binding, goal: str, turns: int = 60, **secrets: list[str]) -> object:
    house = team.house(*bindings, goal=goal, secrets=secrets)
    return team.play(house, {seat: InformedHousemate() for seat in house.agents}, turns)


def common(seat: str) -> Common:
    """What agent ``seat`` knows to be known by all."""
    house = team.house(*BARS, goal=GOAL, secrets=SECRETS)
    told: Brief = team.brief(seat, (*SECRETS[seat], *team.others_secrets(house, seat)))
    made = Common(told)
    made.begin(FloorPlan(team.plan()))
    return made


def test_everybody_makes_the_same_plan() -> None:
    plans = [shares(common(f"agent_{i}")) for i in range(3)]
    assert plans[0] == plans[1] == plans[2]


def test_every_goal_is_one_member_s_and_nobody_has_what_it_cannot_do() -> None:
    plan = shares(common("agent_0"))
    goals = [goal for share in plan.values() for goal in share.goals]
    assert sorted(goals, key=str) == sorted(common("agent_0").goals, key=str)
    assert Atom("is_open", ("cabinet_12",)) not in plan["agent_0"].goals
    assert Atom("is_on_top", ("bowl_0", "table_5")) not in plan["agent_2"].goals


def test_the_team_is_done_without_a_word() -> None:
    played = play(*BARS, goal=GOAL, **SECRETS)
    assert played.solved
    assert played.said == []
    assert all(played.calls(f"agent_{i}")[-1] == "Done[]" for i in range(3))
    assert played.world.turn <= 10


def test_things_are_handed_on_from_one_to_the_next() -> None:
    played = play(
        *(team.barred("agent_0", "hallway_1"), team.barred("agent_1", "kitchen_1", "bedroom_1")),
        team.barred("agent_2", "kitchen_1", "study_1"),
        goal="(is_on_top bowl_0 bed_9)",
        agent_0=["You cannot enter hallway_1.", "bowl_0 is on counter_0."],
        agent_1=["You cannot enter kitchen_1 or bedroom_1."],
        agent_2=["You cannot enter kitchen_1 or study_1.", "bowl_0 must end on bed_9."],
    )
    assert "Place[bowl_0, on, floor_study_1]" in played.calls("agent_0")
    assert "Place[bowl_0, on, floor_hallway_1]" in played.calls("agent_1")
    assert "Place[bowl_0, on, bed_9]" in played.calls("agent_2")
    assert played.solved
    assert played.said == []


def test_a_thing_that_nobody_knows_the_place_of_is_brought_by_who_alone_may_find_it() -> None:
    played = play(
        *(team.barred("agent_0", "bedroom_1"), team.barred("agent_1", "study_1", "bedroom_1")),
        team.barred("agent_2", "study_1"),
        goal="(is_on_top key_0 table_5)",
        agent_0=["You cannot enter bedroom_1.", "key_0 must end on table_5."],
        agent_1=["You cannot enter study_1 or bedroom_1."],
        agent_2=["You cannot enter study_1."],
    )
    assert "Pick[key_0]" in played.calls("agent_2")
    assert played.calls("agent_0")[-2] == "Place[key_0, on, table_5]"
    assert played.solved
    assert played.said == []


def test_doors_are_shut_by_who_puts_things_behind_them() -> None:
    secrets = {
        "agent_0": ["bowl_0 must end inside fridge_3."],
        "agent_1": ["fridge_3 must end closed."],
    }
    played = play(goal="(and (is_inside bowl_0 fridge_3) (is_closed fridge_3))", **secrets)
    assert played.solved


def test_what_cannot_be_done_is_given_up() -> None:
    bars = tuple(team.barred(f"agent_{i}", "store_1") for i in range(3))
    secrets = {f"agent_{i}": ["You cannot enter store_1."] for i in range(3)}
    secrets["agent_0"].append("cabinet_12 must end open.")
    played = play(*bars, goal="(is_open cabinet_12)", **secrets)
    assert not played.solved
    assert played.world.turn < 5


def test_everybody_takes_the_plan_to_be_carried_out() -> None:
    goal = "(and (is_open cabinet_12) (K agent_0 (K agent_1 (is_open cabinet_12))))"
    secrets = {"agent_0": ["You cannot enter store_1."], "agent_1": ["cabinet_12 must end open."]}
    played = play(team.barred("agent_0", "store_1"), goal=goal, **secrets)
    assert played.solved
    assert played.right == [True]
