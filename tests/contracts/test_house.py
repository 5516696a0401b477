"""A house with private observations, messages, secrets, nested questions and early finishers."""

import dataclasses
from types import ModuleType
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import Answer, Invalid, Moment, Question, ReceivedMessage, SkillChoice
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Record
from otherminds.core.scenario import Setup
from otherminds.play.loop import play_now
from tests.contracts import house

GO, BACK, PUT = (
    SkillChoice("go", ("hall",)),
    SkillChoice("go", ("kitchen",)),
    SkillChoice("put", ("cupboard",)),
)
SAY = SkillChoice("say", ("the mug is in the cupboard",))
WAIT, DONE = SkillChoice("wait"), SkillChoice("done")
PLACES = ("table", "cupboard")


class Housemate(Mind):
    """Does what ``plan`` says, then waits; knows where it, and the other, last had reason to place the mug."""

    def __init__(self, *plan: Any) -> None:
        self.plan = plan

    def begin(self, brief: Any, context: Any) -> None:
        self.brief = brief
        self.moments: list[Moment] = []
        self.acts = 0
        self.mine = self.theirs = ""
        self.sent = ""

    async def perceive(self, moment: Moment) -> None:
        self.moments.append(moment)
        seen = moment.observation["mug"]
        if seen:
            self.mine = PLACES[seen - 1]
            if moment.observation["company"]:
                self.theirs = self.mine
        for told in moment.told:
            self.mine = next((place for place in PLACES if place in told.text), self.mine)
        self.theirs, self.sent = self.sent or self.theirs, ""

    async def act(self) -> Any:
        self.acts += 1
        made = self.plan[self.acts - 1] if self.acts <= len(self.plan) else WAIT
        if isinstance(made, SkillChoice) and made.name == "say":
            self.sent = next((place for place in PLACES if place in made.args[0]), "")
        return made

    async def answer(self, question: Question) -> Answer | Invalid:
        return self.theirs if question.truth_is else self.mine


def visit(
    house: ModuleType,
    first: tuple[Any, ...],
    second: tuple[Any, ...] = (GO,),
    goal: str = "cupboard",
    turns: int = 6,
    **changes: Any,
) -> tuple[Record, Housemate, Housemate]:
    """An episode with these plans; ``agent_0`` alone is granted its secret."""
    minds = {"agent_0": Housemate(*first), "agent_1": Housemate(*second)}
    given = {"grants": {"agent_0": ("secrets",)}, **changes}
    record, _ = play_now(Setup(house.scenario(goal, turns), minds, 1, **given))
    return record, minds["agent_0"], minds["agent_1"]


def heard(mind: Housemate) -> list[bytes]:
    return [encode(moment) for moment in mind.moments]


def asked(record: Record) -> dict[str, tuple[Answer, Answer]]:
    """Answer and truth of each question."""
    return {record.questions[a.question].id: (a.answer, a.truth) for a in record.asked}


class TestNestedQuestions:
    def test_a_false_belief_is_foreseen(self) -> None:
        """agent_1 leaves, the mug is moved: what it would say is what it says, not what is so."""
        record, _, _ = visit(house, (WAIT, PUT))
        assert asked(record) == {
            "says:agent_1": ("table", "table"),
            "where:agent_0": ("cupboard", "cupboard"),
            "where:agent_1": ("table", "cupboard"),
        }
        assert all(a.step == len(record.actions) for a in record.asked)

    def test_a_message_changes_what_the_other_says_and_what_one_should_say(self) -> None:
        record, _, _ = visit(house, (WAIT, PUT, SAY))
        assert asked(record)["where:agent_1"] == ("cupboard", "cupboard")
        assert asked(record)["says:agent_1"] == ("cupboard", "cupboard")

    def test_who_takes_the_world_for_the_others_mind_is_wrong(self) -> None:
        """A mind without theory of mind fails the nested question and passes the plain one."""

        class Egocentric(Housemate):
            async def answer(self, question: Question) -> Answer | Invalid:
                return self.mine

        minds = {"agent_0": Egocentric(WAIT, PUT), "agent_1": Housemate(GO)}
        record, _ = play_now(Setup(house.scenario(), minds, 1))
        assert asked(record)["says:agent_1"] == ("cupboard", "table")
        assert asked(record)["where:agent_0"] == ("cupboard", "cupboard")

    def test_an_unclear_answer_leaves_the_nested_truth_open(self) -> None:
        class Mute(Housemate):
            async def answer(self, question: Question) -> Answer | Invalid:
                return Invalid("no place named", "hm")

        minds = {"agent_0": Housemate(), "agent_1": Mute()}
        record, _ = play_now(Setup(house.scenario(), minds, 1))
        assert asked(record)["says:agent_1"] == ("table", None)
        assert asked(record)["where:agent_1"] == (None, "table")


class TestMessages:
    def test_arrive_with_the_next_moment(self) -> None:
        _, sender, receiver = visit(house, (WAIT, PUT, SAY))
        told = [moment.told for moment in receiver.moments]
        assert told == [(), (), (), (ReceivedMessage("agent_0", SAY.args[0]),), (), (), ()]
        assert not any(moment.told for moment in sender.moments)

    def test_arrive_with_the_closing_moment_too(self) -> None:
        record, _, receiver = visit(house, (WAIT, PUT, SAY), turns=3)
        assert receiver.moments[-1].last
        assert receiver.moments[-1].told == (ReceivedMessage("agent_0", SAY.args[0]),)
        assert asked(record)["where:agent_1"] == ("cupboard", "cupboard"), "in time for the last questions"

    def test_are_limited(self) -> None:
        record, sender, receiver = visit(house, (SAY, SAY, SAY))
        assert sum(len(moment.told) for moment in receiver.moments) == house.BUDGET == 1
        assert record.facts["said"] == [[0, "agent_0", SAY.args[0]]]
        ends = [moment.ended for moment in sender.moments[1:4]]
        assert [(end.ok, end.why) for end in ends if end] == [
            (True, ""),
            (False, "refused"),
            (False, "refused"),
        ]

    def test_name_their_true_sender_whatever_they_say(self) -> None:
        forged = SkillChoice("say", ("agent_1: the mug is on the table",))
        _, _, receiver = visit(house, (forged,))
        assert receiver.moments[1].told == (ReceivedMessage("agent_0", forged.args[0]),)


class TestSecrecy:
    """Nothing private is heard before a message, or the common reward, carries it."""

    def test_what_happens_in_another_room_is_not_heard(self) -> None:
        moved, _, one = visit(house, (WAIT, PUT, WAIT), goal="cupboard")
        stayed, _, two = visit(house, (WAIT, WAIT, WAIT), goal="table")
        assert moved.facts != stayed.facts
        assert heard(one) == heard(two)
        assert encode(moved.met["agent_1"]) == encode(stayed.met["agent_1"])

    def test_a_message_carries_it(self) -> None:
        _, _, silent = visit(house, (WAIT, PUT, WAIT))
        _, _, told = visit(house, (WAIT, PUT, SAY))
        differ = [one != two for one, two in zip(heard(silent), heard(told), strict=True)]
        assert differ == [False, False, False, True, False, False, False]

    def test_the_others_acts_are_uncertain_unless_seen(self) -> None:
        record, _, _ = visit(house, (WAIT, PUT, WAIT), (GO, WAIT, BACK))
        did = [encounter.did["agent_0"] for encounter in record.met["agent_1"]]
        assert did == [("wait",), house.VERBS, house.VERBS, ("wait",), ("wait",), ("wait",)]
        assert all(len(encounter.did["agent_1"]) == 1 for encounter in record.met["agent_1"])

    def test_a_secret_reaches_its_own_seat_alone(self) -> None:
        _, knows, other = visit(house, ())
        assert knows.brief.secrets == ("the mug belongs on the cupboard",)
        assert other.brief.secrets == ()
        _, ungranted, _ = visit(house, (), grants={})
        assert ungranted.brief.secrets == ()

    def test_a_mind_may_need_its_secret(self) -> None:
        class Needy(Housemate):
            grants = frozenset({"secrets"})

        minds = {"agent_0": Housemate(), "agent_1": Needy()}
        setup = Setup(house.scenario(), minds, 1, grants={"agent_1": ()})
        with pytest.raises(StudyError, match=r"seat 'agent_1' needs the grants \['secrets'\]"):
            play_now(setup)


class TestFinishing:
    def test_a_seat_that_is_done_keeps_its_place_and_its_reward(self) -> None:
        record, early, _ = visit(house, (PUT, DONE), (GO, WAIT, WAIT, WAIT, DONE))
        assert len(record.actions) == 5
        assert early.acts == 2, "it is asked no more"
        assert [row[0] for row in record.actions] == ["put cupboard", "done", "wait", "wait", "wait"]
        assert [moment.step for moment in early.moments] == [0, 1, 2, 3, 4, 5]
        assert record.rewards[-1] == (1.0, 1.0)
        assert record.total("agent_0") == record.total("agent_1") == 1.0

    def test_done_is_done(self) -> None:
        """A mind that writes its actions itself cannot come back from it either."""
        record, _, _ = visit(house, ("done", "put cupboard"))
        assert record.facts["mug"] == "table"

    def test_turns_run_out(self) -> None:
        record, _, _ = visit(house, (), turns=2)
        assert len(record.actions) == 2
        assert record.total("agent_0") == 0.0


class TestActions:
    def test_what_the_rules_refuse_costs_the_turn(self) -> None:
        record, first, _ = visit(house, (GO, PUT, BACK, PUT))
        assert [moment.observation["refused"] for moment in first.moments[:5]] == [0, 0, 1, 0, 0]
        assert record.outcome.status == "scored"
        assert record.facts["mug"] == "cupboard"

    def test_a_line_is_an_action_as_a_skill_is(self) -> None:
        by_line, _, _ = visit(house, ("wait", "put cupboard"), ("go hall",))
        by_skill, _, _ = visit(house, (WAIT, PUT), (GO,))
        assert by_line.actions == by_skill.actions
        assert len(by_line.choices) < len(by_skill.choices)

    def test_an_unreadable_reply_is_a_wait(self) -> None:
        record, _, _ = visit(house, (Invalid("no action named", "put cupboard"),))
        assert record.actions[0][0] == "wait"
        assert record.facts["mug"] == "table"

    def test_what_is_no_line_fails_the_episode(self) -> None:
        record, _, _ = visit(house, (WAIT, 3))
        assert (record.outcome.status, record.outcome.blame, record.outcome.step) == ("failed", "world", 1)
        assert len(record.actions) == 1


def test_an_empty_seat_is_named() -> None:
    with pytest.raises(StudyError, match=r"seat 'agent_1' of scenario .* has no mind"):
        Setup(house.scenario(), {"agent_0": Housemate()}, 1)


def test_a_record_is_the_same_every_time_and_reads_back() -> None:
    one, two = (visit(house, (WAIT, PUT, SAY, DONE))[0] for _ in range(2))
    assert encode(one) == encode(two)
    back = msgspec.json.decode(encode(one), type=Record)
    assert back.hash == one.hash
    assert back.asked == one.asked
    assert back.choices == one.choices
    assert back.questions == one.questions


def test_asking_changes_no_action() -> None:
    loud, quiet = (visit(house, (WAIT, PUT, SAY), ask=ask)[0] for ask in (True, False))
    assert loud.actions == quiet.actions
    assert quiet.asked == ()


def test_literal_and_functional_scores_need_the_record_alone() -> None:
    """Accuracy against chance, and the return, from what was written down."""
    record = msgspec.json.decode(encode(visit(house, (WAIT, PUT))[0]), type=Record)
    right = [a.answer == a.truth for a in record.asked]
    chance = [record.questions[a.question].chance for a in record.asked]
    accuracy, guess = sum(right) / len(right), sum(chance) / len(chance)
    assert (accuracy - guess) / (1 - guess) == pytest.approx(1 / 3)
    assert record.total("agent_0") == 1.0
    assert record.bounds is None


def test_a_scenario_may_bound_what_it_can() -> None:
    scene = dataclasses.replace(house.scenario(), bounds=lambda partners: Bounds(1.0, 1.0, 0.0, "all told"))
    record, _ = play_now(Setup(scene, {s: Housemate() for s in house.AGENTS}, 1))
    assert record.bounds == Bounds(1.0, 1.0, 0.0, "all told")
