"""Interventions: a mind is told something before it acts, or its partner is exchanged, to see whether knowledge moves acts.

A verdict says that words and acts agree. Whether words move acts shows when the words are changed from outside: SimpleToM
(Gu et al. 2024) shows a model its own prediction before it acts. An *arm* is an episode under one intervention, the arm
``none`` the same episode without any: equal seeds, partners and labels, so that arms are compared pair by pair
(:mod:`otherminds.measures.interventions`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import to_builtins
from msgspec.structs import replace

from otherminds.core.contracts import Mind, MindContext, Probe
from otherminds.core.data import (
    EXCHANGED,
    HELPER,
    SHOWN,
    Action,
    Answer,
    Behaviour,
    Brief,
    Exchange,
    Invalid,
    Moment,
    Notice,
    Partner,
    Question,
    Seat,
    SkillChoice,
)
from otherminds.core.encoding import stream
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario, World
from otherminds.core.text import hint, quote_name
from otherminds.play.seat_context import SeatRuntime

NONE = "none"
BELIEF, TYPE, PREDICTION = "grant_belief", "grant_type", "grant_prediction"
REMIND, OWN, ADVICE, SWAP = "remind", "inject_own", "inject_advice", "swap"
INTERVENTIONS: Mapping[str, str] = {
    NONE: "nothing is changed; the other arms are compared with it",
    BELIEF: "the mind is told what its partner believes",
    TYPE: "the mind is told its partner's policy",
    PREDICTION: "the mind is told what its partner will do next",
    REMIND: "the mind is asked for its prediction before it acts, and is shown it",
    OWN: "the mind is shown a false prediction as its own",
    ADVICE: "the mind is shown a false prediction as advice",
    SWAP: "another partner from the population comes after half of the episode",
}
"""The arms, and what happens in each."""
FALSE = (OWN, ADVICE)
"""The arms that show a false prediction."""
CALLED = "it follows the policy called {name}"
"""A policy that nothing else describes."""
NAMES_ACT = (PREDICTION, *FALSE)
"""The arms that need the partner's next act, to tell it or to avoid it."""


def check_intervention(name: str) -> None:
    """Raises a :class:`~otherminds.core.errors.StudyError` unless ``name`` is an arm."""
    if name not in INTERVENTIONS:
        listed = ", ".join(INTERVENTIONS)
        raise StudyError(
            f"no intervention is called {quote_name(name)}{hint(name, INTERVENTIONS, f'choose from {listed}')}"
        )


def likeliest(chances: Mapping[Behaviour, float]) -> Behaviour:
    """The behaviour with the largest chance, the first of several."""
    return max(chances, key=lambda behaviour: chances[behaviour])


def false_prediction(
    seed: int, encounter: int, behaviours: Sequence[Behaviour], coming: Behaviour
) -> Behaviour | None:
    """The behaviour that is shown in place of the ``coming`` one: any other, drawn for each encounter of an episode.

    ``encounter`` counts from 0. ``None`` where there is no other. The draw is the same in every arm, so that the arm
    ``none`` tells how often a mind does by chance what a false prediction would suggest.
    """
    others = [behaviour for behaviour in behaviours if behaviour != coming]
    return stream(seed, "false prediction", encounter).choice(others) if others else None


def predicts(question: Question, about: Seat) -> bool:
    """Whether ``question`` asks what the seat ``about`` does next."""
    asks_report = question.truth_is or question.supposed or question.id.startswith(HELPER)
    return question.about == about and question.when != "end" and not asks_report


def ask_first(probes: Sequence[Probe], about: Seat) -> tuple[Probe, ...]:
    """``probes`` with the predictions about ``about`` asked before the act."""
    return tuple(
        replace(probe, question=replace(probe.question, when="before"))
        if predicts(probe.question, about)
        else probe
        for probe in probes
    )


class NoticeBoard:
    """Shows one mind before each act what its arm prescribes: ``context.notice``, and a note in the record.

    ``reader`` is the seat of the mind, ``told_of`` that of its partner, whose ``entry`` is in the record. ``questions`` are
    those of the episode.

    Raises:
        StudyError: the mind, its partner or the world lacks what the arm needs.
    """

    def __init__(
        self,
        arm: str,
        seed: int,
        reader: SeatRuntime,
        told_of: SeatRuntime,
        entry: Partner,
        world: World,
        questions: Sequence[Question],
    ) -> None:
        self.reader = reader
        self._arm, self._seed, self._world = arm, seed, world
        self._partner, self._about, self._entry = told_of.mind, told_of.seat, entry
        self._behaviours = told_of.brief.behaviours.get(told_of.seat, ())
        self._asked = frozenset(
            i
            for i, question in enumerate(questions)
            if question.seat == reader.seat and predicts(question, told_of.seat)
        )
        if (reason := self._obstacle()) is not None:
            raise StudyError(f"arm {arm!r}: {reason}")

    def post(self, answers: Sequence[tuple[int, int, Answer | Invalid]]) -> None:
        """Shows what is due now; ``answers`` are (step, index of the question, answer) of all questions so far."""
        context = self.reader.context
        context.notice = notice = self._write(answers)
        if notice is not None:
            context.note(SHOWN, to_builtins(replace(notice, policy=None)))

    def _write(self, answers: Sequence[tuple[int, int, Answer | Invalid]]) -> Notice | None:
        arm, about = self._arm, self._about
        if arm == TYPE:
            text = getattr(self._partner, "policy_in_words", "") or CALLED.format(name=self._entry.name)
            return Notice(arm, about, text=text, policy=self._entry.automaton)
        if arm == BELIEF:
            belief = self._world.belief(about)
            return Notice(arm, about, text=belief) if belief else None
        if arm == REMIND:
            own = next((answer for _, i, answer in reversed(answers) if i in self._asked), None)
            return None if own is None or isinstance(own, Invalid) else Notice(arm, about, own)
        chances = self._partner.intends()
        if not chances:
            return None
        behaviour: Behaviour | None = likeliest(chances)
        if arm in FALSE:
            behaviour = false_prediction(self._seed, len(self.reader.met), self._behaviours, behaviour)
        return None if behaviour is None else Notice(arm, about, behaviour)

    def _obstacle(self) -> str | None:
        """Why this mind, partner or world cannot be played in the arm."""
        arm, mind = self._arm, self.reader.mind
        if arm == REMIND:
            return None if self._asked else "this mind is asked for no prediction that it could be shown"
        if not getattr(mind, "notices", False):
            return (
                f"{type(mind).__name__} does not read what it is shown (Mind.notices); "
                f"play it in {REMIND} or {SWAP}, or choose a language model or 'simulated'"
            )
        if arm == BELIEF and type(self._world).belief is World.belief:
            return f"the world {type(self._world).__name__} does not say what a seat believes (World.belief)"
        if arm in NAMES_ACT and getattr(type(self._partner), "intends", Mind.intends) is Mind.intends:
            return f"the partner {self._entry.name!r} does not say what it will do (Mind.intends)"
        return None


def find_successor(scenario: Scenario, seed: int, met: SeatSpec) -> SeatSpec:
    """The partner that takes the place of ``met`` in the episode of ``seed``: the others of the population in turn.

    Raises:
        StudyError: the population has no other.
    """
    population = scenario.population
    members = population.members if isinstance(population, Population) else ()
    others = [partners[0] for _, partners in members if partners[0] != met]
    if not others:
        raise StudyError(f"arm {SWAP!r}: the population of {scenario.id!r} has no partner but {met.called!r}")
    meeting = population.meeting(seed)
    return others[(meeting.cycle * meeting.times + meeting.before) % len(others)]


class ExchangedPartner(Mind):
    """Plays as ``first`` up to half of the shortest episode, then as ``second``, which begins anew.

    The second learns nothing of what happened before. ``entry`` is that of both in a record.
    """

    answers = False

    def __init__(self, first: Mind, second: Mind, names: tuple[str, str], world: World) -> None:
        self.grants = first.grants | second.grants
        self.entry = Partner(", then ".join(names))
        self._first, self._second, self._names, self._world = first, second, names, world

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self._first.suits(brief, context) or self._second.suits(brief, context)

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._brief, self._context, self._playing = brief, context, self._first
        self._step = self._world.midway
        context.note(EXCHANGED, to_builtins(Exchange(*self._names, self._step)))
        self._first.begin(brief, context)

    async def perceive(self, moment: Moment) -> None:
        if self._playing is self._first and moment.step >= self._step:
            self._playing = self._second
            self._second.begin(self._brief, self._context)
            moment = replace(moment, encounters=(), ended=None)
        await self._playing.perceive(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        return await self._playing.act()

    async def answer(self, question: Question) -> Answer | Invalid:
        return await self._playing.answer(question)

    def intends(self) -> Mapping[Behaviour, float]:
        return self._playing.intends()
