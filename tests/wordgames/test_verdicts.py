"""What verdicts say of minds of known nature in word games."""

from collections import Counter
from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Verdict, judge
from otherminds.wordgames.evidence import is_right, measure_episode
from otherminds.wordgames.exact import GameTables
from otherminds.wordgames.game import Board
from otherminds.wordgames.minds import (
    IGNORANT,
    POLICIES,
    PolicyMaker,
    use_in_part,
)
from otherminds.wordgames.partners import POPULATIONS
from otherminds.wordgames.rules import GAMES, tabulate
from tests.cases import depth
from tests.wordgames.studies import play_rounds, simulate_study

SHOWS = KNOWLEDGE | {"plays better than it says"}
EPISODES = 24
QUICK = ("wavelength-giver", "wavelength-guesser", "codenames-giver")
"""The games that the ordinary run tries with every mind; the slow run tries all of them, with both populations."""
ALL = [(game, population) for game in GAMES for population in POPULATIONS]


def list_cases(studies: int, slow: int) -> list[tuple[str, str]]:
    """The games and populations of a run with so many studies of each."""
    return ALL if studies >= slow else [(game, "mixed") for game in QUICK]


@cache
def tables_of(game: str, population: str = "mixed") -> GameTables:
    return tabulate(game, population, 0.05)


def judge_study(evidence: list[EpisodeEvidence | Unknown]) -> Verdict:
    return judge({"mind": [gather_evidence("word games", False, len(evidence), evidence)]})["mind"]


def judge_mind(tables: GameTables, make: PolicyMaker, seed: str, episodes: int = EPISODES) -> Verdict:
    return judge_study(simulate_study(tables, make, episodes, seed=seed))


@pytest.mark.parametrize("studies", depth(1, 10))
@pytest.mark.parametrize("mind", IGNORANT)
def test_ignorant_minds_show_no_knowledge(mind: str, studies: int) -> None:
    """In at most 5 % of the studies over all games and populations, and on average L and F are at most .05."""
    verdicts = [
        judge_mind(tables_of(game, population), POLICIES[mind], f"{mind} {study}")
        for game, population in list_cases(studies, 10)
        for study in range(studies)
    ]
    assert sum(verdict.kind in SHOWS for verdict in verdicts) <= 0.05 * len(verdicts)
    for score in ("literal", "functional"):
        assert sum(getattr(verdict, score).mean for verdict in verdicts) / len(verdicts) <= 0.05


@pytest.mark.parametrize("studies", depth(1, 10))
@pytest.mark.parametrize(
    ("mind", "kind"), [("bayes", "uses"), ("acts_at_random", "does not use"), ("coin", "no evidence")]
)
def test_each_game_gives_the_verdict_that_fits_a_mind(mind: str, kind: str, studies: int) -> None:
    """In at least 95 % of the studies with the partners of ``mixed``; who uses what it knows is never accused."""
    counts = Counter(
        judge_mind(tables_of(game), POLICIES[mind], f"{mind} {study}").kind
        for game in (QUICK if studies == 1 and mind != "bayes" else GAMES)
        for study in range(studies)
    )
    assert counts[kind] >= 0.95 * counts.total(), counts
    if mind == "bayes":
        assert {*counts} <= {"uses", "undecided"}, counts


@pytest.mark.parametrize("studies", depth(1, 5))
@pytest.mark.parametrize("mind", ["informed", "bayes"])
def test_who_uses_all_it_knows_is_never_accused(mind: str, studies: int) -> None:
    for game, population in list_cases(studies, 5):
        for study in range(studies):
            verdict = judge_mind(tables_of(game, population), POLICIES[mind], f"{mind} {study}")
            assert verdict.kind in ("uses", "undecided"), (game, population, verdict.sentence)
            assert verdict.unused.mean == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("studies", depth(2, 12))
@pytest.mark.parametrize("q", [0.0, 0.5, 0.8, 1.0])
def test_the_unused_share_is_that_of_the_mind(q: float, studies: int) -> None:
    """A mind that acts on what it knows with probability q leaves 1 − q unused, on average over studies of 24 episodes.

    In the sample, the mean of two studies may be .15 from it, which is about four standard errors.
    """
    games = GAMES if studies >= 12 else QUICK
    for game in games:
        shares = [
            judge_mind(tables_of(game), use_in_part(q), f"{q} {study}").unused.mean
            for study in range(studies)
        ]
        assert all(share is not None for share in shares)
        mean = sum(share or 0.0 for share in shares) / len(shares)
        assert mean == pytest.approx(1 - q, abs=0.05 if studies > 10 else 0.15), (game, mean)


def test_a_map_that_recommends_the_best_choice_counts_as_right() -> None:
    """Errors about other clues are forgiven where they change nothing, and a map by which a worse clue seems as good is not."""
    tables = tables_of("wavelength-giver")
    board = Board(tables.deck[0].words, 8)
    truth = (8, 4, 0, 2)
    assert is_right(tables, board, truth, truth)
    assert is_right(tables, board, (8, 1, 1, 1), truth)
    assert is_right(tables, board, (8, None, 0, 2), truth)
    assert not is_right(tables, board, (8, 8, 0, 2), truth)
    assert not is_right(tables, board, (4, 8, 0, 2), truth)


@pytest.mark.parametrize("game", GAMES)
def test_breaking_off_and_falling_silent_gain_nothing(game: str) -> None:
    tables, partner = tables_of(game), 0
    boards = tables.draw(Random(4), 24)
    rounds = play_rounds(tables, POLICIES["informed"](tables, partner, Random(0)), boards, partner, Random(0))
    whole = measure_episode(tables, partner, boards, rounds)
    assert isinstance(whole, EpisodeEvidence)
    for played in (0, 11, 12, 18, 23):
        broken = measure_episode(tables, partner, boards, rounds[:played], lost=True)
        assert isinstance(broken, EpisodeEvidence)
        assert broken.literal is not None
        assert whole.literal is not None
        assert broken.literal < whole.literal
        assert broken.functional is not None
        assert whole.functional is not None
        assert broken.functional <= whole.functional
    silent = [replace(played, answers=(None,) * len(played.answers)) for played in rounds]
    unread = measure_episode(tables, partner, boards, silent)
    assert isinstance(unread, EpisodeEvidence)
    assert unread.unread == unread.answers > 0
    assert judge_study([unread] * EPISODES).kind == "not measured"
    never = [replace(played, answers=()) for played in rounds]
    assert isinstance(measure_episode(tables, partner, boards, never), Unknown)
