"""What the encounters of one episode say about a mind: its predictions, and whether it acts on the right ones.

Which episodes and encounters count: :mod:`otherminds.measures.known_types`. A prediction is right if it names
where the partner goes unless it slips. L and F of each partner are between what
the best blind mind reaches against this partner and what one reaches who knows it
(:mod:`otherminds.household.acted_beliefs.exact`)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.record import Record
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER, Context
from otherminds.household.acted_beliefs.exact import EncounterTables, PartnerModels
from otherminds.household.acted_beliefs.rules import EncounterRules, read_rules
from otherminds.household.acted_beliefs.stage_games import Plan
from otherminds.household.acted_beliefs.world import GOES
from otherminds.measures.evidence import (
    INFORMATIVE,
    SEEN,
    EpisodeEvidence,
    PartnerShares,
    evidences,
)
from otherminds.measures.known_types import (
    STRANGER,
    Answers,
    WeighedRound,
    average_accuracy,
    identify_partner,
    share_type,
    sum_rounds,
)
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals
from otherminds.measures.weighed_acts import WeighedAct, name_partner, weighed_acts

NO_ENCOUNTERS = "there are no encounters in this world"


class Decision(Struct, frozen=True):
    """One encounter: what was predicted of the partner (``None`` if unread), whether that was asked, what ego did, and where
    the partner went.
    """

    word: int | None
    plan: Plan
    place: int
    asked: bool = True

    @property
    def answers(self) -> Answers:
        """What was predicted; empty where that was not asked."""
        return (self.word,) if self.asked else ()


def share_partners(tables: EncounterTables) -> tuple[PartnerShares, ...]:
    """The weights of the types in L, in the unused share and in F; 0 where knowing the type gains nothing."""
    ends, span = tables.ends, tables.game.most - tables.game.least
    return tuple(
        share_type(name, weight, 1 - answer, informed - floor, span)
        for name, weight, answer, informed, floor in zip(
            tables.names, tables.weights, ends.floor_answer, ends.informed, ends.floor, strict=True
        )
    )


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
    first = max(len(contexts) // 2, SEEN)
    models = PartnerModels(tables, tables.weights)
    for context, decision in zip(contexts[:first], decisions, strict=False):
        models.learn(context, decision.plan, decision.place)
    tells = max(models.weights) >= INFORMATIVE
    weighed: list[WeighedRound] = []
    for number, context in enumerate(contexts[first:], first):
        decision = decisions[number] if number < len(decisions) else None
        weighed.append(weigh_encounter(tables, context, decision, models.weights, partner))
        if decision is not None:
            models.learn(context, decision.plan, decision.place)
    shares, ends = share_partners(tables), tables.ends
    return sum_rounds(
        weighed,
        shares,
        tables.names[partner],
        tells=tells,
        gain=ends.informed[partner] - ends.floor[partner] if shares[partner].functional else None,
        answers=[decision.answers for decision in decisions],
        acts=[decision.plan for decision in decisions],
        lost=lost,
        design=design,
    )


def weigh_encounter(
    tables: EncounterTables,
    context: Context,
    decision: Decision | None,
    weights: Sequence[float],
    partner: int,
) -> WeighedRound:
    """An encounter of the second half against type number ``partner``, where the history gives types the ``weights``.

    ``decision`` is ``None`` where the episode broke off before its end.
    """
    game, situation = tables.game, tables.read(context)
    floor, floor_worth = situation.floor_answer[partner], situation.floor_worth[partner]
    if decision is None:
        return WeighedRound(floor, game.least - floor_worth)
    earned = game.payoff(context, decision.plan, decision.place) - game.cost(context, decision.plan)
    losses = list_losses(tables, weights, context, partner)
    correct = decision.word == situation.words[partner]
    return WeighedRound(
        floor=floor,
        above=earned - floor_worth,
        answers=decision.answers,
        accuracy=float(correct),
        right=correct or decision.word is None,
        loss=losses[decision.plan],
        random_loss=sum(losses.values()) / len(losses),
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


@evidences.register("encounters")
def read_evidence(record: Record) -> EpisodeEvidence | Unknown | None:
    """The evidence of an episode of encounters, scored or lost; ``None`` in other worlds."""
    rules = read_rules(record)
    if rules is None:
        return None
    known = identify_partner(record, PARTNER, rules.tables.names)
    if isinstance(known, Unknown):
        return known
    decisions = read_decisions(record, rules)
    return measure_encounters(
        rules.tables, known.partner, rules.contexts, decisions, lost=known.lost, design=known.design
    )


@literals.register("encounters")
def measure_accuracy(record: Record) -> Accuracy | Unknown:
    """The accuracy of all predictions of an episode, with that of the best blind mind in the population and of one who knows
    the partner."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ENCOUNTERS)
    known = identify_partner(record, PARTNER, rules.tables.names)
    if isinstance(known, Unknown):
        return known
    partner = known.partner
    asked = [
        (rules.tables.read(context), decision)
        for context, decision in zip(rules.contexts, read_decisions(record, rules), strict=False)
        if decision.asked
    ]
    return average_accuracy(
        [
            (float(decision.word == situation.words[partner]), situation.blind_guess[partner])
            for situation, decision in asked
        ]
    )


@weighed_acts.register("encounters")
def weigh_encounters(record: Record) -> list[WeighedAct] | Unknown:
    """What each plan of an episode was worth to one who knows the partner, also where another one comes midway."""
    rules = read_rules(record)
    if rules is None:
        return Inapplicable(NO_ENCOUNTERS)
    tables = rules.tables
    partners = {name_partner(record, PARTNER, step) for step in (0, len(record.actions))}
    if not partners <= {*tables.names}:
        return Unknown(STRANGER)
    acts: list[WeighedAct] = []
    for number, (context, decision) in enumerate(
        zip(rules.contexts, read_decisions(record, rules), strict=False)
    ):
        step = number * tables.game.steps
        partner = tables.names.index(name_partner(record, PARTNER, step))
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
