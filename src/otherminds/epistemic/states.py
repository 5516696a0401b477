"""How furniture turns: the states that it has, the tool that makes each, and the word for each.

Only what can be opened or switched is meant; what cleaning and filling do to objects is not here.
"""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.epistemic.words import State

TURNS: Mapping[str, tuple[str, str]] = {
    "articulated": ("is_open", "is_closed"),
    "switch": ("is_powered_on", "is_powered_off"),
}
"""What furniture must be for a hand to turn it, and the states that it then has, the active one first."""
ACTIVE = tuple(active for active, _ in TURNS.values())
"""The states of a trigger that set what it controls; the others do the opposite."""
TOOLS: Mapping[str, str] = {
    "is_open": "Open",
    "is_closed": "Close",
    "is_powered_on": "PowerOn",
    "is_powered_off": "PowerOff",
}
"""The tool that gives furniture a state, where no mechanic binds it."""
SHOWN: Mapping[str, State] = {
    "is_open": "open",
    "is_closed": "closed",
    "is_powered_on": "switched on",
    "is_powered_off": "switched off",
}
"""The word for a state, in sentences of the controlled language and in what the world says."""
MEANT: Mapping[State, str] = {word: state for state, word in SHOWN.items()}
"""The state that a word means."""
