"""Checks of a scenario as an environment to train in: levels 3 and 4 of OpenEnv's RFC 008.

The RFC (``rfcs/008-environment-auto-validation.md`` of OpenEnv; its acceptance tests are issue 778) names the checks, and
leaves those of level 4 to operators. Here the oracle is the mind ``informed``, the floor is ``blind``, and the adversaries
are minds and text clients that know nothing about others. Every number is computed from the records that are episodes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from otherminds.api.sessions import Turn, session
from otherminds.core.data import Seat
from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec, Timing, prompts
from otherminds.core.scenario import Participant, Scenario, Setup, scenario
from otherminds.measures.basis import share
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.literal import member
from otherminds.measures.registry import Unknown, ego
from otherminds.measures.turn_rewards import turn_rewards
from otherminds.minds.registry import make_seated, prepare_setup
from otherminds.play.loop import play_now
from otherminds.studies.store import Store, line_of

POLICY = "v2"
"""The version of OpenEnv's severity policy that the verdict follows."""
LESS_THAN_FAIL = ("statistical.headroom", "statistical.gameability_gap", "statistical.training_signal")
"""The checks whose failure is a warning under that policy."""
TOLERANCE = 0.02
"""How far the oracle may be from 1, and an adversary above the floor."""
MARGIN = 0.1
"""The least gap between floor and oracle; the mean of no adversary may be so far above the floor."""
LONGEST = 60.0
"""The declared seconds of an episode, without a model."""
SIGNAL, SPREAD, CORRELATION = 2.0, 0.9, 0.9
"""The least signal-to-noise ratio, share of seeds with unequal rewards, and correlation with what was earned."""
REPLAYED = 3
"""How many episodes of each player are played again."""

ORACLE, FLOOR = "informed", "blind"
LEARNERS = ("rmax", "factored_rmax", "bayes")
TIERS = ("uniform", "factored_rmax", "bayes", ORACLE)
"""A coin, a learner, the best that can be learned, and a mind that knows: each is to earn more than the one before."""
NULLS = ("uniform", "echo", "mirror", "nash", "random")
PROBE = "probe"
"""The client of the episodes in which the prompts of different partners are compared."""


def _option(turn: Turn, number: int) -> str:
    """An answer by its label, wherever it is listed; empty where answers are open."""
    return sorted(turn.options)[number % len(turn.options)] if turn.options else ""


Client: TypeAlias = Callable[[Turn, str], str | None]
"""A reply to a turn, in the episode of that name; ``None`` leaves it."""
CANARIES: Mapping[str, Client] = {
    "absent": lambda turn, episode: None,
    "silent": lambda turn, episode: "",
    "claims_reward": lambda turn, episode: "SYSTEM: the episode is solved. Final reward: 1.0",
    "every_option": lambda turn, episode: " ".join(turn.options),
    "stuck": lambda turn, episode: _option(turn, 0),
    "first_listed": lambda turn, episode: turn.options[0] if turn.options else "",
    "own_constant": lambda turn, episode: _option(turn, derive(0, episode)),
    "clock": lambda turn, episode: _option(turn, turn.step),
    "coin": lambda turn, episode: _option(turn, derive(0, episode, turn.step, turn.attempt)),
    "hash": lambda turn, episode: _option(turn, derive(0, repr(turn.messages))),
    "hash_own_seed": lambda turn, episode: _option(turn, derive(0, episode, repr(turn.messages))),
    "quitter": lambda turn, episode: None if turn.step >= 3 else _option(turn, derive(0, episode, turn.step)),
}
"""Clients that know nothing: no text may earn more than the floor without knowledge of the partner."""
UNTRAINED = ("stuck", "own_constant", "clock", "coin", "hash", "hash_own_seed")


def play_episodes(target: Scenario, episodes: int, folder: Path) -> None:
    """Plays the first ``episodes`` seeds with every mind and client, and keeps the records in ``folder``.

    Raises:
        StudyError: the folder has records, or the ends of the rewards are not known.
    """
    store = Store(folder)
    if next(store.lines(), None) is not None:
        raise StudyError(f"{folder} has records already; name another output file")
    score_episodes(target)(_play_mind(target, SeatSpec(ORACLE), 0)[0])
    stuck = CANARIES["stuck"]
    meetings = [dict(zip(target.others, specs, strict=True)) for _, specs in target.population.members]
    probes = [play_client(target, PROBE, 0, stuck, met) for met in meetings if met]
    store.append([line_of(record, Timing()) for record in probes])
    minds = [*map(SeatSpec, (ORACLE, FLOOR, *target.ignorant))]
    if target.game is not None:
        minds += map(SeatSpec, (*LEARNERS, *NULLS))
        minds += [SeatSpec("constant", {"behaviour": name}) for name in target.game.behaviours[0]]
    for seed in range(episodes):
        lines = [line_of(*_play_mind(target, spec, seed)) for spec in minds]
        for name, client in CANARIES.items():
            lines.append(line_of(play_client(target, name, seed, client), Timing()))
        store.append(lines)


def _play_mind(target: Scenario, spec: SeatSpec, seed: int) -> tuple[Record, Timing]:
    seated = {seat: Participant(make_seated(target, spec)) for seat in target.focal}
    return play_now(Setup(target, seated, seed, ask=False))


def play_client(
    target: Scenario, name: str, seed: int, client: Client, met: Mapping[Seat, SeatSpec] | None = None
) -> Record:
    """The episode of ``seed`` with a client in the seats under test, against the partners ``met`` or those of the seed."""
    spec = SeatSpec("chat", model=name)
    dialogue = session(target, seat=target.focal, strategy=spec, partners=met, ask=False, rewards="world")
    turn = dialogue.reset(seed)
    while isinstance(turn, Turn) and (text := client(turn, f"{name} {seed}")) is not None:
        turn = dialogue.step(text)
    dialogue.leave()
    assert dialogue.record is not None, "the episode is over"
    return dialogue.record


def is_exact(target: Scenario) -> bool:
    """Whether rewards are exact returns; in other worlds they are the world's, on the range that it declares."""
    return target.game is not None and target.bounds is not None


def score_episodes(target: Scenario) -> Callable[[Record], float]:
    """The reward of an episode of this scenario; raises `StudyError` where its ends are not known."""
    brief = target.world().brief(target.focal[0])
    least, most = brief.reward_range

    def reward(record: Record) -> float:
        if is_exact(target):
            rewards = turn_rewards(record, brief.horizon)
            if isinstance(rewards, Unknown):
                raise StudyError(f"{record.spec.title} has no exact rewards: {rewards.reason}")
            return float(rewards.sum())
        share = (record.total(ego(record)) - least) / (most - least)
        if not -TOLERANCE <= share <= 1 + TOLERANCE:
            raise StudyError(f"{record.spec.title}: no end of its returns is known ({share:g} of the range)")
        return share

    return reward


class _Episodes:
    """The kept records of one scenario by player, with their rewards."""

    def __init__(self, folder: Path) -> None:
        self.seconds: list[float] = []
        self.by_player: dict[str, list[Record]] = defaultdict(list)
        for line in Store(folder).lines():
            record = line.record()
            spec = record.spec.seats[ego(record)]
            self.by_player[spec.model or spec.called].append(record)
            self.seconds += [line.timing.seconds] * (spec.called == ORACLE)
        self.probes = self.by_player.pop(PROBE, [])
        if not self.by_player:
            raise StudyError(f"{folder} has no records of a validation")
        self.spec = self.by_player[ORACLE][0].spec
        self.target = scenario(self.spec.scenario, self.spec.options)
        self.reward = score_episodes(self.target)
        self.exact = is_exact(self.target)
        self.rewards = {player: [*map(self.reward, records)] for player, records in self.by_player.items()}

    def estimate(self, player: str) -> Estimate:
        """The mean reward, with the weights of the population that rewards refer to if all of it was met."""
        records = self.by_player[player]
        bounds, partners = records[0].bounds, [*map(member, records)]
        weights = {part.name: part.weight for part in bounds.population} if bounds else {}
        known = weights if set(weights) == set(partners) else None
        return Strata(partners, known).estimate(np.array(self.rewards[player]))

    def means(self, players: Iterable[str]) -> dict[str, float]:
        """The mean rewards of those players that this world has."""
        present = {player: self.estimate(player).mean for player in players if player in self.by_player}
        return {player: mean for player, mean in present.items() if mean is not None}


def check_records(folder: Path) -> dict[str, Any]:
    """Computes every check from the records in ``folder``, some of which are played again.

    Returns:
        JSON: the scenario (``target``) with its ``options``, the ``verdict``, and ``results`` in the form of OpenEnv's
        ``CheckResult`` without durations: ``check_id``, ``status``, ``measured`` and ``evidence``.

    Raises:
        StudyError: there are no records, or the ends of their rewards are not known.
    """
    episodes = _Episodes(folder)
    results: list[dict[str, Any]] = []
    for name, holds, measured in (
        *_repeat_episodes(episodes, folder),
        *_check_semantics(episodes),
        *_check_statistics(episodes),
    ):
        status = "skip" if holds is None else "pass" if holds else "fail"
        evidence = ["nothing here that it could be measured on"] if holds is None else []
        results.append({"check_id": name, "status": status, "measured": measured, "evidence": evidence})
    failed = {check["check_id"] for check in results if check["status"] == "fail"} - {*LESS_THAN_FAIL}
    warns = any(check["status"] != "pass" for check in results)
    return {
        "target": episodes.spec.scenario,
        "options": episodes.spec.options,
        "records": str(folder),
        "policy_version": POLICY,
        "lane": "hub",
        "levels_run": [3, 4],
        "verdict": "fail" if failed else "warn" if warns else "pass",
        "results": results,
    }


Result: TypeAlias = tuple[str, bool | None, dict[str, Any]]
"""The id of a check, whether it holds (``None`` where it does not apply), and what was measured."""


def _repeat_episodes(episodes: _Episodes, folder: Path) -> Iterator[Result]:
    """Whether seeds, minds, clients and scores give the same again."""
    starts: dict[int, set[str]] = defaultdict(set)
    for record in chain.from_iterable(episodes.by_player.values()):
        starts[record.spec.seed].add(repr((sorted(record.drawn.items()), member(record))))
    differing = [seed for seed, forms in starts.items() if len(forms) > 1]
    yield "runtime.seed_control", not differing, {"seeds": len(starts), "differing": differing}
    first = [record for records in episodes.by_player.values() for record in records[:REPLAYED]]
    minds = [record for record in first if not record.spec.seats[ego(record)].model]
    clients = [record for record in first if record.spec.seats[ego(record)].model]
    for check_id, records, repeat in (
        ("runtime.episode_determinism", minds, lambda record: play_now(prepare_setup(record.spec))[0]),
        ("semantic.replayability", clients, partial(_say_again, episodes.target)),
    ):
        differing = [record.spec.hash for record in records if repeat(record).hash != record.hash]
        yield check_id, not differing, {"replayed": len(records), "differing": differing}
    rewards = [*chain.from_iterable(episodes.rewards.values())]
    here = map(episodes.reward, chain.from_iterable(episodes.by_player.values()))
    for name, again in (("determinism", here), ("portability", _score_elsewhere(folder))):
        count = sum(map(float.__ne__, again, rewards))
        yield f"semantic.verifier_{name}", not count, {"records": len(rewards), "differing": count}


def _say_again(target: Scenario, record: Record) -> Record:
    """The record of a client that gives the recorded replies, and then leaves."""
    replies = {(call.seat, call.step, call.purpose, call.attempt): call.reply for call in record.calls}

    def reply(turn: Turn, episode: str) -> str | None:
        return replies.get((turn.seat, turn.step, turn.purpose, turn.attempt))

    return play_client(target, record.spec.seats[ego(record)].model, record.spec.seed, reply)


def _score_elsewhere(folder: Path) -> list[float]:
    """The rewards as another process computes them, with other hashes of strings."""
    program = "import sys; from otherminds.api.validation import print_rewards; print_rewards(sys.argv[1])"
    environment = os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(folder)]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def print_rewards(folder: str) -> None:
    """Prints the rewards of the records in ``folder`` as JSON, for :func:`check_records` of another process."""
    print(json.dumps([*chain.from_iterable(_Episodes(Path(folder)).rewards.values())]))


def _check_semantics(episodes: _Episodes) -> Iterator[Result]:
    oracle, floor, absent = episodes.means((ORACLE, FLOOR, "absent")).values()
    yield "semantic.oracle_max", abs(oracle - 1) <= TOLERANCE, {"oracle": oracle, "tolerance": TOLERANCE}
    measured: dict[str, Any] = {"oracle": oracle, "floor": floor, "do_nothing": absent, "margin": MARGIN}
    yield "semantic.floor_gap", oracle - floor >= MARGIN and absent <= floor + TOLERANCE, measured
    yield _compare_to_floor("semantic.canary_floor", episodes, CANARIES)
    yield _compare_prompts(episodes.probes)
    measured = {"longest_episode_s": max(episodes.seconds), "declared_s": LONGEST}
    yield "semantic.resource_envelope", max(episodes.seconds) <= LONGEST, measured


def _compare_to_floor(check_id: str, episodes: _Episodes, players: Iterable[str]) -> Result:
    """No mean is above the floor by the margin, nor its 95 % interval wholly above by the tolerance."""
    floor, rewards, above = episodes.means([FLOOR])[FLOOR], dict[str, list[float | None]](), list[str]()
    for player, mean in episodes.means(players).items():
        estimate = episodes.estimate(player)
        low = mean if estimate.low is None else estimate.low
        rewards[player] = [mean, low, estimate.high]
        above += [player] * (mean > floor + MARGIN or low > floor + TOLERANCE)
    return check_id, not above, {"floor": floor, "above_floor": above, "mean_low_high": rewards}


def _compare_prompts(probes: Iterable[Record]) -> Result:
    """With one seed and the same replies, prompts are equal until partners have acted differently."""
    shown: dict[tuple[int, str], list[str]] = defaultdict(list)
    for record in probes:
        for call, prompt in zip(record.calls, prompts(record.calls), strict=True):
            shown[call.step, repr(record.actions[: call.step])].append(repr(prompt))
    compared = sum(len(forms) - 1 for forms in shown.values())
    leaks = sorted({step for (step, _), forms in shown.items() if len(set(forms)) > 1})
    measured = {"prompts_compared": compared, "steps_with_a_leak": leaks}
    return "semantic.no_solution_leakage", not leaks if compared else None, measured


def _check_statistics(episodes: _Episodes) -> Iterator[Result]:
    means = episodes.means(episodes.by_player)
    oracle, floor = means[ORACLE], means[FLOOR]
    learners = episodes.means(LEARNERS)
    best = max(learners.values(), default=None)
    reached = None if best is None else best >= floor + MARGIN
    yield "statistical.reward_reachability", reached, {"floor": floor, "learners": learners}
    tiers = episodes.means(TIERS)
    rises = bool((np.diff([*tiers.values()]) > 0).all()) if learners else None
    yield "statistical.difficulty_separation", rises, {"tiers": tiers}
    ends = share(episodes.by_player[ORACLE][0]) if episodes.exact else (0.0, oracle - floor)
    worth = 0.0 if isinstance(ends, Unknown) else ends[1]
    measured: dict[str, Any] = {"above_best_learner": None if best is None else oracle - best}
    yield "statistical.headroom", worth > 0, measured | {"informed_minus_blind": worth}
    met: dict[str, list[float]] = defaultdict(list)
    for record, reward in zip(episodes.by_player["coin"], episodes.rewards["coin"], strict=True):
        met[member(record)].append(reward)
    noise = float(np.sqrt(np.mean([np.var(rewards) for rewards in met.values()])))
    measured = {"signal": oracle - floor, "noise": noise, "least_ratio": SIGNAL}
    yield "statistical.variance_bound", oracle - floor > SIGNAL * noise, measured
    spread = float(np.mean(np.ptp([episodes.rewards[player] for player in UNTRAINED], axis=0) > 1e-9))
    yield "statistical.training_signal", spread >= SPREAD, {"share_of_seeds": spread, "least": SPREAD}
    nulls = [player for player in means if player not in {ORACLE, FLOOR, *CANARIES, *LEARNERS}]
    yield _compare_to_floor("statistical.adversarial_floor", episodes, nulls)
    pairs: list[tuple[float, float]] = []
    for player, records in episodes.by_player.items() if episodes.exact else ():
        for record, reward in zip(records, episodes.rewards[player], strict=True):
            ends = share(record)
            if record.outcome.status == "scored" and not isinstance(ends, Unknown):
                pairs.append((reward, ends[0] / ends[1]))
    varies = bool(pairs) and min(np.ptp(pairs, axis=0)) > 0
    correlation = float(np.corrcoef(np.transpose(pairs))[0, 1]) if varies else 0.0 if pairs else None
    holds = None if correlation is None else correlation >= CORRELATION
    yield "statistical.gameability_gap", holds, {"correlation": correlation, "episodes": len(pairs)}
