"""The checks of the conformance kit on scenarios: what one declares, and what its scaffold reads and plans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Any, get_args
from unittest import SkipTest

import msgspec

from otherminds.core.contracts import ENTRIES, PlanningScaffold, RememberedSighting, Scaffold, Step
from otherminds.core.data import Brief, Encounter, Invalid, Moment, Question
from otherminds.core.encoding import encode
from otherminds.core.errors import OtherMindsError, WorldError
from otherminds.core.record import Record, SeatSpec, Timing
from otherminds.core.scenario import Independent, Setup
from otherminds.games.automata import check
from otherminds.play.loop import play
from otherminds.testing.compare import FAULTS, alike, form, keeping, plain, promise
from otherminds.testing.episodes import RandomMind, pair_answers
from otherminds.testing.minds import Yielding
from otherminds.testing.verbalizers import MessagePromises, ScenarioCase, hear_episode

SLACK = 1e-9
DRAWS = 2000


class PopulationPromises(ScenarioCase):
    """Checks on the id, the population, the priors and the references."""

    def test_id_is_versioned(self) -> None:
        """The id ends with its version: a change of dynamics is a new scenario."""
        name = self.make_scenario().id
        promise(
            bool(re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*-v[0-9]+", name)),
            "an id of words joined by hyphens that ends with its version, such as 'rps-single-v1'",
            f"it is {name!r}",
        )

    def test_population_is_a_distribution(self) -> None:
        """Weights are positive and sum to 1; each member fills every seat that is not under test."""
        scenario = self.make_scenario()
        weights = [weight for weight, _ in scenario.population.members]
        promise(
            bool(weights) and min(weights) > 0 and sum(weights) == 1,
            "positive weights that sum to 1",
            f"they are {[str(weight) for weight in weights]}",
        )
        seats = scenario.others
        for _, specs in scenario.population.members:
            promised = f"a member of the population fills the seats {seats}"
            promise(len(specs) == len(seats), promised, f"one has {len(specs)} partners")

    def test_schedule_is_balanced(self) -> None:
        """Each member has exactly its weight in the schedule; with independent seats, approximately."""
        population = self.make_scenario().population
        if isinstance(population, Independent):
            _check_draws(population)
            return
        schedule = population.schedule()
        met = Counter(encode(specs) for specs in schedule)
        expected: dict[bytes, Fraction] = {}
        for weight, specs in population.members:
            expected[encode(specs)] = expected.get(encode(specs), Fraction(0)) + weight * len(schedule)
        promise(
            dict(met) == expected,
            "each member comes up in the schedule exactly as its weight says: "
            f"{[str(n) for n in expected.values()]} times in {len(schedule)}",
            f"they come up {[met[specs] for specs in expected]} times",
        )

    def test_every_member_plays(self) -> None:
        """Every member plays an episode that does not fail, and is recorded."""
        scenario = self.make_scenario()
        for _, specs in scenario.population.members:
            titles = _titles(specs)
            try:
                record = self.episode(self.seeds[0], specs)
            except (OtherMindsError, *FAULTS) as error:
                raise AssertionError(
                    f"promised: {titles} can be seated; happened: {type(error).__name__}: {error}"
                ) from error
            ended = record.outcome
            promise(
                ended.status == "scored",
                f"an episode of legal minds with {titles} is scored",
                f"it was {ended.status} at step {ended.step}: {ended.reason}",
            )
            filled = set(record.partners) == set(scenario.others)
            promise(filled, "the record says who was met in each seat", f"it names {record.partners}")

    def test_priors_are_distributions(self) -> None:
        """The members of a prior have positive weights that sum to 1, and automata that fit the game."""
        scenario = self.make_scenario()
        for name, prior in scenario.priors.items():
            weights = [member.weight for member in prior()]
            promise(
                abs(sum(weights) - 1) < SLACK and min(weights) > 0,
                f"the prior {name!r} has positive weights that sum to 1",
                f"they are {weights}",
            )
            for member in prior():
                if scenario.game is not None:
                    with keeping(f"the prior {name!r} has automata that fit the game", WorldError):
                        check(member.automaton, scenario.game)

    def test_references_are_ordered(self) -> None:
        """Best responses earn on average at least as much as the best blind plan; a missing reference has a reason."""
        for _, specs in self.make_scenario().population.members:
            bounds = self.episode(self.seeds[0], specs).bounds
            if bounds is None:
                continue
            if bounds.best is None or bounds.blind is None:
                promise(bool(bounds.reason), "a reference that is not known has its reason", f"{bounds}")
                continue
            promise(
                bounds.best >= bounds.blind - SLACK,
                "best responses earn on average at least what the blind plan earns",
                f"with {_titles(specs)} they earn {bounds.best}, the blind plan {bounds.blind}",
            )


def _check_draws(population: Independent) -> None:
    """In every seat, over many episodes, the frequency of each partner is its share (within 5 sigma)."""
    met = population.meet(DRAWS)
    promise(met[:10] == population.meet(10), "more episodes leave the first as they were", "they do not")
    for seat in range(population.seats):
        counts = Counter(encode(specs[seat]) for specs in met)
        for share, (spec, *_) in population.members:
            expected = float(share) * DRAWS
            count = counts[encode(spec)]
            promised = f"{spec.title} is drawn about {expected:.0f} times in {DRAWS} episodes in seat {seat}"
            promise(abs(count - expected) <= 5 * expected**0.5, promised, f"it was drawn {count} times")


def _titles(specs: tuple[SeatSpec, ...]) -> str:
    return " and ".join(spec.title for spec in specs) or "no partner"


class ProbePromises(ScenarioCase):
    """Checks on probes, as declared and as asked."""

    def test_questions_are_sound(self) -> None:
        """Ids differ; seats exist; options differ and are at least two, unless the question is open."""
        for seed in self.seeds:
            self._check(self._questions(seed))

    def _check(self, questions: list[Question]) -> None:
        seats = self.make_scenario().world().possible_agents
        ids = [question.id for question in questions]
        promise(len(set(ids)) == len(ids), "questions have different ids", f"they are {ids}")
        for question in questions:
            for seat in (question.seat, question.about or question.seat):
                promise(seat in seats, f"{question.id!r} names seats of {seats}", f"it names {seat!r}")
            options = question.options
            promise(
                len(options) != 1 and all(option not in options[:i] for i, option in enumerate(options)),
                f"{question.id!r} has two or more different options, or none",
                f"they are {options}",
            )
            promise(
                not question.truth_is or question.truth_is in set(ids) - {question.id},
                f"the truth of {question.id!r} is the answer to another question of {ids}",
                f"truth_is names {question.truth_is!r}",
            )

    def test_chances_are_right(self) -> None:
        """The chance of a question is one over the number of its options, unless declared in ``chances``."""
        for question in (question for seed in self.seeds for question in self._questions(seed)):
            declared = bool(question.options) or question.id in self.chances
            promised = f"the chance of the open question {question.id!r} is declared in `chances`"
            promise(declared, promised, "it is not")
            expected = self.chances[question.id] if question.id in self.chances else 1 / len(question.options)
            right = isclose(question.chance, expected, abs_tol=1e-12)
            promise(right, f"the chance of {question.id!r} is {expected}", f"it is {question.chance}")

    def test_truths_are_options(self) -> None:
        """Every truth of an episode is one of the question's options, or None."""
        for seed in self.seeds:
            for answer, question in pair_answers(self.once(seed)):
                promise(
                    answer.truth is None or not question.options or answer.truth in question.options,
                    f"the truth of {question.id!r} is one of {question.options}, or None",
                    f"under seed {seed} at step {answer.step} it is {answer.truth!r}",
                )

    def test_probes_are_put(self) -> None:
        """Each probe of a seat under test is asked at least once, and some question has a true answer, under some seed."""
        entries = [entry for seed in self.seeds for entry in pair_answers(self.once(seed))]
        ids = {question.id for _, question in entries}
        focal = self.make_scenario().focal
        put = (
            question for seed in self.seeds for question in self._questions(seed) if question.seat in focal
        )
        for question in put:
            never = f"it never was under the seeds {self.seeds}"
            promise(question.id in ids, f"{question.id!r} is put", never)
        has_truth = not entries or any(entry.truth is not None for entry, _ in entries)
        promise(has_truth, "some truth comes to be", f"none did under the seeds {self.seeds}")

    def _questions(self, seed: int) -> list[Question]:
        """The questions of the episode under ``seed``."""
        scenario = self.make_scenario()
        return [probe.question for probe in scenario.probes_for(scenario.drawn(seed))]


class EpisodePromises(ScenarioCase):
    """A scenario's part in :class:`~otherminds.testing.episodes.RecordPromises`, and its draws."""

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        scenario = self.make_scenario()
        minds = [{seat: Yielding(RandomMind()) for seat in scenario.focal} for _ in seeds]
        return [play(Setup(scenario, mine, seed)) for mine, seed in zip(minds, seeds, strict=True)]

    def perishable(self, record: Record) -> str:
        return f"its draws {record.drawn}, facts {record.facts} or encounters"

    def test_draws_are_json(self) -> None:
        """``draw`` and ``arrange`` depend on the seed only and return JSON."""
        scenario = self.make_scenario()
        for seed in self.seeds:
            draw, again = (scenario.drawn(seed) for _ in range(2))
            same = form(draw) == form(again)
            promise(same, "draw and arrange give the same for the same seed", f"{draw} and {again}")
            round_trips = plain(msgspec.json.decode(form(draw))) == plain(draw)
            promise(round_trips, "draw and arrange give JSON", f"JSON cannot give back {draw}")


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


class ScenarioConformance(
    PopulationPromises, EpisodePromises, ProbePromises, MessagePromises, ScaffoldPromises
):
    """Inherit this in a test class and write ``make_scenario``.

    See :class:`~otherminds.testing.verbalizers.ScenarioCase`.
    """
