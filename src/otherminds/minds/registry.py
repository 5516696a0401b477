"""The registries of minds and of prompting strategies, and the minds and the setup that a specification names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from otherminds.core.contracts import Mind
from otherminds.core.data import Seat
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import EpisodeSpec, SeatSpec
from otherminds.core.registry import Registry, guarded
from otherminds.core.scenario import Participant, Scenario, Setup, scenario
from otherminds.core.wording import PACK
from otherminds.minds.language.requests import RequestOptions, check_options
from otherminds.minds.language.strategy import LanguageMind, Strategy

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


minds: Registry[Callable[..., Mind]] = Registry("mind", "otherminds.minds", attributes=MIND)
strategies = Strategies("strategy", "otherminds.minds.language.strategies", "strategies", STRATEGY)


def make_mind(spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names, or with a model the prompting strategy.

    Minds that suspend use a language model too, and are no strategies.

    Raises:
        StudyError: no such mind or strategy, an invalid parameter, or a missing or superfluous model.
    """
    if spec.mind in minds and getattr(minds.get(spec.mind), "suspends", False):
        if not spec.model:
            raise StudyError(f"mind {spec.mind!r} needs a language model: write '{spec.mind}@MODEL'")
        return minds.make(spec.mind, spec.params)
    if spec.model:
        if spec.mind in minds and spec.mind not in strategies:
            raise StudyError(f"mind {spec.mind!r} uses no language model; leave out {spec.model!r}")
        return strategies.make(spec.mind, spec.params)
    if spec.mind not in minds and spec.mind in strategies:
        raise StudyError(f"strategy {spec.mind!r} needs a language model: write '{spec.mind}@MODEL'")
    return minds.make(spec.mind, spec.params)


def prepare_setup(spec: EpisodeSpec, models: Mapping[str, Model] | None = None) -> Setup:
    """The setup of ``spec``; ``models`` are open models by their names in ``spec``.

    Raises:
        StudyError: the episode would differ from the planned one, since a plugin's mind or model
            has another name than the one it was requested by.
    """
    setup = setup_of(spec, scenario(spec.scenario, spec.options), models or {})
    if setup.spec != spec:
        raise StudyError(
            f"{setup.spec.title} with {', '.join(seat.called for seat in setup.spec.seats.values())} would be "
            f"played, and {spec.title} with {', '.join(seat.called for seat in spec.seats.values())} was planned; "
            "a registered thing must return a new object, and a model must have the name it is opened by as its spec"
        )
    return setup


def setup_of(spec: EpisodeSpec, built: Scenario, models: Mapping[str, Model]) -> Setup:
    """The setup of ``spec`` in its ``built`` scenario, with ``models`` by the names in ``spec``."""
    partners = {seat: who for seat, who in spec.seats.items() if is_partner(built, seat, who)}
    return Setup(
        built,
        {
            seat: Participant(make_seated(built, who), models[who.model] if who.model else None, who.label)
            for seat, who in spec.seats.items()
            if seat not in partners
        },
        spec.seed,
        partners,
        spec.grants,
        spec.ask,
        spec.label,
        spec.arm,
    )


def is_partner(built: Scenario, seat: Seat, spec: SeatSpec) -> bool:
    """Whether ``spec`` in ``seat`` is a partner that the scenario itself makes, whose policy it may know.

    In a seat that is not under test, a name that the scenario has for partners is a partner; anything with a language
    model, and any other name of a mind, is a mind. An unknown name counts as a partner: making it says what is wrong.
    """
    if seat in built.focal or spec.model:
        return False
    if spec.mind not in built.minds and spec.mind not in minds and spec.mind not in strategies:
        return True
    try:
        with guarded(f"partner {spec.mind!r}"):
            built.partner(spec, seat)
    except StudyError:
        return False
    return True


def models_of(spec: EpisodeSpec) -> tuple[str, ...]:
    """The language models of an episode, each once, in the order of seats."""
    return tuple(dict.fromkeys(seat.model for seat in spec.seats.values() if seat.model))


def make_seated(built: Scenario, spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names; the scenario's own minds take precedence.

    Raises:
        StudyError: no such mind, or a bad parameter.
    """
    if not spec.model and spec.mind in built.minds:
        return built.make(spec.mind, spec.params)
    if not spec.model and built.minds and spec.mind not in minds and spec.mind not in strategies:
        own = ", ".join(sorted(built.minds))
        raise StudyError(
            f"no mind is called {spec.mind!r}; {built.id} has its own ({own}), and see `otherminds list minds`"
        )
    return make_mind(spec)
