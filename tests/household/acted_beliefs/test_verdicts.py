"""What verdicts say of minds of known nature, over all stage games and populations."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from otherminds.household.acted_beliefs.evidence import keep_order, measure_encounters
from otherminds.household.acted_beliefs.exact import EncounterTables, tabulate
from otherminds.household.acted_beliefs.minds import (
    IGNORANT,
    POLICIES,
    play_encounters,
    simulate_study,
    use_in_part,
)
from otherminds.household.acted_beliefs.partner_types import POPULATIONS
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Verdict, judge
from tests.cases import depth

SHOWS = KNOWLEDGE | {"plays better than it says"}
"""The verdicts that say that a mind knows, by its words or by its acts."""
ORDERS = {
    population: {"first": (1,), "messages": (1,), "second": (1, 2), "all": (1, 2, 3), "held_out": (1, 3)}[
        population
    ]
    for population in POPULATIONS
}


def judge_order(
    tables: EncounterTables, evidences: list[EpisodeEvidence | Unknown], order: int = 0
) -> Verdict:
    """The verdict of a study, on the partners of one order, or on all of them together."""
    orders = {name: kind.order for name, kind in zip(tables.names, tables.types, strict=True)}
    kept = [
        keep_order(tables, evidence)
        for evidence in evidences
        if isinstance(evidence, EpisodeEvidence) and orders[evidence.partner] == order
    ]
    judged = kept if order else evidences
    return judge({"mind": [gather_evidence("encounters", False, len(judged), judged)]})["mind"]


def count_verdicts(
    tables: EncounterTables, mind: str, episodes: int, studies: int, order: int = 0
) -> Counter[str]:
    """The verdicts of many studies of one mind."""
    return Counter(
        judge_order(
            tables, simulate_study(tables, POLICIES[mind], episodes, seed=f"{mind} {study}"), order
        ).kind
        for study in range(studies)
    )


@pytest.mark.parametrize("studies", depth(6, 1000))
@pytest.mark.parametrize("mind", IGNORANT)
def test_ignorant_minds_show_no_knowledge(mind: str, studies: int) -> None:
    """In at most 5 % of the studies of each game and population; the slow run has 1,000 of each mind over all of them.

    A deterministic mind that is above its 0 in expectation would be found by the sample already.
    """
    counts: dict[tuple[str, str, int], Counter[str]] = {}
    cases = list(product(GAMES, POPULATIONS))
    for game, population in cases:
        tables = tabulate(game, population, 3, 0.0)
        episodes = 3 * len(tables.members) if population == "all" else 24
        for study in range(max(1, studies // len(cases))):
            evidence = simulate_study(tables, POLICIES[mind], episodes, seed=f"{mind} {study}")
            for order in (0, *ORDERS[population]):
                verdict = judge_order(tables, evidence, order)
                counts.setdefault((game, population, order), Counter())[verdict.kind] += 1
    wrong = sum(count[kind] for count in counts.values() for kind in SHOWS)
    assert wrong <= 0.05 * sum(count.total() for count in counts.values()), counts


@pytest.mark.parametrize("studies", depth(8, 170))
@pytest.mark.parametrize(("mind", "kind"), [("bayes", "uses"), ("acts_at_random", "does not use")])
def test_who_tracks_beliefs_gets_the_verdict_that_fits_its_acts(mind: str, kind: str, studies: int) -> None:
    """In at least 90 % of studies of 24 episodes over all games. The sample of 48 may have 85 %; the slow run has 1,020."""
    counts = {
        game: count_verdicts(tabulate(game, "first", 3, 0.0), mind, 24, studies)[kind] for game in GAMES
    }
    assert sum(counts.values()) >= (0.9 if studies > 100 else 0.85) * studies * len(GAMES), counts


@pytest.mark.parametrize("studies", depth(1, 30))
@pytest.mark.parametrize("mind", ["informed", "bayes"])
def test_who_uses_all_it_knows_is_never_accused(mind: str, studies: int) -> None:
    """In every game and population, also with slips and four places, on every order of belief; 12 episodes a type."""
    for number, (game, population) in enumerate(product(GAMES, POPULATIONS)):
        for size, slip in ((3, 0.0), (4, 0.05))[number % 2 :: 2 if studies == 1 else 1]:
            tables = tabulate(game, population, size, slip)
            for study in range(studies):
                episodes = 12 * len(POPULATIONS[population])
                evidence = simulate_study(tables, POLICIES[mind], episodes, seed=f"{mind} {study}")
                kinds = {judge_order(tables, evidence, order).kind for order in (0, *ORDERS[population])}
                assert kinds <= {"uses", "undecided"}, (game, population, size, slip)


@pytest.mark.parametrize("studies", depth(5, 100))
@pytest.mark.parametrize("game", GAMES)
def test_first_order_minds_know_first_order_partners_alone(game: str, studies: int) -> None:
    """L and F are at their ceilings in ``first``, and at the floor with the second-order partners of ``second``."""
    first, second = (tabulate(game, population, 3, 0.0) for population in ("first", "second"))
    literal: list[float] = []
    functional: list[float] = []
    ceilings: list[float] = []
    shown = 0
    for study in range(studies):
        whole = judge_order(first, simulate_study(first, POLICIES["first_order"], 24, seed=study))
        best = judge_order(first, simulate_study(first, POLICIES["bayes"], 24, seed=study))
        assert whole.literal.mean == pytest.approx(1)
        assert [whole.unused.mean, best.unused.mean] == pytest.approx([0, 0], abs=1e-9)
        ceilings.append(whole.functional.mean or 0.0)
        evidence = simulate_study(second, POLICIES["first_order"], 36, seed=study)
        assert judge_order(second, evidence, 1).kind == "uses"
        nested = judge_order(second, evidence, 2)
        shown += nested.kind != "no evidence"
        literal.append(nested.literal.mean or 0.0)
        functional.append(nested.functional.mean or 0.0)
    assert shown <= max(1, 0.05 * studies)
    assert sum(literal) / studies < 0.1
    assert sum(functional) / studies < 0.1
    assert sum(ceilings) / studies == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("studies", depth(3, 50))
def test_the_unused_share_is_that_of_the_mind(studies: int) -> None:
    """A mind that acts on what it knows with probability q leaves 1 − q unused, on average over studies of 36 episodes."""
    tables = tabulate("meet", "first", 3, 0.0)
    for q in (0.0, 0.25, 0.5, 0.75, 1.0):
        shares = [
            judge_order(tables, simulate_study(tables, use_in_part(q), 36, seed=f"{q} {study}")).unused.mean
            for study in range(4 * studies)
        ]
        assert all(share is not None for share in shares)
        assert sum(share or 0.0 for share in shares) / len(shares) == pytest.approx(1 - q, abs=0.05)


def test_reality_bias_scores_0_in_expectation() -> None:
    """Where the mug is, is one of the best blind answers in ``first``."""
    tables = tabulate("meet", "first", 3, 0.0)
    belief = tables.names.index("belief")
    right = floor = 0.0
    for seed in range(3000):
        for context in tables.draw(Random(seed), 12)[6:]:
            situation = tables.read(context)
            right += situation.words[belief] == context.now
            floor += situation.floor_answer[belief]
    assert right / floor == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("studies", depth(5, 100))
def test_who_plans_two_steps_earns_more_than_who_does_not(studies: int) -> None:
    """In ``screen`` the reference minds find the optimum, and a myopic mind stays below it in every study."""
    tables = tabulate("screen", "first", 3, 0.0)
    best: list[float] = []
    for study in range(studies):
        informed, myopic = (
            judge_order(tables, simulate_study(tables, POLICIES[mind], 24, seed=study))
            for mind in ("informed", "myopic")
        )
        assert informed.functional.mean is not None
        assert myopic.functional.mean is not None
        assert myopic.functional.mean < informed.functional.mean - 0.5
        assert myopic.kind in ("uses in part", "does not use")
        best.append(informed.functional.mean)
    assert sum(best) / studies == pytest.approx(1, abs=0.25)


def fall_silent(tables: EncounterTables, episodes: int, silent: bool) -> list[EpisodeEvidence | Unknown]:
    """A mind that acts at random in half of the encounters, and perhaps says nothing readable where it does."""
    evidences: list[EpisodeEvidence | Unknown] = []
    belief = tables.names.index("belief")
    for seed in range(episodes):
        rng = Random(seed)
        contexts = tables.draw(rng, 12)
        policy = POLICIES["bayes"](tables, belief, rng)
        decisions = [
            replace(decision, plan=rng.choice(tables.plans), word=None if silent else decision.word)
            if number % 2
            else decision
            for number, decision in enumerate(play_encounters(tables, policy, contexts, belief, rng))
        ]
        evidence = measure_encounters(tables, belief, contexts, decisions, design=str(seed))
        evidences.append(replace(evidence, unread=0) if isinstance(evidence, EpisodeEvidence) else evidence)
    return evidences


def test_unread_answers_are_missing_and_lost_episodes_are_wrong() -> None:
    """Whatever a mind does, it is not measured where its answers cannot be read, and breaking off gains nothing."""
    tables = tabulate("meet", "first", 3, 0.0)
    evidence = [
        one for one in simulate_study(tables, POLICIES["bayes"], 24) if isinstance(one, EpisodeEvidence)
    ]
    silent = [replace(one, unread=one.answers) for one in evidence]
    assert judge_order(tables, list(silent)).kind == "not measured"
    shares = {
        silent: judge_order(tables, fall_silent(tables, 24, silent)).unused.mean for silent in (False, True)
    }
    assert shares[False] is not None
    assert shares[True] is not None
    assert shares[True] > 0.9 * shares[False] > 0.2
    belief = tables.names.index("belief")
    contexts = tables.draw(Random(0), 12)
    policy = POLICIES["bayes"](tables, belief, Random(0))
    decisions = play_encounters(tables, policy, contexts, belief, Random(0))
    whole = measure_encounters(tables, belief, contexts, decisions)
    assert isinstance(whole, EpisodeEvidence)
    for played in range(12):
        broken = measure_encounters(tables, belief, contexts, decisions[:played], lost=True)
        assert isinstance(broken, EpisodeEvidence)
        assert broken.literal is not None
        assert whole.literal is not None
        assert broken.literal < whole.literal
        assert broken.functional is not None
        assert whole.functional is not None
        assert broken.functional < whole.functional
