"""L of Hanabi: predictions of the next player's move, between those of one who knows its convention and of one who never learns it.

Both see what the seat under test sees, and do not know its cards: they let each convention choose for several own hands that are drawn from
those that hints, eyes and the convention leave open, and name the kind of move that is chosen most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from otherminds.core.record import Record
from otherminds.hanabi.conventions.convention import choose_legally, conventions
from otherminds.hanabi.conventions.inference import Inference
from otherminds.hanabi.rules import Rules, Table
from otherminds.hanabi.view import list_cards, look
from otherminds.hanabi.world import FACT, NEXT, name_kind
from otherminds.measures.literal import NOT_ASKED, answers, right
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals

HANDS = 8
"""The own hands that are drawn for a prediction."""


def foresee_moves(record: Record, names: Sequence[str]) -> Iterator[tuple[int, str, list[Counter[str]]]]:
    """For each turn of the second player: its number, the kind of its move, and for each convention of ``names`` how often it would choose
    each kind, over :data:`HANDS` hands that the first player may have."""
    fact = record.facts[FACT]
    rules = msgspec.convert(fact["rules"], Rules)
    table, rng = Table(rules, fact["deck"]), Random(record.spec.seed)
    ego, player = 0, 1
    watchers = [conventions.get(name)(rules, player, rng) for name in names]
    for turn, row in enumerate(record.actions):
        view, legal, action = look(table, player), table.list_legal(), row[table.player]
        action = action if action in legal else legal[0]
        for watcher in watchers:
            watcher.watch(view)
        if table.player == player:
            own = look(table, ego)
            unseen, sets, votes = own.count_unseen(), own.list_own(), []
            usual = draw_hands(sets, unseen, rng)
            for watcher in watchers:
                hands = usual
                if isinstance(watcher, Inference):
                    told = [
                        cards & other or cards
                        for cards, other in zip(sets, watcher.possible[ego], strict=True)
                    ]
                    hands = draw_hands(told, unseen, rng)
                views = (view._replace(hands=(hand, *view.hands[1:])) for hand in hands)
                votes.append(Counter(name_kind(rules, choose_legally(watcher, seen)) for seen in views))
            yield turn, name_kind(rules, action), votes
        table.act(action)


def draw_hands(sets: Sequence[int], unseen: Sequence[int], rng: Random) -> list[tuple[int, ...]]:
    """Hands of ``unseen`` cards, each from the set of its slot."""
    return [_draw_hand(sets, [*unseen], rng) for _ in range(HANDS)]


def _draw_hand(sets: Sequence[int], left: list[int], rng: Random) -> tuple[int, ...]:
    hand: list[int] = []
    for cards in sets:
        # Where other slots have taken all copies, the card is any of its set.
        options = [card for card in list_cards(cards) if left[card] > 0] or list_cards(cards)
        hand += rng.choices(options, [max(left[card], 1) for card in options])
        left[hand[-1]] -= 1
    return tuple(hand)


def score_mode(votes: Counter[str], kind: str) -> float:
    """How probably the most frequent vote is ``kind``; ties are drawn."""
    modes = [name for name, count in votes.items() if count == max(votes.values())]
    return (kind in modes) / len(modes)


@literals.register("hanabi")
def measure_next_moves(record: Record) -> Accuracy | Unknown:
    """The accuracy of the answers to ``next:``, and its two ends on the same turns.

    The blind end knows all conventions of the population and takes them for equally likely in each turn; the other one knows which the
    partner has.
    """
    if FACT not in record.facts:
        return Inapplicable("this is no game of Hanabi")
    rights = {
        answer.step + 1: right(answer)
        for answer in answers(record)
        if record.questions[answer.question].id.startswith(NEXT)
    }
    if not rights and not record.asked:
        return Inapplicable(NOT_ASKED)
    names = [partner.name for partner in record.bounds.population] if record.bounds else []
    partner = record.partners.get(record.seats[1])
    if partner is None or partner.name not in names:
        return Unknown("the partner is not one of the scenario's population")
    blind = known = 0.0
    for turn, kind, votes in foresee_moves(record, names):
        if turn in rights:
            blind += score_mode(sum(votes, Counter[str]()), kind)
            known += score_mode(votes[names.index(partner.name)], kind)
    # A game that was over before the next player's move adds nothing to what can be known, nor to what was.
    count = len(rights) or 1
    return Accuracy(sum(rights.values()) / count, blind / count, known / count)
