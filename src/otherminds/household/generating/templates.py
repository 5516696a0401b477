"""Templates of secrets in free words, by kind of statement.

Fields of names: ``one`` and ``two``; of agents: ``who`` (agent_1 or you), ``whose``, and verbs that agree with it; of
clauses: ``comp`` (on table_1), ``fin`` (bowl_0 is on table_1), ``inf`` (bowl_0 to be on table_1), ``must`` (bowl_0 has to be
on table_1) and ``end`` (at the end). A sentence that begins with a word gets a capital.
"""

from __future__ import annotations

from collections.abc import Mapping

COMPLEMENTS: Mapping[str, tuple[str, ...]] = {
    "is_on_top": ("on {two}", "on top of {two}"),
    "is_inside": ("inside {two}", "in {two}"),
    "is_in_room": ("in {two}", "somewhere in {two}"),
    "is_on_floor": ("on the floor", "on the ground"),
    "is_next_to": ("next to {two}", "beside {two}"),
    "is_open": ("open", "standing open"),
    "is_closed": ("closed", "shut"),
    "is_clean": ("clean", "spotless"),
    "is_dirty": ("dirty",),
    "is_filled": ("filled", "full"),
    "is_empty": ("empty",),
    "is_powered_on": ("switched on", "turned on"),
    "is_powered_off": ("switched off", "turned off"),
    "is_held_by": ("in {whose} hands", "held by {who}"),
    "agent_in_room": ("in {two}", "inside {two}"),
}
"""What follows "is" for each predicate."""

ENDS = (
    "at the end",
    "when everything is over",
    "after the last turn",
    "once all is done",
    "when the day is over",
)

GOALS = (
    "{end}, {must}.",
    "{must} {end}.",
    "The task requires {inf} {end}.",
    "Part of the goal is that {fin} {end}.",
    "The task is not done unless {fin} {end}.",
    "It is required that {fin} {end}.",
    "The final check asks for {inf}.",
)
KNOWLEDGE_GOALS = (
    "By the end, {who} {has} to know that {fin}.",
    "{who} {needs} to be aware, {end}, that {fin}.",
    "It has to be clear to {who} in the end that {fin}.",
    "The task is only done if, {end}, {who} {knows} that {fin}.",
    "The task requires {who} to have found out that {fin}.",
    "Part of the goal is that, {end}, {who} {knows} that {fin}.",
)
PRIVATE_GOALS = (
    "Privately, you would like {inf} {end}; nobody else knows.",
    "You have a goal of your own: {end}, {must}.",
    "For your own part, you want {inf} {end}.",
    "Nobody else knows it, but you would prefer {inf} {end}.",
    "Apart from the shared goal, you have a private aim: {must} {end}.",
    "You earn a point of your own if {fin} {end}.",
    "It matters to you alone that {fin} {end}.",
)
PRIVATE_KNOWLEDGE = (
    "You have a goal of your own: {end}, {who} {has} to know that {fin}.",
    "Apart from the shared goal, you have a private aim: {who} {needs} to be aware, {end}, that {fin}.",
    "You earn a point of your own if, {end}, {who} {knows} that {fin}.",
    "It matters to you alone that, {end}, {who} {knows} that {fin}.",
    "It is your own private aim that, {end}, {who} {knows} that {fin}.",
)

FACTS = (
    "At the start, {fin}.",
    "As things are, {fin}.",
    "{fin} right now.",
    "{fin} when the task begins.",
    "Before anything happens, {fin}.",
)
"""For all literals; those below are only for literals without "not", by the kind of predicate."""
PLACES = (
    "{one} can be found {comp}.",
    "{one} starts out {comp}.",
    "Somebody has left {one} {comp}.",
    "{comp} there is {one}.",
    "The place of {one} at the start is {comp}.",
)
STATES = ("{one} starts out {comp}.", "Somebody has left {one} {comp}.")
ROOMS = (
    "{who} {starts} {comp}.",
    "{two} is the room that {who} {starts} in.",
    "{two} is where {who} {is_} right now.",
)
HOLDING = ("{who} {is_} holding {one} right now.", "To begin with, {who} {holds} {one}.")
KNOWLEDGE = (
    "As things are, {who} {is_} aware that {fin}.",
    "At the start, {who} {knows} that {fin}.",
    "{who} {has} found out that {fin}.",
    "{who} {knows} for certain that {fin}.",
    "{who} {has} learned that {fin}.",
)
KNOWN = ("{who} {knows} that {fin}", "{who} {is_} aware that {fin}", "{who} {has} found out that {fin}")
"""Knowledge inside another clause."""

AWARE = (
    "{who} {has} been told already that {must} {end}.",
    "{who} {knows} already that {must} {end}.",
    "{who} {has} been informed that, {end}, {must}.",
    "{who} {knows} that {must} {end}.",
    "{who} {has} learned that {must} {end}.",
)
BARRED = (
    "{who} {has} no access to {rooms_or}.",
    "{rooms_and} {rooms_are} off limits to {who}.",
    "{who} {is_} not allowed into {rooms_or}.",
    "There is no way into {rooms_or} for {who}.",
    "{who} may not set foot in {rooms_or}.",
    "{who} can neither enter nor cross {rooms_or}.",
    "{who} {is_} locked out of {rooms_and}.",
)
FREE = (
    "No room of the house is off limits to {who}.",
    "{who} may go anywhere in the house.",
    "Every room is open to {who}.",
    "{who} {is_} allowed into all rooms.",
    "There is no room that {who} cannot enter.",
    "{who} {has} access to the whole house.",
)
REACHES = (
    "{whose} messages reach only {targets_and}.",
    "{who} can write to {targets_and}, but to nobody else.",
    "{the_only} {who} can write to {targets_are} {targets_and}.",
    "Apart from {targets_and}, nobody receives {whose} messages.",
    "{who} {has} no way to message anyone except {targets_or}.",
    "Only {targets_and} can read messages from {who}.",
)
MUTE = (
    "{who} {has} no way to write to anyone.",
    "There is nobody that {who} can write to.",
    "{whose} messages reach no one.",
    "Nobody can receive messages from {who}.",
    "{who} {has} nobody to write to.",
)
BUDGET = (
    "{who} may send no more than {count} in all.",
    "{whose} allowance is {count} for the whole task.",
    "{who} {is_} limited to {count}.",
    "{count} {count_is} all that {who} can send.",
    "After {count}, {who} cannot send any more.",
    "{who} {has} {count} to spend until the end.",
)
SILENT = (
    "{who} can send no messages at all.",
    "Not a single message can come from {who}.",
    "The number of messages that {who} can send is 0.",
    "{who} may not send a single message.",
    "{whose} allowance is 0 messages for the whole task.",
)
"""A budget of no messages."""

INVERSE = (
    "The handle of {one} works the wrong way round: pulling it open shuts it, and pushing it shut opens it.",
    "If somebody opens {one}, it closes, and if somebody closes it, it opens.",
    "{one} does the opposite of what is asked of it: it closes when it is opened and opens when it is closed.",
    "{one} is built backwards, so that opening it closes it and closing it opens it.",
    "To open {one}, one has to close it, and to close it, one has to open it.",
)
MIRRORS = (
    "{one} and {two} are tied together: what happens to one also happens to the other.",
    "Whenever one of {one} and {two} opens or closes, the other does the same.",
    "{one} and {two} share one state: either both are open or both are closed.",
    "Whatever happens to {one} happens to {two} too, and the other way round.",
    "{one} never moves without {two}, and the other way round.",
)
CONTROLS = (
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
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""The words for small numbers."""
