"""What the scripted model says moves what it does: other hypotheses or strategies, put into its replies, change the episodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.minds.registry import make_mind
from otherminds.models.competent.model import reply
from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.planning import ALONE, FILLS, KITCHEN_ACTS, SERVES, SHARED, STANDS
from otherminds.models.competent.situation import Ability, Situation
from otherminds.models.scripted import ScriptedModel
from otherminds.replies.blocks import last_block
from otherminds.testing.episodes import played
from tests.cases import for_each

SEEDS = range(3)


def forced(**instead: Any) -> ScriptedModel:
    """``competent``, of whose replies the entries ``instead`` are replaced."""

    def answer(messages: Sequence[Message], decoding: Decoding) -> str:
        prompt = Prompt(messages)
        entries = last_block(reply(Situation(prompt, Ability(), decoding.seed)))
        assert isinstance(entries, dict)
        return repr(entries | {prompt.keys[key]: instead[key] for key in instead if key in prompt.keys})

    return ScriptedModel(answer, spec="forced")


def episode(name: str, seed: int, model: ScriptedModel, steps: int = 400) -> Record:
    mind = make_mind(SeatSpec("hm", {}, model="competent"))
    return played(Setup(scenario(name, {"steps": steps}), {"ego": Participant(mind, model)}, seed))


def acts_of(record: Record) -> list[Any]:
    return [actions[0] for actions in record.actions]


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("rws-repeated-1-v1", [f"They always play {kind}." for kind in ("rock", "paper", "scissors")]),
        ("pd-repeated-5-v1", ["They copy my last play.", "They always play defect."]),
        ("cooking-asymmetric-2-v1", [f"They always play {KITCHEN_ACTS[i]}." for i in (1, 5, 6)]),
    ],
)
def test_each_hypothesis_leads_to_episodes_of_its_own(name: str, sentences: list[str]) -> None:
    for seed in SEEDS:
        shown = [acts_of(episode(name, seed, forced(strategy=sentence))) for sentence in sentences]
        assert all(first != second for first, second in combinations(shown, 2))


def test_each_strategy_in_the_kitchen_leads_to_episodes_of_its_own() -> None:
    strategies = (ALONE, SERVES, FILLS, STANDS)
    for seed in SEEDS:
        records = [episode("cooking-asymmetric-2-v1", seed, forced(my_strategy=own)) for own in strategies]
        assert all(acts_of(a) != acts_of(b) for a, b in combinations(records, 2))


@for_each("which", ["0", "1", "2"])
def test_a_cook_that_means_to_do_nothing_does_nothing(which: str) -> None:
    for seed in SEEDS:
        acts = acts_of(episode(f"cooking-asymmetric-{which}-v1", seed, forced(my_strategy=STANDS), 150))
        assert acts.count(NOOP) >= 0.95 * len(acts)


def test_what_a_teammate_will_do_counts_beside_what_it_is_like() -> None:
    """Of each act that may be predicted: it is idle, or does one of two jobs, and the strategy follows."""
    for seed in SEEDS:
        records = {
            act: episode(
                "cooking-asymmetric-2-v1", seed, forced(strategy="They are new here.", they_play=act)
            )
            for act in ("put a tomato into a pot", "delivered soup", "stood around")
        }
        assert all(acts_of(a) != acts_of(b) for a, b in combinations(records.values(), 2))


def test_strategies_of_a_kitchen_are_known_by_their_words() -> None:
    assert len({ALONE, SHARED, SERVES, FILLS, STANDS}) == 5
