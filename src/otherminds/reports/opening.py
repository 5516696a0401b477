"""What every report opens with: the verdicts in sentences, what was lost, and one table of the verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import ReplyCounts
from otherminds.measures.registry import NO_GAME
from otherminds.measures.verdict import Kind, Verdict
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.sections import silences, strays
from otherminds.reports.sheets import NONE, Pair, Sheet, fixed, grouped_by, percent, trim_sheet

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_SENTENCES = 3
"""Where more minds are in question, the opening groups them by verdict; their numbers are in the table."""
UNMEASURED: frozenset[Kind] = frozenset({"not measured", "no choice"})
"""Verdicts whose numbers say nothing."""
L_MEANING = (
    "L, the literal score, is what a mind says: 1 predicts as one who knows the partner, 0 as one who knows "
    "the population of partners and never looks at this one. Verdicts count the rounds of an episode's second half in "
    "which the partner can be known."
)
SHARE_MEANING = (
    "The unused share is what a mind gives away of the payoff that its own right predictions offer: 0 % acts on "
    "its predictions, 100 % acts as if it had none."
)
F_MEANING = (
    "F, the functional score, is what a mind does: 1 plays as if it knew the partner, 0 as the best plan fixed in "
    "advance."
)
DISTINCT_MEANING = "Distinct episodes differ in more than their number: copies of an episode count once."
MEANING = f"{L_MEANING} {SHARE_MEANING} {F_MEANING} {DISTINCT_MEANING} [a, b]: one-sided 95 % bounds."
TERMS = {
    r"\bL(?= =)": L_MEANING,
    r"\bgives away\b": SHARE_MEANING,
    r"\bF(?= =)": F_MEANING,
    r"(?<=\d )distinct\b": DISTINCT_MEANING,
}
"""The terms of a sentence about a verdict, as patterns, with their meanings."""
HEADS = ("mind", "verdict", "L", "unused share, %", "F", "distinct episodes", "lost")
HEAD_MEANINGS = {
    "mind": "What plays: a language model with its way of asking (lm, cot, …), or a program such as bayes or uniform.",
    "verdict": "Whether the mind knows its partners, and whether it acts on that, by the two numbers that follow.",
    "L": L_MEANING,
    "unused share, %": SHARE_MEANING,
    "F": F_MEANING,
    "distinct episodes": DISTINCT_MEANING,
    "lost": "Episodes that were played and not scored.",
}


class Opening(Struct, frozen=True):
    """The sentences that a report opens with, what was lost, and a table with a row for each mind.

    ``meanings`` explains heads of the table, ``terms`` the terms of the sentences, which are patterns.
    """

    sentences: tuple[str, ...]
    lost: str
    sheet: Sheet | None
    meanings: dict[str, str]
    terms: dict[str, str]


def open_report(findings: Findings) -> Opening:
    """The opening of a report: the verdicts about minds that met partners, and what the worlds of the run have to say."""
    judged = of_partners(findings.verdicts)
    sentences, sheet, meanings = verdict_sentences(judged), verdict_sheet(judged), HEAD_MEANINGS
    terms = TERMS
    for name, rows in findings.worlds.items():
        begin = world_reports.get(name).opening
        if begin is None:
            continue
        world = begin(rows, list(dict.fromkeys(verdict.mind for verdict in models_first(findings.verdicts))))
        if sheet is None:
            sentences, sheet, meanings, terms = [], world.sheet, world.meanings, world.terms
        sentences.extend(world.sentences)
    lost = losses_in_words(findings.cells, findings.verdicts, findings.said)
    return Opening((*silences(findings.said), *sentences), lost, sheet, meanings, terms)


def of_partners(judged: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts about minds that met partners, without those about a whole split of tasks."""
    return [verdict for verdict in judged if not verdict.place]


def has_numbers(judged: Sequence[Verdict]) -> bool:
    """Whether some verdict about partners has numbers, so that the terms are worth explaining."""
    return any(verdict.kind not in UNMEASURED for verdict in of_partners(judged))


def headline(judged: Sequence[Verdict]) -> str:
    """The verdicts about language models, one sentence each; about all minds where there is no model."""
    return " ".join(verdict.sentence for verdict in in_question(judged))


def in_question(judged: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts about language models, or all where there is none."""
    return [verdict for verdict in judged if verdict.model] or list(judged)


def models_first(judged: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts about language models, then the others."""
    return sorted(judged, key=lambda verdict: not verdict.model)


def verdict_sentences(judged: Sequence[Verdict]) -> list[str]:
    """The sentences that a report opens with.

    One for each language model, or for each mind where there is no model; for more than :data:`MOST_SENTENCES`, one
    for each kind of verdict, with the names of its minds. A single sentence says why no mind had a choice to make, or a stage game.
    """
    if reason := _common_reason(judged):
        return [f"No verdict on knowledge and its use: {reason}."]
    in_doubt = in_question(judged)
    if len(in_doubt) <= MOST_SENTENCES:
        return [verdict.sentence for verdict in in_doubt]
    return [
        f"{words[0].upper()}{words[1:]}: {', '.join(verdict.mind for verdict in alike)}."
        for words, alike in grouped_by(in_doubt, _words_with_cause).items()
    ]


def _common_reason(judged: Sequence[Verdict]) -> str:
    """Why no mind had a choice to make, or none had a stage game, where one reason holds for all; else empty."""
    reasons = {
        verdict.reason if verdict.kind == "no choice" or verdict.reason == NO_GAME else ""
        for verdict in judged
    }
    return reasons.pop() if len(reasons) == 1 else ""


def _words_with_cause(verdict: Verdict) -> str:
    """The words of a verdict; with the cause where it could not be more than that."""
    return (
        f"{verdict.words} ({verdict.reason})"
        if verdict.kind in UNMEASURED and verdict.reason
        else verdict.words
    )


def losses_in_words(
    cells: Sequence[Cell], judged: Sequence[Verdict], replies: Mapping[str, ReplyCounts] | None = None
) -> str:
    """What is missing from the scores: episodes that were not scored, and predictions that could not be read.

    With the counts of ``replies`` by model, also how many of them chose what is none of the options.
    """
    return " ".join((_losses(cells, judged), *strays(replies or {})))


def _losses(cells: Sequence[Cell], judged: Sequence[Verdict]) -> str:
    planned, scored = sum(cell.planned for cell in cells), sum(cell.scored for cell in cells)
    answers, unread = sum(verdict.answers for verdict in judged), sum(verdict.unread for verdict in judged)
    if scored == planned and not unread:
        read = " and every prediction was read" if answers else ""
        return f"Nothing was lost: all {planned:,} planned episodes were scored{read}."
    parts = (
        [f"{planned - scored:,} of {planned:,} planned episodes were not scored"] if scored < planned else []
    )
    if unread:
        parts.append(f"{unread:,} of {answers:,} predictions could not be read")
    return f"Lost: {'; '.join(parts)}."


def verdict_sheet(judged: Sequence[Verdict]) -> Sheet | None:
    """A row for each mind, with its verdict over all its scenarios, in the order of ``judged``; ``None`` without minds that
    had a choice to make.

    Columns without a number in any row are left out. The scenario of its keys (:attr:`.Sheet.cells`) is empty: a row is
    about all of them.
    """
    rows = tuple(
        (
            (verdict.mind, verdict.words),
            (
                *(
                    (NONE, NONE, NONE, NONE)
                    if verdict.kind in UNMEASURED
                    else (
                        _score(verdict.literal),
                        _share(verdict.unused),
                        _score(verdict.functional),
                        (str(verdict.clusters), ""),
                    )
                ),
                (str(verdict.lost), f"of {verdict.episodes}"),
            ),
        )
        for verdict in judged
    )
    sheet = Sheet("", HEADS, rows, cells=tuple(("", verdict.mind) for verdict in judged))
    return trim_sheet(sheet) if rows and not _common_reason(judged) else None


def with_meanings(sentences: Iterable[str], terms: Mapping[str, str] = TERMS) -> list[Markup]:
    """The sentences as HTML, in which each of ``terms`` is explained where it first comes."""
    from markupsafe import Markup, escape

    marked: list[Markup] = []
    unexplained = dict(terms)
    for sentence in sentences:
        text = str(escape(sentence))
        for pattern, meaning in list(unexplained.items()):
            explained = f'<abbr tabindex="0" title="{escape(meaning)}">'
            # Names of minds stand in quotation marks; what is within them is no term.
            text, count = re.subn(rf"(“[^”]*”)|{pattern}", _Once(explained), text)
            if count and explained in text:
                del unexplained[pattern]
        marked.append(Markup(text))
    return marked


class _Once:
    """Wraps the first match that is no quotation in a tag, and leaves all others as they are."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._done = False

    def __call__(self, match: re.Match[str]) -> str:
        if match[1] or self._done:
            return match[0]
        self._done = True
        return f"{self._tag}{match[0]}</abbr>"


def _score(estimate: Estimate) -> Pair:
    bounds = (
        ""
        if estimate.low is None or estimate.high is None
        else f"[{fixed(estimate.low, 2)}, {fixed(estimate.high, 2)}]"
    )
    return fixed(estimate.mean, 2), bounds if estimate.mean is not None else ""


def _share(estimate: Estimate) -> Pair:
    """A share in per cent, cut with its bounds to what a share can be, as in the sentence of a verdict."""
    mean, low, high = (
        percent(None if value is None else min(1.0, max(0.0, value)), 0)
        for value in (estimate.mean, estimate.low, estimate.high)
    )
    return mean, "" if None in (estimate.mean, estimate.low, estimate.high) else f"[{low}, {high}]"
