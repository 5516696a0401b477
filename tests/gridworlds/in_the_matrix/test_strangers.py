"""Strangers stand in no library: neither they nor anything that they become behaves as a listed policy does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from otherminds.core.data import Automaton
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.games.automata import Setting, always, anything, mostly
from otherminds.games.registry import library
from otherminds.gridworlds.in_the_matrix.bots import ENDLESS, bot_names, describe_partner
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.strangers import automata
from otherminds.minds.registry import make_mind
from otherminds.models.competent.strategies import StrategySetting, kind, rules
from otherminds.play.loop import play_now
from otherminds.testing.scenarios import EpisodePromises, PopulationPromises, ProbePromises
from tests.cases import for_each

STATES = 60
"""The most states of a listed policy that are tried."""
PAIRS = 2_000
"""The pairs of states after which two policies count as alike."""
TOLERANCE = 1e-9

Chances = tuple[float, ...]


class Policy(NamedTuple):
    """``output(state)`` is a distribution, ``after(state, own, other)`` the next state.

    One that ``learns`` can come to foretell anything that its contexts tell apart: it is compared from its start.
    """

    name: str
    start: Any
    output: Callable[[Any], Chances]
    after: Callable[[Any, int, int], Any]
    learns: bool = False


def of_automaton(name: str, automaton: Automaton) -> Policy:
    return Policy(
        name,
        automaton.start,
        automaton.output.__getitem__,
        lambda state, own, other: automaton.next[state][own][other],
    )


@cache
def listed(substrate: str) -> tuple[Policy, ...]:
    """What ``bayesian`` lists, what the scripted model can say (for certain, and with its doubt), and the bots."""
    game = SUBSTRATES[f"{substrate}-v1"].game
    own, theirs = game.behaviours
    of = len(theirs)
    mine, others = (tuple(tuple(cell[i] for cell in row) for row in game.payoffs) for i in (0, 1))
    predictors = [
        Policy(p.name, p.start, p.output, p.after, p.settled is not None)
        for p in library(Setting(len(own), of, game))
    ]
    sentences: list[Policy] = []
    for rule in rules(StrategySetting(own, theirs, others, kind(mine, others))).values():
        for doubt in (0.0, rule.doubt):

            def output(state: Any, rule: Any = rule, doubt: float = doubt) -> Chances:
                says = rule.says(state)
                return (
                    anything(of) if says is None else mostly(says, of, doubt) if doubt else always(says, of)
                )

            sentences.append(Policy(rule.sentence, rule.start, output, rule.after, rule.settled is not None))
    return (*predictors, *sentences)


def reachable(policy: Policy, behaviours: tuple[int, int], most: int) -> list[Any]:
    """The states that ``policy`` can reach by what it plays, at most ``most``, the nearest first."""
    states = {policy.start: None}
    for state in (frontier := [policy.start]):
        for own, other in product(range(behaviours[1]), range(behaviours[0])):
            if policy.output(state)[own] > 0:
                to = policy.after(state, own, other)
                if to not in states and len(states) < most:
                    states[to] = None
                    frontier.append(to)
    return list(states)


def alike(first: Policy, at: Any, second: Policy, also: Any, behaviours: tuple[int, int]) -> bool:
    """Whether both behave alike from these states on, whatever the other does."""
    pairs = {(at, also): None}
    for a, b in (frontier := [(at, also)]):
        chances = first.output(a)
        if any(abs(p - q) > TOLERANCE for p, q in zip(chances, second.output(b), strict=True)):
            return False
        for own, other in product(range(behaviours[1]), range(behaviours[0])):
            if chances[own] > 0:
                pair = first.after(a, own, other), second.after(b, own, other)
                if pair not in pairs and len(pairs) < PAIRS:
                    pairs[pair] = None
                    frontier.append(pair)
    return True


def likenesses(substrate: str, policy: Policy, becoming: bool) -> Iterator[str]:
    """The listed policies that ``policy`` is alike, or with ``becoming`` that some state of it is alike."""
    rows, columns = map(len, SUBSTRATES[f"{substrate}-v1"].game.behaviours)
    states = reachable(policy, (rows, columns), 10_000) if becoming else [policy.start]
    for known in listed(substrate):
        whole = becoming and not known.learns
        theirs = reachable(known, (rows, columns), STATES) if whole else [known.start]
        if any(alike(policy, s, known, r, (rows, columns)) for s, r in product(states, theirs)):
            yield known.name


CASES = [(substrate, name) for substrate in ("rws-repeated", "pd-repeated") for name in automata(substrate)]


@for_each(("substrate", "name"), CASES)
def test_no_stranger_is_or_becomes_a_listed_policy(substrate: str, name: str) -> None:
    policy = of_automaton(name, automata(substrate)[name])
    assert not list(likenesses(substrate, policy, becoming=True))


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_the_comparison_sees_that_every_background_bot_is_listed(substrate: str) -> None:
    """But those that slip: their listed counterparts open, or err, in another way."""
    board = SUBSTRATES[f"{substrate}-v1"]
    for name in bot_names(board):
        automaton = describe_partner(board, name, ENDLESS).automaton
        assert automaton is not None
        assert list(likenesses(substrate, of_automaton(name, automaton), becoming=False)), name


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_a_library_that_holds_the_partners_is_declared_and_only_then(substrate: str) -> None:
    listing = scenario(f"{substrate}-mixed-v1", {"steps": 60})
    record, _ = play_now(Setup(listing, {"ego": listing.minds["bayesian"]()}, 0))
    assert set(record.spec.grants["ego"]) == {"payoffs", "family"}
    plain, _ = play_now(Setup(listing, {"ego": make_mind(SeatSpec("bayesian"))}, 0))
    assert record.actions == plain.actions, "it uses nothing of the grant"
    strange = scenario(f"{substrate}-strangers-v1", {"steps": 60})
    assert "bayesian" not in strange.minds
    assert make_mind(SeatSpec("bayesian")).grants == {"payoffs"}


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_there_are_at_least_six_strangers_and_none_is_called_as_a_bot(substrate: str) -> None:
    names = set(automata(substrate))
    assert len(names) >= 6
    assert names.isdisjoint(bot_names(SUBSTRATES[f"{substrate}-v1"]))


class Strangers(PopulationPromises, EpisodePromises, ProbePromises):
    substrate = ""
    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return scenario(f"{self.substrate}-strangers-v1", {"steps": 100})


class TestRockPaperScissors(Strangers):
    substrate = "rws-repeated"


class TestDilemma(Strangers):
    substrate = "pd-repeated"


del Strangers  # a base class is no test of its own


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_a_stranger_shows_what_its_automaton_says(substrate: str) -> None:
    """In nine duels of ten: a duel may come before it holds most of what it means to show."""
    built = scenario(f"{substrate}-strangers-v1", {"steps": 400})
    right = count = 0
    for seed in range(len(automata(substrate))):
        record, _ = play_now(Setup(built, {"ego": make_mind(SeatSpec("fictitious_play"))}, seed))
        automaton = record.partners["partner_0"].automaton
        assert automaton is not None
        own, other = record.game.behaviours
        state = automaton.start
        for duel in record.met["partner_0"]:
            shown = other.index(duel.did["partner_0"][0])
            right += automaton.output[state][shown] > 0
            count += 1
            state = automaton.next[state][shown][own.index(duel.did["ego"][0])]
    assert right >= 0.9 * count > 0
