"""What the verification of a task returns: verdicts, the certificate, and what each reference team solves."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.certificate import Certificate

Status: TypeAlias = Literal["proved and checked", "proved by planner", "refuted", "unknown"]
"""How sure a verdict is.

``proved and checked``: an independent check accepts the evidence: that of the certificate's claims by
:mod:`otherminds.household.epistemic.check`, that of its episodes by a replay, and a bound on guesses by a second program. ``proved by
planner``: a planner found or exhausted it. ``refuted``: the opposite was shown. ``unknown``: none of these.
"""


KNOWLEDGE = ("knows ", "needs depth ")
"""The beginnings of the names of verdicts that do not decide whether a task can be played, but whether its depth is real."""


class ProofVerdict(Struct, frozen=True):
    """``says`` is a sentence for the author of the task, with what to change if it is not proved.

    A verdict that is not ``decisive`` does not decide whether the task is accepted.
    """

    name: str
    status: Status
    says: str
    decisive: bool = True

    @property
    def proved(self) -> bool:
        """Whether it is proved, in either way."""
        return self.status.startswith("proved")

    @property
    def checked(self) -> bool:
        """Whether an independent check accepts its evidence."""
        return self.status == "proved and checked"

    @property
    def required(self) -> bool:
        """Whether a task of a pool must have it proved: it decides, or is about the depth of a chain of knowledge."""
        return self.decisive or self.name.startswith(KNOWLEDGE)


class Verification(Struct, frozen=True):
    """All verdicts of a task, and the certificate of those that are proved and checked.

    ``levels`` has the number of runs that each reference team solves, of :data:`~.episodes.SEEDS`.
    """

    verdicts: tuple[ProofVerdict, ...]
    certificate: Certificate
    levels: dict[str, int]

    @property
    def holds(self) -> bool:
        """Whether all decisive verdicts are proved."""
        return all(verdict.proved for verdict in self.verdicts if verdict.decisive)
