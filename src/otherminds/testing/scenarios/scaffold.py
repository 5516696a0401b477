"""The checks on scaffolds: behaviours are read back, plans are valid, and only the own part is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args
from unittest import SkipTest

import msgspec

from otherminds.core.data import Brief, Encounter, Invalid, Moment
from otherminds.core.scaffold import ENTRIES, PlanningScaffold, RememberedSighting, Scaffold, Step
from otherminds.testing.compare import alike, form, promise
from otherminds.testing.scenarios.case import ScenarioCase, hear_episode

EXAMPLES = 3
NOBODY = "nobody of this name"
NO_CALLS = ("", "(", "go to the north", "move_to", "exit()", "().__class__", "(" * 1000)


@dataclass(frozen=True)
class SeatScaffolds:
    """One seat of a played episode: two equal scaffolds, its brief and its moments."""

    scaffold: Scaffold
    twin: Scaffold
    brief: Brief
    moments: list[Moment]

    def encounters(self) -> Iterator[tuple[Encounter, list[Moment]]]:
        """Every encounter, with the moments since the previous one."""
        since: list[Moment] = []
        for moment in self.moments:
            since.append(moment)
            for encounter in moment.encounters:
                yield encounter, since
            if moment.encounters:
                since = []

    def list_texts(self, scaffold: Scaffold) -> list[str]:
        """All texts of ``scaffold`` in this episode."""
        texts = [scaffold.system(self.brief), scaffold.clues(), *scaffold.strategies()]
        texts += [scaffold.hints(step) for step in get_args(Step)]
        texts += [repr(scaffold.choices(seat)) for seat in (self.brief.seat, *self.brief.others)]
        texts += [repr(scaffold.heard(encounter, since)) for encounter, since in self.encounters()]
        if isinstance(scaffold, PlanningScaffold):
            texts += [scaffold.skills(), repr(scaffold.plans())]
            memories: list[RememberedSighting] = []
            for moment in self.moments:
                memories += [
                    RememberedSighting(sighting, moment.step) for sighting in scaffold.sightings(moment)
                ]
            for moment in (self.moments[0], self.moments[-1]):
                texts += [scaffold.scene(moment), scaffold.state(moment), scaffold.recall(memories, moment)]
        return texts


class ScaffoldPromises(ScenarioCase):
    """Checks on the scaffold of every seat, after an episode of random minds."""

    def test_behaviours_are_written_and_read_back(self) -> None:
        """Every behaviour of every seat is read back, also after JSON, and is among the choices once."""
        for worded in self._seat_scaffolds():
            scaffold = worded.scaffold
            for seat in (worded.brief.seat, *worded.brief.others):
                behaviours = worded.brief.behaviours[seat]
                for behaviour in behaviours:
                    wording = scaffold.written(behaviour, seat)
                    retold = scaffold.retold(wording, seat)
                    copies = [msgspec.json.decode(form(value)) for value in (wording, retold)]
                    for value in (wording, retold, *copies):
                        read = scaffold.read(value, seat)
                        promised = f"{behaviour!r} of {seat!r}, written {value!r}, is read back"
                        promise(read == behaviour, promised, f"it is read as {read!r}")
                choices = [scaffold.read(value, seat) for value in scaffold.choices(seat)]
                once = sorted(map(repr, choices)) == sorted(map(repr, behaviours))
                promise(once, f"the choices of {seat!r} are {behaviours}, each once", f"they are {choices}")

    def test_every_entry_has_a_key_of_its_own(self) -> None:
        """Entries of dictionaries have different keys."""
        for worded in self._seat_scaffolds():
            keys = [worded.scaffold.key(name) for name in ENTRIES]
            promise(len({*keys}) == len(keys), "every entry has a key of its own", f"they are {keys}")

    def test_others_are_named(self) -> None:
        """Each other seat is found by its name; no other name is found."""
        for worded in self._seat_scaffolds():
            for seat in worded.brief.others:
                name = worded.scaffold.name(seat)
                answer = worded.scaffold.seat(name)
                promise(answer == seat, f"{name!r}, as {seat!r} is called, is {seat!r}", f"it is {answer!r}")
            answer = worded.scaffold.seat(NOBODY)
            promise(answer is None, f"{NOBODY!r} is no seat", f"it is {answer!r}")

    def test_worked_plans_are_valid(self) -> None:
        """There are three worked plans of the world's skills; a text that is no call is invalid."""
        for worded in self._seat_scaffolds():
            scaffold = worded.scaffold
            if not isinstance(scaffold, PlanningScaffold):
                continue
            worked = scaffold.plans()
            promise(len(worked) == EXAMPLES, f"{EXAMPLES} worked plans", f"there are {len(worked)}")
            for _, calls in worked:
                plan = scaffold.plan(calls)
                promise(
                    not isinstance(plan, Invalid)
                    and len(plan) == len(calls)
                    and all(do.name in worded.brief.skills for do in plan),
                    f"the worked plan {calls} is one of skills of {worded.brief.skills}, a skill a call",
                    f"it is read as {plan!r}",
                )
                for junk in NO_CALLS:
                    plan = scaffold.plan([*calls, junk])
                    refused = isinstance(plan, Invalid) and bool(plan.reason)
                    promised = f"a plan with the call {junk[:20]!r} is Invalid and says why"
                    promise(refused, promised, f"it is read as {plan!r}")

    def test_only_the_own_part_is_heard(self) -> None:
        """The text of an encounter does not depend on the behaviours of other seats."""
        for worded in self._seat_scaffolds():
            for encounter, since in worded.encounters():
                account = form(worded.scaffold.heard(encounter, since))
                for other in _others(encounter, worded.brief):
                    again = form(worded.scaffold.heard(other, since))
                    promise(
                        account == again,
                        f"{worded.brief.seat!r} tells itself of an encounter by its own part",
                        f"with {other.did} for {encounter.did} it differs: {account.decode()}, {again.decode()}",
                    )

    def test_scaffolds_are_stateless(self) -> None:
        """Two scaffolds of one draw, one of them through JSON, return the same texts at every call."""
        for worded in self._seat_scaffolds():
            first = worded.list_texts(worded.scaffold)
            for again in (worded.list_texts(worded.scaffold), worded.list_texts(worded.twin)):
                alike(first, again, "a scaffold says the same again")

    def _seat_scaffolds(self) -> list[SeatScaffolds]:
        """Every seat with each scaffold, after an episode of random minds."""
        scenario = self.make_scenario()
        make = scenario.verbalizer
        draw = scenario.drawn(self.seeds[0])
        if make is None or not any(make(draw, seat).scaffolds for seat in scenario.seats):
            raise SkipTest("this scenario has no scaffold")
        draw, minds = hear_episode(type(self))
        copy: dict[str, Any] = msgspec.json.decode(form(draw))
        return [
            SeatScaffolds(scaffold, make(copy, seat).scaffolds[name], mind.brief, mind.moments)
            for seat, mind in minds.items()
            for name, scaffold in make(draw, seat).scaffolds.items()
        ]


def _others(encounter: Encounter, brief: Brief) -> Iterator[Encounter]:
    """The encounter with other behaviours of the other seats: each single one, and all together."""
    for seat in encounter.did:
        if seat != brief.seat:
            behaviours = brief.behaviours[seat]
            for did in (*((behaviour,) for behaviour in behaviours), behaviours):
                yield Encounter(encounter.step, {**encounter.did, seat: did}, encounter.reward)
