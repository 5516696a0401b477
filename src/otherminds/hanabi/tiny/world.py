"""Games of tiny Hanabi with one speaker as a PettingZoo environment, their scenario, and what ego is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from otherminds.core import scenario
from otherminds.core.contracts import Mind, Probe, Verbalizer
from otherminds.core.data import (
    Action,
    Answer,
    Ask,
    Brief,
    Encounter,
    Invalid,
    Moment,
    Partner,
    Question,
    Seat,
    Turn,
)
from otherminds.core.discrete_world import DiscreteWorld, Started, Stepped
from otherminds.core.options import check_whole
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Meeting, Population, Scenario, scenarios, worlds
from otherminds.hanabi.tiny.game import ACTIONS, CARDS, LEAST, MOST, PAYOFFS, SPEAKERS, Deal, find_ends
from otherminds.hanabi.tiny.minds import IGNORANT, POLICIES, SEATS, SPEAKER, ReaderMind, SpeakerMind
from otherminds.hanabi.world import EGO
from otherminds.replies.answers import asked, listed, read

FACT = "tiny_hanabi"
"""The fact of a record that has the deals."""
HOLDS = f"holds:{SPEAKER}"
"""The question which card the speaker holds."""
NAME = "tiny_hanabi-mixed-v1"
FEWEST, MOST_GAMES = 4, 100


@worlds.register("tiny_hanabi")
class TinyWorld(DiscreteWorld):
    """``games`` games of two steps each: the speaker acts in the first, ego in the second; the other actions do not count.

    After a game ego is shown the speaker's card, and the speaker that of ego.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "tiny_hanabi_v1",
        "render_modes": ["ansi"],
        "observations": "two whole numbers: the own card, and the action of the speaker plus 1 (0: it has not acted)",
    }

    def __init__(self, games: int, render_mode: str | None = None) -> None:
        self._games = games
        super().__init__({seat: Discrete(3) for seat in SEATS}, MultiDiscrete([2, 4]), render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Started:
        rng = Random(seed)
        self._deals = [Deal(rng.randrange(2), rng.randrange(2)) for _ in range(self._games)]
        self._step, self._signal = 0, 0
        return self.start(options)

    def step(self, actions: dict[Seat, Action]) -> Stepped:
        self.check(actions)
        deal, reward = self._deals[self._step // 2], 0.0
        met: dict[Seat, Encounter] = {}
        if self._step % 2 == 0:
            self._signal = int(actions[SPEAKER]) + 1
        else:
            reward = float(PAYOFFS[deal.theirs][deal.own][self._signal - 1][int(actions[EGO])])
            did = {EGO: (ACTIONS[int(actions[EGO])],), SPEAKER: (CARDS[deal.theirs],)}
            met = dict.fromkeys(SEATS, Encounter(self._step, did, reward))
            self._signal = 0
        self._step += 1
        return self.finish(dict.fromkeys(SEATS, reward), met, ended=self._step == 2 * self._games)

    def brief(self, seat: Seat) -> Brief:
        behaviours = {EGO: ACTIONS, SPEAKER: CARDS}
        return self.describe_seat(seat, behaviours, (LEAST, MOST), 2 * self._games, self._games)

    def truth(self, question: Question, step: int) -> Answer | None:
        """The card that the speaker held."""
        return CARDS[self._deals[step // 2].theirs] if step < 2 * self._games else None

    def facts(self) -> dict[str, Any]:
        """The deals, as JSON."""
        return {FACT: [list(deal) for deal in self._deals]}

    def render(self) -> str:
        """The finished games, a line each."""
        return "\n".join(
            f"{number}: {SPEAKER} {CARDS[deal.theirs]}, {EGO} {CARDS[deal.own]}"
            for number, deal in enumerate(self._deals[: self._step // 2], 1)
        )

    def observe(self) -> dict[Seat, Any]:
        if self._step == 2 * self._games:
            return {seat: np.zeros(2, np.int64) for seat in SEATS}
        deal = self._deals[self._step // 2]
        cards = {EGO: deal.own, SPEAKER: deal.theirs}
        return {seat: np.array([cards[seat], self._signal], np.int64) for seat in SEATS}


@dataclass(frozen=True)
class TinyVerbalizer(Verbalizer):
    """The words of one seat; ``order`` is the order in which actions are offered, and ``cards`` that of cards."""

    games: int
    seat: Seat
    order: tuple[int, ...]
    cards: tuple[int, ...]

    def rules(self, brief: Brief) -> str:
        other = SPEAKER if self.seat == EGO else EGO
        lines = [
            f"You are {self.seat}. You and {other} are a team and play {self.games} games. In each, both of you get a card, {CARDS[0]} or "
            f"{CARDS[1]}, each equally likely. Nobody sees the card of the other.",
            f"First {SPEAKER} chooses {', '.join(ACTIONS[:2])} or {ACTIONS[2]}. {EGO} sees that, and then chooses one of the three "
            f"too. Both of you earn the same. Then {EGO} is shown the card of {SPEAKER}.",
            f"What you both earn, by the cards and the choice of {SPEAKER}:",
        ]
        for theirs in self.cards:
            for own in self.cards:
                pays = (
                    self._tell_pays(theirs, own, signal, f"{SPEAKER} {ACTIONS[signal]}: ")
                    for signal in self.order
                )
                lines.append(f"- {SPEAKER} has {CARDS[theirs]}, {EGO} has {CARDS[own]}: {'; '.join(pays)}.")
        if self.seat == EGO:
            lines.append(
                f"{SPEAKER} follows the same habit in all games: what it chooses depends on its card alone."
            )
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        lines = [self._tell_outcome(met) for met in moment.encounters]
        if moment.last:
            return "\n".join([*lines, "The episode is over."])
        own, signal = (int(number) for number in moment.observation)
        if not signal:
            number = moment.step // 2 + 1
            return "\n".join([*lines, f"\nGame {number} of {self.games}. You have {CARDS[own]}."])
        return f"{SPEAKER if self.seat == EGO else 'You'} chose {ACTIONS[signal - 1]}."

    def summary(self, moments: Sequence[Moment]) -> str:
        return "\n".join(
            text for moment in moments if not moment.last and (text := self.tell(moment).strip())
        )

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        start = f"Game {moment.step // 2 + 1}."
        if isinstance(about, Question):
            cards = [CARDS[card] for card in self.cards]
            return asked(f"{start} {about.text} Answer with {listed(cards, 'or')}.", cards, cards, "other")
        actions = [ACTIONS[action] for action in self.order]
        return asked(f"{start} What do you choose? Answer with {listed(actions, 'or')}.", actions, self.order)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def settled(self, moment: Moment) -> Any | None:
        """Any action in the step of the other player."""
        acts = moment.step % 2 == (self.seat == EGO)
        return None if acts or moment.observation is None else 0

    def _tell_pays(self, theirs: int, own: int, signal: int, start: str) -> str:
        pays = PAYOFFS[theirs][own][signal]
        return start + ", ".join(f"{ACTIONS[action]} earns {pays[action]}" for action in self.order)

    def _tell_outcome(self, met: Encounter) -> str:
        mine, card = ("You", SPEAKER) if self.seat == EGO else (EGO, "You")
        return f"{mine} chose {met.did[EGO][0]}. {card} had {met.did[SPEAKER][0]}. You both earned {met.reward:g}."


@scenarios.register(NAME)
def build(games: int = 24) -> Scenario:
    """The scenario of ``games`` games with one of the speakers that tell their card, all equally likely.

    Raises:
        StudyError: ``games`` has a bad value.
    """
    check_whole("games", games, FEWEST, MOST_GAMES)
    ends = {name: find_ends(convention) for name, convention in SPEAKERS.items()}
    mean = [games * sum(column) / len(ends) for column in zip(*ends.values(), strict=True)]
    weight = Fraction(1, len(SPEAKERS))

    def seat_partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return SpeakerMind(SPEAKERS[spec.mind]), Partner(spec.mind)

    def arrange(meeting: Meeting) -> dict[str, Any]:
        return {"order": scenario.order(3, meeting), "cards": scenario.order(2, meeting)}

    def verbalize(drawn: dict[str, Any], seat: Seat) -> TinyVerbalizer:
        return TinyVerbalizer(games, seat, tuple(drawn["order"]), tuple(drawn["cards"]))

    question = Question(HOLDS, EGO, "before", f"Which card does {SPEAKER} have?", CARDS, 0.5, about=SPEAKER)
    return Scenario(
        id=NAME,
        world=partial(TinyWorld, games),
        population=Population(tuple((weight, (SeatSpec(name),)) for name in SPEAKERS)),
        partner=seat_partner,
        focal=(EGO,),
        probes=(Probe(question, lambda moment: moment.step % 2 == 1 and not moment.last),),
        # The deals are drawn by the world; a number of the draw tells episodes apart that have the same orders.
        draw=lambda rng: {"day": rng.randrange(10**9)},
        arrange=arrange,
        verbalizer=verbalize,
        minds={name: partial(ReaderMind, name) for name in POLICIES},
        ignorant=IGNORANT,
        bounds=lambda met: Bounds(
            games * ends[met[SPEAKER].mind].informed,
            mean[0],
            mean[1],
            reference="mixed",
            population=tuple(Member(float(weight), name) for name in SPEAKERS),
        ),
        description=f"{games} games of tiny Hanabi with a speaker whose convention has to be learned",
    )
