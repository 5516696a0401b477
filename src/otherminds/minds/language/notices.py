"""The sentence in which a language mind reads what an intervention shows it (:mod:`otherminds.play.interventions`).

It is part of the prompt of the choice alone: questions about the partner are put without it. The partner's next act and an
own prediction are told in the words that the prompt pack has for them (``oracle.known``, ``social.expected``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from otherminds.core.data import Automaton, Behaviour, Notice
from otherminds.games.blind import response_of
from otherminds.minds.language.wording import Wording
from otherminds.play.interventions import ADVICE, PREDICTION, TYPE

ADVISED = "You are given this advice: what the other player does next is {option}."
POLICY = "You know for certain how the other player decides: {policy}."


def write_notice(
    notice: Notice,
    words: Wording,
    own: Sequence[str],
    theirs: Callable[[Behaviour], str],
    others: Sequence[Behaviour],
) -> str:
    """``notice`` as a sentence. ``own`` are the seat's behaviours as answers name them, in their order; ``theirs`` names the partner's, ``others``."""
    if notice.behaviour is not None:
        option = theirs(notice.behaviour)
        if notice.arm == ADVICE:
            return ADVISED.format(option=option)
        known = notice.arm == PREDICTION
        return (words.oracle.known if known else words.social.expected).format(option=option)
    if notice.arm != TYPE:
        return notice.text
    policy = notice.policy and describe_policy(
        notice.policy, own, [theirs(behaviour) for behaviour in others]
    )
    return POLICY.format(policy=policy or notice.text)


def describe_policy(policy: Automaton, own: Sequence[str], theirs: Sequence[str]) -> str | None:
    """A policy in words, where each act follows from the other's last one; ``own`` and ``theirs`` name the behaviours.

    ``None`` where an act depends on more, or on chance.

    >>> stubborn = Automaton(0, ((1.0, 0.0),), (((0, 0), (0, 0)),))
    >>> describe_policy(stubborn, ("J", "F"), ("J", "F"))
    'it always chooses J'
    """
    response = response_of(policy)
    if response is None:
        return None
    opening = policy.output[policy.start].index(1.0)
    if set(response) == {opening}:
        return f"it always chooses {theirs[opening]}"
    answers = (
        f"after you chose {mine}, it chooses {theirs[answer]}"
        for mine, answer in zip(own, response, strict=True)
    )
    return f"it begins with {theirs[opening]}; {'; '.join(answers)}"
