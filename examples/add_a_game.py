"""A game of your own, in one file: chicken.

Run it: ``python examples/add_a_game.py``. In a study: ``plugins =
["add_a_game.py"]``, and ``chicken-single-v1``, ``chicken-mixed-v1``, ... are
there. A game can also stand in the study file itself: see ``study.toml``.
"""

from __future__ import annotations

from otherminds import Game
from otherminds.core.scenario import scenario
from otherminds.games.best_response import interest, nash
from otherminds.games.registry import games


@games.register("chicken")
def chicken() -> Game:
    """Two drivers; the one who swerves loses face, and two who do not lose more. Rapoport & Chammah 1966."""
    moves = ("swerve", "straight")
    return Game("chicken", (moves, moves), (((6.0, 6.0), (2.0, 8.0)), ((8.0, 2.0), (0.0, 0.0))))


if __name__ == "__main__":
    for population in ("single", "tit_for_tat", "mixed"):
        built = scenario(f"chicken-{population}-v1", {"rounds": 100})
        print(f"{built.id}: interest {interest(chicken(), built.priors['family'](), 100):.4f}")
    swerve = nash(chicken())[0][0]
    print(f"in equilibrium both swerve with probability {swerve:.2f}")
