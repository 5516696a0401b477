"""The checks of the conformance kit on minds, and minds that wrap another mind to observe it, delay it or ask it more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from otherminds.core.contracts import Mind, MindContext, Probe
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, Seat, SkillChoice, When
from otherminds.core.errors import InternalError
from otherminds.core.model import Model
from otherminds.core.record import Record, Timing
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.play.loop import play
from otherminds.testing.compare import (
    FAULTS,
    alike,
    encode_brief,
    find_changes,
    form,
    keeping,
    member,
    promise,
    snapshot,
)
from otherminds.testing.episodes import RecordPromises, body, deeds, pair_answers, played, same


class Around(Mind):
    """Delegates everything to the inner mind."""

    def __init__(self, inner: Mind) -> None:
        self.inner = inner
        self.grants = inner.grants
        self.suspends = inner.suspends
        self.answers = inner.answers

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self.inner.suits(brief, context)

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.brief = brief
        self.context = context
        self.inner.begin(brief, context)

    async def message(self) -> str:
        return await self.inner.message()

    async def perceive(self, moment: Moment) -> None:
        await self.inner.perceive(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        return await self.inner.act()

    async def answer(self, question: Question) -> Answer | Invalid:
        return await self.inner.answer(question)


class Yielding(Around):
    """Yields to other tasks at every turn, so that concurrent episodes interleave."""

    def __init__(self, inner: Mind) -> None:
        super().__init__(inner)
        self.suspends = True

    async def perceive(self, moment: Moment) -> None:
        await asyncio.sleep(0)
        await self.inner.perceive(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        await asyncio.sleep(0)
        return await self.inner.act()


class Inquisitive(Around):
    """Asks each due question one to three more times."""

    def __init__(self, inner: Mind, probes: tuple[Probe, ...]) -> None:
        super().__init__(inner)
        self.probes = probes

    async def perceive(self, moment: Moment) -> None:
        self.moment = moment
        await self.inner.perceive(moment)
        await self._ask("end" if moment.last else "before")

    async def act(self) -> Action | SkillChoice | Invalid:
        choice = await self.inner.act()
        await self._ask("after")
        return choice

    async def _ask(self, when: When) -> None:
        if not self.answers:
            return
        for probe in self.probes:
            question = probe.question
            is_due = probe.due is None or probe.due(self.moment)
            if question.seat == self.brief.seat and question.when == when and is_due:
                for _ in range(1 + self.moment.step % 3):
                    await self.inner.answer(question)


class Examined(Around):
    """Compares the mind's complete state before and after each answer."""

    async def answer(self, question: Question) -> Answer | Invalid:
        before = snapshot(self.inner)
        answer = await self.inner.answer(question)
        wrote = find_changes(before, snapshot(self.inner))
        promise(
            not wrote,
            f"answering {question.id!r} at step {self.context.step} writes nothing",
            f"it changed {', '.join(wrote[:5])}",
        )
        return answer


class Lawful(Around):
    """Demands that every action of the mind is legal."""

    async def act(self) -> Action | SkillChoice | Invalid:
        choice = await self.inner.act()
        brief = self.brief
        chosen = (
            choice.name in brief.skills
            if isinstance(choice, SkillChoice)
            else member(brief.action_space, choice)
        )
        promise(
            isinstance(choice, Invalid) or chosen,
            f"an action is in {brief.action_space}, a skill of {brief.skills}, or Invalid",
            f"at step {self.context.step} the mind in seat {brief.seat!r} made {choice!r}",
        )
        return choice


class Listening(Around):
    """Keeps the brief and the moments of the mind, and their form at the time."""

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.moments: list[Moment] = []
        self._briefed = encode_brief(brief)
        self._heard: list[bytes] = []
        super().begin(brief, context)

    async def perceive(self, moment: Moment) -> None:
        self.moments.append(moment)
        self._heard.append(form(moment))
        await self.inner.perceive(moment)

    def demand_untouched(self) -> None:
        """Raises ``AssertionError`` if the brief or a moment was changed."""
        untouched = encode_brief(self.brief) == self._briefed
        promise(untouched, "a mind leaves its brief as it was given", "it changed it")
        for moment, was in zip(self.moments, self._heard, strict=True):
            now = form(moment)
            if now != was:
                promised = f"a mind leaves the moment of step {moment.step} as it was given"
                promise(False, promised, f"{was.decode()} became {now.decode()}")


Wrapper: TypeAlias = Callable[[Mind, Scenario], Mind]
"""Puts a mind under test inside another one, in the scenario that it plays."""


class MindConformance(RecordPromises):
    """Inherit this in a test class; write :meth:`make_mind` and :meth:`make_scenario`.

    A mind that needs a language model writes :meth:`make_models` too: a model that answers by the
    seed of each call is enough.

    Attributes:
        seeds: The seeds of the episodes. They meet the population's members in the order of its schedule.
        told: Names of grants under which a world's briefs hold something without the grant, such as a
            seat's own ``secrets``.
    """

    seeds: tuple[int, ...] = (0, 1, 2, 3)
    draws = "the mind"
    told: frozenset[str] = frozenset()

    def make_mind(self) -> Mind:
        """A fresh mind."""
        raise NotImplementedError(f"{type(self).__name__} must write make_mind()")

    def make_scenario(self) -> Scenario:
        """Where it plays: a short scenario with probes."""
        raise NotImplementedError(f"{type(self).__name__} must write make_scenario()")

    def make_models(self) -> Mapping[Seat, Model]:
        """A fresh language model for each seat whose mind needs one."""
        return {}

    def setup(self, seed: int, around: Wrapper = lambda mind, scenario: mind, ask: bool = True) -> Setup:
        """The episode of ``seed``: fresh minds under test, each inside what ``around`` makes of it."""
        scenario = self.make_scenario()
        models = self.make_models()
        minds = {
            seat: Participant(around(self.make_mind(), scenario), models.get(seat)) for seat in scenario.focal
        }
        return Setup(scenario, minds, seed, ask=ask)

    def episode(self, seed: int, around: Wrapper = lambda mind, scenario: mind, ask: bool = True) -> Record:
        """The record of :meth:`setup`."""
        return played(self.setup(seed, around, ask))

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        return [play(self.setup(seed, lambda mind, scenario: Yielding(mind))) for seed in seeds]

    def perishable(self, record: Record) -> str:
        return f"some of its notes {record.notes} or answers {record.asked}"

    def test_begin_forgets(self) -> None:
        """A mind used again, after other episodes, plays as a fresh one."""
        veterans = {seat: Around(self.make_mind()) for seat in self.make_scenario().focal}
        for seed in (*self.seeds, self.seeds[0]):
            fresh = self.setup(seed)
            minds = {seat: Participant(veterans[seat], who.model) for seat, who in fresh.participants.items()}
            again = played(replace(fresh, minds=minds))
            same(self.once(seed), again, f"seed {seed} gives the same record with a mind that is used again")

    def test_asking_never_changes_acting(self) -> None:
        """With questions, without, and with each asked more often: equal actions and rewards."""
        for seed in self.seeds:
            with_questions = self.once(seed)
            unasked = self.episode(seed, ask=False)
            promised = f"under seed {seed} a mind acts alike with and without questions"
            alike(deeds(with_questions), deeds(unasked), promised, "what it did differs")
            pressed = self.episode(seed, partial(_inquisitive, seed=seed))
            promised = f"under seed {seed} a mind acts alike when each question is asked more often"
            alike(deeds(with_questions), deeds(pressed), promised, "what it did differs")
            promised = f"under seed {seed} a mind answers alike when each question is asked more often"
            alike(_answers(with_questions), _answers(pressed), promised, "what it said differs")

    def test_answers_write_nothing(self) -> None:
        """``answer`` leaves the mind's state, its random stream and its notes as they were."""
        for seed in self.seeds:
            record = self.episode(seed, lambda mind, scenario: Examined(mind))
            shows = bool(record.asked) or not self.make_mind().answers
            happened = f"under seed {seed} it asked none, so the check shows nothing"
            promise(shows, "the scenario of a mind's tests asks questions", happened)

    def test_answers_are_options(self) -> None:
        """An answer is one of the question's options, or ``Invalid``."""
        for seed in self.seeds:
            for answer, question in pair_answers(self.once(seed)):
                options = question.options
                promise(
                    isinstance(answer.invalid, Invalid) or not options or answer.answer in options,
                    f"the answer to {question.id!r} is one of {options}, or Invalid",
                    f"at step {answer.step} it was {answer.answer!r}",
                )

    def test_actions_are_legal(self) -> None:
        """What a mind does is in its action space, a skill of its brief, or ``Invalid``; no episode fails."""
        for seed in self.seeds:
            ended = self.episode(seed, lambda mind, scenario: Lawful(mind)).outcome
            promised = f"a legal mind's episode under seed {seed} does not fail"
            promise(ended.status != "failed", promised, f"{ended.blame}: {ended.reason}")

    def test_moments_are_left_alone(self) -> None:
        """A mind changes nothing in its brief or in a moment, when it hears it or later."""
        for seed in self.seeds:
            setup = self.setup(seed, lambda mind, scenario: Listening(mind))
            played(setup)
            for participant in setup.participants.values():
                assert isinstance(participant.mind, Listening)
                participant.mind.demand_untouched()

    def test_declared_grants_suffice(self) -> None:
        """A mind plays with the grants that it declares, and its brief holds no others."""
        for seed in self.seeds:
            declared = sorted(self.make_mind().grants)
            with keeping(f"a mind plays with its declared grants {declared} alone", *FAULTS):
                self.episode(seed, partial(_Ungranted, disclosed=self.told))

    def test_undeclared_grants_are_not_used(self) -> None:
        """Privileges that a mind does not declare change nothing for it."""
        scenario = self.make_scenario()
        for seed in self.seeds:
            plain = self.once(seed)
            for grant in self._list_undeclared(scenario):
                setup = self.setup(seed)
                grants = {seat: (*sorted(who.mind.grants), grant) for seat, who in setup.participants.items()}
                favoured = played(replace(setup, grants=grants))
                promised = f"a mind that does not declare the grant {grant!r} does not use it"
                alike(body(plain), body(favoured), promised, "with it the record differs")

    def test_waits_only_if_it_says_so(self) -> None:
        """A mind whose ``suspends`` is false never waits for anything outside."""
        with keeping("`suspends` tells whether a mind waits", InternalError):
            self.once(self.seeds[0])

    def _list_undeclared(self, scenario: Scenario) -> Iterator[str]:
        """The grants that the scenario has and the mind does not declare.

        Only one can say who the partner is, so a mind that declares one such is given no other.
        """
        declared = self.make_mind().grants
        partners = {*scenario.priors, "policy"}
        if scenario.game is not None and "payoffs" not in declared:
            yield "payoffs"
        if not declared & partners:
            yield from sorted(partners)
        yield from sorted(set(scenario.grants) - declared)


def _inquisitive(mind: Mind, scenario: Scenario, seed: int) -> Mind:
    return Inquisitive(mind, scenario.probes_for(scenario.drawn(seed)))


def _answers(record: Record) -> list[object]:
    return [(answer.step, answer.question, answer.answer, answer.invalid) for answer in record.asked]


class _Ungranted(Around):
    """Demands that the brief holds nothing that the mind does not declare, but what the world tells anyway."""

    def __init__(self, inner: Mind, scenario: Scenario, disclosed: frozenset[str]) -> None:
        super().__init__(inner)
        self.scenario = scenario
        self.told = disclosed

    def begin(self, brief: Brief, context: MindContext) -> None:
        privileges = {"payoffs": brief.game, "partners": brief.partners}
        privileges |= {grant: getattr(brief, grant, None) for grant in self.scenario.grants}
        declared = {*self.grants, *self.told}
        if declared & {*self.scenario.priors, "policy"}:
            declared.add("partners")
        for grant, value in privileges.items():
            promise(
                grant in declared or not value,
                f"without the grant {grant!r} a brief does not hold it",
                f"that of {brief.seat!r} holds {value!r}",
            )
        super().begin(brief, context)
