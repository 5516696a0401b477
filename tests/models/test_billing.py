"""Whatever a server states, what is charged lies within its bounds, and a limit holds."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from itertools import pairwise
from math import ceil
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError
from otherminds.core.model import Decoding, Price, Usage, cost
from otherminds.models import wrapper
from otherminds.models.http import Server
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel
from otherminds.models.wire import ChatReply
from otherminds.models.wrapper import (
    MOST_COUNTED,
    StatedTokens,
    close,
    count_in,
    new_tokens,
    read_count,
    sent,
    sent_texts,
)
from otherminds.models.wrappers import Budget, BudgetSpentError, Metered, Retrying
from tests.cases import examples, for_each
from tests.models import serving
from tests.models.adversary import CACHED, NUMBERS, PRICE, Adversary, kinds, replies, usages

SERVER = Server("openai:toy", "http://127.0.0.1:1/v1", "NO_SUCH_KEY", 1.0, 1)
LONG = [Message("user", "Which option does the other player choose in the next round? " * 20)]
NAME = "openai:toy"


def check_bounds(usage: Usage) -> None:
    for count in (usage.prompt, usage.completion, usage.cached):
        assert 0 <= count <= MOST_COUNTED
    assert usage.cached <= usage.prompt
    assert usage.estimated_prompt in (0, usage.prompt)
    assert usage.estimated_completion in (0, usage.completion)
    assert usage == usage.possible


@given(NUMBERS)
def test_a_count_is_a_whole_number_within_bounds_or_none(value: Any) -> None:
    count = read_count(value)
    assert count is None or (type(count) is int and 0 <= count <= MOST_COUNTED)
    if type(value) is int and 0 <= value <= MOST_COUNTED:
        assert count == value == read_count(str(value)) == read_count(float(value))


@given(usages() | CACHED, st.text(), st.text(), st.integers(0, 10_000))
def test_any_usage_is_charged_within_bounds(usage: Any, prompt: str, text: str, most: int) -> None:
    body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": most}
    content = json.dumps(body).encode()
    reply = json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()
    read = SERVER.read(200, {}, reply, ChatReply)
    used = sent(len(content), body).answered(read.stated(), len(reply), read.said())
    check_bounds(used)
    assert used.prompt >= ceil(varied(prompt) / wrapper.SPARSE)
    assert used.completion >= ceil(
        varied(read.first.message.text if read.first.message else "") / wrapper.SPARSE
    )
    assert cost(used, PRICE) >= 0
    stated = read.stated()
    if stated.prompt is not None and used.estimated_prompt == 0:
        assert used.prompt == stated.prompt
        assert used.cached == (stated.cached or 0)


def varied(text: str) -> int:
    """The bytes of ``text`` that differ from the one before."""
    data = text.encode(errors="surrogatepass")
    return sum(one != other for one, other in pairwise(data)) + bool(data)


@pytest.mark.parametrize(
    "stated",
    [
        *(StatedTokens(count, 5) for count in (None, 0, 1, 100)),
        *(StatedTokens(2600, 5, 2601), StatedTokens(1, 5, 2**39)),
    ],
)
def test_ten_kilobytes_take_more_than_a_few_tokens(stated: StatedTokens) -> None:
    words = "It is your turn now, and the other player has cooperated in each of the rounds before. " * 115
    used = sent_texts([words], 64).answered(stated, 90, ["A: Option J"])
    assert used == Usage(ceil(len(words) / wrapper.DENSE), 5, 0, ceil(len(words) / wrapper.DENSE))


@pytest.mark.parametrize(
    "text",
    [
        " " * 10_000,
        "=" * 10_000,
        "\n" * 3000 + "J",
        "a" * 999 + " " * 999,
        "",
    ],
)
def test_runs_of_one_character_may_be_few_tokens(text: str) -> None:
    """Tokenisers have tokens for long runs of blanks and lines."""
    used = sent_texts([text], 64).answered(StatedTokens(8, 1), 90, ["J"])
    assert used == Usage(8, 1)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ((10, 5, None, None), 5),
        ((10, 5, 3, 15), 5),
        ((10, 5, 3, 18), 8),
        ((10, 5, 30, None), 35),
        ((10, None, None, 15), 5),
        ((None, None, None, 15), None),
        ((10, 5, 3, 2), 5),
        ((None, None, 4, None), 4),
    ],
)
def test_reasoning_is_counted_where_a_server_counts_it_apart(
    counts: tuple[Any, ...], found: int | None
) -> None:
    assert new_tokens(*counts) == found


def test_numbers_stand_for_tokens_and_several_prompts_for_several_replies() -> None:
    tokens = sent(900, {"prompt": list(range(200)), "n_predict": 1})
    assert tokens.most == 1
    assert tokens.answered(StatedTokens(200, 1), 90, ()) == Usage(200, 1)
    assert tokens.answered(StatedTokens(0, 1), 90, ()).estimated_prompt == 300
    several = sent(900, {"prompt": ["one", "two"], "max_tokens": 3})
    assert several.unanswered() == Usage(300, 6, 0, 300, 6)
    assert sent(90, {"contents": [], "generationConfig": {"maxOutputTokens": 7}}).most == 7
    assert count_in({"a": {"b": "7"}}, "a", "b") == 7


@given(*[st.integers(-(10**6), 10**6)] * 5, *[st.floats(0, 1e6)] * 3)
def test_no_cost_is_negative(a: int, b: int, c: int, d: int, e: int, x: float, y: float, z: float) -> None:
    usage, price = Usage(a, b, c, d, e), Price(x, y, z)
    assert cost(usage, price) >= cost(usage.possible.estimated, Price(0, y, 0)) >= 0
    budget = Budget(prices={NAME: price})
    budget.add(NAME, usage)
    assert budget.cost >= 0 <= budget.tokens
    assert budget.tokens >= budget.estimated_tokens >= 0


@pytest.mark.parametrize("dollars", [-1.0, -1e-9, float("nan"), float("inf"), float("-inf")])
def test_no_price_is_negative(dollars: float) -> None:
    for fields in ((dollars, 1.0), (1.0, dollars), (1.0, 1.0, dollars)):
        with pytest.raises(ValueError, match="at least 0"):
            Price(*fields)


class Clock:
    """Time that passes only in ``sleep``."""

    def __init__(self) -> None:
        self.now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now += max(seconds, 1.0)
        await asyncio.sleep(0)


async def call_until_spent(url: str, budget: Budget, at_once: int, most: int = 2000) -> None:
    """Calls at the same time, again and again, until the budget is spent: 2,000 calls of each at most."""
    clock = Clock()
    model = Retrying(
        Metered(open_model(f"{NAME}@{url}?context=65536&reasoning=9&timeout=5"), budget),
        5.0,
        clock.sleep,
        lambda: clock.now,
        Random(1),
    )

    async def calls() -> None:
        for seed in range(most):
            try:
                await model.generate(LONG, Decoding(max_tokens=8, seed=seed))
            except ProviderError:
                continue
            except BudgetSpentError:
                return

    try:
        await asyncio.gather(*(calls() for _ in range(at_once)))
    finally:
        await close(model)


@settings(examples(1.0), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(replies(), min_size=1, max_size=6), st.integers(1, 8), st.booleans())
def test_a_limit_holds_against_any_server(script: list[Any], at_once: int, money: bool) -> None:
    """Requests ≤ limit / least charge + calls in flight."""
    server = Adversary(script)
    text = sum(len(one.content) for one in LONG)
    least = Usage(ceil(text / wrapper.SPARSE), 0, ceil(text / wrapper.SPARSE))
    charge = cost(least, PRICE) if money else least.prompt
    limit = 20 * charge
    budget = Budget(limit if money else None, None if money else int(limit), {NAME: PRICE})
    with serving.serving(server) as local:
        asyncio.run(call_until_spent(local.url, budget, at_once))
    assert server.served <= limit / charge + at_once
    spent = budget.cost if money else budget.tokens
    assert spent >= limit
    assert budget.cost >= budget.estimated_cost >= 0
    assert budget.tokens >= budget.estimated_tokens >= 0


REPROS = {
    "more cached than all": {
        "prompt_tokens": 1,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 10**9},
    },
    "negative": {"prompt_tokens": -(10**9), "completion_tokens": -1},
    "no usage": None,
    "nothing of everything": {"prompt_tokens": 0, "completion_tokens": 0},
    "NaN": {"prompt_tokens": "nan", "completion_tokens": "nan"},
}


@pytest.mark.parametrize("name", REPROS)
def test_each_kind_of_model_is_charged_whatever_its_server_states(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, "a-key-of-a-test")
    for kind, answer in kinds(REPROS[name]):
        with serving.serving(answer) as local:
            budget = Budget()
            model = Metered(open_model(f"{kind}:toy@{local.url}?context=65536"), budget)
            reply = serving.closing(model, lambda model=model: model.generate(LONG, Decoding()))
        check_bounds(reply.usage)
        assert reply.usage.prompt >= len(LONG[0].content) / wrapper.DENSE
        # Anthropic counts cached tokens apart from the others, of which there may be fewer.
        apart = kind == "anthropic" and name == "more cached than all"
        assert reply.usage.estimated_prompt == (0 if apart else reply.usage.prompt)
        assert budget.tokens == reply.usage.prompt + reply.usage.completion


ENDS = {
    "unreadable": serving.Reply(b"<html>"),
    "broken off": serving.Reply({"choices": []}, cut=5),
    "late": serving.Reply(b"", wait=9),
    "broken": serving.Reply({"error": {"message": "oops"}}, 500),
    "refused": serving.Reply({"error": {"message": "no"}}, 422),
    "busy": serving.Reply({"error": {"message": "later"}}, 429),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_request_without_a_reply_is_charged_by_what_it_asked_for(name: str) -> None:
    budget = Budget()
    with serving.serving(lambda asked: ENDS[name]) as local:
        model = Metered(open_model(f"{NAME}@{local.url}?context=65536&timeout=0.3"), budget)
        with pytest.raises(ProviderError):
            serving.closing(model, lambda: model.generate(LONG, Decoding(max_tokens=77)))
        (asked,) = [one for one in local.asked or () if one.method == "POST"]
    new = 0 if name in ("refused", "busy") else 77
    assert budget.tokens == budget.estimated_tokens == ceil(len(asked.raw) / wrapper.DENSE) + new


REFUSAL = serving.Reply({"error": {"message": "no"}}, 400)


class Book:
    """An account that remembers what was reserved, and how much had been reserved and paid when a call arrived."""

    def __init__(self) -> None:
        self.reserved: list[Usage] = []
        self.paid = 0
        self.at_the_call: list[tuple[int, int]] = []

    def reserve(self, model: str, most: Usage) -> int:
        self.reserved.append(most)
        return len(self.reserved)

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        assert reservation == len(self.reserved)
        self.paid += 1

    def note_call(self, *_: object) -> Any:
        self.at_the_call.append((len(self.reserved), self.paid))


@for_each("place", ["server", "process"])
def test_the_most_that_a_call_may_use_is_on_account_before_it_is_made(place: str) -> None:
    """Whoever is killed in the middle of a call has counted it."""
    budget, book = Budget(), Book()
    budget.account = book
    if place == "server":
        with serving.serving(lambda asked: book.note_call() or REFUSAL) as local, suppress(ProviderError):
            model = Metered(open_model(f"{NAME}@{local.url}?context=65536&timeout=2"), budget)
            serving.closing(model, lambda: model.generate(LONG, Decoding(max_tokens=77)))
    else:
        scripted = ScriptedModel(lambda messages, decoding: book.note_call() or "J")
        asyncio.run(Metered(scripted, budget).generate(LONG, Decoding(max_tokens=77)))
    assert book.at_the_call == [(1, 0)]
    assert (book.reserved[0].completion, book.paid) == (77, 1)
    assert book.reserved[0].prompt * wrapper.DENSE >= len(LONG[0].content)


def test_more_cached_tokens_than_tokens_are_no_count_at_all() -> None:
    """They would make a whole prompt cheap: it is charged in full, by its bytes."""
    stated = StatedTokens(prompt=100, completion=5, cached=10**6)
    used = sent_texts(["word " * 80], 50).answered(stated, 40, ["word " * 4])
    assert (used.cached, used.estimated_prompt) == (0, used.prompt)
    assert used.prompt >= 100


def test_what_was_never_sent_is_free() -> None:
    with serving.serving() as local:
        url = local.url
    budget = Budget()
    model = Metered(open_model(f"{NAME}@{url}?context=65536&timeout=2"), budget)
    with pytest.raises(ProviderError):
        serving.closing(model, lambda: model.generate(LONG, Decoding()))
    assert budget.tokens == 0


def test_a_request_that_a_filter_refuses_has_its_charge_in_the_reply() -> None:
    refusal = serving.Reply({"error": {"message": "flagged", "code": "content_filter"}}, 400)
    budget = Budget()
    with serving.serving(lambda asked: refusal) as local:
        model = Metered(open_model(f"{NAME}@{local.url}?context=65536"), budget)
        reply = serving.closing(model, lambda: model.generate(LONG, Decoding()))
    assert (reply.finish, reply.usage.prompt) == ("filter", budget.tokens)
    assert budget.tokens > 0


def test_what_a_model_of_this_process_states_is_within_bounds_too() -> None:
    class Odd:
        spec, context, concurrency = "plugin:odd", 1000, 1

        async def generate(self, messages: object, decoding: Decoding) -> Any:
            from otherminds.core.model import Completion

            return Completion("J", usage=Usage(10, -5, 10**9))

        def count(self, text: str) -> int:
            return len(text)

    budget = Budget(prices={"plugin:odd": PRICE})
    reply = asyncio.run(Metered(Odd(), budget).generate(LONG, Decoding()))
    assert reply.usage == Usage(10, 0, 10)
    assert budget.cost == pytest.approx(1e-6)


@given(st.lists(st.lists(st.integers(-1, 3), max_size=3), min_size=1, max_size=5), st.integers(0, 2))
@example([[], [0, 1], [0, 1]], 1)
@settings(examples(0.2), suppress_health_check=[HealthCheck.too_slow])
def test_no_tokeniser_makes_scores_free(tokens: list[list[int]], kind: int) -> None:
    """Requests for tokens are free if they are answered; whatever they answer, the calls that they lead to are not."""
    split = asked_for_scores = scored = 0

    def answer(asked: serving.Asked) -> serving.Reply:
        nonlocal split, asked_for_scores
        if asked.path == "/tokenize":
            split += 1
            return serving.Reply({"tokens": tokens[(split + asked_for_scores) % len(tokens)]})
        if asked.method != "POST" or kind == 0 or asked.body.get("echo"):
            return serving.Reply({"error": {"message": "no such path"}}, 404)
        asked_for_scores += 1
        listed = [{"id": i, "token": str(i), "logprob": -1.0} for i in range(4)]
        place = {"top_logprobs": listed if kind == 1 else []}
        return serving.Reply(
            {"choices": [{"message": {"content": "A"}, "logprobs": {"content": [place]}}], "usage": {}}
        )

    budget = Budget(max_tokens=2000)

    async def scores(url: str) -> None:
        nonlocal scored
        clock = Clock()
        metered = Metered(open_model(f"{NAME}@{url}?context=65536&timeout=5"), budget)
        model = Retrying(metered, 3.0, clock.sleep, lambda: clock.now, Random(1))
        try:
            for _ in range(250):
                try:
                    await model.score(LONG[0].content, [" A", " B"])
                    scored += 1
                except ProviderError:
                    continue
        except BudgetSpentError:
            return
        finally:
            await close(model)

    with serving.serving(answer) as local:
        asyncio.run(scores(local.url))
    # A tokeniser that contradicts itself ends most calls before anything is asked that has a price.
    assert budget.tokens >= min(2000, 100 * scored)
    assert asked_for_scores < 200
