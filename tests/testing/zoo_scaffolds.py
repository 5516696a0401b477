"""Broken scaffolds: the toy scenario with each of them is caught by one check."""

from __future__ import annotations

from itertools import count
from typing import Any

from otherminds.core.contracts import Heard, PlanningScaffold
from otherminds.core.data import Invalid, SkillChoice
from tests.testing import zoo_scenarios as zoo

toys: Any = zoo.toys


class Worded(zoo.Specimen):
    """The toy with another scaffold."""

    Scaffold: Any = toys.ToyScaffold

    @property
    def scaffolds(self):
        return {"own": self.Scaffold}

    def make_scenario(self):
        kinds = self.scaffolds

        class Verbalizer(toys.ToyVerbalizer):
            @property
            def scaffolds(self):
                return {name: kind(self.order, self.seat) for name, kind in kinds.items()}

        self.parts = {"verbalizer": lambda drawn, seat: Verbalizer(tuple(drawn["order"]), seat)}
        return super().make_scenario()


class ReadsTheFirstOnly(Worded):
    caught_by, says = "test_behaviours_are_written_and_read_back", "'defect' of 'ego'"

    class Scaffold(toys.ToyScaffold):
        def read(self, value, seat):
            return "cooperate"


class WritesWhatJsonChanges(Worded):
    caught_by, says = "test_behaviours_are_written_and_read_back", "written .'COOPERATE'., is read back"

    class Scaffold(toys.ToyScaffold):
        def written(self, behaviour, seat):
            return (behaviour.upper(),)

        def read(self, value, seat):
            return super().read(value, seat) if isinstance(value, tuple) else Invalid("no tuple", str(value))


class ChoosesTwice(Worded):
    caught_by, says = "test_behaviours_are_written_and_read_back", "each once"

    class Scaffold(toys.ToyScaffold):
        def choices(self, seat):
            return super().choices(seat) * 2


class RetellsSomethingElse(Worded):
    caught_by, says = "test_behaviours_are_written_and_read_back", r"\['DEFECT'\], is read back"

    class Scaffold(toys.ToyScaffold):
        def retold(self, value, seat):
            return ["DEFECT"]


class CallsTwoEntriesAlike(Worded):
    caught_by, says = "test_every_entry_has_a_key_of_its_own", "a key of its own"

    class Scaffold(toys.ToyScaffold):
        def key(self, name):
            return "answer" if name in ("they_play", "i_play") else name


class HintsAnew(Worded):
    caught_by, says = "test_scaffolds_are_stateless", "says the same again"

    class Scaffold(toys.ToyScaffold):
        numbers = count()

        def hints(self, step):
            return f"Hint number {next(self.numbers)}."


class BreaksUnderAnotherName(Worded):
    """A scaffold that minds ask for by name is held to the same promises."""

    caught_by, says = "test_others_are_named", "is 'partner_0'; happened: it is None"

    @property
    def scaffolds(self):
        return {"own": self.Scaffold, "another": KnowsNobody.Scaffold}


class KnowsNobody(Worded):
    caught_by, says = "test_others_are_named", "is 'partner_0'; happened: it is None"

    class Scaffold(toys.ToyScaffold):
        def seat(self, name):
            return None


class KnowsEverybody(Worded):
    caught_by, says = "test_others_are_named", "is no seat"

    class Scaffold(toys.ToyScaffold):
        def seat(self, name):
            return "partner_0" if self.me == "ego" else "ego"


class Planning(toys.ToyScaffold, PlanningScaffold):
    """Plans with skills that its world does not have."""

    Worked = (("I wait.", ("wait()",)),) * 3

    def plans(self):
        return self.Worked

    def plan(self, calls):
        return tuple(SkillChoice(call.removesuffix("()")) for call in calls)


class PlansWithNoSkill(Worded):
    caught_by, says = "test_worked_plans_are_valid", r"SkillChoice\(name='wait'"
    Scaffold = Planning


class WorksOutTwoPlans(Worded):
    caught_by, says = "test_worked_plans_are_valid", "there are 2"

    class Scaffold(Planning):
        Worked = Planning.Worked[:2]


class PlansWhateverIsSaid(Worded):
    caught_by, says = "test_worked_plans_are_valid", "with the call '' is Invalid"

    class Scaffold(Planning):
        Worked = (("I do nothing.", ()),) * 3

        def plan(self, calls):
            return ()


class TellsTheOthersPart(Worded):
    caught_by, says = "test_only_the_own_part_is_heard", "by its own part"

    class Scaffold(toys.ToyScaffold):
        def heard(self, encounter, since):
            return Heard("now", sorted(encounter.did.values()))


class SaysItAnew(Worded):
    caught_by, says = "test_scaffolds_are_stateless", "says the same again"

    class Scaffold(toys.ToyScaffold):
        numbers = count()

        def strategies(self):
            return (f"They play number {next(self.numbers)}.",)
