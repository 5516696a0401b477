"""Repeats calls after transient faults of their service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random

from otherminds.core.errors import ProviderError, TransientError
from otherminds.core.model import Model
from otherminds.models.faults import MalformedError
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper

BASE = 0.5
"""The longest first wait in seconds; it doubles with each try."""
CAP = 30.0
"""The longest wait in seconds, unless the service asks for more."""
QUIET = 5.0
"""Seconds after which a call is reported to ``say``."""
SHAPELESS = 5
"""Malformed replies in a row that end a call: its seed is fixed, so that a server may repeat them for ever."""
REFUSED = 3
"""Refusals in a row that speak of the whole service, such as no credit, after which it is down; one, if no call ever succeeded."""


class Retrying(Wrapper):
    """Calls ``inner`` again after a ``TransientError``, for at most ``deadline`` seconds.

    It gives up as soon as the next wait would reach the deadline, or after :data:`SHAPELESS` malformed replies in
    a row. Waits grow exponentially with full jitter (Brooker 2015, "Exponential Backoff And Jitter", AWS
    Architecture Blog); a wait that the service asks for (``Retry-After``) is added, unless it would reach the
    deadline. A running call is not interrupted, and every other error passes. The service is ``down`` when a
    call was given up in whose time no other call succeeded, or when it refuses all calls. ``retries`` counts the
    repeated calls; ``say`` receives a line about slow ones; ``sleep``, ``clock`` and ``rng`` are for tests.

    Raises:
        ProviderError: no try succeeded before the deadline, or replies are malformed; the text has the last fault.
    """

    def __init__(
        self,
        inner: Model,
        deadline: float = 600.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: Random | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(inner)
        self._say = say
        self.retries = 0
        self.down = ""
        """The fault of the last call, if other calls would fail too; else empty."""
        self._deadline = deadline
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or Random()
        self._succeeded = float("-inf")
        self._refused = 0

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        started = self._clock()
        tries = shapeless = 0
        while True:
            tries += 1
            try:
                reply = await call()
            except TransientError as error:
                last = error
            except ProviderError as error:
                self._refused += error.down
                if error.down and (self._refused >= REFUSED or self._succeeded == float("-inf")):
                    self.down = str(error)
                raise
            else:
                self.down, self._succeeded, self._refused = "", self._clock(), 0
                return reply
            shapeless = shapeless + 1 if isinstance(last, MalformedError) else 0
            if shapeless >= SHAPELESS:
                raise ProviderError(
                    f"{last}; {shapeless} times in a row, so it was not asked again"
                ) from last
            spent = self._clock() - started
            # The bound of the exponent avoids an overflow.
            wait = self._rng.uniform(0.0, min(CAP, BASE * 2.0 ** min(tries - 1, 16)))
            requested_wait = last.after or 0.0
            wait += requested_wait if spent + requested_wait + wait < self._deadline else 0.0
            if spent + wait >= self._deadline:
                if self._succeeded < started:
                    self.down = str(last)
                raise ProviderError(
                    f"{last}; gave up after {tries} {'try' if tries == 1 else 'tries'} in {spent:.0f} s; "
                    "when the service is well again, run the study with --retry-failed"
                ) from last
            remaining = self._deadline - spent
            if self._say is not None and spent + wait > QUIET:
                self._say(f"{last}; try {tries + 1} in {wait:.0f} s, gives up in {remaining:.0f} s")
            await self._sleep(wait)
            self.retries += 1
