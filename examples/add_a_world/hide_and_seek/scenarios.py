"""The seekers, what a language model reads and answers, and the scenarios in which the mind under test hides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from hide_and_seek.world import GAME, HIDER, PLACES, SEEKER, WORTH, HideAndSeek
from otherminds.core.contracts import Probe, Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Partner, Question, Seat, Turn
from otherminds.core.record import Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, order, scenarios
from otherminds.games.automata import Machine, always
from otherminds.games.blind import bound_by_partner, compute_bounds, weigh_policies
from otherminds.games.player import AutomatonPlayer
from otherminds.replies.answers import asked, listed, read

NEXT = Question(f"next:{SEEKER}", HIDER, "after", "Where does the seeker look?", PLACES, 1 / 3, about=SEEKER)


def seek(rule: Callable[[int, bool], int]) -> Machine:
    """A seeker who begins in the attic, and then looks where ``rule`` says: after which place, and was the coin there."""
    return Machine(0, lambda place: always(place, 3), lambda place, own, other: rule(own, own == other))


SEEKERS = {
    "stubborn": seek(lambda place, found: place),
    "sweeper": seek(lambda place, found: (place + 1) % 3),
    "hopeful": seek(lambda place, found: place if found else (place + 1) % 3),
    "restless": seek(lambda place, found: (place + 1) % 3 if found else place),
}


@dataclass(frozen=True)
class Words(Verbalizer):
    """The text interface of ``seat``; ``order`` is the order in which places are listed."""

    seat: Seat
    order: tuple[int, ...]

    def rules(self, brief: Brief) -> str:
        worth = ", ".join(f"{WORTH[PLACES[i]]:g} in {PLACES[i]}" for i in self.order)
        paid = f" Whoever has it after a round is paid {worth}." if brief.game else ""
        return f"In each of {brief.horizon} rounds a hider hides a coin and a seeker looks. You: the {self.seat}.{paid}\n"

    def tell(self, moment: Moment) -> str:
        text = "Round {}: hidden in {hider}, looked for in {seeker}; you earned {:g}."
        told = [(met, {seat: " or ".join(did) for seat, did in met.did.items()}) for met in moment.encounters]
        return "\n".join(text.format(met.step + 1, met.reward, **places) for met, places in told)

    def summary(self, moments: Sequence[Moment]) -> str:
        return "\n".join(self.tell(moment) for moment in moments if moment.encounters)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        turn, places = isinstance(about, Turn), [PLACES[i] for i in self.order]
        now = f"Round {moment.step + 1}." + ("" if own is None else f" You chose {PLACES[own]}.")
        text = f"{now}\nWhich place {'do you' if turn else 'does the other player'} choose, {listed(places, 'or')}?"
        return asked(text, places, self.order if turn else places, "own" if turn else "other")

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)


def build(name: str, kinds: tuple[str, ...], rounds: int = 20) -> Scenario:
    """The scenario of ``rounds`` rounds of hiding from one of the seekers ``kinds``, which are equally likely."""
    bots = {kind: SEEKERS[kind].automaton(GAME, rounds) for kind in kinds}
    prior = tuple(Member(1 / len(bots), kind, bot) for kind, bot in bots.items())
    return Scenario(
        id=f"hide_and_seek-{name}-v1",
        world=partial(HideAndSeek, rounds),
        population=Population(tuple((Fraction(1, len(bots)), (SeatSpec(kind),)) for kind in bots)),
        partner=lambda spec, seat: (AutomatonPlayer(bots[spec.mind]), Partner(spec.mind, bots[spec.mind])),
        focal=(HIDER,),
        probes=(Probe(NEXT),),
        arrange=lambda meeting: {"order": order(len(PLACES), meeting)},
        verbalizer=lambda drawn, seat: Words(seat, tuple(drawn["order"])),
        game=GAME,
        priors={"family": lambda: weigh_policies(prior)},
        bounds=bound_by_partner(
            SEEKER, lambda met: compute_bounds(GAME, rounds, name, prior, bots[met.mind])
        ),
        description=f"hide a coin for {rounds} rounds from one of: {', '.join(kinds)}",
    )


scenarios.add("hide_and_seek-all-v1", partial(build, "all", tuple(SEEKERS)))
scenarios.add("hide_and_seek-reacting-v1", partial(build, "reacting", ("hopeful", "restless")))
