"""What plans that nobody can read are worth: Hypothetical Minds with usable and with garbled plans, and an avatar that rests.

The model is ``competent``; garbled, its plans alone come as prose. RWS repeated 6 by default.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import fmean, stdev

from common import arguments, finish, show

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Model
from otherminds.core.record import Record
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.notes import has_many_fallbacks
from otherminds.minds.registry import minds
from otherminds.models.registry import open_model
from otherminds.play.loop import play

FORM = "in this form:"


class Garbled(Model):
    """A model whose plans alone cannot be read."""

    spec = "garbled"
    concurrency = 1

    def __init__(self, model: Model) -> None:
        self.model = model
        self.context = model.context

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        if "'plan'" in messages[-1].content.rpartition(FORM)[2]:
            return Completion("I collect five boxes of paper and then seek a duel.")
        return await self.model.generate(messages, decoding)

    def count(self, text: str) -> int:
        return self.model.count(text)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--scenario", default="rws-repeated-6-v1")
    parser.add_argument("--episodes", type=int, default=20)
    options = parser.parse_args()
    competent = open_model("competent")
    players: dict[str, Model | None] = {
        "usable plans": competent,
        "garbled plans": Garbled(competent),
        "rest": None,
    }
    rows: list[tuple[str, str, str, int]] = []
    figures: dict[str, float] = {}
    for name, model in players.items():
        records = [
            asyncio.run(one(options.scenario, options.seed + k, model)) for k in range(options.episodes)
        ]
        returns = [record.total("ego") for record in records]
        half = 1.96 * stdev(returns) / len(returns) ** 0.5
        figures[name] = fmean(returns)
        duels = fmean(len(record.met["ego"]) for record in records)
        rows.append(
            (
                name,
                f"{fmean(returns):.1f} ± {half:.1f}",
                f"{duels:.1f}",
                sum(map(has_many_fallbacks, records)),
            )
        )
    show(
        f"{options.scenario}, {options.episodes} episodes",
        ("", "return", "encounters", "marked episodes"),
        rows,
    )
    finish(options, figures)


async def one(name: str, seed: int, model: Model | None) -> Record:
    """The record of one episode: of Hypothetical Minds, or without a model of an avatar that rests."""
    built = scenario(name, {})
    mind = built.minds["noop"]() if model is None else minds.make("hm", {})
    record, _ = await play(Setup(built, {"ego": Participant(mind, model)}, seed))
    return record


if __name__ == "__main__":
    main()
