"""Templates of secrets in free words about facts and goals, by kind of statement; mechanics have theirs beside them.

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
