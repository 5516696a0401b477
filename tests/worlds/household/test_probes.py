"""What probes ask, in words, and whose answer is their truth."""

from __future__ import annotations

import pytest

from otherminds.epistemic.parse import goal_of
from otherminds.worlds.household.probes import Probed, foreseen

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


@pytest.mark.parametrize("goal", WORDS)
def test_a_question_asks_for_the_report_that_is_its_truth(goal: str) -> None:
    probed = Probed(goal_of(goal))
    question = probed.question("k_probe_0")
    assert question.text == WORDS[goal]
    chain = probed.chains["k_probe_0"]
    assert foreseen(question) == chain.agents[1:]
    if chain.agents[1:]:
        truth = probed.question(question.truth_is)
        assert (truth.seat, question.about) == (chain.agents[1],) * 2
        assert foreseen(truth) == chain.agents[2:]
        assert truth.options == question.options
