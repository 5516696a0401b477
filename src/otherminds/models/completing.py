"""Methods to score continuations on a server, the most exact first.

1. :class:`EchoCompletion`: the server returns the log-probabilities of a prompt's own tokens
   (vLLM, SGLang). All continuations go into one request.
2. :class:`ChainTokeniser`: the server tokenises, and lists the likeliest next tokens (llama.cpp). The
   chain over tokens is followed step by step, as in the embedded model.
3. :class:`FirstToken`: the server only chats. The first token of the reply to the prompt as a
   message represents the option.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence, Set
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core.errors import ProviderError
from otherminds.core.model import Scores, Usage
from otherminds.models.faults import MalformedError, RefusedError
from otherminds.models.http import Server
from otherminds.models.scoring import FLOOR, WIDTHS, chain, count_shared, first_token, next_token
from otherminds.models.wire import ChatReply, EchoedPrompt, TextReply, TokensReply

Chat: TypeAlias = Callable[[dict[str, Any], int], Awaitable[ChatReply]]
"""``chat(request, most)``: the reply to a chat request, of at most ``most`` tokens."""

TOP = 20
"""The likeliest first tokens to request: the most that OpenAI lists."""
VOCABULARY = 2**19
"""An upper bound of any vocabulary."""
TRIES = 2
"""Malformed replies after which a method counts as not offered."""


class ScoringMethod(Protocol):
    """A method to score; raises as :meth:`otherminds.models.openai.OpenAI.score` does."""

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores: ...


async def find_way(server: Server, name: str, chat: Chat) -> ScoringMethod:
    """The most exact method that ``server`` offers for the model ``name``, by test requests.

    Raises:
        TransientError: a transient fault; nothing is known yet.
    """
    for most in (0, 1):
        if await _offers_method(echo := EchoCompletion(server, name, most)):
            return echo
    if await _offers_method(chained := ChainTokeniser(server, name)):
        return chained
    return FirstToken(server, chat)


async def _offers_method(way: ScoringMethod) -> bool:
    """Whether the server supports ``way``; false if refused, or malformed twice."""
    for _ in range(TRIES):
        try:
            first, second = (await way.score("A: Option", [" A", " B"])).logprobs
        except RefusedError:
            return False
        except MalformedError:
            continue
        return first <= 0 and second <= 0
    return False


class EchoCompletion:
    """Completions that repeat their prompt, with ``most`` new tokens, which are ignored.

    Some servers require at least one.
    """

    def __init__(self, server: Server, name: str, most: int) -> None:
        self._server = server
        self._name = name
        self._most = most

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The summed log-probabilities after the tokens of the prompt that all texts share."""
        texts = [prompt + text for text in continuations]
        request: dict[str, Any] = {"model": self._name, "prompt": texts, "max_tokens": self._most}
        request |= {"echo": True, "logprobs": 1, "temperature": 1.0}
        reply = await self._server.post(f"{self._server.base}/completions", request, TextReply)
        choices = sorted(reply.choices, key=lambda choice: choice.index)
        if len(choices) != len(texts):
            raise self._server.malformed(f"{len(choices)} choices for {len(texts)} texts")
        echoes = [
            self._match_echo(choice.logprobs, text) for choice, text in zip(choices, texts, strict=True)
        ]
        within = (echo.within(text) for echo, text in zip(echoes, continuations, strict=True))
        start = min(count_shared([echo.tokens for echo in echoes]), *within)
        return Scores(tuple(self._sum(echo.logprobs[start:]) for echo in echoes), reply.used())

    def _match_echo(self, echoed: EchoedPrompt | None, text: str) -> _Repeated:
        """The tokens of ``text``, without new ones."""
        if echoed is None or echoed.tokens is None or echoed.token_logprobs is None:
            raise self._server.malformed("no log-probabilities of the prompt's tokens")
        if len(echoed.tokens) != len(echoed.token_logprobs):
            raise self._server.malformed("not one log-probability for each token")
        echoed_text = "".join(echoed.tokens)
        ends = enumerate(accumulate(map(len, echoed.tokens)), 1)
        count = next((i for i, end in ends if echoed_text.endswith(text, 0, end)), None)
        if count is not None:
            return _Repeated(echoed.tokens[:count], echoed.token_logprobs[:count])
        # Some tokenisers omit blanks, or replace parts of characters.
        count = len(echoed.tokens) - self._most
        tokens = [_dense(token) for token in echoed.tokens[:count]]
        if text.isascii() and not "".join(tokens).endswith(_dense(text)):
            raise self._server.malformed("it does not repeat the prompt")
        return _Repeated(tokens, echoed.token_logprobs[:count], dense=True)

    def _sum(self, logprobs: Sequence[float | None]) -> float:
        numbers = [logprob for logprob in logprobs if logprob is not None]
        if len(numbers) < len(logprobs):
            raise self._server.refused(
                "a text's first token has no probability; the prompt must not be empty"
            )
        return sum(numbers)


class _Repeated(Struct):
    """A text's tokens, without white space if ``dense``. The first token has no log-probability."""

    tokens: list[str]
    logprobs: list[float | None]
    dense: bool = False

    def within(self, continuation: str) -> int:
        """The number of tokens wholly before the ``continuation`` at the end."""
        remaining, i = len(_dense(continuation) if self.dense else continuation), len(self.tokens)
        while remaining > 0 and i > 0:
            i -= 1
            remaining -= len(self.tokens[i])
        return i


def _dense(text: str) -> str:
    return "".join(text.split())


class ChainTokeniser:
    """llama.cpp's tokeniser, and the likeliest tokens after each prefix."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        self._harmless: int | None = None

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probabilities chained over tokens, as :class:`otherminds.models.embedded.Embedded` does it."""
        start = await self._tokens(prompt)
        tokenised = [await self._tokens(prompt + text) for text in continuations]
        if len(set(map(tuple, tokenised))) < len(set(continuations)):
            raise self._server.malformed("different texts have the same tokens")
        token_chain = chain(start, tokenised)
        logprobs: dict[tuple[int, ...], dict[int, float]] = {}
        total = Usage()
        for path in token_chain.paths():
            logprobs[path], usage = await self._following(
                [*token_chain.head, *path], token_chain.wanted[path]
            )
            total += usage
        return Scores(token_chain.scores(logprobs), total)

    async def _tokens(self, text: str) -> list[int]:
        request = {"content": text, "add_special": True, "parse_special": False}
        return (await self._server.post(f"{self._server.root}/tokenize", request, TokensReply)).tokens

    async def _following(self, tokens: Sequence[int], targets: Set[int]) -> tuple[dict[int, float], Usage]:
        if self._harmless is None:
            letter = await self._tokens("a")
            if not letter:
                raise self._server.malformed("no tokens of a letter")
            self._harmless = letter[-1]
        usage = Usage()
        logprobs: dict[int, float] = {}
        for width in (*WIDTHS, VOCABULARY):
            request = {"model": self._name, **next_token(tokens, width, self._harmless), "cache_prompt": True}
            reply = await self._server.post(f"{self._server.root}/v1/completions", request, TextReply)
            usage += reply.used()
            listed = reply.choices[0].logprobs
            if listed is None or not listed.content:
                raise self._server.malformed("no log-probabilities of the next token")
            likeliest = listed.content[0].top_logprobs
            logprobs = {token.id: max(token.logprob, FLOOR) for token in likeliest if token.id is not None}
            if targets <= logprobs.keys():
                return logprobs, usage
        raise self._server.refused(f"it gives no probability to tokens {sorted(targets - logprobs.keys())}")


class FirstToken:
    """A chat reply of one token to the prompt as a message."""

    def __init__(self, server: Server, chat: Chat) -> None:
        self._server = server
        self._chat = chat

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probabilities of :func:`~otherminds.models.scoring.first_token`."""
        request = {"messages": [{"role": "user", "content": prompt}], "temperature": 1.0}
        try:
            reply = await self._chat({**request, "logprobs": True, "top_logprobs": TOP}, 1)
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            why = f"refuses to list a reply's likeliest tokens ({error})"
            raise unavailable(self._server, why) from None
        listed = reply.first.logprobs
        if listed is None or not listed.content:
            raise unavailable(self._server, "lists no likeliest tokens of a reply")
        hide = self._server.secrets.masked_reply
        top = [(hide(token.token), token.logprob) for token in listed.content[0].top_logprobs]
        return Scores(first_token(continuations, top, self._server.spec), reply.used(), "chat")


def unavailable(server: Server, why: str) -> ProviderError:
    """The error of a server that does not score, where ``it`` also does what ``why`` says."""
    return server.refused(
        f"LM prompting is unavailable: this server does not score continuations, and it {why}; "
        "use a strategy that asks for text, such as qa"
    )
