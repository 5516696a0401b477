"""The rules of the *in the matrix* substrates in words, a paragraph each."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Game
from otherminds.gridworlds.grid.words import MAP, stretches, window
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.skills import LEAD
from otherminds.gridworlds.in_the_matrix.words.examples import committed, pays
from otherminds.gridworlds.in_the_matrix.words.naming import SeatVocabulary
from otherminds.replies.asking import listed, several

OUTDATED = "What you saw earlier may have changed since."


def paragraphs(words: SeatVocabulary) -> list[str]:
    """Who plays, where and for how long; places; boxes and when they come back; duels and what follows "
    "them."""
    rules = words.substrate
    width, height = rules.size
    player = f"You are player {words.player}, one of {rules.players} players,"
    lasts = (
        f"An episode lasts at least {rules.minimum} steps; from then on it ends every {rules.interval} steps with "
        f"probability {rules.ending:g}, and after {rules.maximum} steps at the latest."
        if rules.minimum < rules.maximum
        else f"An episode lasts {rules.maximum} steps."
    )
    kinds = zip(rules.colours, rules.classes, strict=True)
    again = " When no player is on the map, all boxes come back at once." if rules.refill else ""
    return [
        f"{player if words.crowd else 'You and another player are'} on a map of {width} by {height} cells. "
        f"{lasts}",
        f"{MAP} These places are free of walls: {stretches(rules.open)}.",
        "Boxes lie on the map: "
        f"{several([f'{colour} ones stand for {name}' for colour, name in kinds], 'and')}. Whoever enters "
        "the place of a box collects it. Each player holds one box of each kind at the start and after each "
        f"duel. A place keeps its kind: from {rules.delay} steps after a box has gone, it comes back with "
        f"probability {rules.regrowth:g} a step.{again}",
        "Who has collected a box since its last duel is ready, and carries a marker that others see. A player fires a "
        "beam at others near it: up to 3 cells ahead, and up to 2 cells ahead in the columns to its left and right; "
        "walls, boxes and players stop it. "
        "If it hits a player and both are ready, the two duel. What a player plays in a duel is the kind of which it "
        "holds most, and it plays it the more strongly, the larger the share of that kind in all that it holds. The "
        f"reward of each depends on what both hold. Both then stand still for {rules.freeze + 1} steps, get their "
        f"rewards, leave the map, and come back {rules.respawn + 1} steps later at a random place.",
    ]


def view(rules: Rules) -> str:
    """What is seen, and what is not."""
    looks = " Each player looks different, so that you know who is who." if rules.distinct else ""
    return (
        f"{window(rules.view)} It shows boxes, players and their markers; walls hide nothing.{looks} You never see what "
        "another player holds, nor which way it faces."
    )


def choice(labels: Sequence[str]) -> str:
    """What one decides."""
    return (
        "You do not steer single steps: you choose what to play next. A routine of yours then collects boxes of that "
        f"kind, until it holds {LEAD} more of it than of any other, and seeks a duel. You are asked again when it is done "
        f"or has failed. You may choose between {listed(labels, 'and')}."
    )


def pairs(words: SeatVocabulary, game: Game, order: Sequence[int]) -> list[str]:
    """What each pair of resources brings, a sentence a pair."""
    names = words.substrate.classes
    return [
        f"Your {names[i]} and its {names[j]} bring you {words.number(mine)} and the other player {words.number(theirs)}."
        for i in order
        for j in order
        for mine, theirs in [game.payoffs[i][j]]
    ]


def payoffs(words: SeatVocabulary, game: Game, order: Sequence[int]) -> str:
    """What duels bring, with an instance worked out."""
    kinds = len(words.substrate.classes)
    first, last = committed(order[0], kinds), committed(order[-1], kinds)
    own, other = (words.number(pay) for pay in pays(game, first, last))
    lines = [
        "In a duel each of your boxes meets each of the other player's, and you get the mean of what these pairs bring:",
        *pairs(words, game, order),
        f"If, for instance, you hold {words.held(first)} and the other player holds {words.held(last)}, you get {own} "
        f"and it gets {other}. Rewards are rounded to three decimals.",
    ]
    return "\n".join(lines)
