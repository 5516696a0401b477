"""Conventions that are lists of rules: IGGI, Piers, Outer, Van den Bergh and Flawed.

Each tries its rules in their order and plays the first that applies. The lists are those of Walton-Rivers, Williams, Bartle,
Perez-Liebana and Lucas (2017), "Evaluating and modelling Hanabi-playing agents", IEEE Congress on Evolutionary Computation, as the
authors' code has them; Outer is due to Osawa (2015), Van den Bergh to van den Bergh et al. (2017). None of them remembers
earlier turns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.rules import Rules
from otherminds.hanabi.view import View, find_playable, find_useless, hinted_cards, share_cards

Rule = Callable[[View, Random], "int | None"]
"""An action that is legal in the view, or ``None`` where the rule does not apply."""


class RuleList:
    """A convention that plays the first of its rules that applies, and at random where none does."""

    def __init__(self, rules: tuple[Rule, ...], rng: Random) -> None:
        self._rules, self._rng = rules, rng

    def watch(self, view: View) -> None:
        pass

    def choose(self, view: View) -> int:
        for rule in self._rules:
            action = rule(view, self._rng)
            if action is not None:
                return action
        return self._rng.choice(view.list_legal())


def play_certain(view: View, rng: Random) -> int | None:
    """Plays a card of which hints named colour and rank, if it scores."""
    rules, playable = view.rules, find_playable(view.rules, view.fireworks)
    for slot, (colours, ranks) in enumerate(_hints_of(view, view.seat)):
        is_named = colours >> rules.colours & 1 and ranks >> rules.ranks & 1
        if is_named and hinted_cards(rules, colours, ranks) & playable:
            return rules.hand + slot
    return None


def play_probable(view: View, rng: Random, least: float) -> int | None:
    """Plays the card that scores most probably, if its probability is ``least`` or more."""
    slot, chance = _find_likeliest(view, find_playable(view.rules, view.fireworks))
    return view.rules.hand + slot if chance >= least else None


play_safe = partial(play_probable, least=1.0)
"""Plays a card that scores whatever it is."""


def play_probable_with_lives(view: View, rng: Random, least: float) -> int | None:
    """As :func:`play_probable`, while an error does not end the game."""
    return play_probable(view, rng, least) if view.lives > 1 else None


def play_at_the_end(view: View, rng: Random) -> int | None:
    """Plays the card that scores most probably once the deck is empty, while an error does not end the game."""
    return play_probable(view, rng, 0.0) if view.lives > 1 and not view.in_deck else None


def play_safe_without_lives(view: View, rng: Random) -> int | None:
    """As :func:`play_safe`, where an error would end the game."""
    return play_safe(view, rng) if view.lives == 1 else None


def tell_playable(view: View, rng: Random) -> int | None:
    """Hints what is not yet named of a card that scores: its rank first."""
    return _tell(view, find_playable(view.rules, view.fireworks), rank_first=True)


def tell_useless(view: View, rng: Random) -> int | None:
    """Hints what is not yet named of a card that can never score."""
    return _tell(view, find_useless(view.rules, view.fireworks, view.discarded), rank_first=False)


def tell_dispensable(view: View, rng: Random) -> int | None:
    """With fewer than four tokens, hints what completes the knowledge that a card is useless."""
    rules = view.rules
    if not 0 < view.information < 4:
        return None
    for player in view.others:
        for card, (colours, ranks) in zip(view.hands[player], _hints_of(view, player), strict=True):
            colour, rank = divmod(card, rules.ranks)
            has_colour, has_rank = colours >> rules.colours & 1, ranks >> rules.ranks & 1
            is_played = rank < view.fireworks[colour]
            if not has_colour and (view.fireworks[colour] == rules.ranks or (is_played and has_rank)):
                return view.hint_colour(player, colour)
            if not has_rank and (rank < min(view.fireworks) or (is_played and has_colour)):
                return view.hint_rank(player, rank)
    return None


def tell_unknown(view: View, rng: Random) -> int | None:
    """Hints what is not yet named of any card of the next player: its colour first."""
    if not view.information:
        return None
    rules, player = view.rules, next(view.others)
    for card, (colours, ranks) in zip(view.hands[player], _hints_of(view, player), strict=True):
        if not colours >> rules.colours & 1:
            return view.hint_colour(player, card // rules.ranks)
        if not ranks >> rules.ranks & 1:
            return view.hint_rank(player, card % rules.ranks)
    return None


def tell_most_cards(view: View, rng: Random) -> int | None:
    """Gives the hint that touches most cards."""
    if not view.information:
        return None
    most, best = 0, None
    for player in view.others:
        colours, ranks = zip(*(divmod(card, view.rules.ranks) for card in view.hands[player]), strict=True)
        for colour, rank in zip(colours, ranks, strict=True):
            if colours.count(colour) > most:
                most, best = colours.count(colour), view.hint_colour(player, colour)
            if ranks.count(rank) > most:
                most, best = ranks.count(rank), view.hint_rank(player, rank)
    return best


def tell_randomly(view: View, rng: Random) -> int | None:
    """Hints the colour or the rank of a card of the next player, at random."""
    if not view.information:
        return None
    player = next(view.others)
    colour, rank = divmod(rng.choice(view.hands[player]), view.rules.ranks)
    return view.hint_colour(player, colour) if rng.random() < 0.5 else view.hint_rank(player, rank)


def discard_probably_useless(view: View, rng: Random, least: float) -> int | None:
    """Discards the card that is useless most probably, if its probability is ``least`` or more."""
    if not _may_discard(view):
        return None
    slot, chance = _find_likeliest(view, find_useless(view.rules, view.fireworks, view.discarded))
    return slot if chance >= least else None


discard_useless = partial(discard_probably_useless, least=1.0)
"""Discards a card that can never score whatever it is."""


def discard_oldest(view: View, rng: Random) -> int | None:
    """Discards the oldest card."""
    return 0 if _may_discard(view) else None


def discard_randomly(view: View, rng: Random) -> int | None:
    """Discards any card."""
    return rng.randrange(view.size) if _may_discard(view) else None


def _may_discard(view: View) -> bool:
    return view.information < view.rules.information


def _hints_of(view: View, player: int) -> zip[tuple[int, int]]:
    return zip(view.colours_of[player], view.ranks_of[player], strict=True)


def _tell(view: View, sought: int, *, rank_first: bool) -> int | None:
    rules = view.rules
    for player in view.others if view.information else ():
        for card, (colours, ranks) in zip(view.hands[player], _hints_of(view, player), strict=True):
            if not sought >> card & 1:
                continue
            open_colour, open_rank = not colours >> rules.colours & 1, not ranks >> rules.ranks & 1
            if open_rank and (rank_first or not open_colour):
                return view.hint_rank(player, card % rules.ranks)
            if open_colour:
                return view.hint_colour(player, card // rules.ranks)
    return None


def _find_likeliest(view: View, sought: int) -> tuple[int, float]:
    """The own slot that holds a card of ``sought`` most probably, by what hints and eyes leave open, and the probability."""
    unseen = view.count_unseen()
    chances = [share_cards(unseen, cards, sought) for cards in view.list_own()]
    return chances.index(max(chances)), max(chances)


LISTS: dict[str, tuple[Rule, ...]] = {
    "iggi": (play_certain, play_safe, tell_playable, discard_useless, discard_oldest),
    "piers": (
        play_at_the_end,
        play_safe,
        partial(play_probable_with_lives, least=0.6),
        tell_playable,
        tell_dispensable,
        discard_useless,
        discard_oldest,
        tell_randomly,
        discard_randomly,
    ),
    "outer": (play_safe, discard_useless, tell_playable, tell_unknown, discard_randomly),
    "van_den_bergh": (
        partial(play_probable_with_lives, least=0.6),
        play_safe_without_lives,
        discard_useless,
        tell_playable,
        tell_useless,
        tell_most_cards,
        partial(discard_probably_useless, least=0.0),
    ),
    "flawed": (
        play_safe,
        partial(play_probable, least=0.25),
        tell_randomly,
        discard_useless,
        discard_oldest,
        discard_randomly,
    ),
}


def _make(listed: tuple[Rule, ...], rules: Rules, seat: int, rng: Random) -> RuleList:
    return RuleList(listed, rng)


for _name, _listed in LISTS.items():
    conventions.add(_name, partial(_make, _listed))
