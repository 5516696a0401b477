"""Rollouts for TRL: the tokens of an episode are one conversation, and only the model's own are marked."""

from __future__ import annotations

import random
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import otherminds as om
from otherminds.bridges import trl_sessions
from otherminds.bridges.trl_sessions import TextEnvironment, play_rollouts

SPLITS = {"train": "rps-mixed-v1", "held_out": "rps-grim-v1"}


def make_session() -> om.Session:
    return om.session(SPLITS, strategy=om.SeatSpec("chat", {"tries": 2}), options={"rounds": 4}, ask=False)


class Characters:
    """A tokenizer of ChatML whose tokens are characters; ``\\x00`` marks an end."""

    eos_token, eos_token_id = "\x00", 0

    def apply_chat_template(
        self, turns: list[dict[str, str]], tokenize: bool, add_generation_prompt: bool
    ) -> str:
        text = "".join(f"<{turn['role']}>{turn['content']}\x00\n" for turn in turns)
        return text + "<assistant>" if add_generation_prompt else text

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        return {"input_ids": [*map(ord, text)]}

    def decode(self, tokens: list[int], skip_special_tokens: bool) -> str:
        return "".join(map(chr, tokens)).replace("\x00", "")


TRAINER: Any = SimpleNamespace(
    processing_class=Characters(), model=None, accelerator=SimpleNamespace(unwrap_model=lambda model: model)
)


def roll_out(monkeypatch: pytest.MonkeyPatch, texts: list[str], prompts: list[Any]) -> dict[str, Any]:
    """A batch in which the model writes one of ``texts`` each time; some without an end mark."""
    rng, written = random.Random(0), list[list[int]]()

    def sample(model: Any, tokenizer: Any, contexts: list[list[int]], most: int) -> list[list[int]]:
        replies = [[*map(ord, rng.choice(texts) + rng.choice(["\x00", ""]))] for _ in contexts]
        written.extend(replies)
        return replies

    records: list[om.Record] = []
    monkeypatch.setattr(trl_sessions, "sample_replies", sample)
    batch = play_rollouts(make_session, keep=records.append)(prompts, TRAINER)
    return batch | {"written": written, "records": records}


def test_the_tokens_of_an_episode_are_one_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["A: Option J", "A: Option F", "Option B", " A: Option J\n", "A: Option Q", "I do not know"]
    batch = roll_out(monkeypatch, texts, [f"train {seed}" for seed in range(60)])
    decode = partial(Characters().decode, skip_special_tokens=False)
    for prompt, completion, mask in zip(
        batch["prompt_ids"], batch["completion_ids"], batch["env_mask"], strict=True
    ):
        assert len(completion) == len(mask)
        assert decode(prompt).endswith("<assistant>")
        told = "".join(chr(token) for token, own in zip(completion, mask, strict=True) if not own)
        assert told.count("<user>") == told.count("<assistant>"), (
            "each reply is followed by what the world says"
        )
        assert "I do not know" not in told
        *turns, _ = "".join(map(chr, [*prompt, *completion])).split("<assistant>")[1:]
        assert all("\x00\n<user>" in turn for turn in turns), "each reply has one end mark, whoever wrote it"
        assert not any("\x00\x00" in turn for turn in turns)
    own = sum(sum(mask) for mask in batch["env_mask"])
    assert own == sum(map(len, batch["written"])), "every token that the model wrote is marked, and no other"


def test_rewards_are_the_returns_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [[{"role": "user", "content": f"{split} {seed}"}] for split in SPLITS for seed in (0, 0, 5)]
    batch = roll_out(monkeypatch, ["A: Option J", "A: Option F"], prompts)
    specs = [(record.spec.scenario, record.spec.seed) for record in batch["records"]]
    assert specs == [(SPLITS[split], seed) for split in SPLITS for seed in (0, 0, 5)]
    for record, reward in zip(batch["records"], batch["returns"], strict=True):
        bounds = record.bounds
        assert record.outcome.status == "scored"
        assert reward == pytest.approx((record.total("ego") - bounds.blind) / (bounds.best - bounds.blind))


def test_an_environment_is_used_again_after_whatever_happened() -> None:
    environment = TextEnvironment(make_session)
    first = environment.reset(seed=3, split="train", unused="column")
    environment.reply("A: Option J")
    assert environment.get_reward() < 0, "an episode that was left is charged for what it lacks"
    assert environment.reset(seed=3, split="train") == first
    texts = [environment.reply("A: Option J") for _ in range(4)]
    assert texts[-1] == "The episode is over."
    with pytest.raises(om.StudyError, match="no episode is going on"):
        environment.reply("A: Option J")
    assert environment.get_reward() == environment.get_reward()
