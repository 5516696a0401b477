"""The working state of one episode, which the steps of a pipeline read and write, with the hypotheses about each partner.

Each partner has its own hypotheses and history (Cross et al. 2025, section 3.2). Memory
holds sightings with the step of the last one (appendix D.2).

A right prediction earns a hypothesis +c, a wrong one −c, and the value moves by the Rescorla-Wagner rule,
V ← V + α (r − V). Each prediction is scored once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.contracts import OWN, MindContext, Place, PlanningScaffold, RememberedSighting, Scaffold
from otherminds.core.data import (
    FALLBACK,
    THINKING,
    Answer,
    Behaviour,
    Brief,
    Encounter,
    Ended,
    Fallback,
    Moment,
    Seat,
    SkillChoice,
    Thinking,
    Thought,
)
from otherminds.core.errors import StudyError
from otherminds.minds.hypothetical.forms import Forms
from otherminds.minds.language.requests import TemplateSampling


class Credit(Struct, frozen=True):
    """How hypotheses earn their values (tables 2 and 3): ``alpha`` is α, ``reward`` c, ``threshold`` V_thr."""

    alpha: float = 0.3
    reward: float = 1.0
    threshold: float = 0.7

    def moved(self, value: float, earned: float) -> float:
        """``value`` after an encounter that earned ``earned``.

        >>> credit = Credit()
        >>> round(credit.moved(0.76, -1.0), 2)
        0.23
        """
        return value + self.alpha * (earned - value)


PREDICTING = Credit(0.3, 1.0, 0.7)
"""Table 2: hypotheses earn their values by predictions."""
REWARDING = Credit(0.3, 3.0, 3.0)
"""Table 3: hypotheses earn their values by rewards."""


@dataclass(frozen=True)
class Numbers:
    """The numbers that can be set for a pipeline with values; ``None`` is the preset's.

    Raises:
        StudyError: a value that it cannot have.
    """

    preset: str = "paper"
    alpha: float | None = None
    c: float | None = None
    v_thr: float | None = None
    top_k: int | None = None
    condition: str = "newest"

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("preset", self.preset, ("paper", "published_code")),
            ("condition", self.condition, ("newest", "best")),
        ):
            if value not in choices:
                raise StudyError(f"{name} must be {' or '.join(choices)}, not {value!r}")
        for name, value in (("alpha", self.alpha), ("c", self.c), ("v_thr", self.v_thr)):
            if value is not None and not _number(value):
                raise StudyError(f"{name} must be a number, not {value!r}")
        if self.alpha is not None and not 0 < self.alpha <= 1:
            raise StudyError(f"alpha must be above 0 and at most 1, not {self.alpha!r}")
        if self.c is not None and self.c <= 0:
            raise StudyError(f"c must be above 0, not {self.c!r}")
        is_count = isinstance(self.top_k, int) and not isinstance(self.top_k, bool) and self.top_k >= 0
        if self.top_k is not None and not is_count:
            raise StudyError(f"top_k must be a whole number from 0 on, not {self.top_k!r}")

    def credit(self, usual: Credit, several: bool) -> Credit:
        """α, c and the threshold, the ``usual`` ones by default (``published_code``: 0.6 with several others)."""
        lower = self.preset == "published_code" and several and usual == PREDICTING
        return Credit(
            usual.alpha if self.alpha is None else self.alpha,
            usual.reward if self.c is None else self.c,
            self.v_thr if self.v_thr is not None else 0.6 if lower else usual.threshold,
        )

    def considered(self, several: bool, judged: bool) -> int:
        """top_k (table 2; ``published_code``: 3 with several others or where predictions are judged)."""
        if self.top_k is not None:
            return self.top_k
        return 3 if self.preset == "published_code" and (several or judged) else 5


@dataclass
class Hypothesis:
    """One hypothesis.

    ``predictions`` are its answers by the number of the encounter, from 0; ``hits`` says
    of each scored one whether it was right.
    """

    id: int
    text: str
    value: float = 0.0
    predictions: dict[int, Answer] = field(default_factory=dict[int, Answer])
    hits: dict[int, bool] = field(default_factory=dict[int, bool])


class HypothesisStream:
    """All hypotheses about one partner, oldest first; ``met`` counts the encounters with it.

    ``afresh``: a hypothesis repeated word for word is a new one, with value 0.
    """

    def __init__(self, credit: Credit, afresh: bool = False) -> None:
        self.credit = credit
        self.afresh = afresh
        self.hypotheses: list[Hypothesis] = []
        self.met = 0

    @property
    def newest(self) -> Hypothesis | None:
        return self.hypotheses[-1] if self.hypotheses else None

    @property
    def best(self) -> Hypothesis | None:
        """The one of highest value; the newest on ties."""
        return max(reversed(self.hypotheses), key=lambda h: h.value, default=None)

    @property
    def validated(self) -> Hypothesis | None:
        """The best one, if its value is above the threshold."""
        best = self.best
        return best if best is not None and best.value > self.credit.threshold else None

    def add(self, text: str) -> Hypothesis:
        """Adds a hypothesis. Unless ``afresh``, a repeated one becomes the newest and keeps its value."""
        for old in () if self.afresh else self.hypotheses:
            if old.text == text:
                self.hypotheses.remove(old)
                self.hypotheses.append(old)
                return old
        added = Hypothesis(max((h.id for h in self.hypotheses), default=-1) + 1, text)
        self.hypotheses.append(added)
        return added

    def top(self, k: int) -> list[Hypothesis]:
        """The ``k`` of highest value among those above 0, best first."""
        return [h for h in _rank_hypotheses(self.hypotheses) if h.value > 0][:k]

    def tested(self, k: int) -> list[Hypothesis]:
        """Those to ask for a prediction: the validated one alone, else the newest and the ``k`` best others.

        Values need not be above 0, so that every hypothesis can earn one (D.3, step 4).
        """
        if self.validated is not None:
            return [self.validated]
        return [*self.hypotheses[-1:], *_rank_hypotheses(self.hypotheses[:-1])[:k]]

    def evaluate(self, right: Callable[[Answer], bool | None]) -> list[Hypothesis]:
        """Scores the predictions made for the last encounter, and counts it.

        ``right`` judges one; ``None`` leaves it unscored. Returns those scored.
        """
        scored: list[Hypothesis] = []
        for hypothesis in self.hypotheses:
            if self.met not in hypothesis.predictions:
                continue
            hit = right(hypothesis.predictions[self.met])
            if hit is not None:
                hypothesis.hits[self.met] = hit
                earned = self.credit.reward if hit else -self.credit.reward
                hypothesis.value = self.credit.moved(hypothesis.value, earned)
                scored.append(hypothesis)
        self.met += 1
        return scored

    def earn(self, earned: Iterable[tuple[Hypothesis, float]]) -> None:
        """Moves values by rewards (appendix F), and counts the encounter."""
        for hypothesis, reward in earned:
            hypothesis.value = self.credit.moved(hypothesis.value, reward)
        self.met += 1


def _rank_hypotheses(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """By value, the highest first; the newest first on ties."""
    newest_first = list(reversed(hypotheses))
    return sorted(newest_first, key=lambda h: -h.value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


REMEMBERED = 100
"""Sightings that memory holds; of more it drops the oldest."""


class Row(Struct, frozen=True):
    """One encounter as prompts show it; ``theirs`` is written, ``None`` where unknown."""

    when: str
    own: Any
    reward: float
    theirs: Any = None


class EncounterTarget(Struct, frozen=True):
    """The target of the next encounter: a behaviour, a strategy in words, or both.

    ``seek`` are the partners to meet, ``written`` the behaviour as prompts show it.
    """

    behaviour: Behaviour | None = None
    strategy: str = ""
    seek: tuple[Seat, ...] = ()
    written: Any = None


class PipelineSettings(Struct, frozen=True):
    """The numbers and switches of a pipeline in this episode.

    ``best``: while none is validated, the choice uses the best hypothesis, else the newest.
    ``refines``: requests for a new hypothesis show earlier ones.
    """

    credit: Credit
    top_k: int
    best: bool
    refines: bool
    how: TemplateSampling


@dataclass
class Acquaintance:
    """What the mind knows of one partner.

    ``came`` is what it did in the last encounter, ``acts`` all that was seen of it
    there. ``used`` is the hypothesis that the choice is based on, ``said`` the
    prediction that was acted on, ``foretold`` the same as prompts show it.
    ``considered`` maps own strategies to the behaviours that they mean for the next
    encounter (appendix F only).
    """

    seat: Seat
    name: str
    stream: HypothesisStream
    rows: list[Row] = field(default_factory=list[Row])
    came: Behaviour | None = None
    acts: tuple[Behaviour, ...] = ()
    reward: float = 0.0
    used: Hypothesis | None = None
    said: Answer = None
    foretold: Any = None
    considered: dict[int, Behaviour | None] = field(default_factory=dict[int, "Behaviour | None"])

    def know(self, behaviour: Behaviour, in_words: Any) -> None:
        """Sets what the partner did in the last encounter."""
        self.came = behaviour
        self.rows[-1] = msgspec.structs.replace(self.rows[-1], theirs=in_words)


@dataclass
class RunningPlan:
    """A running plan of skills; ``calls`` are the skills as the model wrote them.

    ``before`` is the own state in words when it began, ``reward`` the sum of rewards since.
    """

    calls: tuple[str, ...]
    skills: tuple[SkillChoice, ...]
    before: str
    begun: int = 0
    reward: float = 0.0
    ends: list[Ended] = field(default_factory=list[Ended])

    @property
    def runs_on(self) -> bool:
        """Whether a skill is left, and none has failed."""
        return self.begun < len(self.skills) and all(end.ok for end in self.ends)

    def next(self) -> SkillChoice:
        self.begun += 1
        return self.skills[self.begun - 1]

    def outcomes(self) -> list[str]:
        """How each started skill ended, a line each."""
        lines = [
            f"- {call}: {'done' if end.ok else 'failed'}{f' ({end.why})' if end.why else ''}"
            for call, end in zip(self.calls, self.ends, strict=False)
        ]
        open_ones = self.calls[len(self.ends) : self.begun]
        return lines + [f"- {call}: broken off" for call in open_ones]


class Working:
    """What one episode has shown so far, and the current target and plan.

    ``planning`` is the scaffold where it has plans of skills, else ``None``.
    """

    def __init__(
        self, brief: Brief, context: MindContext, scaffold: Scaffold, settings: PipelineSettings
    ) -> None:
        self.brief = brief
        self.context = context
        self.scaffold = scaffold
        self.planning = scaffold if isinstance(scaffold, PlanningScaffold) else None
        self.forms = Forms(scaffold, brief)
        self.manner = scaffold.manner
        self.settings = settings
        self.system = scaffold.system(brief)
        self.others = {
            seat: Acquaintance(
                seat, scaffold.name(seat), HypothesisStream(settings.credit, scaffold.manner.afresh)
            )
            for seat in brief.others
        }
        self.first = next(iter(self.others.values()))
        self.several = len(self.others) > 1
        self.moment = Moment(0, None)
        self.memory: dict[Place | str, RememberedSighting] = {}
        self.since: list[Moment] = []
        self.total = 0.0
        self.target = EncounterTarget()
        self.renewed = False
        """Whether the target was set since the last plan."""
        self.source: Acquaintance | None = None
        """The partner whose hypothesis is behind the target."""
        self.plan: RunningPlan | None = None
        self.fruitless = 0
        """Plans in a row without effect."""
        self.rests = 0
        """The step until which it rests: after too many of these, or without a usable plan."""
        self.resting = ""
        self.feedback = ""
        self.bounds: dict[str, int] = {}
        """By kind of step: how much of the past its prompts may show when the context is short."""
        self.shown: int | None = None
        """The encounters with a partner, and the sightings, that the current prompt shows at most."""

    @property
    def past(self) -> int:
        """The length of the past: encounters with a partner or sightings, whichever are more."""
        return max([len(self.memory), *(len(about.rows) for about in self.others.values())])

    def hear(self, moment: Moment) -> None:
        """Takes in a moment: sightings, and the end of a skill."""
        self.moment = moment
        self.since.append(moment)
        self.total += moment.reward
        if self.planning is None:
            return
        for sighting in self.planning.sightings(moment):
            key = sighting.thing if sighting.moves else sighting.place
            self.memory.pop(key, None)
            self.memory[key] = RememberedSighting(sighting, moment.step)
        while len(self.memory) > REMEMBERED:
            del self.memory[next(iter(self.memory))]
        plan = self.plan
        if plan is not None:
            plan.reward += moment.reward
            if moment.ended is not None and len(plan.ends) < plan.begun:
                plan.ends.append(moment.ended)

    def meet(self, encounter: Encounter, seat: Seat) -> Acquaintance:
        """Adds an encounter with ``seat`` to its history, as far as it is known."""
        about = self.others[seat]
        did = () if self.manner.hidden else self.scaffold.theirs(encounter, seat)
        about.acts, about.came = did, did[0] if len(did) == 1 else None
        about.reward = encounter.reward
        own_part = self.scaffold.heard(encounter, self.since)
        acts = [self.scaffold.written(act, seat) for act in did]
        theirs = acts if self.manner.judged else acts[0] if len(acts) == 1 else None
        about.rows.append(Row(own_part.when, own_part.own, encounter.reward, theirs or None))
        return about

    def aim(self, target: EncounterTarget, source: Acquaintance | None) -> None:
        """Sets the target; a running plan was for the one before."""
        self.target = target
        self.source = source
        self.renewed = True

    def purpose(self, step: str, about: Acquaintance | None = None, which: int | None = None) -> str:
        """The purpose of a model call, unique within a step of the world."""
        of = f":{about.seat}" if about is not None and self.several else ""
        return f"{step}{of}{'' if which is None else f':{which}'}"

    def fall_back(self, purpose: str, fallback: str) -> None:
        self.context.note(FALLBACK, msgspec.to_builtins(Fallback(purpose, fallback)))

    def note(self, about: Acquaintance, threshold: float | None) -> None:
        """Notes the hypotheses about a partner that were just scored or asked."""
        stream = about.stream
        past, coming = stream.met - 1, stream.met
        thoughts = tuple(
            Thought(h.id, h.text, h.value, h.predictions.get(coming), h.hits.get(past))
            for h in stream.hypotheses
            if h is about.used
            or h is stream.newest
            or coming in h.predictions
            or past in h.predictions
            or h.id in about.considered
        )
        validated = stream.validated if threshold is not None else None
        used_id, sure = (
            None if hypothesis is None else hypothesis.id for hypothesis in (about.used, validated)
        )
        target = self.target.behaviour or self.target.strategy or None
        thinking = Thinking(
            about.seat, stream.met, about.came, thoughts, used_id, sure, target, threshold=threshold
        )
        self.context.note(THINKING, msgspec.to_builtins(thinking))


def scaffold_of(context: MindContext, name: str = OWN) -> Scaffold | None:
    """The world's scaffold ``name``; ``None`` where it has none."""
    return context.verbalizer.scaffolds.get(name) if context.verbalizer is not None else None


def why_unscaffolded(brief: Brief, context: MindContext, name: str = OWN) -> str | None:
    """Why a mind that needs a scaffold cannot play; ``None`` where it can."""
    if context.model is None:
        return "it needs a language model; write it as MIND@MODEL"
    if not brief.others:
        return "it reasons about another seat, and there is none"
    if scaffold_of(context, name) is None:
        return (
            "this world has no words for minds that reason in steps (no scaffold); "
            "use a prompting strategy, such as cot (see `otherminds list strategies`)"
        )
    return None
