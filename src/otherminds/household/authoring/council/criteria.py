"""The eight criteria of a judge: what each asks, what earns a high and a low score, and which checks decide it.

The criteria are those of Juneja et al. 2026 (section 4.3, appendices G and I), the rubrics are ours. Where a verdict of the
verifier or a finding of the linter says whether a criterion is met, it is shown beside the score (:mod:`.beside`).
"""

from __future__ import annotations

from msgspec import Struct

from otherminds.household.authoring.results import Criterion
from otherminds.household.task import Category


class Rubric(Struct, frozen=True):
    """A criterion: its question, what earns 1 and what earns 0.

    ``verdicts`` are beginnings of the names of verdicts that decide it, and ``places`` the fields of a task whose faults
    and findings count against it. ``category``: the category whose eighth criterion it is; empty for the shared ones.
    """

    criterion: Criterion
    asks: str
    high: str
    low: str
    verdicts: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    category: Category | None = None


RUBRICS = (
    Rubric(
        "agent_necessity",
        "Is each agent needed?",
        "each agent has access, information or an act that no other has, so that the goal fails without it",
        "an agent can stay idle, or two agents are interchangeable",
        verdicts=("needs agent_",),
        places=("num_agents", "agent_spawns", "agent_actions"),
    ),
    Rubric(
        "secret_quality",
        "Do secrets say what is so, and leave open what to do?",
        "secrets give constraints, targets with exact names, and facts about mechanics, each to an agent that can use it",
        "a secret says whom to ask or tell, in which order to act or what to wait for, or is wrong, vague or useless",
        places=("agent_secrets", "agent_knows"),
    ),
    Rubric(
        "task_naturalness",
        "Is the public description high-level, and what must be known divided among the secrets?",
        "the description names no target, and some agent needs a fact that only another agent is told or can see",
        "the description names objects, places or target states of the goal, or all agents are told the same",
        verdicts=("needs messages", "guess-proof"),
        places=("task",),
    ),
    Rubric(
        "narrative_consistency",
        "Do title, description, secrets and formal goal tell the same story?",
        "the words ask for what the goal asks for, no more and no less",
        "the words ask for something that is not in the goal, leave a part of it out, or contradict it",
        places=("title",),
    ),
    Rubric(
        "goal_relevance",
        "Does each part of the goal belong to the task?",
        "each conjunct changes something or keeps a mistake from being made, and serves what the description asks for",
        "conjuncts hold from the start and nobody would change them, or have nothing to do with the rest",
        verdicts=("not solved at the start",),
    ),
    Rubric(
        "mechanic_utilization",
        "Does each mechanic matter?",
        "each barred room, link, message limit and hidden mechanism changes what the agents must do",
        "a mechanic is decoration: without it, the same agents would do the same",
        verdicts=("needs its barred rooms",),
        places=("mechanic_bindings", "active_mechanics", "message_targets", "initial_states"),
    ),
    Rubric(
        "pddl_solvability",
        "Is the formal goal sound?",
        "it can be reached in the turns and messages that agents have; each K is about a fact that its agent cannot see for "
        "itself and that matters to what it does; what remains without K is not trivial",
        "it contradicts itself, cannot be reached, or a K is satisfied without any message",
        verdicts=("solvable", "knows ", "needs depth ", "fair", "levels in order", "shortest plan"),
        places=("problem_pddl",),
    ),
    Rubric(
        "task_interdependence",
        "Does the right act of an agent depend on what others know or can do?",
        "an agent must choose whom to inform, when, or by which way, from what it knows about its partners",
        "agents work side by side, or just pass facts on to everybody",
        verdicts=("needs messages",),
        category="cooperative",
    ),
    Rubric(
        "subgoal_tension",
        "Do private goals pull against the shared goal, which can be reached nonetheless?",
        "what an agent wants for itself differs from the shared goal or conflicts with a part of it, and makes its help less sure",
        "private goals repeat the shared goal, contradict themselves, or have nothing to do with what others do",
        places=("private_goals",),
        category="mixed",
    ),
)


def rubrics(category: Category) -> tuple[Rubric, ...]:
    """The eight rubrics for a task of ``category``.

    >>> [one.criterion for one in rubrics("mixed")][-2:]
    ['pddl_solvability', 'subgoal_tension']
    """
    return tuple(rubric for rubric in RUBRICS if rubric.category in (None, category))
