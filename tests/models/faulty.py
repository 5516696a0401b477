"""A service that misbehaves on purpose, to see that nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.core.encoding import stream
from otherminds.core.errors import TransientError
from otherminds.core.model import Model
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper

Fault: TypeAlias = Literal["throttled", "failed", "truncated", "hung"]


class Rates(Struct, frozen=True):
    """The share of calls that meet each fault: HTTP 429, HTTP 5xx, a body cut short, no answer at all."""

    throttled: float = 0.10
    failed: float = 0.05
    truncated: float = 0.02
    hung: float = 0.01

    def draw(self, rng: Random) -> Fault | None:
        """The fault that the next call meets, if any."""
        point = rng.random()
        faults: tuple[tuple[Fault, float], ...] = (
            ("throttled", self.throttled),
            ("failed", self.failed),
            ("truncated", self.truncated),
            ("hung", self.hung),
        )
        for fault, rate in faults:
            if point < rate:
                return fault
            point -= rate
        return None


class Faulty(Wrapper):
    """Passes calls on to ``inner``, and lets some fail as ``rates`` say.

    A call that is throttled, failed or hung never reaches ``inner``; one that is
    truncated does, and its reply is lost. A hung call ends after ``patience``
    seconds, as by a client's time-out. ``seed`` fixes which calls fail, in the
    order in which they are made. ``sleep`` is for tests.
    """

    def __init__(
        self,
        inner: Model,
        rates: Rates,
        seed: int,
        patience: float = 1.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        super().__init__(inner)
        self._rates = rates
        self._rng = stream(seed, "faulty")
        self._patience = patience
        self._sleep = sleep

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        fault = self._rates.draw(self._rng)
        if fault == "throttled":
            raise TransientError(f"model {self.spec}: HTTP 429 (injected)", after=0.0)
        if fault == "failed":
            raise TransientError(f"model {self.spec}: HTTP 503 (injected)")
        if fault == "hung":
            await self._sleep(self._patience)
            raise TransientError(f"model {self.spec}: no answer within {self._patience:g} s (injected)")
        reply = await call()
        if fault == "truncated":
            raise TransientError(f"model {self.spec}: a body cut short (injected)")
        return reply
