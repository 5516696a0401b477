"""Partners that keep what pays."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.games.automata import best_reply
from otherminds.games.predictors.predictor import Predictor, Setting
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import OPENING, anything, sure

BITS = 5.0


@predictors.register("win_stay_lose_shift")
def win_stay_lose_shift(setting: Setting) -> Iterator[Predictor]:
    """Stays with what paid at least the game's mean, or more than that; else shifts. Nowak & Sigmund 1993.

    It shifts to the next behaviour, to the one before, or to what would have been best;
    it opens with anything. Where two such rules are the same, only the first is there.
    """
    game = setting.game
    if game is None or setting.theirs < 2:
        return
    theirs = game.flipped()
    pays = [[theirs.payoffs[b][a][0] for a in range(setting.own)] for b in range(setting.theirs)]
    mean = sum(map(sum, pays)) / (setting.own * setting.theirs)
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for strictly in (False, True):
        for way in ("the next one", "the one before", "what would have been best"):

            def answer(b: int, a: int, strictly: bool = strictly, way: str = way) -> int:
                if pays[b][a] > mean or (not strictly and pays[b][a] == mean):
                    return b
                if way == "what would have been best":
                    return best_reply(theirs, a)
                return (b + (1 if way == "the next one" else -1)) % setting.theirs

            rule = tuple(tuple(answer(b, a) for a in range(setting.own)) for b in range(setting.theirs))
            if rule not in seen:
                seen.add(rule)
                yield _shifting(setting, rule, way, "what won" if strictly else "what did not lose")


def _shifting(setting: Setting, rule: tuple[tuple[int, ...], ...], way: str, kept: str) -> Predictor:
    of = setting.theirs
    return Predictor(
        f"stays with {kept}, else {way}",
        f"They repeat {kept}, and else shift to {way}.",
        BITS + (kept == "what won") + (way != "the next one"),
        OPENING,
        lambda next_up: anything(of) if next_up == OPENING else sure(next_up, of),
        lambda next_up, theirs, own: rule[theirs][own],
    )
