"""What the best learner can reach: the expected regret a round of exact Bayesian play."""

from itertools import permutations

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.games.belief import PartnerHypothesis, belief_plan
from otherminds.games.best_response import best_response
from otherminds.games.registry import automaton, games
from tests.cases import for_each

ROUNDS = 100
Order = tuple[int, ...]
Weighted = list[tuple[float, Automaton]]


def constant(game: Game) -> Weighted:
    columns = len(game.behaviours[1])
    return [(1 / columns, automaton("single", game, ROUNDS, {"behaviour": b})) for b in range(columns)]


def partners(game: Game, family: str) -> Weighted:
    reacting = automaton("tit_for_tat", game, ROUNDS, {})
    return {
        "single": constant(game),
        "tit_for_tat": [(1.0, reacting)],
        "mixed": [(0.5 * weight, partner) for weight, partner in constant(game)] + [(0.5, reacting)],
    }[family]


def relabelled(game: Game, own: Order, other: Order) -> Game:
    """The game as it looks when label i stands for behaviour ``own[i]``, the partner's j for ``other[j]``."""
    return Game(
        game.name,
        game.behaviours,
        tuple(tuple(game.payoffs[a][b] for b in other) for a in own),
    )


def relabelled_partner(partner: Automaton, own: Order, other: Order) -> Automaton:
    """The same partner under the same labels."""
    return Automaton(
        partner.start,
        tuple(tuple(output[b] for b in other) for output in partner.output),
        tuple(tuple(tuple(after[b][a] for a in own) for b in other) for after in partner.next),
    )


def hypotheses(game: Game, family: str, labels_known: bool) -> tuple[PartnerHypothesis, ...]:
    """Every partner of the family; under every meaning of the labels, unless these are known."""
    sizes = [range(len(names)) for names in game.behaviours]
    meanings = (
        [tuple(map(tuple, sizes))]
        if labels_known
        else [(own, other) for own in permutations(sizes[0]) for other in permutations(sizes[1])]
    )
    return tuple(
        PartnerHypothesis(
            weight / len(meanings), relabelled(game, own, other), relabelled_partner(partner, own, other)
        )
        for weight, partner in partners(game, family)
        for own, other in meanings
    )


def regret(name: str, family: str, labels_known: bool) -> float:
    """Optimal return less that of the belief plan, both averaged over the family, a round."""
    game = games.get(name)()
    optimum = sum(w * best_response(game, p, ROUNDS).value for w, p in partners(game, family))
    return (optimum - belief_plan(hypotheses(game, family, labels_known), ROUNDS).value) / ROUNDS


KNOWN = {
    ("rps", "single"): 0.0100,
    ("ibs", "single"): 0.0350,
    ("ipd", "single"): 0.0,
    ("rps", "tit_for_tat"): 0.0,
    ("ibs", "tit_for_tat"): 0.0,
    ("ipd", "tit_for_tat"): 0.0,
    ("rps", "mixed"): (0.0133 + 0.0) / 2,
    ("ibs", "mixed"): (0.0350 + 0.0) / 2,
    ("ipd", "mixed"): (0.0100 + 0.0600) / 2,
}
UNKNOWN = {
    ("rps", "single"): 0.0150,
    ("ibs", "single"): 0.0425,
    ("ipd", "single"): 0.0175,
    ("rps", "tit_for_tat"): 0.0150,
    ("ibs", "tit_for_tat"): 0.1000,
    ("ipd", "tit_for_tat"): 0.0300,
    ("rps", "mixed"): (0.0217 + 0.0167) / 2,
    ("ibs", "mixed"): (0.0425 + 0.1000) / 2,
    ("ipd", "mixed"): (0.0275 + 0.0600) / 2,
}
"""In mixtures only the mean over the prior is unique."""


@for_each(("name", "family"), KNOWN)
def test_payoffs_known(name: str, family: str) -> None:
    assert regret(name, family, labels_known=True) == pytest.approx(KNOWN[name, family], abs=6e-5)


@for_each(("name", "family"), UNKNOWN)
def test_payoffs_and_labels_unknown(name: str, family: str) -> None:
    """A lower bound for every learner that treats all labels alike."""
    assert regret(name, family, labels_known=False) == pytest.approx(UNKNOWN[name, family], abs=6e-5)


@for_each("family", ["single", "tit_for_tat", "mixed"])
def test_relabelling_changes_no_optimum(family: str) -> None:
    game = games.get("ipd")()
    for _, partner in partners(game, family):
        optimum = best_response(game, partner, 20).value
        for own in permutations(range(2)):
            for other in permutations(range(2)):
                again = best_response(
                    relabelled(game, own, other), relabelled_partner(partner, own, other), 20
                )
                assert again.value == pytest.approx(optimum)
