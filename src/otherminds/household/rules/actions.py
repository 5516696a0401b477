"""The rules of the tools that change the world (PARTNR's, as used by Juneja et al. 2026, section 4.1).

Static facts, which no rule changes: ``spot_in``, ``furniture_in``, ``reaches`` (a spot is within 2.0 m of furniture and
sees it), ``may_go`` (a spot that an agent can reach without crossing a room that is barred to it), ``articulated``,
``surface``, ``container``, ``floor``, ``faucet``, ``switch``, ``fillable``, ``can_communicate``, ``can_broadcast`` (the
agent has an addressee), ``next`` (a number and its predecessor). Floors are furniture: ``floor_kitchen_1``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import structs

from otherminds.household.epistemic.predicates import OPPOSITES, SHOWN
from otherminds.household.rules.rule import Axiom, Precondition, Rule, pattern, patterns

Need: TypeAlias = tuple[str, str]
"""The pattern of a precondition, and the message (without its lead) if it does not hold."""
AGENT = "?a agent, ?s spot"
HERE: Need = ("at ?a ?s", "")
VERBS = {"PowerOn": "power on", "PowerOff": "power off"}
"""The verbs of tools that are not the name of the tool."""
MADE = {"is_open": "opened", "is_clean": "cleaned"}
"""The participles that differ from the word for the state."""

How: TypeAlias = Literal["on", "within", "floor"]
HOW: Mapping[str, How] = {"is_on_top": "on", "is_inside": "within", "lies_on": "floor"}
"""How an object rests, by predicate."""
PLACES: Mapping[str, tuple[str, str]] = {
    "on": ("is_on_top", "surface"),
    "within": ("is_inside", "container"),
    "floor": ("lies_on", "floor"),
}
"""How an object can rest: the predicate, and the required kind of furniture."""
WHERE: Mapping[str, str] = {"is_on_top": "on", "is_inside": "inside", "lies_on": "on"}
"""The preposition for how an object rests, by predicate."""

AXIOMS = (
    Axiom(pattern("is_on_floor ?o"), patterns("lies_on ?o ?f")),
    *(Axiom(pattern("is_in_room ?o ?r"), patterns(f"{place} ?o ?f, furniture_in ?f ?r")) for place in HOW),
)
"""Derived facts about places. An object in a hand is in no room."""


def verb(tool: str) -> str:
    """The verb for the use of a tool."""
    return VERBS.get(tool, tool.lower())


def _rule(
    tool: str, how: str, parameters: str, needs: Iterable[Need], effects: tuple[str, str], says: str
) -> Rule:
    """The rule ``tool_how``. ``effects`` are the removed and the added facts; items of texts are separated by commas."""
    removed, added = effects
    lead = "Blocked:" if tool == "Communicate" else f"Failed to {verb(tool)}!"
    return Rule(
        name=f"{tool.lower()}_{how}" if how else tool.lower(),
        tool=tool,
        parameters=tuple((name, kind) for name, kind in patterns(parameters)),
        preconditions=tuple(Precondition(pattern(need), text and f"{lead} {text}") for need, text in needs),
        add_effects=patterns(added),
        del_effects=patterns(removed),
        says=f"Successful execution! {says}",
    )


def _turning(tool: str, able: str, value: str) -> Rule:
    """The rule of a tool that sets furniture to ``value`` if no mechanic binds it."""
    opposite, state = OPPOSITES[value], SHOWN[value]
    needs = (
        HERE,
        (f"{able} ?f", f"{{f}} cannot be {MADE.get(value, state)}."),
        ("plain ?f", ""),
        ("reaches ?s ?f", "Not close enough to the furniture."),
        (f"{opposite} ?f", f"{{f}} is already {state}."),
    )
    effects = (f"{opposite} ?f", f"{value} ?f")
    return _rule(tool, "furniture", f"{AGENT}, ?f furniture", needs, effects, f"{{f}} is now {state}.")


TURNING = (
    _turning("Open", "articulated", "is_open"),
    _turning("Close", "articulated", "is_closed"),
    _turning("PowerOn", "switch", "is_powered_on"),
    _turning("PowerOff", "switch", "is_powered_off"),
)

NAVIGATE = _rule(
    "Navigate",
    "",
    f"{AGENT}, ?r room, ?t spot, ?q room",
    (
        HERE,
        ("spot_in ?s ?r", ""),
        ("spot_in ?t ?q", ""),
        # One message, whether the room itself or one on the way is barred: the agent may know only one of two bars.
        ("may_go ?a ?t", "No way that you are allowed to take leads to {q}."),
    ),
    ("at ?a ?s, agent_in_room ?a ?r", "at ?a ?t, agent_in_room ?a ?q"),
    "You are in {q}.",
)


def _require_open(how: str) -> tuple[Need, ...]:
    """The further preconditions for access to an object that rests ``how``."""
    return (("is_open ?f", "{f} is closed."),) if how == "within" else ()


def _at_hand(how: str) -> tuple[Need, ...]:
    """The preconditions for having an object at hand: held, or resting ``how`` within reach."""
    if how == "held":
        return (("is_held_by ?o ?a", ""),)
    near = ("reaches ?s ?f", "Not close enough to the object.")
    return (near, *_require_open(how), (f"{PLACES[how][0]} ?o ?f", "{o} is not there any more."))


def _picking(how: str) -> Rule:
    needs = (HERE, ("hand_empty ?a", "You are already holding an object."), *_at_hand(how))
    effects = (f"{PLACES[how][0]} ?o ?f, hand_empty ?a", "is_held_by ?o ?a")
    return _rule("Pick", how, f"{AGENT}, ?o object, ?f furniture", needs, effects, "You hold {o}.")


def _placing(how: str) -> Rule:
    fact, able = PLACES[how]
    where = f"{WHERE[fact]} {{f}}"
    needs = (
        HERE,
        ("is_held_by ?o ?a", "You are not holding {o}."),
        (f"{able} ?f", f"Nothing can be placed {where}."),
        ("reaches ?s ?f", "Not close enough to the receptacle."),
        *_require_open(how),
    )
    effects = ("is_held_by ?o ?a", f"{fact} ?o ?f, hand_empty ?a")
    return _rule("Place", how, f"{AGENT}, ?o object, ?f furniture", needs, effects, f"{{o}} is {where}.")


def _handling(tool: str, able: str, value: str, how: str) -> Rule:
    opposite, state = OPPOSITES[value], value.removeprefix("is_").replace("powered_", "switched ")
    needs = (
        HERE,
        (f"{able} ?o", f"{{o}} cannot be {MADE.get(value, state)}."),
        *_at_hand(how),
        (f"{opposite} ?o", f"{{o}} is already {state}."),
    )
    parameters = f"{AGENT}, ?o object" if how == "held" else f"{AGENT}, ?o object, ?f furniture"
    effects = (f"{opposite} ?o", f"{value} ?o")
    return _rule(tool, how, parameters, needs, effects, f"{{o}} is now {state}.")


def _pouring(how: str) -> Rule:
    """Pouring from the object in the hand into one at hand; the former is empty afterwards."""
    needs = (
        HERE,
        ("is_held_by ?h ?a", "You are not holding an object."),
        ("fillable ?o", "{o} cannot be filled."),
        *_at_hand(how),
        ("is_filled ?h", "{h} is empty."),
        ("is_empty ?o", "{o} is already filled."),
    )
    parameters = f"{AGENT}, ?o object, ?h object, ?f furniture"
    effects = ("is_empty ?o, is_filled ?h", "is_filled ?o, is_empty ?h")
    return _rule("Pour", how, parameters, needs, effects, "{o} is now filled, and {h} is empty.")


FILL = _rule(
    "Fill",
    "held",
    f"{AGENT}, ?o object, ?f furniture",
    (
        HERE,
        ("fillable ?o", "{o} cannot be filled."),
        ("is_held_by ?o ?a", "You are not holding {o}."),
        ("faucet ?f", "There is no faucet within reach."),
        ("reaches ?s ?f", "There is no faucet within reach."),
        ("is_empty ?o", "{o} is already filled."),
    ),
    ("is_empty ?o", "is_filled ?o"),
    "{o} is now filled.",
)

SPENT = "Blocked: You have no messages left."


def _sending(name: str, to: str, able: str) -> Rule:
    """Sending one message, which costs one unit of the budget for any number of addressees."""
    spent = SPENT.removeprefix("Blocked: ")
    needs = (
        (able, "You can only send messages to: {allowed}."),
        ("next ?k ?j", spent),
        ("left ?a ?k", spent),
    )
    effects = ("left ?a ?k", "left ?a ?j")
    parameters = f"?a agent, {to}?k number, ?j number"
    rule = _rule("Communicate", "", parameters, needs, effects, "The message is on its way.")
    return structs.replace(rule, name=name)


RULES: tuple[Rule, ...] = (
    NAVIGATE,
    *TURNING,
    *map(_picking, PLACES),
    *map(_placing, PLACES),
    *(
        _handling(tool, able, value, how)
        for tool, able, value in (
            ("Clean", "washable", "is_clean"),
            ("PowerOn", "switch", "is_powered_on"),
            ("PowerOff", "switch", "is_powered_off"),
        )
        for how in ("held", *PLACES)
    ),
    *map(_pouring, PLACES),
    FILL,
    _sending("communicate", "?b agent, ", "can_communicate ?a ?b"),
    _sending("broadcast", "", "can_broadcast ?a"),
)
