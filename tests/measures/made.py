"""Records made by hand: a game, a population of automata, and what was played and predicted."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Automaton, Encounter, Game, Partner, Question, WeightedPolicy
from otherminds.core.record import Asked, Bounds, EpisodeSpec, Member, Record, SeatSpec
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value

Members = Sequence[tuple[float, str, Automaton]]
Row = tuple[int, int, int]
"""(own, the partner's, the one predicted) of a round, by index."""


def family(members: Members) -> tuple[WeightedPolicy, ...]:
    return tuple(WeightedPolicy(weight, automaton) for weight, _, automaton in members)


def made(
    game: Game, members: Members, met: str, rows: Sequence[Row], mind: str = "made", seed: int = 0
) -> Record:
    """An episode against the member called ``met``."""
    rounds = len(rows)
    automata = {name: automaton for _, name, automaton in members}
    own, theirs = game.behaviours
    likely = family(members)
    encounters = tuple(
        Encounter(t, {"ego": (own[a],), "partner_0": (theirs[b],)}, game.payoffs[a][b][0])
        for t, (a, b, _) in enumerate(rows)
    )
    bounds = Bounds(
        best_response(game, automata[met], rounds).value,
        sum(m.weight * best_response(game, m.automaton, rounds).value for m in likely),
        blind_value(game, likely, rounds),
        "made",
        tuple(Member(weight, name, automaton) for weight, name, automaton in members),
    )
    seats = {"ego": SeatSpec(mind), "partner_0": SeatSpec(met)}
    return Record(
        spec=EpisodeSpec("made-v1", seats, seed, {"rounds": rounds}),
        seats=("ego", "partner_0"),
        drawn={},
        game=game,
        partners={"partner_0": Partner(met, automata[met])},
        bounds=bounds,
        actions=[(a, b) for a, b, _ in rows],
        rewards=[(one.reward, 0.0) for one in encounters],
        met={"ego": encounters, "partner_0": encounters},
        questions=(
            Question("next:partner_0", "ego", "after", "", theirs, 1 / len(theirs), about="partner_0"),
        ),
        asked=tuple(Asked(t, 0, theirs[said], theirs[b]) for t, (_, b, said) in enumerate(rows)),
    )


def copying(n: int) -> Automaton:
    """Opens with behaviour 0, then copies."""
    return Automaton(
        0,
        tuple(tuple(float(i == j) for j in range(n)) for i in range(n)),
        tuple(tuple(tuple(range(n)) for _ in range(n)) for _ in range(n)),
    )


def constant(b: int, n: int, own: int) -> Automaton:
    return Automaton(0, (tuple(float(i == b) for i in range(n)),), (((0,) * own,) * n,))
