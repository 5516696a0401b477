"""What the episodes of a mind show: whether it knows its partner, and whether it uses what it knows.

Each claim is a one-sided test at 5 %, corrected for the number of language models in a study (Holm 1979). Whatever was
lost counts against the claim that is tested. A verdict says that words and acts agree, or that they do not; whether
words cause acts is a question for interventions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.measures.intervals import TAIL_OF_ONE_SIDE, Estimate
from otherminds.measures.looks import Look
from otherminds.measures.scenario_evidence import (
    ClusteredMean,
    ScenarioEvidence,
    clustered_mean,
    holm_adjusted,
)

Kind: TypeAlias = Literal[
    "uses",
    "uses in part",
    "does not use",
    "plays better than it says",
    "no evidence",
    "undecided",
    "not measured",
    "no choice",
]

WORDS: dict[Kind, str] = {
    "uses": "knows and uses",
    "uses in part": "knows and uses in part",
    "does not use": "knows and does not use",
    "plays better than it says": "plays better than it says",
    "no evidence": "no evidence that it knows",
    "undecided": "knows; whether it uses it is undecided",
    "not measured": "not measured",
    "no choice": "no choice to make",
}
KNOWLEDGE: frozenset[Kind] = frozenset({"uses", "uses in part", "does not use", "undecided"})
"""The verdicts that say that a mind knows its partners."""
LEAST_KNOWN = 0.1
"""L, and F, of a mind that knows is above this."""
HARDLY_UNUSED, PART_UNUSED, HALF_UNUSED = 0.05, 0.10, 0.5
"""The unused share is above the first where something is left unused, below the second where a mind uses what it
knows, and above the third where it does not."""
FEWEST_CLUSTERS = 6
MOST_UNREAD = 0.05
"""The share of predictions that may be unreadable."""
MOST_LOST = 0.2
"""The share of episodes that may be lost where the survivors alone would get another verdict."""
SPAN = 3.0
"""Bounds of the unused share are sought so far from its estimate."""
BISECTIONS = 40
NOTHING_MEASURED = "nothing was measured"
MOST_TIMES = 64
"""The most times the present episodes for which the number that would decide is said."""


class Verdict(Struct, frozen=True):
    """The verdict about one mind, in one scenario or over several with equal weights.

    ``scenarios`` are those it is about. ``literal`` is L, ``unused`` the unused share and ``functional`` F; the ends
    of their intervals are one-sided 95 % bounds. Of ``planned`` episodes, ``episodes`` are recorded, among them ``lost`` ones, which were not
    scored, and ``clusters`` distinct ones. Of ``answers`` predictions, ``unread`` could not be read. ``model`` says
    whether the mind is a language model. ``reason`` says why nothing was measured or there is no choice, and, of an
    undecided verdict, how many more distinct episodes would decide. ``place`` names a whole split of tasks whose seats
    are all under test: the verdict is then about what the members of a team know of one another, and ``clusters`` are
    tasks with a question that tells who knows from who guesses. It is empty where a mind meets partners.
    """

    kind: Kind
    mind: str
    scenarios: tuple[str, ...]
    literal: Estimate
    unused: Estimate
    functional: Estimate
    planned: int
    episodes: int
    lost: int
    clusters: int
    answers: int
    unread: int
    model: bool = False
    reason: str = ""
    place: str = ""

    @property
    def words(self) -> str:
        """The verdict in a few words."""
        return WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with its numbers, its episodes, and what was lost."""
        lost = f"; {self.lost} of them lost" if self.lost else ""
        unread = f"; {self.unread} of {self.answers} predictions unread" if self.unread else ""
        played = f"{self.episodes} episodes" + (
            "" if self.episodes == self.planned else f" of {self.planned} planned"
        )
        distinct = f"{self.clusters} telling tasks" if self.place else f"{self.clusters} distinct"
        distinct = f", {distinct}" if self.clusters else ""
        n = f" (n = {played}{distinct}{lost}{unread})" if self.clusters or lost or unread else ""
        claim = self._claim_of_team() if self.place else self._claim()
        return f"“{self.mind}” in {self.place or _name_scenarios(self.scenarios)} {claim}{n}."

    def _claim_of_team(self) -> str:
        low = self.literal.mean is not None and self.literal.mean < -1
        says = "L is below -1" if low else f"L = {_number(self.literal)}"
        plays = f"F = {_number(self.functional)}"
        match self.kind:
            case "plays better than it says":
                return (
                    f"meets goals that a silent team does not ({plays}), and its answers do not show that it knows "
                    f"what others know ({says})"
                )
            case "no evidence":
                return f"gives no evidence that it knows what others know: {says}, {plays}"
            case "not measured":
                return f"was not measured: {self.reason}"
            case _:
                return f"knows what others know ({says}); {self.reason}: {plays}"

    def _claim(self) -> str:
        says, plays = f"L = {_number(self.literal)}", f"F = {_number(self.functional)}"
        given_away = _percent(self.unused)
        match self.kind:
            case "uses":
                return f"predicts its partners ({says}) and acts on it: it gives away {given_away} of the payoff that its predictions offer"
            case "uses in part":
                return f"predicts its partners ({says}) and acts on it in part: it gives away {given_away} of the payoff that its predictions offer"
            case "does not use":
                return (
                    f"predicts its partners ({says}) and does not act on its most likely prediction: it gives away "
                    f"{given_away} of the payoff that its predictions offer"
                )
            case "plays better than it says":
                return (
                    f"plays as if it knew its partners ({plays}), and its predictions do not show it ({says})"
                )
            case "no evidence":
                return f"shows no evidence that it knows its partners, in what it says ({says}) or in what it does ({plays})"
            case "undecided":
                return (
                    f"predicts its partners ({says}); whether it acts on that is undecided: it gives away {given_away} of the "
                    f"payoff that its predictions offer; {self.reason}"
                )
            case "not measured":
                return f"was not measured: {self.reason}"
            case "no choice":
                return f"has no choice to make: {self.reason}"


class Doubts(Struct, frozen=True):
    """The one-sided p-values against each claim about a mind; 1 where it cannot be tested.

    ``knows``: L is at most :data:`LEAST_KNOWN`. ``leaves`` and ``ignores``: the unused share is at most
    :data:`HARDLY_UNUSED`, or :data:`HALF_UNUSED`. ``uses``: it is at least :data:`PART_UNUSED`. ``plays``: F is at
    most :data:`LEAST_KNOWN`. ``mostly``: the unused share is at least
    :data:`HALF_UNUSED`, which tells when more episodes would not change "in part" to "does not use".
    """

    knows: float = 1.0
    leaves: float = 1.0
    ignores: float = 1.0
    uses: float = 1.0
    plays: float = 1.0
    mostly: float = 1.0

    def find_kind(self, tail: float = TAIL_OF_ONE_SIDE) -> Kind:
        """The verdict that follows at the level ``tail``."""
        if self.knows >= tail:
            return "plays better than it says" if self.plays < tail else "no evidence"
        if self.leaves < tail:
            return "does not use" if self.ignores < tail else "uses in part"
        return "uses" if self.uses < tail else "undecided"

    def is_decided(self, look: Look) -> bool:
        """Whether more episodes are not needed: claims are shown at this look, or are without hope until the last one."""
        if self.knows < look.tail:
            return min(self.uses, self.ignores, max(self.leaves, self.mostly)) < look.tail
        return look.is_hopeless(self.knows) and (self.plays < look.tail or look.is_hopeless(self.plays))


def judge(
    minds: Mapping[str, Sequence[ScenarioEvidence]], tails: Mapping[str, float] | None = None
) -> dict[str, Verdict]:
    """The verdict about each mind, over its scenarios with equal weights.

    Claims about language models are corrected for the number of those with evidence; other minds are yardsticks, and
    each is tested by itself. ``tails`` are the one-sided levels of minds that are looked at several times
    (:mod:`otherminds.measures.looks`).
    """
    usable = _list_usable(minds)
    doubts = _find_doubts(usable)
    survivors = _find_doubts(usable, lost=False)
    return {
        mind: _verdict(
            mind,
            evidences,
            usable[mind],
            doubts[mind],
            survivors[mind],
            (tails or {}).get(mind, TAIL_OF_ONE_SIDE),
        )
        for mind, evidences in minds.items()
    }


def list_decided(minds: Mapping[str, Sequence[ScenarioEvidence]], look: Look) -> set[str]:
    """The minds whose verdict is decided at a look at a study that goes on."""
    verdicts = judge(minds, dict.fromkeys(minds, look.tail))
    return {
        mind
        for mind, doubts in _find_doubts(_list_usable(minds)).items()
        if doubts.is_decided(look) and verdicts[mind].kind not in ("not measured", "no choice", "undecided")
    }


def _list_usable(minds: Mapping[str, Sequence[ScenarioEvidence]]) -> dict[str, list[ScenarioEvidence]]:
    return {
        mind: [evidence for evidence in evidences if _is_usable(evidence)]
        for mind, evidences in minds.items()
    }


def _find_doubts(usable: Mapping[str, Sequence[ScenarioEvidence]], *, lost: bool = True) -> dict[str, Doubts]:
    """The p-values of all minds, those of language models corrected for their number."""
    models = [mind for mind, evidences in usable.items() if evidences and evidences[0].model]
    return _correct_doubts(
        {mind: _doubts(evidences, lost=lost) for mind, evidences in usable.items()}, models
    )


def _correct_doubts(doubts: Mapping[str, Doubts], models: Sequence[str]) -> dict[str, Doubts]:
    """The p-values, those of language models corrected for their number."""
    columns = {
        claim: holm_adjusted([getattr(doubts[mind], claim) for mind in models])
        for claim in Doubts.__struct_fields__
    }
    adjusted = {
        mind: Doubts(**{claim: column[place] for claim, column in columns.items()})
        for place, mind in enumerate(models)
    }
    return {**doubts, **adjusted}


def _is_usable(evidence: ScenarioEvidence) -> bool:
    """Whether a scenario can show anything: some partner was met about whom there is something to know."""
    counted = {share.name for share in evidence.shares if share.literal}
    return any(partner in counted for partner, _ in (*evidence.scored, *evidence.broken))


def _doubts(evidences: Sequence[ScenarioEvidence], *, lost: bool = True) -> Doubts:
    """The p-values of the claims. With ``lost``, lost episodes count against each claim, else they are left out."""
    knows = clustered_mean([evidence.literal_strata(lost=lost) for evidence in evidences])
    plays = clustered_mean([evidence.functional_strata(lost=lost) for evidence in evidences])
    accused, excused = (0.0, 1.0) if lost else (None, None)
    leaves, ignores, uses, mostly = (
        clustered_mean([evidence.unused_strata(than, lost_as=lost_as) for evidence in evidences])
        for than, lost_as in (
            (HARDLY_UNUSED, accused),
            (HALF_UNUSED, accused),
            (PART_UNUSED, excused),
            (HALF_UNUSED, excused),
        )
    )
    return Doubts(
        knows=1.0 if knows is None else knows.above(LEAST_KNOWN),
        leaves=1.0 if leaves is None else leaves.above(0.0),
        ignores=1.0 if ignores is None else ignores.above(0.0),
        uses=1.0 if uses is None else uses.below(0.0),
        plays=1.0 if plays is None else plays.above(LEAST_KNOWN),
        mostly=1.0 if mostly is None else mostly.below(0.0),
    )


def _verdict(
    mind: str,
    evidences: Sequence[ScenarioEvidence],
    usable: Sequence[ScenarioEvidence],
    doubts: Doubts,
    survivors: Doubts,
    tail: float,
) -> Verdict:
    literal = clustered_mean([evidence.literal_strata(lost=True) for evidence in usable])
    functional = clustered_mean([evidence.functional_strata(lost=True) for evidence in usable])
    kind: Kind = doubts.find_kind(tail)
    reason = _obstacle(evidences, usable, literal, kind == survivors.find_kind(tail))
    if reason:
        kind = (
            "no choice" if evidences and all(evidence.no_choice for evidence in evidences) else "not measured"
        )
    elif kind == "undecided":
        reason = _more_episodes(usable, tail)
    reported = usable or evidences
    return Verdict(
        kind=kind,
        mind=mind,
        scenarios=tuple(evidence.scenario for evidence in reported),
        literal=_to_estimate(literal, tail),
        unused=_unused_share(usable, tail),
        functional=_to_estimate(functional, tail),
        planned=sum(evidence.planned for evidence in reported),
        episodes=sum(evidence.episodes for evidence in reported),
        lost=sum(evidence.lost for evidence in reported),
        clusters=literal.clusters if literal else 0,
        answers=sum(evidence.answers for evidence in reported),
        unread=sum(evidence.unread for evidence in reported),
        model=any(evidence.model for evidence in evidences),
        reason=reason,
    )


def _obstacle(
    evidences: Sequence[ScenarioEvidence],
    usable: Sequence[ScenarioEvidence],
    literal: ClusteredMean | None,
    is_robust: bool,
) -> str:
    """Why there is no verdict; empty where there is one. ``is_robust``: it is the same without what was lost."""
    episodes = sum(evidence.episodes for evidence in usable)
    if not usable or literal is None:
        reasons = [
            reason
            for evidence in evidences
            for reason in evidence.reasons
            if not evidence.no_choice or evidences[0].no_choice
        ]
        return reasons[0] if reasons else "no episode met a partner about whom there is something to know"
    for evidence in usable:
        if absent := evidence.without_data():
            return f"no informative round against {', '.join(absent)} in {evidence.scenario}"
        habit, score = evidence.habit()
        if score > LEAST_KNOWN:
            return f"the labels are not balanced over the partners in {evidence.scenario}: always saying “{habit}” has L = {score:.2f}"
    unread, answers = (
        sum(evidence.unread for evidence in usable),
        sum(evidence.answers for evidence in usable),
    )
    if unread > MOST_UNREAD * answers:
        return f"{unread} of {answers} predictions could not be read"
    strange = sum(n for evidence in usable for n in evidence.reasons.values())
    if strange > MOST_UNREAD * episodes:
        return next(reason for evidence in usable for reason in evidence.reasons)
    lost = sum(evidence.lost for evidence in usable)
    if lost == episodes:
        return f"all {episodes} episodes were lost"
    if lost > MOST_LOST * episodes:
        others = clustered_mean([evidence.literal_strata(lost=False) for evidence in usable])
        if others is None or others.clusters < FEWEST_CLUSTERS:
            return f"{lost} of {episodes} episodes were lost, and the others are too few for a verdict"
        if not is_robust:
            return f"{lost} of {episodes} episodes were lost, and the others alone would give another verdict"
    if literal.clusters < FEWEST_CLUSTERS:
        return (
            f"{episodes} episodes, {literal.clusters} of them distinct; "
            "use scenarios with labels, or more episodes with other labels"
        )
    return ""


def _to_estimate(mean: ClusteredMean | None, tail: float) -> Estimate:
    return Estimate(None, reason=NOTHING_MEASURED) if mean is None else mean.estimate(tail)


def _unused_share(usable: Sequence[ScenarioEvidence], tail: float) -> Estimate:
    """The unused share between the values that the tests at the level ``tail`` do not reject (Fieller 1954)."""
    unused = clustered_mean([evidence.unused_strata(0.0, lost_as=None) for evidence in usable])
    reach = clustered_mean([evidence.reach_strata() for evidence in usable])
    if unused is None or reach is None or reach.mean <= 0:
        none = "no right prediction in an informative round" if usable else NOTHING_MEASURED
        return Estimate(None, reason=none)

    def is_rejected(share: float, side: Literal["low", "high"]) -> bool:
        lost_as = 0.0 if side == "low" else 1.0
        mean = clustered_mean([evidence.unused_strata(share, lost_as=lost_as) for evidence in usable])
        assert mean is not None, "the share is defined"
        return (mean.above(0.0) if side == "low" else mean.below(0.0)) < tail

    share = unused.mean / reach.mean
    return Estimate(
        share,
        find_edge(lambda value: is_rejected(value, "low"), share - SPAN, share),
        find_edge(lambda value: is_rejected(value, "high"), share + SPAN, share),
        n=unused.episodes,
    )


def find_edge(rejected: Callable[[float], bool], outside: float, inside: float) -> float:
    """The value between ``outside``, which is rejected, and ``inside`` from which on values are not rejected."""
    for _ in range(BISECTIONS):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if rejected(middle) else (outside, middle)
    return inside


def _more_episodes(usable: Sequence[ScenarioEvidence], tail: float) -> str:
    """How many more distinct episodes would decide whether the mind uses what it knows, at the present spread."""

    def decides(times: float) -> bool:
        leaves, uses = (
            clustered_mean([evidence.unused_strata(than, lost_as=lost_as) for evidence in usable], times)
            for than, lost_as in ((HARDLY_UNUSED, 0.0), (PART_UNUSED, 1.0))
        )
        return bool(leaves and leaves.above(0.0) < tail) or bool(uses and uses.below(0.0) < tail)

    unused = clustered_mean([evidence.unused_strata(0.0, lost_as=None) for evidence in usable])
    if unused is None or not decides(MOST_TIMES):
        return f"even {MOST_TIMES} times as many episodes like these would not decide it"
    times = find_edge(lambda value: not decides(value), 1.0, MOST_TIMES)
    return f"about {ceil((times - 1) * unused.clusters)} more distinct episodes like these would decide it"


def _number(estimate: Estimate) -> str:
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return "unknown"
    # Adding 0.0 makes −0.0 a plain zero.
    mean, low, high = (round(x, 2) + 0.0 for x in (estimate.mean, estimate.low, estimate.high))
    return f"{mean:.2f} [{low:.2f}, {high:.2f}]"


def _percent(estimate: Estimate) -> str:
    """A share with its interval as percentages, cut to what a share can be."""
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return "an unknown share"
    low, mean, high = (
        round(100 * min(1.0, max(0.0, x))) for x in (estimate.low, estimate.mean, estimate.high)
    )
    return f"{mean} % [{low}, {high}]"


def _name_scenarios(names: Sequence[str]) -> str:
    if len(names) > 3:
        return f"{len(names)} scenarios"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1] if names else "")))
