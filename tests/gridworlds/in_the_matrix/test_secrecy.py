"""What another collects is not heard until a legal duel, whole episodes long."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from otherminds.core.data import Moment
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.verbalizer import InTheMatrixVerbalizer
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from tests.gridworlds.in_the_matrix.substrates import FIRST


def bytes_of(observation: dict[str, Any]) -> bytes:
    return b"".join(
        key.encode() + np.ascontiguousarray(observation[key]).tobytes() for key in sorted(observation)
    )


@pytest.mark.parametrize("substrate", [*FIRST, "bach-or-stravinsky-arena-v1"])
@pytest.mark.parametrize("seed", range(4))
def test_hidden_inventories_change_no_byte_that_ego_hears(substrate: str, seed: int) -> None:
    rules, rng = SUBSTRATES[substrate], Random(seed)
    worlds = [InTheMatrixWorld(rules, rgb=True) for _ in range(2)]
    telling = InTheMatrixVerbalizer(rules, "ego", tuple(range(len(rules.classes))))
    heard = [world.reset(seed=seed) for world in worlds]
    other = rng.randrange(1, rules.players)
    compared, changed = 0, False
    for step in range(1, 700):
        theirs = worlds[1].engine.state.avatars[0, other]
        if not changed and step > 30 and theirs[columns.READY] and theirs[columns.PENDING] < 0:
            theirs[columns.COUNTS + rng.randrange(len(rules.classes))] += rng.randint(1, 5)
            changed = True
        actions = {seat: rng.choice((0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7)) for seat in worlds[0].possible_agents}
        stepped = [world.step(actions) for world in worlds]
        if worlds[0].engine.state.met[0, other, 0, 0] >= 0:
            break  # a duel is legal news of what it had collected
        heard = [(observations, infos) for observations, *_, infos in stepped]
        one, two = (
            (
                bytes_of(observations["ego"]),
                infos["ego"],
                telling.tell(Moment(step, observations["ego"], 0.0, infos["ego"].get("encounters", ()))),
            )
            for observations, infos in heard
        )
        assert one == two
        compared += changed
    assert compared >= 5, "the change was not there long enough to show anything"
