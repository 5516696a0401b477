"""A cell of a report: all numbers for one mind in one scenario, also where the ends of F and L are estimated.

In worlds that cannot be solved, R_informed and R_blind are the returns of the minds ``informed`` and
``blind`` in the same study, scenario, seed and against the same partners. Both are random, so F is a ratio of
means over episodes. The length of an episode is random too, so returns are per step. The upper end of L is
the accuracy of ``informed`` on the same seed, the lower end that of a predictor that knows only what usually
follows the own last behaviour. Scores with such ends are marked as estimated and have no verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

import numpy as np
from msgspec import Struct, field, structs

from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.measures.basis import NONE_SCORED, Decomposition, scores
from otherminds.measures.episode import Episode, Key, group_by_cell, summarise
from otherminds.measures.intervals import Estimate, Strata, share_of
from otherminds.measures.notes import About, common
from otherminds.measures.registry import NOT_APPLYING, Accuracy, Inapplicable, Unknown, all_known, rates
from otherminds.measures.scenario_evidence import ScenarioEvidence, gather_evidence
from otherminds.measures.verdict import Verdict, judge

INFORMED, BLIND = "informed", "blind"
FEWEST = 5
"""The least number of seeds for an estimated F."""
UNSURE = (
    "over these seeds the reference mind informed does not surely win more than blind: "
    "this scenario cannot show functional theory of mind, or needs more episodes"
)
NO_ROOM = (
    "over these seeds the reference mind informed does not surely predict better than what usually follows "
    "the own last behaviour: this scenario cannot show literal theory of mind, or needs more episodes"
)
NO_KNOWER = "L needs the reference mind informed on the same seeds: the partners' policies are not recorded"
NO_REFERENCE = "the partners' policies are not recorded, and the scenario names no population that a reference mind knows"
TOO_FEW = f"F needs the reference minds informed and blind on at least {FEWEST} of the same seeds"

Returns: TypeAlias = dict[tuple[str, str, int], float]
"""Returns per step, by scenario, partners and seed."""


def refer_to_references(by_cell: Mapping[Key, Sequence[Episode]]) -> dict[Key, list[Episode]]:
    """The episodes of all cells, with the ends of F and L that follow from reference minds.

    An episode without both reference minds on its seed is unchanged. Where the difference between
    the two is not significant, F is unknown for every episode of the scenario.
    """
    informed, blind = _returns(by_cell, INFORMED), _returns(by_cell, BLIND)
    unsure = _unsure(informed, blind)
    knowing = _accuracies(by_cell, INFORMED)

    def share(episode: Episode) -> tuple[float, float] | Unknown:
        met = (episode.scenario, *episode.cluster)
        if not isinstance(episode.basis.share, Unknown) or met not in informed or met not in blind:
            return episode.basis.share
        if episode.scenario in unsure:
            return Unknown(unsure[episode.scenario])
        return _a_step(episode) - blind[met], informed[met] - blind[met]

    def refer(episode: Episode, accuracy: Accuracy | Unknown) -> Episode:
        if "reward_per_1200_steps" not in episode.values:
            return episode  # the ends are exact, or missing for other reasons
        old = episode.basis
        new = structs.replace(old, share=share(episode), accuracy=accuracy)
        estimated = old.estimated or any(
            end != before and not isinstance(end, Unknown)
            for end, before in ((new.share, old.share), (new.accuracy, old.accuracy))
        )
        return structs.replace(episode, basis=structs.replace(new, estimated=estimated))

    def cell(played: Sequence[Episode]) -> list[Episode]:
        return [refer(*pair) for pair in zip(played, _literal_ends(played, knowing), strict=True)]

    return {key: cell(played) for key, played in by_cell.items()}


def _usual(played: Sequence[Episode]) -> dict[str, str]:
    """The most frequent truth after each own behaviour in a cell: the reference blind predictor."""
    truths_after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for episode in played:
        for prediction in episode.predictions:
            truths_after[prediction.last][prediction.truth] += 1
    return {last: min(truths, key=lambda t: (-truths[t], t)) for last, truths in truths_after.items()}


def _literal_ends(played: Sequence[Episode], knowing: Returns) -> list[Accuracy | Unknown]:
    """The ends of L of a cell's episodes; all estimated ones are null where ``informed`` may know nothing more."""
    usual = _usual(played)
    ends = [episode.basis.accuracy for episode in played]
    estimated: dict[int, Accuracy] = {}
    for i, episode in enumerate(played):
        if isinstance(ends[i], Unknown) and episode.predictions:
            ends[i] = estimate = _accuracy(episode, usual, knowing.get((episode.scenario, *episode.cluster)))
            if isinstance(estimate, Accuracy):
                estimated[i] = estimate
    if estimated and not _surely_above_0(
        [accuracy.known - accuracy.blind for accuracy in estimated.values()]
    ):
        for i in estimated:
            ends[i] = Unknown(NO_ROOM)
    return ends


def _accuracy(episode: Episode, usual: Mapping[str, str], informed: float | None) -> Accuracy | Unknown:
    if informed is None:
        return Unknown(NO_KNOWER if episode.about.reference else NO_REFERENCE)
    n = len(episode.predictions)
    return Accuracy(
        sum(prediction.right for prediction in episode.predictions) / n,
        sum(usual[prediction.last] == prediction.truth for prediction in episode.predictions) / n,
        informed,
    )


def _accuracies(by_cell: Mapping[Key, Sequence[Episode]], kind: str) -> Returns:
    """The accuracy of the best mind of ``kind``, by scenario, partners and seed."""
    best: Returns = {}
    for met, episode in _scored_episodes(by_cell, kind):
        if episode.predictions:
            share = sum(prediction.right for prediction in episode.predictions) / len(episode.predictions)
            best[met] = max(best.get(met, 0.0), share)
    return best


def _unsure(informed: Returns, blind: Returns) -> dict[str, str]:
    """Scenarios in which informed − blind is not significantly above 0 or has too few seeds, with the reason."""
    gains: dict[str, list[float]] = {}
    for met in informed.keys() & blind.keys():
        gains.setdefault(met[0], []).append(informed[met] - blind[met])
    reasons: dict[str, str] = {}
    for scenario, won in gains.items():
        if len(won) < FEWEST:
            reasons[scenario] = TOO_FEW
        elif not _surely_above_0(won):
            reasons[scenario] = UNSURE
    return reasons


def _surely_above_0(values: Sequence[float]) -> bool:
    """With 97.5 % confidence (Student's t)."""
    return (Strata([""] * len(values)).estimate(np.array(values)).low or 0.0) > 0


def _returns(by_cell: Mapping[Key, Sequence[Episode]], kind: str) -> Returns:
    """Returns per step of the first mind of ``kind``, by scenario, partners and seed."""
    returns: Returns = {}
    for met, episode in _scored_episodes(by_cell, kind):
        returns.setdefault(met, _a_step(episode))
    return returns


def _scored_episodes(
    by_cell: Mapping[Key, Sequence[Episode]], kind: str
) -> Iterator[tuple[tuple[str, str, int], Episode]]:
    for (scenario, _), played in by_cell.items():
        for episode in played:
            if episode.kind == kind and episode.outcome.status == "scored":
                yield (scenario, *episode.cluster), episode


def _a_step(episode: Episode) -> float:
    return episode.reward / max(episode.length, 1)


NOT_EVERYWHERE = Unknown("it does not apply to every episode")
NONE_COUNTED = "there was nothing of the kind in any episode"
PROFILE = ("best_before", "best_after")


class Cell(Struct, frozen=True):
    """One scenario and one mind. Means are over scored episodes only.

    ``planned = scored + invalid + cut + refused + failed + missing``. ``functional`` is F, ``literal`` L, ``gap`` their
    difference; ``unknowable``, ``foresight``, ``mistaken``, ``unused`` and ``luck`` are the parts of
    ``delta_functional``, in payoff a round (:mod:`otherminds.measures.basis`). ``estimated``: an end
    of F or L comes from reference minds of the same study. ``exact``: the parts are exact, not from posterior
    means of values. ``winnable``: what knowing the partner can win, I − B in payoff a round, where it is exact.
    ``at_best`` and ``at_worst`` bound ``delta_functional`` over all planned episodes: with
    the best response's return, or with the least payoff in every round, in those that were not scored.
    ``causes`` counts the unscored episodes by who is to blame. ``verdict`` is what its episodes show, computed from
    ``evidence``; claims about language models are corrected for their number in the scenario.

    ``best_before`` and ``best_after`` are the exploitation profile: the share of best responses before, and
    from, the first correct prediction. ``reward`` is the mean return of an episode. ``invalid_share`` counts
    invalid decisions and answers of all recorded episodes; ``tries`` is model calls per request (1: no
    re-asks). ``more`` holds all other registered measures, by name.
    """

    scenario: str
    mind: str
    planned: int
    scored: int
    invalid: int
    cut: int
    refused: int
    failed: int
    causes: dict[str, int]
    about: About
    evidence: ScenarioEvidence
    verdict: Verdict
    delta_functional: Estimate
    delta_tom: Estimate
    tom_percent: Estimate
    functional: Estimate
    literal: Estimate
    gap: Estimate
    unknowable: Estimate
    foresight: Estimate
    mistaken: Estimate
    unused: Estimate
    luck: Estimate
    paper_delta_functional: Estimate
    paper_delta_tom: Estimate
    best_before: Estimate
    best_after: Estimate
    reward: float | None = None
    invalid_share: float | None = None
    tries: float | None = None
    at_best: float | None = None
    at_worst: float | None = None
    estimated: bool = False
    exact: bool = True
    winnable: float | None = None
    more: dict[str, Estimate] = field(default_factory=dict[str, Estimate])

    @property
    def missing(self) -> int:
        """Planned episodes that are not recorded yet."""
        return self.planned - self.scored - self.invalid - self.cut - self.refused - self.failed


COLUMNS = tuple(column.name for column in structs.fields(Cell) if column.type is Estimate)
"""The estimates that every cell has, whether they apply or not."""


def tabulate(planned: Mapping[Key, int], records: Iterable[Record]) -> list[Cell]:
    """The cells of a report, in the order of ``planned``.

    ``planned`` says how many episodes each (scenario, mind) was to have; its keys
    are ``record.spec.title`` and the title of the seat under test.

    Raises:
        StudyError: a record that was not planned, or more than were.
    """
    return cells(planned, map(summarise, records))


def cells(planned: Mapping[Key, int], episodes: Iterable[Episode]) -> list[Cell]:
    """:func:`tabulate` for records that were measured already."""
    by_cell = refer_to_references(group_by_cell(planned, episodes))
    for (scenario, mind), played in by_cell.items():
        if len(played) > planned[scenario, mind]:
            raise StudyError(
                f"{len(played)} records of {scenario!r} with mind {mind!r}, "
                f"but {planned[scenario, mind]} were planned; remove what does not belong to the study"
            )
    evidence = {key: _evidence(key, number, by_cell[key]) for key, number in planned.items()}
    judged: dict[str, dict[str, Verdict]] = {}
    for scenario in dict.fromkeys(scenario for scenario, _ in planned):
        minds = {mind: [gathered] for (where, mind), gathered in evidence.items() if where == scenario}
        judged[scenario] = judge(minds)
    return [
        _cell(key, number, by_cell[key], evidence[key], judged[key[0]][key[1]])
        for key, number in planned.items()
    ]


def _evidence(key: Key, planned: int, episodes: Sequence[Episode]) -> ScenarioEvidence:
    who = next((episode.about.who for episode in episodes if episode.about.who), None)
    model = who is not None and bool(who.model)
    gathered = gather_evidence(key[0], model, planned, (episode.evidence for episode in episodes))
    gathered.lost = sum(
        episode.outcome.status != "scored" for episode in episodes
    )  # also those without evidence
    return gathered


def _cell(
    key: Key, planned: int, episodes: Sequence[Episode], evidence: ScenarioEvidence, verdict: Verdict
) -> Cell:
    statuses = Counter(episode.outcome.status for episode in episodes)
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    invalid, replies = (sum(episode.replies[i] for episode in episodes) for i in (0, 1))
    calls, requests = (sum(episode.tries[i] for episode in episodes) for i in (0, 1))
    statistics = estimates(episodes)
    lacking = Estimate(None, reason=NOT_APPLYING if scored else NONE_SCORED)
    columns = {name: statistics.pop(name, lacking) for name in COLUMNS}
    at_best, at_worst = _extremes(planned, episodes, columns["delta_functional"].mean)
    return Cell(
        scenario=key[0],
        mind=key[1],
        planned=planned,
        scored=statuses["scored"],
        invalid=statuses["invalid"],
        cut=statuses["cut"],
        refused=statuses["refused"],
        failed=statuses["failed"],
        causes=dict(Counter(e.outcome.blame for e in episodes if e.outcome.status != "scored")),
        about=common([episode.about for episode in episodes]),
        evidence=evidence,
        verdict=verdict,
        **columns,
        reward=sum(episode.reward for episode in scored) / len(scored) if scored else None,
        invalid_share=invalid / replies if replies else None,
        tries=calls / requests if requests else None,
        at_best=at_best,
        at_worst=at_worst,
        estimated=any(episode.basis.estimated for episode in scored),
        exact=all(not isinstance(p := episode.basis.parts, Decomposition) or p.exact for episode in scored),
        winnable=_winnable(scored),
        more=statistics,
    )


def _winnable(scored: Sequence[Episode]) -> float | None:
    """The mean of I − B a round; ``None`` where F is unknown or its ends are estimated."""
    shares = all_known(episode.basis.share for episode in scored)
    if not scored or isinstance(shares, Unknown) or any(episode.basis.estimated for episode in scored):
        return None
    return fmean(share[1] / episode.length for share, episode in zip(shares, scored, strict=True))


def _extremes(
    planned: int, episodes: Sequence[Episode], mean: float | None
) -> tuple[float | None, float | None]:
    """``at_best`` and ``at_worst`` of a cell: the mean regret over all that was planned."""
    payoffs = next((episode.payoffs for episode in episodes if episode.payoffs), None)
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    if not planned or payoffs is None or (scored and mean is None):
        return None, None
    least, most = payoffs
    lengths = {episode.length for episode in scored}
    length = lengths.pop() if len(lengths) == 1 else 0
    worst = (planned - len(episodes)) * (most - least)
    for episode in episodes:
        if episode.outcome.status != "scored":
            informed = episode.informed
            worst += most - least if informed is None or not length else informed / length - least
    total = (mean or 0.0) * len(scored)
    return total / planned, (total + worst) / planned


def estimates(episodes: Sequence[Episode]) -> dict[str, Estimate]:
    """Every statistic of one cell by its name.

    The registered measures and ratios that apply to one of its episodes, the scores of
    :mod:`otherminds.measures.basis`, ``best_before`` and ``best_after``. Means of measures
    are over scored episodes, each partner with as much weight as it has episodes.
    """
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    statistics = scores([episode.basis for episode in episodes])
    if not scored:
        return statistics | {name: Estimate(None, reason=NONE_SCORED) for name in PROFILE}
    strata = Strata([episode.stratum for episode in scored])
    for name in sorted({name for episode in scored for name in episode.values}):
        rows = [episode.values.get(name, NOT_EVERYWHERE) for episode in scored]
        statistics[name] = _share(rows) if name in rates else _mean(strata, rows)
    for name in sorted({name for episode in scored for name in episode.ratios}):
        rows = [episode.ratios.get(name, NOT_EVERYWHERE) for episode in scored]
        statistics[name] = _ratio(strata, rows, NONE_COUNTED)
    profiles = [episode.profile for episode in scored]
    before = [p if isinstance(p, Unknown) else (p.before_best, p.before) for p in profiles]
    after = [p if isinstance(p, Unknown) else (p.after_best, p.after) for p in profiles]
    statistics["best_before"] = _ratio(strata, before, "every first prediction was correct")
    statistics["best_after"] = _ratio(strata, after, "no prediction was correct")
    return statistics


def _mean(strata: Strata, rows: Sequence[float | Unknown]) -> Estimate:
    values = all_known(rows)
    if isinstance(values, Unknown):
        return Estimate(None, reason=values.reason)
    return strata.estimate(np.array(values, dtype=np.float64))


def _share(rows: Sequence[float | Unknown]) -> Estimate:
    """The share of episodes in which something was so, each 0 or 1."""
    values = all_known(rows)
    return (
        Estimate(None, reason=values.reason)
        if isinstance(values, Unknown)
        else share_of(sum(values), len(values))
    )


def _ratio(strata: Strata, rows: Sequence[tuple[float, float] | Unknown], undefined: str) -> Estimate:
    """The ratio of two sums; unknown if it is unknown for any episode."""
    values = all_known(rows)
    if isinstance(values, Unknown):
        return Estimate(None, reason=NOT_APPLYING if isinstance(values, Inapplicable) else values.reason)
    over, under = np.array(values, dtype=np.float64).T
    return strata.estimate(over, under) if under.sum() > 0 else Estimate(None, reason=undefined)


def in_question(cells: Sequence[Cell]) -> list[Cell]:
    """The cells of language models, or all where there is none."""
    language_cells = [cell for cell in cells if cell.evidence.model]
    return language_cells or list(cells)


def verdicts(cells: Sequence[Cell]) -> tuple[Verdict, ...]:
    """The verdict about each mind, over all of its scenarios; language models first, else in the order of ``cells``."""
    evidence: dict[str, list[ScenarioEvidence]] = {}
    for cell in cells:
        evidence.setdefault(cell.mind, []).append(cell.evidence)
    return tuple(sorted(judge(evidence).values(), key=lambda verdict: not verdict.model))
