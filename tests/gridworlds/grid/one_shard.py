"""A batch of one shard, with what partners read of a shard: so that a test can reset, step and look at one object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.rules import Rules as KitchenRules
from otherminds.gridworlds.cooking.world import make_substrate as kitchen
from otherminds.gridworlds.grid.learner import LearnerBatch
from otherminds.gridworlds.in_the_matrix.world import make_substrate as duels


class OneShard(LearnerBatch):
    """``worlds`` copies of the substrate under ``rules``, stepped by one thread."""

    def __init__(self, rules: Any, worlds: int) -> None:
        super().__init__(kitchen(rules) if isinstance(rules, KitchenRules) else duels(rules), worlds)
        (shard,) = self.shards
        self.rules = rules
        self.state = shard.state
        self.did: NDArray[np.int8] = shard.did
        self.again: NDArray[np.bool_] = shard.again

    @property
    def ended(self) -> NDArray[np.bool_]:
        """bool[B]: the worlds whose episode ended in the last step."""
        return self.terminations | self.truncations
