"""Random small games and partners, and plain searches that try everything."""

from collections.abc import Iterator, Sequence
from itertools import product

from hypothesis import strategies as st

from otherminds.core.data import Automaton, Game, WeightedPolicy

LETTERS = ("abc", "xyz")
EXACT = 1e-9

Observed = tuple[tuple[int, int], ...]
"""What was played so far: (own, the partner's) a round."""


@st.composite
def games(draw: st.DrawFn, rows: int = 2, columns: int = 2, most: int = 9) -> Game:
    """A game with whole payoffs, so that ties are common."""
    pay = st.integers(-most, most).map(float)
    cells = tuple(tuple((draw(pay), draw(pay)) for _ in range(columns)) for _ in range(rows))
    return Game("random", (tuple(LETTERS[0][:rows]), tuple(LETTERS[1][:columns])), cells)


@st.composite
def automata(
    draw: st.DrawFn, rows: int = 2, columns: int = 2, most: int = 3, noisy: bool = False
) -> Automaton:
    """A partner in the column seat; ``noisy`` ones may give any distribution in eighths."""
    states = draw(st.integers(1, most))
    outputs: list[tuple[float, ...]] = []
    for _ in range(states):
        if noisy:
            cuts = sorted(draw(st.lists(st.integers(0, 8), min_size=columns - 1, max_size=columns - 1)))
            outputs.append(tuple((b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)))
        else:
            sure = draw(st.integers(0, columns - 1))
            outputs.append(tuple(float(b == sure) for b in range(columns)))
    to = st.integers(0, states - 1)
    after = tuple(tuple(tuple(draw(to) for _ in range(rows)) for _ in range(columns)) for _ in range(states))
    return Automaton(draw(to), tuple(outputs), after)


@st.composite
def families(
    draw: st.DrawFn, rows: int = 2, columns: int = 2, noisy: bool = False
) -> tuple[WeightedPolicy, ...]:
    """One to three partners with weights in eighths."""
    members = draw(st.lists(automata(rows=rows, columns=columns, noisy=noisy), min_size=1, max_size=3))
    parts = draw(st.lists(st.integers(1, 5), min_size=len(members), max_size=len(members)))
    return tuple(WeightedPolicy(part / sum(parts), m) for part, m in zip(parts, members, strict=True))


def state(automaton: Automaton, seen: Observed) -> int:
    """The state in which ``automaton`` is after ``seen``."""
    at = automaton.start
    for a, b in seen:
        at = automaton.next[at][b][a]
    return at


def paths(automaton: Automaton, sequence: Sequence[int]) -> Iterator[tuple[float, Observed]]:
    """Every way in which the partner may answer a fixed sequence, with its probability."""
    for answers in product(range(len(automaton.output[0])), repeat=len(sequence)):
        seen = tuple(zip(sequence, answers, strict=True))
        chance = likelihood(automaton, seen)
        if chance:
            yield chance, seen


def likelihood(automaton: Automaton, seen: Observed) -> float:
    """The probability that ``automaton`` plays its part of ``seen``."""
    chance = 1.0
    for t, (_, b) in enumerate(seen):
        chance *= automaton.output[state(automaton, seen[:t])][b]
    return chance


def open_loop(game: Game, automaton: Automaton, sequence: Sequence[int]) -> float:
    """The expected return of a fixed sequence, summed over every way it may go."""
    return sum(
        chance * sum(game.payoffs[a][b][0] for a, b in seen) for chance, seen in paths(automaton, sequence)
    )


def best_closed_loop(game: Game, automaton: Automaton, rounds: int, seen: Observed = ()) -> float:
    """The best expected return from ``seen`` on, trying every action after every history."""
    if len(seen) == rounds:
        return 0.0
    output = automaton.output[state(automaton, seen)]
    return max(
        sum(
            p * (game.payoffs[a][b][0] + best_closed_loop(game, automaton, rounds, (*seen, (a, b))))
            for b, p in enumerate(output)
            if p
        )
        for a in range(len(game.behaviours[0]))
    )
