"""The form of a task file: the fields of the public release (Juneja et al. 2026, section 4.1), and few of our own.

A task is (scene, agents with spawns, goal, public description, mechanic bindings,
secrets, category). ``problem_pddl`` holds the goal; ``private_goals`` and ``calibration`` are ours.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

Category = Literal["cooperative", "mixed"]


class Spawn(Struct, frozen=True):
    """Where an agent starts: metres, y up."""

    position: tuple[float, float, float]
    room: str


class Binding(Struct, frozen=True, omit_defaults=True):
    """A mechanic bound to things and agents; which fields count depends on ``mechanic_type``."""

    mechanic_type: str
    trigger_object: str = ""
    target_object: str = ""
    target_state: str = ""
    restricted_rooms: tuple[str, ...] = ()
    for_agents: tuple[str, ...] = ()
    message_limits: dict[str, int] = field(default_factory=dict[str, int])
    allowed_targets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


class Calibration(Struct, frozen=True):
    """What the reference team took with all secrets shared: turns, and messages in all."""

    turns: int
    messages: int


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task. Seats are ``agent_0`` to ``agent_{num_agents - 1}``.

    ``initial_states`` says of a thing which predicates hold at the start
    (``{"cabinet_3": {"is_open": true}}``), and of an object where it is
    (``{"bowl_0": {"is_on_top": "table_1"}}``); the rest is as the scene has it.
    ``agent_actions`` lists tools, where not all are allowed; ``message_targets`` is the
    release's copy of who may write to whom and must agree with the bindings.
    """

    task_id: str
    title: str = ""
    category: Category = "cooperative"
    task: str
    scene_id: str
    episode_id: str = ""
    num_agents: int
    agent_spawns: dict[str, Spawn] = field(default_factory=dict[str, Spawn])
    initial_states: dict[str, dict[str, bool | str]] = field(default_factory=dict[str, dict[str, bool | str]])
    active_mechanics: tuple[str, ...] = ()
    mechanic_bindings: tuple[Binding, ...] = ()
    agent_secrets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    agent_actions: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    message_targets: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    problem_pddl: str
    golden_trajectory: tuple[Any, ...] = ()
    private_goals: dict[str, str] = field(default_factory=dict[str, str])
    calibration: Calibration | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """The seats, in their fixed order."""
        return tuple(f"agent_{i}" for i in range(self.num_agents))
