"""Verdicts on minds whose nature is known: those that know nothing, and those that use all that they know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from otherminds.api.playing import play
from otherminds.api.scoring import report
from otherminds.core.record import Record, SeatSpec
from otherminds.core.worlds import scenario
from otherminds.measures.intervals import Estimate, share_of
from otherminds.measures.verdict import KNOWLEDGE
from otherminds.testing.compare import promise

STUDIES = 12
"""Studies of each mind in each world."""
A_PARTNER = 6
ROUNDS = 20
WORLDS = ("rps-mixed-v1", "ibs-mixed-v1")
IGNORANT = (SeatSpec("uniform"), SeatSpec("mirror"), SeatSpec("echo"), SeatSpec("random"))
ABLE = (SeatSpec("bayes"), SeatSpec("informed"))
IDLE = SeatSpec("simulated", {"accuracy": 1.0, "rationality": 0.0})
MOST = 0.05
"""The largest share of studies of ignorant minds that may find knowledge."""


def study_ignorance(folder: Path) -> str:
    """Counts verdicts of knowledge on minds that know nothing."""
    share, n = share_with(IGNORANT, lambda kind: kind in KNOWLEDGE)
    promise(share.low is not None and share.low <= MOST, "at most 5 % of studies", _words(share, n))
    control, _ = share_with((IDLE,), lambda kind: kind == "does not use")
    promise(
        (control.mean or 0) > 0.5,
        "knowledge without use is recognised",
        _words(control, STUDIES * len(WORLDS)),
    )
    return f"knowledge found in {_words(share, n)}"


def study_ability(folder: Path) -> str:
    """Counts verdicts of disuse on minds that use what they know."""
    share, n = share_with(ABLE, lambda kind: kind == "does not use")
    promise(share.mean == 0, "no accusation", f"an accusation in {_words(share, n)}")
    control, _ = share_with(ABLE, lambda kind: kind in KNOWLEDGE)
    promise((control.mean or 0) > 0.5, "able minds are found to know", f"only in {_words(control, n)}")
    return f"accused in {_words(share, n)}; found to know in {_words(control, n)}"


def share_with(minds: Sequence[SeatSpec], counts: Callable[[str], bool]) -> tuple[Estimate, int]:
    """The share of studies of ``minds`` whose verdict ``counts``, and the number of studies."""
    kinds = [kind for world in WORLDS for mind in minds for kind in _verdicts(world, mind)]
    return share_of(sum(map(counts, kinds)), len(kinds)), len(kinds)


def _verdicts(world: str, mind: SeatSpec) -> Iterator[str]:
    """The verdict of each study of a mind: so many episodes with each partner, with seeds of their own."""
    built = scenario(world, {"rounds": ROUNDS})
    size = A_PARTNER * len(built.population.members)
    for study in range(STUDIES):
        records: list[Record] = [play(built, mind, seed=study * size + number) for number in range(size)]
        (verdict,) = report(records).verdicts
        yield verdict.kind


def _words(share: Estimate, n: int) -> str:
    """A share of studies with its interval."""
    mean, low, high = (100 * (value or 0) for value in (share.mean, share.low, share.high))
    return f"{mean:.0f} % of {n} studies (95 % interval {low:.0f} to {high:.0f})"
