"""Minds that wrap another mind to observe it, to delay it or to ask it more questions."""

from __future__ import annotations

import asyncio

from otherminds.core.contracts import Mind, MindContext, Probe
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice, When
from otherminds.testing.compare import form, promise
from otherminds.testing.snapshot import find_changes, snapshot
from otherminds.testing.transcripts import encode_brief, member


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
