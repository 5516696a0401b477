"""The chapter of a report on word games: which partners a mind knows, by their association."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.measures.episode import Key
from otherminds.measures.known_types import find_type
from otherminds.measures.registry import Accuracy, details
from otherminds.play.interventions import NONE as NO_INTERVENTION
from otherminds.reports.findings import WorldChapter, world_reports
from otherminds.reports.sheets import Row, Sheet, grouped_by, percent
from otherminds.wordgames.evidence import measure_accuracy, read_rounds
from otherminds.wordgames.game import EGO, PARTNER
from otherminds.wordgames.rules import read_rules


class GameDetail(Struct, frozen=True, tag="wordgames"):
    """One episode: its partner's association, the shares of right answers of the mind and of the best blind one, and the points a
    round of both and of one who knows the partner, expected on the same boards.
    """

    scenario: str
    mind: str
    association: str
    right: float
    blind_right: float
    earned: float
    blind: float
    informed: float


@details.register("wordgames")
def collect_rounds(record: Record) -> GameDetail | None:
    """What an episode says of its partner's association; ``None`` in other worlds, and where the partner or an answer is not known."""
    rules, accuracy = read_rules(record), measure_accuracy(record)
    if rules is None or not isinstance(accuracy, Accuracy) or record.spec.arm not in ("", NO_INTERVENTION):
        return None
    tables, partner = rules.tables, find_type(record, PARTNER, rules.tables.names)
    count = len(read_rounds(record, rules))
    assert partner is not None, "its answers could be compared"
    values = [tables.evaluate(tables.hide_secret(board)) for board in rules.boards[:count]]
    return GameDetail(
        scenario=record.spec.title,
        mind=record.spec.seats[EGO].title,
        association=tables.groups[partner],
        right=accuracy.told,
        blind_right=accuracy.blind,
        earned=record.total(EGO) / count,
        blind=float(np.mean([value.blind[partner].mean() for value in values])),
        informed=float(np.mean([value.informed[partner].mean() for value in values])),
    )


def keep_order(planned: Mapping[Key, int], episodes: Iterable[GameDetail]) -> Sequence[GameDetail]:
    """The episodes in the order of the planned cells, and of associations within one."""
    cells = list(planned)
    return sorted(
        episodes, key=lambda detail: (cells.index((detail.scenario, detail.mind)), detail.association)
    )


MEANING = (
    "Right: answers about the partner in the second half, in %. Points: those of a round. Blind: the best mind that never looks at "
    "who its partner is, on the same boards; informed: one who knows it. An idiosyncratic partner cannot be known from language alone."
)


def write_sheets(episodes: Sequence[GameDetail]) -> tuple[Sheet, ...]:
    """A table with a row for each scenario, mind and association."""
    rows: list[Row] = []
    for names, group in grouped_by(
        episodes, lambda detail: (detail.scenario, detail.mind, detail.association)
    ).items():
        means = [
            sum(getattr(detail, name) for detail in group) / len(group)
            for name in ("right", "blind_right", "earned", "blind", "informed")
        ]
        shares = [(percent(share, 0), "") for share in means[:2]]
        points = [(f"{worth:.2f}", "") for worth in means[2:]]
        rows.append((names, (*shares, *points, (str(len(group)), ""))))
    heads = (
        *("scenario", "mind", "partner", "right", "blind right"),
        *("points", "blind points", "informed points", "n"),
    )
    return (Sheet("word games by the partner's association", heads, tuple(rows), (MEANING,)),)


world_reports.add("wordgames", WorldChapter("Word games", keep_order, write_sheets, frozenset))
