"""Predictions for several hypotheses are asked side by side, and nothing depends on which reply comes first."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from otherminds.core.data import Encounter, Moment
from otherminds.core.errors import ProviderError
from tests.minds.hypothetical import fakes

BEHAVIOURS = ("rock", "paper", "scissors")


def slow(fakes: Any, order: int, down: bool = False) -> Any:
    """A model whose replies take turns that ``order`` draws; ``most`` is how many it had to answer at once."""

    class Slow(fakes.Model):
        def __init__(self, **said: Any) -> None:
            super().__init__(**said)
            self.waiting = self.most = 0
            self.turns = Random(order)

        async def generate(self, messages: Any, decoding: Any) -> Any:
            reply = await super().generate(messages, decoding)
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            for _ in range(self.turns.randrange(1, 8)):
                await asyncio.sleep(0)
            self.waiting -= 1
            if "Take the hypothesis" in messages[-1].content:
                if down:
                    raise ProviderError("the service is down")
                # A third of the replies are of no use, by the seed of the call alone.
                return type(reply)("no") if decoding.seed % 3 == 0 else reply
            return reply

    numbers = iter(range(100))
    return Slow(strategy=lambda prompt: f"idea {next(numbers)}", they_played="ROCK", they_play="PAPER")


async def live(seat: Any, encounters: int) -> None:
    """An encounter in every step but the first."""
    for n in range(encounters + 1):
        met = (Encounter(n, {"ego": ("rock",), "partner_0": BEHAVIOURS}, 0.0),) if n else ()
        await seat.mind.perceive(Moment(seat.now.step, 0, 0.0, met))
        await seat.mind.act()
        seat.now.step += 1


def test_all_predictions_of_an_encounter_wait_at_once() -> None:
    model = slow(fakes, 0)
    seat = fakes.Seat("hm", fakes.HIDDEN, model, top_k=4)
    asyncio.run(live(seat, 8))
    assert model.most == 5


@pytest.mark.parametrize("manner", ["hidden", "apart", "cooking"])
def test_the_order_of_replies_changes_nothing(manner: str) -> None:
    told = []
    for order in range(6):
        seat = fakes.Seat("hm", fakes.MANNERS[manner], slow(fakes, order), top_k=4)
        asyncio.run(live(seat, 8))
        calls = [
            (c.step, c.purpose, c.attempt, c.messages, c.decoding, c.completion) for c in seat.context.calls
        ]
        told.append((calls, seat.context.notes))
    assert any(purpose.startswith("predict") and attempt for _, purpose, attempt, *_ in told[0][0])
    assert all(one == told[0] for one in told)


def test_without_an_event_loop_they_are_asked_one_after_another() -> None:
    """The same calls with the same seeds as side by side."""
    numbers = iter(range(100)), iter(range(100))
    seats = [
        fakes.Seat("hm", fakes.HIDDEN, fakes.Model(strategy=lambda prompt, n=n: f"idea {next(n)}"), top_k=4)
        for n in numbers
    ]
    asyncio.run(live(seats[0], 6))
    seats[1].step()
    for _ in range(6):
        seats[1].meet()
    seeds = [[(c.step, c.purpose, c.decoding.seed) for c in seat.context.calls] for seat in seats]
    assert seeds[0] == seeds[1]


def test_a_failing_service_leaves_no_call_running() -> None:
    model = slow(fakes, 0, down=True)
    seat = fakes.Seat("hm", fakes.HIDDEN, model, top_k=4)
    with pytest.raises(ProviderError):
        asyncio.run(live(seat, 8))
    assert model.waiting == 0
    assert not seat.notes("unusable")
