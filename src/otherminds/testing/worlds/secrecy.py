"""A seat hears only its own moments, and has only the privileges that it was granted."""

from __future__ import annotations

from unittest import SkipTest

from otherminds.core.data import Seat
from otherminds.core.world import World
from otherminds.testing.compare import difference, form, promise
from otherminds.testing.transcripts import SteppedEpisode
from otherminds.testing.worlds.case import Variant, WorldCase


class SecrecyPromises(WorldCase):
    """Checks of non-interference, byte by byte."""

    def test_grants_stay_with_their_seat(self) -> None:
        """What one seat is granted changes no byte that another hears."""
        plain = self.run(self.seeds[0])
        for favoured in plain.seats:
            run = SteppedEpisode(self.make_world(), self.seeds[0], grants={favoured: self.grants()}).play()
            for seat in plain.seats:
                if seat != favoured:
                    promise(
                        run.heard[seat] == plain.heard[seat],
                        f"a grant to {favoured!r} changes nothing for {seat!r}",
                        f"it differs {difference(plain.heard[seat], run.heard[seat])}",
                    )

    def test_grants_reach_their_seat(self) -> None:
        """A brief holds the privileges that were granted, and only these."""
        ungranted = SteppedEpisode(self.make_world(), self.seeds[0])
        for seat in ungranted.seats:
            for grant, value in self.grants().items():
                held = getattr(ungranted.briefs[seat], grant)
                promise(
                    not held,
                    f"without the grant {grant!r} the brief of {seat!r} does not hold it",
                    f"it holds {held!r}",
                )
                run = SteppedEpisode(self.make_world(), self.seeds[0], grants={seat: {grant: value}})
                held = getattr(run.briefs[seat], grant)
                promise(
                    held == value,
                    f"with the grant {grant!r} the brief of {seat!r} holds its value",
                    f"it holds {held!r}",
                )

    def test_private_state_is_not_heard(self) -> None:
        """Another seat's private state changes no byte that a seat hears before it may."""
        variants = [Variant(*variant) for variant in self.private_variants()]
        if not variants:
            raise SkipTest("no private_variants() are given for this world")
        for variant in variants:
            for seed in self.seeds:
                one, two = (_first(world, seed, variant.steps) for world in (variant.one, variant.two))
                seat = variant.seat
                promise(
                    one.heard[seat] == two.heard[seat],
                    f"{seat!r} does not notice {variant.label} for {variant.steps} steps",
                    f"what it hears differs {difference(one.heard[seat], two.heard[seat])}",
                )
                promise(
                    _rest(one, seat) != _rest(two, seat),
                    f"the two worlds differ in {variant.label}, which shows in facts() or to another seat",
                    "they do not differ at all, so the check shows nothing",
                )


def _first(world: World, seed: int, steps: int) -> SteppedEpisode:
    """The first ``steps`` steps of an episode."""
    run = SteppedEpisode(world, seed)
    while run.going and len(run.actions) < steps:
        run.step()
    return run


def _rest(run: SteppedEpisode, seat: Seat) -> list[bytes]:
    """All that is known to the others, and the facts."""
    return [form(run.world.facts()), *(line for s in run.seats if s != seat for line in run.heard[s])]
