"""The kinds of teammate that a cook considers, and the soups of each role with each of them.

All partners are among them: a mind that knows them has the grant ``family``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from otherminds.gridworlds.cooking.cooks import COOKS, NOOP_BOT, CookPolicy
from otherminds.gridworlds.cooking.work import ROLES, Role


class TeammateKind(NamedTuple):
    """A kind of teammate: a name, a sentence about it, and its policy; ``idle`` is 1 for one who does nothing."""

    name: str
    sentence: str
    policy: CookPolicy


SENTENCES = {
    "apprentice_0": "They only do what their side is for, and stand idle half of the time.",
    "apprentice_1": "They do what their side is for and what is left undone, and stand idle half of the "
    "time.",
    "chef_0": "They only do what their side is for, and never rest.",
    "chef_1": "They do what their side is for and what is left undone, and never rest.",
}
KINDS = (
    *(TeammateKind(name, sentence, COOKS[name]) for name, sentence in SENTENCES.items()),
    TeammateKind(
        "supplier", "They only bring tomatoes, whatever their side is for.", CookPolicy("supply", "supply")
    ),
    TeammateKind("server", "They only serve soup, whatever their side is for.", CookPolicy("serve", "serve")),
    TeammateKind(NOOP_BOT, "They do nothing.", CookPolicy("alone", "alone", 1.0)),
)

SOUPS: Mapping[bool, Mapping[Role, tuple[float, ...]]] = {
    True: {
        "alone": (42.5, 42.5, 57.0, 57.0, 57.0, 20.0, 20.0),
        "supply": (0.0, 27.5, 0.0, 38.0, 0.0, 25.0, 0.0),
        "serve": (32.0, 32.0, 57.0, 57.0, 57.0, 0.0, 0.0),
        "share": (42.5, 42.5, 57.0, 57.0, 57.0, 20.0, 20.0),
    },
    False: {
        "alone": (33.4, 36.8, 28.4, 40.5, 39.6, 28.4, 32.2),
        "supply": (51.6, 45.0, 57.0, 57.0, 0.0, 57.0, 0.0),
        "serve": (0.0, 11.4, 0.0, 20.0, 25.0, 0.0, 0.0),
        "share": (50.4, 42.2, 57.0, 57.0, 38.0, 57.0, 32.0),
    },
}
"""Soups in 1,000 steps of each role beside each of :data:`KINDS`, in a room that is for serving (true) and in
another, as measured (``benchmarks/results/cooks.md``, 20 episodes each)."""


def best(belief: Sequence[float], serves: bool) -> Role:
    """The role that brings most if the teammate is of each kind with the chance that ``belief`` gives it, on any scale.

    Who shares begins as who supplies does, and finds out by it; so nothing more is to
    be gained by looking first (``benchmarks/results/cooking_bayesian.md``).

    >>> best((1, 1, 1, 1, 1, 1, 1), serves=False), best((1, 1, 1, 1, 0, 0, 0), serves=False)
    ('share', 'supply')
    """
    soups = SOUPS[serves]
    return max(ROLES, key=lambda role: sum(p * n for p, n in zip(belief, soups[role], strict=True)))
