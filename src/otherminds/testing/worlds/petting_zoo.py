"""PettingZoo's own tests, through both of its interfaces."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

from otherminds.core.world import World
from otherminds.testing.compare import FAULTS
from otherminds.testing.worlds.case import WorldCase

CYCLES = 50
BROKEN = "Live agent|Agent was given|No agents present|The `infos` dictionary"
"""What PettingZoo only warns of, but a world promises."""


class PettingZooPromises(WorldCase):
    """A world is a PettingZoo ``ParallelEnv``, and by conversion an ``AECEnv``."""

    def test_pettingzoo_parallel_api(self) -> None:
        """``pettingzoo.test.parallel_api_test`` passes, without the warnings that matter."""
        from pettingzoo.test import parallel_api_test  # pyright: ignore[reportMissingTypeStubs]

        with _petting("parallel_api_test"):
            parallel_api_test(self._seeded(), CYCLES)

    def test_pettingzoo_api(self) -> None:
        """``pettingzoo.test.api_test`` passes through ``parallel_to_aec``."""
        from pettingzoo.test import api_test  # pyright: ignore[reportMissingTypeStubs]
        from pettingzoo.utils import parallel_to_aec  # pyright: ignore[reportMissingTypeStubs]

        with _petting("api_test"):
            api_test(parallel_to_aec(self._seeded()), CYCLES)

    def test_pettingzoo_seed(self) -> None:
        """``pettingzoo.test.seed_test`` passes through ``parallel_to_aec``."""
        from pettingzoo.test import seed_test  # pyright: ignore[reportMissingTypeStubs]
        from pettingzoo.utils import parallel_to_aec  # pyright: ignore[reportMissingTypeStubs]

        with _petting("seed_test"):
            seed_test(lambda: parallel_to_aec(self.make_world()), CYCLES)

    def _seeded(self) -> World:
        """A world whose action spaces are seeded: those tests sample from them."""
        world = self.make_world()
        for seat in world.possible_agents:
            world.action_space(seat).seed(self.seeds[0])
        return world


@contextmanager
def _petting(test: str) -> Iterator[None]:
    """Quietly; what breaks a promise of ours is a failure, other warnings are PettingZoo's taste."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message=BROKEN)
        try:
            yield
        except (AssertionError, UserWarning, *FAULTS) as error:
            raise AssertionError(
                f"promised: pettingzoo.test.{test} passes; happened: {type(error).__name__}: {error}"
            ) from error
