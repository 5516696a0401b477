"""The result of an evaluation in one line of JSON, and as text, with what somebody needs to repeat or to judge it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES, Record, SeatSpec, Timing
from otherminds.core.wording import PACK, PLAIN, name_value
from otherminds.measures.basis import TERMS
from otherminds.measures.cells import Cell, in_question
from otherminds.measures.intervals import Estimate, together
from otherminds.measures.registry import ego, under_test
from otherminds.measures.verdict import Kind, Verdict
from otherminds.reports.findings import Findings
from otherminds.reports.opening import UNMEASURED
from otherminds.reports.sections import silences
from otherminds.reports.sheets import FEW_MARK, fixed
from otherminds.studies.evaluation import RUN, EvaluationChoice, held_in
from otherminds.studies.run_dir import holds_run

T = TypeVar("T", bound="tuple[Record, Timing | None]")


class Sampling(Struct, frozen=True, order=True):
    """How replies are drawn: a temperature, a nucleus (top-p, of 1), and at most so many tokens."""

    temperature: float
    top_p: float
    max_tokens: int


class Provenance(Struct, frozen=True):
    """How the recorded episodes of a mind with a language model came about.

    ``version`` is that of this package. ``mind`` and ``params`` name the strategy, ``pack`` its wording: a name, with
    a digest for a pack of the user's own. ``decoding`` lists every way in which replies were drawn; empty where
    options were scored by their log-probability (``scored_options``) or nothing was asked. ``dropped`` names parameters
    that the server refused. ``first_seed`` to ``last_seed`` are the seeds of the episodes; partners and labels follow
    from them. Of ``answers`` predictions, ``unread`` could not be read.
    """

    version: str
    mind: str = ""
    params: dict[str, Any] = {}
    pack: str = ""
    decoding: tuple[Sampling, ...] = ()
    scored_options: bool = False
    dropped: tuple[str, ...] = ()
    first_seed: int | None = None
    last_seed: int | None = None
    answers: int = 0
    unread: int = 0


class Observer:
    """Reads the provenance off the records that pass by; only minds with a language model count."""

    def __init__(self) -> None:
        self._who: SeatSpec | None = None
        self._decoding: set[Sampling] = set()
        self._dropped: set[str] = set()
        self._seeds: set[int] = set()
        self._scored = False
        self._answers = self._unread = 0

    def watch(self, timed: Iterable[T]) -> Iterator[T]:
        """The pairs of ``timed``, each after its record was read."""
        for pair in timed:
            self._read_record(pair[0])
            yield pair

    def _read_record(self, record: Record) -> None:
        who = record.spec.seats[ego(record)]
        if not who.model:
            return
        self._who = self._who or who
        self._seeds.add(record.spec.seed)
        mine = under_test(record)
        for call in record.calls:
            if call.seat not in mine:
                continue
            self._dropped.update(call.dropped)
            if call.config:
                settings = (call.config[name] for name in Sampling.__struct_fields__)
                self._decoding.add(Sampling(*settings))
            else:
                self._scored = True
        seats = [question.seat for question in record.questions]
        answers = [answer for answer in record.asked if seats[answer.question] in mine]
        self._answers += len(answers)
        self._unread += sum(answer.invalid is not None for answer in answers)

    @property
    def provenance(self) -> Provenance:
        """What the records so far say."""
        who = self._who or SeatSpec("")
        return Provenance(
            version("otherminds"),
            who.mind,
            {name: value for name, value in who.params.items() if name != PACK},
            name_value(who.params.get(PACK, PLAIN)) if who.mind else "",
            tuple(sorted(self._decoding)),
            self._scored,
            tuple(sorted(self._dropped)),
            min(self._seeds, default=None),
            max(self._seeds, default=None),
            self._answers,
            self._unread,
        )


VERSION = 2
"""The version of the form of ``result.json``, whose schema is ``evaluation.schema.json`` beside this file."""
NO_VERDICT = "No verdict: no language model was measured."


class MeanScore(Struct, frozen=True, omit_defaults=True):
    """A number with the ends of its interval; ``cells`` is the number of cells that it is a mean of, ``few`` says that fewer than ten episodes are behind it."""

    mean: float | None
    low: float | None
    high: float | None
    cells: int = 1
    reason: str = ""
    few: bool = False


class VerdictReport(Struct, frozen=True):
    """A verdict: ``kind`` for programs, ``words`` and ``sentence`` for people; the other fields are those of :class:`.Verdict`.

    ``place`` is empty where a mind meets partners, and names the split where its tasks are judged together.
    """

    kind: Kind
    words: str
    sentence: str
    mind: str
    scenarios: tuple[str, ...]
    literal: MeanScore
    unused: MeanScore
    functional: MeanScore
    planned: int
    lost: int
    clusters: int
    answers: int
    unread: int
    reason: str
    place: str = ""


class EvaluatedCell(Struct, frozen=True):
    """One scenario: ``unused`` in payoff a round, ``n`` scored episodes of ``planned``, ``verdict`` where there is one."""

    scenario: str
    n: int
    planned: int
    verdict: VerdictReport | None
    unused: MeanScore
    literal: MeanScore
    functional: MeanScore
    gap: MeanScore
    reward: float | None


class Evaluated(Struct, frozen=True):
    """The result of one model in one suite. Its fields are described one by one in ``docs/evaluate.md``.

    ``verdicts`` come first. ``unused``, ``literal``, ``functional`` and ``gap`` are means over its cells with equal
    weights; ``parts`` says where 1 − F comes from, over the cells in which predictions matter: 1 − F = unknowable +
    foresight + mistaken + unused − luck, each as a share of what knowing the partner can win. ``silent`` says it where
    no reply of the model says anything.
    """

    schema: int
    date: str
    suite: str
    size: str
    study: str
    model: str
    provenance: Provenance
    verdicts: tuple[VerdictReport, ...]
    planned: int
    scored: int
    lost: int
    invalid: int
    cut: int
    refused: int
    failed: int
    missing: int
    unused: MeanScore
    literal: MeanScore
    functional: MeanScore
    gap: MeanScore
    parts: dict[str, MeanScore]
    invalid_share: float | None
    strict_share: float | None
    lenient_share: float | None
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    dollars: float | None
    estimated_cost_share: float | None
    seconds: float
    wall_seconds: float
    cells: tuple[EvaluatedCell, ...]
    silent: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        return self.verdicts[0].sentence if self.verdicts else NO_VERDICT

    def __repr__(self) -> str:
        return as_text(self)


def summarise_evaluation(
    findings: Findings, choice: EvaluationChoice, size: str, study: str, provenance: Provenance
) -> Evaluated:
    """The result of the evaluation ``choice`` in ``size``, whose run has ``findings``; its cells have one language mind.

    ``study`` is the identity of its plan.
    """
    cells = in_question(findings.cells)
    spent = findings.by_mind[cells[0].mind]
    counts = {name: sum(getattr(cell, name) for cell in cells) for name in ("planned", "missing", *OUTCOMES)}
    divided = [cell for cell in cells if cell.unused.mean is not None] or cells[:1]
    parts = {name: _mean([_share(cell, name) for cell in divided]) for name in TERMS}
    minds = {cell.mind for cell in cells}
    return Evaluated(
        schema=VERSION,
        date=choice.ended,
        suite=choice.suite,
        size=size,
        study=study,
        model=choice.model,
        provenance=provenance,
        verdicts=tuple(_verdict(verdict) for verdict in findings.verdicts if verdict.mind in minds),
        **counts,
        lost=counts["planned"] - counts["missing"] - counts["scored"],
        unused=parts["unused"],
        literal=_mean([cell.literal for cell in cells]),
        functional=_mean([cell.functional for cell in cells]),
        gap=_mean([cell.gap for cell in cells]),
        parts=parts,
        invalid_share=spent.invalid,
        strict_share=spent.strict,
        lenient_share=spent.lenient,
        calls=spent.calls,
        prompt_tokens=spent.usage.prompt,
        cached_tokens=spent.usage.cached,
        completion_tokens=spent.usage.completion,
        dollars=spent.money,
        estimated_cost_share=spent.estimated,
        seconds=round((spent.seconds or 0.0) * spent.episodes, 3),
        wall_seconds=round(choice.seconds, 3),
        cells=tuple(map(_cell, cells)),
        silent=tuple(silences(findings.said)),
    )


def schema() -> str:
    """The JSON schema of a result, as ``evaluation.schema.json`` has it."""
    return json.dumps(msgspec.json.schema(Evaluated), indent=2) + "\n"


def run_in(out: Path) -> tuple[Path, EvaluationChoice | None]:
    """The run folder of an evaluation folder, and what was chosen; a run folder is its own, without a choice.

    Raises:
        StudyError: the folder holds neither.
    """
    choice = held_in(out)
    if choice is not None:
        return out / RUN, choice
    if holds_run(out):
        return out, None
    raise StudyError(f"{out}: holds no evaluation and no run; give the --out of one")


def as_line(evaluation: Evaluated) -> str:
    """The result as one line of JSON."""
    return msgspec.json.encode(evaluation).decode()


def as_text(evaluation: Evaluated) -> str:
    """The result in a few lines: the verdict, its two numbers with n, and what was lost."""
    lines = [*evaluation.silent, evaluation.sentence]
    for verdict in evaluation.verdicts:
        if verdict.kind in UNMEASURED:
            continue
        if verdict.place:
            lines += [
                f"  L, what it knows of what others know  {_write_score(verdict.literal)}",
                f"  F, what it wins above a silent team   {_write_score(verdict.functional)}",
                f"  n: {_count_nouns(verdict.clusters, 'task')} of {verdict.place}",
            ]
            continue
        lines += [
            f"  L, what it knows of its partner     {_write_score(verdict.literal)}",
            f"  unused share of what it knows       {_write_score(verdict.unused)}",
            f"  F, what it wins by knowing          {_write_score(verdict.functional)}",
            f"  n: {_count_nouns(verdict.clusters, 'distinct episode')} in {', '.join(verdict.scenarios)}",
        ]
    lines += [
        f"  episodes: {_outcomes(evaluation)}; unread predictions: {evaluation.provenance.unread} of {evaluation.provenance.answers}",
        f"  {evaluation.model} in {evaluation.suite}, size {evaluation.size} ({evaluation.provenance.mind})",
    ]
    return "\n".join(lines)


def _outcomes(evaluation: Evaluated) -> str:
    """The number of scored episodes, and what happened to the others."""
    losses = [
        f"{getattr(evaluation, name)} {words}"
        for name, words in {
            **dict(zip(OUTCOMES[1:], OUTCOMES[1:], strict=True)),
            "missing": "not played",
        }.items()
        if getattr(evaluation, name)
    ]
    return ", ".join([f"{evaluation.scored} of {evaluation.planned} scored", *(losses or ["none lost"])])


def _count_nouns(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _write_score(score: MeanScore) -> str:
    if score.mean is None:
        return f"–  ({score.reason})"
    interval = "" if score.low is None else f" [{fixed(score.low, 2)}, {fixed(score.high, 2)}]"
    return f"{fixed(score.mean, 2)}{FEW_MARK if score.few else ''}{interval}"


def _cell(cell: Cell) -> EvaluatedCell:
    scores = {name: _score(getattr(cell, name)) for name in ("unused", "literal", "functional", "gap")}
    verdict = cell.verdict and _verdict(cell.verdict)
    return EvaluatedCell(cell.scenario, cell.scored, cell.planned, verdict, reward=cell.reward, **scores)


def _verdict(verdict: Verdict) -> VerdictReport:
    scores = {name: _score(getattr(verdict, name)) for name in ("literal", "unused", "functional")}
    counts = {name: getattr(verdict, name) for name in ("planned", "lost", "clusters", "answers", "unread")}
    return VerdictReport(
        *(verdict.kind, verdict.words, verdict.sentence, verdict.mind, verdict.scenarios),
        reason=verdict.reason,
        place=verdict.place,
        **scores,
        **counts,
    )


def _share(cell: Cell, term: str) -> Estimate:
    """A part of regret as a share of what knowing the partner can win."""
    part: Estimate = getattr(cell, term)
    if part.mean is None or cell.winnable is None:
        return Estimate(None, reason=part.reason or "the ends of F are not exact")
    return part.per(cell.winnable)


def _mean(estimates: list[Estimate]) -> MeanScore:
    mean = together(estimates)
    return _score(mean, sum(estimate.mean is not None for estimate in estimates))


def _score(estimate: Estimate, cells: int = 1) -> MeanScore:
    return MeanScore(estimate.mean, estimate.low, estimate.high, cells, estimate.reason, estimate.few)
