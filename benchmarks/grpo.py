"""GRPO on sessions: a 135M model learns to use what it sees of its partners; F, L and the unused share before and after.

``python benchmarks/grpo.py --gguf FILE --out FOLDER [--steps 50] [--minutes 60]`` with the packages ``trl`` and ``gguf``.
Training and held-out episodes have partners of other families. Curves are written as they grow, so that a run that is
cut keeps what it has. The figures that were measured are in benchmarks/results/grpo.md.
"""

from __future__ import annotations

import argparse
import csv
import time
from math import isnan
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

import otherminds as om
from otherminds.bridges.trl_sessions import play_rollouts, sample_replies
from otherminds.core.record import Record

SPLITS = {
    "train": ("rps-single-v1", "rps-best_response_to_last-v1", "rps-cycler-v1"),
    "held_out": ("rps-mixed-v1", "rps-win_stay_lose_shift-v1"),
}
"""Scenarios by split: constants, best replies to the last move and cyclers against tit-for-tat and win-stay lose-shift."""
STRATEGY = om.SeatSpec("chat", {"tries": 1}, "SmolLM2-135M-Instruct")
COLUMNS = (
    "step",
    "seconds",
    "split",
    "episodes",
    "valid",
    "return",
    "functional",
    "literal",
    "unused",
    "verdict",
)


def make_session(rounds: int, ask: bool) -> om.Session:
    return om.session(SPLITS, strategy=STRATEGY, options={"rounds": rounds}, ask=ask)


def evaluate(model: Any, tokenizer: Any, rounds: int, episodes: int) -> dict[str, list[tuple[Record, float]]]:
    """Episodes of both splits with their returns, all played together, with the questions what the partner does next."""
    sessions = [(split, make_session(rounds, ask=True)) for split in SPLITS for _ in range(episodes)]
    turns = [session.reset(i % episodes, split) for i, (split, session) in enumerate(sessions)]
    while waiting := [i for i, turn in enumerate(turns) if isinstance(turn, om.Turn)]:
        contexts = [
            tokenizer.apply_chat_template(
                [{"role": message.role, "content": message.content} for message in turns[i].messages],
                add_generation_prompt=True,
                return_dict=False,
            )
            for i in waiting
        ]
        for i, reply in zip(waiting, sample_replies(model, tokenizer, contexts, 8), strict=True):
            turns[i] = sessions[i][1].step(tokenizer.decode(reply, skip_special_tokens=True))
    played: dict[str, list[tuple[Record, float]]] = {split: [] for split in SPLITS}
    for split, session in sessions:
        played[split].append((session.record, session.reward))
        session.close()
    return played


class Curves(TrainerCallback):
    """Writes a row for each split every ``every`` steps, and stops the run when its minutes are over."""

    def __init__(
        self, out: Path, tokenizer: Any, rounds: int, episodes: int, every: int, minutes: float
    ) -> None:
        self.rows = out / "curves.csv"
        self.tokenizer, self.rounds, self.episodes, self.every = tokenizer, rounds, episodes, every
        self.begun, self.end = time.monotonic(), time.monotonic() + 60 * minutes
        self.rows.write_text(",".join(COLUMNS) + "\n")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if time.monotonic() > self.end:
            control.should_training_stop = True
        if state.global_step % self.every == 0:
            self.write(state.global_step, kwargs["model"])

    def write(self, step: int, model: Any) -> None:
        seconds = time.monotonic() - self.begun
        with self.rows.open("a", newline="") as file:
            for split, played in evaluate(model, self.tokenizer, self.rounds, self.episodes).items():
                row = self.measure(step, seconds, split, played)
                csv.writer(file).writerow(row)
                print(dict(zip(COLUMNS, row, strict=True)), flush=True)

    def measure(
        self, step: int, seconds: float, split: str, played: list[tuple[Record, float]]
    ) -> tuple[Any, ...]:
        records = [record for record, _ in played]
        report = om.report(records)
        valid = mean(record.outcome.status == "scored" for record in records)
        shown = [
            f"{mean_known([row[name] for row in report]):.3f}"
            for name in ("functional", "settled_literal", "unused_share")
        ]
        returns = mean(reward for _, reward in played)
        words = report.verdicts[0].words if report.verdicts else ""
        return (step, f"{seconds:.0f}", split, len(records), f"{valid:.2f}", f"{returns:.3f}", *shown, words)


def mean_known(values: list[Any]) -> float:
    known = [value for value in values if not isnan(value)]
    return mean(known) if known else float("nan")


def load_weights(file: Path) -> Any:
    """The model with its weights as plain tensors: trainers refuse what is marked as quantised."""
    stored = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    config = stored.config
    config.quantization_config = None
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(stored.state_dict())
    cuda = torch.cuda.is_available()
    return model.to(device="cuda" if cuda else "cpu", dtype=torch.bfloat16 if cuda else torch.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gguf", type=Path, required=True, help="weights of SmolLM2-135M-Instruct")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--prompts", type=int, default=4, help="episodes of a step that differ")
    parser.add_argument("--group", type=int, default=8, help="completions of each")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--episodes", type=int, default=24, help="episodes of each split in an evaluation")
    parser.add_argument("--every", type=int, default=25, help="steps between evaluations")
    parser.add_argument("--minutes", type=float, default=60.0, help="training stops after so many")
    parser.add_argument("--rate", type=float, default=1e-5)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)

    tokenizer = AutoTokenizer.from_pretrained(chosen.gguf.parent, gguf_file=chosen.gguf.name)
    model = load_weights(chosen.gguf)
    curves = Curves(chosen.out, tokenizer, chosen.rounds, chosen.episodes, chosen.every, chosen.minutes)
    curves.write(0, model)

    rows = [
        {"prompt": [{"role": "user", "content": f"train {seed}"}]}
        for seed in range(chosen.prompts * chosen.steps)
    ]
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=lambda completions, returns, **row: returns,
        rollout_func=play_rollouts(lambda: make_session(chosen.rounds, ask=False)),
        train_dataset=Dataset.from_list(rows),
        args=GRPOConfig(
            output_dir=str(chosen.out),
            max_steps=chosen.steps,
            per_device_train_batch_size=chosen.prompts * chosen.group,
            num_generations=chosen.group,
            learning_rate=chosen.rate,
            warmup_steps=5,
            max_completion_length=4096,
            gradient_checkpointing=False,
            bf16=torch.cuda.is_available(),
            logging_steps=10,
            save_strategy="no",
            report_to=[],
            seed=0,
        ),
        callbacks=[curves],
    )
    trainer.train()
    if trainer.state.global_step % chosen.every:
        curves.write(trainer.state.global_step, model)


if __name__ == "__main__":
    main()
