"""The episodes of a run as a list: for the terminal, as JSON, and as a page that reports link to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.measures.episode import Key
from otherminds.measures.registry import Accuracy, Unknown
from otherminds.measures.seats import ego
from otherminds.reports.sheets import fixed, grouped_by

Order: TypeAlias = Literal["number", "score", "literal", "reward", "mind", "scenario", "outcome"]
ORDERS: tuple[Order, ...] = get_args(Order)
SHOWN = 1000
"""Episodes of a cell on the page."""
DIGITS = 12
"""Of an episode's hash, which ``replay`` takes."""
PAGE = "episodes.html"
REPLAYS = "replays"
"""The folder of the pages of episodes, beside :data:`PAGE`; each is named by the id of its episode."""
HEADS = ("number", "id", "scenario", "mind", "partner", "seed", "outcome", "reward", "F", "L")
SHOWN_HEADS = HEADS[1:]
"""Those of the page, which does not know the numbers of its episodes."""
NUMBERS = ("seed", "reward", "F", "L")
"""Heads of columns with numbers."""


class EpisodeLine(Struct, frozen=True):
    """One episode: ``number`` is its place in the plan, if it is known, ``id`` the start of its hash; ``replay`` takes both.

    ``world`` is the family of the scenario. ``score`` is F and ``literal`` L of this episode alone, where
    their ends are known; they scatter more than those of a cell, and L is ``None`` where there was nothing to know.
    ``outcome`` is ``missing`` for an episode that is not recorded yet.
    """

    number: int | None
    id: str
    scenario: str
    world: str
    mind: str
    partner: str
    seed: int
    outcome: str
    reason: str = ""
    reward: float | None = None
    score: float | None = None
    literal: float | None = None

    @property
    def key(self) -> Key:
        """The cell that it belongs to."""
        return self.scenario, self.mind


class Wanted(Struct, frozen=True):
    """Which episodes are listed: those whose names contain the texts, of an outcome if one is given."""

    mind: str = ""
    scenario: str = ""
    world: str = ""
    partner: str = ""
    outcome: str = ""

    def fits(self, line: EpisodeLine) -> bool:
        """Whether an episode is among them; capitals do not count."""
        pairs = (
            (self.mind, line.mind),
            (self.scenario, line.scenario),
            (self.world, line.world),
            (self.partner, line.partner),
        )
        return self.outcome in ("", line.outcome) and all(
            text.casefold() in name.casefold() for text, name in pairs
        )


def line_of(
    record: Record,
    won: tuple[float, float] | Unknown,
    accuracy: Accuracy | Unknown,
    number: int | None = None,
) -> EpisodeLine:
    """The line of a recorded episode; ``won`` is its share and ``accuracy`` how right its predictions are (:class:`.Basis`)."""
    spec, mine = record.spec, ego(record)
    return EpisodeLine(
        number=number,
        id=spec.hash[:DIGITS],
        scenario=spec.title,
        world=substrate(spec.scenario),
        mind=spec.seats[mine].title,
        partner=", ".join(record.partners[seat].name for seat in sorted(record.partners)),
        seed=spec.seed,
        outcome=record.outcome.status,
        reason=record.outcome.reason,
        reward=record.total(mine),
        score=None if isinstance(won, Unknown) or not won[1] else won[0] / won[1],
        literal=None if isinstance(accuracy, Unknown) else _literal(accuracy),
    )


def _literal(accuracy: Accuracy) -> float | None:
    return (
        (accuracy.told - accuracy.blind) / (accuracy.known - accuracy.blind)
        if accuracy.known > accuracy.blind
        else None
    )


def substrate(scenario: str) -> str:
    """The family of a scenario. Rewards of two families are not averaged.

    >>> substrate("rws-repeated-0-v1"), substrate("rps-mixed-v1 [neutral]")
    ('rws-repeated', 'rps')
    """
    match = re.match(r"(.+)-[^-]+-v\d+", scenario)
    return match[1] if match else scenario


def anchor(key: Key) -> str:
    """The identifier of a cell on the page of episodes."""
    return "c" + hashlib.sha256("\0".join(key).encode()).hexdigest()[:10]


def link(key: Key) -> str:
    """Where a report finds the episodes of a cell, relative to its own page; those of a mind if the scenario is empty."""
    return f"{PAGE}#{anchor(key)}"


def as_page(
    lines: Sequence[EpisodeLine],
    recorded: Mapping[Key, int],
    title: str,
    folder: str,
    with_page: Container[str] = (),
) -> str:
    """The page of the first episodes of each cell.

    ``recorded`` has the number of episodes of each cell, in order, ``folder`` is the run's, quoted for a shell. The ids in
    ``with_page`` are those of episodes that have a page of their own in :data:`REPLAYS`.
    """
    from otherminds.reports.markup import render, text_of

    listed = grouped_by(lines, lambda line: line.key)
    cells = {key: listed[key] for key in recorded if key in listed}
    firsts = {mind: keys[0] for mind, keys in grouped_by(cells, lambda key: key[1]).items()}
    return render(
        PAGE,
        {
            "title": title,
            "heads": [(head, head in NUMBERS) for head in SHOWN_HEADS],
            "rows": [
                {
                    "anchor": anchor(key) if first else "",
                    "mind_anchor": anchor(("", line.mind)) if first and firsts[line.mind] == key else "",
                    "id": line.id,
                    "page": f"{REPLAYS}/{line.id}.html" if line.id in with_page else "",
                    "scored": line.outcome == "scored",
                    "reason": line.reason,
                    "texts": [
                        (head, head in NUMBERS, text)
                        for head, text in zip(HEADS, row_of(line), strict=True)
                        if head in SHOWN_HEADS[1:]
                    ],
                }
                for key, shown_lines in cells.items()
                for first, line in zip([True] + [False] * len(shown_lines), shown_lines, strict=False)
            ],
            "more": [
                (", ".join(key), recorded[key] - len(shown_lines))
                for key, shown_lines in cells.items()
                if recorded[key] > len(shown_lines)
            ],
            "folder": folder,
            "pages": REPLAYS,
            "script": text_of("sorting.js") + text_of("episodes.js"),
        },
    )


def row_of(line: EpisodeLine) -> tuple[str, ...]:
    """The texts of a line, under :data:`HEADS`."""
    reward = "–" if line.reward is None else f"{line.reward:g}"
    scores = reward, fixed(line.score, 2), fixed(line.literal, 2)
    return (
        *("" if line.number is None else str(line.number), line.id, line.scenario, line.mind, line.partner),
        *(str(line.seed), line.outcome, *scores),
    )
