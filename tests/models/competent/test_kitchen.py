from otherminds.core.data import Message
from otherminds.gridworlds.cooking.verbalizer import PLACES
from otherminds.gridworlds.grid.words import plan as read
from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.planning import ALONE, SHARED, acts, judge_strategy, kitchen, plan_in_kitchen

LEFT = {
    "tomato dispenser": [(0, 1)],
    "dish dispenser": [(3, 4)],
    "place of delivery": [(3, 1)],
    "pots": [(4, 2), (4, 3)],
    "counters": [(2, 1), (0, 2), (0, 3)],
}
RIGHT = LEFT | {"tomato dispenser": [(5, 1)], "dish dispenser": [(5, 4)], "place of delivery": [(8, 1)]}
EMPTY = {"tomatoes": 0, "bar": 0, "done": False}
COOKING = {"tomatoes": 3, "bar": 4, "done": False}
DONE = {"tomatoes": 3, "bar": 10, "done": True}


def planned(
    held: str, pots: dict, side: dict = LEFT, told: str = ALONE, mate="not seen", lying=None
) -> list[str]:
    lines = [
        f"You are at: {'(3, 2)' if side is LEFT else '(5, 2)'}, facing E",
        f"You hold: {held!r}",
        f"On your side: {side}",
        f"Places to stand: {[(1, 2), (2, 2), (3, 2), (3, 3)]}",
        f"Pots in view: {pots}",
        f"On counters in view: {lying or {}}",
        f"Your teammate: {mate!r}",
        "Pots seen earlier: {(4, 3): ({'tomatoes': 2, 'bar': 0, 'done': False}, 131)}",
        "On counters seen earlier: {}",
    ]
    at = kitchen(Prompt([Message("user", "\n".join(lines))]))
    assert at is not None
    calls, _ = plan_in_kitchen(at, told)
    assert isinstance(read(calls, PLACES), tuple)
    return calls


def test_soup_is_delivered():
    assert planned("soup", {}) == ["interact((3, 1))"]


def test_a_tomato_goes_where_most_are_already():
    assert planned("tomato", {(4, 2): EMPTY}) == ["interact((4, 3))"]


def test_a_pot_that_needs_tomatoes_gets_one():
    assert planned("nothing", {(4, 2): EMPTY}) == ["interact((0, 1))", "interact((4, 3))"]


def test_a_tomato_on_a_counter_is_as_good_as_one_from_the_dispenser():
    assert planned("nothing", {(4, 2): EMPTY}, lying={(2, 1): "tomato"})[0] == "interact((2, 1))"


def test_soup_that_is_done_is_served():
    pots = {(4, 2): COOKING, (4, 3): DONE}
    assert planned("nothing", pots) == ["interact((3, 4))", "interact((4, 3))", "interact((3, 1))"]
    assert planned("dish", pots) == ["interact((4, 3))", "interact((3, 1))"]


def test_soup_that_cooks_is_waited_for():
    both = {(4, 2): COOKING, (4, 3): COOKING}
    assert planned("nothing", both) == [
        "interact((3, 4))",
        "wait((4, 2))",
        "interact((4, 2))",
        "interact((3, 1))",
    ]


def test_sharing_work_each_side_begins_with_what_is_nearer():
    pots = {(4, 2): DONE, (4, 3): EMPTY}
    assert planned("nothing", pots, LEFT, SHARED)[0] == "interact((3, 4))"
    assert planned("nothing", pots, RIGHT, SHARED)[0] == "interact((5, 1))"


def test_a_teammate_with_a_dish_is_left_the_soup():
    pots = {(4, 2): DONE, (4, 3): COOKING}
    assert planned("nothing", pots, mate=((5, 2), "dish")) == ["interact((0, 1))"]
    assert planned("tomato", pots, mate=((5, 2), "dish"))[0].startswith("move_to(")


def test_hands_are_freed_where_a_counter_is_free():
    assert planned("tomato", {(4, 2): DONE, (4, 3): DONE}) == ["interact((2, 1))"]
    assert planned("dish", {(4, 2): EMPTY}, lying={(2, 1): "tomato"}) == ["interact((0, 2))"]
    full = dict.fromkeys(LEFT["counters"], "tomato")
    assert planned("dish", {(4, 2): EMPTY}, lying=full)[0].startswith("move_to(")


def test_a_teammate_is_judged_by_what_it_did_lately():
    helped, idle, unknown = (
        ["picked up soup", "delivered soup"],
        ["stood around"],
        ["stood around", "delivered soup"],
    )
    assert judge_strategy([]) == judge_strategy([idle]) == judge_strategy([unknown] * 3) == ALONE
    assert judge_strategy([idle, helped, helped]) == SHARED
    assert judge_strategy([helped, idle, idle, idle]) == ALONE
    assert acts(unknown) == ()
    assert acts(idle) == ("stood around",)
