"""L of Hanabi: predictions of the next player's move, between those of one who knows its convention and of one who never learns it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from otherminds.core.record import Record
from otherminds.hanabi.conventions.convention import choose_legally, conventions
from otherminds.hanabi.rules import Rules, Table
from otherminds.hanabi.view import look
from otherminds.hanabi.world import FACT, NEXT, name_kind
from otherminds.measures.literal import NOT_ASKED, answers, right
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals


def foresee_moves(record: Record, player: int, names: Sequence[str]) -> Iterator[tuple[int, str, list[str]]]:
    """For each turn of ``player``: its number, the kind of its move, and the kind that each convention of ``names`` would choose in
    its place. Where a convention draws at random, one draw stands for it."""
    fact = record.facts[FACT]
    rules = msgspec.convert(fact["rules"], Rules)
    table = Table(rules, fact["deck"])
    watchers = [conventions.get(name)(rules, player, Random(record.spec.seed)) for name in names]
    for turn, row in enumerate(record.actions):
        view, legal, action = look(table, player), table.list_legal(), row[table.player]
        action = action if action in legal else legal[0]
        for watcher in watchers:
            watcher.watch(view)
        if table.player == player:
            choices = [choose_legally(watcher, view) for watcher in watchers]
            yield turn, name_kind(rules, action), [name_kind(rules, choice) for choice in choices]
        table.act(action)


@literals.register("hanabi")
def measure_next_moves(record: Record) -> Accuracy | Unknown:
    """The accuracy of the answers to ``next:``, and its two ends on the same turns.

    The blind one knows all conventions of the population, and sees all cards, also those that the seat under test cannot see. It
    answers with the kind of move that most conventions would choose now, and never learns which of them the partner is.
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
    for turn, kind, foreseen in foresee_moves(record, 1, names):
        if turn in rights:
            counts = Counter(foreseen)
            modes = [name for name, count in counts.items() if count == max(counts.values())]
            blind += (kind in modes) / len(modes)
            known += foreseen[names.index(partner.name)] == kind
    # A game that was over before the next player's move adds nothing to what can be known, nor to what was.
    count = len(rights) or 1
    return Accuracy(sum(rights.values()) / count, blind / count, known / count)
