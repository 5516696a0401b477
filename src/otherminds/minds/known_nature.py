"""What minds of known nature share in worlds where a partner is of one of several types: policies by name, and the partners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Answer, Brief, Invalid, Moment, Question, Seat
from otherminds.core.errors import StudyError

INFORMED = "informed"
"""The policy that is told the partner's type."""
Policy = TypeVar("Policy")


def find_policy(policies: Mapping[str, Policy], name: str, world: str) -> tuple[Policy, frozenset[str]]:
    """The policy ``name`` of a mind for ``world`` (in words), and the grants that it needs.

    Raises:
        StudyError: there is no such policy.
    """
    if name not in policies:
        raise StudyError(f"there is no policy {name!r} of {world}; there are {', '.join(policies)}")
    return policies[name], frozenset({"policy"} if name == INFORMED else ())


def find_granted(brief: Brief, seat: Seat) -> str:
    """The name of the partner in ``seat``, where the mind is granted its policy; else empty."""
    return brief.secrets[0].removeprefix(f"{seat} is ") if brief.secrets else ""


class KnownPartner(Mind):
    """A partner that acts by what it sees now and by chance, and is asked nothing.

    ``rng`` is its random stream, ``moment`` what it saw last.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.rng = context.rng

    async def perceive(self, moment: Moment) -> None:
        self.moment = moment

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is asked nothing")
