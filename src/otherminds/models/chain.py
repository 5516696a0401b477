"""Scores of whole texts from next-token log-probabilities, chained; what texts share is asked for once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct

WIDTHS = (64, 2048)
"""How many of the likeliest next tokens are asked for, before all of them are."""

FLOOR = -104.0
"""Stands for probabilities below the smallest 32-bit number (e to the −103.97)."""

Path = tuple[int, ...]


class Chain(Struct, frozen=True):
    """What has to be known to score some texts: after ``head`` and each path, the tokens ``wanted`` next."""

    head: Path
    tails: tuple[Path, ...]
    wanted: dict[Path, set[int]]

    def paths(self) -> list[Path]:
        """The paths depth first, so that each prompt extends the one before."""
        return sorted(self.wanted)

    def scores(self, found: Mapping[Path, Mapping[int, float]]) -> tuple[float, ...]:
        """The log-probability of each text, from those of the wanted tokens after each path."""
        return tuple(
            sum((found[tail[:i]][token] for i, token in enumerate(tail)), 0.0) for tail in self.tails
        )


def chain(prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> Chain:
    """The chain for ``texts``, each the tokens of the prompt together with a continuation.

    Tokens that all texts and the prompt alone begin with are its head. Where a
    continuation melts into the prompt's last token (``"roc" + "k"``), that token
    is counted into every score, so that they stay comparable.
    """
    same = shared([prompt, *texts])
    tails = tuple(tuple(tokens[same:]) for tokens in texts)
    wanted: dict[Path, set[int]] = {}
    for tail in tails:
        for i, token in enumerate(tail):
            wanted.setdefault(tail[:i], set()).add(token)
    return Chain(tuple(prompt[:same]), tails, wanted)


def shared(texts: Sequence[Sequence[object]]) -> int:
    """How many tokens all ``texts`` begin with.

    >>> shared(["roc", "rock", "robe"])
    2
    """
    same = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return sum(1 for _ in same)


def next_token(tokens: Sequence[int], width: int, harmless: int) -> dict[str, Any]:
    """What llama.cpp is asked for the ``width`` likeliest tokens after ``tokens``.

    Their probabilities are the unconstrained model's, before sampling. The token
    that is drawn is not used: a bias picks a ``harmless`` one, for the server
    keeps the figures back when it draws an end of text or half a character.
    """
    return {
        "prompt": list(tokens),
        "n_predict": 1,
        "n_probs": width,
        "temperature": 1.0,
        "logit_bias": [[harmless, 1000.0]],
        "post_sampling_probs": False,
    }
