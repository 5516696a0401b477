"""Calls that met a passing fault are repeated, as long and as patiently as promised."""

import asyncio
from contextlib import suppress
from math import isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Scores
from otherminds.models.faults import MalformedError, RefusedError
from otherminds.models.scripted import ScriptedModel, first
from otherminds.models.wrappers import BASE, CAP, SHAPELESS, Retrying
from tests.cases import for_each
from tests.models.faulty import Faulty, Rates

HELLO = [Message("user", "Answer:\nA: Option J\nA: Option F")]


class Time:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 100.0
        self.waits = []

    async def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds

    def clock(self):
        return self.now


class Failing:
    """Raises the ``faults``, one a call, and then answers; a call takes ``takes`` seconds of ``time``."""

    spec, context, concurrency = "failing", 99, 5

    def __init__(self, faults, time=None, takes=0.0):
        self.faults = iter(faults)
        self.calls = 0
        self.time = time
        self.takes = takes
        self.closed = False

    async def generate(self, messages, decoding):
        return self._next(Completion("yes"))

    async def score(self, prompt, continuations):
        return self._next(Scores((0.0,)))

    def count(self, text):
        return len(text)

    async def close(self):
        self.closed = True

    def _next(self, reply):
        self.calls += 1
        if self.time is not None:
            self.time.now += self.takes
        fault = next(self.faults, None)
        if fault is not None:
            raise fault
        return reply


class Prompted(Failing):
    """Raises the fault of a prompt, by its text, and answers all others."""

    def __init__(self, faults):
        super().__init__(())
        self.by_text = faults

    async def generate(self, messages, decoding):
        fault = self.by_text.get(messages[-1].content)
        if fault is not None:
            raise fault
        return self._next(Completion("yes"))


class Most(Random):
    """Draws the greatest number there is."""

    def uniform(self, a, b):
        return b


class Least(Random):
    """Draws the smallest number there is."""

    def uniform(self, a, b):
        return a


def retrying(inner, time, **options):
    return Retrying(inner, sleep=time.sleep, clock=time.clock, **options)


def said(model):
    return asyncio.run(model.generate(HELLO, Decoding()))


FAULT = TransientError("model x: HTTP 503")


def test_waits_grow_and_are_drawn_in_full():
    time = Time()
    model = retrying(Failing([FAULT] * 9), time, rng=Most(0))
    assert said(model) == Completion("yes")
    assert time.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert model.retries == 9


def test_any_number_of_tries_is_counted():
    model = retrying(Failing([FAULT] * 2000), Time(), rng=Least(0))
    assert said(model) == Completion("yes")
    assert model.retries == 2000


def test_waits_differ_from_call_to_call_and_from_model_to_model():
    waits = []
    for _ in range(2):
        time = Time()
        said(retrying(Failing([FAULT] * 4), time))
        waits += time.waits
    assert len(set(waits)) == 8


@given(st.lists(st.none() | st.floats(0, 40), max_size=8), st.integers())
def test_what_the_service_asks_for_is_waited_for(afters, seed):
    time = Time()
    faults = [TransientError("busy", after) for after in afters]
    assert said(retrying(Failing(faults), time, rng=Random(seed))) == Completion("yes")
    for i, (wait, after) in enumerate(zip(time.waits, afters, strict=True)):
        jitter = wait - (after or 0.0)
        assert -1e-9 <= jitter <= min(CAP, BASE * 2**i) + 1e-9


@given(st.floats(0.1, 900), st.floats(0, 50), st.none() | st.floats(0, 400), st.integers())
def test_no_call_is_repeated_after_the_deadline(deadline, takes, after, seed):
    time = Time()
    inner = Failing((TransientError("model x: HTTP 503", after) for _ in iter(int, 1)), time, takes)
    with pytest.raises(ProviderError) as caught:
        said(retrying(inner, time, deadline=deadline, rng=Random(seed)))
    assert not isinstance(caught.value, TransientError)
    spent = time.now - 100
    assert spent - takes <= deadline + 1e-6
    text = str(caught.value)
    tries = "1 try" if inner.calls == 1 else f"{inner.calls} tries"
    assert f"model x: HTTP 503; gave up after {tries} in {spent:.0f} s" in text
    assert "\n" not in text
    assert isclose(sum(time.waits) + inner.calls * takes, spent, abs_tol=1e-6)


def test_the_deadline_is_ten_minutes_unless_told_otherwise():
    time = Time()
    with pytest.raises(ProviderError):
        said(retrying(Failing(FAULT for _ in iter(int, 1)), time, rng=Most(0)))
    assert 570 <= time.now - 100 <= 600
    assert time.waits[-1] == CAP


@for_each("after", [3600.0, 1e9])
def test_a_wait_beyond_the_deadline_is_shortened_once_asked_for(after):
    time = Time()
    model = retrying(Failing([TransientError("busy", after)]), time, rng=Most(0))
    assert said(model) == Completion("yes")
    assert time.waits == [BASE]
    assert model.down == ""


def test_a_reply_of_the_wrong_form_is_asked_for_five_times_and_says_nothing_of_the_service():
    time = Time()
    inner = Failing(MalformedError("model x: a malformed reply: no choices") for _ in iter(int, 1))
    model = retrying(inner, time)
    with pytest.raises(ProviderError, match="no choices; 5 times in a row, so it was not asked again"):
        said(model)
    assert (inner.calls, model.down) == (SHAPELESS, "")
    assert time.now - 100 < 60


def test_other_faults_between_malformed_replies_start_the_count_again():
    faults = [*[MalformedError("odd")] * 4, FAULT, *[MalformedError("odd")] * 4]
    assert said(retrying(Failing(faults), Time())) == Completion("yes")


def test_a_service_is_down_when_no_call_succeeded_while_one_was_given_up():
    time = Time()
    model = retrying(Failing(FAULT for _ in iter(int, 1)), time)
    with pytest.raises(ProviderError, match="gave up"):
        said(model)
    assert model.down == str(FAULT)


def test_a_call_that_is_given_up_while_others_are_answered_marks_nothing_down():
    time = Time()
    inner = Prompted({"poison": FAULT})

    async def both():
        model = retrying(inner, time, deadline=60.0)
        poisoned = asyncio.create_task(model.generate([Message("user", "poison")], Decoding()))
        while not poisoned.done():
            assert await model.generate(HELLO, Decoding()) == Completion("yes")
            await asyncio.sleep(0)
        with pytest.raises(ProviderError, match="gave up"):
            await poisoned
        return model.down

    assert asyncio.run(both()) == ""


def test_one_refusal_of_an_account_among_answers_is_no_sign_and_three_are():
    refused = RefusedError("model x: HTTP 403", 403)
    model = retrying(Failing([None, refused, None, refused, refused, refused]), Time())
    found = []
    for _ in range(6):
        with suppress(ProviderError):
            said(model)
        found.append(bool(model.down))
    assert found == [False, False, False, False, False, True]
    first_call = retrying(Failing([refused]), Time())
    with pytest.raises(ProviderError):
        said(first_call)
    assert first_call.down


@for_each("error", [ProviderError("refused"), StudyError("no"), KeyError("x"), asyncio.CancelledError()])
def test_other_errors_pass(error):
    inner = Failing([error])
    with pytest.raises(type(error)) as caught:
        said(retrying(inner, Time()))
    assert caught.value is error or isinstance(error, asyncio.CancelledError)
    assert inner.calls == 1


def test_a_cancelled_wait_ends_the_call():
    inner = Failing([TransientError("busy", 60.0)])

    async def cancel():
        call = asyncio.create_task(Retrying(inner).generate(HELLO, Decoding()))
        while not (inner.calls or call.done()):
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(cancel())
    assert inner.calls == 1


def test_scores_are_repeated_too_and_the_rest_passes_through():
    time = Time()
    inner = Failing([FAULT])
    model = retrying(inner, time)
    assert asyncio.run(model.score("x", ["y"])) == Scores((0.0,))
    assert (model.spec, model.context, model.concurrency, model.count("abc")) == ("failing", 99, 5, 3)
    asyncio.run(model.close())
    assert inner.closed
    assert not hasattr(Retrying(ScriptedModel(lambda messages, decoding: "x")), "score")


def test_a_flaky_service_loses_nothing():
    time = Time()
    flaky = Faulty(first(), Rates(), 3, sleep=time.sleep)
    model = retrying(flaky, time, rng=Random(1))

    async def many():
        return [await model.generate(HELLO, Decoding()) for _ in range(3000)]

    assert {reply.text for reply in asyncio.run(many())} == {"A: Option J"}
    assert 0.15 < model.retries / 3000 < 0.25


def test_a_call_that_waits_long_says_so_with_the_cause():
    time, said = Time(), []

    class Busy:
        spec, context, concurrency = "busy", 10, 1

        async def generate(self, messages, decoding):
            raise TransientError("HTTP 503: try later", 4.0)

        def count(self, text):
            return 1

    model = retrying(Busy(), time, deadline=30.0, say=said.append)
    with pytest.raises(ProviderError, match="gave up"):
        asyncio.run(model.generate([], Decoding()))
    assert 2 <= len(said) <= 8
    assert all(text.startswith("HTTP 503: try later; try ") and "gives up in" in text for text in said)
    assert model.down == "HTTP 503: try later"


def test_a_call_that_goes_well_says_nothing_and_the_service_is_up_again():
    said = []
    model = retrying(first(), Time(), say=said.append)
    model.down = "was down"
    asyncio.run(model.generate([Message("user", "x:\nA: J\nA: F")], Decoding()))
    assert (said, model.down) == ([], "")
