"""Whole episodes whose records are pinned: all worlds, all kinds of scenario, all minds.

Each has a seed of its own, so that what a seed means (partner, labels, chance, tie-breaks) is pinned too. After a change
of behaviour that is wanted, ``python -m tests.golden.episodes`` writes ``episodes.json`` again, and the change of that
file says which episodes it reaches.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import otherminds as om
from otherminds.core.encoding import encode
from otherminds.core.record import Record

FILE = Path(__file__).with_name("episodes.json")
DIGITS = 9
"""Significant digits of a number in a digest: the last ones depend on the processor."""
TABULAR = (
    *("bayes", "echo", "factored_rmax", "fictitious_play", "informed", "level_k", "mirror"),
    *("nash", "random", "rmax", "simulated", "uniform"),
)
FIRST = {"ibs": "fight", "ipd": "cooperate", "rps": "rock"}
STAG_HUNT = {
    "name": "stag_hunt",
    "behaviours": ["stag", "hare"],
    "payoffs": [[[4, 4], [0, 3]], [[3, 0], [2, 2]]],
}
PARAMS: Mapping[str, Mapping[str, Any]] = {
    "simulated": {"accuracy": 0.7, "rationality": 0.6},
}
PROMPTED = (
    *(
        "cot",
        "cot_3shot",
        "lm",
        "oracle",
        "oracle_max",
        "plans_insights",
        "qa",
        "reflexion",
        "s2a",
        "s2a_cot",
    ),
    *("social_lm", "social_qa", "tool_loop"),
)
AGENTS = (
    "he_hr",
    "hm",
    "hypothetical_plus",
    "mmp",
    "mmp_he",
    "plan_react",
    "react",
    "reflexion_agent",
    "vmp",
)
MODEL = "scripted:uniform"
STRANGERS = "-strangers-"
LEARNED = ("opre", "ppo", "ppo_scripted")
SUBSTRATES = ("cooking-asymmetric", "pd-repeated", "rws-arena", "rws-repeated")
TEAMS = ("level_k", "informed", "planner", "broadcast", "no_message", "blind", "random", "egocentric")


class Golden(NamedTuple):
    """One episode; ``options`` are the scenario's."""

    scenario: str
    mind: om.SeatSpec
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        inside = ", ".join(f"{name} {value}" for name, value in self.options.items() if name != "game")
        return f"{self.scenario} / {self.mind.called}" + (f" / {inside}" if inside else "")


def golden_episodes() -> list[Golden]:
    """The episodes in the order of their seeds, which are 1, 2, 3, ..."""
    return [
        *_matrix(),
        *_prompted(),
        *_gridworlds(),
        *_household(),
        *_growing_prompts(),
        *_policies(),
        *_encounters(),
        *(_golden(name, "uniform") for name in om.scenarios if STRANGERS in name),
        *_substrates(),
        *_commons(),
        *_word_games(),
        *_hanabi(),
    ]


def _matrix() -> Iterator[Golden]:
    for game in ("ibs", "ipd", "rps"):
        for mind in TABULAR:
            yield _golden(f"{game}-mixed-v1", mind, rounds=14)
        yield Golden(f"{game}-mixed-v1", om.SeatSpec("constant", {"behaviour": FIRST[game]}), {"rounds": 14})
    for mind in ("bayes", "fictitious_play", "rmax"):
        yield _golden("rps-mixed-v1", mind, rounds=8, policy_questions=True)
        yield _golden("bimatrix-mixed-v1", mind, game=STAG_HUNT, rounds=14)
    for name in om.scenarios:
        game, partner = name.split("-")[:2]
        if game == "ipd" and partner != "mixed":
            yield _golden(name, "factored_rmax", rounds=14)
    yield _golden("axelrod-ipd-automata-v1", "rmax", rounds=14)


def _prompted() -> Iterator[Golden]:
    for game in ("ipd", "rps"):
        for mind in PROMPTED:
            yield _golden(f"{game}-mixed-v1", mind, MODEL, rounds=5)
    yield _golden("ibs-mixed-v1", "qa", "scripted:echo_last", rounds=8, policy_questions=True)


def _growing_prompts() -> Iterator[Golden]:
    for game in ("ipd", "rps"):
        yield _golden(f"{game}-mixed-v1", "chat", MODEL, rounds=5)


def _policies() -> Iterator[Golden]:
    yield Golden("ipd-mixed-v1", om.SeatSpec("policy", {"function": "numpy:sign"}), {"rounds": 14})


def _gridworlds() -> Iterator[Golden]:
    for name in om.scenarios:
        if name.startswith(SUBSTRATES) and "-mix" not in name and STRANGERS not in name:
            yield _golden(name, "uniform")
    for substrate in SUBSTRATES:
        for mind in ("bayesian", *LEARNED):
            yield _golden(f"{substrate}-mixed-v1", mind)
        yield _golden(f"{substrate}-mixed-v1", "react", MODEL)
    for mind in AGENTS:
        yield _golden("pd-repeated-mixed-v1", mind, "competent:accuracy=.9&rationality=.9&insight=.9&seed=3")
    yield _golden("rws-repeated-mixed-v1", "informed")
    yield Golden("pd-repeated-mixed-v1", om.SeatSpec("learned", {"policy": "ppo-pd-repeated-0"}), {})
    yield _golden("cooking-asymmetric-mixed-v1", "blind")


def _substrates() -> Iterator[Golden]:
    for which in ("repeated-0", "repeated-mixed", "arena-2"):
        yield _golden(f"bach-or-stravinsky-{which}-v1", "uniform")
    for substrate in ("rws-one-shot", "pure-coordination-arena", "stag-hunt-arena", "pd-arena"):
        yield _golden(f"{substrate}-mixed-v1", "uniform")
    yield _golden("chicken-repeated-mixed-v1", "bayesian")
    yield _golden("bach-or-stravinsky-repeated-mixed-v1", "react", MODEL)


def _commons() -> Iterator[Golden]:
    for substrate in ("coins", "harvest-open", "harvest-partnership", "clean-up"):
        yield _golden(f"{substrate}-mixed-v1", "uniform", steps=150)
    yield _golden("coins-reciprocator-v1", "qa", MODEL, steps=150)
    yield _golden("clean-up-cooperator-v1", "reciprocator", steps=150)


def _household() -> Iterator[Golden]:
    names = [name for name in om.scenarios if name.startswith("household-")]
    splits = ("dev", "hard", "standard")
    for name in names:
        if name.split("-")[1] not in (*splits, "task"):
            for team in TEAMS[:4]:
                yield _golden(name, team)
    for split in splits:
        tasks = [name for name in names if name.startswith(f"household-{split}-")]
        for team, name in zip(TEAMS, tasks[:: len(tasks) // len(TEAMS)], strict=False):
            yield _golden(name, team)
    for mind in ("qa", "reflexion"):
        yield _golden("household-cabinet_confirmation-v1", mind, MODEL)


def _encounters() -> Iterator[Golden]:
    for game in ("meet", "leave", "avoid", "hide", "tell", "screen"):
        yield _golden(f"acted_beliefs-{game}-all-v1", "half_used")
        yield _golden(f"acted_beliefs-{game}-second-v1", "qa", MODEL, encounters=6, belief_questions=True)
    yield _golden("acted_beliefs-meet-messages-v1", "bayes", slip=0.3, places=4)


def _word_games() -> Iterator[Golden]:
    for game in ("wavelength-giver", "wavelength-guesser", "taboo", "codenames-guesser", "codenames-giver"):
        yield _golden(f"{game}-mixed-v1", "half_used")
        yield _golden(f"{game}-stranger-v1", "qa", MODEL, boards=6)


def _hanabi() -> Iterator[Golden]:
    for mind in ("iggi", "piers", "outer", "van_den_bergh", "flawed", "simple", "holmes", "smart"):
        yield _golden("hanabi-3p-inferring-v1", mind)
    yield _golden("hanabi-small-2p-mixed-v1", "qa", MODEL)
    for mind in ("half_used", "qa"):
        yield _golden("tiny_hanabi-mixed-v1", mind, MODEL if mind == "qa" else "", games=6)


def _golden(scenario: str, mind: str, model: str = "", **options: Any) -> Golden:
    return Golden(scenario, om.SeatSpec(mind, dict(PARAMS.get(mind, {})), model), options)


def play(golden: Golden, seed: int) -> Record:
    """The record of the episode; each seat under test has the same mind."""
    return om.play(golden.scenario, golden.mind, seed=seed, options=golden.options)


def digest(record: Record) -> str:
    """A digest of all of a record but its schema and the last digits of its numbers."""
    body = msgspec.json.decode(encode(record))
    del body["schema"]
    return hashlib.sha256(json.dumps(_rounded(body), sort_keys=True).encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
        case list():
            return [_rounded(item) for item in value]
        case _:
            return value


def main() -> None:
    """Plays all episodes and writes :data:`FILE`."""
    golden = list(enumerate(golden_episodes(), 1))
    digests = {episode.name: digest(play(episode, seed)) for seed, episode in golden}
    assert len(digests) == len(golden), "two episodes have one name"
    FILE.write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
