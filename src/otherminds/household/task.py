"""The form of a task file: the fields of the public release (Juneja et al. 2026, section 4.1), and a few additions.

A task is (scene, agents with spawns, goal, public description, mechanic bindings, secrets, category). ``problem_pddl``
contains the goal. ``pattern``, ``private_goals``, ``agent_knows``, ``calibration`` (in this form) and ``release`` are additions.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from otherminds.household.epistemic.forms import statements
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Statement
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.mechanics.mechanic import Binding
from otherminds.household.scenes.scene import Spawn

Category = Literal["cooperative", "mixed"]


class Calibration(Struct, frozen=True):
    """A plan that reaches the goal with all secrets public.

    ``turns`` is the number of its joint turns (all agents act at once), and ``least`` a lower bound on the turns of every
    plan; if both are equal, the plan is proved shortest. ``plan`` has the calls of each turn in the order of seats;
    ``found`` says how it was found.
    """

    turns: int
    least: int
    plan: tuple[tuple[str, ...], ...]
    found: str = ""

    @property
    def proved(self) -> bool:
        """Whether no plan is shorter."""
        return self.least == self.turns


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task. Seats are ``agent_0`` to ``agent_{num_agents - 1}``.

    ``initial_states`` gives the predicates that hold of a thing at the start (``{"cabinet_3": {"is_open": true}}``), and
    the place of an object (``{"bowl_0": {"is_on_top": "table_1"}}``); all else is as in the scene. ``agent_actions``
    lists the allowed tools if not all are allowed. ``message_targets`` is the release's copy of the possible addressees
    and must agree with the bindings. ``pattern`` is the functional pattern of a generated task. ``agent_knows`` has the secrets of each agent as formulas
    (:mod:`otherminds.household.epistemic.forms`), and ``agent_secrets`` the same in words. ``release`` keeps, by place, the content
    of a file of the release that has no field here.
    """

    task_id: str
    title: str = ""
    category: Category = "cooperative"
    pattern: str = ""
    task: str
    scene_id: str
    episode_id: str = ""
    num_agents: int
    agent_spawns: dict[str, Spawn] = field(default_factory=dict[str, Spawn])
    initial_states: dict[str, dict[str, bool | str]] = field(default_factory=dict[str, dict[str, bool | str]])
    active_mechanics: tuple[str, ...] = ()
    mechanic_bindings: tuple[Binding, ...] = ()
    agent_secrets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    agent_knows: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    agent_actions: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    message_targets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    problem_pddl: str
    golden_trajectory: tuple[Any, ...] = ()
    private_goals: dict[str, str] = field(default_factory=dict[str, str])
    calibration: Calibration | None = None
    release: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def verified(self) -> bool:
        """Whether the secrets are given as formulas, which the check compares with the prose."""
        return bool(self.agent_knows)

    @property
    def lacks(self) -> dict[str, str]:
        """The properties of this task that were not verified, each with the consequence for its scores."""
        gaps: dict[str, str] = {}
        if not self.verified:
            gaps["unverified"] = (
                "what agents are told is given in prose alone, which no formulas were compared with"
            )
        if self.calibration is None:
            gaps["not calibrated"] = "no plan with all secrets public is known, so that F has no 1"
        return gaps

    def told_to(self, agent: str) -> tuple[Statement, ...]:
        """The secrets of ``agent`` as statements: from the formulas, or else the understood sentences of the prose.

        Raises:
            FormulaError: a formula cannot be parsed.
        """
        if self.verified:
            return statements(self.agent_knows.get(agent, ()))
        return tuple(
            statement for secret in self.agent_secrets.get(agent, ()) for statement in read(secret, you=agent)
        )

    def starts(self, entity: str, state: str, default: bool = False) -> bool:
        """Whether ``state`` (``is_open``, ...) holds of ``entity`` at the start; ``default`` if the task does not say."""
        states = self.initial_states.get(entity, {})
        if state in states:
            return states[state] is True
        opposite = OPPOSITES[state]
        return states[opposite] is not True if opposite in states else default

    def allows(self, agent: str, tool: str) -> bool:
        """Whether ``agent`` may use ``tool``; ``Wait`` and ``Done`` are always allowed."""
        tools = self.agent_actions.get(agent)
        return not tools or tool in (*tools, "Wait", "Done")

    @property
    def agents(self) -> tuple[str, ...]:
        """The seats, in their fixed order."""
        return tuple(f"agent_{i}" for i in range(self.num_agents))
