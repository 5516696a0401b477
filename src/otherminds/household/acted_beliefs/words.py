"""What ego is told of encounters, and how its answers are read.

What happens before an encounter is told turn by turn, in the words of the household's own verbalizer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Encounter, Invalid, Moment, Question, Seat, Turn
from otherminds.core.text import quoted
from otherminds.household import words
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER, THIRD, Context, Event
from otherminds.household.acted_beliefs.played import KITCHEN, PLACES, THING, play_context, write_saying
from otherminds.household.acted_beliefs.rules import EncounterRules
from otherminds.household.acted_beliefs.stage_games import SILENT, TELL, ScreenGame, StageGame, TellGame
from otherminds.household.acted_beliefs.world import read_observation
from otherminds.household.world import WAIT
from otherminds.replies.answers import asked, read, several

CLOSED, NOBODY = "closed", "nobody"
"""The choices after the last place: the door stays closed, and to meet nobody."""
TELLING = ("silent", "tell")
SPACED = re.compile(r"(?<![A-Za-z])(counter|table)[ -](\d)(?!\d)", re.IGNORECASE)
"""A place as models write it without its underscore."""


@dataclass(frozen=True)
class EncounterVerbalizer(Verbalizer):
    """The words of one seat in an episode of ``encounters`` encounters; ``order`` is the order in which places are offered.

    Each seat is told what it sees and hears itself. Types of partners need no words; a mind in the partner's seat
    goes to a place in each step, and the one in the last step of an encounter counts.
    """

    setting: EncounterRules
    encounters: int
    seat: Seat
    order: tuple[int, ...]

    def rules(self, brief: Brief) -> str:
        game, names = self.setting.stage, self.setting.names
        payoffs = describe_payoffs(game)
        other = PARTNER if self.seat == EGO else EGO
        lines = [
            f"You are {self.seat}. In a house with you: {other} and {THIRD}. You and {other} have {self.encounters} encounters.",
            f"Before each, {THING} is put on one of these places in {KITCHEN}, in the sight of all of you, and then more may "
            f"happen. The places, in the order of the list: {several(names, 'and')}. Who is in {KITCHEN} sees where {THING} is and "
            f"who else is there; nobody sees it from another room. A message is received by the one whom it is sent to.",
        ]
        if self.seat != EGO:
            share = "the negative of that" if game.zero_sum else "the same"
            lines.append(f"{EGO} is told: {quoted(payoffs)} You earn {share}. You go to one place.")
            return "\n".join(lines) + "\n"
        lines[-1] += (
            f" What {THIRD} says to {PARTNER} need not be true; what it tells you about the time when you were away is."
        )
        lines.append(payoffs)
        if game.steps > 1:
            lines.append(
                f"In the first {self.encounters // 2} encounters you cannot do that, and see what {PARTNER} does."
            )
        lines.append(
            f"{PARTNER} decides in the same way in all encounters. You learn afterwards where it went."
        )
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        lines = [self._tell_outcome(met) for met in moment.encounters]
        if moment.last:
            return "\n".join([*lines, "The episode is over."])
        context, chosen = read_observation(moment.observation, len(self.setting.names))
        if chosen is not None:
            return "" if self.seat == EGO else self._tell_choice(context, chosen)
        number = moment.step // self.setting.stage.steps + 1
        lines.append(f"\nEncounter {number} of {self.encounters}.")
        lines += tell_context(context, self.seat)
        if self.setting.stage.aims:
            lines.append(f"The best place to meet is {self.setting.names[context.target]}.")
        return "\n".join(lines)

    def summary(self, moments: Sequence[Moment]) -> str:
        lines: list[str] = []
        for moment in moments:
            lines += [self._tell_outcome(met) for met in moment.encounters]
            context, chosen = read_observation(moment.observation, len(self.setting.names))
            if chosen is None and not moment.last:
                number = moment.step // self.setting.stage.steps + 1
                lines.append(f"Encounter {number}: {' '.join(map(shorten_event, context.events))}")
        return "\n".join(line for line in lines if line)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        places, title = self.list_places(), self.title_encounter(moment.step)
        if isinstance(about, Question):
            return asked(f"{title} {about.text} {_offer(places)}", places, places, "other")
        if self.seat != EGO:
            return asked(f"{title} Where do you go? {_offer(places)}", places, self.order)
        text, labels, options = self._offer_choices(moment, places)
        return asked(f"{title} {text} {_offer(labels)}", labels, options)

    def list_places(self) -> list[str]:
        """The places, in the order in which they are offered."""
        return [self.setting.names[number] for number in self.order]

    def title_encounter(self, step: int) -> str:
        """What a question in a step of the world begins with."""
        return f"Encounter {step // self.setting.stage.steps + 1}."

    def find_last_sight(self, moment: Moment) -> str:
        """The place at which the seat last saw the thing before the encounter that ``moment`` tells."""
        context, _ = read_observation(moment.observation, len(self.setting.names))
        sights = [turn.beliefs[self.seat] for turn in play_context(context)]
        return next(place for place in reversed(sights) if place in PLACES)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, SPACED.sub(lambda match: f"{match[1].lower()}_{match[2]}", reply))

    def settled(self, moment: Moment) -> Any | None:
        """The only choice of the first step in the first half, and of the partner's own step."""
        game = self.setting.stage
        if game.steps == 1 or moment.observation is None or self.seat != EGO:
            return None
        context, chosen = read_observation(moment.observation, len(self.setting.names))
        if chosen is None:
            return (SILENT if isinstance(game, TellGame) else context.size) if context.early else None
        return 0 if isinstance(game, TellGame) else None

    def _offer_choices(self, moment: Moment, places: list[str]) -> tuple[str, list[str], list[int]]:
        """The question for a choice, the labels of its options, and their numbers."""
        game = self.setting.stage
        order, size = list(self.order), len(self.order)
        if isinstance(game, TellGame):
            return f"Do you tell {PARTNER} where {THING} is, or are you silent?", [*TELLING], [SILENT, TELL]
        if not isinstance(game, ScreenGame):
            return "Which place do you choose?", places, order
        if moment.step % game.steps == 0:
            text = f"While {THING} is at which place do you open the door, or does it stay {CLOSED}?"
            return text, [*places, CLOSED], [*order, size]
        return f"Where do you go, or do you meet {NOBODY}?", [*places, NOBODY], [*order, size]

    def _tell_choice(self, context: Context, chosen: int) -> str:
        """What the partner perceives of ego's first choice; empty if nothing."""
        plan = self.setting.settle((chosen, 0))
        view = self.setting.stage.perceive(context.view, context, plan)
        if view == context.view:
            return ""
        place = self.setting.names[view.thinks[0]]
        if isinstance(self.setting.stage, TellGame):
            return f"{EGO} tells you: {quoted(f'{THING} is on {place}.')}"
        return f"{EGO} opens the door. You see {THING} on {place}, and {EGO} sees you."

    def _tell_outcome(self, met: Encounter) -> str:
        choices = " and ".join(met.did[EGO])
        if self.seat == EGO:
            return f"You chose {choices}. {PARTNER} went to {met.did[PARTNER][0]}. You earned {met.reward:g}."
        return f"{EGO} chose {choices}. You went to {met.did[PARTNER][0]} and earned {met.reward:g}."


def describe_payoffs(game: StageGame) -> str:
    """What ego chooses and what it earns, as ego is told."""
    prices = {"price": game.price} if isinstance(game, TellGame | ScreenGame) else {}
    prices |= {"less": game.less} if isinstance(game, ScreenGame) else {}
    return game.rules.format(partner=PARTNER, thing=THING, **prices)


def tell_context(context: Context, seat: Seat) -> Iterator[str]:
    """What ``seat`` sees and hears of ``context``, a line for each turn in which something happens to it.

    Walks within a room are left out.
    """
    turns = play_context(context)
    yield f"{THING} is put on {turns[0].beliefs[seat]}. {PARTNER if seat == EGO else EGO} and {THIRD} are here."
    for before, turn in pairwise(turns):
        call, observed, known = turn.calls[seat], turn.observed[seat], turn.beliefs[seat]
        walks = call.startswith("Navigate") and turn.rooms[seat] == before.rooms[seat]
        sentences = [] if walks or call == str(WAIT) else [f"You called {words.one_line(call)}."]
        acts = [words.did(agent, act) for agent, act in observed["events"] if not act.startswith("went to")]
        sentences += [f"You saw: {'; '.join(acts)}."] if acts else []
        sentences += map(words.message, turn.messages[seat])
        if known != before.beliefs[seat] and known in PLACES:
            sentences.append(f"You see {THING} on {known}.")
        if sentences:
            yield " ".join(sentences)


def shorten_event(event: Event) -> str:
    """One event in a sentence, without who saw it."""
    saying = event.saying
    match event.kind:
        case "put":
            return f"{THING} is put on {PLACES[event.place]}."
        case "move":
            return f"{event.agent} moves it to {PLACES[event.place]}."
        case "leave":
            return f"{event.agent} leaves."
        case "enter":
            return f"{event.agent} comes in."
        case "say":
            assert saying is not None, "a message has its text"
            return f"{saying.sender} tells {saying.hearer}: {write_saying(saying.place, saying.about)}"


def _offer(labels: Sequence[str]) -> str:
    return f"Answer with {several([f'Option {label}' for label in labels], 'or')}."
