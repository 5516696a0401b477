"""The data of a report do not depend on the order of records, nor on their being measured a scenario at a time."""

from __future__ import annotations

from otherminds.core.model import Price
from otherminds.core.record import Record, Timing
from otherminds.measures.cost import total
from otherminds.measures.episode import summarise
from otherminds.reports.findings import findings, findings_of
from otherminds.reports.json_report import as_json
from otherminds.reports.table import as_text

PRICES = {"m": Price(1, 2)}


def test_the_order_of_records_changes_nothing(planned, records: list[Record]) -> None:
    """Records of all scenarios in turns, and from the last to the first."""
    turns = sorted(records, key=lambda record: (record.spec.seed, record.spec.title))
    first = findings(planned, records, PRICES, {}, curves=True)
    for others in (turns, records[::-1]):
        again = findings(planned, others, PRICES, {}, curves=True)
        assert as_json(again, "A study") == as_json(first, "A study")
        assert as_text(again, "A study") == as_text(first, "A study")


def test_costs_of_cells_add_up(planned, records: list[Record]) -> None:
    """Whole seconds, so that sums are exact in any order."""
    timed = [(record, Timing(float(n), [1.0] * n, n)) for n, record in enumerate(records)]
    found = findings_of(planned, iter(timed), PRICES, curves=False)
    episodes = [summarise(*one) for one in timed]
    assert found.total == total(episodes, PRICES)
    for mind, cost in found.by_mind.items():
        assert cost == total([one for one in episodes if one.mind == mind], PRICES)
    for (scenario, mind), cost in found.spent.items():
        assert cost == total(
            [one for one in episodes if (one.scenario, one.mind) == (scenario, mind)], PRICES
        )
