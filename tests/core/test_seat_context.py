"""A model call's seed hangs on the path of the call, never on the order of calls."""

import asyncio
from collections.abc import Sequence

import pytest

from otherminds.core.data import Message
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.play.seat_context import Now, SeatContext


class Parrot:
    """Answers with the seed it was given."""

    spec = "parrot"
    context = 1000
    concurrency = 1

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        return Completion(str(decoding.seed), usage=Usage(len(messages[-1].content), 1))

    def count(self, text: str) -> int:
        return len(text)


class Scoring(Parrot):
    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return Scores(tuple(-float(len(text)) for text in continuations), Usage(len(prompt), 0))


HELLO = (Message("user", "hello"),)


def seeds(calls: list[tuple[int, str, int]], seat: str = "ego", seed: int = 1) -> dict[object, int]:
    """The seed of each call (step, purpose, attempt), made in the order given."""
    now = Now()
    context = SeatContext(seat, seed, now, model=Parrot())
    found: dict[object, int] = {}
    for step, purpose, attempt in calls:
        now.step = step
        reply = asyncio.run(context.generate(HELLO, purpose, Decoding(seed=99), attempt))
        found[step, purpose, attempt] = int(reply.text)
    return found


CALLS = [(step, purpose, attempt) for step in range(3) for purpose in ("act", "q") for attempt in range(2)]


def test_the_order_of_calls_changes_no_seed() -> None:
    assert seeds(CALLS) == seeds(CALLS[::-1])


def test_one_more_question_shifts_no_other_call() -> None:
    acts = [call for call in CALLS if call[1] == "act"]
    everything = seeds(CALLS)
    assert seeds(acts) == {call: everything[call] for call in acts}


def test_every_call_has_a_seed_of_its_own() -> None:
    found = {*seeds(CALLS).values(), *seeds(CALLS, "partner_0").values(), *seeds(CALLS, seed=2).values()}
    assert len(found) == 3 * len(CALLS)
    assert all(0 <= seed < 2**31 for seed in found), "servers take 31 bits"


def test_calls_are_written_down_as_they_were_made() -> None:
    now = Now()
    now.step = 4
    context = SeatContext("ego", 1, now, model=Scoring())
    decoding = Decoding(temperature=0.5, stop=("\n",))
    reply = asyncio.run(context.generate(HELLO, "act", decoding, attempt=2))
    scores = asyncio.run(context.score("Option", [" J", " FF"], "q:next"))
    first, second = context.calls
    assert (first.step, first.purpose, first.attempt, first.messages) == (4, "act", 2, HELLO)
    assert first.completion is reply
    assert first.decoding is not None
    assert (first.decoding.temperature, first.decoding.stop, str(first.decoding.seed)) == (
        0.5,
        ("\n",),
        reply.text,
    )
    assert second.messages == (Message("user", "Option"),)
    assert (second.continuations, second.scores) == ((" J", " FF"), scores)
    assert scores.logprobs == (-2.0, -3.0)
    assert second.completion is None
    assert first.seconds >= 0


def test_a_mind_without_a_model_says_so() -> None:
    context = SeatContext("ego", 1, Now())
    with pytest.raises(StudyError, match="seat 'ego' needs a language model"):
        asyncio.run(context.generate(HELLO, "act", Decoding()))


def test_a_model_that_cannot_score_says_so() -> None:
    context = SeatContext("ego", 1, Now(), model=Parrot())
    with pytest.raises(StudyError, match="model 'parrot' cannot score"):
        asyncio.run(context.score("Option", [" J"], "act"))
    assert context.calls == []


def test_calls_draw_nothing_from_the_minds_own_stream() -> None:
    quiet, busy = SeatContext("ego", 1, Now()), SeatContext("ego", 1, Now(), model=Parrot())
    asyncio.run(busy.generate(HELLO, "act", Decoding()))
    assert busy.rng.random() == quiet.rng.random()
    assert busy.rng is busy.rng
    assert SeatContext("partner_0", 1, Now()).rng.random() != SeatContext("ego", 1, Now()).rng.random()


def test_notes_carry_their_step() -> None:
    now = Now()
    context = SeatContext("ego", 1, now)
    context.note("belief", {"rock": 0.5})
    now.step = 7
    context.note("plan", "wait")
    assert context.notes == [(0, "belief", {"rock": 0.5}), (7, "plan", "wait")]
    assert context.step == 7


def test_half_a_character_in_a_reply_does_not_break_the_record() -> None:
    class Half(Parrot):
        async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
            return Completion("A: Option J \ud800", "why \udfff")

    context = SeatContext("ego", 1, Now(), model=Half())
    reply = asyncio.run(context.generate(HELLO, "act", Decoding()))
    assert (reply.text, reply.reasoning) == ("A: Option J ?", "why ?")
    assert context.calls[0].completion == reply
    encode(reply)
