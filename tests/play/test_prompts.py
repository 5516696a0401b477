"""Prompts come back whole, and a record grows with what was said, not with its square."""

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.core.record import Call, prompts
from otherminds.play.seat_context import CallMade, pack, shared_beginning

roles = st.sampled_from(["system", "user", "assistant"])
texts = st.text("ab", max_size=5) | st.text(max_size=3)
messages = st.lists(st.builds(Message, roles, texts), min_size=1, max_size=4).map(tuple)


def made(said: tuple[Message, ...], step: int = 0, purpose: str = "act") -> CallMade:
    return CallMade(step, purpose, 0, said, Decoding(), Completion("ok"), 0.0)


def size(calls: list[Call]) -> int:
    return sum(len(message.content) for call in calls for message in call.added)


@given(said=st.lists(messages, max_size=8))
def test_round_trip(said: list[tuple[Message, ...]]) -> None:
    assert prompts(pack("ego", [made(one) for one in said])) == said


@given(one=st.lists(messages, max_size=5), two=st.lists(messages, max_size=5))
def test_round_trip_of_two_seats_in_one_record(
    one: list[tuple[Message, ...]], two: list[tuple[Message, ...]]
) -> None:
    calls = pack("ego", [made(said) for said in one])
    calls += pack("partner_0", [made(said) for said in two], len(calls))
    assert prompts(calls) == one + two


@given(one=messages, two=messages)
def test_what_is_shared_is_all_that_is_shared(one: tuple[Message, ...], two: tuple[Message, ...]) -> None:
    whole, chars = shared_beginning(one, two)
    assert one[:whole] == two[:whole]
    if whole < min(len(one), len(two)):
        first, second = one[whole], two[whole]
        assert first != second
        assert first.content[:chars] == second.content[:chars]
        if first.role == second.role:
            assert first.content[: chars + 1] != second.content[: chars + 1]
        else:
            assert chars == 0
    else:
        assert chars == 0


def one_message(rounds: int) -> list[CallMade]:
    """A single user message that grows, with a choice and a question at the end of it."""
    calls: list[CallMade] = []
    history = "The rules of the game, at some length. " * 5
    for t in range(rounds):
        for purpose in ("act", "next:partner_0"):
            calls.append(made((Message("user", f"{history}Round {t}. {purpose}?"),), t, purpose))
        history += f"In round {t}, you chose J and the other player chose F.\n"
    return calls


def conversation(rounds: int) -> list[CallMade]:
    """A conversation that gets two messages a round."""
    said: list[Message] = [Message("system", "The rules of the game. " * 10)]
    calls: list[CallMade] = []
    for t in range(rounds):
        said.append(Message("user", f"Round {t}: what do you do?"))
        calls.append(made(tuple(said), t))
        said.append(Message("assistant", f"A: Option {'JF'[t % 2]}"))
    return calls


def test_growth_is_linear() -> None:
    for make in (one_message, conversation):
        short, long = (size(pack("ego", make(n))) for n in (100, 200))
        full = sum(len(m.content) for call in make(200) for m in call.messages)
        assert long < 2.1 * short
        assert long < full / 20
        assert prompts(pack("ego", make(50))) == [call.messages for call in make(50)]


def test_a_call_keeps_what_the_reply_was_worth() -> None:
    prompt = (Message("user", "Option"),)
    reply = Completion("J", "because", Usage(5, 2, 1))
    decoding = Decoding(0.5, 0.9, 7, ("\n",), None, 42)
    asked = CallMade(3, "act", 1, prompt, decoding, reply, 0.1)
    scored = CallMade(3, "next", 0, prompt, None, None, 0.1, (" J", " F"), Scores((-1.0, -2.0), Usage(5)))
    first, second = pack("ego", [asked, scored])
    assert (first.seat, first.step, first.purpose, first.attempt) == ("ego", 3, "act", 1)
    assert (first.reply, first.reasoning) == ("J", "because")
    assert first.config == {"temperature": 0.5, "top_p": 0.9, "max_tokens": 7, "stop": ["\n"], "seed": 42}
    assert (first.prompt_tokens, first.completion_tokens) == (5, 2)
    assert (second.continuations, second.scores) == ((" J", " F"), (-1.0, -2.0))
    assert (second.base, second.keep_messages, second.added) == (0, 1, ())
    assert (second.config, second.reply, second.prompt_tokens) == ({}, "", 5)
