"""One episode: ``play`` and ``aplay``."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

from otherminds.api import public
from otherminds.core.contracts import Mind
from otherminds.core.data import Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.core.scenario import scenario as make_scenario
from otherminds.minds.registry import is_partner, make_seated
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from otherminds.models.wrappers import Retrying
from otherminds.play.loop import play as play_setup

T = TypeVar("T")
Player: TypeAlias = str | SeatSpec | Mind | Participant
"""A mind under test: a name (``"rmax"``, ``"qa@smollm2"``), a name with parameters, or a mind."""


@public
def play(
    scenario: str | Scenario,
    mind: Player | Mapping[Seat, Player],
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    ask: bool = True,
    intervention: str = "",
) -> Record:
    """Plays one episode and returns its record.

    The same arguments give equal records, apart from replies of language models that are not reproducible. In
    a notebook, where an event loop runs already, the episode is played in a thread.

    Args:
        scenario: The name of a scenario (``otherminds.scenarios`` lists them), or a scenario.
        mind: The mind under test: the name of a mind, or ``MIND@MODEL`` for a strategy with a language
            model; a `SeatSpec` to give parameters; a mind or a `Participant`; or a
            mapping from seats to any of these. Without a mapping it plays in every seat under test.
        seed: Determines the partner and every random draw.
        options: Options of the scenario, by name, such as ``rounds``.
        partners: Members of the population by seat, in place of those that ``seed`` draws.
        ask: Whether the questions of the scenario are asked. Asking never changes acting.
        intervention: What the mind is shown before it acts, such as ``"remind"``, or ``"swap"`` for another partner
            from the middle on. Arms with equal other arguments are compared by `score`; ``"none"`` is the arm
            without an intervention. By default the episode is in no such experiment.

    Returns:
        The record. Where a provider, a reply, the world or a task failed, its ``outcome`` says so.

    Raises:
        StudyError: a name, an option, a parameter or the seed is wrong, or the mind does not fit the scenario.
        ProviderError: the model cannot be opened.

    Examples:
        >>> import otherminds as om
        >>> om.play("ipd-tit_for_tat-v1", "nash", seed=0, options={"rounds": 10})
        <Record of ipd-tit_for_tat-v1, seed 0, 10 steps, scored: ego nash 55, partner_0 tit_for_tat 45>
    """
    return wait_for(
        aplay(
            scenario,
            mind,
            seed=seed,
            options=options,
            partners=partners,
            ask=ask,
            intervention=intervention,
        )
    )


@public
async def aplay(
    scenario: str | Scenario,
    mind: Player | Mapping[Seat, Player],
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    ask: bool = True,
    intervention: str = "",
) -> Record:
    """As `play`, on the event loop that is running. Several may be awaited together."""
    seed, built = check_seed(seed), build(scenario, options)
    models: dict[str, Model] = {}
    try:
        minds, partners = seat_everyone(built, _seats(built, mind), seed, partners, models)
        setup = Setup(built, minds, seed, partners=partners, ask=ask, intervention=intervention)
        record, _ = await play_setup(setup)
    finally:
        for model in models.values():
            await close(model)
    return record


def build(scenario: str | Scenario, options: Mapping[str, Any] | None) -> Scenario:
    """The scenario of that name under ``options``, or the one that was given.

    Raises:
        StudyError: no such scenario, a wrong option, or options for a scenario that is made already.
    """
    if isinstance(scenario, str):
        return make_scenario(scenario, dict(options or {}))
    if options:
        raise StudyError(f"scenario {scenario.id!r} is made already; give its options where it is made")
    return scenario


def wait_for(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, whether an event loop runs in this thread or not."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(waiting)
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def run() -> T:
        task = asyncio.ensure_future(waiting)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, run())
        try:
            return future.result()
        except KeyboardInterrupt:
            for loop, task in begun:
                loop.call_soon_threadsafe(task.cancel)
            raise


def _seats(built: Scenario, mind: Player | Mapping[Seat, Player]) -> dict[Seat, Player]:
    if isinstance(mind, Mapping):
        return dict(mind)
    if len(built.focal) > 1 and not isinstance(mind, str | SeatSpec):
        raise StudyError(
            f"scenario {built.id!r} has {len(built.focal)} seats under test, and one mind cannot play in all of "
            f"them; give a mapping from {', '.join(built.focal)} to minds"
        )
    return dict.fromkeys(built.focal, mind)


def seat_everyone(
    built: Scenario,
    seats: Mapping[Seat, Player],
    seed: int,
    partners: Mapping[Seat, SeatSpec] | None,
    models: dict[str, Model],
) -> tuple[dict[Seat, Participant], dict[Seat, SeatSpec]]:
    """The participants and the partners by seat; without ``partners``, the population fills the seats that are left.

    A name of the scenario's partners is a partner in a seat that is not under test, and a member of the population
    with a model is a participant, as in a study. ``models`` has the open models by name.
    """
    if partners is None:
        empty = {seat: k for k, seat in enumerate(built.others) if seat not in seats}
        met = built.population.met(seed) if empty else ()
        partners = {seat: met[k] for seat, k in empty.items()}
    for seat in seats:
        if seat in partners:
            raise StudyError(f"seat {seat!r} of scenario {built.id!r} has two minds")
    given: dict[Seat, Player] = {**seats, **partners}
    specs = {seat: read_player(who) for seat, who in given.items() if isinstance(who, str | SeatSpec)}
    known = {
        seat: spec for seat, spec in specs.items() if seat in built.seats and is_partner(built, seat, spec)
    }
    order = [seat for seat in dict.fromkeys((*built.focal, *given)) if seat in given and seat not in known]
    return {seat: make_participant(built, given[seat], models) for seat in order}, known


def read_player(who: str | SeatSpec) -> SeatSpec:
    """A mind by name, ``MIND`` or ``MIND@MODEL``, as a spec."""
    if isinstance(who, SeatSpec):
        return who
    name, _, model = who.partition("@")
    return SeatSpec(name, {}, model)


def make_participant(built: Scenario, who: Player, models: dict[str, Model]) -> Participant:
    """The participant with its model; ``models`` has the open models by name."""
    if isinstance(who, Participant):
        return who
    if not isinstance(who, str | SeatSpec):
        return Participant(who)
    who = read_player(who)
    mind = make_seated(built, who)
    if who.model and who.model not in models:
        models[who.model] = Retrying(open_model(who.model))
    return Participant(mind, models[who.model] if who.model else None, who.label)
