"""Given texts as answers: the score of each, or a reply that is one of them.

Scores come from next-token log-probabilities: chained over tokens, or by the first token of a chat reply.

A chain evaluates common prefixes once. The first token is for providers that offer nothing else.

For replies that are one of several given texts each kind of server has a request of its own.

A server names its kind in the field ``owned_by`` of its list of models. OpenAI, Ollama and OpenRouter have
no such request; a JSON schema is what they share with the others. Sources: vLLM, "Structured Outputs"
(``structured_outputs`` replaced ``guided_choice``, which version 0.12 removed); SGLang, "Structured Outputs"
(``regex``); llama.cpp, "GBNF Guide" (``grammar``)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from math import exp, inf, log, nextafter
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.errors import ProviderError
from otherminds.core.model import Completion, Decoding

WIDTHS = (64, 2048)
"""Numbers of likeliest next tokens to request, before all of them."""
FLOOR = -104.0
"""The log-probability of everything below the smallest 32-bit number (e to the −103.97)."""
LONG = 40
"""Characters of a token that an error shows."""
Path = tuple[int, ...]


class Chain(Struct, frozen=True):
    """The requests that score some texts: after ``head`` and each path, the tokens ``wanted`` next."""

    head: Path
    tails: tuple[Path, ...]
    wanted: dict[Path, set[int]]

    def paths(self) -> list[Path]:
        """The paths depth first, so that each prompt extends the one before."""
        return sorted(self.wanted)

    def scores(self, logprobs: Mapping[Path, Mapping[int, float]]) -> tuple[float, ...]:
        """The log-probability of each text, from those of the wanted tokens after each path."""
        return tuple(
            sum((logprobs[tail[:i]][token] for i, token in enumerate(tail)), 0.0) for tail in self.tails
        )


def chain(prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> Chain:
    """The chain for ``texts``, each the tokens of the prompt together with a continuation.

    Its head are the tokens that the prompt and all texts begin with. Where a continuation
    merges with the prompt's last token (``"roc" + "k"``), every score includes that token, so
    that scores stay comparable.
    """
    same = count_shared([prompt, *texts])
    tails = tuple(tuple(tokens[same:]) for tokens in texts)
    targets: dict[Path, set[int]] = {}
    for tail in tails:
        for i, token in enumerate(tail):
            targets.setdefault(tail[:i], set()).add(token)
    return Chain(tuple(prompt[:same]), tails, targets)


def count_shared(texts: Sequence[Sequence[object]]) -> int:
    """The number of tokens that all ``texts`` begin with.

    >>> count_shared(["roc", "rock", "robe"])
    2
    """
    same = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return sum(1 for _ in same)


def next_token(tokens: Sequence[int], width: int, harmless: int) -> dict[str, Any]:
    """The request to llama.cpp for the ``width`` likeliest tokens after ``tokens``.

    Their probabilities are those before sampling. The drawn token is not used: a bias picks a
    ``harmless`` one, since the server omits probabilities when it draws an end of text or part
    of a character.
    """
    request = {"prompt": list(tokens), "n_predict": 1, "n_probs": width, "temperature": 1.0}
    return {**request, "logit_bias": [[harmless, 1000.0]], "post_sampling_probs": False}


def first_token(
    continuations: Sequence[str], top: Sequence[tuple[str, float]], spec: str
) -> tuple[float, ...]:
    """The log-probability that a reply of model ``spec`` begins with each continuation, in nats.

    ``top``: the likeliest first tokens and their natural-log probabilities. Tokens and
    continuations are compared without surrounding spaces; spellings of one label (``"J"``,
    ``" J"``) are summed. A label that is not listed gets the next number below the least of
    ``top``, so that listed labels win ties.

    >>> first_token([" J", " F"], [("F", -0.5), ("J", -2.0), ("I", -3.0)], "openai:m")
    (-2.0, -0.5)

    Raises:
        ProviderError: no label is listed, or a listed token is the beginning of an absent
            label, which then has several tokens.
    """
    labels = [text.strip() for text in continuations]
    listed: dict[str, list[float]] = {}
    for token, logprob in top:
        listed.setdefault(token.strip(), []).append(logprob)
    absent = [label for label in labels if label not in listed]
    for label in absent:
        start = next((token for token in listed if token and label.startswith(token)), None)
        if start is not None:
            raise _unavailable(
                spec, f"{label!r} is more than one token of it (it begins with {start[:LONG]!r})"
            )
    if len(absent) == len(labels):
        likely = ", ".join(repr(token[:LONG]) for token, _ in top[:5]) or "no tokens"
        sought = ", ".join(map(repr, labels))
        raise _unavailable(spec, f"none of {sought} is a likely reply (it lists {likely})")
    below = nextafter(min(logprob for _, logprob in top), -inf)
    return tuple(_sum(listed[label]) if label in listed else below for label in labels)


def _sum(logprobs: Sequence[float]) -> float:
    """The log of the summed probabilities."""
    most = max(logprobs)
    return most if most == -inf else most + log(sum(exp(logprob - most) for logprob in logprobs))


def _unavailable(spec: str, why: str) -> ProviderError:
    return ProviderError(
        f"model {spec}: LM prompting is unavailable, for this server only gives the first token of a chat reply "
        f"and {why}; use single-letter action names, the prompt pack question, a strategy that asks for text such as qa, "
        "or a server that scores continuations"
    )


Guide: TypeAlias = Callable[[Sequence[str]], dict[str, Any]]
"""The fields of a request by which its reply is one of the given texts."""
SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
NAMED = {"effort": "reasoning_effort"}
"""Options of a request that ``Completion.dropped`` names otherwise."""


def grammar(choice: Sequence[str]) -> str:
    r"""llama.cpp's grammar of replies that are one of ``choice``.

    >>> grammar(["A: Option J", 'say "F"'])
    'root ::= "A: Option J" | "say \\"F\\""'
    """
    return f"root ::= {' | '.join(json.dumps(text, ensure_ascii=False) for text in choice)}"


def regex(choice: Sequence[str]) -> str:
    r"""A regular expression that matches exactly the texts of ``choice``; blanks are not escaped.

    >>> regex(["it holds.", "unknown"])
    '(it holds\\.|unknown)'
    """
    escaped = (SPECIAL.sub(r"\\\g<0>", text) for text in choice)
    return f"({'|'.join(escaped)})"


def no_guide(choice: Sequence[str]) -> dict[str, Any]:
    """A server that has no request for ``choice``."""
    return {}


GUIDES: dict[str, Guide] = {
    "vllm": lambda choice: {"structured_outputs": {"choice": list(choice)}},
    "sglang": lambda choice: {"regex": regex(choice)},
    "llamacpp": lambda choice: {"grammar": grammar(choice)},
}


def mark_unguided(reply: Completion, decoding: Decoding, guide: Guide) -> Completion:
    """``reply``, which names ``choice`` as dropped where the server did not restrict it to ``decoding.choice``.

    That is: the server has no request for it, or the reply ended by itself and is none of the texts. Servers
    ignore fields that they do not know, so that no refusal says it.
    """
    obeyed = guide is not no_guide and (reply.finish != "stop" or reply.text.strip() in decoding.choice)
    return reply if obeyed else without(reply, decoding, "choice")


def without(reply: Completion, decoding: Decoding, *options: str) -> Completion:
    """``reply`` of a model that lacks ``options`` of requests: those that ``decoding`` uses are named as dropped."""
    lacking = {NAMED.get(option, option) for option in options if getattr(decoding, option)}
    return replace(reply, dropped=tuple(sorted({*reply.dropped, *lacking}))) if lacking else reply
