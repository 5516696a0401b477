"""F, L and the parts of regret against independent enumeration, on random games with random automata.

The enumeration shares no code with the measures: it walks every sequence of the partner's
moves, every open-loop plan and every tree of own moves, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import WorldError
from otherminds.games.belief import valuation
from otherminds.games.registry import ipd, rps
from otherminds.measures.basis import Decomposition, decomposition, read_score_inputs, scores
from tests.cases import for_each
from tests.measures.made import Members, Row, constant, copying, family, made

Policy = Callable[[list[tuple[int, int]]], tuple[int, int]]
"""From (own, other) of the rounds so far to (action, prediction)."""


def random_game(rng: Random) -> Game:
    rows, columns = rng.choice([2, 3]), rng.choice([2, 3])
    payoffs = tuple(
        tuple((float(rng.randint(-3, 6)), float(rng.randint(-3, 6))) for _ in range(columns))
        for _ in range(rows)
    )
    return Game("random", (tuple("abc"[:rows]), tuple("xyz"[:columns])), payoffs)


def random_automaton(rng: Random, rows: int, columns: int) -> Automaton:
    """One to three states; a state plays one behaviour, or one of two with probability 1/2 each."""
    states = range(rng.randint(1, 3))

    def output() -> tuple[float, ...]:
        one, two = rng.randrange(columns), rng.randrange(columns)
        return tuple(0.5 * (b == one) + 0.5 * (b == two) for b in range(columns))

    after = tuple(
        tuple(tuple(rng.choice(states) for _ in range(rows)) for _ in range(columns)) for _ in states
    )
    return Automaton(rng.choice(states), tuple(output() for _ in states), after)


def outcomes(automaton: Automaton, policy: Policy, rounds: int) -> Iterator[tuple[float, list[Row]]]:
    """Every way an episode can go, with its probability."""

    def walk(state: int, chance: float, rows: list[Row]) -> Iterator[tuple[float, list[Row]]]:
        if len(rows) == rounds:
            yield chance, rows
            return
        action, said = policy([(a, b) for a, b, _ in rows])
        for b, p in enumerate(automaton.output[state]):
            if p:
                yield from walk(automaton.next[state][b][action], chance * p, [*rows, (action, b, said)])

    yield from walk(automaton.start, 1.0, [])


def expected(automaton: Automaton, policy: Policy, rounds: int, worth: Callable[[list[Row]], float]) -> float:
    return sum(chance * worth(rows) for chance, rows in outcomes(automaton, policy, rounds))


def paid(game: Game) -> Callable[[list[Row]], float]:
    return lambda rows: sum(game.payoffs[a][b][0] for a, b, _ in rows)


def best(game: Game, automaton: Automaton, rounds: int) -> float:
    """The value of the best reply to a known automaton, by trying everything."""

    def walk(state: int, left: int) -> float:
        if not left:
            return 0.0
        return max(
            sum(
                p * (game.payoffs[a][b][0] + walk(automaton.next[state][b][a], left - 1))
                for b, p in enumerate(automaton.output[state])
                if p
            )
            for a in range(len(game.payoffs))
        )

    return walk(automaton.start, rounds)


def chances(automaton: Automaton, own: list[int]) -> list[float]:
    """The automaton's next move after ``own`` actions, whatever it did."""
    columns = len(automaton.output[0])
    found = [0.0] * columns
    for moves in product(range(columns), repeat=len(own)):
        state, chance = automaton.start, 1.0
        for a, b in zip(own, moves, strict=True):
            chance *= automaton.output[state][b]
            state = automaton.next[state][b][a]
        for b, p in enumerate(automaton.output[state]):
            found[b] += chance * p
    return found


def unseen(members: Members, rows: list[Row]) -> float:
    """The expected accuracy of the best predictor that knows the population and the own actions."""
    total = 0.0
    for t in range(len(rows)):
        own = [a for a, _, _ in rows[:t]]
        each = [(weight, chances(automaton, own)) for weight, _, automaton in members]
        total += max(sum(w * found[b] for w, found in each) for b in range(len(each[0][1])))
    return total / len(rows)


def seen(automaton: Automaton, rows: list[Row]) -> float:
    """The expected accuracy of one who knows the automaton."""
    state, total = automaton.start, 0.0
    for a, b, _ in rows:
        total += max(automaton.output[state])
        state = automaton.next[state][b][a]
    return total / len(rows)


def random_policy(rng: Random, game: Game) -> Policy:
    """Reacts to the partner's last two moves and the round, at random but always alike."""
    salt = rng.random()

    def act(history: list[tuple[int, int]]) -> tuple[int, int]:
        draw = Random(repr((salt, len(history), history[-2:])))
        return draw.randrange(len(game.payoffs)), draw.randrange(len(game.payoffs[0]))

    return act


def case(seed: int) -> tuple[Game, list[tuple[float, str, Automaton]], Policy, int]:
    rng = Random(seed)
    game = random_game(rng)
    rows, columns = (len(names) for names in game.behaviours)
    shares = rng.choice([(0.5, 0.5), (0.25, 0.75), (0.25, 0.25, 0.5)])
    members = [(w, f"m{i}", random_automaton(rng, rows, columns)) for i, w in enumerate(shares)]
    return game, members, random_policy(rng, game), rng.choice([2, 3])


@for_each("seed", range(80))
def test_f_and_l_equal_enumeration(seed: int) -> None:
    game, members, policy, rounds = case(seed)
    pay = paid(game)
    blind = max(
        sum(
            w * expected(automaton, lambda h, p=plan: (p[len(h)], 0), rounds, pay)
            for w, _, automaton in members
        )
        for plan in product(range(len(game.payoffs)), repeat=rounds)
    )
    informed = sum(w * best(game, automaton, rounds) for w, _, automaton in members)
    got = sum(w * expected(automaton, policy, rounds, pay) for w, _, automaton in members)

    def right(rows: list[Row]) -> float:
        return sum(b == said for _, b, said in rows) / rounds

    def mean(of: Callable[[Automaton, list[Row]], float]) -> float:
        return sum(
            w * expected(automaton, policy, rounds, lambda rows, a=automaton: of(a, rows))
            for w, _, automaton in members
        )

    told, low, high = (
        mean(lambda _, rows: right(rows)),
        mean(lambda _, rows: unseen(members, rows)),
        mean(seen),
    )
    # Chances are multiples of 2 to the minus rounds: as many copies make an exact sample.
    bases = [
        read_score_inputs(made(game, members, name, rows))
        for _, name, automaton in members
        for chance, rows in outcomes(automaton, policy, rounds)
        for _ in range(round(chance * 2**rounds))
    ]
    found = scores(bases)
    pays = [cell[0] for row in game.payoffs for cell in row]
    if informed - blind >= 0.02 * (max(pays) - min(pays)) * rounds and informed > blind:
        assert found["functional"].mean == pytest.approx((got - blind) / (informed - blind))
    else:
        assert found["functional"].mean is None
    if high - low >= 0.05:
        assert found["literal"].mean == pytest.approx((told - low) / (high - low))
    else:
        assert found["literal"].mean is None


def q_values(game: Game, members: Members, rows: list[Row], rounds: int) -> list[float]:
    """Q of each own action after ``rows``, by trying everything under the posterior."""

    def posterior(rows: list[tuple[int, int]]) -> list[tuple[float, Automaton, int]]:
        found = []
        for weight, _, automaton in members:
            state = automaton.start
            for a, b in rows:
                weight *= automaton.output[state][b]
                state = automaton.next[state][b][a]
            if weight:
                found.append((weight, automaton, state))
        total = sum(weight for weight, _, _ in found)
        return [(weight / total, automaton, state) for weight, automaton, state in found]

    def q(rows: list[tuple[int, int]], a: int) -> float:
        moves = [0.0] * len(game.payoffs[0])
        for weight, automaton, state in posterior(rows):
            for b, p in enumerate(automaton.output[state]):
                moves[b] += weight * p
        return sum(p * (game.payoffs[a][b][0] + v([*rows, (a, b)])) for b, p in enumerate(moves) if p > 1e-12)

    def v(rows: list[tuple[int, int]]) -> float:
        if len(rows) == rounds:
            return 0.0
        return max(q(rows, a) for a in range(len(game.payoffs)))

    return [q([(a, b) for a, b, _ in rows], a) for a in range(len(game.payoffs))]


@for_each("seed", range(40))
def test_the_parts_equal_enumeration(seed: int) -> None:
    game, members, policy, rounds = case(seed)
    _, name, automaton = members[seed % len(members)]
    _, rows = next(outcomes(automaton, policy, rounds))
    found = decomposition(made(game, members, name, rows))
    assert isinstance(found, Decomposition)
    assert found.exact
    most = [max(row[b][0] for row in game.payoffs) for b in range(len(game.payoffs[0]))]
    unused = mistaken = 0.0
    for t, (a, _, said) in enumerate(rows):
        q = q_values(game, members, rows[:t], rounds)
        replies = [i for i, row in enumerate(game.payoffs) if row[said][0] == most[said]]
        by_word = sum(q[i] for i in replies) / len(replies)
        unused += by_word - q[a]
        mistaken += by_word
    assert found.unused == pytest.approx(unused / rounds, abs=1e-9)
    start = max(q_values(game, members, [], rounds))
    assert found.unknowable == pytest.approx((best(game, automaton, rounds) - start) / rounds, abs=1e-9)


@given(st.integers(0, 10**9))
def test_the_parts_add_up_to_the_regret(seed: int) -> None:
    """Over random games, populations, minds and lengths; where Q is averaged as well."""
    game, members, policy, _ = case(seed)
    rounds = Random(seed).randint(1, 9)
    rng = Random(seed)
    _, name, automaton = rng.choice(members)
    state, rows = automaton.start, []
    for _ in range(rounds):
        a, said = policy([(a, b) for a, b, _ in rows])
        b = rng.choices(range(len(automaton.output[state])), automaton.output[state])[0]
        rows.append((a, b, said))
        state = automaton.next[state][b][a]
    try:
        record = made(game, members, name, rows)
    except WorldError:
        reject()  # too many situations for the exact best plan fixed in advance
    found = decomposition(record)
    assert isinstance(found, Decomposition)
    whole = found.unknowable + found.foresight + found.mistaken + found.unused - found.luck
    assert whole == pytest.approx(found.regret, abs=1e-9)
    assert found.regret == pytest.approx((record.bounds.informed - record.total("ego")) / rounds, abs=1e-9)


ROUNDS = 20
THIRD = 1 / 6
REFERENCE: dict[str, tuple[float, ...]] = {
    # regret, unknowable, foresight, mistaken, unused, L: an independent computation, 4,000 episodes, ± .01
    "bayes": (0.042, 0.042, 0.0, 0.0, 0.0, 0.92),
    "stuck": (0.974, 0.042, 0.0, 0.508, 0.425, -0.09),
    "uniform": (0.997, 0.042, 0.0, 0.965, 0.0, -1.0),
    "truth, best response": (0.0, 0.042, 0.0, 0.013, 0.0, 1.0),
    "truth, uniform": (0.998, 0.042, 0.0, 0.018, 0.939, 1.0),
    "last move": (1.0, 0.042, 0.0, 0.0, 0.958, 0.95),
}


@pytest.mark.parametrize("mind", REFERENCE)
def test_the_reference_values(mind: str) -> None:
    """Rock-Paper-Scissors, half a copier that opens with option 0, half constants; sampled here as well."""
    game = rps()
    members = [(0.5, "copier", copying(3)), *((THIRD, f"always {b}", constant(b, 3, 3)) for b in range(3))]
    rng = Random(7)
    copies = {"copier": 420, "always 0": 140, "always 1": 140, "always 2": 140}
    bases, known = [], {}  # some minds play alike every time
    valued = valuation(game, family(members), ROUNDS)
    for _, name, automaton in members:
        for _ in range(copies[name]):
            state, rows, belief = automaton.start, [], valued.start
            for t in range(ROUNDS):
                truth = automaton.output[state].index(1.0)
                worths = valued.worths(t, belief)
                last = rows[-1][1] if rows else 0
                said, a = {
                    "bayes": (valued.likeliest(belief), worths.index(max(worths))),
                    "stuck": (1, 1),
                    "uniform": (rng.randrange(3), rng.randrange(3)),
                    "truth, best response": (truth, (truth + 1) % 3),
                    "truth, uniform": (truth, rng.randrange(3)),
                    "last move": (last, last),
                }[mind]
                rows.append((a, truth, said))
                belief = valued.after(belief, a, truth)
                state = automaton.next[state][truth][a]
            played = (name, *rows)
            if played not in known:
                known[played] = read_score_inputs(made(game, members, name, rows))
            bases.append(known[played])
    found = scores(bases)
    regret = sum(found[name].mean for name in ("unknowable", "foresight", "mistaken", "unused"))
    got = (
        regret - found["luck"].mean,
        *(found[n].mean for n in ("unknowable", "foresight", "mistaken", "unused")),
    )
    assert got == pytest.approx(REFERENCE[mind][:5], abs=0.025)
    assert found["literal"].mean == pytest.approx(REFERENCE[mind][5], abs=0.03)


def test_a_dominant_action_leaves_nothing_unused() -> None:
    game = ipd()
    members = [(0.5, "copier", copying(2)), (0.25, "c", constant(0, 2, 2)), (0.25, "d", constant(1, 2, 2))]
    bases = [read_score_inputs(made(game, members, name, [(0, 0, 0)] * 5)) for _, name, _ in members[:2]]
    bases.append(read_score_inputs(made(game, members, "d", [(0, 1, 0)] * 5)))
    found = scores(bases)
    assert found["unused"].mean is None
    assert "best stage response" in found["unused"].reason
    assert found["foresight"].mean is not None
