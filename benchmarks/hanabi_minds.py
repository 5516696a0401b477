"""Tiny Hanabi: verdicts on minds of known nature. Full Hanabi: answers to both questions, and the time of a game of a language model
behind the fake server."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from common import arguments, finish, show

import otherminds as om
from otherminds.core.model import Completion
from otherminds.hanabi.minds import RANDOM
from otherminds.hanabi.next_moves import measure_next_moves as score_next_moves
from otherminds.hanabi.scenarios import POPULATIONS
from otherminds.hanabi.tiny.minds import POLICIES, Reader
from otherminds.hanabi.world import EGO, NEXT, SCORES
from otherminds.measures.registry import Accuracy

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.hanabi.tiny_studies import count_verdicts, judge_study, simulate_study
from tests.models.serving import Answer, Asked, Reply, chat, scripted, serving

SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


def answer_at_random() -> Answer:
    """A server whose model names one of the options of the last request, and plays no card, so that games are long."""
    listing, rng = scripted(), Random(0)

    def answer(asked: Asked) -> Reply:
        if asked.path != "/v1/chat/completions":
            return listing(asked)
        options = re.findall(
            r"Option (\w+)", asked.body["messages"][-1]["content"].rsplit("Answer with", 1)[-1]
        )
        quiet = [option for option in options if not option.startswith("play")]
        return Reply(chat(Completion(f"A: Option {rng.choice(quiet or options)}")))

    return answer


def time_games(scenario: str, episodes: int) -> tuple[float, float, int]:
    """Seconds, processor seconds (the server's included) and calls of a game."""
    with TemporaryDirectory() as folder, serving(answer_at_random()) as server:
        cell = {"scenarios": [scenario], "minds": ["qa@MODEL"], "episodes": episodes}
        started, busy = perf_counter(), process_time()
        om.run([cell], Path(folder) / "run", models=f"openai:toy@{server.url}")
        seconds, busy = perf_counter() - started, process_time() - busy
        records = [*om.records(Path(folder) / "run")]
    return seconds / episodes, busy / episodes, sum(len(record.calls) for record in records) // episodes


def measure_own_cards(episodes: int) -> dict[tuple[str, str], tuple[float, float, int]]:
    """By mind and partner: the share of right answers about the own card, that of the better constant answer, and their number."""
    gathered: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    cell = {
        "scenarios": ["hanabi-2p-inferring-v1"],
        "minds": ["smart", "holmes", "iggi"],
        "episodes": episodes,
    }
    with TemporaryDirectory() as folder:
        om.run([cell], Path(folder) / "run")
        for record in om.records(Path(folder) / "run"):
            answers = gathered.setdefault((record.spec.seats[EGO].mind, record.partners["agent_1"].name), [])
            for asked in record.asked:
                if record.questions[asked.question].id == SCORES:
                    answers.append((asked.answer == asked.truth, asked.truth == "yes"))
    shares: dict[tuple[str, str], tuple[float, float, int]] = {}
    for key, answers in sorted(gathered.items()):
        right, yes = (sum(column) / len(answers) for column in zip(*answers, strict=True))
        shares[key] = right, max(yes, 1 - yes), len(answers)
    return shares


def measure_next_moves(episodes: int) -> list[tuple[str, int, float, float, float, float]]:
    """By mind: answers about the next move, and the shares of right ones: own, always the same kind, of who takes all conventions
    for equally likely, of who knows which it is."""
    rows: list[tuple[str, int, float, float, float, float]] = []
    for mind in (*POPULATIONS["mixed"], RANDOM):
        kinds: Counter[str] = Counter()
        sums = [0.0, 0.0, 0.0]
        with TemporaryDirectory() as folder:
            cell = {"scenarios": ["hanabi-2p-mixed-v1"], "minds": [mind], "episodes": episodes}
            om.run([cell], Path(folder) / "run")
            for record in om.records(Path(folder) / "run"):
                accuracy = score_next_moves(record)
                if not isinstance(accuracy, Accuracy):
                    continue
                truths = [
                    asked.truth
                    for asked in record.asked
                    if asked.truth is not None and record.questions[asked.question].id.startswith(NEXT)
                ]
                kinds.update(truths)
                for column, share in enumerate((accuracy.told, accuracy.blind, accuracy.known)):
                    sums[column] += share * len(truths)
        count = kinds.total()
        told, blind, known = (total / count for total in sums)
        rows.append((mind, count, told, max(kinds.values()) / count, blind, known))
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--studies", type=int, default=200, help="studies of each mind (default 200)")
    parser.add_argument("--episodes", type=int, default=24, help="episodes a study (default 24)")
    options = parser.parse_args()
    rows, figures = [], {}
    for mind in POLICIES:
        counts = figures[mind] = dict(count_verdicts(mind, options.episodes, options.studies))
        rows.append(
            (
                mind,
                ", ".join(f"{kind} {100 * count / options.studies:.1f} %" for kind, count in counts.items()),
            )
        )
    show(f"tiny Hanabi, {options.studies} studies of {options.episodes} episodes", ("mind", "verdicts"), rows)
    rows = []
    for use in SHARES:
        shares = [
            judge_study(simulate_study(lambda rng, _, use=use: Reader(rng, use), 36, seed=study)).unused.mean
            or 0.0
            for study in range(options.studies // 4)
        ]
        figures[f"unused of {use}"] = sum(shares) / len(shares)
        rows.append((use, f"{sum(shares) / len(shares):.3f}"))
    show(
        f"unused share, {options.studies // 4} studies of 36 episodes",
        ("acts on what it knows", "unused"),
        rows,
    )
    rows = []
    for (mind, partner), (right, constant, count) in measure_own_cards(60).items():
        figures[f"own card: {mind} with {partner}"] = right, constant, count
        rows.append((mind, partner, f"{right:.3f}", f"{constant:.3f}", count))
    show("right answers about the own card", ("mind", "partner", "right", "constant", "answers"), rows)
    rows = measure_next_moves(42)
    figures["next move"] = rows
    show(
        "right answers about the next move",
        ("mind", "answers", "own", "constant", "any convention", "the partner's convention"),
        [(mind, count, *(f"{share:.3f}" for share in shares)) for mind, count, *shares in rows],
    )
    rows = []
    for scenario, episodes in (
        ("hanabi-2p-mixed-v1", 1),
        ("hanabi-2p-mixed-v1", 7),
        ("tiny_hanabi-mixed-v1", 6),
    ):
        seconds, busy, calls = time_games(scenario, episodes)
        figures[f"seconds of {scenario}, {episodes}"] = seconds, busy
        rows.append((scenario, episodes, f"{seconds:.2f}", f"{busy:.2f}", calls))
    show(
        "qa behind the fake server, random options without plays",
        ("scenario", "side by side", "seconds a game", "processor s", "calls"),
        rows,
    )
    finish(options, figures)


if __name__ == "__main__":
    main()
