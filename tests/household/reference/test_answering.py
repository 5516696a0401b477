"""Answers for oneself and for others, and what they are worth."""

from otherminds.core.contracts import Mind
from otherminds.core.data import Answer, Invalid, Question
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, probed
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.probes import answer_of, question_of
from otherminds.household.reference.mind import Housemate, LevelThree, asked
from otherminds.household.reference.roster import Egocentric
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.reference import team

OPEN = "(is_open cabinet_12)"
DEEP = f"(and {OPEN} (K agent_0 (K agent_1 {OPEN})) (K agent_1 {OPEN}) (K agent_0 {OPEN}))"


class Certain(Housemate):
    """Takes the goal to be reached and everybody to know it."""

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[0]


@for_each(
    "goal",
    [
        "(K agent_0 (is_open cabinet_12))",
        "(K agent_0 (K agent_1 (is_on_top bowl_0 table_5)))",
        "(K agent_0 (K agent_1 (K agent_2 (K agent_0 (agent_in_room agent_1 kitchen_1)))))",
        "(K agent_2 (K agent_1 (not (is_inside bowl_0 cabinet_2))))",
    ],
)
def test_a_question_is_understood_as_it_was_meant(goal: str) -> None:
    for name, chain in probed(goal_of(goal)).items():
        assert asked(question_of(name, chain)) == KnowledgeChain(chain.agents[1:], chain.fact)


def test_of_a_question_about_something_else_nothing_is_known() -> None:
    other = Question("q", "agent_0", "end", "What did the others do?", ("a", "b"), 0.5)
    assert asked(other) is None


def houses() -> tuple[object, object]:
    """Two tasks: in one agents 0 and 1 talk; in the other nobody can write to agent 1."""
    told = {
        "agent_0": ["You cannot enter store_1.", "agent_1 cannot enter store_1."],
        "agent_1": [
            "You cannot enter store_1.",
            "By the end, agent_0 must know that you know that cabinet_12 is open.",
        ],
        "agent_2": ["cabinet_12 must end open.", "By the end, agent_1 must know that cabinet_12 is open."],
    }
    bars = (team.barred("agent_0", "store_1"), team.barred("agent_1", "store_1"))
    silent = Binding("limited_bandwidth", message_limits={f"agent_{i}": 0 for i in range(3)})
    return tuple(team.house(*bars, *more, goal=DEEP, secrets=told) for more in ((), (silent,)))


def right(minds: type[Mind], house: object) -> dict[str, bool]:
    """Whether each probe was answered with what the next agent did answer, by its id."""
    played = team.play(house, {seat: minds() for seat in house.agents}, 20)
    assert played.solved
    return {name: played.answers[name] == truth for name, truth in played.truths.items()}


def test_who_tracks_what_others_know_is_right_where_news_came_and_where_it_did_not() -> None:
    spoken, silent = houses()
    assert all(right(LevelThree, spoken).values())
    deeper = [ok for name, ok in right(LevelThree, silent).items() if name == "k_probe_0"]
    assert deeper == [True]


def mute() -> object:
    """A task in which agent 0 opens what agent 1 neither sees nor is told of."""
    told = {"agent_0": ["cabinet_12 must end open."], "agent_1": ["You cannot enter store_1."]}
    nobody = Binding("restricted_communication", allowed_targets={f"agent_{i}": () for i in range(3)})
    goal = f"(and {OPEN} (K agent_0 (K agent_1 {OPEN})))"
    return team.house(team.barred("agent_1", "store_1"), nobody, goal=goal, secrets=told)


def test_who_takes_others_to_believe_what_it_does_is_wrong_where_they_cannot_know() -> None:
    assert right(LevelThree, mute())["k_probe_0"]
    assert not right(Egocentric, mute())["k_probe_0"]


def test_both_agree_on_what_they_know_themselves() -> None:
    house = team.house(
        goal=f"(and {OPEN} (K agent_0 {OPEN}))", secrets={"agent_0": ["cabinet_12 must end open."]}
    )
    played = team.play(house, {seat: Egocentric() for seat in house.agents}, 20)
    assert played.answers == {"k_probe_0": answer_of(Atom("is_open", ("cabinet_12",)), True)}


def test_saying_that_all_is_as_wanted_is_wrong_where_others_cannot_know() -> None:
    played = team.play(mute(), {"agent_0": Certain(), "agent_1": LevelThree(), "agent_2": LevelThree()}, 20)
    assert not played.right[0]
