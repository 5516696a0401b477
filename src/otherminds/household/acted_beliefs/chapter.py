"""The chapter of a report on encounters: verdicts by the order of belief, with true and false beliefs apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER
from otherminds.household.acted_beliefs.evidence import (
    keep_order,
    read_decisions,
    read_evidence,
)
from otherminds.household.acted_beliefs.rules import read_rules
from otherminds.household.acted_beliefs.world import THINKS, THINKS_OF_EGO
from otherminds.measures.episode import Key
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.known_types import find_type
from otherminds.measures.registry import Unknown, details
from otherminds.measures.scenario_evidence import ScenarioEvidence, gather_evidence
from otherminds.measures.verdict import Verdict, judge
from otherminds.play.interventions import NONE as NO_INTERVENTION
from otherminds.reports.findings import WorldChapter, world_reports
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, grouped_by, pair, percent

Share = tuple[int, int]
"""Right answers, and all answers."""


class EncounterDetail(Struct, frozen=True, tag="encounters"):
    """One episode. ``order`` is that of the partner's type; in ``evidence`` only partners of this order count.

    ``true_belief`` has the predictions in encounters in which the partner goes to the thing, ``false_belief`` the others.
    ``thoughts`` has the answers on what the partner thinks, ``nested`` those on what it thinks that ego thinks.
    """

    scenario: str
    mind: str
    model: bool
    order: int
    evidence: EpisodeEvidence | Unknown
    true_belief: Share
    false_belief: Share
    thoughts: Share
    nested: Share


class EncounterRow(Struct, frozen=True):
    """A mind in a scenario with the partners of one order. ``verdict`` is ``None`` for order 0, which needs no theory of mind."""

    scenario: str
    mind: str
    order: int
    episodes: int
    verdict: Verdict | None
    true_belief: Share
    false_belief: Share
    thoughts: Share
    nested: Share


@details.register("encounters")
def collect_encounters(record: Record) -> EncounterDetail | None:
    """The encounters of an episode; ``None`` in other worlds, under an intervention, and with a partner that is not of the population."""
    rules, evidence = read_rules(record), read_evidence(record)
    if rules is None or evidence is None or record.spec.arm not in ("", NO_INTERVENTION):
        return None
    tables, partner = rules.tables, find_type(record, PARTNER, rules.tables.names)
    if partner is None:
        return None
    counts: dict[bool, list[int]] = {True: [0, 0], False: [0, 0]}
    for context, decision in zip(rules.contexts, read_decisions(record, rules), strict=False):
        word = tables.read(context).words[partner]
        if decision.asked:
            counts[word == context.now][0] += decision.word == word
            counts[word == context.now][1] += 1
    return EncounterDetail(
        scenario=record.spec.title,
        mind=record.spec.seats[EGO].title,
        model=bool(record.spec.seats[EGO].model),
        order=tables.types[partner].order,
        evidence=keep_order(tables, evidence) if isinstance(evidence, EpisodeEvidence) else evidence,
        true_belief=(counts[True][0], counts[True][1]),
        false_belief=(counts[False][0], counts[False][1]),
        thoughts=_count_right(record, THINKS),
        nested=_count_right(record, THINKS_OF_EGO),
    )


def _count_right(record: Record, question: str) -> Share:
    answers = [answer for answer in record.asked if record.questions[answer.question].id == question]
    return sum(answer.invalid is None and answer.answer == answer.truth for answer in answers), len(answers)


def judge_by_order(
    planned: Mapping[Key, int], encounters: Iterable[EncounterDetail]
) -> tuple[EncounterRow, ...]:
    """A row for each scenario, mind and order, in the order of ``planned``.

    Claims about language models are corrected for their number in the scenario, as elsewhere.
    """
    by_cell = grouped_by(encounters, lambda episode: (episode.scenario, episode.mind))
    by_scenario = grouped_by((key for key in planned if key in by_cell), lambda key: key[0])
    rows: list[EncounterRow] = []
    for scenario, keys in by_scenario.items():
        orders = sorted({episode.order for key in keys for episode in by_cell[key] if episode.order})
        verdicts = {
            order: judge(
                {mind: [_gather(by_cell[scenario, mind], order, planned[scenario, mind])] for _, mind in keys}
            )
            for order in orders
        }
        rows += [
            _make_row(key, order, by_cell[key], verdicts[order][key[1]] if order else None)
            for key in keys
            for order in (0, *orders)
        ]
    return tuple(rows)


def _gather(episodes: Sequence[EncounterDetail], order: int, planned: int) -> ScenarioEvidence:
    """The evidence from the partners of one order; an episode that is missing counts as one of them."""
    met = [episode for episode in episodes if episode.order == order]
    missing = planned - len(episodes)
    first = episodes[0]
    return gather_evidence(
        first.scenario, first.model, len(met) + missing, [episode.evidence for episode in met]
    )


def _make_row(
    key: Key, order: int, episodes: Sequence[EncounterDetail], verdict: Verdict | None
) -> EncounterRow:
    met = [episode for episode in episodes if episode.order == order]

    def total(shares: Iterable[Share]) -> Share:
        pairs = list(shares)
        return sum(right for right, _ in pairs), sum(count for _, count in pairs)

    return EncounterRow(
        *key,
        order=order,
        episodes=len(met),
        verdict=verdict,
        true_belief=total(episode.true_belief for episode in met),
        false_belief=total(episode.false_belief for episode in met),
        thoughts=total(episode.thoughts for episode in met),
        nested=total(episode.nested for episode in met),
    )


BELIEFS = (
    "Order 1: partners whose acts follow from where they think that the thing is; 2: from where they think that you think "
    "so; 3: once more nested. Order 0: partners that go to one place, or to the thing; to count is enough to predict them. "
    "L, unused share and F of an order are over its partners alone; each partner's 0 is the best policy against it that "
    "never uses who saw or heard what. True, false: predictions that were right, in %, where the partner goes to the "
    "thing, and where it goes elsewhere."
)
ASKED = (
    "Answers that were right, in %: where the partner thinks that the thing is, and where it thinks that the asked mind thinks "
    "so. Order: that of the partner. They are knowledge that is said; no verdict follows from them."
)


def write_sheets(rows: Sequence[EncounterRow]) -> tuple[Sheet, ...]:
    """The verdicts by order, and the answers about beliefs where these were asked."""
    heads = ("scenario", "mind", "order", "verdict", "L", "unused", "F", "true", "false", "n")
    judged = tuple(
        (
            (row.scenario, row.mind, str(row.order), row.verdict.words if row.verdict else "–"),
            (
                *_write_scores(row.verdict),
                _write_share(row.true_belief),
                _write_share(row.false_belief),
                (str(row.episodes), ""),
            ),
        )
        for row in rows
        if row.episodes
    )
    sheets = [Sheet("acted beliefs by order", heads, judged, (BELIEFS,))]
    asked: list[Row] = [
        (
            (row.scenario, row.mind, str(row.order)),
            (_write_share(row.thoughts), _write_share(row.nested)),
        )
        for row in rows
        if row.thoughts[1]
    ]
    if asked:
        heads = ("scenario", "mind", "order", "partner thinks", "partner thinks of ego")
        sheets.append(Sheet("beliefs that were asked for", heads, tuple(asked), (ASKED,)))
    return tuple(sheets)


def _write_scores(verdict: Verdict | None) -> tuple[Pair, Pair, Pair]:
    if verdict is None:
        return NONE, NONE, NONE
    return pair(verdict.literal, 2), pair(verdict.unused, 2), pair(verdict.functional, 2)


def _write_share(share: Share) -> Pair:
    right, count = share
    return (percent(right / count, 0), "") if count else NONE


world_reports.add(
    "encounters", WorldChapter("Beliefs that partners act on", judge_by_order, write_sheets, frozenset)
)
