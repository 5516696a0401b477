"""The registries of minds and of prompting strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.core.wording import PACK
from otherminds.minds.language.mind import LanguageMind
from otherminds.minds.language.options import RequestOptions, check_options
from otherminds.minds.language.strategy import Strategy

SWITCHES = ("history", "payoffs")
"""Parameters of every strategy: whether its prompts contain the history, and the payoffs."""
READING = ("reader", PACK)
"""Further parameters of every strategy: the reader of replies, and the prompt pack."""
MIND = ("grants", "suspends", "answers", "begin", "perceive", "act", "answer")
"""Attributes of every mind."""
STRATEGY = ("begin", "perceive", "choose", "predict")
"""Attributes of every strategy."""
REQUEST = tuple(RequestOptions.__struct_fields__)
"""Parameters of every strategy that go with its requests to the model."""


class Strategies(Registry[Callable[..., Strategy]]):
    """Prompting strategies by name; ``make`` returns a language mind that uses the strategy."""

    def build(self, name: str, params: Mapping[str, Any], *arguments: Any) -> Mind:
        switches = {switch: params.get(switch, True) for switch in SWITCHES}
        for switch, value in switches.items():
            if not isinstance(value, bool):
                raise StudyError(f"strategy {name!r}: {switch} must be true or false, not {value!r}")
        shared = (*SWITCHES, *READING, *REQUEST)
        own = {key: value for key, value in params.items() if key not in shared}
        options = check_options({key: params[key] for key in REQUEST if key in params})
        reading = {key: params[key] for key in READING if key in params}
        return LanguageMind(super().build(name, own, *arguments), **switches, **reading, options=options)


minds: Registry[Callable[..., Mind]] = Registry("mind", "otherminds.minds", made=MIND)
strategies = Strategies("strategy", "otherminds.minds.language.strategies", "strategies", STRATEGY)
