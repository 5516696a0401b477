"""Checks of figures: optima against all plans, verdicts on minds whose nature is known, and what importing and running cost."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

from otherminds.api.playing import play
from otherminds.api.scoring import report
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Automaton,
    Brief,
    Game,
    Invalid,
    Moment,
    Question,
    Seat,
    WeightedPolicy,
)
from otherminds.core.encoding import derive
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.games.belief import valuation
from otherminds.games.best_response import best_response
from otherminds.games.registry import games
from otherminds.measures.intervals import Estimate, share_of
from otherminds.measures.verdict import KNOWLEDGE
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.selfcheck.check import call_program
from otherminds.testing.compare import promise

EXACT_ROUNDS = 4
STATES = 3
DRAWN = 25
"""Partners of each kind, and populations of two partners, for each game."""
NEAR = 1e-9


def try_all_plans(folder: Path) -> str:
    """Compares optima with those that brute force finds."""
    rng, worst, tried = Random(0), 0.0, 0
    for name in ("ipd", "ibs", "rps"):
        game: Game = games.get(name)()
        for _ in range(DRAWN):
            first, second = (draw_automaton(game, rng, sure=True) for _ in range(2))
            drawing = draw_automaton(game, rng, sure=False)
            chance = rng.uniform(0.1, 0.9)
            family = (WeightedPolicy(chance, first), WeightedPolicy(1 - chance, second))
            valued = valuation(game, family, EXACT_ROUNDS)
            promise(valued.exact, f"{name} with two partners is solved exactly", "it is approximated")
            unknown = [(member.weight, member.automaton, member.automaton.start) for member in family]
            for exact, brute in (
                (
                    best_response(game, first, EXACT_ROUNDS).value,
                    max(_play_plan(game, first, plan) for plan in _plans(game)),
                ),
                (
                    best_response(game, drawing, EXACT_ROUNDS).value,
                    _best_value(game, [(1, drawing, drawing.start)], EXACT_ROUNDS),
                ),
                (valued.value(0, valued.start), _best_value(game, unknown, EXACT_ROUNDS)),
            ):
                gap, tried = abs(exact - brute), tried + 1
                worst = max(worst, gap)
                promise(gap <= NEAR, f"in {name}, brute force finds {brute:.9f}", f"{exact:.9f}")
    return f"{tried} optima: largest difference {worst:.0e}"


def draw_automaton(game: Game, rng: Random, *, sure: bool) -> Automaton:
    """A partner of :data:`STATES` states that plays one behaviour in each if it is ``sure``, else at random."""
    own, theirs = map(len, game.behaviours)
    states = range(STATES)
    behaviours = range(theirs)
    if sure:
        output = tuple(
            tuple(float(b == choice) for b in behaviours) for choice in rng.choices(behaviours, k=STATES)
        )
    else:
        weights = [[rng.uniform(0.1, 1) for _ in behaviours] for _ in states]
        output = tuple(tuple(weight / sum(row) for weight in row) for row in weights)
    following = tuple(tuple(tuple(rng.choices(states, k=own)) for _ in range(theirs)) for _ in states)
    return Automaton(rng.randrange(STATES), output, following)


def _plans(game: Game) -> Iterator[tuple[int, ...]]:
    """Every sequence of own behaviours: a plan suffices against a partner that does not draw."""
    return product(range(len(game.behaviours[0])), repeat=EXACT_ROUNDS)


def _play_plan(game: Game, partner: Automaton, plan: tuple[int, ...]) -> float:
    state, total = partner.start, 0.0
    for own in plan:
        other = partner.output[state].index(1.0)
        total += game.payoffs[own][other][0]
        state = partner.next[state][other][own]
    return total


def _best_value(game: Game, partners: list[tuple[float, Automaton, int]], rounds: int) -> float:
    """The largest expected return against one of ``partners``, weighted and each in its state, over all ways to react.

    Weights need not add up to 1: the value is weighted with their sum.
    """
    if not rounds or not partners:
        return 0.0
    values: list[float] = []
    for own in range(len(game.behaviours[0])):
        value = 0.0
        for other in range(len(game.behaviours[1])):
            survivors = [
                (weight * partner.output[state][other], partner, partner.next[state][other][own])
                for weight, partner, state in partners
                if partner.output[state][other]
            ]
            value += sum(weight for weight, _, _ in survivors) * game.payoffs[own][other][0]
            value += _best_value(game, survivors, rounds - 1)
        values.append(value)
    return max(values)


STUDIES = 12
"""Studies of each mind in each world."""
A_PARTNER = 6
JUDGED_ROUNDS = 20
JUDGED_WORLDS = ("rps-mixed-v1", "ibs-mixed-v1")
IGNORANT = (SeatSpec("uniform"), SeatSpec("mirror"), SeatSpec("echo"), SeatSpec("random"))
ABLE = (SeatSpec("bayes"), SeatSpec("informed"))
IDLE = SeatSpec("simulated", {"accuracy": 1.0, "rationality": 0.0})
MOST = 0.05
"""The largest share of studies of ignorant minds that may find knowledge."""


def study_ignorance(folder: Path) -> str:
    """Counts verdicts of knowledge on minds that know nothing."""
    share, n = share_with(IGNORANT, lambda kind: kind in KNOWLEDGE)
    promise(share.low is not None and share.low <= MOST, "at most 5 % of studies", _words(share, n))
    control, _ = share_with((IDLE,), lambda kind: kind == "does not use")
    promise(
        (control.mean or 0) > 0.5,
        "knowledge without use is recognised",
        _words(control, STUDIES * len(JUDGED_WORLDS)),
    )
    return f"knowledge found in {_words(share, n)}"


def study_ability(folder: Path) -> str:
    """Counts verdicts of disuse on minds that use what they know."""
    share, n = share_with(ABLE, lambda kind: kind == "does not use")
    promise(share.mean == 0, "no accusation", f"an accusation in {_words(share, n)}")
    control, _ = share_with(ABLE, lambda kind: kind in KNOWLEDGE)
    promise((control.mean or 0) > 0.5, "able minds are found to know", f"only in {_words(control, n)}")
    return f"accused in {_words(share, n)}; found to know in {_words(control, n)}"


def share_with(minds: Sequence[SeatSpec], counts: Callable[[str], bool]) -> tuple[Estimate, int]:
    """The share of studies of ``minds`` whose verdict ``counts``, and the number of studies."""
    kinds = [kind for world in JUDGED_WORLDS for mind in minds for kind in _verdicts(world, mind)]
    return share_of(sum(map(counts, kinds)), len(kinds)), len(kinds)


def _verdicts(world: str, mind: SeatSpec) -> Iterator[str]:
    """The verdict of each study of a mind: so many episodes with each partner, with seeds of their own."""
    built = scenario(world, {"rounds": JUDGED_ROUNDS})
    size = A_PARTNER * len(built.population.members)
    for study in range(STUDIES):
        records: list[Record] = [play(built, mind, seed=study * size + number) for number in range(size)]
        (verdict,) = report(records).verdicts
        yield verdict.kind


def _words(share: Estimate, n: int) -> str:
    """A share of studies with its interval."""
    mean, low, high = (100 * (value or 0) for value in (share.mean, share.low, share.high))
    return f"{mean:.0f} % of {n} studies (95 % interval {low:.0f} to {high:.0f})"


IMPORTS = 7
MOST_MS = 150
TIMED = "from time import process_time as t; a = t(); import otherminds; print(1000 * (t() - a))"


def time_the_import(folder: Path) -> str:
    """Times the import in fresh processes."""
    times: list[float] = []
    for _ in range(IMPORTS):
        done = call_program([sys.executable, "-c", TIMED])
        promise(done.returncode == 0, "it is imported", done.stderr[-300:])
        times.append(float(done.stdout))
    promise(min(times) <= MOST_MS, f"at most {MOST_MS} ms", f"{min(times):.0f} ms")
    return f"{min(times):.0f} ms (of {IMPORTS}: {', '.join(f'{time:.0f}' for time in sorted(times))})"


BATCHES = 7
TIMED_WORLDS = {
    "ipd-tit_for_tat-v1": (40, 5.0),
    "rws-repeated-0-v1": (1, 2.0),
    "household-remote_lights-v1": (4, 4.0),
}
"""Scenarios, the episodes of a batch, and the largest ratio that is promised."""


@dataclass
class _Script(Mind):
    """Plays given actions, so that an episode costs what its world and the loop around it cost."""

    actions: list[Action]

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._left = iter(self.actions)

    async def perceive(self, moment: Moment) -> None:
        """Ignores the moment."""

    async def act(self) -> Action:
        return next(self._left)

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("it is not asked")


def time_the_runner(folder: Path) -> str:
    """Times episodes and the bare stepping of their worlds, in turns."""
    words: list[str] = []
    for name, (episodes, most) in TIMED_WORLDS.items():
        built = scenario(name, {})
        played = [_first(built, seed) for seed in range(episodes)]
        steps = sum(len(record.actions) for record in played)
        for run in (_run_again, _step_again):
            _time_runs(run, built, played)
        ratios: list[float] = []
        costs: list[float] = []
        for _ in range(BATCHES):
            ours, bare = _time_runs(_run_again, built, played), _time_runs(_step_again, built, played)
            ratios.append(ours / bare)
            costs.append(1e6 * (ours - bare) / steps)
        ratio = median(ratios)
        promise(ratio <= most, f"in {name} at most {most:g} times the bare world", f"{ratio:.2f} times")
        words.append(f"{name.split('-')[0]} {ratio:.2f} ({max(0.0, median(costs)):.0f} µs a step)")
    return f"ratio to the bare world: {', '.join(words)}"


def _first(built: Scenario, seed: int) -> Record:
    """An episode whose actions are played again."""
    return play_now(
        Setup(built, {seat: make_mind(SeatSpec("random")) for seat in built.focal}, seed, ask=False)
    )[0]


def _acts(record: Record) -> dict[Seat, list[Action]]:
    return {seat: [row[place] for row in record.actions] for place, seat in enumerate(record.seats)}


def _run_again(built: Scenario, record: Record) -> int:
    """The episode by the loop; the number of its steps."""
    minds = {seat: _Script(actions) for seat, actions in _acts(record).items()}
    return len(play_now(Setup(built, minds, record.spec.seed, ask=False))[0].actions)


def _step_again(built: Scenario, record: Record) -> int:
    """The episode without the loop; the number of its steps."""
    world, steps = built.world(), 0
    world.reset(seed=derive(record.spec.seed, "world") % 2**31, options={"grants": {}})
    while world.agents:
        world.step(dict(zip(record.seats, record.actions[steps], strict=True)))
        steps += 1
    world.facts()
    return steps


def _time_runs(run: Callable[[Scenario, Record], int], built: Scenario, played: list[Record]) -> float:
    """Seconds of processor time for all episodes."""
    gc.collect()
    began = process_time()
    lengths = [run(built, record) for record in played]
    seconds = process_time() - began
    promise(
        lengths == [len(record.actions) for record in played],
        "equal actions lead to equal ends",
        f"{lengths}",
    )
    return seconds
