"""The state of one episode: its world, seats, grants and probes."""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import Controller, Mind, Probe
from otherminds.core.data import (
    Action,
    Brief,
    Encounter,
    Ended,
    Moment,
    Partner,
    Seat,
    SkillChoice,
    WeightedPolicy,
    When,
)
from otherminds.core.errors import StudyError
from otherminds.core.seat_context import Now, SeatContext
from otherminds.core.seeds import derive, stream
from otherminds.core.setup import Setup
from otherminds.core.world import World


class SeatRuntime:
    """One seat while an episode is played."""

    def __init__(self, seat: Seat, mind: Mind, context: SeatContext, brief: Brief) -> None:
        self.seat, self.mind, self.context, self.brief = seat, mind, context, brief
        self.perceive, self.act, self.answer = mind.perceive, mind.act, mind.answer
        self.controller: Controller | None = None
        self.doing: SkillChoice | None = None
        self.ended: Ended | None = None
        self.pending: Action | None = None
        self.moment = Moment(0, None)
        self.met: list[Encounter] = []


class EpisodeState:
    """An episode that is ready to be played: its world, seats, probes and partners.

    Raises:
        StudyError: a mind does not fit its seat, or lacks a grant or a model.
    """

    def __init__(self, setup: Setup) -> None:
        self.spec = spec = setup.spec
        self.scenario = scenario = setup.scenario
        self.now = Now()
        self.world: World = scenario.world()
        self.seats: tuple[Seat, ...] = tuple(self.world.possible_agents)
        everyone, self.partners = self._fill(setup)
        self.drawn = scenario.drawn(spec.seed)
        self.observations, self.infos = self.world.reset(
            seed=derive(spec.seed, "world") % 2**31,
            options={"grants": {seat: self._grants(seat, everyone[seat]) for seat in self.seats}},
        )
        self.runtimes: list[SeatRuntime] = []
        for seat in self.seats:
            mind = everyone[seat]
            model = setup.participants[seat].model if seat in setup.participants else None
            words = scenario.verbalizer(self.drawn, seat) if scenario.verbalizer else None
            context = SeatContext(seat, spec.seed, self.now, words, model)
            brief = self.world.brief(seat)
            if (reason := mind.suits(brief, context)) is not None:
                raise StudyError(f"{self._unfit(seat)}: {reason}")
            try:
                mind.begin(brief, context)
            except StudyError as error:
                raise StudyError(f"{self._unfit(seat)}: {error}") from error
            self.runtimes.append(SeatRuntime(seat, mind, context, brief))
        self.oracle = self._oracle()
        probes = tuple(
            probe
            for probe in (scenario.probes_for(self.drawn) if spec.ask else ())
            if everyone[probe.question.seat].answers
        )
        self.questions = tuple(probe.question for probe in probes)
        due: dict[When, list[tuple[SeatRuntime, int, Probe]]] = {"before": [], "after": [], "end": []}
        runtimes = dict(zip(self.seats, self.runtimes, strict=True))
        for i, probe in enumerate(probes):
            due[probe.question.when].append((runtimes[probe.question.seat], i, probe))
        self.before, self.after, self.closing = due["before"], due["after"], due["end"]
        if len(self.closing) > 1:
            # Shuffled, so that their order gives no hint of their purpose.
            stream(spec.seed, "closing").shuffle(self.closing)

    @property
    def suspending(self) -> int:
        """The number of seats whose minds await something outside."""
        return sum(runtime.mind.suspends for runtime in self.runtimes)

    def _unfit(self, seat: Seat) -> str:
        return f"mind {self.spec.seats[seat].called!r} does not fit seat {seat!r} of {self.spec.scenario!r}"

    def _fill(self, setup: Setup) -> tuple[dict[Seat, Mind], dict[Seat, Partner]]:
        everyone: dict[Seat, Mind] = {}
        partners: dict[Seat, Partner] = {}
        for seat in self.seats:
            if seat in setup.participants:
                everyone[seat] = setup.participants[seat].sit(self.scenario)
            else:
                everyone[seat], partners[seat] = self.scenario.partner(self.spec.seats[seat], seat)
        return everyone, partners

    def _grants(self, seat: Seat, mind: Mind) -> dict[str, Any]:
        """The values of the privileges that the spec declares for ``seat``."""
        declared = self.spec.grants.get(seat, ())
        missing = mind.grants.difference(declared)
        if missing:
            raise StudyError(
                f"the mind in seat {seat!r} needs the grants {sorted(missing)}, which the episode does not declare"
            )
        values: dict[str, Any] = {}
        scenario = self.scenario
        for grant in declared:
            if grant == "payoffs":
                if scenario.game is not None:  # a world without a game has no payoffs
                    values["game"] = scenario.game if seat == self.seats[0] else scenario.game.flipped()
            elif grant in scenario.priors:
                values["partners"] = scenario.priors[grant]()
            elif grant == "next_action":
                pass  # honoured by the loop, step by step
            elif grant in scenario.grants:
                values |= _with(values, grant, scenario.grants[grant](seat))
            elif grant == "policy":
                policies = self._policies(seat)
                values |= {"partners": policies["partners"]} | _with(values, "secrets", policies["secrets"])
            else:
                who = self.spec.seats[seat].called
                raise StudyError(
                    f"scenario {scenario.id!r} has no grant {grant!r}, which is given to {who!r}"
                )
        return values

    def _policies(self, seat: Seat) -> dict[str, Any]:
        """The policies of the others: as automata, or by name where they have none."""
        others = {other: partner for other, partner in self.partners.items() if other != seat}
        several = len(others) > 1
        return {
            "partners": tuple(
                WeightedPolicy(1.0, partner.automaton, other if several else "")
                for other, partner in others.items()
                if partner.automaton is not None
            ),
            "secrets": tuple(
                f"{other} is {partner.name}" for other, partner in others.items() if partner.automaton is None
            ),
        }

    def _oracle(self) -> SeatRuntime | None:
        """The seat that is granted ``next_action``, if any: it decides last."""
        granted = [r for r in self.runtimes if "next_action" in self.spec.grants.get(r.seat, ())]
        if not granted:
            return None
        if len(granted) > 1:
            raise StudyError("two seats are granted 'next_action'; only one can decide last")
        (last,) = granted
        if any(
            seat != last.seat and getattr(self.world.action_space(seat), "n", 0) != len(behaviours)
            for seat, behaviours in last.brief.behaviours.items()
        ):
            raise StudyError(
                f"scenario {self.scenario.id!r} has no grant 'next_action': its actions are not behaviours"
            )
        return last


def _with(values: dict[str, Any], grant: str, value: Any) -> dict[str, Any]:
    """``value`` under the name of its grant; secrets of several grants are joined."""
    return {grant: (*values.get(grant, ()), *value) if grant == "secrets" else value}
