"""The only loop over a world, with the state of an episode and the record that it returns.

A step: each seat perceives its moment; ``before`` questions; what an intervention shows
(:mod:`otherminds.play.interventions`); seats without a running skill act; ``after`` questions; skills turn into primitive actions; the
world steps. After the last action every seat perceives one closing moment,
``end`` questions are asked, and truths are read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from numbers import Integral
from operator import itemgetter
from time import perf_counter
from typing import Any, TypeVar, cast

import msgspec

from otherminds.core.contracts import Mind
from otherminds.core.data import (
    Action,
    Answer,
    Cause,
    Ended,
    Invalid,
    Moment,
    Partner,
    Question,
    ReceivedMessage,
    Seat,
    SkillChoice,
    WeightedPolicy,
    When,
)
from otherminds.core.encoding import derive, stream
from otherminds.core.errors import InternalError, ProviderError, ReplyError, StudyError, TaskError, WorldError
from otherminds.core.model import SUBSTITUTE
from otherminds.core.record import CAUTION, STOPPED, Asked, Call, Choice, Note, Outcome, Record, Timing
from otherminds.core.scenario import Setup, World
from otherminds.play.interventions import (
    NONE,
    REMIND,
    SWAP,
    ExchangedPartner,
    NoticeBoard,
    ask_first,
    check_intervention,
    find_successor,
)
from otherminds.play.seat_context import CallMade, Now, SeatContext, SeatRuntime, pack, side_by_side

DueProbe = tuple[
    int,
    Question,
    Callable[[Moment], bool] | None,
    SeatRuntime,
    Callable[[Question], Coroutine[Any, Any, Answer | Invalid]],
]
"""A probe as it is put: its index in ``EpisodeState.questions``, its question, when it is due (``None``: always),
its seat, and what answers."""


class EpisodeState:
    """An episode that is ready to be played: its world, seats, probes and partners.

    Raises:
        StudyError: a mind does not fit its seat, or lacks a grant or a model.
    """

    def __init__(self, setup: Setup) -> None:
        self.spec = spec = setup.spec
        self.scenario = scenario = setup.scenario
        self.now = Now()
        self.world: World = scenario.world()
        self.seats: tuple[Seat, ...] = tuple(self.world.possible_agents)
        if spec.arm:
            self._check_arm(setup)
        everyone, self.partners = self._fill(setup)
        self.drawn = scenario.drawn(spec.seed)
        self.observations, self.infos = self.world.reset(
            seed=derive(spec.seed, "world") % 2**31,
            options={"grants": {seat: self._grants(seat, everyone[seat]) for seat in self.seats}},
        )
        self.runtimes: list[SeatRuntime] = []
        for seat in self.seats:
            mind = everyone[seat]
            model = setup.participants[seat].model if seat in setup.participants else None
            words = scenario.verbalizer(self.drawn, seat) if scenario.verbalizer else None
            context = SeatContext(seat, spec.seed, self.now, words, model)
            brief = self.world.brief(seat)
            if (reason := mind.suits(brief, context)) is not None:
                raise StudyError(f"{self._unfit(seat)}: {reason}")
            try:
                mind.begin(brief, context)
            except StudyError as error:
                raise StudyError(f"{self._unfit(seat)}: {error}") from error
            self.runtimes.append(SeatRuntime(seat, mind, context, brief))
        if spec.arm == SWAP:
            # Only now: a mind that is granted its partner's policy has that of the first.
            self.partners = {
                runtime.seat: runtime.mind.entry
                for runtime in self.runtimes
                if isinstance(runtime.mind, ExchangedPartner)
            }
        self.oracle = self._oracle()
        probes = tuple(
            probe
            for probe in (scenario.probes_for(self.drawn) if spec.ask else ())
            if probe.question.seat in setup.participants and everyone[probe.question.seat].answers
        )
        if spec.arm == REMIND:
            probes = ask_first(probes, *self.partners)
        self.questions = tuple(probe.question for probe in probes)
        self.board = self._post_notices() if spec.arm not in ("", NONE, SWAP) else None
        due: dict[When, list[DueProbe]] = {"before": [], "after": [], "end": []}
        runtimes = dict(zip(self.seats, self.runtimes, strict=True))
        for i, probe in enumerate(probes):
            runtime = runtimes[probe.question.seat]
            due[probe.question.when].append((i, probe.question, probe.due, runtime, runtime.answer))
        self.before, self.after, self.closing = due["before"], due["after"], due["end"]
        if len(self.closing) > 1:
            # Shuffled, so that their order gives no hint of their purpose.
            stream(spec.seed, "closing").shuffle(self.closing)

    @property
    def suspending(self) -> int:
        """The number of seats whose minds await something outside."""
        return sum(runtime.mind.suspends for runtime in self.runtimes)

    def _unfit(self, seat: Seat) -> str:
        return f"mind {self.spec.seats[seat].called!r} does not fit seat {seat!r} of {self.spec.scenario!r}"

    def _check_arm(self, setup: Setup) -> None:
        """Raises a :class:`~otherminds.core.errors.StudyError` for an arm that does not exist, or not with these seats."""
        check_intervention(self.spec.arm)
        seats = len(setup.participants), len(setup.partners or ())
        if self.spec.arm != NONE and seats != (1, 1):
            raise StudyError(
                f"arm {self.spec.arm!r} is for one mind and one partner; {self.scenario.id!r} has {seats[0]} and {seats[1]} here"
            )

    def _post_notices(self) -> NoticeBoard:
        runtimes = {runtime.seat: runtime for runtime in self.runtimes}
        ((about, entry),) = self.partners.items()
        (mine,) = runtimes.keys() - {about}
        spec = self.spec
        return NoticeBoard(
            spec.arm, spec.seed, runtimes[mine], runtimes[about], entry, self.world, self.questions
        )

    def _fill(self, setup: Setup) -> tuple[dict[Seat, Mind], dict[Seat, Partner]]:
        everyone: dict[Seat, Mind] = {}
        partners: dict[Seat, Partner] = {}
        for seat in self.seats:
            if seat in setup.participants:
                everyone[seat] = setup.participants[seat].sit(self.scenario)
            else:
                met = self.spec.seats[seat]
                everyone[seat], partners[seat] = self.scenario.partner(met, seat)
                if self.spec.arm == SWAP:
                    after, entry = self.scenario.partner(
                        find_successor(self.scenario, self.spec.seed, met), seat
                    )
                    names = partners[seat].name, entry.name
                    everyone[seat] = ExchangedPartner(everyone[seat], after, names, self.world)
        return everyone, partners

    def _grants(self, seat: Seat, mind: Mind) -> dict[str, Any]:
        """The values of the privileges that the spec declares for ``seat``."""
        declared = self.spec.grants.get(seat, ())
        missing = mind.grants.difference(declared)
        if missing:
            raise StudyError(
                f"the mind in seat {seat!r} needs the grants {sorted(missing)}, which the episode does not declare"
            )
        values: dict[str, Any] = {}
        scenario = self.scenario
        for grant in declared:
            if grant == "payoffs":
                if scenario.game is not None:  # a world without a game has no payoffs
                    values["game"] = scenario.game if seat == self.seats[0] else scenario.game.flipped()
            elif grant in scenario.priors:
                values["partners"] = scenario.priors[grant]()
            elif grant == "next_action":
                pass  # honoured by the loop, step by step
            elif grant in scenario.grants:
                values |= _with(values, grant, scenario.grants[grant](seat))
            elif grant == "policy":
                policies = self._policies(seat)
                values |= {"partners": policies["partners"]} | _with(values, "secrets", policies["secrets"])
            else:
                who = self.spec.seats[seat].called
                raise StudyError(
                    f"scenario {scenario.id!r} has no grant {grant!r}, which is given to {who!r}"
                )
        return values

    def _policies(self, seat: Seat) -> dict[str, Any]:
        """The policies of the others: as automata, or by name where they have none."""
        others = {other: partner for other, partner in self.partners.items() if other != seat}
        several = len(others) > 1
        return {
            "partners": tuple(
                WeightedPolicy(1.0, partner.automaton, other if several else "")
                for other, partner in others.items()
                if partner.automaton is not None
            ),
            "secrets": tuple(
                f"{other} is {partner.name}" for other, partner in others.items() if partner.automaton is None
            ),
        }

    def _oracle(self) -> SeatRuntime | None:
        """The seat that is granted ``next_action``, if any: it decides last."""
        granted = [r for r in self.runtimes if "next_action" in self.spec.grants.get(r.seat, ())]
        if not granted:
            return None
        if len(granted) > 1:
            raise StudyError("two seats are granted 'next_action'; only one can decide last")
        (last,) = granted
        if any(
            seat != last.seat and getattr(self.world.action_space(seat), "n", 0) != len(behaviours)
            for seat, behaviours in last.brief.behaviours.items()
        ):
            raise StudyError(
                f"scenario {self.scenario.id!r} has no grant 'next_action': its actions are not behaviours"
            )
        return last


def _with(values: dict[str, Any], grant: str, value: Any) -> dict[str, Any]:
    """``value`` under the name of its grant; secrets of several grants are joined."""
    return {grant: (*values.get(grant, ()), *value) if grant == "secrets" else value}


Put = tuple[int, int, "Answer | Invalid"]
"""A question that was put: the step, its index in ``EpisodeState.questions``, the answer."""


class Played:
    """What was played so far; ``actions`` and ``rewards`` have a row for each step, in the order of seats."""

    def __init__(self) -> None:
        self.actions: list[tuple[Action, ...]] = []
        self.rewards: list[tuple[float, ...]] = []
        self.put: list[Put] = []
        self.choices: list[Choice] = []
        self.outcome = Outcome()


EXCHANGE = "the partner was exchanged, so that no one policy was met"


def record(state: EpisodeState, played: Played) -> Record:
    """The record of what was played."""
    calls: list[Call] = []
    notes: list[Note] = []
    for runtime in state.runtimes:
        if runtime.context.calls:
            calls += pack(runtime.seat, runtime.context.calls, len(calls))
        notes += [Note(runtime.seat, step, kind, data) for step, kind, data in runtime.context.notes]
    met = {seat: state.spec.seats[seat] for seat in state.partners}
    caution = state.scenario.caution
    bounds = state.scenario.bounds(met) if state.scenario.bounds else None
    if bounds is not None and state.spec.arm == SWAP:
        bounds = msgspec.structs.replace(bounds, informed=None, best=None, blind=None, reason=EXCHANGE)
    return Record(
        spec=state.spec,
        seats=state.seats,
        drawn=state.drawn,
        game=state.scenario.game,
        partners=state.partners,
        bounds=bounds,
        actions=played.actions,
        rewards=played.rewards,
        met={runtime.seat: tuple(runtime.met) for runtime in state.runtimes},
        questions=state.questions,
        asked=_asked(state, played.put),
        choices=tuple(played.choices),
        calls=tuple(calls),
        notes=tuple(notes),
        facts=state.world.facts() | ({CAUTION: caution} if caution else {}),
        outcome=played.outcome,
    )


def timing(calls: Sequence[CallMade], seconds: float) -> Timing:
    """The wall-clock figures of ``calls`` that were made within ``seconds``."""
    replies = [call.completion or call.scores for call in calls]
    cached = sum(reply.usage.cached for reply in replies if reply)
    return Timing(seconds, [round(call.seconds, 6) for call in calls], cached)


def _asked(state: EpisodeState, answers: list[Put]) -> tuple[Asked, ...]:
    """The answers with the true ones: by the world, or another seat's own answer where the question is about that."""
    questions, truth = state.questions, state.world.truth
    asked: list[Asked] = []
    for step, i, answer in answers:
        question = questions[i]
        true = (
            _answer_to(question.truth_is, state, answers, step)
            if question.truth_is
            else truth(question, step)
        )
        asked.append(
            Asked(step, i, None, true, answer)
            if answer.__class__ is Invalid
            else Asked(step, i, answer, true)
        )
    return tuple(asked)


def _answer_to(question: str, state: EpisodeState, answers: list[Put], step: int) -> Answer:
    """The answer to the question with this id at ``step``; ``None`` where there is none."""
    for at, j, answer in reversed(answers):
        if at == step and state.questions[j].id == question:
            return None if isinstance(answer, Invalid) else answer
    return None


T = TypeVar("T")


async def play(setup: Setup) -> tuple[Record, Timing]:
    """Plays the episode of ``setup``.

    An error of a provider, a reply, the world or a task ends the episode and is recorded; an
    error of the study is raised.

    Raises:
        StudyError: a mind does not fit its seat, or lacks a grant or a model.
    """
    started = perf_counter()
    state = EpisodeState(setup)
    episode = _Episode(state)
    try:
        await episode.run()
    except (ProviderError, ReplyError, WorldError, TaskError) as error:
        episode.outcome = Outcome("failed", error.blame, str(error), state.now.step, error.seat)
    if episode.outcome.status != "failed":
        episode.outcome = find_substitute(state) or episode.outcome
    calls = [call for runtime in state.runtimes for call in runtime.context.calls]
    return record(state, episode), timing(calls, perf_counter() - started)


def find_substitute(state: EpisodeState) -> Outcome | None:
    """The outcome of an episode in which somebody else replied in place of a model: it is no episode of that model."""
    replaced = [
        (call.step, runtime.seat, call.completion.reasoning)
        for runtime in state.runtimes
        for call in runtime.context.calls
        if call.completion is not None and call.completion.finish == SUBSTITUTE
    ]
    if not replaced:
        return None
    step, seat, reason = min(replaced)
    return Outcome("failed", SUBSTITUTE, f"{reason} from step {step}", step, seat)


def play_now(setup: Setup) -> tuple[Record, Timing]:
    """As :func:`play`, without an event loop, for minds that await nothing."""
    return finish(play(setup))


def finish(waiting: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that awaits nothing.

    Raises:
        InternalError: it does.
    """
    try:
        waiting.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    waiting.close()
    raise InternalError("a mind waited for something outside; set `suspends = True` on its class")


class _Episode(Played):
    """One run of the loop."""

    def __init__(self, state: EpisodeState) -> None:
        super().__init__()
        self.state = state

    async def run(self) -> None:
        """Plays to the end, or until an invalid reply has no fallback."""
        state = self.state
        world, runtimes, now = state.world, state.runtimes, state.now
        prepares, after = bool(state.before) or state.board is not None, state.after
        together = state.suspending > 1
        jointly = together or state.oracle is not None
        pick = _row(state.seats)
        # Bound once: these are most of the attribute look-ups of a step.
        perceiving = [(r, r.seat, r.perceive, r.met.extend) for r in runtimes]
        acting = [(i, r, r.seat, r.act) for i, r in enumerate(runtimes)]
        add_actions, add_rewards = self.actions.append, self.rewards.append
        observations = state.observations
        infos = await self._exchange_messages(together) if world.talks else state.infos
        rewards: dict[Seat, float] = dict.fromkeys(state.seats, 0.0)
        step, last = 0, False
        while True:
            now.step = step
            for runtime, seat, perceive, add_met in perceiving:
                info = infos[seat]
                encounters = info.get("encounters", ())
                runtime.moment = moment = Moment(
                    step, observations[seat], rewards[seat], encounters, None, info.get("told", ()), last
                )
                if encounters:
                    add_met(encounters)
                if runtime.controller is not None or runtime.ended is not None:
                    runtime.moment = moment = _advance(runtime, moment)
                if not together:
                    await perceive(moment)
            if together:
                await side_by_side(runtime.perceive(runtime.moment) for runtime in runtimes)
            if last:
                break
            if prepares:
                await self._prepare(step)
            actions: dict[Seat, Action] = {}
            decisions = await self._decide(together) if jointly else None
            for i, runtime, seat, act in acting:
                if runtime.controller is not None:
                    actions[seat] = runtime.pending
                    continue
                action = decisions[i] if decisions is not None else await act()
                if action.__class__ is not int:
                    action = self._primitive(runtime, action)
                    if action is None:
                        return
                actions[seat] = action
            if after:
                await self._ask(after, step)
            observations, rewards, _, _, infos = world.step(actions)
            add_actions(tuple(actions.values()))
            add_rewards(pick(rewards))
            last = not world.agents
            step += 1
        await self._ask(state.closing, step)

    async def _prepare(self, step: int) -> None:
        """What precedes the acts: the questions that are due, and what an intervention shows."""
        await self._ask(self.state.before, step)
        board = self.state.board
        if board is not None and board.reader.controller is None:
            board.post(self.put)

    async def _exchange_messages(self, together: bool) -> dict[Seat, dict[str, Any]]:
        """The infos of the first step, with the messages of all seats; a seat receives its own message too."""
        runtimes = self.state.runtimes
        messages = [runtime.name_seat(runtime.mind.message) for runtime in runtimes]
        texts = (
            await side_by_side(message() for message in messages)
            if together
            else [await message() for message in messages]
        )
        sent: list[ReceivedMessage] = []
        for runtime, text in zip(runtimes, texts, strict=True):
            if text:
                runtime.context.note("message", text)
                sent.append(ReceivedMessage(runtime.seat, text))
        return {
            seat: {**info, "told": (*info.get("told", ()), *sent)} for seat, info in self.state.infos.items()
        }

    async def _ask(self, probes: list[DueProbe], step: int) -> None:
        """Puts the questions that are due; if one of them fails, none of them counts as put."""
        answers: list[Put] = []
        for i, question, due, runtime, answer in probes:
            if due is None or due(runtime.moment):
                answers.append((step, i, await answer(question)))
        self.put += answers

    async def _decide(self, together: bool) -> list[Any]:
        """The decisions of all seats without a running skill; a seat granted ``next_action`` decides last."""
        oracle = self.state.oracle
        free = [runtime for runtime in self.state.runtimes if runtime.controller is None]
        first = [runtime for runtime in free if runtime is not oracle]
        waiting = (
            await side_by_side(runtime.act() for runtime in first)
            if together
            else [await runtime.act() for runtime in first]
        )
        decisions = {runtime.seat: decision for runtime, decision in zip(first, waiting, strict=True)}
        if oracle is not None and oracle.controller is None:
            behaviours = oracle.brief.behaviours
            # An invalid action is reported by the world, once the step is taken.
            oracle.context.foreseen = {
                seat: behaviours[seat][int(decision)]
                for seat, decision in decisions.items()
                if isinstance(decision, Integral) and 0 <= int(decision) < len(behaviours[seat])
            }
            decisions[oracle.seat] = await oracle.act()
        return [decisions.get(runtime.seat) for runtime in self.state.runtimes]

    def _primitive(self, runtime: SeatRuntime, decision: Any) -> Action | None:
        """The action for a decision that may be a skill or invalid; ``None`` stops the episode."""
        state = self.state
        if isinstance(decision, SkillChoice):
            self.choices.append(Choice(state.now.step, runtime.seat, decision))
            skill = state.scenario.skills.get(decision.name)
            if skill is None:
                raise _refuse(runtime, f"scenario {state.scenario.id!r} has no skill {decision.name!r}")
            rng = stream(state.spec.seed, "skill", runtime.seat, state.now.step)
            runtime.controller, runtime.doing = skill(runtime.brief, rng, *decision.args), decision
            out = runtime.controller(runtime.moment)
            if not isinstance(out, Ended):
                runtime.pending = out
                return out
            runtime.controller, runtime.ended = None, out
            return self._fallback(runtime, f"skill {decision.name!r} ended at once: {out.why}")
        if isinstance(decision, Invalid):
            self.choices.append(Choice(state.now.step, runtime.seat, decision))
            return self._fallback(runtime, decision.reason, decision.cause)
        if decision is None:
            raise _refuse(runtime, f"the mind in seat {runtime.seat!r} returned None instead of an action")
        return decision

    def _fallback(self, runtime: SeatRuntime, reason: str, cause: Cause = "reply") -> Action | None:
        action = self.state.world.fallback(runtime.seat)
        if action is None:
            status, blame = STOPPED[cause]
            self.outcome = Outcome(
                status, blame, f"{runtime.seat}: {reason}", self.state.now.step, runtime.seat
            )
        return action


def _refuse(runtime: SeatRuntime, text: str) -> WorldError:
    error = WorldError(text)
    error.seat = runtime.seat
    return error


def _advance(runtime: SeatRuntime, moment: Moment) -> Moment:
    """Passes the moment to a running skill; if it ends, the moment says how."""
    ended, runtime.ended = runtime.ended, None
    if runtime.controller is not None:
        out = runtime.controller(moment)
        if isinstance(out, Ended):
            runtime.controller, ended = None, out
        else:
            runtime.pending = out
    if ended is None:
        return moment
    return msgspec.structs.replace(moment, ended=msgspec.structs.replace(ended, made=runtime.doing))


def _row(seats: tuple[Seat, ...]) -> Callable[[dict[Seat, float]], tuple[float, ...]]:
    """Returns a function from a mapping to its values in the order of ``seats``."""
    if len(seats) == 1:
        only = seats[0]
        return lambda values: (values[only],)
    return cast("Callable[[dict[Seat, float]], tuple[float, ...]]", itemgetter(*seats))
