"""Furniture that sets other furniture (Juneja et al. 2026, section 3.4 and appendix J: a wall switch and a heater)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, get_args

from otherminds.household.epistemic.formula import FormulaError, shown
from otherminds.household.epistemic.parse import Group
from otherminds.household.epistemic.predicates import ACTIVE, MEANT, OPPOSITES, SHOWN, State
from otherminds.household.epistemic.words import Heads, HouseRule, Names, Shapes, names_in
from otherminds.household.epistemic.words.shapes import (
    BY,
    By,
    Consequence,
    Pair,
    Voice,
    filled,
    join_opposites,
    of_names,
    thing,
)
from otherminds.household.mechanics.mechanic import STATES, Binding, Mechanic, mechanics, pair_faults
from otherminds.household.rules import Fact

CONTROL: Mapping[By, str] = {
    "opening": "Opening {} makes {} {}, and closing it does the opposite",
    "switching on": "Switching on {} makes {} {}, and switching it off does the opposite",
}
TRIGGERS: Mapping[By, str] = {"opening": "is_open", "switching on": "is_powered_on"}
"""The state of the trigger after each action, as formulas have it."""
ACTIONS: Mapping[str, By] = {state: by for by, state in TRIGGERS.items()}
FORM = "write (controls (is_open trigger) (is_open target)), each with a state"

WORDINGS = (
    "{act} {one} {sets} {two}, and {undoing} {one} {unsets} {two}.",
    "A wire runs from {one} to {two}: when somebody {does} {one}, {two} {takes}, and when somebody {undoes} it, {two} {loses}.",
    "{two} {takes} each time {one} is {done}, and {two} {loses} each time {one} is {undone}.",
    "{one} works as a switch for {two}: {act} it {sets} {two}, and {undoing} it has the opposite effect.",
    "{two} obeys {one}: if {one} is {done}, {two} {takes}; if {one} is {undone}, the opposite happens.",
)
ACTS: Mapping[str, Mapping[str, str]] = {
    "opening": {
        **{"act": "opening", "undoing": "closing", "does": "opens", "undoes": "closes"},
        **{"done": "opened", "undone": "closed"},
    },
    "switching on": {
        **{
            "act": "switching on",
            "undoing": "switching off",
            "does": "switches on",
            "undoes": "switches off",
        },
        **{"done": "switched on", "undone": "switched off"},
    },
}
"""The words for the act on a trigger, and for its opposite."""
EFFECTS: Mapping[str, tuple[str, str]] = {
    "open": ("opens", "opens"),
    "closed": ("closes", "closes"),
    "switched on": ("switches on", "goes on"),
    "switched off": ("switches off", "goes off"),
}
"""The words for a state of a target: with the trigger as the subject, and with the target."""
GRAMMAR = """
Told -> Links => linked
Told -> Wired _colon Links | Wired_back _colon Links => wired
"""


def _wired(between: Pair, links: tuple[Consequence, Consequence]) -> tuple[Controls, ...]:
    link = join_opposites(between, links)
    if link is None or link.trigger == link.target:
        return ()
    return (Controls(link.trigger, link.target, link.state, BY[link.by]),)


def _linked(links: tuple[Consequence, Consequence]) -> tuple[Controls, ...]:
    return _wired((), links)


class Controls(HouseRule, frozen=True, tag="controls"):
    """An action on the trigger sets the target to ``state``; the opposite action sets the opposite state.

    ``by`` is the action: opening or switching on. ``Opening cabinet_3 makes fridge_5 open, and closing it does the
    opposite.`` ``(controls (is_open cabinet_3) (is_open fridge_5))``.
    """

    trigger: str
    target: str
    state: State
    by: By = "opening"

    shapes: ClassVar[Shapes] = {
        form.format("<thing>", "<thing>", state): lambda names, state=state, by=by: Controls(
            names[0], names[1], state, by
        )
        for by, form in CONTROL.items()
        for state in get_args(State)
    }
    grammar = GRAMMAR
    actions = (_linked, _wired)
    heads: ClassVar[Heads] = {"controls": 2}

    def sentence(self, voice: Voice) -> str:
        self._check_sayable()
        return CONTROL[self.by].format(thing(self.trigger), thing(self.target), self.state)

    def wordings(self, you: str) -> Iterator[str]:
        self._check_sayable()
        other = SHOWN[OPPOSITES[MEANT[self.state]]]
        (sets, takes), (unsets, loses) = EFFECTS[self.state], EFFECTS[other]
        effect = {"sets": sets, "takes": takes, "unsets": unsets, "loses": loses}
        return filled(WORDINGS, [{**of_names(self.trigger, self.target), **ACTS[self.by], **effect}])

    def _check_sayable(self) -> None:
        if self.by not in CONTROL or self.state not in get_args(State):
            raise FormulaError(f"{shown(self.by)} to {shown(self.state)} cannot be said; see State and By")

    def forms(self, agents: Sequence[str]) -> Names:
        return (f"(controls ({TRIGGERS[self.by]} {self.trigger}) ({MEANT[self.state]} {self.target}))",)

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Controls:
        _, trigger_state, trigger, state, target = forms[0]
        return Controls(trigger, target, SHOWN[state], ACTIONS[trigger_state])

    @classmethod
    def checked_form(cls, form: Group) -> str:
        states = [part for part in form.parts[1:] if isinstance(part, Group) and part.head in SHOWN]
        if len(states) != 2 or len(form.parts) != 3 or states[0].head not in ACTIONS:
            raise FormulaError(FORM)
        (trigger_state, trigger), (state, target) = (names_in(part, 1) for part in states)
        return f"(controls ({trigger_state} {trigger}) ({state} {target}))"

    def plain(self) -> Controls:
        return Controls(self.trigger, self.target, self.state)

    @property
    def things(self) -> Names:
        return (self.trigger, self.target)

    @property
    def drives(self) -> tuple[tuple[str, str], ...]:
        return ((self.trigger, self.target),)

    def follows(self, furniture: str, value: str) -> tuple[tuple[str, str], ...]:
        state = MEANT[self.state]
        return (
            ((self.target, state if value in ACTIVE else OPPOSITES[state]),)
            if furniture == self.trigger
            else ()
        )


@mechanics.register("remote_control")
class RemoteControl(Mechanic):
    """When ``trigger_object`` opens (or is switched on), ``target_object`` takes ``target_state``.

    The paper's example is a wall switch and a heater. When the trigger closes (or is switched off), the target takes the
    opposite state. Acting on the target itself still works. A trigger that can be neither opened nor switched, such as a
    counter, has no state: an attempt to open it sets the target, an attempt to close it sets the opposite, and the agent
    receives the message that it cannot be opened.
    """

    says = Controls
    fields = ("trigger_object", "target_object", "target_state")

    def faults(self, binding: Binding) -> list[str]:
        return pair_faults(binding, "control")

    def triggers(self, binding: Binding) -> Names:
        return (binding.trigger_object,)

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        opens = STATES[binding.target_state] in ACTIVE
        return (("controls" if opens else "controls_closed", binding.trigger_object, binding.target_object),)

    def secrets(self, binding: Binding) -> tuple[Controls, ...]:
        return (Controls(binding.trigger_object, binding.target_object, SHOWN[STATES[binding.target_state]]),)
