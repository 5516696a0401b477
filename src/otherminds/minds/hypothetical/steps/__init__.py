"""The steps that pipelines are made of: each reads and writes the working state, and asks the model.

A step that gets no usable reply keeps what there was, notes that, and goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from otherminds.minds.hypothetical.working import Acquaintance, Working

Step: TypeAlias = Callable[[Working, Acquaintance], Awaitable[None]]
"""``step(work, about)``: about the partner that was just met; at the start, the first of them."""
