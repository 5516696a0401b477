"""What the encounters of one episode say about a mind: its predictions, and whether it acts on the right ones.

An episode counts once its first half tells who the partner is: the posterior over types, given what the partner did, is at
least :data:`~otherminds.measures.evidence.INFORMATIVE` for one of them. Then all encounters of the second half
count, for L, the unused share and F. Whether they do therefore depends neither on what the mind says nor on what happens in them. A prediction is right if it names
where the partner goes unless it slips. L and F of each partner are between what
the best blind mind reaches against this partner and what one reaches who knows it
(:mod:`otherminds.household.acted_beliefs.exact`)."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.record import Record
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER, Context
from otherminds.household.acted_beliefs.exact import EncounterTables, PartnerModels
from otherminds.household.acted_beliefs.rules import EncounterRules, read_rules
from otherminds.household.acted_beliefs.stage_games import Plan
from otherminds.household.acted_beliefs.world import GOES
from otherminds.measures.basis import LEAST_TO_WIN
from otherminds.measures.evidence import (
    INFORMATIVE,
    SEEN,
    WORTHLESS,
    EpisodeEvidence,
    PartnerShares,
    design_of,
    evidences,
)
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals
from otherminds.measures.weighed_acts import WeighedAct, find_exchange, weighed_acts

LEAST_ROOM = 0.05
"""A partner counts in L where knowing it makes predictions more accurate by at least this share."""
NO_ENCOUNTERS = "there are no encounters in this world"
STRANGER = "the partner is not one member of the scenario's population"


class Decision(Struct, frozen=True):
    """One encounter: what was predicted of the partner (``None`` if unread), whether that was asked, what ego did, and where
    the partner went.
    """

    word: int | None
    plan: Plan
    place: int
    asked: bool = True


def share_partners(tables: EncounterTables) -> tuple[PartnerShares, ...]:
    """The weights of the types in L, in the unused share and in F; 0 where knowing the type gains nothing."""
    ends, game = tables.ends, tables.game
    shares: list[PartnerShares] = []
    for name, weight, answer, informed, floor in zip(
        tables.names, tables.weights, ends.floor_answer, ends.informed, ends.floor, strict=True
    ):
        counts = 1 - answer >= LEAST_ROOM
        wins = informed - floor >= LEAST_TO_WIN * (game.most - game.least)
        shares.append(
            PartnerShares(
                name=name,
                literal=weight * counts,
                unused=weight * counts,
                functional=weight * wins,
                slope=1 / (1 - answer) if counts else 0.0,
            )
        )
    return tuple(shares)


def keep_order(tables: EncounterTables, evidence: EpisodeEvidence) -> EpisodeEvidence:
    """The same evidence where only partners of the order of its own partner count."""
    orders = {name: kind.order for name, kind in zip(tables.names, tables.types, strict=True)}
    order = orders[evidence.partner]
    shares = tuple(
        share
        if orders[share.name] == order
        else replace(share, literal=0.0, unused=0.0, functional=0.0, slope=0.0)
        for share in evidence.shares
    )
    return replace(evidence, shares=shares)


def measure_encounters(
    tables: EncounterTables,
    partner: int,
    contexts: Sequence[Context],
    decisions: Sequence[Decision],
    *,
    lost: bool = False,
    design: str = "",
) -> EpisodeEvidence | Unknown:
    """The evidence of one episode against type number ``partner``.

    ``contexts`` are all that were planned; a ``lost`` episode has fewer ``decisions``, and is wrong in those that it lacks.
    """
    if not any(decision.asked for decision in decisions) and not lost:
        return Unknown(NOT_ASKED)
    planned = len(contexts)
    first = max(planned // 2, SEEN)
    shares = share_partners(tables)
    models = PartnerModels(tables, tables.weights)
    for context, decision in zip(contexts[:first], decisions, strict=False):
        models.learn(context, decision.plan, decision.place)
    tells = max(models.weights) >= INFORMATIVE
    settled = [
        (context, decision)
        for context, decision in list(zip(contexts, decisions, strict=False))[first:]
        if decision.asked and tells
    ]
    unused = reach = winnable = 0.0
    right = 0
    for context, decision in settled:
        correct = decision.word == tables.read(context).words[partner]
        losses = list_losses(tables, models.weights, context, partner)
        right += correct
        winnable += sum(losses.values()) / len(losses)
        # A prediction that cannot be read counts as right, so that silence hides no loss.
        if correct or decision.word is None:
            unused += losses[decision.plan]
            reach += sum(losses.values()) / len(losses)
        models.learn(context, decision.plan, decision.place)
    share = shares[partner]
    counts = share.literal > 0 and (bool(settled) or lost)
    offers = counts and winnable > WORTHLESS
    return EpisodeEvidence(
        partner=share.name,
        shares=shares,
        design=design,
        lost=lost,
        literal=_above_floor(tables, partner, contexts[first:], right, 0 if lost else len(settled))
        * share.slope
        if counts
        else None,
        unused=unused / winnable if offers else None,
        reach=reach / winnable if offers else 0.0,
        functional=_functional(tables, partner, contexts[first:], decisions[first:])
        if share.functional
        else None,
        words=crc32(repr([decision.word for _, decision in settled]).encode()),
        rounds=len(settled),
        right=right,
        acts=crc32(repr([decision.plan for decision in decisions]).encode()),
        prejudice={},
        answers=sum(decision.asked for decision in decisions),
        unread=sum(decision.asked and decision.word is None for decision in decisions),
    )


def list_losses(
    tables: EncounterTables, weights: Sequence[float], context: Context, partner: int
) -> dict[Plan, float]:
    """What each plan loses against the best plans for the right prediction, under the posterior ``weights`` over types."""
    situation = tables.read(context)
    worths = [
        sum(weight * row[number] for weight, row in zip(weights, situation.worths, strict=True) if weight)
        for number in range(len(tables.plans))
    ]
    replies = tables.game.replies(context, situation.words[partner])
    by_word = sum(worths[tables.number_of[plan]] for plan in replies) / len(replies)
    return {plan: max(0.0, by_word - worth) for plan, worth in zip(tables.plans, worths, strict=True)}


def _above_floor(
    tables: EncounterTables, partner: int, contexts: Sequence[Context], right: int, answered: int
) -> float:
    """The accuracy above that at the floor. Without a number of answers, those that lack are wrong."""
    floor = [tables.read(context).floor_answer[partner] for context in contexts]
    return right / (answered or len(contexts)) - sum(floor) / len(floor)


def _functional(
    tables: EncounterTables, partner: int, contexts: Sequence[Context], decisions: Sequence[Decision]
) -> float:
    """F of one episode; the encounters that a lost one lacks have the least payoff."""
    game, ends = tables.game, tables.ends
    earned = sum(
        game.payoff(context, decision.plan, decision.place) - game.cost(context, decision.plan)
        for context, decision in zip(contexts, decisions, strict=False)
    )
    earned += game.least * (len(contexts) - len(decisions))
    floor = sum(tables.read(context).floor_worth[partner] for context in contexts)
    return (earned - floor) / (ends.informed[partner] - ends.floor[partner]) / len(contexts)


def read_decisions(record: Record, rules: EncounterRules) -> list[Decision]:
    """The finished encounters of a record."""
    tables = rules.tables
    steps = tables.game.steps
    answers = {answer.step: answer for answer in record.asked if record.questions[answer.question].id == GOES}
    ego, partner = (record.seats.index(seat) for seat in (EGO, PARTNER))
    decisions: list[Decision] = []
    for start in range(0, len(record.actions) - steps + 1, steps):
        answer = answers.get(start)
        word = None
        if answer is not None and answer.invalid is None:
            word = rules.names.index(answer.answer)
        rows = record.actions[start : start + steps]
        plan = tuple(int(row[ego]) for row in rows)
        decisions.append(Decision(word, rules.settle(plan), int(rows[-1][partner]), answer is not None))
    return decisions


def find_partner(record: Record, rules: EncounterRules) -> int | None:
    """The number of the partner's type in the tables; ``None`` where a mind sits there, or a stranger, or one after another."""
    partner = record.partners.get(PARTNER)
    names = rules.tables.names
    return names.index(partner.name) if partner is not None and partner.name in names else None


@evidences.register("encounters")
def read_evidence(record: Record) -> EpisodeEvidence | Unknown | None:
    """The evidence of an episode of encounters, scored or lost; ``None`` in other worlds."""
    rules = read_rules(record)
    if rules is None:
        return None
    partner = find_partner(record, rules)
    if partner is None:
        return Unknown(STRANGER)
    return measure_encounters(
        rules.tables,
        partner,
        rules.contexts,
        read_decisions(record, rules),
        lost=record.outcome.status != "scored",
        design=design_of(record),
    )


@literals.register("encounters")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all predictions of an episode, with that of the best blind mind in the population and of one who knows
    the partner."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ENCOUNTERS)
    partner = find_partner(record, rules)
    if partner is None:
        return Unknown(STRANGER)
    asked = [
        (rules.tables.read(context), decision)
        for context, decision in zip(rules.contexts, read_decisions(record, rules), strict=False)
        if decision.asked
    ]
    if not asked:
        return Inapplicable(NOT_ASKED)
    right = sum(decision.word == situation.words[partner] for situation, decision in asked)
    return Accuracy(
        right / len(asked),
        sum(situation.blind_guess[partner] for situation, _ in asked) / len(asked),
        1.0,
    )


@weighed_acts.register("encounters")
def weigh_encounters(record: Record) -> list[WeighedAct] | Unknown:
    """What each plan of an episode was worth to one who knows the partner, also where another one comes midway."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ENCOUNTERS)
    tables, exchange, entry = rules.tables, find_exchange(record), record.partners.get(PARTNER)
    if entry is None:
        return Unknown(STRANGER)
    first, second = (exchange.first, exchange.second) if exchange else (entry.name, entry.name)
    if not {first, second} <= {*tables.names}:
        return Unknown(STRANGER)
    acts: list[WeighedAct] = []
    for number, (context, decision) in enumerate(
        zip(rules.contexts, read_decisions(record, rules), strict=False)
    ):
        step = number * tables.game.steps
        partner = tables.names.index(second if exchange and step >= exchange.step else first)
        situation = tables.read(context)
        acts.append(
            WeighedAct(
                step=step,
                act=tables.number_of[decision.plan],
                worths=situation.worths[partner],
                coming=rules.names[situation.words[partner]],
                said=None if decision.word is None else rules.names[decision.word],
                believed=rules.names[context.view.thinks[0]],
                replies={
                    name: tuple(tables.number_of[plan] for plan in tables.game.replies(context, place))
                    for place, name in enumerate(rules.names)
                },
            )
        )
    return acts
