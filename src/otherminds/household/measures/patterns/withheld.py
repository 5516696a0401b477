"""Withheld information and misallocated messages (table 4, appendices C.1 and C.4).

Withheld (7 of the paper's 40 audited failures): only one agent was told a part of the goal that only partners can achieve,
and it did not tell them before one acted on a wrong guess, or not at all so that it was not achieved. Misallocated (4 of
40): a message to an agent out of reach; or a budget that was used up while such a part was not told to any able partner.

A message with a part that was not read, and that may be about the things of the part, counts as telling it: neither pattern
is found where it cannot be shown.
"""

from __future__ import annotations

from otherminds.household.epistemic.formula import atom, show
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.measures.patterns.found import Found, pattern
from otherminds.household.measures.patterns.targets import GoalTarget, require, targets, wrong_guess
from otherminds.household.measures.trace import Trace


@pattern("withheld")
def withheld(episode: Trace) -> tuple[Found, ...]:
    """One for each withheld target, at the wrong guess or in the last turn."""
    return tuple(finding for target in targets(episode) if (finding := _withheld(episode, target)))


def _withheld(episode: Trace, target: GoalTarget) -> Found | None:
    told_turn = next((sent.turn for sent in episode.messages if _may_reach(sent, target)), None)
    guess = wrong_guess(episode, target)
    who, literal = target.holder, show(target.literal)
    if guess is not None and (told_turn is None or guess.turn <= told_turn):
        when = "never told" if told_turn is None else f"told only in turn {told_turn}"
        why = f"{literal} was known to {who} alone and {when}; {guess.seat} did {guess.call}"
        return Found(guess.turn, who, why)
    if told_turn is None and episode.since(target.literal) is None:
        why = f"{literal} was known to {who} alone and never told to {', '.join(target.audience)}"
        return Found(episode.last, who, why)
    return None


def _may_reach(sent: Sent, target: GoalTarget) -> bool:
    """Whether a message tells the target to an agent that had to be told, or may tell it in words that were not read."""
    may = require(sent.statements, target.literal) or sent.may_concern(atom(target.literal).args)
    return bool({*sent.delivered} & {*target.audience}) and may


@pattern("misallocated")
def misallocated(episode: Trace) -> tuple[Found, ...]:
    """Each message to an agent out of reach; each budget used for other content, at its last message."""
    findings = [
        Found(sent.turn, sent.sender, f"{sent.sender} wrote to {sent.to}, whom it cannot reach")
        for sent in episode.messages
        if sent.to in episode.seats and sent.to not in (sent.sender, *episode.task.talk[sent.sender])
    ]
    for target in targets(episode):
        limit = episode.task.limits[target.holder]
        spent = [sent for sent in episode.messages if sent.sender == target.holder and sent.delivered]
        useful = any(_may_reach(sent, target) for sent in spent)
        if limit is not None and len(spent) >= limit and not useful and episode.since(target.literal) is None:
            why = f"{target.holder} spent all {limit} of its messages, and none on {show(target.literal)}"
            findings.append(Found(spent[-1].turn, target.holder, why))
    return tuple(findings)
