"""Sessions: an episode in which somebody outside writes what a seat says. ``session`` and ``asession``.

Trainers, evaluation frameworks and people take text and give text. Here they sit behind an ordinary prompting
strategy, as its model: prompts, readers, questions, records and scores are those of a study.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import weakref
from collections.abc import Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from otherminds.api import public
from otherminds.api.playing import Player, build, seat_everyone
from otherminds.api.scoring import Score, score
from otherminds.core.data import Message, Seat
from otherminds.core.encoding import check_seed
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Model, Usage
from otherminds.core.record import Outcome, Record, SeatSpec
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.measures.registry import Unknown
from otherminds.measures.turn_rewards import turn_rewards
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import FORM
from otherminds.models.wrapper import close, make_completion
from otherminds.play.loop import play, play_now
from otherminds.play.seat_context import current_call

T = TypeVar("T")
Rewards: TypeAlias = Literal["exact", "world"]
"""``exact``: free of luck, 0 for the best play that ignores the partner and 1 for the best response
(:mod:`otherminds.measures.turn_rewards`). ``world``: the rewards of the world as they are."""
Played: TypeAlias = str | Scenario | Sequence[str | Scenario]
OUTSIDE = "outside"
"""The name of the model in records, where the session gives it no other."""


class Turn(Struct, frozen=True):
    """A request for one reply.

    Attributes:
        seat: The seat that is to reply.
        step: The step of the world.
        purpose: ``act`` for a choice, else the question or the reflection that the strategy asks for.
        attempt: How often the same was asked before: above 0 after a reply without an answer.
        messages: The whole prompt.
        options: The valid answers, as the prompt lists them; empty where it lists none.
    """

    seat: Seat
    step: int
    purpose: str
    attempt: int
    messages: tuple[Message, ...]
    options: tuple[str, ...] = ()

    @property
    def observation(self) -> str:
        """The last message: all that is new to a client that keeps the conversation itself."""
        return self.messages[-1].content


def describe_turn(messages: Sequence[Message]) -> Turn:
    """The turn that a prompt is, while a model answers it."""
    seat, step, purpose, attempt = current_call.get()
    form = FORM.search(messages[-1].content)
    options = tuple(form[1].rstrip("\n").split("\n")) if form else ()
    return Turn(seat, step, purpose, attempt, tuple(messages), options)


class Done(Struct, frozen=True):
    """The end of an episode: its record."""

    record: Record

    @property
    def outcome(self) -> Outcome:
        """How it ended: ``scored``, or why not."""
        return self.record.outcome


class _Outside:
    """The model of one seat: each call waits until somebody outside replies. Tokens are words."""

    context = 2**31
    concurrency = 1

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.turns: asyncio.Queue[tuple[Turn, asyncio.Future[str]] | None] = asyncio.Queue()
        self._prompt: tuple[Message, ...] = ()
        self._words = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = asyncio.get_running_loop().create_future()
        self.turns.put_nowait((describe_turn(messages), reply))
        text = await reply
        return make_completion(text, Usage(self._count_prompt(tuple(messages)), self.count(text)))

    def count(self, text: str) -> int:
        return len(text.split())

    def _count_prompt(self, messages: tuple[Message, ...]) -> int:
        """The words of a prompt; of one that begins with the prompt before, only what is new is counted."""
        counted = len(self._prompt)
        if messages[:counted] != self._prompt:
            counted = self._words = 0
        self._words += sum(self.count(message.content) for message in messages[counted:])
        self._prompt = messages
        return self._words


class AsyncSession:
    """One seat, or several, of a scenario, played by whoever calls :meth:`step`. See `asession`.

    Attributes:
        scenarios: The scenarios of each split.
        splits: The names of the splits; the first is the default.
        record: The record of the last episode that ended; ``None`` before.
    """

    def __init__(
        self,
        scenarios: Mapping[str, tuple[Scenario, ...]],
        seats: tuple[Seat, ...],
        strategy: SeatSpec,
        partners: Mapping[Seat, SeatSpec] | None,
        minds: Mapping[Seat, Player],
        ask: bool,
        rewards: Rewards,
    ) -> None:
        self.splits = tuple(scenarios)
        self.record: Record | None = None
        self.scenarios = scenarios
        self._seats = seats
        self._strategy = strategy
        self._partners = partners
        self._minds = minds
        self._ask = ask
        self._rewards: Rewards = rewards
        self._models: dict[str, Model] = {}
        self._playing: asyncio.Task[Record] | None = None
        self._outside = _Outside(strategy.model)
        self._reply: asyncio.Future[str] | None = None
        self._rounds = 0
        self._busy = False

    async def reset(self, seed: int | None = None, split: str | None = None) -> Turn | Done:
        """Starts an episode and returns its first turn. An episode that is going on is left.

        With n scenarios in the split, the episode is that of seed ``seed // n`` in scenario ``seed % n``.

        Args:
            seed: Determines partner, labels and every draw; by default it is drawn. The record has it.
            split: One of ``splits``.

        Raises:
            StudyError: no such split, a seed that is none, or a mind that does not fit its seat.
        """
        with self._call_alone():
            return await self._start(seed, split)

    async def _start(self, seed: int | None, split: str | None) -> Turn | Done:
        split = self.splits[0] if split is None else split
        if split not in self.scenarios:
            raise StudyError(f"no split is called {split!r}; the splits are: {', '.join(self.splits)}")
        seed = secrets.randbelow(2**31) if seed is None else check_seed(seed)
        await self._leave()
        scenarios = self.scenarios[split]
        seed, which = divmod(seed, len(scenarios))
        scenario = scenarios[which]
        self._outside = outside = _Outside(self._strategy.model)
        seated = {seat: Participant(make_mind(self._strategy), outside) for seat in self._seats}
        minds, partners = seat_everyone(
            scenario, {**self._minds, **seated}, seed, self._partners, self._models
        )
        setup = Setup(scenario, minds, seed, partners=partners, ask=self._ask)
        world = scenario.world()
        world.reset(seed=0)  # a world need not know its briefs before an episode
        self.record, self._rounds = None, world.brief(self._seats[0]).horizon
        self._playing = asyncio.ensure_future(_play(setup))
        self._playing.add_done_callback(lambda _: outside.turns.put_nowait(None))
        self._dropped = weakref.finalize(self, _cancel, self._playing)
        self._dropped.atexit = False
        return await self._next_turn()

    async def step(self, text: str) -> Turn | Done:
        """Replies to the last turn; returns the next one, or the end of the episode.

        A reply without an answer is asked for again as in a study; after the last attempt the episode ends as *invalid*.

        Raises:
            StudyError: no episode is going on, ``text`` is no text, or another call of this session is not over.
        """
        with self._call_alone():
            if self._playing is None:
                raise StudyError("no episode is going on; call reset() before step()")
            if not isinstance(text, str):
                raise StudyError(f"a reply is a text, not {type(text).__name__}: {text!r:.80}")
            reply, self._reply = self._reply, None
            if reply is None:
                raise StudyError(
                    "the step before was cancelled, and its turn is lost; call reset() or leave()"
                )
            reply.set_result(text)
            return await self._next_turn()

    async def leave(self) -> None:
        """Ends the episode that is going on: its record says that the client left."""
        with self._call_alone():
            await self._leave()

    async def close(self) -> None:
        """Leaves the episode that is going on, and closes the models of other seats."""
        with self._call_alone():
            await self._leave()
            while self._models:
                await close(self._models.popitem()[1])

    async def _leave(self) -> None:
        if self._playing is None:
            return
        waiting, self._reply = self._reply, None
        while True:
            if waiting is not None:
                waiting.set_exception(ProviderError("the client left before the episode was over"))
            turn = await self._outside.turns.get()
            if turn is None:
                break
            waiting = turn[1]
        await self._end()

    @contextmanager
    def _call_alone(self) -> Generator[None]:
        """Refuses a call while another one waits, from another thread or task."""
        if self._busy:
            raise StudyError(
                "another call of this session is not over; each client needs a session of its own"
            )
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    @property
    def turn_rewards(self) -> list[float]:
        """The reward of each round of the episode that ended last; an unfinished one has one more, for what it lacks.

        Raises:
            StudyError: no episode ended, or the world has no exact rewards for this partner; the text says why.
        """
        record = self._ended()
        if self._rewards == "world":
            place = record.seats.index(self._seats[0])
            return [row[place] for row in record.rewards]
        rewards = turn_rewards(record, self._rounds)
        if isinstance(rewards, Unknown):
            raise StudyError(
                f"{record.spec.title} has no exact rewards: {rewards.reason}; take rewards='world'"
            )
        return rewards.tolist()

    @property
    def reward(self) -> float:
        """The return: the sum of :attr:`turn_rewards`. Raises as it does."""
        return sum(self.turn_rewards)

    def score(self) -> Score:
        """As `otherminds.score` of the record.

        Raises:
            StudyError: no episode ended.
        """
        return score(self._ended())

    async def _next_turn(self) -> Turn | Done:
        turn = await self._outside.turns.get()
        if turn is None:
            return await self._end()
        self._reply = turn[1]
        return turn[0]

    async def _end(self) -> Done:
        assert self._playing is not None, "an episode was started"
        playing, self._playing, self._reply = self._playing, None, None
        self._dropped.detach()
        self.record = await playing
        return Done(self.record)

    def _ended(self) -> Record:
        if self.record is None:
            raise StudyError("no episode is over; step() returns Done when one is")
        return self.record


class Session:
    """As `AsyncSession`, for code without an event loop. See `session`."""

    def __init__(self, inner: AsyncSession) -> None:
        self._inner = inner
        self.splits = inner.splits

    def reset(self, seed: int | None = None, split: str | None = None) -> Turn | Done:
        """As :meth:`AsyncSession.reset`."""
        return wait_in_thread(self._inner.reset(seed, split))

    def step(self, text: str) -> Turn | Done:
        """As :meth:`AsyncSession.step`."""
        return wait_in_thread(self._inner.step(text))

    def leave(self) -> None:
        """As :meth:`AsyncSession.leave`."""
        wait_in_thread(self._inner.leave())

    def close(self) -> None:
        """As :meth:`AsyncSession.close`."""
        wait_in_thread(self._inner.close())

    def score(self) -> Score:
        """As :meth:`AsyncSession.score`."""
        return self._inner.score()

    @property
    def record(self) -> Record | None:
        """As :attr:`AsyncSession.record`."""
        return self._inner.record

    @property
    def reward(self) -> float:
        """As :attr:`AsyncSession.reward`."""
        return self._inner.reward

    @property
    def turn_rewards(self) -> list[float]:
        """As :attr:`AsyncSession.turn_rewards`."""
        return self._inner.turn_rewards


@public
def session(
    scenario: Played | Mapping[str, Played],
    *,
    seat: Seat | Sequence[Seat] | None = None,
    strategy: str | SeatSpec = "chat",
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    minds: Mapping[Seat, Player] | None = None,
    ask: bool = True,
    rewards: Rewards = "exact",
) -> Session:
    """A seat of a scenario for a client that takes text and gives text: a trainer, a program, a person.

    The record of an episode equals, byte for byte, that of a study in which a model gives the same replies. Each
    session plays one episode at a time; any number of them may play at once.

    Args:
        scenario: A scenario or its name, or several that are played in turn. A mapping gives each split its own, such as
            ``{"train": [...], "held_out": [...]}`` with other partner families.
        seat: The seat, or seats, that the client plays; by default those under test.
        strategy: The prompting strategy that the client sits behind, by name, or a `SeatSpec` with parameters, whose
            ``model`` is the name of the client in records. ``chat``: a conversation that only grows.
        options: Options of the scenarios, by name, such as ``rounds``.
        partners: Members of the population by seat, in place of those that the seed draws.
        minds: Minds in other seats, as in `play`; models too.
        ask: Whether the questions of the scenario are asked. Asking never changes acting.
        rewards: ``exact`` rewards are free of luck: 0 for the best play that ignores the partner, 1 for the best
            response; worse play is below 0. ``world``: the rewards of the world as they are.

    Raises:
        StudyError: a name, an option or a parameter is wrong, or the seats have no exact rewards.

    Examples:
        >>> import otherminds as om
        >>> with_text = om.session("rps-mixed-v1", options={"rounds": 3}, ask=False)
        >>> turn = with_text.reset(seed=7)
        >>> turn.options
        ('A: Option B', 'A: Option J', 'A: Option F')
        >>> while not isinstance(turn := with_text.step(turn.options[0]), om.Done): pass
        >>> turn.outcome.status, round(sum(with_text.turn_rewards) - with_text.reward, 9)
        ('scored', 0.0)
    """
    return Session(
        asession(
            scenario,
            seat=seat,
            strategy=strategy,
            options=options,
            partners=partners,
            minds=minds,
            ask=ask,
            rewards=rewards,
        )
    )


@public
def asession(
    scenario: Played | Mapping[str, Played],
    *,
    seat: Seat | Sequence[Seat] | None = None,
    strategy: str | SeatSpec = "chat",
    options: Mapping[str, Any] | None = None,
    partners: Mapping[Seat, SeatSpec] | None = None,
    minds: Mapping[Seat, Player] | None = None,
    ask: bool = True,
    rewards: Rewards = "exact",
) -> AsyncSession:
    """As `session`; ``reset``, ``step``, ``leave`` and ``close`` are awaited."""
    if rewards not in get_args(Rewards):
        raise StudyError(f"rewards are one of {', '.join(get_args(Rewards))}, not {rewards!r}")
    splits = scenario if isinstance(scenario, Mapping) else {"all": scenario}
    scenarios = {name: _build_each(played, options) for name, played in splits.items()}
    if not scenarios or not all(scenarios.values()):
        raise StudyError("a session needs at least one scenario in each split")
    first = next(iter(scenarios.values()))[0]
    seats = first.focal if seat is None else (seat,) if isinstance(seat, str) else tuple(seat)
    if any(not isinstance(given, Mapping) for given in (partners or {}, minds or {})):
        raise StudyError("partners and minds are mappings from seats to who plays there")
    if taken := [seat for seat in (*(partners or {}), *(minds or {})) if seat in seats]:
        raise StudyError(f"the client plays in seat {taken[0]!r}; nobody else can")
    for built in (built for split in scenarios.values() for built in split):
        if missing := [seat for seat in seats if seat not in built.seats]:
            raise StudyError(
                f"scenario {built.id!r} has no seat {missing[0]!r}; it has {', '.join(built.seats)}"
            )
        if rewards == "exact" and (reason := _explain_no_exact_rewards(built, seats, partners)):
            raise StudyError(f"scenario {built.id!r} has no exact rewards: {reason}; take rewards='world'")
    spec = strategy if isinstance(strategy, SeatSpec) else SeatSpec(strategy)
    spec = spec if spec.model else replace(spec, model=OUTSIDE)
    make_mind(spec)
    return AsyncSession(scenarios, seats, spec, partners, minds or {}, ask, rewards)


def _build_each(played: Played, options: Mapping[str, Any] | None) -> tuple[Scenario, ...]:
    each = (played,) if isinstance(played, str | Scenario) else played
    return tuple(build(scenario, options) for scenario in each)


def _explain_no_exact_rewards(
    built: Scenario, seats: Sequence[Seat], partners: Mapping[Seat, SeatSpec] | None
) -> str | None:
    """Why episodes have no exact rewards for ``seats``; ``None`` where they have, as one of random play shows."""
    if built.game is None or built.bounds is None or tuple(seats) != built.focal:
        return f"no stage game gives the payoff of {', '.join(seats)} alone"
    minds = {seat: make_mind(SeatSpec("uniform")) for seat in built.focal}
    record, _ = play_now(Setup(built, minds, partners=partners, ask=False))
    rewards = turn_rewards(record, len(record.rewards))
    return rewards.reason if isinstance(rewards, Unknown) else None


async def _play(setup: Setup) -> Record:
    return (await play(setup))[0]


def _cancel(playing: asyncio.Task[Record]) -> None:
    """Ends the episode of a session that is collected without a call of ``close``."""
    if not playing.get_loop().is_closed():
        playing.get_loop().call_soon_threadsafe(playing.cancel)


def wait_in_thread(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of ``waiting`` on the event loop that all sessions without one of their own share."""
    future = asyncio.run_coroutine_threadsafe(waiting, _shared_loop(os.getpid()))
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise


@cache
def _shared_loop(process: int) -> asyncio.AbstractEventLoop:
    """An event loop in a thread of this process; a forked process starts one of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"sessions-{process}", daemon=True).start()
    return loop
