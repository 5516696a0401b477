"""How many messages without requests a goal needs at least, where a message conveys no more than so many statements.

Agents of the proofs act on secrets that they know, and messages state secrets or facts. If a part of the goal never holds
without a message about a secret, every way to it has a message that states this secret. A statement is about one secret, so
that ``n`` such secrets need ``n`` statements, and with ``k`` statements a message at least ``n / k`` messages. Where a message
may say everything, one could be enough.

A request ("agent_1, please open cabinet_10") is not counted: who knows several secrets can draw the conclusion, and ask for an
act without stating any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from otherminds.household.epistemic.certificate import EpistemicProblem, Known
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability


def list_secrets(problem: EpistemicProblem) -> tuple[str, ...]:
    """The secrets that are reasons to act, each once."""
    return tuple(dict.fromkeys(secret for gate in problem.gates for secret in gate.secrets))


def leave_untold(secret: str) -> ProblemVariant:
    """The problem in which no message is about a secret."""
    return ProblemVariant(untold=frozenset((secret,)))


def needed_secrets(reach: Reachability, parts: Sequence[Known], secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets without a message about which some part of the goal never holds.

    ``reach`` has the problem itself, and the variants of :func:`leave_untold` for all ``secrets``.
    """
    return tuple(
        secret for secret in secrets if not all(reach.holds(part, leave_untold(secret)) for part in parts)
    )
