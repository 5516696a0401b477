"""Where the embedded model spends its time: processor milliseconds of each part of a call.

A call evaluates the prompt's new tokens, reads the probabilities of the next token, and tokenises texts; a
reply also draws tokens one by one. Each figure is the least of some repetitions, with fresh random tokens
where nothing may be cached.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from random import Random

from common import arguments, finish, show

from otherminds.models.embedded import Engine
from otherminds.models.pull import find

LENGTHS = (1, 8, 64, 256)
HELD = 300
"""Tokens of the prompt that is repeated."""
REPLY = 32
"""Tokens of a reply."""


def milliseconds(call: Callable[[], object], times: int) -> float:
    """User and system time of this process for one call, the least of ``times``."""
    found: list[float] = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_SELF)
        call()
        after = resource.getrusage(resource.RUSAGE_SELF)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(found)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--times", type=int, default=5, help="repetitions (default 5)")
    options = parser.parse_args()
    engine, random = Engine(find("smollm2")), Random(options.seed)
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
