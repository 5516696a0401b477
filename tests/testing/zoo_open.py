"""Broken verbalizers of a scenario whose choices are open: each is caught by one check."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from otherminds.core.data import Invalid, Question
from tests.testing import zoo_scenarios as zoo

toys: Any = zoo.toys


class OpenVerbalizer(toys.ToyVerbalizer):
    """Lists no options: shows the forms of what can be done."""

    def ask(self, about, moment, own=None):
        ask = super().ask(about, moment, own)
        forms = () if isinstance(about, Question) else tuple(f"Play[{label}]" for label in self.labels())
        return msgspec.structs.replace(ask, labels=(), options=(), forms=forms) if forms else ask

    def read(self, ask, reply):
        return self.opened(reply) if ask.forms else super().read(ask, reply)

    def opened(self, reply):
        found = re.fullmatch(r"I choose Play\[(\w+)\]\.?", reply)
        if found and found[1] in self.labels():
            return self.order[self.labels().index(found[1])]
        return Invalid("no call in the form asked for", reply)


class Opened(zoo.Specimen):
    Verbalizer = OpenVerbalizer


class ListsAndLeavesOpen(zoo.Specimen):
    caught_by, says = "test_options_are_legal", "and the forms"

    class Verbalizer(OpenVerbalizer):
        def ask(self, about, moment, own=None):
            ask = super().ask(about, moment, own)
            return msgspec.structs.replace(ask, labels=("a", "b"), options=(0, 1)) if ask.forms else ask


class IllegalForm(zoo.Specimen):
    caught_by, says = "test_options_are_legal", "it is 3"

    class Verbalizer(OpenVerbalizer):
        def opened(self, reply):
            read = super().opened(reply)
            return 3 if read == 1 else read


class SettlesForSomethingElse(zoo.Specimen):
    caught_by, says = "test_options_are_legal", "it is 'rest'"

    class Verbalizer(OpenVerbalizer):
        def settled(self, moment):
            return "rest" if moment.step > 2 else None


class FormsThatCannotBeRead(zoo.Specimen):
    caught_by, says = "test_options_are_read_back", "is read as Invalid"

    class Verbalizer(OpenVerbalizer):
        def opened(self, reply):
            return Invalid("no", reply)


class FormsAllAlike(zoo.Specimen):
    caught_by, says = "test_options_are_read_back", "are read as different ones"

    class Verbalizer(OpenVerbalizer):
        def opened(self, reply):
            read = super().opened(reply)
            return read if isinstance(read, Invalid) else 0


class ReadsCallsInProse(zoo.Specimen):
    caught_by, says = "test_garbage_is_no_answer", "I will never choose Play"

    class Verbalizer(OpenVerbalizer):
        def opened(self, reply):
            found = re.search(r"Play\[\w+\]", reply)
            return super().opened(f"I choose {found[0]}") if found else Invalid("no", reply)
