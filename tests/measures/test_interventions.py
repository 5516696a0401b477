"""What arms show: how often a mind acts on what it is shown, what it loses, and what of that an arm removes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace as change
from functools import cache
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

from otherminds.core.data import Automaton, Game
from otherminds.core.record import Outcome, Record, SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.games.registry import automaton, ipd, rps
from otherminds.measures.episode import INTERVENED, summarise
from otherminds.measures.interventions import ArmRow, EpisodeConduct, arm_rows, episode_conduct
from otherminds.measures.registry import Inapplicable, Unknown
from otherminds.measures.weighed_acts import WeighedAct, weigh_acts, weighed_acts
from otherminds.minds.registry import make_mind
from otherminds.play.interventions import BELIEF, FALSE, NONE, OWN, PREDICTION, REMIND, SWAP, TYPE
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.play import toys

EPISODES = 36
ROUNDS = 20
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
KNOWS_HALF = {"accuracy": 0.5, "rationality": 0.5}
PLAYS_AT_RANDOM = {"accuracy": 1.0, "rationality": 1 / 3}


@cache
def conducts(
    name: str,
    arm: str,
    mind: str,
    params: tuple[tuple[str, float], ...],
    first: int = 0,
    count: int = EPISODES,
) -> tuple[EpisodeConduct, ...]:
    """What ``count`` episodes of a matrix game show, from the seed ``first`` on."""
    built = scenario(name, {"rounds": ROUNDS})
    records = (
        play_now(Setup(built, {"ego": make_mind(SeatSpec(mind, dict(params)))}, seed, intervention=arm))[0]
        for seed in range(first, first + count)
    )
    return tuple(conduct for record in records if (conduct := episode_conduct(record)))


def compare(
    arms: Iterable[str],
    mind: str = "simulated",
    params: dict[str, float] | None = None,
    name: str = "rps-mixed-v1",
    first: int = 0,
    count: int = EPISODES,
) -> dict[str, ArmRow]:
    """The rows of one mind, by arm."""
    key = tuple(sorted((params or {}).items()))
    played = [conducts(name, arm, mind, key, first, count) for arm in (NONE, *arms)]
    return {row.arm: row for row in arm_rows({}, [conduct for of_arm in played for conduct in of_arm])}


@pytest.mark.parametrize("params", [KNOWS_HALF, PLAYS_AT_RANDOM], ids=["knows half", "plays at random"])
@pytest.mark.parametrize("heeds", SHARES)
def test_the_share_of_use_of_simulated_minds_is_recovered(params: dict[str, float], heeds: float) -> None:
    arms = (PREDICTION, OWN, REMIND)
    studies = [compare(arms, params={**params, "heeds": heeds}, first=EPISODES * k) for k in range(3)]
    for arm in arms:
        uses = [study[arm].use for study in studies]
        means = [use.mean for use in uses if use.mean is not None]
        assert len(means) == len(studies)
        assert fmean(means) == pytest.approx(heeds, abs=0.05), arm
        for use in uses:
            assert (use.low or 0.0) <= heeds <= (use.high or 0.0), arm


@pytest.mark.parametrize("heeds", SHARES)
def test_a_mind_that_knows_nothing_loses_as_much_less_as_it_heeds_the_truth(heeds: float) -> None:
    params = {"accuracy": 1.0, "rationality": 1 / 3, "heeds": heeds}
    for row in compare((TYPE, PREDICTION), params=params).values():
        assert row.loss_without.mean == pytest.approx(1.0, abs=0.1)
        assert row.removed.mean == pytest.approx(heeds, abs=0.07)


def test_a_false_prediction_adds_what_heeding_it_loses() -> None:
    """In rps the reply to a wrong prediction loses or ties: 2 or 1 points of 1 that random play loses."""
    rows = compare(FALSE, params={"accuracy": 1.0, "rationality": 1.0, "heeds": 1.0})
    for row in rows.values():
        assert row.loss.mean == pytest.approx(1.5, abs=0.1)
        assert row.removed.mean is None
        assert row.removed.reason == "its loss without an intervention is not shown to be above 0"


@pytest.mark.parametrize("arm", [TYPE, PREDICTION, OWN])
def test_a_mind_that_ignores_what_it_is_shown_has_no_use_and_nothing_removed(arm: str) -> None:
    row = compare((arm,), params=KNOWS_HALF)[arm]
    for estimate in (row.difference, row.use, row.removed):
        assert (estimate.low or 0.0) < 0 < (estimate.high or 0.0)
        assert estimate.mean == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("mind", ["fictitious_play", "bayes", "level_k", "rmax", "nash"])
@pytest.mark.parametrize("name", ["rps-mixed-v1", "ibs-mixed-v1"])
def test_a_reminder_changes_nothing_for_minds_that_use_all_they_know(mind: str, name: str) -> None:
    row = compare((REMIND,), mind=mind, name=name, count=12)[REMIND]
    assert row.difference.mean == 0.0
    assert row.removed.mean in (0.0, None)
    assert row.loss.mean == row.loss_without.mean


def test_one_best_action_leaves_nothing_to_follow_but_something_to_lose() -> None:
    row = compare((REMIND,), mind="rmax", name="ipd-mixed-v1", count=12)[REMIND]
    assert row.use.mean is None
    assert "best stage response to every prediction" in row.use.reason
    assert row.loss.mean is not None


def test_an_exchange_is_compared_from_its_step_on() -> None:
    row = compare((SWAP,), mind="rmax", count=24)[SWAP]
    assert row.use.mean is None
    assert row.use.reason == "nothing is shown in this arm"
    assert row.loss_without.mean is not None
    assert row.loss.mean is not None
    assert row.loss.mean > row.loss_without.mean, "what it has learned is about another partner"
    assert row.removed.mean == pytest.approx(1 - row.loss.mean / row.loss_without.mean)


# The loss of an act, by plain recursion over all that can happen.


def value(game: Game, policy: Automaton, state: int, left: int) -> float:
    """The best expected return of ``left`` rounds against a known policy."""
    if left == 0:
        return 0.0
    return max(worth(game, policy, state, left, a) for a in range(len(game.payoffs)))


def worth(game: Game, policy: Automaton, state: int, left: int, own: int) -> float:
    return sum(
        p * (game.payoffs[own][b][0] + value(game, policy, policy.next[state][b][own], left - 1))
        for b, p in enumerate(policy.output[state])
    )


def expected_acts(
    game: Game, policy: Automaton, actions: Sequence[tuple[int, int]]
) -> list[tuple[float, ...]]:
    """The worths of all options before each act."""
    state, table = policy.start, []
    for t, (own, theirs) in enumerate(actions):
        table.append(tuple(worth(game, policy, state, len(actions) - t, a) for a in range(len(game.payoffs))))
        state = policy.next[state][theirs][own]
    return table


def read_acts(record: Record) -> list[WeighedAct]:
    acts = weigh_acts(record)
    assert not isinstance(acts, Unknown), acts
    return acts


SOCIAL = ("tit_for_tat", "grim", "noisy_tit_for_tat", "win_stay_lose_shift", "single")


@for_each(
    "game, partner",
    [*((ipd(), name) for name in SOCIAL), *((rps(), name) for name in ("tit_for_tat", "cycler", "single"))],
)
def test_acts_are_worth_what_plain_recursion_says(game: Game, partner: str) -> None:
    rounds = 5
    built = scenario(f"{game.name}-{partner}-v1", {"rounds": rounds})
    for seed in range(3):
        setup = Setup(built, {"ego": make_mind(SeatSpec("uniform"))}, seed, intervention=NONE)
        record = play_now(setup)[0]
        (spec,) = (record.spec.seats[seat] for seat in record.partners)
        policy = automaton(spec.mind, game, rounds, spec.params)
        acts = read_acts(record)
        assert [act.act for act in acts] == [own for own, _ in record.actions]
        for act, worths in zip(acts, expected_acts(game, policy, record.actions), strict=True):
            assert act.worths == pytest.approx(worths)
            assert act.loss == pytest.approx(max(worths) - worths[act.act])


def test_after_an_exchange_acts_are_weighed_against_the_second_partner_from_its_start() -> None:
    built = scenario("rps-mixed-v1", {"rounds": 6})
    for seed in range(6):
        setup = Setup(built, {"ego": make_mind(SeatSpec("uniform"))}, seed, intervention=SWAP)
        record = play_now(setup)[0]
        (note,) = [note for note in record.notes if note.kind == "exchanged"]
        assert record.bounds is not None
        policies = {entry.name: entry.automaton for entry in record.bounds.population}
        halves = (
            (policies[note.data["first"]], record.actions[:3]),
            (policies[note.data["second"]], record.actions[3:]),
        )
        worths = [row for policy, half in halves if policy for row in expected_acts(rps(), policy, half)]
        assert [act.worths for act in read_acts(record)] == [pytest.approx(row) for row in worths]


# Worlds without a stage game, lost episodes, verdicts.


class Guessing(toys.Line):
    """A stranger's world: no stage game, and a partner that believes that the number is 1."""

    def belief(self, seat: str) -> str | None:
        return f"{seat} believes that it is 1"


class Reading(toys.Diary):
    """Names the number in what it is shown, else 0."""

    notices = True

    async def act(self) -> int:
        notice = self.context.notice
        return int(notice.text[-1]) if notice else 0


@weighed_acts.register("toy line")
def weigh_line(record: Record) -> list[WeighedAct] | Unknown:
    """Naming the number that the partner believes in is worth 1, anything else 0."""
    if not record.spec.scenario.endswith("guessing-v1"):
        return Inapplicable("another world")
    replies = {move: (i,) for i, move in enumerate(toys.MOVES)}
    return [
        WeighedAct(step, own, (0.0, 1.0, 0.0), "stay", None, replies, believed="stay")
        for step, (own, _) in enumerate(record.actions)
    ]


def test_a_world_without_a_game_is_compared_by_what_its_reader_says() -> None:
    guessing = change(toys.scenario(Guessing), id="guessing-v1", game=None)
    records = [
        play_now(Setup(guessing, {"ego": Reading()}, seed, intervention=arm))[0]
        for arm in (NONE, BELIEF)
        for seed in range(8)
    ]
    (row,) = arm_rows({}, [conduct for record in records if (conduct := episode_conduct(record))])
    assert (row.arm, row.pairs, row.clusters) == (BELIEF, 8, 8)
    assert (row.use.mean, row.followed.mean, row.by_chance.mean) == (1.0, 1.0, 0.0)
    assert (row.loss_without.mean, row.loss.mean, row.removed.mean) == (pytest.approx(1.5), 0.0, 1.0)


def test_a_belief_is_followed_by_replying_to_what_follows_from_it_whatever_the_partner_does() -> None:
    guessing = change(toys.scenario(Guessing), id="guessing-v1", game=None)
    record = play_now(Setup(guessing, {"ego": Reading()}, intervention=BELIEF))[0]
    for believed, followed in (("stay", 3), ("left", 0), (None, 0)):

        def read(record: Record, believed: str | None = believed) -> list[WeighedAct] | Unknown:
            acts = weigh_line(record)
            assert not isinstance(acts, Unknown)
            return [replace(act, coming="left", believed=believed) for act in acts]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("otherminds.measures.interventions.weigh_acts", read)
            conduct = episode_conduct(record)
        assert conduct is not None
        assert conduct.followed == {BELIEF: (followed, 3)}


def test_a_world_without_a_game_and_a_reader_has_a_reason() -> None:
    bare = change(toys.scenario(), id="bare-v1", game=None)
    conduct = episode_conduct(play_now(Setup(bare, {"ego": Reading()}, intervention=NONE))[0])
    assert conduct is not None
    assert conduct.reason == "this world records no stage game"


def lose(record: Record) -> Record:
    return replace(record, outcome=Outcome("invalid", "reply", "ego: mumbled", 3))


@pytest.mark.parametrize(("lost", "measured"), [(2, True), (4, False)])
def test_lost_episodes_leave_their_pair_out_and_many_of_them_the_arm(lost: int, measured: bool) -> None:
    built = scenario("rps-mixed-v1", {"rounds": ROUNDS})
    records = {
        (arm, seed): play_now(
            Setup(built, {"ego": make_mind(SeatSpec("simulated", {"heeds": 1.0}))}, seed, intervention=arm)
        )[0]
        for arm in (NONE, OWN)
        for seed in range(12)
    }
    for seed in range(lost):
        records[OWN, seed] = lose(records[OWN, seed])
    (row,) = arm_rows({}, [conduct for r in records.values() if (conduct := episode_conduct(r))])
    assert (row.pairs, row.lost) == (12 - lost, lost)
    assert (row.followed.mean is not None) == measured
    if not measured:
        assert row.use.reason == row.loss.reason == "4 of 12 pairs were lost"


def test_only_the_arm_none_is_judged() -> None:
    for arm in (NONE, REMIND):
        record = play_now(
            Setup(
                scenario("rps-mixed-v1", {"rounds": ROUNDS}),
                {"ego": make_mind(SeatSpec("fictitious_play"))},
                intervention=arm,
            )
        )[0]
        evidence: Any = summarise(record).evidence
        assert isinstance(evidence, Unknown) == (arm != NONE)
        if arm != NONE:
            assert evidence.reason == INTERVENED


def test_an_episode_outside_of_experiments_shows_no_conduct() -> None:
    record = play_now(Setup(scenario("rps-mixed-v1", {"rounds": 4}), {"ego": make_mind(SeatSpec("rmax"))}))[0]
    assert episode_conduct(record) is None
    assert "interventions" not in summarise(record).details
