"""The bound on policies that ignore others' abilities: against the exact value of every choice of messages, and by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from otherminds.household.epistemic.certificate import RoleSwap
from otherminds.household.epistemic.check_partners import (
    check_family,
    choosers,
    family_of,
    largest_share,
    solved_by_choice,
    statements_of,
    with_roles,
)
from otherminds.household.epistemic.check_rules import ProblemRules, RejectedError
from tests.cases import depth, for_each
from tests.household.epistemic.partner_games import Game, draw_family

OFFICE = "agent_9"


def bound(game: Game, choosing: list[str] | None = None) -> Fraction:
    """The bound of the family of a game; ``choosing`` are others than the choosers."""
    rules = ProblemRules(game.problem())
    every = family_of(game.partners)
    solved = solved_by_choice(rules, every, choosers(rules, game.partners) if choosing is None else choosing)
    return largest_share(solved, [every.index(roles) for roles in game.family()])


@pytest.mark.parametrize("count", depth(25, 700))
def test_no_choice_of_messages_beats_the_bound(count: int) -> None:
    """And every task of the family that can be solved is among those that may be; so are the agents apart."""
    draw = random.Random(count)
    below = 0
    for _ in range(count):
        game, family = draw_family(draw)
        rules, every = ProblemRules(game.problem()), family_of(game.partners)
        assert [*choosers(rules, game.partners)] == game.choosers()
        may = frozenset[int]().union(*solved_by_choice(rules, every, game.choosers()))
        assert may.issuperset(map(every.index, family))
        exact, found = game.share(), bound(game)
        assert exact <= found <= 1, game
        below += found < 1
    assert below > count / 10


def relay(**changes: object) -> Game:
    """An office is told of three boxes, and may tell of two; each partner is told of one; any two may have changed rooms."""
    partners = tuple(f"agent_{k}" for k in range(3))
    game = Game(
        areas={agent: (f"room_{k}",) for k, agent in enumerate(partners)} | {OFFICE: ("office",)},
        boxes={f"box_{k}": frozenset({f"room_{k}"}) for k in range(3)},
        knows={agent: frozenset({f"box_{k}"}) for k, agent in enumerate(partners)}
        | {OFFICE: frozenset(f"box_{k}" for k in range(3))},
        links=dict.fromkeys(partners, ()) | {OFFICE: partners},
        budgets={OFFICE: 2},
        statements=1,
        partners=partners,
    )
    return game._replace(**changes)


def test_an_office_that_may_tell_of_two_boxes_serves_two_of_four_tasks() -> None:
    """Nobody or two agents are in wrong rooms; three are too many. Two boxes that are always told of serve one exchange."""
    assert len(relay().family()) == 4
    assert bound(relay()) == relay().share() == Fraction(1, 2)


CHANGES: dict[str, dict[str, object]] = {
    "three messages": {"budgets": {OFFICE: 3}},
    "no limit": {"budgets": {}},
    "two statements": {"statements": 2},
    "statements without a limit": {"statements": 0},
    "an answer": {"links": relay().links | {"agent_0": (OFFICE,)}},
    "a look into a room": {"areas": relay().areas | {OFFICE: ("office", "room_1")}},
    "a box that both reach": {"boxes": relay().boxes | {"box_1": frozenset({"room_1", "office"})}},
}


@for_each("kind", CHANGES)
def test_what_lets_the_office_tell_all_or_learn_of_its_partners_ends_the_bound(kind: str) -> None:
    assert bound(relay(**CHANGES[kind])) == 1


def test_an_agent_that_learns_of_partners_is_no_chooser() -> None:
    """Taken for one, it would bring the bound below the exact value."""
    for kind in ("an answer", "a look into a room", "a box that both reach"):
        game = relay(**CHANGES[kind])
        assert choosers(ProblemRules(game.problem()), game.partners) == ()
    answered = relay(**CHANGES["an answer"])
    assert bound(answered, [OFFICE]) == Fraction(1, 2)
    assert answered.share() == 1


def test_a_partner_without_messages_tells_nothing_over_its_link() -> None:
    mute = relay(links=relay().links | {"agent_0": (OFFICE,)}, budgets={OFFICE: 2, "agent_0": 0})
    assert bound(mute) == Fraction(1, 2)


def test_a_family_lacks_no_task_that_a_policy_may_solve() -> None:
    """With only those that nobody solves, any bound would be 0; and none counts twice."""
    rules, every = ProblemRules(relay().problem()), family_of(relay().partners)
    may = frozenset[int]().union(*solved_by_choice(rules, every, [OFFICE]))
    hopeless = [RoleSwap(roles, ()) for number, roles in enumerate(every) if number not in may]
    assert 0 < len(hopeless) < len(every)
    for members in (hopeless, [*(RoleSwap(roles, ()) for roles in every), hopeless[0]]):
        with pytest.raises(RejectedError, match="not once in the family"):
            check_family(rules, members, "0")


def test_roles_are_a_permutation_of_agents() -> None:
    problem = relay().problem()
    for roles in ({"agent_0": "agent_1"}, {"agent_0": "agent_1", "agent_1": "agent_1"}, {"x": "x"}):
        with pytest.raises(RejectedError, match="permutation"):
            with_roles(problem, roles)
    swapped = with_roles(problem, {"agent_0": "agent_1", "agent_1": "agent_0"})
    assert ("at", "agent_0", "room_1") in swapped.start
    assert ("may_go", "agent_1", "room_0") in swapped.static
    assert (swapped.known, swapped.links, swapped.budgets) == (problem.known, problem.links, problem.budgets)


def test_the_number_of_statements_is_that_of_all_messages() -> None:
    assert statements_of(relay().problem(), OFFICE) == 2
    assert statements_of(relay(statements=2).problem(), OFFICE) == 4
    assert statements_of(relay(statements=0).problem(), OFFICE) is None
    assert statements_of(relay(statements=0, budgets={OFFICE: 0}).problem(), OFFICE) == 0
    assert statements_of(relay().problem(), "agent_0") is None
