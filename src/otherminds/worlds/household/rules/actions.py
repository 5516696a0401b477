"""The rules of the tools that change the world (PARTNR's, as Juneja et al. 2026 use them, section 4.1).

Static facts, which no rule changes: ``spot_in``, ``furniture_in``, ``reaches`` (a spot
lies within 2.0 m of furniture and sees it), ``may_go`` (where an agent can come to
without crossing a room that is barred to it), ``articulated``, ``surface``, ``container``, ``floor``,
``faucet``, ``switch``, ``fillable``, ``can_communicate``, ``can_broadcast`` (there is somebody
whom the agent may write to), ``next`` (a number and the one below it). Floors are furniture: ``floor_kitchen_1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from otherminds.epistemic.predicates import OPPOSITES, SHOWN
from otherminds.worlds.household.rules.rule import Axiom, Pattern, Precondition, Rule, pattern, patterns

AGENT, SPOT = ("?a", "agent"), ("?s", "spot")
HERE = Precondition(pattern("at ?a ?s"))
MADE = {"is_open": "opened", "is_clean": "cleaned"}
"""What is done to a thing to turn it so, where that has another form."""

How: TypeAlias = Literal["on", "within", "floor"]
HOW: Mapping[str, How] = {"is_on_top": "on", "is_inside": "within", "lies_on": "floor"}
"""How an object rests, by the fact that says so."""
OFFERS: Mapping[How, str] = {"on": "surface", "within": "container", "floor": "floor"}
"""What furniture must be for an object to rest so."""
PLACES: Mapping[str, tuple[str, str]] = {how: (fact, OFFERS[how]) for fact, how in HOW.items()}
"""How an object can rest: the fact that says so, and what its furniture must be."""
WHERE: Mapping[str, str] = {"is_on_top": "on", "is_inside": "inside", "lies_on": "on"}
"""The word for how an object rests, by the fact that says so."""

AXIOMS = (
    Axiom(pattern("is_on_floor ?o"), (("?f", "furniture"),), patterns("lies_on ?o ?f")),
    *(
        Axiom(
            pattern("is_in_room ?o ?r"),
            (("?f", "furniture"),),
            patterns(f"{place} ?o ?f", "furniture_in ?f ?r"),
        )
        for place in HOW
    ),
)
"""What follows from where an object rests. What somebody holds is in no room."""


def turning(tool: str, verb: str, able: str, value: str) -> Rule:
    """The rule of a tool that turns a thing to ``value``, where no mechanic binds it."""
    return Rule(
        name=f"{tool.lower()}_furniture",
        tool=tool,
        parameters=(AGENT, SPOT, ("?f", "furniture")),
        preconditions=(
            HERE,
            Precondition((able, "?f"), f"Failed to {verb}! {{f}} cannot be {MADE.get(value, SHOWN[value])}."),
            Precondition(pattern("plain ?f")),
            Precondition(pattern("reaches ?s ?f"), f"Failed to {verb}! Not close enough to the furniture."),
            Precondition((OPPOSITES[value], "?f"), f"Failed to {verb}! {{f}} is already {SHOWN[value]}."),
        ),
        add_effects=((value, "?f"),),
        del_effects=((OPPOSITES[value], "?f"),),
        says=f"Successful execution! {{f}} is now {SHOWN[value]}.",
    )


TURNING = (
    turning("Open", "open", "articulated", "is_open"),
    turning("Close", "close", "articulated", "is_closed"),
    turning("PowerOn", "power on", "switch", "is_powered_on"),
    turning("PowerOff", "power off", "switch", "is_powered_off"),
)

NAVIGATE = Rule(
    name="navigate",
    tool="Navigate",
    parameters=(AGENT, SPOT, ("?r", "room"), ("?t", "spot"), ("?q", "room")),
    preconditions=(
        HERE,
        Precondition(pattern("spot_in ?s ?r")),
        Precondition(pattern("spot_in ?t ?q")),
        # One text, whether the room itself is barred or one on the way to it: of two bars the
        # agent may know one alone.
        Precondition(
            pattern("may_go ?a ?t"), "Failed to navigate! No way that you are allowed to take leads to {q}."
        ),
    ),
    del_effects=patterns("at ?a ?s", "agent_in_room ?a ?r"),
    add_effects=patterns("at ?a ?t", "agent_in_room ?a ?q"),
    says="Successful execution! You are in {q}.",
)


def opened(how: str, verb: str) -> tuple[Precondition, ...]:
    """What it takes, beside being near, to get at what rests ``how``."""
    return (
        (Precondition(pattern("is_open ?f"), f"Failed to {verb}! {{f}} is closed."),)
        if how == "within"
        else ()
    )


def picking(how: str) -> Rule:
    """Picking up an object that rests ``how``."""
    fact, _ = PLACES[how]
    return Rule(
        name=f"pick_{how}",
        tool="Pick",
        parameters=(AGENT, SPOT, ("?o", "object"), ("?f", "furniture")),
        preconditions=(
            HERE,
            Precondition(pattern("hand_empty ?a"), "Failed to pick! You are already holding an object."),
            Precondition(pattern("reaches ?s ?f"), "Failed to pick! Not close enough to the object."),
            *opened(how, "pick"),
            Precondition((fact, "?o", "?f"), "Failed to pick! {o} is not there any more."),
        ),
        del_effects=((fact, "?o", "?f"), ("hand_empty", "?a")),
        add_effects=patterns("is_held_by ?o ?a"),
        says="Successful execution! You hold {o}.",
    )


def placing(how: str) -> Rule:
    """Putting down what one holds, to rest ``how``."""
    fact, able = PLACES[how]
    where = f"{WHERE[fact]} {{f}}"
    return Rule(
        name=f"place_{how}",
        tool="Place",
        parameters=(AGENT, SPOT, ("?o", "object"), ("?f", "furniture")),
        preconditions=(
            HERE,
            Precondition(pattern("is_held_by ?o ?a"), "Failed to place! You are not holding {o}."),
            Precondition((able, "?f"), f"Failed to place! Nothing can be placed {where}."),
            Precondition(pattern("reaches ?s ?f"), "Failed to place! Not close enough to the receptacle."),
            *opened(how, "place"),
        ),
        del_effects=patterns("is_held_by ?o ?a"),
        add_effects=((fact, "?o", "?f"), ("hand_empty", "?a")),
        says=f"Successful execution! {{o}} is {where}.",
    )


AT_HAND: dict[str, tuple[tuple[tuple[str, str], ...], tuple[Precondition, ...]]] = {
    "held": ((), (Precondition(pattern("is_held_by ?o ?a")),)),
    **{
        how: (
            (("?f", "furniture"),),
            (
                Precondition(pattern("reaches ?s ?f"), "Failed to {verb}! Not close enough to the object."),
                *opened(how, "{verb}"),
                Precondition((fact, "?o", "?f"), "Failed to {verb}! {o} is not there any more."),
            ),
        )
        for how, (fact, _) in PLACES.items()
    },
}
"""Ways to have an object at hand: further parameters and preconditions."""


def handling(tool: str, verb: str, able: Pattern, value: str, how: str) -> Rule:
    """Turning an object at hand to ``value``."""
    parameters, preconditions = AT_HAND[how]
    shown = value.removeprefix("is_").replace("powered_", "switched ")
    return Rule(
        name=f"{tool.lower()}_{how}",
        tool=tool,
        parameters=(AGENT, SPOT, ("?o", "object"), *parameters),
        preconditions=(
            HERE,
            Precondition(able, f"Failed to {verb}! {{o}} cannot be {MADE.get(value, shown)}."),
            *(Precondition(one.pattern, one.text.replace("{verb}", verb)) for one in preconditions),
            Precondition((OPPOSITES[value], "?o"), f"Failed to {verb}! {{o}} is already {shown}."),
        ),
        add_effects=((value, "?o"),),
        del_effects=((OPPOSITES[value], "?o"),),
        says=f"Successful execution! {{o}} is now {shown}.",
    )


def pouring(how: str) -> Rule:
    """Pouring from the object in the hand into one at hand; what is held is empty then."""
    parameters, preconditions = AT_HAND[how]
    return Rule(
        name=f"pour_{how}",
        tool="Pour",
        parameters=(AGENT, SPOT, ("?o", "object"), ("?h", "object"), *parameters),
        preconditions=(
            HERE,
            Precondition(pattern("is_held_by ?h ?a"), "Failed to pour! You are not holding an object."),
            Precondition(pattern("fillable ?o"), "Failed to pour! {o} cannot be filled."),
            *(Precondition(one.pattern, one.text.replace("{verb}", "pour")) for one in preconditions),
            Precondition(pattern("is_filled ?h"), "Failed to pour! {h} is empty."),
            Precondition(pattern("is_empty ?o"), "Failed to pour! {o} is already filled."),
        ),
        add_effects=patterns("is_filled ?o", "is_empty ?h"),
        del_effects=patterns("is_empty ?o", "is_filled ?h"),
        says="Successful execution! {o} is now filled, and {h} is empty.",
    )


FILL = Rule(
    name="fill_held",
    tool="Fill",
    parameters=(AGENT, SPOT, ("?o", "object"), ("?f", "furniture")),
    preconditions=(
        HERE,
        Precondition(pattern("fillable ?o"), "Failed to fill! {o} cannot be filled."),
        Precondition(pattern("is_held_by ?o ?a"), "Failed to fill! You are not holding {o}."),
        Precondition(pattern("faucet ?f"), "Failed to fill! There is no faucet within reach."),
        Precondition(pattern("reaches ?s ?f"), "Failed to fill! There is no faucet within reach."),
        Precondition(pattern("is_empty ?o"), "Failed to fill! {o} is already filled."),
    ),
    add_effects=patterns("is_filled ?o"),
    del_effects=patterns("is_empty ?o"),
    says="Successful execution! {o} is now filled.",
)

SPENT = "Blocked: You have no messages left."
BUDGET = (("?k", "number"), ("?j", "number"))
"""How many messages an agent has left before and after it sends one."""


def sending(name: str, to: tuple[tuple[str, str], ...], able: Pattern) -> Rule:
    """Sending one message, which costs one unit of the budget however many it reaches."""
    return Rule(
        name=name,
        tool="Communicate",
        parameters=(AGENT, *to, *BUDGET),
        preconditions=(
            Precondition(able, "Blocked: You can only send messages to: {allowed}."),
            Precondition(pattern("next ?k ?j"), SPENT),
            Precondition(pattern("left ?a ?k"), SPENT),
        ),
        del_effects=patterns("left ?a ?k"),
        add_effects=patterns("left ?a ?j"),
        says="Successful execution! The message is on its way.",
    )


COMMUNICATE = sending("communicate", (("?b", "agent"),), pattern("can_communicate ?a ?b"))
BROADCAST = sending("broadcast", (), pattern("can_broadcast ?a"))
"""A message to everybody whom the agent may write to: one act, one unit."""

OBJECTS = tuple(
    handling(tool, verb, able, value, how)
    for tool, verb, able, value in (
        ("Clean", "clean", pattern("washable ?o"), "is_clean"),
        ("PowerOn", "power on", pattern("switch ?o"), "is_powered_on"),
        ("PowerOff", "power off", pattern("switch ?o"), "is_powered_off"),
    )
    for how in AT_HAND
)

RULES: tuple[Rule, ...] = (
    NAVIGATE,
    *TURNING,
    *map(picking, PLACES),
    *map(placing, PLACES),
    *OBJECTS,
    *(pouring(how) for how in PLACES),
    FILL,
    COMMUNICATE,
    BROADCAST,
)
