"""Where the embedded model spends its time: processor milliseconds of each part of a call.

A call evaluates the prompt's new tokens, reads the probabilities of the next token, and tokenises texts; a
reply also draws tokens one by one. Each figure is the least of some repetitions, with fresh random tokens
where nothing may be cached.

With ``--sweep`` it compares settings of llama.cpp instead, each in a process of its own: processor and
wall-clock milliseconds, the largest difference of a log-probability from that of the shipped settings, and
from that of the same prompt when its beginning is cached. ``--weights`` names another model file.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from unittest.mock import patch

from common import arguments, finish, show

from otherminds.models import embedded
from otherminds.models.embedded import Engine, tokens_of
from otherminds.models.files import Gguf, find
from otherminds.models.llama import CompletionRequest, Follow, Load, LoadedModel, Render

LENGTHS = (1, 8, 64, 256)
HELD = 300
"""Tokens of the prompt that is repeated."""
REPLY = 32
"""Tokens of a reply."""
CUTS = (1, 37, 150, 299)
"""Lengths of the cached beginning of a prompt."""


def settings() -> dict[str, dict[str, Any]]:
    """Parameters of llama.cpp that differ from the shipped ones."""
    # Its threads read the policy when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    xllamacpp: Any = import_module("xllamacpp")

    types = xllamacpp.ggml_type
    return {
        "shipped": {},
        "n_ubatch 16": {"n_ubatch": 16},
        "n_ubatch 128": {"n_ubatch": 128},
        "n_ubatch 2048": {"n_ubatch": 2048},
        "n_batch 64": {"n_batch": 64},
        "1 thread for prompts": {"cpuparams_batch.n_threads": 1},
        "2 threads for single tokens": {"cpuparams.n_threads": 2},
        "keys F16": {"cache_type_k": types.GGML_TYPE_F16},
        "keys, values BF16": {"cache_type_v": types.GGML_TYPE_BF16},
        "keys, values Q8_0": {"cache_type_k": types.GGML_TYPE_Q8_0, "cache_type_v": types.GGML_TYPE_Q8_0},
        "no flash attention": {
            "flash_attn_type": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        },
        "no mmap": {"load_mode": xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE},
        "mlock": {"load_mode": xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_MMAP_MLOCK},
        "no repacking": {"no_extra_bufts": True},
    }


def milliseconds(call: Callable[[], object], times: int) -> float:
    """User and system time of this process for one call, the least of ``times``."""
    found: list[float] = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_SELF)
        call()
        after = resource.getrusage(resource.RUSAGE_SELF)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(found)


def wall_milliseconds(call: Callable[[], object], times: int) -> float:
    """Wall-clock time of one call, the least of ``times``."""
    found: list[float] = []
    for _ in range(times):
        before = perf_counter()
        call()
        found.append(perf_counter() - before)
    return 1000 * min(found)


class InThisProcess:
    """The model of a file in this process, in place of one in a process of its own."""

    def __init__(self, file: Gguf, context: int) -> None:
        order = Load(str(file.path), context, "here", 0, file.template, file.begin, file.end)
        self._model = LoadedModel(order)

    def ask(self, request: Follow | Render | CompletionRequest, kind: type[Any], tokens: int = 0) -> Any:
        return self._model.answer(request)

    def tokenise(self, text: str) -> list[int]:
        return tokens_of(self._model.loaded().host, "here", text)


def here(path: Path) -> Engine:
    """An engine whose model is in this process."""
    with patch.object(embedded, "LlamaProcess", InThisProcess):
        return Engine(path)


def changed(path: Path, changes: dict[str, Any]) -> Engine:
    """An engine in this process whose parameters of llama.cpp are replaced by ``changes``."""
    xllamacpp: Any = import_module("xllamacpp")

    server = xllamacpp.Server

    def serve(params: Any) -> Any:
        for name, value in changes.items():
            *parents, last = name.split(".")
            setattr(getattr(params, parents[0]) if parents else params, last, value)
        return server(params)

    with patch.object(xllamacpp, "Server", serve):
        return here(path)


def largest_difference(one: dict[int, float], other: dict[int, float]) -> float:
    """The largest difference over the tokens that both list, in nats."""
    return max(abs(one[token] - other[token]) for token in one.keys() & other.keys())


def measure_setting(path: Path, name: str, times: int, seed: int) -> tuple[list[float], dict[int, float]]:
    """Milliseconds and the difference that a cache makes, for one setting; log-probabilities of a prompt."""
    engine, random = changed(path, settings()[name]), Random(seed)

    def fresh(length: int) -> list[int]:
        return [random.randrange(1000, 40_000) for _ in range(length)]

    held = fresh(HELD)
    alone = engine.following(held, set())[0]
    figures: list[float] = []
    for length in (64, 1):
        for clock in (milliseconds, wall_milliseconds):
            figures.append(clock(lambda length=length: engine.following(fresh(length), set()), times))
    differences: list[float] = []
    for cut in CUTS:
        for prompt in (fresh(5), held[:cut]):
            engine.following(prompt, set())
        differences.append(largest_difference(engine.following(held, set())[0], alone))
    return [*figures, max(differences)], alone


def sweep(path: Path, times: int, seed: int) -> dict[str, Sequence[float]]:
    """Prints the figures of all settings."""
    cases = settings()
    xllamacpp: Any = import_module("xllamacpp")

    print(xllamacpp.get_system_info(), flush=True)
    found: dict[str, Sequence[float]] = {}
    shipped: dict[int, float] = {}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        for name in cases:
            figures, logprobs = pool.submit(measure_setting, path, name, times, seed).result()
            shipped = shipped or logprobs
            found[name] = [*figures, largest_difference(logprobs, shipped)]
    show(
        "Embedded model, settings of llama.cpp: ms of processor time and of wall-clock time",
        ("setting", "64 new tokens", "wall", "1 new token", "wall", "with a cache", "from shipped"),
        [
            (name, *(f"{each:.1f}" for each in row[:4]), *(f"{each:.2g}" for each in row[4:]))
            for name, row in found.items()
        ],
    )
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions (default 5)")
    parser.add_argument("--sweep", action="store_true", help="compare settings of llama.cpp")
    parser.add_argument("--weights", type=Path, help="another model file (default smollm2)")
    options = parser.parse_args()
    path = options.weights or find("smollm2")
    if options.sweep:
        finish(options, dict(sweep(path, options.times, options.seed)), ("xllamacpp",))
        return
    engine, random = here(path), Random(options.seed)  # processor time is that of this process
    first = engine.tokens("a")[0]

    def fresh(length: int) -> list[int]:
        return [first, *(random.randrange(1000, 40_000) for _ in range(length))]

    def reply(length: int) -> object:
        request = {"messages": [{"role": "user", "content": "Count."}], "max_tokens": length, "top_k": 0}
        return engine.chat({**request, "temperature": 1.0, "seed": options.seed, "ignore_eos": True})

    rows: list[tuple[str, float, float]] = []
    for length in LENGTHS:
        spent = milliseconds(lambda length=length: engine.following(fresh(length), set()), options.times)
        rows.append((f"a prompt with {length} new tokens", spent, spent / length))
    held = fresh(HELD)
    engine.following(held, set())
    rows.append(
        (f"the same prompt of {HELD} tokens again", milliseconds(lambda: engine.following(held, set()), 5), 0)
    )
    unlikely = set(range(engine.file.vocabulary))
    spent = milliseconds(lambda: engine.following(held, unlikely), options.times)
    rows.append(("the same, with the probabilities of all tokens", spent, 0))
    text = "You are currently playing round 1.\nQ: Which Option do you choose?"
    rows.append(("tokenising a sentence", milliseconds(lambda: engine.tokens(text), 5), 0))
    reply(1)
    drawn = milliseconds(lambda: reply(REPLY), options.times) - milliseconds(lambda: reply(1), options.times)
    rows.append((f"{REPLY - 1} more tokens of a reply", drawn, drawn / (REPLY - 1)))
    show(
        "Embedded model, processor time",
        ("part", "ms", "ms a token"),
        [(part, f"{whole:,.1f}", f"{each:.1f}" if each else "") for part, whole, each in rows],
    )
    finish(options, {part: whole for part, whole, _ in rows}, ("xllamacpp",))


if __name__ == "__main__":
    main()
