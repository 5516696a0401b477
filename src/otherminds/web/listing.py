"""The list of a run's episodes: filtered, sorted and cut into pages, out of its index.

Episodes with the same names (scenario, mind, partner, outcome) are a group. There are few groups, so that filters, numbers and
orders by a name are found in the list of groups, and only the rows of a page are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from sqlite3 import Connection
from typing import Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct

from otherminds.web.episode_index import EpisodeIndex, IndexState, read_state, show_hash

ROWS = 50
"""Episodes on a page."""
NAMES = ("scenario", "mind", "partner", "outcome")
Order: TypeAlias = Literal["recorded", "scenario", "mind", "partner", "outcome", "reward"]
ORDERS: tuple[Order, ...] = get_args(Order)
FEW = 20_000
"""So many rows are sorted faster than they are found in the order of rewards."""
LONGEST_NAME = 2_000
"""Characters of a name in an address that are read."""


class ListedEpisode(NamedTuple):
    """A recorded episode: its hash, names, seed, and the reward of the mind under test."""

    episode: str
    scenario: str
    mind: str
    partner: str
    outcome: str
    seed: int
    reward: float | None


class Criteria(Struct, frozen=True):
    """Which episodes are listed, and how: names are exact, rewards are from ``least`` to ``most``; pages count from 1."""

    scenario: str = ""
    mind: str = ""
    partner: str = ""
    outcome: str = ""
    least: float | None = None
    most: float | None = None
    order: Order = "recorded"
    down: bool = False
    page: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are asked for, under :data:`NAMES`; empty where any is."""
        return self.scenario, self.mind, self.partner, self.outcome

    def words(self, **changes: object) -> dict[str, str]:
        """The criteria with ``changes`` as the parameters of an address; those that say nothing are left out."""
        values = {name: changes.get(name, getattr(self, name)) for name in self.__struct_fields__}
        if not {"page"} & changes.keys():
            values["page"] = 1
        texts = {
            name: f"{value:g}" if isinstance(value, float) else "1" if value is True else str(value)
            for name, value in values.items()
            if value not in ("", None, False)
        }
        return {name: text for name, text in texts.items() if (name, text) not in UNSAID}


UNSAID = {("order", "recorded"), ("page", "1")}


class EpisodePage(NamedTuple):
    """One page of a list: its ``rows``, the number of ``all`` episodes that fit, the numbers of ``pages`` and of this ``page``.

    ``choices`` has for each of :data:`NAMES` the names in the run with their numbers of episodes.
    """

    rows: Sequence[ListedEpisode]
    all: int
    page: int
    pages: int
    choices: Mapping[str, Mapping[str, int]]


def read_criteria(parameters: Mapping[str, str]) -> Criteria:
    """The criteria in an address; what cannot be read is left out.

    >>> read_criteria({"order": "reward", "down": "1", "least": "2", "page": "x"})
    Criteria(scenario='', mind='', partner='', outcome='', least=2.0, most=None, order='reward', down=True, page=1)
    """
    order = parameters.get("order", "")
    page = parameters.get("page", "")
    return Criteria(
        *(parameters.get(name, "")[:LONGEST_NAME] for name in NAMES),
        least=_read_number(parameters.get("least", "")),
        most=_read_number(parameters.get("most", "")),
        order=order if order in ORDERS else "recorded",
        down=parameters.get("down") == "1",
        page=max(1, int(page)) if page.isascii() and page.isdecimal() and len(page) < 10 else 1,
    )


Group: TypeAlias = tuple[int, int, int, int]
"""The numbers of the names of a group in the index, under :data:`NAMES`."""


class Listing:
    """The lists of an index. Groups are counted again when something was recorded."""

    def __init__(self, index: EpisodeIndex) -> None:
        self._index = index
        self._counted: tuple[IndexState | None, dict[Group, int]] = (None, {})

    def select(self, criteria: Criteria) -> EpisodePage:
        """The page of ``criteria``, or the last one before it that has episodes.

        Raises:
            DiskError: the index cannot be read.
        """
        with self._index.snapshot() as database:
            names: dict[int, str] = dict(database.execute("SELECT name, text FROM names").fetchall())
            every = self._count(database)
            limits = [
                f"reward {sign} {number!r}"
                for sign, number in ((">=", criteria.least), ("<=", criteria.most))
                if number is not None
            ]
            groups = count_groups(database, limits) if limits else every
            fits = {
                group: n
                for group, n in groups.items()
                if all(text in ("", names[name]) for text, name in zip(criteria.names, group, strict=True))
            }
            count = sum(fits.values())
            pages = max(1, -(-count // ROWS))
            page = min(criteria.page, pages)
            if criteria.order in NAMES:
                column = NAMES.index(criteria.order)
                ordered = sorted(
                    fits, key=lambda group: [names[group[column]], *(names[name] for name in group)]
                )
                ordered = ordered[::-1] if criteria.down else ordered
                parts = cut_groups([(group, fits[group]) for group in ordered], (page - 1) * ROWS)
            else:
                parts = [(tuple(fits), (page - 1) * ROWS, ROWS)] if fits else []
            rows = [
                row
                for own, first, most in parts
                for row in read_rows(database, own, criteria, limits, first, most, count, len(every))
            ]
        listed = [
            ListedEpisode(
                show_hash(episode), names[scenario], names[mind], names[partner], names[outcome], seed, reward
            )
            for episode, scenario, mind, partner, outcome, seed, reward in rows
        ]
        return EpisodePage(listed, count, page, pages, count_names(every, names))

    def count_names(self) -> dict[str, dict[str, int]]:
        """For each of :data:`NAMES`, the names in the run with their numbers of recorded episodes.

        Raises:
            DiskError: the index cannot be read.
        """
        with self._index.snapshot() as database:
            names: dict[int, str] = dict(database.execute("SELECT name, text FROM names").fetchall())
            return count_names(self._count(database), names)

    def _count(self, database: Connection) -> dict[Group, int]:
        state, counted = read_state(database), self._counted
        if counted[0] != state:
            self._counted = counted = state, count_groups(database, ())
        return counted[1]


def count_groups(database: Connection, conditions: Sequence[str]) -> dict[Group, int]:
    """The number of episodes of each group that meet ``conditions``."""
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = database.execute(
        f"SELECT scenario, mind, partner, outcome, count(*) FROM episodes {where} GROUP BY 1, 2, 3, 4"
    )
    return {group: n for *group_list, n in rows for group in [tuple(group_list)]}


def count_names(groups: Mapping[Group, int], names: Mapping[int, str]) -> dict[str, dict[str, int]]:
    """For each of :data:`NAMES`, the names that occur with their numbers of episodes, in order of name."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in NAMES}
    for group, n in groups.items():
        for kind, name in zip(NAMES, group, strict=True):
            counts[kind][names[name]] += n
    return {kind: dict(sorted(counted.items())) for kind, counted in counts.items()}


def cut_groups(groups: Sequence[tuple[Group, int]], first: int) -> list[tuple[tuple[Group, ...], int, int]]:
    """The groups that a page from row ``first`` on shows, each with its own first row and how many rows are needed."""
    parts: list[tuple[tuple[Group, ...], int, int]] = []
    needed = ROWS
    for group, n in groups:
        if first < n and needed:
            parts.append(((group,), first, needed))
            needed -= min(needed, n - first)
        first = max(0, first - n)
    return parts


def read_rows(
    database: Connection,
    groups: tuple[Group, ...],
    criteria: Criteria,
    limits: Sequence[str],
    first: int,
    most: int,
    count: int,
    every: int,
) -> list[tuple[int, int, int, int, int, int, float | None]]:
    """At most ``most`` rows of ``groups`` from ``first`` on; ``count`` rows fit, and there are ``every`` groups in all."""
    conditions, source = [*limits], "episodes"
    if len(groups) < every:
        listed = ", ".join(f"({', '.join(map(str, group))})" for group in groups)
        conditions.append(f"(scenario, mind, partner, outcome) IN (VALUES {listed})")
        if count < FEW or len(groups) == 1:
            source = "episodes INDEXED BY by_group"
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    way = "DESC" if criteria.down else "ASC"
    order = f"reward {way}, place {way}" if criteria.order == "reward" else f"place {way}"
    return database.execute(
        f"SELECT episode, scenario, mind, partner, outcome, seed, reward FROM {source} {where} "
        f"ORDER BY {order} LIMIT ? OFFSET ?",
        (most, first),
    ).fetchall()


def _read_number(text: str) -> float | None:
    try:
        number = float(text[:40])
    except ValueError:
        return None
    return number if isfinite(number) else None
