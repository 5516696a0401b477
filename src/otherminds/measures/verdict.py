"""What the episodes of a mind show: whether it knows its partner, and whether it uses what it knows."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.measures.intervals import Estimate

Kind: TypeAlias = Literal[
    "uses",
    "uses in part",
    "does not use",
    "plays better than it says",
    "no evidence",
    "undecided",
    "not measured",
    "no choice",
]

WORDS: dict[Kind, str] = {
    "uses": "knows and uses",
    "uses in part": "knows and uses in part",
    "does not use": "knows and does not use",
    "plays better than it says": "plays better than it says",
    "no evidence": "no evidence that it knows",
    "undecided": "knows; whether it uses it is undecided",
    "not measured": "not measured",
    "no choice": "no choice to make",
}


class Verdict(Struct, frozen=True):
    """The verdict about one mind, in one scenario or over several with equal weights.

    ``scenarios`` are those it is about. ``literal`` is L, ``unused`` the unused share and ``functional`` F; the ends
    of their intervals are one-sided 95 % bounds. ``planned`` episodes had ``lost`` ones, which were not scored;
    ``clusters`` of them are distinct. Of ``answers`` predictions, ``unread`` could not be read. ``model`` says
    whether the mind is a language model. ``reason`` says why nothing was measured or there is no choice, and, of an
    undecided verdict, how many more distinct episodes would decide.
    """

    kind: Kind
    mind: str
    scenarios: tuple[str, ...]
    literal: Estimate
    unused: Estimate
    functional: Estimate
    planned: int
    lost: int
    clusters: int
    answers: int
    unread: int
    model: bool = False
    reason: str = ""

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        return WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its two numbers, its episodes, and what was lost."""
        where = f"in {self.scenarios[0]}" if len(self.scenarios) == 1 else f"over {len(self.scenarios)} scenarios"
        return f"“{self.mind}” {where}: {self.words}."
