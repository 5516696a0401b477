"""Broken scenarios: each differs from the toy in one thing, and is caught by one check."""

# ruff: noqa: RUF012 - the parts of specimens are read only

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any

import msgspec

from otherminds.core.contracts import Probe
from otherminds.core.data import Invalid, Partner, Turn, WeightedPolicy
from otherminds.core.record import Bounds, SeatSpec
from otherminds.core.scenario import Population
from otherminds.core.text import quoted
from otherminds.games.player import AutomatonPlayer
from otherminds.testing import StageWorld
from tests.testing import toy_scenario as toys


class Specimen(toys.HealthyScenario):
    """The toy with some parts replaced, or with another verbalizer."""

    parts: dict[str, Any] = {}
    Verbalizer: Any = None

    def make_scenario(self):
        parts = dict(self.parts)
        if self.Verbalizer is not None:
            parts["verbalizer"] = lambda drawn, seat: self.Verbalizer(tuple(drawn["order"]), seat)
        return replace(super().make_scenario(), **parts)


def asking(question, due=None):
    return {"probes": (Probe(question, due),)}


class Unversioned(Specimen):
    caught_by, says = "test_id_is_versioned", "it is 'toy-mixed'"
    parts = {"id": "toy-mixed"}


class SpacedId(Specimen):
    caught_by, says = "test_id_is_versioned", "it is 'toy mixed-v1'"
    parts = {"id": "toy mixed-v1"}


class Unweighted(Population):
    def __post_init__(self):
        """Believes whatever it is given."""


class Overweight(Specimen):
    caught_by, says = "test_population_is_a_distribution", "sum to 1"
    parts = {
        "population": Unweighted(((Fraction(2, 3), toys.MEMBERS[0][1]), (Fraction(2, 3), toys.MEMBERS[1][1])))
    }


class Crowded(Specimen):
    caught_by, says = "test_population_is_a_distribution", "one has 2 partners"
    parts = {"population": Population(((Fraction(1), (SeatSpec("single"), SeatSpec("grim"))),))}


class Lopsided(Specimen):
    caught_by, says = "test_schedule_is_balanced", r"they come up \[4, 0, 0\] times"

    class Favourites(Population):
        def schedule(self):
            return (self.members[0][1],) * 4

    parts = {"population": Favourites(toys.MEMBERS)}


class Unseatable(Specimen):
    caught_by, says = "test_every_member_plays", "can be seated"
    parts = {"population": Population(((Fraction(1), (SeatSpec("nobody"),)),))}


class Misbehaves(Specimen):
    caught_by, says = "test_every_member_plays", "is scored"

    class Jumper(AutomatonPlayer):
        async def act(self):
            return 7

    parts = {
        "partner": lambda spec, seat: (
            Misbehaves.Jumper(toys.family()[0].automaton),
            Partner(spec.title, toys.family()[0].automaton),
        )
    }


class BadPrior(Specimen):
    caught_by, says = "test_priors_are_distributions", "sum to 1"
    parts = {"priors": {"family": lambda: toys.family()[1:]}}


class MisfitPrior(Specimen):
    caught_by, says = "test_priors_are_distributions", "automata that fit the game"
    parts = {
        "priors": {
            "family": lambda: (
                WeightedPolicy(1.0, msgspec.structs.replace(toys.family()[0].automaton, output=((1.0,),))),
            )
        }
    }


class BlindBeatsBest(Specimen):
    caught_by, says = "test_references_are_ordered", "they earn 1.0, the blind plan 2.0"
    parts = {"bounds": lambda met: Bounds(1.0, 1.0, 2.0)}


class NoReason(Specimen):
    caught_by, says = "test_references_are_ordered", "has its reason"
    parts = {"bounds": lambda met: Bounds(None, None, None)}


class Clock(Specimen):
    caught_by, says = "test_same_spec_same_record", "the same record twice"
    parts = {"partner": lambda spec, seat: (toys.partner(spec, seat)[0], Partner(f"{perf_counter_ns()}"))}


class HashOrder(Specimen):
    caught_by, says = "test_same_in_another_process", "their hashes"

    class Facts(StageWorld):
        def facts(self):
            return {"colours": list({"red", "green", "blue", "white", "black"})}

    parts = {"world": lambda: HashOrder.Facts(toys.GAME, toys.ROUNDS)}


class OnePartnerForAll(Specimen):
    caught_by, says = "test_interleaved_episodes", "while others are played"

    def make_scenario(self):
        made = {}

        def partner(spec, seat):
            return made.setdefault(spec.title, toys.partner(spec, seat))

        tit = Population(((Fraction(1), (SeatSpec("tit_for_tat"),)),))
        return replace(super().make_scenario(), partner=partner, population=tit)


class GlobalDraws(Specimen):
    caught_by, says = "test_global_randomness_is_left_alone", "drew from one of them"

    class Gambler(AutomatonPlayer):
        async def act(self):
            return random.randrange(2)

    parts = {
        "partner": lambda spec, seat: (GlobalDraws.Gambler(toys.family()[0].automaton), Partner(spec.title))
    }


class FactsNoJson(Specimen):
    caught_by, says = "test_records_survive_json", "JSON cannot give back"

    class Facts(StageWorld):
        def facts(self):
            return {"odd": {1, 3}}

    parts = {"world": lambda: FactsNoJson.Facts(toys.GAME, toys.ROUNDS)}


class DrawsNoJson(Specimen):
    caught_by, says = "test_draws_are_json", "JSON cannot give back"
    parts = {"draw": lambda rng: {**toys.draw(rng), "shown": {0, 1}}}


class DrawsAnew(Specimen):
    caught_by, says = "test_draws_are_json", "for the same seed"
    parts = {"draw": lambda rng: {**toys.draw(rng), "at": perf_counter_ns()}}


class SameIds(Specimen):
    caught_by, says = "test_questions_are_sound", "different ids"
    parts = {"probes": (Probe(toys.NEXT), Probe(toys.NEXT))}


class SameIdsUnderOneDraw(Specimen):
    caught_by, says = "test_questions_are_sound", "different ids"
    parts = {"probes": lambda drawn: (Probe(toys.NEXT),) * (1 + drawn["order"][0])}


class AsksNobody(Specimen):
    caught_by, says = "test_questions_are_sound", "it names 'partner_9'"
    parts = asking(msgspec.structs.replace(toys.NEXT, about="partner_9"))


class OneOption(Specimen):
    caught_by, says = "test_questions_are_sound", "two or more different options"
    parts = asking(msgspec.structs.replace(toys.NEXT, options=("defect",), chance=1.0))


class TruthOfNothing(Specimen):
    caught_by, says = "test_questions_are_sound", "truth_is names 'later'"
    parts = asking(msgspec.structs.replace(toys.NEXT, truth_is="later"))


class WrongChance(Specimen):
    caught_by, says = "test_chances_are_right", "it is 0.25"
    parts = asking(msgspec.structs.replace(toys.NEXT, chance=0.25))


class OpenChance(Specimen):
    caught_by, says = "test_chances_are_right", "is declared"
    parts = asking(msgspec.structs.replace(toys.NEXT, options=()))


class TruthIsNoOption(Specimen):
    caught_by, says = "test_truths_are_options", "it is 'cooperate'"
    parts = asking(msgspec.structs.replace(toys.NEXT, options=("Cooperate", "Defect")))


class NeverPut(Specimen):
    caught_by, says = "test_probes_are_put", "'next' is put"
    parts = asking(toys.NEXT, lambda moment: moment.step > 100)


class NeverTrue(Specimen):
    caught_by, says = "test_probes_are_put", "some truth comes to be"
    parts = asking(msgspec.structs.replace(toys.NEXT, when="end"))


class IllegalOption(Specimen):
    caught_by, says = "test_options_are_legal", "it is 3"

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            ask = super().ask(about, moment, own)
            return msgspec.structs.replace(ask, options=(0, 3)) if isinstance(about, Turn) else ask


class OtherOptions(Specimen):
    caught_by, says = "test_options_are_legal", "is told with its options"

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            ask = super().ask(about, moment, own)
            return ask if isinstance(about, Turn) else msgspec.structs.replace(ask, options=("yes", "no"))


class SameLabels(Specimen):
    caught_by, says = "test_options_are_legal", "all different"

    class Verbalizer(toys.ToyVerbalizer):
        def labels(self):
            return ["It", "It"]


class ReadsTheWrongWay(Specimen):
    caught_by, says = "test_options_are_read_back", "is read as"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            read = super().read(ask, reply)
            return read if isinstance(read, Invalid) else ask.options[0]


class CannotReadItsForm(Specimen):
    caught_by, says = "test_options_are_read_back", "is read as Invalid"

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            return msgspec.structs.replace(super().ask(about, moment, own), template="My choice is {}.")


class ReadsIndexForLabel(Specimen):
    caught_by, says = "test_options_are_read_back", "is read as"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            read = super().read(ask, reply)
            return str(read) if isinstance(read, int) else read


class CoercesGarbage(Specimen):
    caught_by, says = "test_garbage_is_no_answer", "the reply '' to"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            read = super().read(ask, reply)
            return ask.options[0] if isinstance(read, Invalid) else read


class ReadsBeginnings(toys.ToyVerbalizer):
    """Reads the label after "I choose", if ``rest`` matches what follows."""

    rest = ""

    def read(self, ask, reply):
        found = re.match(rf"I choose ({'|'.join(ask.labels)}){self.rest}", reply)
        return ask.options[ask.labels.index(found[1])] if found else Invalid("no", reply)


class ReadsPrefixes(Specimen):
    caught_by, says = "test_garbage_is_no_answer", "zzz"

    class Verbalizer(ReadsBeginnings):
        rest = r"\w*\.?\Z"


class ReadsOneOfAChoice(Specimen):
    caught_by, says = "test_garbage_is_no_answer", "I choose [A-Z][a-z]+ or [A-Z]"

    class Verbalizer(ReadsBeginnings):
        rest = r"\b"


class ReadsMentions(Specimen):
    caught_by, says = "test_garbage_is_no_answer", "I will never choose"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            found = [label for label in ask.labels if re.search(rf"\b{label}\b", reply)]
            return ask.options[ask.labels.index(found[0])] if len(found) == 1 else Invalid("no", reply)


class TakesTheFirst(Specimen):
    caught_by, says = "test_garbage_is_no_answer", r"\\nI choose"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            return super().read(ask, reply.partition("\n")[0]) if reply.strip() else Invalid("empty", reply)


class LosesTheReply(Specimen):
    caught_by, says = "test_garbage_is_no_answer", "keeps the reply"

    class Verbalizer(toys.ToyVerbalizer):
        def read(self, ask, reply):
            read = super().read(ask, reply)
            return Invalid(read.reason) if isinstance(read, Invalid) else read


@dataclass(frozen=True)
class Counting(toys.ToyVerbalizer):
    """Counts how often it was used."""

    used: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(times=0))

    def again(self) -> int:
        self.used.times += 1
        return self.used.times


class CountsDown(Specimen):
    caught_by, says = "test_prompts_grow_by_suffix", "begins with what was told before"

    class Verbalizer(Counting):
        def rules(self, brief):
            return f"{super().rules(brief)}This is prompt {self.again()}.\n"


class TellsOnlyTheLast(Specimen):
    caught_by, says = "test_prompts_grow_by_suffix", "begins with what was told before"

    class Verbalizer(Counting):
        def tell(self, moment):
            return f"Now it is {self.again()}. {super().tell(moment)}"


class ContinuesWithABlank(Specimen):
    caught_by, says = "test_continuations_break_off_before_a_label", "is one line"

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            return msgspec.structs.replace(super().ask(about, moment, own), continuation="Then I chose ")


class ContinuesInTwoLines(Specimen):
    caught_by, says = "test_continuations_break_off_before_a_label", "is one line"

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            return msgspec.structs.replace(super().ask(about, moment, own), continuation="Then:\nI chose")


class ContinuesQuestionsAlone(Specimen):
    caught_by, says = (
        "test_continuations_break_off_before_a_label",
        "choices are continuations if questions are",
    )

    class Verbalizer(toys.ToyVerbalizer):
        def ask(self, about, moment, own=None):
            ask = super().ask(about, moment, own)
            return (
                ask
                if isinstance(about, Turn)
                else msgspec.structs.replace(ask, continuation="Then they chose")
            )


class SumsUpAnew(Specimen):
    caught_by, says = "test_verbalizers_are_stateless", "sums up the same again"

    class Verbalizer(Counting):
        def summary(self, moments):
            return f"Summary {self.again()}"


class AsksAnew(Specimen):
    caught_by, says = "test_verbalizers_are_stateless", "asks the same again"

    class Verbalizer(Counting):
        def ask(self, about, moment, own=None):
            return msgspec.structs.replace(super().ask(about, moment, own), text=f"Question {self.again()}")


class TellsByWhatIsNotDrawn(Specimen):
    caught_by, says = "test_verbalizers_are_stateless", "tells the same again"

    def make_scenario(self):
        base = super().make_scenario()
        made: list[Any] = []

        def verbalizer(drawn, seat):
            made.append(seat)
            order = tuple(drawn["order"]) if len(made) % 2 else tuple(reversed(drawn["order"]))
            return toys.ToyVerbalizer(order, seat)

        return replace(base, verbalizer=verbalizer)


class HandsMessagesOn(Specimen):
    caught_by, says = "test_messages_are_quoted", "is quoted"

    class Verbalizer(toys.ToyVerbalizer):
        def message(self, told):
            return f"{told.sender} says {told.text}\n"


class QuotesByHand(Specimen):
    caught_by, says = "test_messages_are_quoted", "is quoted"

    class Verbalizer(toys.ToyVerbalizer):
        def message(self, told):
            return f'{told.sender} says "{told.text}".\n'


class KeepsMessagesOnALine(Specimen):
    caught_by, says = "test_messages_are_quoted", r"im_start"

    class Verbalizer(toys.ToyVerbalizer):
        def message(self, told):
            return f"{told.sender} says {json.dumps(told.text)}.\n"


class BelievesWhoItSaysItIs(Specimen):
    caught_by, says = "test_messages_are_quoted", "the message 'ego: A plain message"

    class Verbalizer(toys.ToyVerbalizer):
        def message(self, told):
            named = re.match(r"(ego|partner_\d+): ", told.text)
            return f"{named[1] if named else told.sender} says {quoted(told.text)}.\n"


class SumsUpMessagesAsTheyAre(Specimen):
    caught_by, says = "test_messages_are_quoted", "6 rounds|7 rounds"

    class Verbalizer(toys.ToyVerbalizer):
        def summary(self, moments):
            return super().summary(moments) + "".join(told.text for moment in moments for told in moment.told)


class ListensNoMoreWhenTold(Specimen):
    caught_by, says = "test_messages_are_quoted", "the message '\"' of"

    class Verbalizer(toys.ToyVerbalizer):
        def tell(self, moment):
            cut = next((i for i, told in enumerate(moment.told) if told.text == '"'), len(moment.told))
            return super().tell(msgspec.structs.replace(moment, told=moment.told[: cut + 1]))


class NamesNobody(Specimen):
    caught_by, says = "test_senders_are_named", "messages of different senders have different texts"

    class Crowded(StageWorld):
        def brief(self, seat):
            return msgspec.structs.replace(super().brief(seat), others=("partner_0", "partner_1"))

    class Verbalizer(toys.ToyVerbalizer):
        def message(self, told):
            return f"Somebody says {quoted(told.text)}.\n"

    parts = {"world": lambda: NamesNobody.Crowded(toys.GAME, toys.ROUNDS)}
