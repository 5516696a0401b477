"""The rules of the household as data, from which the simulator's steps, the PDDL and the problems of proofs are made.

A rule of action has parameters, preconditions with the message of each failure, and effects; a rule of sight says that an
agent sees whether a fact holds while other facts hold. A pattern is a predicate with its arguments, ``("is_closed", "?f")``.
Arguments that begin with ``?`` are parameters; all others are names. A state of the house is one whole number with a bit for
each fact, and so is what an agent believes: rules are ground to bit masks, which live with the house of a task.

The tools that change the world are PARTNR's, as used by Juneja et al. 2026, section 4.1. Static facts, which no rule changes:
``spot_in``, ``furniture_in``, ``reaches`` (a spot is within 2.0 m of furniture and sees it), ``may_go`` (a spot that an agent
can reach without crossing a room that is barred to it), ``sees`` (furniture, or a floor, is visible from a spot), ``meets``
(a spot is visible from a spot), ``articulated``, ``surface``, ``container``, ``floor``, ``faucet``, ``switch``, ``fillable``,
``can_communicate``, ``can_broadcast`` (the agent has an addressee), ``next`` (a number and its predecessor). Floors are
furniture: ``floor_kitchen_1``. Explore shows what is seen from all spots of a room; an agent could walk to each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field, structs

from otherminds.household.epistemic.certificate import SightRule
from otherminds.household.epistemic.predicates import OPPOSITES, SHOWN

Pattern = tuple[str, ...]
Fact = tuple[str, ...]
"""A pattern without parameters."""

PLACING = ("is_held_by", "is_on_top", "is_inside", "lies_on")
DYNAMIC = frozenset((*OPPOSITES, *PLACING, "at", "agent_in_room", "hand_empty", "left"))
"""The predicates that rules change; all others are static."""


class Precondition(Struct, frozen=True):
    """What must hold, and the message if it does not; ``{f}`` is replaced by the value of ``?f``."""

    pattern: Pattern
    text: str = ""


class Rule(Struct, frozen=True):
    """One way in which a tool can work.

    ``parameters`` pair each name with its type: agent, spot, room, furniture (including floors), object or number.
    Preconditions are tested in order. All are positive, because opposites (``is_open``, ``is_closed``) are separate
    facts. ``del_effects`` are applied before ``add_effects``. ``says`` is the message of a success. If ``shown`` is
    false, a success is reported like a failure, but its effects are applied.
    """

    name: str
    tool: str
    parameters: tuple[tuple[str, str], ...]
    preconditions: tuple[Precondition, ...]
    add_effects: tuple[Pattern, ...] = ()
    del_effects: tuple[Pattern, ...] = ()
    says: str = ""
    shown: bool = True

    def given(self, values: Mapping[str, str], name: str) -> Rule:
        """This rule with some parameters replaced by constants, under another name."""
        return structs.replace(
            self,
            name=name,
            parameters=tuple(pair for pair in self.parameters if pair[0] not in values),
            preconditions=tuple(
                Precondition(bound(precondition.pattern, values), fill_words(precondition.text, values))
                for precondition in self.preconditions
            ),
            add_effects=tuple(bound(pattern, values) for pattern in self.add_effects),
            del_effects=tuple(bound(pattern, values) for pattern in self.del_effects),
            says=fill_words(self.says, values),
        )


class Axiom(Struct, frozen=True):
    """A derived fact: ``head`` holds if all of ``body`` hold for some furniture ``?f``."""

    head: Pattern
    body: tuple[Pattern, ...]


class Facts:
    """Numbers every fact that a task can have; bit ``i`` of a state says whether fact ``i`` holds."""

    def __init__(self) -> None:
        self.named: list[Fact] = []
        self._index: dict[Fact, int] = {}

    def index(self, fact: Fact) -> int:
        """The number of ``fact``; an unknown fact gets the next number."""
        if fact not in self._index:
            self._index[fact] = len(self.named)
            self.named.append(fact)
        return self._index[fact]

    def add(self, facts: Sequence[Fact]) -> None:
        """Numbers ``facts``, of which unknown ones get the next numbers, in order."""
        fresh = [fact for fact in facts if fact not in self._index]
        self._index |= zip(fresh, range(len(self.named), len(self.named) + len(fresh)), strict=True)
        self.named += fresh

    def bit(self, fact: Fact) -> int:
        """``fact`` alone, as a mask."""
        return 1 << self.index(fact)

    def mask(self, facts: Iterable[Fact]) -> int:
        """All of ``facts``, as a mask."""
        mask = 0
        for fact in facts:
            mask |= self.bit(fact)
        return mask

    def get(self, fact: Fact) -> int:
        """The mask of ``fact``, or 0 if the task cannot have it."""
        return 1 << self._index[fact] if fact in self._index else 0

    def shown(self, state: int) -> Iterator[Fact]:
        """The facts of a state, by number."""
        return (self.named[number] for number in bits(state))


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, in increasing order.

    >>> bits(0b10110)
    [1, 2, 4]
    """
    numbers: list[int] = []
    while mask:
        highest = mask.bit_length() - 1
        numbers.append(highest)
        mask ^= 1 << highest
    numbers.reverse()
    return numbers


class GroundRule(Struct, frozen=True):
    """A rule with values for all its parameters.

    It is applicable if all ``preconditions`` hold. The next state is ``(state | effects) ^ deleted``: ``effects`` are all
    facts that it changes, ``deleted`` those that do not hold afterwards. ``first`` has the mask of each precondition of
    ``rule``, in order, by its number, except of static ones that hold; the mask of a static one that does not hold is -1,
    which no state contains.
    """

    preconditions: int
    effects: int
    deleted: int
    first: dict[int, int]
    says: str
    shown: bool
    rule: Rule
    values: Mapping[str, str]
    texts: dict[int, str] = field(default_factory=dict[int, str])

    def refusal(self, state: int) -> str:
        """The message of the first precondition that does not hold in ``state``; empty if all hold."""
        for number, mask in self.first.items():
            if state & mask != mask:
                text = self.texts.get(number)
                if text is None:
                    text = self.texts[number] = fill_words(self.rule.preconditions[number].text, self.values)
                return text
        return ""


def ground(rule: Rule, values: Mapping[str, str], facts: Facts, static: Set[Fact]) -> GroundRule:
    """``rule`` with ``values`` for all its parameters.

    ``facts`` are not extended: a precondition that the task cannot have never holds, and only a rule that is never
    applicable has such an effect.
    """
    first: dict[int, int] = {}
    for number, precondition in enumerate(rule.preconditions):
        fact = bound(precondition.pattern, values)
        if fact[0] in DYNAMIC or fact not in static:
            first[number] = facts.get(fact) or -1
    preconditions = added = deleted = 0
    for mask in first.values():
        preconditions |= mask
    for precondition in rule.del_effects:
        deleted |= facts.get(bound(precondition, values))
    for precondition in rule.add_effects:
        added |= facts.get(bound(precondition, values))
    says = fill_words(rule.says, values)
    effects = added | deleted
    return GroundRule(preconditions, effects, effects ^ added, first, says, rule.shown, rule, values)


def pattern(text: str) -> Pattern:
    """A pattern from its text.

    >>> pattern("is_on_top ?o ?f")
    ('is_on_top', '?o', '?f')
    """
    return tuple(text.split())


def patterns(text: str) -> tuple[Pattern, ...]:
    """Patterns separated by commas."""
    return tuple(map(pattern, text.split(",")))


def bound(fact: Pattern, values: Mapping[str, str]) -> Fact:
    """A pattern with values substituted for its parameters.

    >>> bound(("is_on_top", "?o", "?f"), {"?o": "bowl_0", "?f": "table_1"})
    ('is_on_top', 'bowl_0', 'table_1')
    """
    return tuple([values.get(part, part) for part in fact])


def fill_words(text: str, values: Mapping[str, str]) -> str:
    """A message with values substituted for ``{f}`` and other placeholders.

    >>> fill_words("{f} is closed.", {"?f": "fridge_1"})
    'fridge_1 is closed.'
    """
    for name, value in values.items():
        text = text.replace(f"{{{name[1:]}}}", value)
    return text


MOST = 20_000
"""Entries of a cache; a ground rule, the largest, takes about a kilobyte. A full cache is emptied."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(dict[Key, Value]):
    """Values that depend on the task alone, so that it makes no difference which episode first needs one, and episodes in
    several threads can share the cache."""

    def keep(self, key: Key, value: Value) -> Value:
        """Stores and returns a value."""
        if len(self) >= MOST:
            self.clear()
        self[key] = value
        return value


class GroundRules:
    """Ground rules by name, agent, spot and other values, made when they are first needed."""

    def __init__(self, rules: Sequence[Rule], facts: Facts, static: Set[Fact]) -> None:
        self._rules: Mapping[str, tuple[Rule, tuple[str, ...]]] = {
            rule.name: (rule, tuple(name for name, _ in rule.parameters if name not in ("?a", "?s")))
            for rule in rules
        }
        self._facts, self._static = facts, static
        self._made: BoundedCache[tuple[str, ...], GroundRule] = BoundedCache()

    def __len__(self) -> int:
        return len(self._made)

    def get(self, name: str, agent: str, spot: str, *values: str) -> GroundRule:
        """The rule ``name`` for ``agent`` at ``spot``; ``values`` are those of the other parameters, in order."""
        key = (name, agent, spot, *values)
        grounded = self._made.get(key)
        if grounded is None:
            rule, others = self._rules[name]
            assignment = {"?a": agent, "?s": spot, **dict(zip(others, values, strict=True))}
            grounded = self._made.keep(key, ground(rule, assignment, self._facts, self._static))
        return grounded


class Meaning(NamedTuple):
    """What a call comes to for an agent: a ground rule, and what a success changes besides the state.

    ``spot`` is the agent's position afterwards, ``handled`` the mask of all places of the objects whose states change.
    ``lifted`` is an object that is taken into a hand; ``put`` are an object, how it is put down, the furniture, and the
    object beside it. The meaning ``lasts`` if it depends only on the agent, its spot, and where it believes the object
    of the call to be.
    """

    rule: GroundRule
    spot: int
    handled: int = 0
    lifted: str = ""
    put: tuple[str, ...] = ()
    lasts: bool = True


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


Needs: TypeAlias = tuple[Pattern, ...]


IN_SIGHT = patterns("at ?a ?s, sees ?s ?f")
OPENED = (*IN_SIGHT, pattern("is_open ?f"))
MET = patterns("at ?a ?s, meets ?s ?t, at ?b ?t")

TYPES = {
    "?a": "agent",
    "?b": "agent",
    "?s": "spot",
    "?t": "spot",
    "?f": "furniture",
    "?o": "object",
    "?r": "room",
}
PLACED = {
    pattern("is_on_top ?o ?f"): IN_SIGHT,
    pattern("lies_on ?o ?f"): IN_SIGHT,
    pattern("is_inside ?o ?f"): OPENED,
    pattern("is_held_by ?o ?b"): MET,
}
"""When each fact about the place of an object is seen; the states of the object are seen with its place."""


def _make_sight(needs: Needs, shows: Pattern) -> SightRule:
    names = dict.fromkeys(word for part in (*needs, shows) for word in part[1:])
    return SightRule(tuple((name, TYPES[name]) for name in names), needs, shows)


SIGHTS: tuple[SightRule, ...] = (
    *(_make_sight(needs, place) for place, needs in PLACED.items()),
    *(_make_sight(IN_SIGHT, (state, "?f")) for state in OPPOSITES),
    *(_make_sight((*needs, place), (state, "?o")) for place, needs in PLACED.items() for state in OPPOSITES),
    _make_sight(MET, pattern("agent_in_room ?b ?r")),
    _make_sight(MET, pattern("hand_empty ?b")),
)


def visible(facts: Facts) -> dict[Needs, dict[str, int]]:
    """What is seen: for the needs of each sight, by furniture, by agent for :data:`MET`, or by object, masks of ``facts``.

    A fact that is not shown under the needs of any sight is never seen.
    """
    masks_by_need: dict[Needs, dict[str, int]] = defaultdict(dict)
    places: dict[str, list[tuple[dict[str, int], int]]] = {}
    for sight in SIGHTS:
        by = {IN_SIGHT: "?f", OPENED: "?f", MET: "?b"}.get(sight.needs, "?o")
        places.setdefault(sight.shows[0], []).append((masks_by_need[sight.needs], sight.shows.index(by)))
    for number, fact in enumerate(facts.named):
        for masks, place in places.get(fact[0], ()):
            name = fact[place]
            masks[name] = masks.get(name, 0) | 1 << number
    return masks_by_need
