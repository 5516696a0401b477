"""The native Melting Pot scenarios on the real engine: ``real-rws-repeated-0-v1`` and so on.

A scenario here is the native one with another world, known only where the engine
is installed. Its partners are the scripted bots; with ``bots="official"`` they are
Melting Pot's own, which need their models.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol

import msgspec
import numpy as np

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Partner, Question, Seat, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, SeatSpec
from otherminds.core.registry import call
from otherminds.core.scenario import Scenario, World, scenarios
from otherminds.gridworlds.cooking import scenarios as kitchen
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.scenarios import Noop
from otherminds.gridworlds.in_the_matrix import scenarios as matrix
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.melting_pot import SUBSTRATES, RealCooking, RealInTheMatrix, available, require

ASSETS = "OTHERMINDS_MELTING_POT_ASSETS"
"""The environment variable that says where Melting Pot's ``assets`` are: the folder that has ``saved_models``."""
OBSERVED = ("RGB", "INVENTORY", "READY_TO_SHOOT", "INTERACTION_INVENTORIES")
"""What an official bot is shown, as far as its substrate has it."""
OFFICIAL = "Official bots through a bridge that was tested with stand-ins for them alone"
"""The caution that goes with scores against official bots."""


class MeltingPotPolicy(Protocol):
    """Melting Pot's ``meltingpot.utils.policies.policy.Policy``; it keeps nothing but in its state."""

    def initial_state(self) -> Any:
        """The state before the first step."""
        ...

    def step(self, timestep: Any, prev_state: Any) -> tuple[int, Any]:
        """The action on a ``dm_env.TimeStep``, and the next state."""
        ...


Load = Callable[[str], MeltingPotPolicy]
"""Makes the policy of a bot, by its name without the substrate's."""


class OfficialBot(Mind):
    """A partner that does what one of Melting Pot's policies does.

    ``load`` makes the policy when an episode begins. Such policies draw from
    Python's global generator; here each has a stream of its own there.
    """

    answers = False

    def __init__(self, load: Callable[[], MeltingPotPolicy], grants: frozenset[str]) -> None:
        self.grants = grants
        self._load = load

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._dm_env = importlib.import_module("dm_env")
        self._policy = self._load()
        self._chance = Random(context.rng.getrandbits(64)).getstate()
        with self._drawing():
            self._state = self._policy.initial_state()

    async def perceive(self, moment: Moment) -> None:
        self._moment = moment

    async def act(self) -> Action | SkillChoice | Invalid:
        moment, dm_env = self._moment, self._dm_env
        first = moment.step == 0
        timestep = dm_env.TimeStep(
            step_type=dm_env.StepType.FIRST if first else dm_env.StepType.MID,
            reward=np.array(moment.reward),
            discount=0.0 if first else 1.0,
            observation={name: moment.observation[name] for name in OBSERVED if name in moment.observation},
        )
        with self._drawing():
            action, self._state = self._policy.step(timestep, self._state)
        return int(action)

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        others = random.getstate()
        random.setstate(self._chance)
        try:
            yield
        finally:
            self._chance = random.getstate()
            random.setstate(others)


def official(substrate: str, name: str) -> MeltingPotPolicy:
    """Bot ``name`` of ``substrate`` (our name), from the folder that the environment variable ``ASSETS`` names.

    Raises:
        StudyError: no such folder, no such bot in it, or no TensorFlow.
    """
    require()
    folder = os.environ.get(ASSETS)
    if not folder:
        raise StudyError(f"official bots need their models: set {ASSETS} to Melting Pot's assets folder")
    configs = importlib.import_module("meltingpot.configs.bots")
    config = configs.BOT_CONFIGS.get(f"{SUBSTRATES[substrate]}__{name}")
    if config is None:
        raise StudyError(f"Melting Pot has no bot {name!r} for {substrate}")
    model = Path(folder, "saved_models", Path(config.model_path).relative_to(configs.MODELS_ROOT))
    if not model.is_dir():
        raise StudyError(f"{ASSETS}: there is no {model.relative_to(folder)} in {folder}")
    try:
        bot = importlib.import_module("meltingpot.bot")
    except ModuleNotFoundError as error:
        raise StudyError(f"official bots need {error.name}: pip install tensorflow") from error
    return bot.build_from_config(replace(config, model_path=str(model)))


def real(native: Scenario, load: Load | None = None) -> Scenario:
    """``native`` on the real engine; with ``load``, its partners follow the policies that it makes.

    A partner that does nothing in ``native`` does nothing here, as in Melting Pot.

    Raises:
        StudyError: the real engine does not have its world.
    """

    def partner(met: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        scripted, recorded = native.partner(met, seat)
        if load is None or isinstance(scripted, Noop):
            return scripted, recorded
        return OfficialBot(partial(load, met.mind), frozenset({"inventories"} & set(native.grants))), recorded

    known_bounds = native.bounds

    def bounds(met: Mapping[Seat, SeatSpec]) -> Bounds:
        assert known_bounds is not None  # else this is not called
        scripted_bounds = known_bounds(met)
        return msgspec.structs.replace(scripted_bounds, reference=f"real-{scripted_bounds.reference}")

    return replace(
        native,
        id=f"real-{native.id}",
        world=lambda: _world(native.world(), rgb=load is not None),
        partner=partner,
        bounds=bounds if known_bounds else None,
        description=f"{native.description}, on the real engine"
        if load is None
        else f"{native.description.partition(';')[0]}; official bots, on the real engine",
        caution=native.caution if load is None else OFFICIAL,
    )


def _world(native: World, rgb: bool) -> World:
    if isinstance(native, InTheMatrixWorld):
        return RealInTheMatrix(native.rules, native.skills, native.rounds, rgb)
    if isinstance(native, CookingWorld):
        return RealCooking(native.rules, native.skills, native.rounds, rgb)
    raise StudyError(f"the real engine does not have the world {native.metadata['name']!r}")


def _bind_scenario(name: str) -> Callable[..., Scenario]:
    def make_scenario(
        steps: int | None = None, noise: float = 0.0, reach: str = "window", bots: str = "scripted"
    ) -> Scenario:
        if bots not in {"scripted", "official"}:
            raise StudyError(f"bots are 'scripted' or 'official', not {bots!r}")
        settings = {"steps": steps, "noise": noise or None, "reach": None if reach == "window" else reach}
        chosen = {option: value for option, value in settings.items() if value is not None}
        if bots == "official" and chosen.keys() - {"steps"}:
            raise StudyError("noise and reach are those of scripted bots; official ones have neither")
        native: Scenario = call(f"scenario 'real-{name}'", scenarios.get(name), chosen)
        substrate = max((key for key in SUBSTRATES if name.startswith(key.removesuffix("v1"))), key=len)
        return real(native, (lambda bot: official(substrate, bot)) if bots == "official" else None)

    return make_scenario


@scenarios.family
def every_real_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """Each native scenario as ``real-...``; nothing where the engine is not installed."""
    if not available():
        return {}
    known = tuple(substrate.removesuffix("v1") for substrate in SUBSTRATES)
    names = (*matrix.list_whole(), *(name for name in kitchen.every_scenario() if name.startswith(known)))
    return {f"real-{name}": _bind_scenario(name) for name in names}
