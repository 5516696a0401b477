"""Every chain of a goal is asked for once, and every part of one that its truth hangs on."""

from __future__ import annotations

from otherminds.core.data import HELPER
from otherminds.household.epistemic.formula import chains, probed, suffixes
from otherminds.household.epistemic.parse import goal_of
from tests.cases import for_each

GOALS = (
    "(is_open cabinet_1)",
    "(and (is_open cabinet_1) (K agent_0 (is_open cabinet_1)))",
    "(and (K agent_0 (K agent_1 (is_open cabinet_1))) (K agent_1 (is_open cabinet_1)))",
    "(and (K agent_2 (K agent_0 (K agent_1 (not (is_open cabinet_1))))) (K agent_0 (K agent_1 (is_on_top cup_1 table_1))))",
)


@for_each("text", GOALS)
def test_chains_of_the_goal_are_probes_and_their_parts_are_asked_once(text: str) -> None:
    goal = goal_of(text)
    found = probed(goal)
    asked = {name: chain for name, chain in found.items() if not name.startswith(HELPER)}
    assert tuple(asked.values()) == chains(goal)
    assert len(set(found.values())) == len(found)
    assert set(found.values()) == {part for chain in chains(goal) for part in suffixes(chain)[1:]}
