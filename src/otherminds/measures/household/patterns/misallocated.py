"""Misallocating scarce messages (table 4, appendix C.4): 4 of the paper's 40 audited failures.

A message to somebody out of reach; or a budget spent to the last message while a part of the goal
that its owner alone was told, and cannot bring about, went untold to all who could use it.
"""

from __future__ import annotations

from otherminds.epistemic import show
from otherminds.measures.household.patterns.found import Found, pattern
from otherminds.measures.household.patterns.mentions import Reader
from otherminds.measures.household.patterns.targets import names_target, targets
from otherminds.measures.household.trace import Trace


@pattern("misallocated")
def misallocated(seen: Trace) -> tuple[Found, ...]:
    """Each message to an agent out of reach; each budget that was spent on something else, at its last message."""
    reader = Reader(seen)
    found = [
        Found(sent.turn, sent.sender, f"{sent.sender} wrote to {sent.to}, whom it cannot reach")
        for sent in seen.messages
        if sent.to in seen.seats and sent.to not in (sent.sender, *seen.task.talk[sent.sender])
    ]
    for target in targets(seen, reader):
        limit = seen.task.limits[target.holder]
        spent = [sent for sent in seen.messages if sent.sender == target.holder and sent.delivered]
        useful = any(
            set(sent.delivered) & set(target.audience) and names_target(reader, sent, target.literal)
            for sent in spent
        )
        if limit is not None and len(spent) >= limit and not useful and seen.since(target.literal) is None:
            why = f"{target.holder} spent all {limit} of its messages, and none on {show(target.literal)}"
            found.append(Found(spent[-1].turn, target.holder, why))
    return tuple(found)
