"""Withholding critical information (table 4, appendix C.1): 7 of the paper's 40 audited failures.

An agent alone was told a part of the goal that only partners can bring about, and told it to
none of them: not before one acted on a wrong guess, or not at all, and it did not come about.
"""

from __future__ import annotations

from otherminds.epistemic import show
from otherminds.measures.household.patterns.found import Found, pattern
from otherminds.measures.household.patterns.mentions import Reader
from otherminds.measures.household.patterns.targets import Target, names_target, targets, wrong_guess
from otherminds.measures.household.trace import Trace


@pattern("withheld")
def withheld(seen: Trace) -> tuple[Found, ...]:
    """One for each target that was withheld: at the wrong guess, or in the last turn."""
    reader = Reader(seen)
    return tuple(found for target in targets(seen, reader) if (found := _withheld(seen, reader, target)))


def _withheld(seen: Trace, reader: Reader, target: Target) -> Found | None:
    told = next(
        (
            sent.turn
            for sent in seen.messages
            if set(sent.delivered) & set(target.audience) and names_target(reader, sent, target.literal)
        ),
        None,
    )
    guess = wrong_guess(seen, target)
    who, what = target.holder, show(target.literal)
    if guess is not None and (told is None or guess.turn <= told):
        when = "never told" if told is None else f"told only in turn {told}"
        return Found(
            guess.turn, who, f"{what} was known to {who} alone and {when}; {guess.seat} did {guess.call}"
        )
    if told is None and seen.since(target.literal) is None:
        return Found(
            seen.last, who, f"{what} was known to {who} alone and never told to {', '.join(target.audience)}"
        )
    return None
