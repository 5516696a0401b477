"""A measure, a chapter of the report, and the replay of an episode as a page."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hide_and_seek.world import GAME, HIDER, PLACES, SEEKER
from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.measures.registry import Inapplicable, Unknown, details, measures
from otherminds.reports.findings import WorldChapter, world_reports
from otherminds.reports.replay.replays import Playback, replays
from otherminds.reports.sheets import Row, Sheet, grouped_by, percent


class Hiding(Struct, frozen=True):
    """An episode of a mind: the place of the coin in each round, and the number of rounds in which it was found."""

    scenario: str
    mind: str
    coins: tuple[str, ...]
    found: int


@details.register("hide_and_seek")
def collect_coins(record: Record) -> Hiding | None:
    """The rounds of an episode; ``None`` in other worlds, and where no round was played."""
    met = record.met.get(HIDER, ()) if record.game == GAME else ()
    coins, found = tuple(one.did[HIDER][0] for one in met), sum(one.reward == 0 for one in met)
    return Hiding(record.spec.title, record.spec.seats[HIDER].title, coins, found) if met else None


@measures.register("found_percent")
def found_percent(record: Record) -> float | Unknown:
    """100 × rounds in which the coin was found / rounds."""
    hiding = collect_coins(record)
    return 100 * hiding.found / len(hiding.coins) if hiding else Inapplicable("no coin was hidden")


def make_sheets(episodes: Sequence[Hiding]) -> tuple[Sheet, ...]:
    """One table, with a row for each scenario and mind."""
    rows: list[Row] = []
    for cell, some in grouped_by(episodes, lambda one: (one.scenario, one.mind)).items():
        coins = [coin for one in some for coin in one.coins]
        counts = (sum(one.found for one in some), *map(coins.count, PLACES))
        rows.append((cell, tuple((percent(count / len(coins)), "") for count in counts)))
    heads = ("scenario", "mind", "found, %", *(f"{place}, %" for place in PLACES))
    return (Sheet("Where the coin was hidden", heads, tuple(rows)),)


class HideAndSeekReplay:
    """A row for each place, a column for each round: o is the coin, x where the seeker looked, @ both."""

    def shows(self, record: Record, world: World | None) -> bool:
        return record.game == GAME

    def text(self, record: Record) -> Iterator[str]:
        met = record.met.get(HIDER, ())
        yield f"{record.total(HIDER):g} earned in {len(met)} rounds"
        for place in PLACES:
            marks = (".ox@"[(place in one.did[HIDER]) + 2 * (place in one.did[SEEKER])] for one in met)
            yield f"{place:8}{' '.join(marks)}"

    def play(self, record: Record) -> Playback:
        rows = "\n".join(self.text(record))
        return Playback(lambda speed: f"<!doctype html><title>Hide and seek</title><pre>{rows}</pre>")


replays.add("hide_and_seek", HideAndSeekReplay())
world_reports.add("hide_and_seek", WorldChapter("Hide and seek", lambda _, of: [*of], make_sheets, frozenset))
