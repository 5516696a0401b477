"""Does a model that writes programs help where the predictor library has nothing? Partners that it lacks.

Each partner follows a program. ``bayesian`` has its library alone; ``hypothetical_plus``
has a stand-in for a model: one that says nothing of use, one that always writes the same
wrong program, one that reads the history in its prompt and writes the shortest of some
thousand simple programs that explains it best, and one that writes the partner's own.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import log2

import numpy as np
from common import arguments, finish, show

from otherminds import SeatSpec
from otherminds.core.data import Automaton, Message, Partner
from otherminds.core.model import Decoding
from otherminds.core.scenario import Participant, Population, Scenario, Setup, scenario
from otherminds.games.automata import unfold
from otherminds.games.best_response import best_response
from otherminds.games.expressions import BehaviourNames, program
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import games
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel
from otherminds.play.loop import play_now

GAME = "rps"
PARTNERS = {
    "by the parity of the round, which turns over every fifth": "if (round // 5 + round) % 2 == 0 then 'rock' else 'paper'",
    "by what both did two rounds ago": "if their(2) == mine(2) then 'rock' else next(mine(2))",
    "by how often rock was played": "if count(mine, 'rock') % 2 == 0 then mine(1) else best_reply(mine(1))",
    "a cycle of seven": "cycle('rock', 'rock', 'paper', 'scissors', 'paper', 'paper', 'scissors')",
    "the same, wrong one time in five": "noisy(if their(2) == mine(2) then 'rock' else next(mine(2)), 0.3)",
}
WRONG = "cycle('rock', 'rock', 'paper')"
ROW = re.compile(
    r"^- round \d+: you played ('\w+'), your reward [-+\d.]+; they played ('\w+')$", re.MULTILINE
)
Reply = Callable[[Sequence[Message], Decoding], str]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="episodes a cell (default 20)")
    parser.add_argument("--rounds", type=int, default=100, help="rounds an episode (default 100)")
    options = parser.parse_args()
    rows, figures = [], {}
    for name, text in PARTNERS.items():
        built, automaton = against(text, options.rounds)
        best = best_response(games.get(GAME)(), automaton, options.rounds).value / options.rounds
        cells = {
            "bayesian": None,
            "plus, useless": lambda messages, decoding: "I do not know.",
            "plus, wrong": writes(WRONG),
            "plus, searching": search,
            "plus, right": writes(text),
        }
        found = {mind: measured(built, reply, options) for mind, reply in cells.items()}
        rows.append(
            (
                name,
                *(f"{score:+.3f} ± {half:.3f} ({calls:.1f})" for score, half, calls in found.values()),
                f"{best:+.3f}",
            )
        )
        figures[name] = {
            "best": best,
            **{
                mind: dict(zip(("score", "half_width", "calls"), cell, strict=True))
                for mind, cell in found.items()
            },
        }
    show(
        f"{GAME}, {options.episodes} episodes a cell: reward a round ± 95 % half-width (model calls an episode)",
        ("partner", *cells, "best"),
        rows,
    )
    finish(options, figures)


@cache
def automaton_of(text: str, rounds: int) -> Automaton:
    """A program, written as the ego would write it, as its partner's automaton."""
    game = games.get(GAME)()
    followed = program(text, BehaviourNames(*game.behaviours, game)).predictor(text)
    own, theirs = (len(names) for names in game.behaviours)
    return unfold(followed.start, followed.output, followed.after, (theirs, own), rounds)


def against(text: str, rounds: int) -> tuple[Scenario, Automaton]:
    """The matrix game against a partner that follows ``text``."""
    names = list(games.get(GAME)().behaviours[0])
    built = scenario(f"{GAME}-single-v1", {"rounds": rounds, "names": names})
    automaton = automaton_of(text, rounds)
    partner = replace(
        built,
        population=Population(((Fraction(1), (SeatSpec("written"),)),)),
        partner=lambda spec, seat: (AutomatonPlayer(automaton), Partner(spec.mind)),
        bounds=None,
    )
    return partner, automaton


def measured(built: Scenario, reply: Reply | None, options: object) -> tuple[float, float, float]:
    """Reward a round, the half-width of its 95 % interval (normal), and calls an episode."""
    mind = SeatSpec("bayesian") if reply is None else SeatSpec("hypothetical_plus", model="scripted:stand-in")
    model = ScriptedModel(reply) if reply else None
    scores, calls = [], 0
    for seed in range(options.seed, options.seed + options.episodes):
        record, _ = play_now(Setup(built, {"ego": Participant(make_mind(mind), model)}, seed))
        scores.append(np.mean([met.reward for met in record.met["ego"]]))
        calls += len(record.calls)
    return (
        float(np.mean(scores)),
        float(1.96 * np.std(scores, ddof=1) / len(scores) ** 0.5),
        calls / len(scores),
    )


def writes(text: str) -> Reply:
    return lambda messages, decoding: repr({"strategy": "They have a pattern.", "predictor": text})


@cache
def parts() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Simple conditions and simple outcomes; a program is one outcome, or a condition between two."""
    names = [repr(name) for name in games.get(GAME)().behaviours[0]]
    shown = [f"{side}({k})" for side, k in product(("their", "mine"), (1, 2, 3))]
    outcomes = [*names, *shown, *(f"{what}({of})" for what in ("next", "best_reply") for of in shown)]
    conditions = [
        *(f"their({k}) == mine({k})" for k in (1, 2, 3)),
        *(f"{of} == {name}" for of, name in product(shown, names)),
        *(f"round % {n} == {k}" for n in (2, 3, 4, 5) for k in range(n)),
        *(f"(round - 1) // {n} % 2 == 0" for n in (2, 3, 4, 5, 6, 8, 10)),
        *(f"(round // {n} + round) % 2 == 0" for n in (2, 3, 4, 5, 6, 8, 10)),
        *(f"count({side}, {name}) % 2 == 0" for side, name in product(("their", "mine"), names)),
        *(
            f"count({side}, {name}) >= {n}"
            for side, name, n in product(("their", "mine"), names, (1, 2, 3, 5))
        ),
        *(f"streak({side}) >= {n}" for side, n in product(("their", "mine"), (2, 3))),
    ]
    return tuple(conditions), tuple(outcomes)


def search(messages: Sequence[Message], decoding: Decoding) -> str:
    """The program that explains the history in the prompt in the fewest bits, its own length included."""
    game = games.get(GAME)()
    words = BehaviourNames(*game.behaviours, game)
    history = [
        (words.theirs.index(literal_eval(theirs)), words.own.index(literal_eval(own)))
        for own, theirs in ROW.findall(messages[-1].content)
    ]
    conditions, outcomes = parts()
    first, other = map(repr, words.theirs[:2])
    holds = np.array(
        [[p[0] for p in foreseen(f"if {c} then {first} else {other}", words, history)] for c in conditions]
    )
    fits = np.array(
        [
            [
                np.log2(0.9 * p[t] + 0.1 / 3)
                for p, (t, _) in zip(foreseen(o, words, history), history, strict=True)
            ]
            for o in outcomes
        ]
    )
    lengths = np.array([program(o, words).bits for o in outcomes])
    extra = np.array([program(f"if {c} then {first} else {other}", words).bits for c in conditions]) - 2 * (
        2 + log2(3)
    )
    alone = fits.sum(axis=1) - lengths
    then = holds @ fits.T - lengths
    otherwise = (1 - holds) @ fits.T - lengths
    both = then.max(axis=1) + otherwise.max(axis=1) - extra
    c = int(both.argmax())
    if alone.max() >= both[c]:
        return writes(outcomes[int(alone.argmax())])(messages, decoding)
    text = f"if {conditions[c]} then {outcomes[int(then[c].argmax())]} else {outcomes[int(otherwise[c].argmax())]}"
    return writes(text)(messages, decoding)


def foreseen(text: str, words: BehaviourNames, history: Sequence[tuple[int, int]]) -> list[tuple[float, ...]]:
    """What ``text`` predicts before each encounter of ``history``."""
    predictor = written(text, words)
    state, found = predictor.start, []
    for theirs, own in history:
        found.append(predictor.output(state))
        state = predictor.after(state, theirs, own)
    return found


@cache
def written(text: str, words: BehaviourNames):
    return program(text, words).predictor(text)


if __name__ == "__main__":
    main()
