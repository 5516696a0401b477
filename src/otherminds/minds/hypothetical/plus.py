"""``bayesian`` with a language model that writes further hypotheses as programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean
from typing import Any

import msgspec
import numpy as np

from otherminds.core.contracts import MindContext, Scaffold
from otherminds.core.data import Behaviour, Brief, Encounter, Game, Invalid, Moment, Seat
from otherminds.core.errors import StudyError
from otherminds.games.automata import Predictor
from otherminds.games.expressions import BehaviourNames, ParseError, Program, examples, program, reference
from otherminds.games.filtering import Filter, PredictorTables
from otherminds.minds.bayesian import Bayesian, share
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.forms import Field, Form, text
from otherminds.minds.hypothetical.mind import MAX_TOKENS, TEMPERATURE, TOP_P
from otherminds.minds.hypothetical.prompting import Lines, ask
from otherminds.minds.hypothetical.working import (
    Acquaintance,
    Credit,
    PipelineSettings,
    Working,
    scaffold_of,
    why_unscaffolded,
)
from otherminds.minds.language.requests import template_sampling
from otherminds.minds.registry import minds

RECENT = 8
"""Encounters over which the fit of the belief is measured."""
SHOWN = 5
"""Hypotheses that a prompt shows."""
SURE = 0.9
"""From this probability on, the model is not asked what a partner did."""
TRIAL_SHARE = 0.1
"""The least share of the belief of a new program that predicts the last encounters better."""


@dataclass
class Author:
    """The programs written about one partner, and when to ask for the next.

    ``wait`` encounters pass between two questions, at first ``every``; each question
    doubles that until the belief fits again, so that a partner without a pattern costs few calls.
    """

    every: int
    wait: int
    waited: int = 0
    texts: set[str] = field(default_factory=set[str])

    def due(self, belief: Filter) -> bool:
        """Whether to ask for a hypothesis, after one more encounter.

        True where the belief predicts worse than half-way (in bits) between guessing and
        knowing. One surprise for a certain belief suffices.
        """
        self.waited += 1
        if belief.fit(RECENT) >= belief.theirs**-0.5:
            self.wait = self.every
            return False
        if self.waited < self.wait:
            return False
        self.waited, self.wait = 0, 2 * self.wait
        return True


@minds.register("hypothetical_plus")
class HypotheticalPlus(Bayesian):
    """As ``bayesian``; where its library does not explain a partner, a model adds hypotheses.

    Each is a sentence and a program in the language of :mod:`otherminds.games.expressions`,
    replayed over the whole history and weighted by its length and its fit, like those of
    the library (:func:`admit`). The model also infers what a partner did where reward and
    belief leave several possibilities. Without a usable reply this is ``bayesian``.

    ``every``: the least number of encounters between two questions for a hypothesis;
    ``tries`` for each reply. Decoding as for Hypothetical Minds (Cross et al. 2025, table 4).
    """

    suspends = True

    def __init__(
        self,
        every: int = 5,
        tries: int = 3,
        temperature: float = TEMPERATURE,
        top_p: float = TOP_P,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        super().__init__()
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            raise StudyError(f"every must be a whole number of at least 1, not {every!r}")
        self.every = every
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs what ``bayesian`` needs, a model and a scaffold."""
        return why_unscaffolded(brief, context) or super().suits(brief, context)

    def begin(self, brief: Brief, context: MindContext) -> None:
        scaffold = scaffold_of(context)
        assert scaffold is not None, "this mind suits worlds with a scaffold only"
        game = spoken(brief, scaffold)
        super().begin(msgspec.structs.replace(brief, game=game), context)
        # Tables keep every predictor they were ever asked about: what a model wrote goes with its episode.
        self._tables = PredictorTables(game)
        self._words = BehaviourNames(*game.behaviours, game)
        self._work = Working(
            brief, context, scaffold, PipelineSettings(Credit(), SHOWN, True, True, self.how)
        )
        self._authors = {seat: Author(self.every, self.every) for seat in brief.others}
        self._scale = 1 / sum(2.0**-p.bits for p in self._believed[self.other].filter.predictors)
        self._to_note: list[Seat] = []

    async def perceive(self, moment: Moment) -> None:
        self._work.since.append(moment)
        if moment.encounters and not moment.last:
            encounters = [
                await self._infer_behaviours(which, met) for which, met in enumerate(moment.encounters)
            ]
            self._work.since = []
            await super().perceive(msgspec.structs.replace(moment, encounters=tuple(encounters)))
            for seat, author in self._authors.items():
                met = any(seat in encounter.did for encounter in encounters)
                if met and author.due(self._believed[seat].filter):
                    await self._enrich(self._work.others[seat], author)
        else:
            await super().perceive(moment)
        for seat in self._to_note:
            super()._note(seat)
        self._to_note = []

    async def _infer_behaviours(self, which: int, met: Encounter) -> Encounter:
        """``met`` with what each partner may have done, the likeliest first."""
        did = dict(met.did)
        for seat in met.did:
            if seat in self._believed:
                about = self._work.meet(met, seat)
                did[seat] = await self._ask_inference(which, about, met.did[seat])
        return msgspec.structs.replace(met, did=did)

    async def _ask_inference(
        self, which: int, about: Acquaintance, could: tuple[Behaviour, ...]
    ) -> tuple[Behaviour, ...]:
        """``could`` with the model's inference first; unchanged where the belief is all but certain."""
        work, scaffold = self._work, self._work.scaffold
        chances = self._believed[about.seat].chances()
        expected = [float(chances[self._others[name]]) for name in could]
        if max(expected) >= SURE * sum(expected):
            likeliest = could[expected.index(max(expected))]
            about.know(likeliest, scaffold.written(likeliest, about.seat))
            return could
        if len(could) == len(self._others):  # the reward says nothing, so there is nothing to work out
            return could
        candidates = [scaffold.written(name, about.seat) for name in could]
        answer = await ask(
            work,
            work.purpose("infer", about, which or None),
            lambda: [*say.inference(about), f"What they may have played: {candidates!r}"],
            f"What did {about.name} play there? What you played and the reward that you got leave these.\n"
            f"{scaffold.clues()}\nThink step by step, then write down what they most likely played.",
            possible(scaffold, about.seat, could),
            "all that is possible stays so",
        )
        if answer is None:
            return could
        first: Behaviour = answer["they_played"]
        about.know(first, scaffold.written(first, about.seat))
        return (first, *(name for name in could if name != first))

    async def _enrich(self, about: Acquaintance, author: Author) -> None:
        """Asks for a hypothesis, and adds it to the belief."""
        work, belief = self._work, self._believed[about.seat].filter
        predictors = belief.predictors
        answer = await ask(
            work,
            work.purpose("hypothesise", about),
            lambda: [
                *say.encounters(work, about),
                f"Your earlier hypotheses about {about.name}:",
                *(f"- [{belief.weights[i]:.2f}] {predictors[i].sentence}" for i in belief.heaviest(SHOWN)),
                *manual(work.scaffold, self._words, self.seat, about.seat),
            ],
            TASK.format(name=about.name),
            form(self._words),
            "no new hypothesis; those there are stay",
        )
        if answer is None or answer["predictor"].text in author.texts:
            return
        hypothesis = answer["predictor"]
        author.texts.add(hypothesis.text)
        self._take_in(
            about.seat,
            hypothesis.predictor(f"{answer['strategy']} Program: {hypothesis.text}", hypothesis.text),
        )

    def _take_in(self, seat: Seat, predictor: Predictor) -> None:
        """Adds a hypothesis about ``seat``; with several partners, about all of them."""
        belief = self._believed[seat].filter
        weight = admit(belief, predictor, self._scale)
        self._prior = np.append((1 - weight) * self._prior, weight)
        if self._alone:
            self._values = self._weigh()
            return
        for other, believed in self._believed.items():
            if other != seat:
                believed.filter.add(predictor, weight)
        share(list(self._believed.values()), self._prior)

    def _note(self, seat: Seat) -> None:
        """Postponed until the model was asked; see :meth:`perceive`."""
        self._to_note.append(seat)


def admit(belief: Filter, predictor: Predictor, scale: float) -> float:
    """Adds a predictor, replayed over the whole history; returns its share of the prior, ``scale`` · 2^−bits.

    A long program would count only after many right predictions. One that predicts the last
    encounters better than the belief did gets a share of :data:`TRIAL_SHARE` at once. It may be
    made from these encounters, so its share grows only with new ones, and its prior is not
    raised above that.
    """
    before = belief.fit(RECENT)
    belief.add(predictor, scale * 2.0**-predictor.bits)
    guess = belief.noise / belief.theirs
    fits = [(1 - belief.noise) * fit + guess for fit in belief.tracked[-1].fits[-RECENT:]]
    weight = float(belief.weights[-1])
    prior = belief.prior
    if geometric_mean(fits) > before and 0 < weight < TRIAL_SHARE:
        raised = prior[-1] * _odds(TRIAL_SHARE) / _odds(weight)
        prior[-1] = min(raised, _odds(TRIAL_SHARE) * prior[:-1].sum())
        belief.believe(prior)
    return float(belief.prior[-1])


def _odds(chance: float) -> float:
    return chance / (1 - chance)


Names = dict[Behaviour, str]
"""The name of each behaviour of a seat in programs."""

TASK = (
    "Your hypotheses do not predict {name} well. Find one that does, and write it both as a sentence and as a program. "
    "They may answer what you or they did in the last encounters, count, wait, or go by the number of the encounter. "
    "Say for each encounter what your idea predicts, and think step by step."
)


def name_behaviours(scaffold: Scaffold, behaviours: Sequence[Behaviour], seat: Seat) -> Names:
    """Behaviours as they are written where that is a string, such as an option's label, else by their names."""
    in_prompts = {behaviour: scaffold.written(behaviour, seat) for behaviour in behaviours}
    if all(isinstance(value, str) for value in in_prompts.values()):
        return in_prompts
    return {behaviour: behaviour for behaviour in behaviours}


def rename_behaviours(game: Game, own: Names, theirs: Names) -> Game:
    """``game`` (own seat first) with the behaviour names of prompts."""
    rows, columns = game.behaviours
    names = tuple(own[name] for name in rows), tuple(theirs[name] for name in columns)
    return Game(game.name, names, game.payoffs)


def spoken(brief: Brief, scaffold: Scaffold) -> Game:
    """The granted game with the behaviour names of prompts.

    Raises:
        StudyError: the payoffs are not granted, or the world names its behaviours otherwise than the game.
    """
    if brief.game is None:
        raise StudyError("hypothetical_plus needs the payoffs granted")
    seats = (brief.seat, brief.others[0])
    names = [name_behaviours(scaffold, brief.behaviours[seat], seat) for seat in seats]
    if tuple(map(tuple, names)) != brief.game.behaviours:
        raise StudyError("hypothetical_plus plays where the behaviours are those of the game")
    return rename_behaviours(brief.game, *names)


def manual(scaffold: Scaffold, words: BehaviourNames, own: Seat, theirs: Seat) -> Lines:
    """The language with the names of this episode: reference, names, worked examples."""
    lines = ["Programs that predict them:", *reference(words).splitlines()]
    lines.append(f"Their behaviours: {_list_behaviours(scaffold, words.theirs, theirs)}")
    lines.append(f"My behaviours: {_list_behaviours(scaffold, words.own, own)}")
    for number, example in enumerate(examples(words), 1):
        lines += [f"Example {number}:", str(form(words, (example.sentence, example.text)))]
    return lines


def form(words: BehaviourNames, example: tuple[str, str] | None = None) -> Form:
    """The dictionary to ask for; its program is read as a :class:`Program`."""

    def read_program(value: Any) -> Program | Invalid:
        if not isinstance(value, str):
            return Invalid("a program is written as a string")
        try:
            return program(value.strip(), words)
        except ParseError as error:
            return Invalid(str(error), value)

    first = examples(words)[1]
    sentence, program_text = example or (first.sentence, first.text)
    strategy = Field("strategy", "strategy", sentence, text)
    return Form((strategy, Field("predictor", "predictor", program_text, read_program)))


def possible(scaffold: Scaffold, seat: Seat, could: Sequence[Behaviour]) -> Form:
    """The dictionary that says what ``seat`` did, one of ``could``."""

    def read_possible(value: Any) -> Behaviour | Invalid:
        answer = scaffold.read(value, seat)
        if isinstance(answer, Invalid) or answer in could:
            return answer
        candidates = [scaffold.written(behaviour, seat) for behaviour in could]
        return Invalid(f"what you played and got rules that out; what is left are {candidates!r}")

    return Form((Field("they_played", "they_played", scaffold.written(could[0], seat), read_possible),))


def _list_behaviours(scaffold: Scaffold, names: Sequence[str], seat: Seat) -> str:
    """The names of behaviours, each with its written form where that is no string."""
    choices = scaffold.choices(seat)
    if any(isinstance(choice, str) for choice in choices):
        return ", ".join(map(repr, names))
    return "; ".join(f"{name!r} as in {scaffold.written(name, seat)!r}" for name in names)
