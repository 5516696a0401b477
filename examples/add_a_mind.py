"""A mind of your own, in one file: win-stay, lose-shift with a memory of one round.

Run it: ``python examples/add_a_mind.py``. In a study: ``plugins = ["add_a_mind.py"]``.
"""

from __future__ import annotations

from otherminds import Setup
from otherminds.core.scenario import scenario
from otherminds.games.player import Player
from otherminds.minds.registry import minds
from otherminds.play.loop import play_now


@minds.register("pavlov")
class Pavlov(Player):
    """Repeats a behaviour that paid at least half of what can be had, else takes the next one.

    Nowak & Sigmund 1993. It predicts that the partner does again what it did last.
    """

    def start(self, own: int, others: int) -> None:
        low, high = self.brief.reward_range
        self._enough = (low + high) / 2
        self._size = own
        self._choice = 0
        self._seen = 0

    def learn(self, own: int, other: int, reward: float) -> None:
        self._seen = other
        self._choice = own if reward >= self._enough else (own + 1) % self._size

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._seen


if __name__ == "__main__":
    against = scenario("ipd-tit_for_tat-v1", {"rounds": 100})
    record, _ = play_now(Setup(against, {"ego": minds.make("pavlov", {})}))
    right = sum(asked.answer == asked.truth for asked in record.asked)
    assert record.bounds is not None
    print(f"pavlov earns {record.total('ego'):g} of {record.bounds.informed:g} against tit-for-tat,")
    print(f"and predicts {right} of {len(record.asked)} of its moves.")
