"""What probes ask, in words, and whose answer is their truth."""

from __future__ import annotations

from otherminds.epistemic.formula import chains
from otherminds.epistemic.parse import goal_of
from otherminds.worlds.household.probes import foreseen, question_of
from tests.cases import for_each

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
