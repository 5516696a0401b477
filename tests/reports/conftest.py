"""Episodes to report on, played by the scripted minds of the measures' tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid
from otherminds.core.model import Price
from otherminds.core.record import Outcome
from otherminds.measures.cells import Cell, cells
from otherminds.measures.curves import Curve, learning_curves
from otherminds.measures.episode import summarise
from otherminds.reports.findings import Findings, findings
from tests.measures import conftest as scripted

SCENARIOS = ("rps-single-v1", "rps-tit_for_tat-v1", "ipd-mixed-v1")
PLANNED = {(scenario, mind): 6 for scenario in SCENARIOS for mind in ("talker", "doer")}
History = list[tuple[int, int]]


def last(history: History) -> int:
    return history[-1][1] if history else 0


def act(scenario: str, mind: str, history: History) -> int:
    if mind == "talker":
        return 0
    return (last(history) + 1) % 3 if scenario.startswith("rps") else last(history)


def sample() -> list[Record]:
    """Six episodes a cell but one: a talker in RPS fails once, is invalid once, and lacks one."""
    records: list[Record] = []
    for scenario, mind in PLANNED:
        for seed in range(6):
            record = scripted.played(
                scenario,
                lambda h, scenario=scenario, mind=mind: act(scenario, mind, h),
                last if mind == "talker" else lambda h: 1,
                seed,
                label=mind,
                rounds=12,
            )
            if (scenario, mind, seed) == ("rps-single-v1", "talker", 5):
                continue
            if (scenario, mind, seed) == ("rps-single-v1", "talker", 4):
                record.outcome = Outcome("failed", "provider", "no answer", 3)
            records.append(record)
    return [
        scripted.played(r.spec.scenario, lambda h: Invalid("?"), last, 3, label="talker", rounds=12)
        if (r.spec.title, r.spec.seats["ego"].title, r.spec.seed) == ("rps-single-v1", "talker", 3)
        else r
        for r in records
    ]


@pytest.fixture(scope="session")
def records() -> list[Record]:
    return sample()


@pytest.fixture(scope="session")
def found(records: list[Record]) -> list[Cell]:
    return cells(PLANNED, map(summarise, records))


@pytest.fixture(scope="session")
def curves(records: list[Record]) -> list[Curve]:
    return learning_curves(PLANNED, map(summarise, records))


@pytest.fixture(scope="session")
def whole(records: list[Record]) -> Findings:
    """The findings of the sample, without prices and clocks."""
    return findings(PLANNED, records, {}, {}, curves=True)


@pytest.fixture(scope="session")
def of(whole: Findings) -> Callable[[Iterable[Cell]], Findings]:
    """The findings of the sample with other cells."""
    return lambda some: replace(whole, cells=tuple(some))


@pytest.fixture(scope="session")
def planned() -> dict[tuple[str, str], int]:
    return dict(PLANNED)


@pytest.fixture(scope="session")
def play() -> Callable[..., Record]:
    return scripted.played


@pytest.fixture(scope="session")
def thinking() -> Callable[..., Record]:
    return scripted.thinking


@pytest.fixture(scope="session")
def seated() -> Callable[..., list[Record]]:
    """Episodes of one cell with ``seat`` under test, who plays ``own`` and predicts ``said`` throughout."""

    def make(
        scenario: str,
        seat: SeatSpec,
        names: str | list[str] | None = None,
        *,
        own: int = 0,
        said: int = 0,
        episodes: int = 6,
        rounds: int = 10,
    ) -> list[Record]:
        options = {} if names is None else {"names": names}
        found: list[Record] = []
        for seed in range(episodes):
            record = scripted.played(scenario, lambda h: own, lambda h: said, seed, rounds=rounds, **options)
            shown = names if names is None or isinstance(names, str) else "/".join(names)
            label = "" if shown is None else f"{scenario} [{shown}]"
            seats = {**record.spec.seats, "ego": seat}
            record.spec = replace(record.spec, seats=seats, label=label)
            found.append(record)
        return found

    return make


@pytest.fixture(scope="session")
def tabled() -> Callable[..., list[Cell]]:
    """The cells of some records, each planned as often as it was played, and ``extra`` times more."""

    def make(*lists: list[Record], extra: int = 0) -> list[Cell]:
        episodes = [summarise(record) for records in lists for record in records]
        planned: dict[tuple[str, str], int] = {}
        for episode in episodes:
            key = (episode.scenario, episode.mind)
            planned[key] = planned.get(key, extra) + 1
        return cells(planned, episodes)

    return make


@pytest.fixture(scope="session")
def agents() -> Findings:
    """Findings of minds with notes and calls in two scenarios of RWS, at top_k 0, 1 and 5, and of one without."""
    records: list[Record] = []
    planned: dict[tuple[str, str], int] = {}
    seats = [*(SeatSpec("hm", {"top_k": k}, "m") for k in (5, 0, 1)), SeatSpec("blind")]
    for scenario in ("rws-repeated-6-v1", "rws-repeated-1-v1"):
        for seat in seats:
            for seed in range(3):
                slow = 1 + seat.params.get("top_k", 2)
                record = scripted.played(
                    "rps-single-v1", lambda h, slow=slow: len(h) // slow % 3, lambda h: 0, seed, rounds=8
                )
                if seat.model:
                    first = 3 + seed
                    scripted.thinking(record, [n >= first for n in range(9)], [1 + seat.params["top_k"]] * 9)
                # In a gridworld not every step is an encounter.
                record.actions += [(0, 0)] * 8
                record.rewards += [(0.0, 0.0)] * 8
                spec = replace(record.spec, scenario=scenario, seats={**record.spec.seats, "ego": seat})
                records.append(replace(record, spec=spec))
                planned[scenario, seat.title] = 3
    return findings(planned, records, {"m": Price(1.0, 2.0)}, {}, curves=True)
