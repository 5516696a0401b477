"""Scoring through servers: each way against figures worked out by hand, and the way that is taken."""

import asyncio

import pytest

from otherminds.core.errors import ProviderError, TransientError
from otherminds.core.model import Usage
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from tests.models import serving as local

PROMPT = "You play a game.\nA: Option"
TOP = [{"token": "F", "logprob": -0.5}, {"token": " F", "logprob": -2.0}, {"token": "J", "logprob": -1.0}]


def scores(local, answer, *asked, server=None, error=None):
    """What one model makes of each (prompt, continuations), one after the other."""

    async def one_by_one(model):
        try:
            return [await model.score(prompt, continuations) for prompt, continuations in asked]
        finally:
            await close(model)

    with local.serving(answer) as running:
        model = open_model(f"openai:toy@{running.url}?context=9&timeout=5")
        try:
            return asyncio.run(one_by_one(model))
        finally:
            if server is not None:
                server.extend(one.path for one in running.asked)


def by_hand(local, prompt, continuation, skip):
    """The log-probability of the tokens of a text after the first ``skip``."""
    tokens = local.PIECE.findall(prompt + continuation)
    return sum(local.logprob(tokens[:i], tokens[i]) for i in range(skip, len(tokens)))


def test_an_echo_is_summed_over_the_whole_continuation():
    names = [" Scissors", " Rock", " Scabs"]
    (found,) = scores(local, None, (PROMPT, names))
    skip = len(local.PIECE.findall(PROMPT))
    assert found.logprobs == pytest.approx([by_hand(local, PROMPT, name, skip) for name in names])
    assert found.form == "continuation"
    texts = [local.PIECE.findall(PROMPT + name) for name in names]
    assert [len(text) - skip for text in texts] == [2, 1, 2]
    assert found.usage == Usage(sum(map(len, texts)))


def test_what_continuations_share_is_counted_where_it_is_theirs():
    found, alone = scores(local, None, (PROMPT, [" Rocky", " Rocks"]), (PROMPT, [" Rock"]))
    skip = len(local.PIECE.findall(PROMPT))
    assert found.logprobs == pytest.approx(
        [by_hand(local, PROMPT, name, skip) for name in (" Rocky", " Rocks")]
    )
    assert alone.logprobs == pytest.approx([by_hand(local, PROMPT, " Rock", skip)])


def test_continuations_that_melt_into_the_prompt_stay_comparable():
    prompt = PROMPT + " Ro"
    (found,) = scores(local, None, (prompt, ["ck", "be"]))
    skip = len(local.PIECE.findall(PROMPT))
    assert found.logprobs == pytest.approx([by_hand(local, prompt, name, skip) for name in ("ck", "be")])


def echoing(local, change):
    """Answers completions as ever, each choice changed by ``change(choice)``."""

    def answer(asked):
        if asked.path != "/v1/completions":
            return local.Reply({"error": "no such path"}, 404)
        body = local.completions(asked.body)
        for choice in body["choices"]:
            change(choice)
        return local.Reply(body)

    return answer


def begun(choice):
    choice["logprobs"]["tokens"].insert(0, "<s>")
    choice["logprobs"]["token_logprobs"][:1] = [None, -0.25]


def without_blanks(choice):
    choice["logprobs"]["tokens"] = [token.strip() for token in choice["logprobs"]["tokens"]]


@pytest.mark.parametrize("change", [begun, without_blanks], ids=lambda change: change.__name__)
@pytest.mark.parametrize("least", [0, 1])
def test_servers_that_write_tokens_in_their_own_way_give_the_same(change, least):
    def answer(asked):
        if asked.body["max_tokens"] < least:
            return local.Reply({"error": "max_tokens must be at least 1"}, 400)
        return echoing(local, change)(asked)

    names = [" Scissors", " Rock"]
    paths = []
    (found,) = scores(local, answer, (PROMPT, names), server=paths)
    skip = len(local.PIECE.findall(PROMPT))
    assert found.logprobs == pytest.approx([by_hand(local, PROMPT, name, skip) for name in names])
    assert paths == ["/v1/completions"] * (2 + least)


def test_tokens_of_the_prompt_that_a_continuation_changes_are_counted():
    tokens = {"abc": ["<s>", "a", "bc"], "abd": ["<s>", "ab", "d"]}

    def answer(asked):
        if not asked.body["prompt"][0].startswith("ab"):
            return local.scripted()(asked)
        found = [
            {"tokens": tokens[text], "token_logprobs": [None, -1.0, -float(i + 2)]}
            for i, text in enumerate(asked.body["prompt"])
        ]
        return local.Reply({"choices": [{"index": i, "logprobs": one} for i, one in enumerate(found)]})

    (found,) = scores(local, answer, ("ab", ["c", "d"]))
    assert found.logprobs == (-3.0, -4.0)


def test_characters_in_halves_do_not_shift_an_echo():
    def halve(choice):
        tokens, logprobs = choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"]
        for i in reversed([i for i, token in enumerate(tokens) if not token.isascii()]):
            tokens[i : i + 1] = ["\ufffd", "\ufffd"]
            logprobs.insert(i, -0.5)

    prompt = "石头剪刀布\n" + PROMPT
    names = [" Scissors", " Rock"]
    (found,) = scores(local, echoing(local, halve), (prompt, names))
    skip = len(local.PIECE.findall(prompt))
    assert found.logprobs == pytest.approx([by_hand(local, prompt, name, skip) for name in names])


def test_no_continuations_have_no_scores():
    (found,) = scores(local, None, (PROMPT, []))
    assert found.logprobs == ()


def test_an_empty_prompt_is_refused():
    with pytest.raises(ProviderError, match="the prompt must not be empty") as caught:
        scores(local, None, ("", ["Rock", "Paper"]))
    assert not isinstance(caught.value, TransientError)


def drop(choice):
    del choice["logprobs"]["tokens"]


def no_logprobs(choice):
    choice["logprobs"] = None


def shorten(choice):
    choice["logprobs"]["token_logprobs"].pop()


def only_new(choice):
    choice["logprobs"] = {"tokens": [" Option B"], "token_logprobs": [-0.1]}


def several(choice):
    choice["logprobs"] = {"tokens": ["x"] * 20, "token_logprobs": [-0.1] * 20}


@pytest.mark.parametrize("change", [drop, no_logprobs, shorten, only_new, several], ids=lambda c: c.__name__)
def test_what_is_no_echo_is_not_taken_for_one(change):
    def answer(asked):
        if asked.path == "/v1/chat/completions":
            return local.Reply(listing(TOP))
        return echoing(local, change)(asked)

    (found,) = scores(local, answer, (PROMPT, [" J", " F"]))
    assert found.form == "chat"


@pytest.mark.parametrize("change", [drop, shorten, several], ids=lambda c: c.__name__)
def test_an_echo_that_fails_later_may_come_again(change):
    def once_good(choice):
        if PROMPT in choice["text"]:
            change(choice)

    with pytest.raises(TransientError, match="malformed"):
        scores(local, echoing(local, once_good), (PROMPT, [" J", " F"]))

    def one_choice(asked):
        body = local.completions(asked.body)
        return local.Reply(
            {**body, "choices": body["choices"][: 1 if PROMPT in asked.body["prompt"][0] else 2]}
        )

    with pytest.raises(TransientError, match="1 choices for 2 texts"):
        scores(local, one_choice, (PROMPT, [" J", " F"]))


def test_the_way_is_found_once():
    paths = []
    scores(local, None, *[(PROMPT, [" J", " F"])] * 3, server=paths)
    assert paths == ["/v1/completions"] * 4


def test_many_episodes_find_the_way_together():
    async def together(model):
        try:
            return await asyncio.gather(*(model.score(PROMPT, [" J", " F"]) for _ in range(8)))
        finally:
            await model.close()

    with local.serving() as server:
        model = open_model(f"openai:toy@{server.url}?context=9")
        assert len(set(asyncio.run(together(model)))) == 1
        assert server.requests == 9


def test_a_fault_while_the_way_is_sought_decides_nothing():
    replies = iter([local.Reply({"error": "busy"}, 503), local.Reply({"choices": []}, cut=2)])

    def answer(asked):
        return next(replies, None) or local.scripted()(asked)

    async def until_found(model):
        faults = 0
        while True:
            try:
                found = await model.score(PROMPT, [" J", " F"])
                break
            except TransientError:
                faults += 1
        await model.close()
        return faults, found.form

    with local.serving(answer) as server:
        model = open_model(f"openai:toy@{server.url}?context=9")
        assert asyncio.run(until_found(model)) == (2, "continuation")


@pytest.mark.parametrize(
    ("malformed", "asked"), [(0, [0, 0]), (1, [0, 0, 0]), (2, [0, 0, 1, 1]), (3, [0, 0, 1, 1, 1])]
)
def test_one_malformed_reply_does_not_change_the_way_and_two_do(malformed, asked):
    replies = iter([local.Reply(b'{"choices": [')] * malformed)
    most = []

    def answer(one):
        most.append(one.body["max_tokens"])
        return next(replies, None) or local.scripted()(one)

    (found,) = scores(local, answer, (PROMPT, [" J", " F"]))
    assert found.form == "continuation"
    assert most == asked


def listing(top):
    return {"choices": [{"message": {"content": "x"}, "logprobs": {"content": [{"top_logprobs": top}]}}]}


def chatting(local, body, status=200):
    """A server that only chats; other paths lead to its welcome page."""

    def answer(asked):
        if asked.path == "/v1/chat/completions":
            return local.Reply(body, status)
        return local.Reply(b"<html>Welcome</html>", headers={"content-type": "text/html"})

    return answer


def test_a_chat_server_is_asked_for_its_first_token():
    seen = []

    def answer(asked):
        seen.append(asked)
        return chatting(local, {**listing(TOP), "usage": {"prompt_tokens": 8, "completion_tokens": 1}})(asked)

    (found,) = scores(local, answer, (PROMPT, [" J", " F"]))
    assert found.form == "chat"
    assert found.logprobs == pytest.approx((-1.0, -0.2986), abs=1e-4)
    assert found.usage == Usage(8, 1)
    assert seen[-1].body == {
        "model": "toy",
        "messages": [{"role": "user", "content": PROMPT}],
        "temperature": 1.0,
        "logprobs": True,
        "top_logprobs": 20,
        "max_tokens": 1,
    }


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ({"choices": [{"message": {"content": "J"}}]}, 200, "lists no likeliest tokens"),
        (
            {"choices": [{"message": {"content": ""}, "logprobs": {"content": []}}]},
            200,
            "lists no likeliest tokens",
        ),
        ({"error": {"message": "logprobs are not supported"}}, 400, "refuses .*logprobs are not supported"),
        (listing([{"token": "I", "logprob": -0.1}]), 200, "none of 'J', 'F' is a likely reply"),
        (listing([{"token": "J", "logprob": -0.1}]), 401, "HTTP 401"),
    ],
)
def test_where_a_chat_server_cannot_score_it_says_so(body, status, why):
    with pytest.raises(ProviderError, match=why) as caught:
        scores(local, chatting(local, body, status), (PROMPT, [" J", " F"]))
    assert not isinstance(caught.value, TransientError)
    assert ("LM prompting is unavailable" in str(caught.value)) == (status != 401)
    assert "\n" not in str(caught.value)


class Llama:
    """llama.cpp's two paths: a letter is a token, and the next one is drawn from 5,000."""

    def __init__(self, local):
        self.local = local
        self.seen = []

    def __call__(self, asked):
        body = asked.body
        self.seen.append((asked.path, body))
        if asked.path == "/tokenize":
            assert (body["add_special"], body["parse_special"]) == (True, False)
            return self.local.Reply({"tokens": [1, *map(ord, body["content"])]})
        if asked.path == "/v1/completions" and "n_probs" in body:
            assert (body["n_predict"], body["temperature"], body["post_sampling_probs"]) == (1, 1.0, False)
            ids = sorted(range(5000), key=lambda token: -self.after(body["prompt"], token))[: body["n_probs"]]
            top = [{"id": token, "token": "?", "logprob": self.after(body["prompt"], token)} for token in ids]
            read = {"prompt_tokens": len(body["prompt"]), "prompt_tokens_details": {"cached_tokens": 1}}
            place = {"content": [{"top_logprobs": top}]}
            return self.local.Reply({"choices": [{"text": "a", "logprobs": place}], "usage": read})
        return self.local.Reply({"choices": [{"text": "a"}]})

    def after(self, tokens, token):
        return -1e9 if token == 7 else -1 - (token * 7919 + sum(tokens) * 31) % 5000 / 100


def test_a_llama_server_is_followed_token_by_token():
    llama = Llama(local)
    (found,) = scores(local, llama, ("A:", [" J", " Jo", "\x07"]))

    def whole(text):
        tokens = [1, *map(ord, "A:" + text)]
        return sum(llama.after(tokens[:i], tokens[i]) for i in range(3, len(tokens)))

    assert found.logprobs[:2] == pytest.approx([whole(" J"), whole(" Jo")])
    assert found.logprobs[2] == -104.0
    widths = [body["n_probs"] for path, body in llama.seen if path == "/v1/completions" and "n_probs" in body]
    assert max(widths) > 5000 > min(widths)
    assert found.form == "continuation"
    paths = [tuple(body["prompt"]) for path, body in llama.seen if "n_probs" in body]
    start = paths.index((1, 65, 58))
    asked = paths[start:]
    assert list(dict.fromkeys(asked)) == [(1, 65, 58), (1, 65, 58, 32), (1, 65, 58, 32, 74)]
    # The server does not state the one token that each request asks for.
    assert found.usage == Usage(sum(map(len, asked)), len(asked), len(asked), 0, len(asked))


def test_a_token_that_gets_no_probability_is_an_error():
    llama = Llama(local)
    with pytest.raises(ProviderError, match=r"gives no probability to tokens \[30707\]"):
        scores(local, llama, ("A:", [" J", "石"]))
