"""A grid with skills, a hidden inventory and duels, played by the minds of the matrix world."""

import asyncio
from types import ModuleType
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import Ended, Game, Moment, SkillChoice
from otherminds.core.encoding import encode
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup
from otherminds.core.scenario import scenario as matrix
from otherminds.games.automata import best_reply
from otherminds.games.player import Player
from otherminds.games.registry import games
from otherminds.minds.registry import minds
from otherminds.play.loop import play, play_now
from tests.cases import for_each
from tests.contracts import duel

RPS = games.get("rps")()
TIES = Game(
    "ties",
    RPS.behaviours,
    tuple(tuple((max(own, 0.0), max(other, 0.0)) for own, other in row) for row in RPS.payoffs),
)
"""Rock, paper, scissors in which a loss pays like a tie: a reward tells less."""
TFT = SeatSpec("tit_for_tat")
ROCK = SeatSpec("single", {"behaviour": 0})


class Fictitious(Player):
    """Best-responds to what it has met most often: one mind for the matrix and for the grid."""

    grants = frozenset({"payoffs"})

    def start(self, own: int, others: int) -> None:
        self.counts = [0] * others
        self.moments: list[Moment] = []

    async def perceive(self, moment: Moment) -> None:
        self.moments.append(moment)
        await super().perceive(moment)

    def learn(self, own: int, other: int, reward: float) -> None:
        self.counts[other] += 1

    def predict(self) -> int:
        return self.counts.index(max(self.counts))

    def choose(self) -> int:
        assert self.brief.game is not None
        return best_reply(self.brief.game, self.predict())


def setup(
    scene: Scenario, partner: SeatSpec, seed: int = 0, ego: Mind | None = None, **changes: Any
) -> Setup:
    return Setup(scene, {"ego": ego or Fictitious()}, seed, {"partner_0": partner}, **changes)


def in_grid(duel: ModuleType, partner: SeatSpec, seed: int = 0, game: Game = RPS, **changes: Any) -> Record:
    scene = duel.scenario(game)
    return play_now(setup(scene, partner, seed, **changes))[0]


def shown(record: Record, seat: str = "ego") -> list[dict[str, tuple[str, ...]]]:
    return [encounter.did for encounter in record.met[seat]]


@pytest.mark.parametrize("partner", [TFT, ROCK], ids=lambda partner: partner.mind)
def test_one_mind_and_one_partner_play_alike_in_matrix_and_grid(partner: SeatSpec) -> None:
    scene = matrix("rps-mixed-v1", {"rounds": 6})
    rounds, _ = play_now(setup(scene, partner))
    duels = in_grid(duel, partner)
    assert shown(duels) == shown(rounds)
    assert [e.reward for e in duels.met["ego"]] == [e.reward for e in rounds.met["ego"]]
    assert duels.total("ego") == rounds.total("ego")
    assert len(duels.actions) > 6, "a duel takes many steps"


@for_each("noise", [0.0, 0.2])
@for_each("name", ["factored_rmax", "fictitious_play", "informed", "level_k", "nash", "rmax", "uniform"])
def test_the_minds_of_the_matrix_play_alike_in_the_grid(name: str, noise: float) -> None:
    """Their draws and the partner's are the same in both, however long the ways to a duel are."""
    partner = SeatSpec("tit_for_tat", {"noise": noise})
    played: list[list[dict[str, tuple[str, ...]]]] = []
    for scene in (duel.scenario(RPS), matrix("rps-mixed-v1", {"rounds": 6})):
        mind = minds.make(name, {})
        played.append(shown(play_now(setup(scene, partner, 3, mind))[0]))
    assert played[0] == played[1]
    assert len(played[0]) == 6


def test_the_grid_plays_every_duel_under_every_seed() -> None:
    for seed in range(30):
        record = in_grid(duel, (TFT, ROCK)[seed % 2], seed)
        assert record.outcome.status == "scored"
        assert len(record.met["ego"]) == len(record.met["partner_0"]) == 6


def test_without_seeded_ties_two_controllers_block_each_other_for_ever() -> None:
    """Why a skill is given a random stream."""
    stuck = 0
    for seed in range(10):
        scene = duel.scenario(RPS, yields=0.0)
        record, _ = play_now(setup(scene, TFT, seed))
        stuck += len(record.met["ego"]) < 6
    assert stuck >= 3


class TestEncounters:
    def met(self, duel: ModuleType, pattern: tuple[int, ...], *grants: str) -> Record:
        """Duels of a game with doubts: ego goes round in ``pattern``; the partner has ``grants``."""

        class Round(Fictitious):
            def choose(self) -> int:
                return pattern[sum(self.counts) % len(pattern)]

        scene = duel.scenario(TIES)
        return play_now(setup(scene, TFT, 0, Round(), grants={"partner_0": grants}))[0]

    def test_a_seat_knows_its_own_behaviour_and_what_its_reward_gives_away(self) -> None:
        record = self.met(duel, (0, 2, 1))
        for encounter, (_, a, b) in zip(record.met["ego"], record.facts["duels"], strict=True):
            same = [j for j, pay in enumerate(TIES.payoffs[a]) if pay[0] == encounter.reward]
            assert encounter.did["ego"] == (TIES.behaviours[0][a],)
            assert encounter.did["partner_0"] == tuple(TIES.behaviours[1][j] for j in same)
            assert b in same
        assert {len(did["partner_0"]) for did in shown(record)} == {2}, "who never wins is never sure"
        assert {len(did["ego"]) for did in shown(record, "partner_0")} == {1, 2}

    def test_a_grant_takes_the_doubt_away(self) -> None:
        """In this game tit-for-tat copies: it errs where it must guess, and where it is told it does not."""

        def copies(record: Record) -> bool:
            fought = record.facts["duels"]
            return [b for _, _, b in fought] == [0, *(a for _, a, _ in fought[:-1])]

        told, guessing = self.met(duel, (0, 1, 2), "inventories"), self.met(duel, (0, 1, 2))
        assert {len(did["ego"]) for did in shown(told, "partner_0")} == {1}
        assert copies(told)
        assert not copies(guessing)
        doubtful = self.met(duel, (0, 2, 1), "inventories")
        assert {len(did["partner_0"]) for did in shown(doubtful)} == {2}, "the other's grant is not ours"

    def test_the_inventory_of_the_other_is_never_seen(self) -> None:
        """Two worlds that differ only in what the partner holds look alike to ego."""
        heard: list[bytes] = []
        for taken in (0, 1):
            world = duel.DuelWorld(RPS)
            world.reset(seed=3)
            world.cell = {"ego": 2, "partner_0": taken}
            world.step({"ego": duel.STAY, "partner_0": duel.TAKE})
            world.cell["partner_0"] = 0
            observations, rewards, _, _, infos = world.step({"ego": duel.STAY, "partner_0": duel.STAY})
            assert world.holds["partner_0"] == taken
            heard.append(encode([observations["ego"], rewards["ego"], infos["ego"]]))
        assert heard[0] == heard[1]

    def test_steps_are_those_of_the_world(self) -> None:
        record = in_grid(duel, TFT)
        assert [e.step for e in record.met["ego"]] == [step for step, _, _ in record.facts["duels"]]
        paid = [t for t, row in enumerate(record.rewards) if any(row)]
        assert set(paid) <= {e.step for e in record.met["ego"]}


class TestQuestions:
    def test_are_put_only_when_a_new_duel_begins(self) -> None:
        record = in_grid(duel, TFT)
        begun = [0, *(encounter.step + 1 for encounter in record.met["ego"][:-1])]
        assert [asked.step for asked in record.asked] == begun

    @pytest.mark.parametrize("partner", [TFT, ROCK], ids=lambda partner: partner.mind)
    def test_are_scored_from_the_record_alone(self, partner: SeatSpec) -> None:
        record = in_grid(duel, partner)
        truths = [RPS.behaviours[1][b] for _, _, b in record.facts["duels"]]
        assert [asked.truth for asked in record.asked] == truths
        right = [asked.answer == asked.truth for asked in record.asked]
        said = [max(range(3), key=[RPS.behaviours[1].index(t) for t in truths[:k]].count) for k in range(6)]
        assert [asked.answer for asked in record.asked] == [RPS.behaviours[1][b] for b in said]
        if partner is ROCK:
            assert all(right), "with no data it says the lowest, which here is true"
        else:
            assert not all(right)

    def test_the_truth_may_never_come_to_be(self) -> None:
        scene = duel.scenario(RPS, steps=4)
        record, _ = play_now(setup(scene, TFT))
        assert len(record.actions) == 4
        assert [asked.truth for asked in record.asked] == [None]

    def test_asking_changes_no_step(self) -> None:
        assert in_grid(duel, TFT).actions == in_grid(duel, TFT, ask=False).actions


class TestSkills:
    def test_a_mind_is_asked_once_a_duel(self) -> None:
        ego = Fictitious()
        scene = duel.scenario(RPS)
        record, _ = play_now(setup(scene, ROCK, ego=ego))
        made = [choice for choice in record.choices if choice.seat == "ego"]
        assert [choice.made for choice in made] == [SkillChoice("paper")] * 6
        assert [choice.step for choice in made] == [asked.step for asked in record.asked]
        ends = [moment.ended for moment in ego.moments if moment.ended]
        assert ends == [Ended(True, "duelled", SkillChoice("paper"))] * 6

    def test_one_that_fails_says_why_and_the_mind_chooses_again(self) -> None:
        class Statue(Player):
            """Stands in the way for ever."""

            def start(self, own: int, others: int) -> None: ...

            async def act(self) -> int:
                return duel.STAY

        ego = Fictitious()
        scene = duel.scenario(RPS, steps=200)
        record, _ = play_now(Setup(scene, {"ego": ego, "partner_0": Statue()}))
        ends = [moment.ended for moment in ego.moments if moment.ended]
        assert [(end.ok, end.why) for end in ends] == [(False, "nobody came, or the way was blocked")] * 3
        assert [choice.step for choice in record.choices] == [0, 60, 120, 180]
        assert record.met["ego"] == ()
        assert record.outcome.status == "scored"

    def test_the_partners_decisions_do_not_hang_on_how_it_walked(self) -> None:
        """A noisy partner draws the same slips whoever it meets, and however long a duel takes."""
        always = SeatSpec("tit_for_tat", {"noise": 0.5})

        class Paper(Fictitious):
            def choose(self) -> int:
                return 1

        class Loiterer(Paper):
            """Lets two steps pass before it plays paper too."""

            async def act(self) -> Any:
                self.waited = 0 if self.moments[-1].encounters else self.waited + 1
                return duel.STAY if self.waited < 2 else SkillChoice("paper")

            def start(self, own: int, others: int) -> None:
                super().start(own, others)
                self.waited = -1

        def answers(ego: Player) -> list[Any]:
            scene = duel.scenario(RPS)
            record, _ = play_now(setup(scene, always, 5, ego))
            return [did["partner_0"] for did in shown(record)]

        assert answers(Paper()) == answers(Loiterer())


def test_a_record_is_the_same_every_time_and_reads_back() -> None:
    one, two = in_grid(duel, TFT, 7), in_grid(duel, TFT, 7)
    assert encode(one) == encode(two)
    back = msgspec.json.decode(encode(one), type=Record)
    assert back.hash == one.hash
    assert back.met == one.met
    assert back.partners["partner_0"].automaton == one.partners["partner_0"].automaton
    assert in_grid(duel, TFT, 8).actions != one.actions


def test_an_action_that_is_none_fails_the_episode() -> None:
    class Broken(Fictitious):
        async def act(self) -> Any:
            return 5

    scene = duel.scenario(RPS)
    record, _ = play_now(setup(scene, TFT, ego=Broken()))
    assert (record.outcome.status, record.outcome.blame) == ("failed", "world")


def test_it_runs_within_an_event_loop_too() -> None:
    scene = duel.scenario(RPS)
    record, _ = asyncio.run(play(setup(scene, TFT)))
    assert encode(record) == encode(in_grid(duel, TFT))
