"""Scores of options by the first token of a chat reply, where a provider offers nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, nextafter

from otherminds.core.errors import ProviderError


def first_token(
    continuations: Sequence[str], top: Sequence[tuple[str, float]], spec: str
) -> tuple[float, ...]:
    """The log-probability that a reply of model ``spec`` begins with each continuation, in nats.

    ``top``: the likeliest first tokens and their natural-log probabilities.
    Tokens and continuations are compared without the spaces around them: the
    spellings of one label that are listed (``"J"``, ``" J"``) are summed. A label
    that is not listed is no likelier than the least of ``top``; it gets the next
    smaller number, so that a label that is listed wins every tie against it.

    >>> first_token([" J", " F"], [("F", -0.5), ("J", -2.0), ("I", -3.0)], "openai:m")
    (-2.0, -0.5)

    Raises:
        ProviderError: no label is listed, or one that is not listed seems to be
            several tokens: a listed token is the beginning of it.
    """
    labels = [text.strip() for text in continuations]
    listed: dict[str, list[float]] = {}
    for token, logprob in top:
        listed.setdefault(token.strip(), []).append(logprob)
    absent = [label for label in labels if label not in listed]
    for label in absent:
        start = next((token for token in listed if token and label.startswith(token)), None)
        if start is not None:
            raise _unavailable(spec, f"{label!r} is more than one token of it (it begins with {start!r})")
    if len(absent) == len(labels):
        said = ", ".join(repr(token) for token, _ in top[:5]) or "no tokens"
        raise _unavailable(
            spec, f"none of {', '.join(map(repr, labels))} is a likely reply (it lists {said})"
        )
    below = nextafter(min(logprob for _, logprob in top), -inf)
    return tuple(_sum(listed[label]) if label in listed else below for label in labels)


def _sum(logprobs: Sequence[float]) -> float:
    """The log of the summed probabilities."""
    most = max(logprobs)
    return most if most == -inf else most + log(sum(exp(one - most) for one in logprobs))


def _unavailable(spec: str, why: str) -> ProviderError:
    return ProviderError(
        f"model {spec}: LM prompting is unavailable, for this server only gives the first token of a chat reply "
        f"and {why}; use single-letter action names, a strategy that asks for text such as qa, "
        "or a server that scores continuations"
    )
