"""What a family is asked for."""

from __future__ import annotations

from msgspec import Struct


class DraftRequest(Struct, frozen=True):
    """The number of agents, the depth of the chain, and what else a draft must have.

    ``hard``: a secret passes through an agent that has no message to spare. ``links``: not every agent can message every
    other one. ``mechanic``: a hidden mechanic; empty for any.
    """

    agents: int
    depth: int
    hard: bool = False
    links: bool = False
    mechanic: str = ""
