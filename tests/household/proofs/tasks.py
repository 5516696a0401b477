"""Tasks in the small house whose verdicts are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.household.epistemic.forms import statements
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.house import House
from otherminds.household.task import Binding
from tests.household import small_house as small

OPENED = "(is_open cabinet_12)"
KNOWN = f"(K agent_0 {OPENED})"


def bars(**rooms: str) -> tuple[Binding, ...]:
    """Agents and the rooms that each may not enter."""
    return tuple(
        Binding("room_restriction", restricted_rooms=tuple(names.split()), for_agents=(agent,))
        for agent, names in rooms.items()
    )


def told_house(
    *bindings: Binding, goal: str, knows: Mapping[str, Sequence[str]], agents: int = 2, **fields: object
) -> House:
    """A house whose agents are told these forms, in words and as formulas."""
    forms = {agent: tuple(several) for agent, several in knows.items()}
    secrets = {
        agent: tuple(tell(one, you=agent) for form in several for one in statements((form,)))
        for agent, several in forms.items()
    }
    return small.house(
        *bindings, agents=agents, goal=goal, agent_knows=forms, agent_secrets=secrets, **fields
    )


def relay(goal: str = f"(and {OPENED} {KNOWN})", agents: int = 2) -> House:
    """Only agent 0 knows the goal, and only the others can enter the store, where it is reached and seen."""
    return told_house(
        *bars(agent_0="store_1"), goal=goal, knows={"agent_0": [f"(goal {OPENED})"]}, agents=agents
    )


def mixed(
    *bindings: Binding, private: Mapping[str, str], goal: str = OPENED, agents: int = 2, **fields: object
) -> House:
    """Agent 0 knows the shared goal and cannot enter the store; agents also have these private goals."""
    knows = {agent: [f"(private_goal {formula})"] for agent, formula in private.items()}
    knows["agent_0"] = [f"(goal {goal})", *knows.get("agent_0", [])]
    return told_house(
        *bars(agent_0="store_1"),
        *bindings,
        goal=goal,
        knows=knows,
        agents=agents,
        category="mixed",
        private_goals=dict(private),
        **fields,
    )
