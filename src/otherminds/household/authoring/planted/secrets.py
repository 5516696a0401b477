"""Faults of secrets: strategy, wrong or useless statements."""

from __future__ import annotations

from otherminds.household.authoring.planted.edits import (
    NOWHERE,
    also_said,
    facts_of,
    format_opposite,
    open_goals,
    other,
    reword_secrets,
    teller,
)
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.epistemic.formula import show
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.task import Task

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
