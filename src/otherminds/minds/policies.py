"""Trained policies as minds: a function, a PyTorch module or a model of Stable-Baselines3 plays a seat as it is.

``otherminds.policy`` makes them from the environment of the training; a study file names them as
``{ mind = "policy", params = { function = "module:name" } }``."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from hashlib import sha256
from itertools import count
from math import exp
from pkgutil import resolve_name
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete, Space

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question
from otherminds.core.errors import InternalError, StudyError
from otherminds.core.registry import guarded
from otherminds.minds.registry import minds

Policy: TypeAlias = Any
"""A function of an observation, a ``torch.nn.Module``, or an object with the ``predict`` of Stable-Baselines3."""
Convert: TypeAlias = Callable[[Any], Any]
NUMBERS = count(1)
"""Of policies whose content cannot be written down."""


class PolicyMind(Mind):
    """Plays what ``policy`` chooses from an observation; see `otherminds.policy`.

    ``observed`` and ``acted`` are the spaces that the policy was trained in, ``played`` the action space of the seat; a
    space that is None is not checked. ``observe`` and ``act`` are applied one after the other to an observation of the
    world and to an action of the policy. ``function`` names the policy in records; see :func:`_name_policy`.
    """

    answers = False

    def __init__(
        self,
        policy: Policy,
        observed: Space[Any] | None = None,
        acted: Space[Any] | None = None,
        played: Space[Any] | None = None,
        observe: tuple[Convert, ...] = (),
        act: tuple[Convert, ...] = (),
        sample: bool = False,
        function: str = "",
    ) -> None:
        self.function = function or _name_policy(policy)
        self.sample = sample
        self._policy = policy
        self._observed, self._acted, self._played = observed, acted, played
        self._observe, self._act = observe, act

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        if self._played is not None and self._played != brief.action_space:
            return f"it was trained with the actions {self._played}, and this seat has {brief.action_space}"
        return None

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._space = self._acted or brief.action_space
        self._rng = context.rng
        self._state: Any = None
        self._first = True

    async def perceive(self, moment: Moment) -> None:
        self._moment = moment

    async def act(self) -> Action:
        with guarded(f"policy {self.function!r}"):
            observation = self._moment.observation
            for convert in self._observe:
                observation = convert(observation)
            if self._first and self._observed is not None and not self._observed.contains(observation):
                raise StudyError(
                    f"policy {self.function!r} was trained with observations in {self._observed}, and the first one here is not in "
                    "it; make the environment and play with the same options"
                )
            action = self._read_action(self._ask(observation))
            for convert in self._act:
                action = convert(action)
        self._first = False
        return int(action) if isinstance(action, np.integer) else action

    async def answer(self, question: Question) -> Answer | Invalid:
        raise InternalError("a policy is asked no questions")

    def _ask(self, observation: Any) -> Any:
        """What the policy returns, arrays as NumPy's."""
        if hasattr(self._policy, "predict"):
            action, self._state = self._policy.predict(
                observation,
                state=self._state,
                episode_start=np.array([self._first]),
                deterministic=True,
            )
            return action
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(self._policy, torch.nn.Module):
            with torch.no_grad():
                return self._policy(_make_batch(torch, observation))[0].cpu().numpy()
        output = self._policy(observation)
        return output.detach().cpu().numpy() if hasattr(output, "detach") else output

    def _read_action(self, output: Any) -> Action:
        """The action that ``output`` means: itself, or the largest (or a drawn one) of n preferences.

        Raises:
            StudyError: it is neither an action nor n preferences that are numbers.
        """
        space = self._space
        expected = f"an action of {space}"
        if not isinstance(space, Discrete):
            if space.contains(output):
                return output
        else:
            array = np.asarray(output)
            if array.dtype.kind == "f" and array.shape == (space.n,) and not np.isnan(array).any():
                return int(space.start) + (self._draw(array) if self.sample else int(array.argmax()))
            if array.dtype.kind in "iu" and array.size == 1 and space.contains(int(array.item())):
                return int(array.item())
            expected += f", or {space.n} floats without NaN, one for each action"
        raise StudyError(f"policy {self.function!r} returned {str(output)[:60]!r}, and not {expected}")

    def _draw(self, preferences: np.ndarray[Any, Any]) -> int:
        """An action from the softmax of ``preferences``, float[n]."""
        top = preferences.max()
        weights = [exp(float(value) - float(top)) if value < top else 1.0 for value in preferences]
        return self._rng.choices(range(len(weights)), weights)[0]


def _name_policy(policy: Policy) -> str:
    """``module:name``; where this does not import ``policy``, with ``#`` and a digest of its code and all that it holds.

    Where that cannot be written down, a running number takes the place of the digest, so that no two policies have one name.
    """
    kind = policy if hasattr(policy, "__qualname__") else type(policy)
    name = f"{kind.__module__}:{kind.__qualname__}"
    with suppress(ImportError, AttributeError, ValueError):
        if kind.__module__ != "__main__" and resolve_name(name) is policy:
            return name
    try:
        return f"{name}#{sha256(pickle.dumps(_describe(policy, ()))).hexdigest()[:12]}"
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RuntimeError):
        return f"{name}#{next(NUMBERS)}"


def _describe(value: object, within: tuple[object, ...]) -> object:
    """What ``value`` computes, as data: of a function its code and what that reads, anything else as it is."""
    if isinstance(value, CodeType):
        constants = [_describe(constant, within) for constant in value.co_consts]
        return value.co_code, value.co_names, value.co_varnames, constants
    if isinstance(value, ModuleType):
        return value.__name__
    if not isinstance(value, FunctionType):
        return value
    if value in within:  # it calls itself
        return value.__qualname__
    held = (
        *(value.__defaults__ or ()),
        *(value.__kwdefaults__ or {}).items(),
        *(cell.cell_contents for cell in value.__closure__ or ()),
        *(value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__),
    )
    within = (*within, value)
    return _describe(value.__code__, within), [_describe(each, within) for each in held]


@minds.register("policy")
def import_policy(function: str) -> PolicyMind:
    """The policy ``function``, ``module:name``: what ``otherminds.policy`` made, or a function of the world's observations.

    The module must be importable, also in the worker processes of a study: it is installed, or in a folder of
    ``PYTHONPATH``.

    Raises:
        StudyError: there is no such module or name.
    """
    if not all(function.partition(":")):
        raise StudyError(f"a policy is named as 'module:name', not {function!r}")
    with guarded(f"policy {function!r} cannot be imported"):
        policy = resolve_name(function)
    if not isinstance(policy, PolicyMind):
        return PolicyMind(policy, function=function)
    mind = copy(policy)
    mind.function = function
    return mind


def _make_batch(torch: Any, observation: Any) -> Any:
    """``observation`` as a tensor with a batch axis of one, or a dictionary of them."""
    if isinstance(observation, dict):
        return {name: _make_batch(torch, part) for name, part in observation.items()}
    return torch.as_tensor(np.asarray(observation)[None])
