"""The reference teams of the household on tasks drawn at random: are levels ordered off the shipped tasks?

A task is drawn: a shipped house, agents, barred rooms, who may write to whom and how often, goals, each told
to somebody, and what works in reverse or together, told to somebody too. Every team plays every task once, for
as many turns. Nothing is tuned: most such tasks need no message at all.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from common import arguments, finish
from tables import table

from otherminds.core.errors import TaskError
from otherminds.household.calibrate import played
from otherminds.household.epistemic.formula import And, Atom, show
from otherminds.household.epistemic.words import Must, Statement
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.house import House
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task

TEAMS: dict[str, tuple[str, dict[str, int]]] = {
    "no_message": ("no_message", {}),
    **{f"level {k}": ("level_k", {"k": k}) for k in (1, 2, 3)},
    "broadcast": ("broadcast", {}),
    "informed": ("informed", {}),
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", type=int, default=400, help="tasks drawn (default 400)")
    parser.add_argument("--turns", type=int, default=30, help="turns of an episode (default 30)")
    options = parser.parse_args()
    solved: dict[str, list[bool]] = {team: [] for team in TEAMS}
    seed = options.seed
    while len(solved["informed"]) < options.tasks:
        house = drawn(seed)
        seed += 1
        if house is None:
            continue
        for team, (mind, params) in TEAMS.items():
            minds = {seat: ROSTER[mind](house, **params) for seat in house.agents}
            record = played(house, minds, options.turns)
            solved[team].append(bool(record.facts["solved"]))
    names = list(TEAMS)
    rows = [
        [one, str(sum(solved[one])), *(str(_only(solved[one], solved[other])) for other in names)]
        for one in names
    ]
    print(
        f"Of {options.tasks} tasks drawn, in {options.turns} turns: solved, and solved where another team fails.\n"
    )
    print(table(["team", "solved", *(f"not by {name}" for name in names)], rows))
    finish(options, {one: sum(solved[one]) for one in names})


def _only(one: Sequence[bool], other: Sequence[bool]) -> int:
    return sum(a and not b for a, b in zip(one, other, strict=True))


def drawn(seed: int) -> House | None:
    """The task of ``seed``, compiled; ``None`` where its mechanics contradict each other."""
    draw = random.Random(seed)
    scene = load_scene(draw.choice(shipped_scenes()))
    agents = [f"agent_{i}" for i in range(draw.choice((2, 3, 3, 4)))]
    bindings, told = limits(draw, scene, agents)
    doors = [f for f, piece in scene.geometry.furniture.items() if piece.articulated]
    tops = [f for f, piece in scene.geometry.furniture.items() if piece.top]
    draw.shuffle(doors)
    goals = [
        Atom("is_open", (doors.pop(),))
        if draw.random() < 0.5
        else Atom("is_on_top", (draw.choice(scene.objects), draw.choice(tops)))
        for _ in range(draw.randint(1, 3))
    ]
    if draw.random() < 0.4:
        reverse = doors.pop()
        bindings.append(Binding("inverse_state", trigger_object=reverse))
        told.append((draw.choice(agents), Inverse(reverse)))
        goals.append(Atom("is_open", (reverse,)))
    if draw.random() < 0.4:
        one, other = doors.pop(), doors.pop()
        bindings.append(Binding("state_mirroring", trigger_object=one, target_object=other))
        told.append((draw.choice(agents), Mirrors(one, other)))
        goals.append(Atom("is_open", (other,)))
    told += [(draw.choice(agents), Must(goal)) for goal in goals]
    task = Task(
        task_id=f"drawn_{seed}",
        task="Leave the house as it is wanted.",
        scene_id=scene.scene_id,
        num_agents=len(agents),
        mechanic_bindings=tuple(bindings),
        agent_secrets={a: tuple(tell(said, you=a) for who, said in told if who == a) for a in agents},
        problem_pddl=show(And(tuple(goals))),
    )
    try:
        return House(task, scene)
    except TaskError:
        return None


def limits(
    draw: random.Random, scene: Scene, agents: Sequence[str]
) -> tuple[list[Binding], list[tuple[str, Statement]]]:
    """Barred rooms, recipients and messages, with who is told."""
    bindings: list[Binding] = []
    told: list[tuple[str, Statement]] = []
    for agent in agents:
        home = scene.agent_spawns[agent].room
        rooms = tuple(room for room in scene.rooms if room != home and draw.random() < 0.15)
        if rooms:
            bindings.append(Binding("room_restriction", restricted_rooms=rooms, for_agents=(agent,)))
            told.append((agent, Barred(agent, rooms)))
    if draw.random() < 0.5:
        to = {a: tuple(b for b in agents if b != a and draw.random() < 0.7) for a in agents}
        bindings.append(Binding("restricted_communication", allowed_targets=to))
        told += [(agent, Reaches(agent, others)) for agent, others in to.items()]
    if draw.random() < 0.7:
        most = {agent: draw.randrange(4) for agent in agents}
        bindings.append(Binding("limited_bandwidth", message_limits=most))
        told += [(agent, MessageBudget(agent, number)) for agent, number in most.items()]
    return bindings, told


if __name__ == "__main__":
    main()
