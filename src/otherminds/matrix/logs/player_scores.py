"""Scores of the players of logs: how much of what could be known about their partners they used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.data import Behaviour, Game
from otherminds.matrix.logs.ends import (
    BlindPlans,
    Opponent,
    Payoffs,
    Range,
    bound_informed,
    divide_by_room,
)
from otherminds.matrix.logs.episodes import ILLEGAL, SILENT, LoggedEpisode
from otherminds.matrix.logs.explanations import STATES, Explanation, explain_play

CHOICES = 64
"""The most choices of an automaton for each partner that are tried one by one."""
LEAST_ROOM = 0.02
"""F is undefined where the best response earns less than this share of the payoffs' range more than the best blind plan."""
LEAST_LITERAL_ROOM = 0.05
"""L is undefined where the best blind predictor is right in more than all but this share of the rounds."""
Key: TypeAlias = tuple[str, tuple[tuple[Behaviour, ...], tuple[Behaviour, ...]], Payoffs, Payoffs]
"""A name, and the game as the player's partner sees it or as the player does."""


class PartnerFinding(Struct, frozen=True):
    """What one name was as a partner, from all its episodes in one seat of one game, whoever it met.

    ``automata`` is how many explain it, 0 if none does; ``probability`` is that of the likeliest and ``states`` its number of
    states. ``slips`` is how often it did otherwise. ``reason`` says why it is not explained.
    """

    partner: str
    game: str
    episodes: int
    rounds: int
    automata: int
    probability: float
    states: int
    slips: int
    reason: str


class PlayerScore(Struct, frozen=True):
    """One player in one game: what it did in all its episodes, and its scores over those with explained partners.

    ``distinct`` is the number of different episodes, ``explained`` of those whose partner is. ``reward`` is the mean a round,
    and ``from_errors`` the part of it that came from the partners' illegal moves and slips. ``functional`` (F), ``regret`` a
    round and ``literal`` (L) are bounds, and ``None`` where ``reasons`` says why. ``unused`` is the share of what predictions
    were worth that was not played for. ``illegal`` are its own illegal moves.
    """

    player: str
    game: str
    episodes: int
    distinct: int
    explained: int
    functional: Range | None
    regret: Range | None
    literal: Range | None
    unused: float | None
    illegal: int
    reward: float
    from_errors: float
    reasons: tuple[str, ...]


class LogScores(Struct, frozen=True):
    """All players and all partners of some logs."""

    players: tuple[PlayerScore, ...]
    partners: tuple[PartnerFinding, ...]


@dataclass(frozen=True)
class _View:
    """An episode from one seat. ``kept`` is the number of rounds before the first illegal move."""

    partner: Key
    game: Game
    own: NDArray[np.int8]
    theirs: NDArray[np.int8]
    rewards: NDArray[np.float64]
    predictions: NDArray[np.int8]
    kept: int


class _PartnerModel(NamedTuple):
    """An explanation, and of each episode of the partner where it slipped: round and what it would have played."""

    explanation: Explanation
    slips: dict[int, list[tuple[int, int]]]


def score_logs(
    episodes: Iterable[LoggedEpisode], states: int = STATES, tell: Callable[[str], None] = lambda text: None
) -> LogScores:
    """The scores of all players of ``episodes``, whose partners are automata of at most ``states`` states.

    ``tell`` hears how far it is, a line at a time.
    """
    by_player: dict[Key, list[_View]] = defaultdict(list)
    by_partner: dict[Key, list[_View]] = defaultdict(list)
    for count, episode in enumerate(episodes, 1):
        if count % 5000 == 0:
            tell(f"{count} episodes are read")
        for seat in (0, 1):
            player, view = _view_from(episode, seat)
            by_player[player].append(view)
            by_partner[view.partner].append(view)
    models: dict[Key, _PartnerModel] = {}
    slips: dict[int, list[tuple[int, int]]] = {}
    findings: list[PartnerFinding] = []
    for key, views in by_partner.items():
        explanation, reason = _explain(views, states)
        findings.append(_describe(key, views, explanation, reason))
        if explanation is not None:
            seen = [view for view in views if view.kept]
            by_episode: dict[int, list[tuple[int, int]]] = {}
            for i, t, meant in explanation.slips:
                by_episode.setdefault(id(seen[i]), []).append((t, meant))
            models[key] = _PartnerModel(explanation, by_episode)
            slips |= by_episode
        if len(findings) % 50 == 0:
            tell(f"{len(findings)} of {len(by_partner)} partners are searched for")
    scores: list[PlayerScore] = []
    for key, views in by_player.items():
        scores.append(_score(key[0], views, models))
        if len(scores) % 50 == 0:
            tell(f"{len(scores)} of {len(by_player)} players are scored")
    return LogScores(
        tuple(sorted(scores, key=lambda score: (score.game, score.player))),
        tuple(sorted(findings, key=lambda finding: (finding.game, finding.partner))),
    )


def _view_from(episode: LoggedEpisode, seat: int) -> tuple[Key, _View]:
    game = episode.game if seat == 0 else episode.game.flipped()
    legal = (episode.acts[0] != ILLEGAL) & (episode.acts[1] != ILLEGAL)
    kept = len(legal) if legal.all() else int(legal.argmin())
    view = _View(
        _identify(episode.players[1 - seat], game.flipped()),
        game,
        episode.acts[seat],
        episode.acts[1 - seat],
        episode.rewards[seat],
        episode.predictions[seat],
        kept,
    )
    return _identify(episode.players[seat], game), view


def _identify(name: str, game: Game) -> Key:
    own, others = (tuple(tuple(float(cell[seat]) for cell in row) for row in game.payoffs) for seat in (0, 1))
    return name, game.behaviours, own, others


def _explain(views: Sequence[_View], states: int) -> tuple[Explanation | None, str]:
    plays = [(view.theirs[: view.kept], view.own[: view.kept]) for view in views if view.kept]
    if not plays:
        return None, "it has no legal round"
    rows, columns = (len(names) for names in views[0].game.behaviours)
    return explain_play(plays, rows, columns, states)


def _describe(
    key: Key, views: Sequence[_View], explanation: Explanation | None, reason: str
) -> PartnerFinding:
    return PartnerFinding(
        key[0],
        views[0].game.name,
        len(views),
        sum(view.kept for view in views),
        len(explanation.automata) if explanation else 0,
        explanation.weights[0] if explanation else 0.0,
        len(explanation.automata[0].output) if explanation else 0,
        len(explanation.slips) if explanation else 0,
        reason,
    )


def _score(name: str, views: Sequence[_View], models: dict[Key, _PartnerModel]) -> PlayerScore:
    game = views[0].game
    payoffs: Payoffs = tuple(tuple(cell[0] for cell in row) for row in game.payoffs)
    explained = [view for view in views if view.partner in models and view.kept]
    reasons: list[str] = []
    functional = regret = literal = None
    gifts = sum(_sum_gifts(view, models) for view in views)
    rounds = sum(len(view.own) for view in views)
    if not explained:
        reasons.append("F, regret: no partner is explained")
    else:
        opponents = _list_opponents(explained, models)
        informed = bound_informed(payoffs, opponents)
        kept = sum(view.kept for view in explained)
        earned = sum(_earn(view, models, payoffs) for view in explained)
        regret = Range((informed.low - earned) / kept, (informed.high - earned) / kept)
        spread = max(map(max, payoffs)) - min(map(min, payoffs))
        functional = (
            _bound_functional(earned, payoffs, opponents, LEAST_ROOM * spread * kept) if spread else None
        )
        if functional is None:
            reasons.append(
                "F: one plan that is fixed in advance is as good as the best response to each partner"
            )
    stated = [view for view in explained if (view.predictions[: view.kept] != SILENT).any()]
    if stated:
        literal = _bound_literal(stated, models)
        if literal is None:
            reasons.append("L: what the partners do follows from the player's own moves")
    elif any((view.predictions != SILENT).any() for view in views):
        reasons.append("L: no partner is explained of whom it says what it will do")
    return PlayerScore(
        name,
        game.name,
        len(views),
        len({(view.partner, view.own.tobytes(), view.theirs.tobytes()) for view in views}),
        len(explained),
        functional,
        regret,
        literal,
        _share_unused(explained, payoffs),
        int(sum((view.own == ILLEGAL).sum() for view in views)),
        float(sum(view.rewards.sum() for view in views)) / rounds,
        gifts / rounds,
        tuple(reasons),
    )


def _bound_functional(
    earned: float, payoffs: Payoffs, opponents: Sequence[Opponent], room: float
) -> Range | None:
    """F over every choice of one automaton for each partner; of many choices, with bounds for both ends apart, which are wider."""
    choices = [tuple(opponents)]
    if prod(len(opponent.automata) for opponent in opponents) <= CHOICES:
        choices = [
            tuple(
                Opponent((automaton,), opponent.episodes)
                for automaton, opponent in zip(choice, opponents, strict=True)
            )
            for choice in product(*(opponent.automata for opponent in opponents))
        ]
    ranges = [
        divide_by_room(
            earned,
            BlindPlans(len(payoffs), choice).bound_returns(payoffs),
            bound_informed(payoffs, choice),
            room,
        )
        for choice in choices
    ]
    defined = [bounds for bounds in ranges if bounds is not None]
    if not defined:
        return None
    return Range(min(bounds.low for bounds in defined), max(bounds.high for bounds in defined))


def _list_opponents(views: Sequence[_View], models: dict[Key, _PartnerModel]) -> tuple[Opponent, ...]:
    """The partners, those that may be the same automata together."""
    lengths: dict[Key, Counter[int]] = defaultdict(Counter)
    for view in views:
        lengths[view.partner][view.kept] += 1
    alike: dict[frozenset[object], Counter[int]] = defaultdict(Counter)
    for key, counter in lengths.items():
        alike[frozenset(models[key].explanation.automata)].update(counter)
    return tuple(
        Opponent(tuple(automata), tuple(sorted(counter.items())))  # pyright: ignore[reportArgumentType]
        for automata, counter in alike.items()
    )


def _slips_of(view: _View, models: dict[Key, _PartnerModel]) -> Sequence[tuple[int, int]]:
    return models[view.partner].slips.get(id(view), ()) if view.partner in models else ()


def _earn(view: _View, models: dict[Key, _PartnerModel], payoffs: Payoffs) -> float:
    """What the legal rounds earned, without the partner's slips."""
    return float(view.rewards[: view.kept].sum()) - _sum_slips(view, models)


def _sum_slips(view: _View, models: dict[Key, _PartnerModel]) -> float:
    table = view.game.payoffs
    return sum(
        table[int(view.own[t])][int(view.theirs[t])][0] - table[int(view.own[t])][meant][0]
        for t, meant in _slips_of(view, models)
    )


def _sum_gifts(view: _View, models: dict[Key, _PartnerModel]) -> float:
    """What the partner's slips and illegal moves brought."""
    return float(view.rewards[view.theirs == ILLEGAL].sum()) + _sum_slips(view, models)


def _bound_literal(views: Sequence[_View], models: dict[Key, _PartnerModel]) -> Range | None:
    """L: (accuracy − best blind predictor's) / (1 − best blind predictor's), over all legal rounds; silence is wrong."""
    rows, columns = (len(names) for names in views[0].game.behaviours)
    rounds = sum(view.kept for view in views)
    right = sum(int((view.predictions == view.theirs)[: view.kept].sum()) for view in views)
    floor = BlindPlans(rows, _list_opponents(views, models)).bound_hits(columns)
    room = LEAST_LITERAL_ROOM * rounds
    return divide_by_room(right, floor, Range(rounds, rounds), room)


def _share_unused(views: Sequence[_View], payoffs: Payoffs) -> float | None:
    """The payoff lost against the best reply to right predictions, divided by what random play loses, after half of each episode.

    ``None`` without a right prediction, and where one behaviour is best whatever the partner does.
    """
    table = np.array(payoffs)
    best = table.max(0)
    if (table == best).all(1).any():
        return None
    lost = random = 0.0
    for view in views:
        later = slice(view.kept // 2, view.kept)
        stated, own = view.predictions[later], view.own[later]
        right = stated == view.theirs[later]
        stated, own = stated[right], own[right]
        lost += float((best[stated] - table[own, stated]).sum())
        random += float((best[stated] - table.mean(0)[stated]).sum())
    return lost / random if random else None
