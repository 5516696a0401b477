"""Strategies keep saying and doing apart: scripted models whose L and F have closed forms.

``(a)`` predicts perfectly and acts at random; ``(b)`` best-responds and predicts
at random. At random is made exact: a cell holds one episode for each possible
sequence of random choices (against each member of the population), so that every
mean over it is the expectation itself. With R the expected return:

- (a): L = 1, and F = (mean R of uniformly random play − B) / (I − B);
- (b): L = (1/n − b) / (1 − b), which is 0 against constant partners, and F = 1;

means going over the population's members. In RPS against constant partners random
play and the blind plan both earn 0 on average, so that F of (a) is 0. Where the
blind plan does as well as the best response, F does not exist.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Sequence

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Automaton, Game
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.best_response import best_response
from otherminds.games.registry import automaton, games
from otherminds.measures.cells import Cell, tabulate
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import FORM, ScriptedModel
from otherminds.play.loop import play
from tests.cases import for_each, thinned
from tests.measures.test_exact import unseen

LABELS = "JFB"
"""Of the behaviours in order, in every episode: names that are a list are not balanced."""
ROUNDS = {"rps": 2, "ibs": 3, "ipd": 3}
APART = ["cot", "cot_3shot", "lm", "plans_insights", "qa", "reflexion", "s2a", "s2a_cot"]
"""Strategies whose predictions their own choices do not see."""
SOCIAL = ["social_lm", "social_qa"]
CELLS = [(game, partner) for game in ROUNDS for partner in ("single", "mixed")]
HypothesisTrack = Sequence[int]


def at_random(game: Game, rounds: int) -> list[tuple[int, ...]]:
    """Every sequence of choices: uniformly random play is one of them, each as likely."""
    return list(itertools.product(range(len(game.behaviours[0])), repeat=rounds))


def answers(partner: Automaton, acts: HypothesisTrack) -> list[int]:
    """What a partner without chance does against these acts."""
    state, done = partner.start, []
    for act in acts:
        done.append(partner.output[state].index(1.0))
        state = partner.next[state][done[-1]][act]
    return done


def best(game: Game, partner: Automaton, rounds: int) -> list[int]:
    """The acts of the best response."""
    plan, state, acts = best_response(game, partner, rounds), partner.start, list[int]()
    for t in range(rounds):
        acts.append(plan.act(t, state))
        state = partner.next[state][partner.output[state].index(1.0)][acts[-1]]
    return acts


def by_chance(game: Game, partner: Automaton, rounds: int) -> float:
    """The expected return of uniformly random play, by the automaton's states alone."""
    rows = len(game.behaviours[0])
    spread, total = {partner.start: 1.0}, 0.0
    for _ in range(rounds):
        after: dict[int, float] = {}
        for state, weight in spread.items():
            b = partner.output[state].index(1.0)
            total += weight * sum(row[b][0] for row in game.payoffs) / rows
            for a in range(rows):
                n = partner.next[state][b][a]
                after[n] = after.get(n, 0.0) + weight / rows
        spread = after
    return total


def scripted(acts: HypothesisTrack, says: HypothesisTrack, replies: HypothesisTrack = ()) -> ScriptedModel:
    """Does and says what is written for the round that is asked about.

    Told what the other does, it gives the reply to that, where there are ``replies``.
    """

    def label(prompt: str) -> str:
        now = int(re.findall(r"(?:currently playing|^In) round (\d+)", prompt, re.MULTILINE)[-1]) - 1
        told = re.findall(r"the other player does next: Option (\w)\.", prompt)
        last = prompt.splitlines()[-1]
        if last.endswith("the other player chose Option") or "Which Option does the other" in prompt:
            return LABELS[says[now]]
        return LABELS[replies[LABELS.index(told[0])] if replies and told else acts[now]]

    return ScriptedModel(
        lambda messages, decoding: (
            f"A: Option {label(messages[-1].content)}" if FORM.search(messages[-1].content) else "Well."
        ),
        lambda prompt, continuations: [-float(text.strip() != label(prompt)) for text in continuations],
    )


def acting_on_what_it_is_told(game: Game, says: HypothesisTrack) -> ScriptedModel:
    """Predicts what is written; chooses the best response to what it is told of the other."""
    rows, columns = range(len(game.payoffs)), range(len(game.payoffs[0]))
    replies = [max(rows, key=lambda a: game.payoffs[a][b][0]) for b in columns]
    return scripted([0] * len(says), says, replies)


def cell(
    name: str, game: str, population: str, models: Callable[[Game, Automaton, int], list[ScriptedModel]]
) -> Cell:
    """A cell of the strategy ``name`` with an episode for each member and each of its models."""
    rounds = ROUNDS[game]
    names = list(LABELS[: len(games.get(game)().behaviours[0])])
    built = scenario(f"{game}-{population}-v1", {"rounds": rounds, "names": names})
    assert built.game is not None
    ego = SeatSpec(name, {"tries": 1} if name != "lm" else {}, model="scripted")
    mind = make_mind(ego)
    records: list[Record] = []
    for (member,) in built.population.schedule():
        partner = automaton(member.mind, built.game, rounds, member.params)
        for model in models(built.game, partner, rounds):
            setup = Setup(built, {"ego": Participant(mind, model)}, len(records), {"partner_0": member})
            records.append(asyncio.run(play(setup))[0])
    (found,) = tabulate({(records[0].spec.title, ego.title): len(records)}, records)
    assert found.scored == len(records)
    return found


def expected(game: str, population: str) -> float | None:
    """F of uniformly random play; ``None`` where nothing can be won by adapting."""
    rounds = ROUNDS[game]
    built = scenario(f"{game}-{population}-v1", {"rounds": rounds})
    won = possible = 0.0
    for (member,) in built.population.schedule():
        bounds = built.bounds({"partner_0": member})
        won += (
            by_chance(built.game, automaton(member.mind, built.game, rounds, member.params), rounds)
            - bounds.blind
        )
        possible += bounds.best - bounds.blind
    return won / possible if possible > 1e-9 else None


def guessing(game: str, population: str) -> float:
    """L of predictions at random beside best responses: what ignoring the partner predicts is enumerated."""
    rounds = ROUNDS[game]
    built = scenario(f"{game}-{population}-v1", {"rounds": rounds})
    members = [
        (float(weight), member.title, automaton(member.mind, built.game, rounds, member.params))
        for weight, (member,) in built.population.members
    ]
    ignoring = 0.0
    for weight, _, partner in members:
        acts = best(built.game, partner, rounds)
        rows = [(a, b, b) for a, b in zip(acts, answers(partner, acts), strict=True)]
        ignoring += weight * unseen(members, rows)
    chance = 1 / len(built.game.payoffs[0])
    return (chance - ignoring) / (1 - ignoring)


@pytest.mark.parametrize(
    ("name", "game", "population"), thinned([(name, *known) for known in CELLS for name in APART], 10)
)
def test_one_that_knows_and_acts_at_random(name: str, game: str, population: str) -> None:
    found = cell(
        name,
        game,
        population,
        lambda stage, partner, rounds: [
            scripted(acts, answers(partner, acts)) for acts in at_random(stage, rounds)
        ],
    )
    assert found.literal.mean == 1
    assert found.functional.mean == pytest.approx(expected(game, population), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "game", "population"), thinned([(name, *known) for known in CELLS for name in APART], 10)
)
def test_one_that_does_its_best_and_talks_at_random(name: str, game: str, population: str) -> None:
    found = cell(
        name,
        game,
        population,
        lambda stage, partner, rounds: [
            scripted(best(stage, partner, rounds), says) for says in at_random(stage, rounds)
        ],
    )
    assert found.literal.mean == pytest.approx(guessing(game, population), abs=1e-12)
    assert found.functional.mean == (None if expected(game, population) is None else pytest.approx(1))


def test_in_rock_paper_scissors_the_gap_is_one_or_minus_one() -> None:
    """The closed forms of RPS against constant partners, in figures."""
    assert expected("rps", "single") == 0
    assert guessing("rps", "single") == pytest.approx(0)
    assert guessing("rps", "mixed") < -0.5
    assert expected("ipd", "single") is None
    assert all(isinstance(expected(*known), float) for known in (("ibs", "single"), ("ipd", "mixed")))


@pytest.mark.parametrize("name", SOCIAL)
def test_social_prompting_does_what_it_says(name: str) -> None:
    """Told its own prediction, a model that best-responds to it is as good as its predictions."""
    knowing = cell(
        name,
        "rps",
        "single",
        lambda game, partner, rounds: [acting_on_what_it_is_told(game, answers(partner, [0] * rounds))],
    )
    assert (knowing.literal.mean, knowing.functional.mean) == (1, 1)
    guessing = cell(
        name,
        "rps",
        "single",
        lambda game, partner, rounds: [
            acting_on_what_it_is_told(game, says) for says in at_random(game, rounds)
        ],
    )
    assert guessing.literal.mean == pytest.approx(0, abs=1e-12)
    assert guessing.functional.mean == pytest.approx(0, abs=1e-12)


@for_each("name", ["oracle", "oracle_max"])
@for_each("game", ["rps", "ibs"])
def test_an_oracle_needs_no_theory_of_mind(name: str, game: str) -> None:
    """Told the truth, a model that best-responds to it wins all there is, and says nothing."""
    found = cell(
        name, game, "single", lambda stage, partner, rounds: [acting_on_what_it_is_told(stage, [0] * rounds)]
    )
    assert found.functional.mean == 1
    assert found.literal.mean is None
