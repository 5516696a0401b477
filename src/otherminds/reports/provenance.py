"""How the episodes of a language model came about: what somebody needs to repeat them, or to judge their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any, TypeVar

from msgspec import Struct

from otherminds.core.record import Record, SeatSpec, Timing
from otherminds.core.wording import PACK, PLAIN, name_value
from otherminds.measures.seats import ego, under_test

T = TypeVar("T", bound="tuple[Record, Timing | None]")


class Sampling(Struct, frozen=True, order=True):
    """How replies are drawn: a temperature, a nucleus (top-p, of 1), and at most so many tokens."""

    temperature: float
    top_p: float
    max_tokens: int


class Provenance(Struct, frozen=True):
    """How the recorded episodes of a mind with a language model came about.

    ``version`` is that of this package. ``mind`` and ``params`` name the strategy, ``pack`` its wording: a name, with
    a digest for a pack of the user's own. ``decoding`` lists every way in which replies were drawn; empty where
    options were scored by their log-probability (``scored_options``) or nothing was asked. ``dropped`` names parameters
    that the server refused. ``first_seed`` to ``last_seed`` are the seeds of the episodes; partners and labels follow
    from them. Of ``answers`` predictions, ``unread`` could not be read.
    """

    version: str
    mind: str = ""
    params: dict[str, Any] = {}
    pack: str = ""
    decoding: tuple[Sampling, ...] = ()
    scored_options: bool = False
    dropped: tuple[str, ...] = ()
    first_seed: int | None = None
    last_seed: int | None = None
    answers: int = 0
    unread: int = 0


class Observer:
    """Reads the provenance off the records that pass by; only minds with a language model count."""

    def __init__(self) -> None:
        self._who: SeatSpec | None = None
        self._decoding: set[Sampling] = set()
        self._dropped: set[str] = set()
        self._seeds: set[int] = set()
        self._scored = False
        self._answers = self._unread = 0

    def watch(self, timed: Iterable[T]) -> Iterator[T]:
        """The pairs of ``timed``, each after its record was read."""
        for pair in timed:
            self._read_record(pair[0])
            yield pair

    def _read_record(self, record: Record) -> None:
        who = record.spec.seats[ego(record)]
        if not who.model:
            return
        self._who = self._who or who
        self._seeds.add(record.spec.seed)
        mine = under_test(record)
        for call in record.calls:
            if call.seat not in mine:
                continue
            self._dropped.update(call.dropped)
            if call.config:
                settings = (call.config[name] for name in Sampling.__struct_fields__)
                self._decoding.add(Sampling(*settings))
            else:
                self._scored = True
        seats = [question.seat for question in record.questions]
        answers = [answer for answer in record.asked if seats[answer.question] in mine]
        self._answers += len(answers)
        self._unread += sum(answer.invalid is not None for answer in answers)

    @property
    def provenance(self) -> Provenance:
        """What the records so far say."""
        who = self._who or SeatSpec("")
        return Provenance(
            version("otherminds"),
            who.mind,
            {name: value for name, value in who.params.items() if name != PACK},
            name_value(who.params.get(PACK, PLAIN)) if who.mind else "",
            tuple(sorted(self._decoding)),
            self._scored,
            tuple(sorted(self._dropped)),
            min(self._seeds, default=None),
            max(self._seeds, default=None),
            self._answers,
            self._unread,
        )
