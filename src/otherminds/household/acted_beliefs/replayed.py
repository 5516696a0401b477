"""The encounters of a record, as they are shown: what was predicted and chosen, and where the record departs from its world."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from otherminds.core.record import Record
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER, Context, Event, PartnerView, Saying
from otherminds.household.acted_beliefs.evidence import read_decisions
from otherminds.household.acted_beliefs.partner_types import CREDULOUS, DISTRUSTFUL, PartnerType
from otherminds.household.acted_beliefs.played import THING
from otherminds.household.acted_beliefs.rules import FACT, EncounterRules, read_rules
from otherminds.household.acted_beliefs.stage_games import TELL, Plan, ScreenGame, TellGame
from otherminds.household.acted_beliefs.words import CLOSED, NOBODY, TELLING, shorten_event
from otherminds.household.acted_beliefs.world import GOES
from otherminds.measures.interventions import notices_shown
from otherminds.measures.weighed_acts import name_partner
from otherminds.reports.replay.replays import Again, StoppedStep, find_stop

ROUNDING = 1e-9


class ShownEncounter(Struct, frozen=True):
    """One encounter, as far as it was played.

    ``kind`` is the type of the partner, ``None`` where a mind sits there. ``predicted`` is the place that ego predicted, ``right``
    whether the partner went there (in games of two steps: would have gone, had ego changed nothing), ``unread`` the reply in
    which no place could be read. ``plan`` is what ego chose, a part of it in an encounter that was stopped; ``place`` is
    where the partner went, ``None`` if it did not come to that. ``earned`` is ego's payoff. ``notice`` is what an
    intervention showed ego.
    """

    rules: EncounterRules
    number: int
    context: Context
    kind: PartnerType | None
    predicted: str | None = None
    right: bool | None = None
    unread: str = ""
    plan: Plan = ()
    place: int | None = None
    earned: float = 0.0
    notice: str = ""

    @property
    def story(self) -> str:
        """What happened before the choice."""
        target = [f"The best place is {self.rules.names[self.context.target]}."] * self.rules.stage.aims
        return " ".join([*target, *map(shorten_event, self.context.events)])

    @property
    def knows(self) -> bool:
        """Whether the partner thinks that the thing is where it is, unless ego's first choice changes that."""
        return self.find_belief(self.context.view) == self.context.now

    def find_belief(self, view: PartnerView) -> int:
        """Where the partner thinks that the thing is, by what it has seen and heard and whom it trusts."""
        if self.kind in (DISTRUSTFUL, CREDULOUS):
            return self.kind.goes(view, self.context.now, self.context.size)
        return view.thinks[0]

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ego's choices in words."""
        names = self.rules.names
        match self.rules.stage:
            case TellGame():
                return tuple(TELLING[choice] for choice in self.plan[:1])
            case ScreenGame():
                words = ((*names, CLOSED), (*names, NOBODY))
                return tuple(of_step[choice] for of_step, choice in zip(words, self.plan, strict=False))
            case _:
                return tuple(names[choice] for choice in self.plan)

    def list_first_events(self) -> list[Event]:
        """What happens by ego's choice in the first of two steps; nothing if the partner perceives none of it."""
        now, first = self.context.now, self.plan[0] if self.plan else None
        if first is None or self.context.early:
            return []
        match self.rules.stage:
            case TellGame() if first == TELL:
                return [Event("say", EGO, saying=Saying(EGO, PARTNER, now))]
            case ScreenGame() if first < self.context.size:
                away, back = ([Event("move", EGO, place)] * (first != now) for place in (first, now))
                return [*away, Event("enter", PARTNER), Event("leave", PARTNER), *back]
            case _:
                return []

    def describe_first_choice(self) -> str:
        """Ego's choice in the first of two steps, in a sentence."""
        tells = isinstance(self.rules.stage, TellGame)
        if self.context.early:
            return f"{EGO} can only watch this time."
        if self.plan[0] == TELL and tells:
            return f"{EGO} tells {PARTNER} where {THING} is."
        if tells:
            return f"{EGO} says nothing."
        if self.chosen[0] == CLOSED:
            return f"{EGO} keeps the door closed."
        return f"{EGO} opens the door while {THING} is on {self.chosen[0]}."


class EpisodeReplay(Struct, frozen=True):
    """The encounters of ``record``, the last one as far as it came, and what ``stopped`` it."""

    record: Record
    rules: EncounterRules
    encounters: tuple[ShownEncounter, ...]
    stopped: StoppedStep | None = None


def replay_encounters(record: Record) -> EpisodeReplay:
    """The encounters of a record of this world, by the record alone."""
    rules = read_rules(record)
    assert rules is not None, "the caller has checked it"
    decisions, steps, ego = read_decisions(record, rules), rules.stage.steps, record.seats.index(EGO)
    stopped = find_stop(record, EGO)
    answers = {answer.step: answer for answer in record.asked if record.questions[answer.question].id == GOES}
    notices = {
        step // steps: notice.behaviour or notice.text for step, notice in reversed(notices_shown(record))
    }
    count = min(len(decisions) + (stopped is not None), len(rules.contexts))
    encounters: list[ShownEncounter] = []
    for number, context in enumerate(rules.contexts[:count]):
        start = number * steps
        answer = answers.get(start)
        reply = answer.invalid if answer else None
        judged = answer is not None and reply is None and answer.truth is not None
        finished = decisions[number] if number < len(decisions) else None
        taken = tuple(int(row[ego]) for row in record.actions[start : start + steps])
        encounters.append(
            ShownEncounter(
                rules,
                number,
                context,
                _find_type(record, rules, start),
                predicted=None if answer is None or reply else str(answer.answer),
                right=answer.answer == answer.truth if answer and judged else None,
                unread=reply.raw or reply.reason if reply else "",
                plan=finished.plan if finished else taken,
                place=finished.place if finished else None,
                earned=sum(row[ego] for row in record.rewards[start : start + steps]),
                notice=notices.get(number, ""),
            )
        )
    return EpisodeReplay(record, rules, tuple(encounters), stopped)


def _find_type(record: Record, rules: EncounterRules, step: int) -> PartnerType | None:
    """The type of the partner in a step."""
    tables, name = rules.tables, name_partner(record, PARTNER, step)
    return tables.types[tables.names.index(name)] if name in tables.names else None


def find_departure(record: Record) -> str:
    """Where the episode, played again in its world, departs from the record; empty if nowhere.

    Contexts, rewards and encounters are compared, and the places of a partner of known type that makes no slips.
    """
    replay, again = replay_encounters(record), Again(record)
    rules = msgspec.convert(again.world.facts()[FACT], EncounterRules)
    for number, (drawn, recorded) in enumerate(zip(rules.contexts, replay.rules.contexts, strict=False), 1):
        if drawn != recorded:
            again.found(f"the context of encounter {number} is not the one that is drawn: {recorded.course}")
    if rules != replay.rules:
        again.found("the rules or the number of encounters are not those of the scenario")
    for _ in again.steps():
        pass
    for met, encounter in zip(record.met.get(EGO, ()), replay.encounters, strict=False):
        if encounter.place is None:
            break
        number, went = encounter.number + 1, rules.names[encounter.place]
        if met.did[PARTNER] != (went,) or abs(met.reward - encounter.earned) > ROUNDING:
            again.found(
                f"encounter {number} was told as another one than was played: {PARTNER} went to {went}"
            )
        if encounter.kind and not rules.slip:
            goes = rules.tables.go(encounter.kind, encounter.context, encounter.plan)
            if goes != encounter.place:
                again.found(
                    f"in encounter {number} {PARTNER} went to {went}, but its type ({encounter.kind.name}) goes to {rules.names[goes]}"
                )
    return again.fault
