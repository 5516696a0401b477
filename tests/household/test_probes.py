"""What probes ask, in words, and whose answer is their truth."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.core.scenario import Setup, scenario
from otherminds.household.epistemic.formula import chains
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.store import load_split
from otherminds.household.probes import cut_turn, foreseen, probes_of, question_at_end, question_of
from otherminds.household.scenarios import named
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.household import small_house as small

OPEN = "(is_open cabinet_2)"
WORDS = {
    f"(K agent_0 {OPEN})": "Report about: cabinet_2 is open.",
    f"(K agent_0 (K agent_1 {OPEN}))": "Predict what agent_1 would report about: cabinet_2 is open.",
    f"(K agent_0 (K agent_1 (K agent_2 {OPEN})))": (
        "Predict what agent_1 would say that agent_2 would report about: cabinet_2 is open."
    ),
    f"(K agent_0 (K agent_1 (K agent_2 (K agent_1 {OPEN}))))": (
        "Predict what agent_1 would say that agent_2 would say that agent_1 would report about: "
        "cabinet_2 is open."
    ),
    # Of whoever is asked, too, it speaks by name: the words are the same for every seat.
    "(K agent_1 (is_held_by bowl_0 agent_1))": "Report about: agent_1 holds bowl_0.",
    "(K agent_0 (K agent_1 (is_held_by bowl_0 agent_1)))": (
        "Predict what agent_1 would report about: agent_1 holds bowl_0."
    ),
}


@for_each("goal", WORDS)
def test_a_question_asks_for_a_report(goal: str) -> None:
    (chain,) = chains(goal_of(goal))
    question = question_of("probe_0", chain)
    assert question.text == WORDS[goal]
    assert foreseen(question) == chain.agents[1:]
    assert question.about == "".join(chain.agents[1:2])


class TestCut:
    def test_it_lies_between_the_first_turn_and_the_last(self) -> None:
        for turns in (2, 3, 20, 61):
            for run in range(50):
                assert 1 <= cut_turn("relay_7", turns, run) < turns
        assert cut_turn("relay_7", 1, 0) == 1

    def test_it_depends_on_the_task_and_the_run_alone_and_spreads_over_the_turns(self) -> None:
        """Of three runs no two thirds of an episode are without a cut for long: each third has its share over tasks."""
        cuts = [cut_turn(task, 61, run) for task in load_split("dev") for run in range(3)]
        assert cuts == [cut_turn(task, 61, run) for task in load_split("dev") for run in range(3)]
        thirds = [sum(20 * k < cut <= 20 * (k + 1) for cut in cuts) / len(cuts) for k in range(3)]
        assert all(0.25 < share < 0.42 for share in thirds)
        for task in load_split("dev"):
            assert len({cut_turn(task, 61, run) for run in range(3)}) == 3

    def test_probes_and_foils_are_put_there_and_at_the_end_and_helpers_at_the_end_alone(self) -> None:
        house = small.house(goal="(K agent_0 (K agent_1 (K agent_0 (is_open cabinet_2))))")
        asked = probes_of(house).probes(4)
        before = [probe for probe in asked if probe.question.when == "before"]
        after = {probe.question.id: probe.question for probe in asked if probe.question.when == "end"}
        assert {question_at_end(probe.question.id) for probe in before} == {
            name for name in after if name.startswith("probe_")
        }
        assert any(not name.startswith("probe_") for name in after)
        for probe in before:
            same = after[question_at_end(probe.question.id)]
            assert (probe.question.text, probe.question.options) == (same.text, same.options)
            due = [step for step in range(9) if probe.due and probe.due(Moment(step, None, 0.0, (), None))]
            assert due == [4]

    def test_the_cut_of_an_episode_is_in_its_record_and_the_acts_do_not_change(self) -> None:
        (task, *_) = load_split("dev")
        made = scenario(named(task, "dev"), {})
        one, other = (
            play_now(Setup(made, {seat: made.make("level_k", {}) for seat in made.focal}, 0, ask=ask))[0]
            for ask in (True, False)
        )
        assert other.asked == ()
        assert one.actions == other.actions
        assert {a.step for a in one.asked} == {one.drawn["cut"], len(one.actions)}
