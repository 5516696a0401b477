"""How much a population calls for adaptation: the exact values, and what they mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.data import Game, WeightedPolicy
from otherminds.games.best_response import best_response, interest, misplaced
from otherminds.games.registry import automaton, games
from tests.cases import for_each
from tests.games import kit

TABLE = {
    ("rps", "single"): 1.0000,
    ("rps", "tit_for_tat"): 0.0,
    ("rps", "mixed"): 0.9975,
    ("ibs", "single"): 4.2500,
    ("ibs", "tit_for_tat"): 0.0,
    ("ibs", "mixed"): 2.3213,
    ("ipd", "single"): 0.0,
    ("ipd", "tit_for_tat"): 0.0,
    ("ipd", "mixed"): 1.6088,
}


def family(game: Game, population: str, rounds: int = 100) -> tuple[WeightedPolicy, ...]:
    columns = len(game.behaviours[1])
    constant = [
        WeightedPolicy(1 / columns, automaton("single", game, rounds, {"behaviour": b}))
        for b in range(columns)
    ]
    reacting = automaton("tit_for_tat", game, rounds, {})
    return {
        "single": tuple(constant),
        "tit_for_tat": (WeightedPolicy(1.0, reacting),),
        "mixed": (
            *(WeightedPolicy(m.weight / 2, m.automaton) for m in constant),
            WeightedPolicy(0.5, reacting),
        ),
    }[population]


@for_each(("name", "population"), TABLE)
def test_interest_of_the_papers_populations(name: str, population: str) -> None:
    game = games.get(name)()
    found = interest(game, family(game, population), 100)
    assert found == pytest.approx(TABLE[name, population], abs=5.1e-5)


@settings(max_examples=30)
@given(data=st.data(), rounds=st.integers(1, 4))
def test_regret_is_what_the_misplaced_plan_loses(data: st.DataObject, rounds: int) -> None:
    """The plan for one partner is followed against another, history by history."""
    game = data.draw(kit.games())
    supposed, actual = data.draw(kit.automata(noisy=True)), data.draw(kit.automata(noisy=True))
    plan = best_response(game, supposed, rounds)

    def earned(seen: tuple[tuple[int, int], ...]) -> float:
        if len(seen) == rounds:
            return 0.0
        a = plan.act(len(seen), imagined(seen))
        return sum(
            p * (game.payoffs[a][b][0] + earned((*seen, (a, b))))
            for b, p in enumerate(actual.output[kit.state(actual, seen)])
            if p
        )

    def imagined(seen: tuple[tuple[int, int], ...]) -> int:
        return kit.state(supposed, seen)

    lost = (kit.best_closed_loop(game, actual, rounds) - earned(())) / rounds
    assert misplaced(game, supposed, actual, rounds) == pytest.approx(lost, abs=1e-9)
    assert lost > -kit.EXACT


@settings(max_examples=30)
@given(data=st.data(), rounds=st.integers(1, 5))
def test_one_partner_alone_is_of_no_interest(data: st.DataObject, rounds: int) -> None:
    game, partner = data.draw(kit.games()), data.draw(kit.automata(noisy=True))
    assert interest(game, (WeightedPolicy(1.0, partner),), rounds) == pytest.approx(0.0, abs=1e-9)


def test_mixtures_repair_the_dilemma() -> None:
    ipd = games.get("ipd")()
    alone = [interest(ipd, family(ipd, population), 20) for population in ("single", "tit_for_tat")]
    assert alone == pytest.approx([0.0, 0.0])
    assert interest(ipd, family(ipd, "mixed", 20), 20) > 1


def test_a_plan_can_be_followed_where_its_partner_would_never_have_led() -> None:
    """A level-k partner never cooperates; its best response must still act when another partner does."""
    ipd = games.get("ipd")()
    thinker = automaton("level_k", ipd, 20, {})
    cooperator = automaton("single", ipd, 20, {"behaviour": 0})
    assert misplaced(ipd, thinker, cooperator, 20) == pytest.approx(0.0)
