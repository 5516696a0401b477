"""An episode of rounds with a note of a hypothesis before each."""

from __future__ import annotations

from otherminds import Record
from otherminds.core.record import Note
from otherminds.core.scenario import Setup, scenario
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played


def noted_rounds() -> Record:
    """Five rounds; from the second on a hypothesis says what the partner did in the first one."""
    made = scenario("rps-single-v1", {"rounds": 5})
    record = played(Setup(made, {"ego": RandomMind()}, 1))
    always = record.met["ego"][0].did["partner_0"][0]
    assert record.game is not None
    other = next(name for name in record.game.behaviours[1] if name != always)
    record.notes = tuple(
        Note(
            "ego",
            n,
            "thinking",
            {
                "partner": "partner_0",
                "encounter": n,
                "came": always if n else None,
                "thoughts": [
                    {"id": 0, "text": "</script>x", "value": n / 10, "predicts": other if n == 2 else always}
                ]
                * min(n, 1),
                "used": 0 if n else None,
                "validated": 0 if n > 3 else None,
            },
        )
        for n in range(5)
    )
    return record
