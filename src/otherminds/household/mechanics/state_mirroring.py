"""Furniture whose states are always equal (Juneja et al. 2026, section 3.4 and appendix J: two thermostats on one network)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from otherminds.household.epistemic.parse import Group
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Heads, HouseRule, Names, Shapes, names_in
from otherminds.household.epistemic.words.shapes import Voice, filled, of_names, thing
from otherminds.household.mechanics.mechanic import STATES, Binding, Mechanic, Value, mechanics, pair_faults
from otherminds.household.rules import Fact

MIRROR = "{} and {} always move together"
WORDINGS = (
    "{one} and {two} are tied together: what happens to one also happens to the other.",
    "Whenever one of {one} and {two} opens or closes, the other does the same.",
    "{one} and {two} share one state: either both are open or both are closed.",
    "Whatever happens to {one} happens to {two} too, and the other way round.",
    "{one} never moves without {two}, and the other way round.",
)
GRAMMAR = """
Pair -> THING and THING | both THING and THING => pair
_move -> move together | open and close together | move as one | move in step | work as one | share one state
    | mirror each other | mirror one another
_same_state -> have the same state | share the same state | do the same | are both open or both closed
_always -> always | at all times
_tied -> are linked | are connected | are coupled | are tied together | are tied to each other | are linked to each other
    | are connected to each other | are a pair | hang together
_too -> | too | as well | also
_other -> the other | the other one
_back -> , and the other way round | and the other way round | , and the other way around | , and vice versa
    | and vice versa | , and the reverse holds too
_changes -> opens or closes | moves | changes | changes its state | is opened or closed | is moved
_same -> does the same | does so too | does too | follows | moves too | changes too | changes with it | moves with it
_of_them -> | of them | of the two
_same_fate -> what happens to one _of_them also happens to _other | what happens to one _of_them happens to _other _too
    | whatever happens to one _of_them happens to _other _too | whatever happens to one _of_them also happens to _other
    | _when one _of_them _changes , _other _same | they always open and close together | they open and close together
    | they always move together | one never moves without _other | one _of_them never opens or closes without _other
    | they are either both open or both closed | either both are open or both are closed
Told -> Pair _move | Pair _always _move | Pair _always _same_state | Pair _is _always in the same state
    | Pair _is _always both open or both closed | Pair _is _always either both open or both closed
    | Pair _move _colon _same_fate | Pair _always _move _colon _same_fate | Pair _tied _colon _same_fate | Pair never move apart | Pair can not be moved apart
    | _when one of Pair _changes , _other _same | what happens to one of Pair also happens to _other
    | with Pair , _same_fate => mirrors
_what -> what | whatever
Told -> _what happens to THING happens to THING _too _back | _what happens to THING also happens to THING _back
    | _when THING _changes , THING _same _back | THING does whatever THING does _back
    | THING never moves without THING _back => mirrors
"""


def _mirrors(name_or_pair: str | Names, second_name: str = "") -> tuple[Mirrors, ...]:
    first, second = (name_or_pair, second_name) if isinstance(name_or_pair, str) else name_or_pair
    return (Mirrors(first, second),) if first != second else ()


class Mirrors(HouseRule, frozen=True, tag="mirrors"):
    """Two things with equal states.

    ``cabinet_3 and cabinet_4 always move together.`` ``(mirrors cabinet_3 cabinet_4)``, in alphabetical order.
    """

    one: str
    other: str

    shapes: ClassVar[Shapes] = {MIRROR.format("<thing>", "<thing>"): lambda names: Mirrors(*names)}
    grammar = GRAMMAR
    actions = (_mirrors,)
    heads: ClassVar[Heads] = {"mirrors": 2}

    def sentence(self, voice: Voice) -> str:
        return MIRROR.format(thing(self.one), thing(self.other))

    def wordings(self, you: str) -> Iterator[str]:
        return filled(WORDINGS, [of_names(self.one, self.other)])

    def forms(self, agents: Sequence[str]) -> Names:
        return (f"(mirrors {' '.join(sorted((self.one, self.other)))})",)

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Mirrors:
        return Mirrors(*forms[0][1:])

    @classmethod
    def checked_form(cls, form: Group) -> str:
        _, *pair = names_in(form, 2)
        return f"(mirrors {' '.join(sorted(pair))})"

    def parts(self) -> Iterator[Mirrors]:
        yield self.plain()

    def plain(self) -> Mirrors:
        return Mirrors(*sorted((self.one, self.other)))

    @property
    def things(self) -> Names:
        return (self.one, self.other)

    @property
    def drives(self) -> tuple[tuple[str, str], ...]:
        return ((self.one, self.other), (self.other, self.one))

    def follows(self, furniture: str, value: str) -> tuple[tuple[str, str], ...]:
        return (
            tuple((other, value) for other in self.things if other != furniture)
            if furniture in self.things
            else ()
        )


@mechanics.register("state_mirroring")
class StateMirroring(Mechanic):
    """When ``trigger_object`` or ``target_object`` takes a value, the other takes it too; both start with equal states.

    The paper's example is two thermostats on one network. With ``target_state``, only this state and its opposite are
    mirrored.
    """

    says = Mirrors
    fields = ("trigger_object", "target_object")
    optional = ("target_state",)

    def faults(self, binding: Binding) -> list[str]:
        return pair_faults(binding, "mirror")

    def follows(self, binding: Binding, furniture: str, value: Value) -> tuple[tuple[str, Value], ...]:
        # The statement has no target_state: secrets do not tell it.
        state = STATES.get(binding.target_state, value)
        return super().follows(binding, furniture, value) if value in (state, OPPOSITES[state]) else ()

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        return (("mirrors", binding.trigger_object, binding.target_object),)

    def secrets(self, binding: Binding) -> tuple[Mirrors, ...]:
        return (Mirrors(binding.trigger_object, binding.target_object),)
