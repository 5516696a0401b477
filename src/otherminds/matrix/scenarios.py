"""The scenarios of matrix games: ``<game>-<population>-v1`` for every game and partner family.

``single`` is all constant partners with equal shares, ``mixed`` half of that and half
tit-for-tat; every other partner family has a scenario of its own, in which it
is the only one. Games from a study file are played as ``bimatrix-…``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any

from msgspec.structs import replace

from otherminds.core import scenario
from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import SUPPOSING, Automaton, Game, Partner, Question, Seat, WeightedPolicy
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Meeting, Population, Scenario, scenarios
from otherminds.games.blind import bound_by_partner, compute_bounds, weigh_policies
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, check_game, games, partners
from otherminds.matrix.words import MEANINGLESS, VARIED, MatrixVerbalizer, label_options, letters_of
from otherminds.matrix.world import EGO, PARTNER, MatrixWorld

Weighted = tuple[tuple[Fraction, SeatSpec], ...]
SMALL = 64
"""Automata with more states than this are recorded by name alone."""


def constant(game: Game) -> Weighted:
    """All constant partners with equal shares."""
    columns = len(game.behaviours[1])
    return tuple((Fraction(1, columns), SeatSpec("single", {"behaviour": b})) for b in range(columns))


def half(game: Game, name: str) -> Weighted:
    """Half constant partners, half ``name``."""
    return (*((weight / 2, spec) for weight, spec in constant(game)), (Fraction(1, 2), SeatSpec(name)))


def members(game: Game, population: str) -> Weighted:
    """The population ``single``, ``mixed``, or one partner family."""
    if population == "single":
        return constant(game)
    if population == "mixed":
        return half(game, "tit_for_tat")
    return ((Fraction(1), SeatSpec(population)),)


def reference(game: Game, population: str) -> tuple[str, Weighted]:
    """The population that F refers to, with its name.

    Against one known policy there is nothing to adapt to, so a scenario with
    one policy refers to its mixture with the constant partners.
    """
    if population == "single":
        return "single", constant(game)
    name = "tit_for_tat" if population == "mixed" else population
    return ("mixed" if name == "tit_for_tat" else f"half single, half {name}"), half(game, name)


@cache
def family(game: Game, population: str, rounds: int) -> tuple[WeightedPolicy, ...]:
    """A population's members as automata with their weights, for exact planning."""
    return weigh_policies(_likely(game, members(game, population), rounds))


def _likely(game: Game, weighted: Weighted, rounds: int) -> tuple[Member, ...]:
    return tuple(
        Member(float(weight), spec.title, automaton(spec.mind, game, rounds, spec.params))
        for weight, spec in weighted
    )


@cache
def references(game: Game, population: str, rounds: int, met: Automaton) -> Bounds:
    """The ends of F for a partner met, and the population that F and L refer to."""
    name, weighted = reference(game, population)
    return compute_bounds(game, rounds, name, _likely(game, weighted, rounds), met)


def parse_game(declaration: Mapping[str, Any]) -> Game:
    """A game from a study file: ``name``, ``behaviours`` (one list, or one a seat), ``payoffs``.

    Raises:
        StudyError: it is no game, as :func:`~otherminds.games.registry.check_game` says.
    """
    behaviours = declaration["behaviours"]
    if behaviours and isinstance(behaviours[0], str):
        behaviours = [behaviours, behaviours]
    game = check_game(Game(declaration["name"], _to_tuples(behaviours), _to_tuples(declaration["payoffs"])))
    return replace(game, payoffs=tuple(tuple((float(x), float(y)) for x, y in row) for row in game.payoffs))


def _to_tuples(value: Any) -> Any:
    """``value`` with tuples in place of lists."""
    return tuple(map(_to_tuples, value)) if isinstance(value, list | tuple) else value


POLICY_TIMES = 4
"""At most so many times in an episode the policy questions are asked."""


def policy_steps(rounds: int) -> frozenset[int]:
    """The rounds (from 0) in which policy questions are asked: spread over the second half, without the last.

    >>> sorted(policy_steps(20)), sorted(policy_steps(4))
    ([10, 13, 15, 18], [2])
    """
    first, last = rounds // 2, rounds - 2
    times = min(POLICY_TIMES, last - first + 1)
    if times < 2:
        return frozenset({first} if times == 1 else ())
    return frozenset(first + round(n * (last - first) / (times - 1)) for n in range(times))


def policy_probes(game: Game, rounds: int) -> tuple[Probe, ...]:
    """For each own behaviour: what does the partner show in the next round, if it is shown in this one?"""
    steps = policy_steps(rounds)
    return tuple(
        Probe(
            Question(
                id=f"{SUPPOSING}{behaviour}",
                seat=EGO,
                when="before",
                text=f"If you show {behaviour} in this round, which behaviour does the partner show in the next?",
                options=game.behaviours[1],
                chance=1 / len(game.behaviours[1]),
            ),
            lambda moment: moment.step in steps,
        )
        for behaviour in game.behaviours[0]
    )


def build(
    game: Game,
    population: str,
    rounds: int = 100,
    names: str | list[str] = "neutral",
    literal: str = "after",
    policy_questions: bool = False,
    message: bool = False,
) -> Scenario:
    """The scenario of ``game`` against ``population``.

    ``names`` are the action names that language minds read. Which behaviour has which name is balanced over
    the episodes of each partner, as is the order of options (:mod:`otherminds.core.scenario`), unless the names
    have a meaning or are a list. ``literal`` puts the probe ``after`` the own action (agent first) or ``before``
    it (partner first). ``policy_questions`` also asks, at most four times in the second half of an episode, what the
    partner will do after each own behaviour: in a game with a dominant action only these answers can matter. The names
    ``varied`` are other letters each time labels and orders have been through all their arrangements.
    With ``message`` each language mind may send the other seat one text before the first round.

    Raises:
        StudyError: an option has a bad value, or the game is none.
    """
    check_game(game)
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise StudyError(f"rounds must be a whole number of at least 1, not {rounds!r}")
    if literal not in ("after", "before"):
        raise StudyError(f"literal must be 'after' or 'before', not {literal!r}")
    for option, value in (("policy_questions", policy_questions), ("message", message)):
        if not isinstance(value, bool):
            raise StudyError(f"{option} must be true or false, not {value!r}")
    own, other = label_options(game, names)
    flipped = game.flipped()
    questions = tuple(
        Question(
            id=f"next:{about}",
            seat=seat,
            when="after" if literal == "after" else "before",
            text="Which behaviour does the partner show in this round?",
            options=options,
            chance=1 / len(options),
            about=about,
        )
        for seat, about, options in ((EGO, PARTNER, game.behaviours[1]), (PARTNER, EGO, game.behaviours[0]))
    )

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        played = automaton(spec.mind, game, rounds, spec.params)
        small = played if len(played.output) <= SMALL else None
        return AutomatonPlayer(played), Partner(spec.title, small)

    def arrange(meeting: Meeting) -> dict[str, Any]:
        size, fewer = max(len(own), len(other)), min(len(own), len(other))
        labels = [list(own), list(other)]
        if names in MEANINGLESS:
            letters = max(own, other, key=len)
            if names == VARIED:
                letters = letters_of(size, meeting.cycle // scenario.period(size))
            labelled = [letters[i] for i in scenario.labels(size, meeting)]
            labels = [labelled[: len(own)], labelled[: len(other)]]
        return {"names": labels, "order": scenario.order(size, meeting, fewer)}

    def verbalizer(draw: dict[str, Any], seat: Seat) -> MatrixVerbalizer:
        own, other = map(tuple, draw["names"])
        order = tuple(draw["order"])
        if seat == EGO:
            return MatrixVerbalizer(game, EGO, PARTNER, own, other, order, rounds)
        return MatrixVerbalizer(flipped, PARTNER, EGO, other, own, order, rounds)

    def ends(member: SeatSpec) -> Bounds:
        return references(game, population, rounds, automaton(member.mind, game, rounds, member.params))

    return Scenario(
        id=f"{game.name}-{population}-v1",
        world=partial(MatrixWorld, game, rounds, talks=message),
        population=Population(tuple((weight, (spec,)) for weight, spec in members(game, population))),
        partner=partner,
        probes=(*map(Probe, questions), *(policy_probes(game, rounds) if policy_questions else ())),
        arrange=arrange,
        verbalizer=verbalizer,
        game=game,
        priors={
            "family": lambda: family(game, population, rounds),
            "reference": lambda: weigh_policies(_likely(game, reference(game, population)[1], rounds)),
            "mixed": lambda: family(game, "mixed", rounds),
        },
        bounds=bound_by_partner(PARTNER, ends),
        description=f"{game.name} for {rounds} rounds against {population}",
    )


def _bind_game(make: Callable[[], Game], population: str) -> Callable[..., Scenario]:
    def make_scenario(
        rounds: int = 100,
        names: str | list[str] = "neutral",
        literal: str = "after",
        policy_questions: bool = False,
        message: bool = False,
    ) -> Scenario:
        return build(make(), population, rounds, names, literal, policy_questions, message)

    return make_scenario


def _bind_population(population: str) -> Callable[..., Scenario]:
    def make_scenario(
        game: Mapping[str, Any],
        rounds: int = 100,
        names: str | list[str] = "canonical",
        literal: str = "after",
        policy_questions: bool = False,
        message: bool = False,
    ) -> Scenario:
        return build(parse_game(game), population, rounds, names, literal, policy_questions, message)

    return make_scenario


@scenarios.family
def every_pairing() -> dict[str, Callable[..., Scenario]]:
    """A scenario for every game and every population known by now."""
    pairings: dict[str, Callable[..., Scenario]] = {}
    for population in ("single", "mixed", *(name for name in partners if name != "single")):
        pairings[f"bimatrix-{population}-v1"] = _bind_population(population)
        for game in games:
            pairings[f"{game}-{population}-v1"] = _bind_game(games.get(game), population)
    return pairings
