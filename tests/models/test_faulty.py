"""Faults are injected as often as asked for, and always the same ones."""

import asyncio
from collections import Counter
from random import Random

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import TransientError
from otherminds.core.model import Decoding
from otherminds.models.scripted import ScriptedModel
from tests.cases import for_each
from tests.models.faulty import Faulty, Rates

HELLO = [Message("user", "hello")]
NONE = {"throttled": 0.0, "failed": 0.0, "truncated": 0.0, "hung": 0.0}


def outcomes(rates, calls, seed=0, score=False):
    """What each of ``calls`` calls came to, how often the inner model was called, and how long it hung."""
    inner, waits = [], []

    async def sleep(seconds):
        waits.append(seconds)

    scripted = ScriptedModel(lambda messages, decoding: inner.append(1) or "hi", lambda prompt, texts: [0.0])
    model = Faulty(scripted, rates, seed, patience=7.0, sleep=sleep)

    async def one():
        try:
            await (model.score("x", ["y"]) if score else model.generate(HELLO, Decoding()))
        except TransientError as error:
            return str(error), error.after
        return "fine", None

    async def every():
        return [await one() for _ in range(calls)]

    return asyncio.run(every()), len(inner), waits


@for_each(
    ("fault", "text", "after", "called", "waits"),
    [
        ("throttled", "HTTP 429", 0.0, 0, []),
        ("failed", "HTTP 503", None, 0, []),
        ("truncated", "cut short", None, 1, []),
        ("hung", "no answer within 7 s", None, 0, [7.0]),
    ],
)
def test_each_fault_is_what_a_service_would_do(fault, text, after, called, waits):
    ((message, waited),), inner, hung = outcomes(Rates(**{**NONE, fault: 1.0}), 1)
    assert text in message
    assert (waited, inner, hung) == (after, called, waits)
    ((message, _),), _, _ = outcomes(Rates(**{**NONE, fault: 1.0}), 1, score=True)
    assert text in message


def test_without_faults_every_call_passes():
    found, inner, waits = outcomes(Rates(**NONE), 50)
    assert set(found) == {("fine", None)}
    assert (inner, waits) == (50, [])


def test_the_seed_alone_fixes_which_calls_fail():
    found, _, _ = outcomes(Rates(), 300, seed=5)
    assert found == outcomes(Rates(), 300, seed=5)[0]
    assert found != outcomes(Rates(), 300, seed=6)[0]


def test_faults_come_at_the_rates_of_the_promise():
    rng = Random(0)
    counts = Counter(Rates().draw(rng) for _ in range(100_000))
    shares = {fault: count / 1000 for fault, count in counts.items()}
    expected = {"throttled": 10, "failed": 5, "truncated": 2, "hung": 1, None: 82}
    assert shares == pytest.approx(expected, abs=0.5)
    assert counts["hung"] < counts["truncated"] < counts["failed"] < counts["throttled"]
