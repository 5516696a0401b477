"""The planned episodes of a study in little memory: of a million, 12 MB."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Self, overload

from msgspec import Struct, structs

from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec

SEEDS = 2**63
"""Seeds are below."""


class StoredEpisodes(Struct, frozen=True):
    """The stored form: episode ``i`` is ``variants[variant[i]]`` with the seed ``seeds[i]``."""

    variants: tuple[EpisodeSpec, ...] = ()
    variant: list[int] = []
    seeds: list[int] = []


class PlannedEpisodes(Sequence[EpisodeSpec]):
    """Episodes in order, each once. Specs that differ in their seed only share what they have in common.

    An item is made when it is read.

    Raises:
        StudyError: a seed has more than 64 bits.
    """

    def __init__(self, specs: Iterable[EpisodeSpec] = ()) -> None:
        self._variants: list[EpisodeSpec] = []
        self._variant, self._seeds = array("I"), array("q")
        numbers: dict[bytes, int] = {}
        planned: set[tuple[int, int]] = set()
        for spec in specs:
            if not -SEEDS <= spec.seed < SEEDS:
                raise StudyError(f"seed {spec.seed} is too large; choose one below {SEEDS}")
            variant = structs.replace(spec, seed=0)
            number = numbers.setdefault(encode(variant), len(numbers))
            if number == len(self._variants):
                self._variants.append(variant)
            if (number, spec.seed) not in planned:
                planned.add((number, spec.seed))
                self._variant.append(number)
                self._seeds.append(spec.seed)

    @classmethod
    def of(cls, stored: StoredEpisodes) -> Self:
        """The episodes of a stored form.

        Raises:
            ValueError: it has a variant or a seed that cannot be, or not as many variants as seeds.
        """
        episodes = cls()
        episodes._variants = list(stored.variants)
        try:
            episodes._variant, episodes._seeds = array("I", stored.variant), array("q", stored.seeds)
        except OverflowError as error:
            raise ValueError("a number of an episode is too large") from error
        if len(episodes._variant) != len(episodes._seeds) or max(episodes._variant, default=-1) >= len(
            episodes._variants
        ):
            raise ValueError("the numbers of its episodes do not fit together")
        return episodes

    def stored(self) -> StoredEpisodes:
        """The stored form."""
        return StoredEpisodes(tuple(self._variants), self._variant.tolist(), self._seeds.tolist())

    def __len__(self) -> int:
        return len(self._seeds)

    @overload
    def __getitem__(self, index: int) -> EpisodeSpec: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[EpisodeSpec, ...]: ...
    def __getitem__(self, index: int | slice) -> EpisodeSpec | tuple[EpisodeSpec, ...]:
        if isinstance(index, slice):
            return tuple(map(self._at, range(len(self))[index]))
        return self._at(index)

    def __iter__(self) -> Iterator[EpisodeSpec]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlannedEpisodes) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((len(self), self._seeds.tobytes()))

    def _at(self, index: int) -> EpisodeSpec:
        return structs.replace(self._variants[self._variant[index]], seed=self._seeds[index])
