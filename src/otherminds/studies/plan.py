"""Expands a study into its planned episodes, kept in little memory: of a million, 12 MB."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, Self, overload

from msgspec import UNSET, Struct, structs

from otherminds.core.data import Seat
from otherminds.core.disk import resolve_path
from otherminds.core.encoding import check_seed, digest, encode
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import EpisodeSpec, SeatSpec
from otherminds.core.registry import load_plugins, parameters
from otherminds.core.scenario import Scenario, scenario, scenarios
from otherminds.core.text import escape_bytes
from otherminds.core.user_files import check_utf8
from otherminds.games.registry import games as known_games
from otherminds.measures.interventions import name_arm
from otherminds.minds.registry import is_partner, make_seated, models_of, setup_of
from otherminds.models.registry import may_score, models
from otherminds.models.scripted import ScriptedModel, uniform
from otherminds.play.interventions import INTERVENTIONS, NONE, check_intervention
from otherminds.play.loop import EpisodeState
from otherminds.studies.file import (
    CellEntry,
    FaultyStudyError,
    GameEntry,
    MindEntry,
    StudyFaults,
    StudyFile,
    TaskScenario,
    as_named,
    read_study,
    read_tasks,
    replace_by_splits,
    study_of_tasks,
)
from otherminds.studies.run_overrides import (
    RunOverrides,
    embed_packs,
    entry_of,
    fill,
    members_of,
    pin_files,
    split_addresses,
)

LATER_KEYS = frozenset({"tasks", "seats", "players", "interventions"})
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
        StudyError: a seed has no room in 64 bits.
    """

    def __init__(self, specs: Iterable[EpisodeSpec] = ()) -> None:
        self._variants: list[EpisodeSpec] = []
        self._variant, self._seeds = array("I"), array("q")
        numbers: dict[bytes, int] = {}
        planned: set[tuple[int, int]] = set()
        for spec in specs:
            if not -SEEDS <= spec.seed < SEEDS:  # the specs of old records may have negative ones
                check_seed(spec.seed)
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


class StudyPlan(Struct, frozen=True):
    """The episodes of a study. ``identity`` is equal for studies that differ in episode counts only.

    Episodes name a model without its address, so that it may be served elsewhere; ``access`` has
    the full specs of models with an address. ``study`` is what ``identity`` is computed from: the study
    without its episode counts; empty in folders from before it was kept. ``command`` are the arguments of
    ``otherminds run`` that it was planned with, the output folder left out; empty if no file was named, or one
    whose path is not UTF-8.
    """

    name: str
    identity: str
    plugins: tuple[str, ...]
    episodes: PlannedEpisodes
    access: dict[str, str] = {}
    study: dict[str, Any] = {}
    command: tuple[str, ...] = ()

    def cells(self) -> dict[tuple[str, str], int]:
        """Planned episodes by (scenario, mind), in the study's order."""
        return Counter((spec.title, ego(spec).title) for spec in self.episodes)


def ego(spec: EpisodeSpec) -> SeatSpec:
    """The mind under test: the first seat of a spec."""
    return next(iter(spec.seats.values()))


def plan_file(path: Path, overrides: RunOverrides | None = None) -> StudyPlan:
    """The plan of the study file at ``path``, or of the tasks there that a study source has.

    Raises:
        StudyError: the file, or names or values in it, are invalid; the text has all errors with their places.
    """
    overrides = overrides or RunOverrides()
    faults = StudyFaults()
    try:
        tasks = study_of_tasks(path, overrides.playing)
        study, faults = (tasks, faults) if tasks else read_study(path)
        if overrides.splits:
            study = study and replace_by_splits(study, overrides.splits, overrides.playing)
        elif overrides.minds and not tasks:
            raise StudyError("--mind is for task files and splits; a study file names its own minds")
        planned = plan(fill(study, overrides), path.parent) if study else None
    except StudyError as error:
        text = str(error)
        if not faults.found and text.startswith(str(path)):
            raise
        faults.add(error.faults if isinstance(error, FaultyStudyError) else [text])
        raise FaultyStudyError(faults.found, str(path)) from error
    faults.check(str(path))
    assert planned is not None, "a study without faults is planned"
    command = (as_named(path), *overrides.arguments())
    return structs.replace(
        planned, command=() if any(escape_bytes(word) != word for word in command) else command
    )


def plan(study: StudyFile, folder: Path) -> StudyPlan:
    """Expands a study; ``plugins``, prompt packs and weights are relative to ``folder``. See :func:`plan_file`."""
    faults = StudyFaults()
    plugins = tuple(str(resolve_path(folder / name)) for name in study.plugins)
    for name in plugins:
        with faults.at(""):
            check_utf8(name)
            load_plugins((name,))
    faults.check()  # without its plugins, a study has more unknown names
    study = pin_files(study, folder, faults)
    faults.check()  # a mind without its file cannot be made, and would be named twice
    games = {game.name: game for game in study.games}
    for name in games:
        if name in known_games:
            faults.add([f"games: there is already a game {name!r}; choose another name"])
    study = embed_packs(study, folder, faults)
    access: dict[str, str] = {}
    with faults.at(""):
        study, access = split_addresses(study)
    episodes: list[PlannedEpisodes] = []
    called: dict[tuple[str, str], EpisodeSpec] = {}
    for c, cell in enumerate(study.cells):
        arms = _list_arms(study, cell, f"cells[{c}]", faults)
        for place, registered, options, label in _where(f"cells[{c}]", games, study, cell, folder, faults):
            built: Scenario | None = None
            with faults.at(place):
                built = scenario(registered, options)
            if built is None:
                continue
            for m, entry in enumerate(cell.minds):
                pairs: list[MindEntry] = []
                with faults.at(f"cells[{c}].minds[{m}]"):
                    pairs = _list_pairs(built, entry_of(entry))
                for pair, arm in product(pairs, arms):
                    with faults.at(f"cells[{c}].minds[{m}]"):
                        seats, others = _team(built, pair)
                        seats = _name_in_arm(built, seats, arm)
                        granted = {seat: _grants(built, seat, spec) for seat, spec in seats.items()}
                        grants = {seat: names for seat, names in granted.items() if names}
                        template = EpisodeSpec(
                            registered, seats, study.seed, options, grants, cell.ask, label, arm or UNSET
                        )
                        specs = _episodes(template, built, others, cell.episodes or study.episodes)
                        mind = ego(specs[0]).title
                        same = called.setdefault((specs[0].title, mind), specs[0])
                        if same.hash != specs[0].hash:
                            raise StudyError(
                                f"reports cannot distinguish two cells, {mind!r} in {specs[0].title!r}, "
                                f"which differ in {_difference(same, specs[0])}; give one another label"
                            )
                        with faults.at(f"cells[{c}].minds[{m}] in {specs[0].title}"):
                            _set_up(built, specs)
                        episodes.append(PlannedEpisodes(specs))
    faults.check()
    body = study.model_dump(mode="json", exclude={"episodes": True, "cells": {"__all__": {"episodes"}}})
    for part in (body, *body["cells"], *(mind for cell in body["cells"] for mind in cell["minds"])):
        # Empty ones are left out of the identity, so that folders from before these keys existed can be resumed.
        for name in LATER_KEYS & {name for name, value in part.items() if not value}:
            del part[name]
    return StudyPlan(
        study.name, digest(body)[:16], plugins, PlannedEpisodes(chain.from_iterable(episodes)), access, body
    )


def _where(
    place: str,
    games: dict[str, GameEntry],
    study: StudyFile,
    cell: CellEntry,
    folder: Path,
    faults: StudyFaults,
) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """The scenarios and tasks of a cell: place in the file, registered scenario, options, label."""
    for s, name in enumerate(cell.scenarios):
        located: list[tuple[str, dict[str, Any], str]] = []
        with faults.at(f"{place}.scenarios[{s}]"):
            located.append(_scenario(name, games, study, cell))
        yield from ((f"{place}.scenarios[{s}]", *location) for location in located)
    if cell.tasks and (cell.rounds, cell.names, cell.literal) != (None, None, None):
        faults.add(
            [f"{place}: tasks have no rounds, names or literal; give these to scenarios, in another cell"]
        )
    for t, name in enumerate(cell.tasks):
        tasks: list[TaskScenario] = []
        with faults.at(f"{place}.tasks[{t}]"):
            tasks = read_tasks(Path(name), folder)
        for task, registered, options in tasks:
            label = f"{task} [{_write_options(cell.options)}]" if cell.options else task
            yield f"{place}.tasks[{t}] ({task})", registered, {**options, **cell.options}, label


def _list_arms(study: StudyFile, cell: CellEntry, place: str, faults: StudyFaults) -> tuple[str, ...]:
    """The arms of a cell, that without an intervention first; a single empty one outside of experiments."""
    named = study.interventions if cell.interventions is None else cell.interventions
    for arm in named:
        with faults.at(f"{place}.interventions"):
            check_intervention(arm)
    return tuple(dict.fromkeys((NONE, *(arm for arm in named if arm in INTERVENTIONS)))) if named else ("",)


def _name_in_arm(built: Scenario, seats: dict[Seat, SeatSpec], arm: str) -> dict[Seat, SeatSpec]:
    """The minds under test, the first named after the ``arm`` too, so that reports tell the arms apart."""
    if arm in ("", NONE):
        return seats
    first = built.focal[0]
    return seats | {first: structs.replace(seats[first], label=name_arm(seats[first].title, arm))}


def _list_pairs(built: Scenario, entry: MindEntry) -> list[MindEntry]:
    """The entry, or one for every ordered pair of its players."""
    if not entry.players:
        return [entry]
    if len(built.seats) != 2:
        raise StudyError(f"players meet in pairs, and {built.id} has {len(built.seats)} seats")
    first, second = built.seats
    return [MindEntry(seats={first: a, second: b}) for a in entry.players for b in entry.players]


def _team(built: Scenario, entry: MindEntry) -> tuple[dict[Seat, SeatSpec], dict[Seat, list[SeatSpec]]]:
    """The mind in each seat under test, and the minds that play in turn in each other seat that the entry names.

    By default the label of a team has the names of its minds, followed by those of the other seats.
    """
    if unknown := sorted(set(entry.seats) - set(built.seats)):
        raise StudyError(
            f"seats: {', '.join(unknown)} is no seat of {built.id}; it has {', '.join(built.seats)}"
        )
    named = {
        seat: [SeatSpec(member.mind, member.params, member.model) for member in members_of(seated)]
        for seat, seated in entry.seats.items()
    }
    for seat in built.focal:
        if seat not in named and not entry.mind:
            raise StudyError(f"seats: {seat} is under test in {built.id}, and has no mind")
        if len(named.get(seat, [""])) != 1:
            raise StudyError(
                f"seats: {seat} is under test, so it has one mind; give each mind an entry of its own"
            )
    if empty := [seat for seat, members in named.items() if not members]:
        raise StudyError(f"seats: the list of {empty[0]} has no mind")
    all_alike = SeatSpec(entry.mind, entry.params, entry.model, entry.label)
    seats = {seat: named[seat][0] if seat in named else all_alike for seat in built.focal}
    others = {seat: named[seat] for seat in built.others if seat in named}
    if entry.seats:
        label = entry.label or " + ".join(dict.fromkeys(spec.title for spec in seats.values()))
        if others and not entry.label:
            label += f" with {' + '.join(_name_members(built, *item) for item in others.items())}"
        first = built.focal[0]
        seats[first] = structs.replace(seats[first], label=label)
    return seats, others


def _name_members(built: Scenario, seat: Seat, members: list[SeatSpec]) -> str:
    """Who plays in a seat that is not under test; the seat is named where there are several."""
    names = " or ".join(dict.fromkeys(spec.title for spec in members))
    return names if len(built.others) == 1 else f"{names} in {seat}"


def _scenario(
    name: str, games: dict[str, GameEntry], study: StudyFile, cell: CellEntry
) -> tuple[str, dict[str, Any], str]:
    """The registered scenario, its options and its label in reports; ``rounds`` is an option where it has one."""
    game, _, suffix = name.partition("-")
    registered = f"bimatrix-{suffix}" if game in games else name
    options: dict[str, Any] = dict(cell.options)
    for option in ("rounds", "names", "literal"):
        if option in options and getattr(cell, option) is not None:
            raise StudyError(f"{option} is given twice: in the cell and in its options")
    if cell.rounds is not None or any(p.name == "rounds" for p in parameters(scenarios.get(registered))):
        options.setdefault("rounds", cell.rounds or study.rounds)
    if cell.names is not None:
        options["names"] = cell.names
    if cell.literal is not None:
        options["literal"] = cell.literal
    settings: list[str] = []
    if cell.names is not None:
        settings.append(cell.names if isinstance(cell.names, str) else "/".join(cell.names))
    if cell.options:
        settings.append(_write_options(cell.options))
    label = f"{name} [{', '.join(settings)}]" if settings else name
    if game in games:
        options["game"] = games[game].model_dump(mode="json")
        return registered, options, label
    return name, options, label if label != name else ""


def _write_options(options: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(options.items()))


def _grants(built: Scenario, seat: Seat, spec: SeatSpec) -> tuple[str, ...]:
    if spec.model:
        models.get(spec.model.partition(":")[0])
    if is_partner(built, seat, spec):
        return built.needs(spec, seat)
    grants = make_seated(built, spec).grants
    if seat not in built.focal and (prior := sorted(grants & set(built.priors))):
        raise StudyError(
            f"seats: {spec.called} needs a distribution of partners ({', '.join(prior)}), and {built.id} has one for "
            f"{', '.join(built.focal)} only; choose another mind for {seat}"
        )
    return tuple(sorted(grants))


def _difference(episode: EpisodeSpec, other: EpisodeSpec) -> str:
    """The fields in which two episodes differ."""
    first, second = ego(episode), ego(other)
    fields = [name for name in ("mind", "params", "model") if getattr(first, name) != getattr(second, name)]
    if not fields and episode.options == other.options and episode.seats != other.seats:
        fields = ["seats"]
    return ", ".join(
        fields + [name for name in ("options", "ask") if getattr(episode, name) != getattr(other, name)]
    )


def _set_up(built: Scenario, specs: list[EpisodeSpec]) -> None:
    """Sets up an episode, to find minds that do not fit before anything runs.

    Once, or with each partner if a mind is granted its partner's policy, or if a partner has a model.
    """
    knows = any("policy" in names for names in specs[0].grants.values())
    each = knows or len({models_of(spec) for spec in specs}) > 1
    different = {encode(list(spec.seats.values())): spec for spec in reversed(specs)} if each else {}
    for spec in different.values() or specs[:1]:
        EpisodeState(setup_of(spec, built, {name: _stand_in(name) for name in models_of(spec)}))


def _stand_in(model: str) -> Model:
    """In place of ``model`` while a study is planned, under its name; it can score where models of its kind can."""
    stand_in = uniform() if may_score(model) else ScriptedModel(lambda messages, decoding: "")
    stand_in.spec = model
    return stand_in


def _episodes(
    template: EpisodeSpec, built: Scenario, named: dict[Seat, list[SeatSpec]], count: int
) -> list[EpisodeSpec]:
    """``count`` episodes of one cell with consecutive seeds, balanced over partners.

    Seats that are not under test have those who are ``named`` for them in turn, else the population's members. Each
    has the grants that it needs.
    """
    met = built.population.meet(count)
    needs: dict[tuple[Seat, bytes], tuple[str, ...]] = {}
    specs: list[EpisodeSpec] = []
    for k in range(count):
        members = dict(zip(built.others, met[k], strict=True))
        members |= {seat: each[k % len(each)] for seat, each in named.items()}
        granted: dict[Seat, tuple[str, ...]] = {}
        for seat, member in members.items():
            key = seat, encode(member)
            if key not in needs:
                needs[key] = _grants(built, seat, member)
            granted[seat] = needs[key]
        grants = template.grants | {seat: names for seat, names in granted.items() if names}
        seats = {**template.seats, **members}
        specs.append(structs.replace(template, seed=template.seed + k, seats=seats, grants=grants))
    return specs
