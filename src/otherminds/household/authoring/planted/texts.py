"""Faults of texts: leaks in the public description and other stories, strategy in secrets, wrong or useless secrets."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.planted import (
    NOWHERE,
    also_said,
    facts_of,
    format_opposite,
    needed_rooms,
    open_goals,
    other,
    planted,
    reword_secrets,
    teller,
)
from otherminds.household.epistemic.formula import show
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.task import Task

DESCRIPTION = "task:"


@planted("task_naturalness", DESCRIPTION)
def leaked_name(task: Task) -> Task | None:
    """The public description names a thing of the goal."""
    names = open_goals(task)
    return _extend_description(task, f"Nobody has looked at {names[0]} for a while.") if names else None


@planted("task_naturalness", DESCRIPTION)
def leaked_state(task: Task) -> Task | None:
    """The public description says which state a thing must have at the end."""
    names = open_goals(task)
    return _extend_description(task, f"In the end, {names[-1]} has to be open.") if names else None


@planted("task_naturalness")
def leaked_room(task: Task) -> Task | None:
    """The public description says in which rooms there is something to do."""
    rooms = ", ".join(sorted(needed_rooms(task)))
    return _extend_description(task, f"What has to be done is in these rooms: {rooms}.") if rooms else None


@planted("task_naturalness")
def strategy_in_description(task: Task) -> Task | None:
    """The public description says how to proceed."""
    return _extend_description(
        task, "Tell one another your secrets first, and only then go to work, one room after the other."
    )


@planted("narrative_consistency")
def invented_requirement(task: Task) -> Task | None:
    """The public description asks for something that is not in the goal."""
    return _extend_description(
        task, "All windows have to be cleaned as well, and everybody should feel welcome."
    )


@planted("narrative_consistency")
def other_story(task: Task) -> Task | None:
    """The public description tells a story that has nothing to do with the goal."""
    story = "You are on a boat in a storm, and the crew has to find the leak before the night."
    return structs.replace(task, title="The leak", task=story)


def _extend_description(task: Task, sentence: str) -> Task:
    return structs.replace(task, task=f"{task.task} {sentence}")


SECRETS = "agent_secrets"


@planted("secret_quality", SECRETS)
def strategy_in_secret(task: Task) -> Task | None:
    """A secret says whom to ask for help."""
    entity = next(iter(open_goals(task)), "the door")
    return also_said(task, "agent_0", f"Ask {other(task, 'agent_0')} to take care of {entity}.")


@planted("secret_quality", SECRETS)
def relay_in_secret(task: Task) -> Task | None:
    """A secret says what to pass on to whom."""
    last = task.agents[-1]
    return also_said(task, last, f"Forward to {other(task, last)} whatever you find out about the rooms.")


@planted("secret_quality", SECRETS)
def order_in_secret(task: Task) -> Task | None:
    """A secret gives an order of doing."""
    return also_said(task, "agent_1", "First look at your own room, then deal with the rest of the house.")


@planted("secret_quality", SECRETS)
def waiting_in_secret(task: Task) -> Task | None:
    """A secret says what to wait for."""
    return also_said(task, "agent_0", "Wait for agent_1 to tell you how things are.")


@planted("secret_quality", SECRETS)
def advice_in_secret(task: Task) -> Task | None:
    """A secret gives advice on messages."""
    return also_said(task, "agent_1", "The trick is to save your messages for the last turns.")


@planted("secret_quality", SECRETS)
def act_of_teammate_in_secret(task: Task) -> Task | None:
    """A secret says what another agent is to do."""
    last = task.agents[-1]
    return also_said(task, last, f"{other(task, last)} should walk to the largest room and stay there.")


@planted("secret_quality", SECRETS)
def ungrounded_secret(task: Task) -> Task | None:
    """A secret names a thing that is not in the scene."""
    return also_said(task, "agent_0", f"{NOWHERE} must end open.")


@planted("secret_quality", SECRETS)
def contradicting_secret(task: Task) -> Task | None:
    """A secret asks for the opposite of the goal."""
    fact = facts_of(task)[0]
    return also_said(task, "agent_1", tell(Must(parse(format_opposite(fact))), you="agent_1"))


@planted("secret_quality", SECRETS)
def wrong_words(task: Task) -> Task | None:
    """The words of a secret say the opposite of its formula."""
    for fact in facts_of(task):
        form = f"(goal {show(fact)})"
        agent = teller(task, form)
        sentence, wrong = (
            tell(Must(parse(text)), you=agent or "") for text in (show(fact), format_opposite(fact))
        )
        if agent and sentence in task.agent_secrets[agent]:
            texts = task.agent_secrets[agent]
            return reword_secrets(task, agent, [wrong if text == sentence else text for text in texts])
    return None


@planted("secret_quality", "agent_")
def wrong_agent_named(task: Task) -> Task | None:
    """A secret gives the constraint of one agent as that of another."""
    for agent, texts in task.agent_secrets.items():
        for text in texts:
            barred_agents = [seat for seat in task.agents if text.startswith(f"{seat} cannot enter")]
            if barred_agents:
                swapped = text.replace(barred_agents[0], other(task, barred_agents[0]), 1)
                if swapped.startswith(agent):
                    swapped = swapped.replace(agent, "You", 1)
                return reword_secrets(
                    task, agent, [swapped if secret == text else secret for secret in texts]
                )
    return None


@planted("secret_quality")
def vague_secret(task: Task) -> Task | None:
    """The words of a secret do not say which thing they are about."""
    for entity in open_goals(task):
        sentence = f"{entity} must end open."
        for agent, texts in task.agent_secrets.items():
            if sentence in texts:
                vague = "One of the things in the house must end open."
                return reword_secrets(task, agent, [vague if text == sentence else text for text in texts])
    return None


@planted("secret_quality")
def useless_secret(task: Task) -> Task | None:
    """A secret says something that has nothing to do with the task."""
    return also_said(task, "agent_1", "The house was built by a retired sailor, who liked green doors.")
