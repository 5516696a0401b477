"""What interventions change: whether a mind acts on what it is shown, and the share of its loss that an arm removes.

Arms (:mod:`otherminds.play.interventions`) are compared pair by pair: an episode in an arm with that in the arm ``none``
of the same partner and seed.

- **use**: with f the share of acts that are best replies to what is shown, and c that of acts in the arm ``none`` that are best
  replies to what would have been shown there, (f − c) / (1 − c). A mind that acts on what it is shown with probability
  q, and otherwise as without it, has q.
- **loss**: Σ (V − Q(a)) / Σ (V − mean_b Q(b)) over the acts of an episode, with the values of one who knows the partner
  (:mod:`otherminds.measures.weighed_acts`): 0 for the best play, 1 for random play.
- **removed**: 1 − loss in the arm / loss in the arm ``none``. In ``swap`` both are over the acts from the exchange on, and a loss that is added counts as below 0.

Partners are strata and clusters are those of verdicts (:mod:`otherminds.measures.scenario_evidence`). Intervals are of 95 %,
those of ratios after Fieller (1954). Pairs of which one episode was not scored are left out and counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from otherminds.core.data import SHOWN, Behaviour, Notice
from otherminds.core.record import Record
from otherminds.measures.basis import DOMINANT
from otherminds.measures.episode import Key
from otherminds.measures.evidence import design_of
from otherminds.measures.intervals import TAIL, Estimate, t_quantile
from otherminds.measures.literal import member
from otherminds.measures.notes import read_note
from otherminds.measures.registry import Unknown, details, ego
from otherminds.measures.scenario_evidence import Cluster, ClusteredMean, Stratum, clustered_mean
from otherminds.measures.verdict import FEWEST_CLUSTERS, MOST_LOST, SPAN, find_edge
from otherminds.measures.weighed_acts import WeighedAct, find_exchange, weigh_acts
from otherminds.play.interventions import BELIEF, FALSE, INTERVENTIONS, NONE, REMIND, SWAP, false_prediction

NOTHING_SHOWN = "nothing is shown in this arm"
NO_LOSS = "its loss without an intervention is not shown to be above 0"
ALWAYS_DONE = "it is not shown to act otherwise where nothing is shown"
NO_PAIR = "no pair of scored episodes with the arm none"


class EpisodeConduct(Struct, frozen=True):
    """What one episode of an experiment shows of its mind.

    ``mind`` is its name without the arm. ``partner`` is the partner at the start, ``weight`` its share of the population
    and ``design`` what was balanced or drawn. ``followed`` has, for each arm that shows something, the acts that are best
    replies to it and all acts with something to reply to: of the arm ``none`` for what would have been shown. ``losses`` are
    the step, the loss and the loss of random play of each act; ``late`` is the step of an exchange. ``reason`` says why there is nothing, such as that the episode was
    lost.
    """

    scenario: str
    mind: str
    arm: str
    seed: int
    partner: str
    weight: float
    design: str
    lost: bool
    followed: dict[str, tuple[int, int]] = {}
    losses: tuple[tuple[int, float, float], ...] = ()
    late: int = 0
    reason: str = ""

    def loss(self, since: int = 0) -> float | None:
        """The loss over the acts from the step ``since`` on; ``None`` where nothing can be lost."""
        counted = [(lost, possible) for step, lost, possible in self.losses if step >= since]
        possible = sum(possible for _, possible in counted)
        return sum(lost for lost, _ in counted) / possible if possible > 0 else None


class ArmRow(Struct, frozen=True):
    """One arm of one mind in one scenario, over ``pairs`` of episodes of which ``clusters`` are distinct.

    ``followed`` and ``by_chance`` are the shares of best replies to what is shown, in the arm and without it, ``difference``
    is the first minus the second. ``loss`` is that of the arm and ``loss_without`` that of the arm ``none``. ``lost`` counts the pairs that were left out.
    """

    scenario: str
    mind: str
    arm: str
    pairs: int
    clusters: int
    lost: int
    followed: Estimate
    by_chance: Estimate
    difference: Estimate
    use: Estimate
    loss_without: Estimate
    loss: Estimate
    removed: Estimate


def notices_shown(record: Record) -> list[tuple[int, Notice]]:
    """What was shown, with the step before whose act it was."""
    noted = [(note.step, read_note(note, SHOWN, Notice)) for note in record.notes]
    return [(step, notice) for step, notice in noted if notice is not None]


@details.register("interventions")
def episode_conduct(record: Record) -> EpisodeConduct | None:
    """What an episode of an experiment shows; ``None`` outside of experiments."""
    arm = record.spec.arm
    if not arm:
        return None
    exchange = find_exchange(record)
    partner = exchange.first if exchange else member(record)
    population = record.bounds.population if record.bounds else ()
    lost = record.outcome.status != "scored"
    acts = Unknown(record.outcome.reason or "the episode was not scored") if lost else weigh_acts(record)
    known = [] if isinstance(acts, Unknown) else acts
    return EpisodeConduct(
        scenario=record.spec.title,
        mind=name_without_arm(record.spec.seats[ego(record)].title, arm),
        arm=arm,
        seed=record.spec.seed,
        partner=partner,
        weight=next((entry.weight for entry in population if entry.name == partner), 1.0),
        design=design_of(record),
        lost=lost,
        followed={shown: _count_followed(record, known, shown) for shown in _arms_shown(arm)},
        losses=tuple((act.step, act.loss, act.random_loss) for act in known),
        late=exchange.step if exchange else 0,
        reason=acts.reason if isinstance(acts, Unknown) else "",
    )


def name_arm(mind: str, arm: str) -> str:
    """The name of a mind in an arm, as reports show it: its own in the arm ``none``.

    >>> name_arm("qa", "none"), name_arm("qa", "remind"), name_without_arm("qa [remind]", "remind")
    ('qa', 'qa [remind]', 'qa')
    """
    return mind if arm == NONE else f"{mind} [{arm}]"


def name_without_arm(mind: str, arm: str) -> str:
    """The inverse of :func:`name_arm`."""
    return mind.removesuffix(f" [{arm}]")


def _arms_shown(arm: str) -> tuple[str, ...]:
    """The arms whose notices the acts of ``arm`` are compared with."""
    showing = tuple(name for name in INTERVENTIONS if name not in (NONE, SWAP))
    return showing if arm == NONE else (arm,) if arm in showing else ()


def _count_followed(record: Record, acts: Sequence[WeighedAct], arm: str) -> tuple[int, int]:
    """The acts that are best replies to what ``arm`` shows, or would have shown, and all that could be."""
    notices = notices_shown(record) if record.spec.arm == arm else []
    followed = counted = at = 0
    for n, act in enumerate(acts):
        notice: Notice | None = None
        while at < len(notices) and notices[at][0] <= act.step:
            notice, at = notices[at][1], at + 1
        if not act.matters or (record.spec.arm != NONE and notice is None):
            continue
        shown = notice.behaviour if notice and notice.behaviour else _would_show(record, n, act, arm)
        if shown in act.replies:
            counted += 1
            followed += act.act in act.replies[shown]
    return followed, counted


def _would_show(record: Record, n: int, act: WeighedAct, arm: str) -> Behaviour | None:
    """What ``arm`` shows, or would have shown, before the act with number ``n``."""
    if arm == REMIND:
        return act.said
    if arm == BELIEF and act.believed is not None:
        return act.believed
    return (
        false_prediction(record.spec.seed, n, tuple(act.replies), act.coming) if arm in FALSE else act.coming
    )


def arm_rows(planned: Mapping[Key, int], episodes: Iterable[EpisodeConduct]) -> list[ArmRow]:
    """A row for each arm but ``none``, in the order of ``planned`` and of :data:`~otherminds.play.interventions.INTERVENTIONS`."""
    by_cell: dict[Key, dict[str, dict[int, EpisodeConduct]]] = {}
    for episode in episodes:
        arms = by_cell.setdefault((episode.scenario, episode.mind), {})
        arms.setdefault(episode.arm, {})[episode.seed] = episode
    place = {key: n for n, key in enumerate(planned)}
    ordered = sorted(by_cell, key=lambda key: place.get(key, len(place)))
    return [
        _row(key, arm, by_cell[key][arm], by_cell[key].get(NONE, {}))
        for key in ordered
        for arm in INTERVENTIONS
        if arm != NONE and arm in by_cell[key]
    ]


def _row(
    key: Key, arm: str, episodes: Mapping[int, EpisodeConduct], without: Mapping[int, EpisodeConduct]
) -> ArmRow:
    both = [(episodes[seed], without[seed]) for seed in sorted(episodes.keys() & without.keys())]
    pairs = [pair for pair in both if not any(episode.lost for episode in pair)]
    lost = len(both) - len(pairs)
    reason = next((episode.reason for pair in pairs for episode in pair if episode.reason), "")
    compared = pairs
    if lost > MOST_LOST * len(both):
        compared, reason = [], f"{lost} of {len(both)} pairs were lost"
    following = [
        (ours, followed, by_chance)
        for ours, theirs in compared
        if (followed := _share_followed(ours, arm)) is not None
        and (by_chance := _share_followed(theirs, arm)) is not None
    ]
    losing = [
        (ours, loss, before)
        for ours, theirs in compared
        if (loss := ours.loss(ours.late)) is not None and (before := theirs.loss(ours.late)) is not None
    ]
    unshown = reason or (NOTHING_SHOWN if arm == SWAP else DOMINANT if compared else NO_PAIR)
    return ArmRow(
        *key,
        arm,
        pairs=len(pairs),
        clusters=len({(ours.partner, ours.design) for ours, _ in pairs}),
        lost=lost,
        followed=_mean([(ours, followed) for ours, followed, _ in following], unshown),
        by_chance=_mean([(ours, by_chance) for ours, _, by_chance in following], unshown),
        difference=_mean([(ours, followed - by_chance) for ours, followed, by_chance in following], unshown),
        use=_ratio(
            [(ours, followed - by_chance, 1 - by_chance) for ours, followed, by_chance in following],
            unshown,
            ALWAYS_DONE,
        ),
        loss_without=_mean([(ours, before) for ours, _, before in losing], reason),
        loss=_mean([(ours, loss) for ours, loss, _ in losing], reason),
        removed=_ratio([(ours, before - loss, before) for ours, loss, before in losing], reason, NO_LOSS),
    )


def _share_followed(episode: EpisodeConduct, arm: str) -> float | None:
    followed, counted = episode.followed.get(arm, (0, 0))
    return followed / counted if counted else None


def _mean(values: Sequence[tuple[EpisodeConduct, float]], reason: str) -> Estimate:
    """The mean of a number of episodes with its interval."""
    mean = _clustered(values)
    if mean is None:
        return Estimate(None, reason=reason or NO_PAIR)
    if mean.clusters < FEWEST_CLUSTERS:
        return Estimate(mean.mean, reason=_few(mean), n=mean.episodes)
    reach = t_quantile(mean.freedom, TAIL) * mean.error
    return Estimate(
        mean.mean, mean.mean - reach, mean.mean + reach, "", mean.error, mean.freedom, mean.episodes
    )


def _ratio(values: Sequence[tuple[EpisodeConduct, float, float]], reason: str, none: str) -> Estimate:
    """The ratio of the means of two numbers of episodes, between the values that two tests at 2.5 % do not reject (Fieller 1954).

    It has no value, for the reason ``none``, where the second mean is not shown to be above 0.
    """

    def beyond(share: float) -> ClusteredMean | None:
        return _clustered([(episode, over - share * under) for episode, over, under in values])

    mean, under = beyond(0.0), _clustered([(episode, under) for episode, _, under in values])
    if mean is None or under is None:
        return Estimate(None, reason=reason or NO_PAIR)
    if mean.clusters < FEWEST_CLUSTERS:
        return Estimate(
            mean.mean / under.mean if under.mean > 0 else None, reason=_few(mean), n=mean.episodes
        )
    if under.above(0.0) >= TAIL:
        return Estimate(None, reason=none)
    share = mean.mean / under.mean

    def is_rejected(value: float) -> bool:
        rest = beyond(value)
        assert rest is not None, "the ratio is defined"
        return (rest.above(0.0) if value < share else rest.below(0.0)) < TAIL

    return Estimate(
        share,
        find_edge(is_rejected, share - SPAN, share),
        find_edge(is_rejected, share + SPAN, share),
        n=mean.episodes,
    )


def _few(mean: ClusteredMean) -> str:
    return f"{mean.episodes} pairs, {mean.clusters} of them distinct: no interval"


def _clustered(values: Sequence[tuple[EpisodeConduct, float]]) -> ClusteredMean | None:
    """The mean over partners, weighted as in the population; episodes with equal labels and order are one cluster."""
    totals: dict[tuple[str, float], dict[str, tuple[int, float]]] = {}
    for episode, value in values:
        clusters = totals.setdefault((episode.partner, episode.weight), {})
        count, total = clusters.get(episode.design, (0, 0.0))
        clusters[episode.design] = count + 1, total + value
    strata = [
        Stratum(weight, tuple(Cluster(*of_design) for of_design in clusters.values()))
        for (_, weight), clusters in sorted(totals.items())
    ]
    return clustered_mean([strata])
