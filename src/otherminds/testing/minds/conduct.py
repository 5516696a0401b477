"""What a mind does in its seat: legal actions, declared grants, clean hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Brief
from otherminds.core.errors import InternalError
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.testing.compare import FAULTS, difference, promise
from otherminds.testing.episodes import body, played
from otherminds.testing.minds.case import MindCase
from otherminds.testing.wrappers import Around, Lawful, Listening


class ConductPromises(MindCase):
    """Checks on what a mind makes, takes and touches."""

    def test_actions_are_legal(self) -> None:
        """What a mind does is in its action space, a skill of its brief, or ``Invalid``; no episode fails."""
        for seed in self.seeds:
            record = self.episode(seed, lambda mind, scenario: Lawful(mind))
            promise(
                record.outcome.status != "failed",
                f"a legal mind's episode under seed {seed} does not fail",
                f"{record.outcome.blame}: {record.outcome.reason}",
            )

    def test_moments_are_left_alone(self) -> None:
        """A mind changes nothing in its brief or in a moment, when it hears it or later."""
        for seed in self.seeds:
            around: list[Listening] = []

            def listen(mind: Mind, scenario: Scenario, around: list[Listening] = around) -> Mind:
                around.append(Listening(mind))
                return around[-1]

            self.episode(seed, listen)
            for listening in around:
                listening.demand_untouched()

    def test_declared_grants_suffice(self) -> None:
        """A mind plays with the grants that it declares, and its brief holds no others."""
        for seed in self.seeds:
            try:
                self.episode(seed, partial(_Ungranted, told=self.told))
            except FAULTS as error:
                raise AssertionError(
                    f"promised: a mind plays with its declared grants {sorted(self.make_mind().grants)} alone; "
                    f"happened: {type(error).__name__}: {error}"
                ) from error

    def test_undeclared_grants_are_not_used(self) -> None:
        """Privileges that a mind does not declare change nothing for it."""
        scenario = self.make_scenario()
        for seed in self.seeds:
            plain = self.episode(seed)
            for grant in self._undeclared(scenario):
                favoured = played(_with(self.setup(seed), grant))
                promise(
                    body(plain) == body(favoured),
                    f"a mind that does not declare the grant {grant!r} does not use it",
                    f"with it the record differs {difference(body(plain), body(favoured))}",
                )

    def test_waits_only_if_it_says_so(self) -> None:
        """A mind whose ``suspends`` is false never waits for anything outside."""
        try:
            self.episode(self.seeds[0])
        except InternalError as error:
            raise AssertionError(
                f"promised: `suspends` tells whether a mind waits; happened: {error}"
            ) from error

    def _undeclared(self, scenario: Scenario) -> Iterator[str]:
        """The grants that the scenario has and the mind does not declare.

        Only one can say who the partner is, so a mind that declares one such is given no other.
        """
        declared = self.make_mind().grants
        partners = {*scenario.priors, "policy"}
        if scenario.game is not None and "payoffs" not in declared:
            yield "payoffs"
        if not declared & partners:
            yield from sorted(partners)
        yield from sorted(set(scenario.grants) - declared)


class _Ungranted(Around):
    """Demands that the brief holds nothing that the mind does not declare, but what the world tells anyway."""

    def __init__(self, inner: Mind, scenario: Scenario, told: frozenset[str]) -> None:
        super().__init__(inner)
        self.scenario = scenario
        self.told = told

    def begin(self, brief: Brief, context: MindContext) -> None:
        held = {
            "payoffs": brief.game,
            "partners": brief.partners,
            **{grant: getattr(brief, grant, None) for grant in self.scenario.grants},
        }
        declared = {*self.grants, *self.told}
        if declared & {*self.scenario.priors, "policy"}:
            declared.add("partners")
        for grant, value in held.items():
            promise(
                grant in declared or not value,
                f"without the grant {grant!r} a brief does not hold it",
                f"that of {brief.seat!r} holds {value!r}",
            )
        super().begin(brief, context)


def _with(setup: Setup, grant: str) -> Setup:
    """``setup`` with one grant more for the seats under test."""
    more = {seat: (*sorted(who.mind.grants), grant) for seat, who in setup.participants.items()}
    return replace(setup, grants=more)
