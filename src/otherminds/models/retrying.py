"""Repeats calls after transient faults of their service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random

from otherminds.core.errors import ProviderError, TransientError
from otherminds.core.model import Model
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper

BASE = 0.5
"""The longest first wait in seconds; it doubles with each try."""
CAP = 30.0
"""The longest wait in seconds, unless the service asks for more."""
QUIET = 5.0
"""Seconds after which a call is reported to ``say``."""


class Retrying(Wrapper):
    """Calls ``inner`` again after a ``TransientError``, for at most ``deadline`` seconds.

    It gives up as soon as the next wait would reach the deadline. Waits grow exponentially
    with full jitter (Brooker 2015, "Exponential Backoff And Jitter", AWS Architecture Blog);
    a wait that the service asks for (``Retry-After``) is added. A running call is not
    interrupted, and every other error passes. ``retries`` counts the repeated calls; ``say``
    receives a line about slow ones; ``sleep``, ``clock`` and ``rng`` are for tests.

    Raises:
        ProviderError: no try succeeded before the deadline; the text has the last fault.
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

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        started = self._clock()
        tries = 0
        while True:
            tries += 1
            try:
                reply = await call()
            except TransientError as error:
                last = error
            except ProviderError as error:
                if error.down:
                    self.down = str(error)
                raise
            else:
                self.down = ""
                return reply
            # The bound of the exponent avoids an overflow.
            wait = (last.after or 0.0) + self._rng.uniform(0.0, min(CAP, BASE * 2.0 ** min(tries - 1, 16)))
            spent = self._clock() - started
            if spent + wait >= self._deadline:
                self.down = str(last)
                raise ProviderError(
                    f"{last}; gave up after {tries} {'try' if tries == 1 else 'tries'} in {spent:.0f} s; "
                    "when the service is well again, run the study with --retry-failed"
                ) from last
            left = self._deadline - spent
            if self._say is not None and spent + wait > QUIET:
                self._say(f"{last}; try {tries + 1} in {wait:.0f} s, gives up in {left:.0f} s")
            await self._sleep(wait)
            self.retries += 1
