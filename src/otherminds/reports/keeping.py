"""Measured episodes in a temporary database, so that a report holds those of one scenario at a time.

SQLite keeps it in memory while it is small, else in a file without a name in the folder for temporary files
(``SQLITE_TMPDIR``, then ``TMPDIR``), which is gone when the process ends. Nothing of it is used twice: a measure that
was kept from another version of the software would be a wrong number.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeVar

from msgspec import Struct, structs

from otherminds.core.disk import database_faults
from otherminds.measures.about import About
from otherminds.measures.episode import Episode
from otherminds.measures.evidence import EpisodeEvidence, PartnerShares
from otherminds.measures.registry import Unknown

V = TypeVar("V")
MEMORY = 64 * 1024
"""KiB of a temporary database that stay in memory."""
MOST = 100_000
"""Equal parts of episodes that are remembered to be held once."""
NO_ROUNDS = Unknown("numbers of rounds were not kept")
NO_NAMES: dict[str, Any] = {}


class SharedParts(Struct, frozen=True):
    """What many episodes have in common; ``values`` and ``ratios`` are those that are unknown, ``None`` for a number."""

    scenario: str
    mind: str
    kind: str
    about: About
    population: dict[str, float]
    partner: str
    reference: str
    shares: tuple[PartnerShares, ...]
    values: dict[str, Unknown | None]
    ratios: dict[str, Unknown | None]


NOTHING_SHARED = {
    "scenario": "",
    "mind": "",
    "kind": "",
    "about": About(),
    "values": NO_NAMES,
    "ratios": NO_NAMES,
}


def temporary_database() -> sqlite3.Connection:
    """An empty database that is gone when it is closed."""
    database = sqlite3.connect("", isolation_level=None)
    for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{MEMORY}"):
        database.execute(f"PRAGMA {setting}")
    return database


@contextmanager
def temporary_faults() -> Iterator[None]:
    """Turns faults of a temporary database, such as a full disk, into :class:`StudyError`."""
    with database_faults(Path(gettempdir()), "run the command again"):
        yield


class KeptEpisodes:
    """Episodes to be had again by scenario, in the order in which they were added.

    Numbers of rounds are kept ``with_rounds`` only. ``details`` and ``said`` are not kept, and predictions only where
    reference minds need them.

    Raises:
        StudyError: the folder for temporary files is full or cannot be written.
    """

    def __init__(self, *, with_rounds: bool) -> None:
        self._with_rounds = with_rounds
        self._places: dict[bytes, int] = {}
        self._shared: list[SharedParts] = []
        with temporary_faults():
            self._db = temporary_database()
            self._db.execute("CREATE TABLE episodes (scenario TEXT, shared INTEGER, body BLOB)")
            self._db.execute("BEGIN")

    def add(self, episode: Episode) -> None:
        """Adds an episode."""
        basis = episode.basis
        shared = SharedParts(
            *(episode.scenario, episode.mind, episode.kind, episode.about),
            *(basis.population, basis.partner, basis.reference),
            () if isinstance(episode.evidence, Unknown) else episode.evidence.shares,
            {name: value if isinstance(value, Unknown) else None for name, value in episode.values.items()},
            {name: value if isinstance(value, Unknown) else None for name, value in episode.ratios.items()},
        )
        key = pickle.dumps(shared)
        if key not in self._places:
            self._places[key] = len(self._shared)
            self._shared.append(shared)
        own_parts = structs.replace(
            episode,
            **NOTHING_SHARED,
            basis=structs.replace(basis, population=NO_NAMES, partner="", reference=""),
            evidence=_with_shares(episode.evidence, ()),
            regrets=episode.regrets if self._with_rounds else NO_ROUNDS,
            hits=episode.hits if self._with_rounds else NO_ROUNDS,
            predictions=episode.predictions if "reward_per_1200_steps" in episode.values else (),
            details=NO_NAMES,
            said=NO_NAMES,
        )
        numbers = [
            tuple(value for value in measured.values() if not isinstance(value, Unknown))
            for measured in (episode.values, episode.ratios)
        ]
        row = (
            episode.scenario,
            self._places[key],
            pickle.dumps((own_parts, *numbers), pickle.HIGHEST_PROTOCOL),
        )
        with temporary_faults():
            self._db.execute("INSERT INTO episodes VALUES (?, ?, ?)", row)

    def scenarios(self) -> list[str]:
        """The scenarios of all episodes, in order of name. Nothing can be added from now on."""
        with temporary_faults():
            self._db.execute("CREATE INDEX IF NOT EXISTS by_scenario ON episodes (scenario)")
            return [name for (name,) in self._db.execute("SELECT DISTINCT scenario FROM episodes ORDER BY 1")]

    def of(self, scenario: str) -> list[Episode]:
        """The episodes of a scenario. Equal parts of them are one object."""
        query = "SELECT shared, body FROM episodes WHERE scenario = ? ORDER BY rowid"
        once = SeenParts()
        with temporary_faults():
            return [self._whole(place, body, once) for place, body in self._db.execute(query, (scenario,))]

    def close(self) -> None:
        """Frees the room on disk."""
        self._db.close()

    def _whole(self, place: int, body: bytes, once: SeenParts) -> Episode:
        shared = self._shared[place]
        own_parts: Episode
        own_parts, values, ratios = pickle.loads(body)
        basis = own_parts.basis
        return structs.replace(
            own_parts,
            scenario=shared.scenario,
            mind=shared.mind,
            kind=shared.kind,
            about=shared.about,
            cluster=(once(own_parts.cluster[0]), own_parts.cluster[1]),
            outcome=once(own_parts.outcome),
            replies=once(own_parts.replies),
            tries=once(own_parts.tries),
            usage=once(own_parts.usage),
            values=once.filled(place, shared.values, values),
            ratios=once.filled(-1 - place, shared.ratios, ratios),
            basis=structs.replace(
                basis,
                population=shared.population,
                partner=shared.partner,
                reference=shared.reference,
                share=once(basis.share),
                accuracy=once(basis.accuracy),
                parts=once(basis.parts),
                extremes=once(basis.extremes),
            ),
            evidence=_with_shares(own_parts.evidence, shared.shares),
            profile=once(own_parts.profile),
            regrets=once(own_parts.regrets) if isinstance(own_parts.regrets, Unknown) else own_parts.regrets,
            hits=once(own_parts.hits) if isinstance(own_parts.hits, Unknown) else own_parts.hits,
            payoffs=once(own_parts.payoffs),
            by_model=own_parts.by_model or NO_NAMES,
            details=NO_NAMES,
            said=NO_NAMES,
            read=once(own_parts.read),
        )


def _with_shares(
    evidence: EpisodeEvidence | Unknown, shares: tuple[PartnerShares, ...]
) -> EpisodeEvidence | Unknown:
    return evidence if isinstance(evidence, Unknown) else structs.replace(evidence, shares=shares)


class SeenParts:
    """Calls give an equal value that was given before, for up to :data:`MOST` different ones."""

    def __init__(self) -> None:
        self._seen: dict[Any, Any] = {}

    def __call__(self, value: V) -> V:
        key = type(value), repr(value)
        if len(self._seen) < MOST:
            return self._seen.setdefault(key, value)
        return self._seen.get(key, value)

    def filled(
        self, place: int, names: dict[str, Unknown | None], measured: tuple[Any, ...]
    ) -> dict[str, Any]:
        """The dictionary of ``names`` in which ``measured`` are the numbers, in their order."""
        key = place, repr(measured)
        if (values := self._seen.get(key)) is None:
            numbers = iter(measured)
            values = {name: next(numbers) if value is None else value for name, value in names.items()}
            if len(self._seen) < MOST:
                self._seen[key] = values
        return values
