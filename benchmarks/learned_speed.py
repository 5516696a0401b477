"""How many decisions a second a learned policy makes, in processor time of one core.

*Alone*: ``perceive`` and ``act`` of the mind, with the moments of an episode that was played before. *In play*: what
the mind takes while an episode is played, with its answers, where the world and the bots use the same caches. Without ``--policies``, the weights are random, in the sizes of the shipped ones. Each number is the median of
the rounds.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported: one core

import sys
from pathlib import Path
from statistics import median
from time import process_time

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.minds.learned.making import SUBSTRATES, description, file_of, tensors

from otherminds.core.contracts import MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.learned.files import LearnedMind
from otherminds.minds.learned.policy import Network, policy_of
from otherminds.play.loop import finish as finished
from otherminds.play.loop import play_now
from otherminds.play.seat_context import Now, SeatContext


class Timed(LearnedMind):
    """Plays one network, and keeps its brief and its moments."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.moments: list[Moment] = []

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self.network.policy.unfit(brief)

    def pick(self, brief: Brief, context: MindContext) -> Network:
        return self.network

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.brief = brief
        super().begin(brief, context)

    async def perceive(self, moment: Moment) -> None:
        self.moments.append(moment)
        await super().perceive(moment)


class Plain(Timed):
    """As :class:`Timed`, without keeping anything."""

    perceive = LearnedMind.perceive


class Clocked(LearnedMind):
    """Adds up the processor time that it takes, the clock's own included."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.seconds = 0.0

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self.network.policy.unfit(brief)

    def pick(self, brief: Brief, context: MindContext) -> Network:
        return self.network

    async def perceive(self, moment: Moment) -> None:
        began = process_time()
        await super().perceive(moment)
        self.seconds += process_time() - began

    async def act(self) -> Action | SkillChoice | Invalid:
        began = process_time()
        made = await super().act()
        self.seconds += process_time() - began
        return made

    async def answer(self, question: Question) -> Answer | Invalid:
        began = process_time()
        made = await super().answer(question)
        self.seconds += process_time() - began
        return made


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--policies", type=Path, help="a folder with policy files; random weights without it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1500, help="steps of an episode")
    options = parser.parse_args()
    rows: list[list[str]] = []
    figures: dict[str, dict[str, float]] = {}
    for network in networks(options.policies):
        info = network.policy.info
        name = f"{info.substrate} {info.algorithm}"
        alone = [decide_alone(network, options.steps, options.seed + k) for k in range(options.rounds)]
        within = [decide_in_play(network, options.steps, options.seed + k) for k in range(options.rounds)]
        figures[name] = {"alone": median(alone), "in play": median(within), "bytes": network.policy.size}
        rows.append(
            [name, f"{median(alone):,.0f}", f"{median(within):,.0f}", f"{network.policy.size / 1e3:,.0f}"]
        )
    print(table(["policy", "decisions a second, alone", "in play", "file, kB"], rows))
    finish(options, figures)


def networks(folder: Path | None) -> list[Network]:
    """The policies of ``folder``, or a random one for each substrate and algorithm."""
    if folder is not None:
        files = sorted(folder.glob("*.safetensors"))
        return [Network(policy_of(path.read_bytes(), path.stem, str(path))) for path in files]
    made: list[Network] = []
    for substrate in SUBSTRATES:
        for algorithm in ("ppo", "opre"):
            about = description(substrate, algorithm)
            made.append(Network(policy_of(file_of(tensors(about, options=8), about), "random", "random")))
    return made


def setup(network: Network, mind: LearnedMind, steps: int, seed: int) -> Setup:
    built = scenario(f"{network.policy.info.substrate.removesuffix('-v1')}-0-v1", {"steps": steps})
    return Setup(built, {"ego": Participant(mind)}, seed)


def decide_alone(network: Network, steps: int, seed: int) -> float:
    """Decisions a second over the moments of an episode."""
    played = Timed(network)
    play_now(setup(network, played, steps, seed))
    mind = Plain(network)
    mind.begin(played.brief, SeatContext("ego", seed, Now()))
    began = process_time()
    for moment in played.moments:
        finished(mind.perceive(moment))
        finished(mind.act())
    return len(played.moments) / (process_time() - began)


def decide_in_play(network: Network, steps: int, seed: int) -> float:
    """Decisions a second by the time within the mind while an episode is played."""
    mind = Clocked(network)
    record, _ = play_now(setup(network, mind, steps, seed))
    return len(record.rewards) / mind.seconds


if __name__ == "__main__":
    main()
