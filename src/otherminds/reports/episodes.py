"""The episodes of a run: measured ones in a temporary database, and their list for the terminal, as JSON and as a page.

SQLite keeps it in memory while it is small, else in a file without a name in the folder for temporary files
(``SQLITE_TMPDIR``, then ``TMPDIR``), which is gone when the process ends. Nothing of it is used twice: a measure that
was kept from another version of the software would be a wrong number."""

from __future__ import annotations

import hashlib
import pickle
import re
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Struct, structs

from otherminds.core.disk import database_faults
from otherminds.core.record import Record
from otherminds.core.text import pad_line
from otherminds.measures.episode import Episode, Key
from otherminds.measures.evidence import EpisodeEvidence, PartnerShares
from otherminds.measures.notes import About
from otherminds.measures.registry import Accuracy, Unknown, ego
from otherminds.reports.sheets import fixed, grouped_by

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
    """The line of a recorded episode; ``won`` is its share and ``accuracy`` how right its predictions are (:class:`.ScoreInputs`)."""
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


COLUMNS = tuple(field.name for field in structs.fields(EpisodeLine))


class EpisodeList:
    """Lines of episodes, ordered and limited by SQLite; see :mod:`otherminds.reports.episodes`.

    ``order`` is from the lowest on, those that have no such number last; at most ``limit`` are shown.

    Raises:
        StudyError: the folder for temporary files is full or cannot be written.
    """

    def __init__(self, lines: Iterable[EpisodeLine], order: Order, limit: int | None) -> None:
        with temporary_faults():
            self._db = temporary_database()
            self._db.execute(f"CREATE TABLE lines ({', '.join(COLUMNS)})")
            self._db.execute("BEGIN")
            places = ", ".join("?" * len(COLUMNS))
            self._db.executemany(f"INSERT INTO lines VALUES ({places})", map(structs.astuple, lines))
            (self.all,) = self._db.execute("SELECT count(*) FROM lines").fetchone()
        self._order = f"ORDER BY {order} IS NULL, {order}, number LIMIT {-1 if limit is None else limit}"
        self.shown = self.all if limit is None else min(limit, self.all)

    def __iter__(self) -> Iterator[EpisodeLine]:
        with temporary_faults():
            for row in self._db.execute(f"SELECT * FROM lines {self._order}"):
                yield EpisodeLine(*row)

    def text(self) -> Iterator[str]:
        """The lines of a table, and why the unscored episodes were not scored."""
        widths = list(map(len, HEADS))
        for line in self:
            widths = [max(width, len(text)) for width, text in zip(widths, row_of(line), strict=True)]
        yield pad_line(HEADS, widths)
        for line in self:
            yield pad_line(row_of(line), widths)
        for line in self:
            if line.reason:
                yield f"{line.number}: {line.reason}"

    def json(self) -> Iterator[str]:
        """The parts of a JSON list of :class:`EpisodeLine`, which are one line together."""
        yield "["
        for n, line in enumerate(self):
            yield ("," if n else "") + msgspec.json.encode(line).decode()
        yield "]\n"

    def close(self) -> None:
        """Frees the room on disk."""
        self._db.close()
