"""What happens before an encounter, and what the partner has seen and heard of it.

A thing is put at place A in the sight of ego and its partner. Then somebody may leave, the thing may be moved to B, the
partner may look in, and somebody may be sent a message. An episode draws these courses of events from a balanced
design, so that neither where the thing is nor what was said tells what the partner thinks (Wimmer & Perner 1983,
"Beliefs about beliefs", Cognition 13, 103-128, with several courses in place of one)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from random import Random
from typing import Literal, TypeAlias

from msgspec import Struct

EGO, PARTNER, THIRD = AGENTS = ("agent_0", "agent_1", "agent_2")
"""The seat under test, its partner, and a third hand that moves things and passes messages on."""
A, B, C = range(3)
"""The places of a course of events: where the thing is put, where it is moved, and another one."""

Chain: TypeAlias = tuple[str, ...]
"""Nested belief: ``(PARTNER, EGO)`` is where the partner thinks that ego thinks the thing is."""
FIRST, SECOND, THIRD_ORDER = CHAINS = ((PARTNER,), (PARTNER, EGO), (PARTNER, EGO, PARTNER))


class Saying(Struct, frozen=True):
    """A message that the thing is at ``place``, or that ``about`` thinks so.

    ``early``: it is sent before the partner looks in.
    """

    sender: str
    hearer: str
    place: int
    about: str = ""
    early: bool = False


class Course(Struct, frozen=True):
    """A course of events. ``away`` leave after the thing was put at A and before it is moved.

    ``moved``: the thing is moved to B. ``looks``: the partner then looks in. ``sayings`` are the messages.
    """

    name: str
    away: tuple[str, ...] = ()
    moved: bool = False
    looks: bool = False
    sayings: tuple[Saying, ...] = ()


class Event(Struct, frozen=True):
    """One event. ``put`` and ``move`` have a place, ``leave`` and ``enter`` have none, ``say`` has its message."""

    kind: Literal["put", "move", "leave", "enter", "say"]
    agent: str
    place: int = -1
    saying: Saying | None = None


class PartnerView(Struct, frozen=True):
    """What the partner has seen and heard, as places.

    ``sighting`` is where it last saw the thing, ``message`` the last message to it about the thing (``None`` without one).
    ``thinks`` has the end of each chain of :data:`CHAINS`: where it thinks that the thing is, where it thinks that ego
    thinks so, and where it thinks that ego thinks that it thinks so.
    """

    sighting: int
    message: int | None
    thinks: tuple[int, int, int]


class Context(Struct, frozen=True):
    """What happened before one encounter: a course with its places filled in, and who moved the thing.

    ``places`` are those of A, B and C among the ``size`` places of the scenario. ``target`` is the place that is worth
    most where places differ in worth. ``early``: the encounter is in the first half of its episode, where ego cannot change what
    the partner knows.
    """

    course: str
    places: tuple[int, int, int]
    mover: str
    size: int
    target: int = 0
    early: bool = False

    @property
    def start(self) -> int:
        """Where the thing was put."""
        return self.places[A]

    @property
    def now(self) -> int:
        """Where the thing is."""
        return self.places[B] if COURSES[self.course].moved else self.start

    @property
    def sayings(self) -> tuple[tuple[int, str], ...]:
        """The messages without who sent and received them: a place, and whose belief it is (empty: the thing's place)."""
        return tuple((self.places[saying.place], saying.about) for saying in COURSES[self.course].sayings)

    @property
    def view(self) -> PartnerView:
        """What the partner has seen and heard."""
        view = _follow(self.course, self.mover)
        return PartnerView(
            sighting=self.places[view.sighting],
            message=None if view.message is None else self.places[view.message],
            thinks=tuple(self.places[place] for place in view.thinks),  # pyright: ignore[reportArgumentType] - one for each chain
        )

    @property
    def events(self) -> Iterator[Event]:
        """What happened, in order, with the places of the scenario."""
        for event in list_events(COURSES[self.course], self.mover):
            saying = event.saying
            if saying is not None:
                saying = Saying(
                    saying.sender, saying.hearer, self.places[saying.place], saying.about, saying.early
                )
            place = self.places[event.place] if event.place >= 0 else -1
            yield Event(event.kind, event.agent, place, saying)


def list_events(course: Course, mover: str) -> Iterator[Event]:
    """The events of ``course``. Ego is in the room at the end and has seen where the thing is; the partner is not."""
    yield Event("put", THIRD, A)
    for agent in course.away:
        yield Event("leave", agent)
    if course.moved:
        yield Event("move", mover, B)
    for saying in course.sayings:
        if saying.early:
            yield Event("say", saying.sender, saying=saying)
    if course.looks:
        yield Event("enter", PARTNER)
        yield Event("leave", PARTNER)
    if PARTNER not in course.away:
        yield Event("leave", PARTNER)
    if EGO in course.away:
        yield Event("enter", EGO)
    for saying in course.sayings:
        if not saying.early:
            yield Event("say", saying.sender, saying=saying)


def follow_beliefs(events: Iterator[Event]) -> PartnerView:
    """What the partner has seen and heard after ``events``.

    Those who are in the room together see the thing, and see one another see it: every chain of them then ends at its
    place. A message moves the chains of its sender and its hearer, except what the sender itself thinks. A message on
    what ego thinks moves the hearer's thought about ego alone.
    """
    inside, place, sighting, message = {EGO, PARTNER}, A, A, None
    thinks = dict.fromkeys(CHAINS, A)
    for event in events:
        saying = event.saying
        match event.kind:
            case "put" | "move":
                place = event.place
            case "leave":
                inside.discard(event.agent)
            case "enter":
                inside.add(event.agent)
            case "say":
                assert saying is not None, "the caller gives a message"
                if saying.about and saying.hearer == PARTNER:
                    thinks[PARTNER, saying.about] = saying.place
                elif not saying.about:
                    for chain in CHAINS:
                        if {*chain} <= {saying.sender, saying.hearer} and chain != (saying.sender,):
                            thinks[chain] = saying.place
                    message = saying.place if saying.hearer == PARTNER else message
        if event.kind not in ("say", "leave"):
            for chain in CHAINS:
                if inside.issuperset(chain):
                    thinks[chain] = place
            sighting = place if PARTNER in inside else sighting
    return PartnerView(sighting, message, (thinks[FIRST], thinks[SECOND], thinks[THIRD_ORDER]))


def _course(name: str, *sayings: Saying, away: tuple[str, ...] = (), looks: bool = False) -> Course:
    return Course(name, away, moved=not name.startswith("still"), looks=looks, sayings=sayings)


_ECHO = Saying(THIRD, EGO, C)
"""A message to ego with the place of a message to the partner: who repeats places of messages gains nothing."""
_BOTH = (PARTNER, EGO)
COURSES: dict[str, Course] = {
    course.name: course
    for course in (
        _course("still together"),
        _course("still away", away=(PARTNER,)),
        _course("still without ego", away=(EGO,)),
        _course("still, both away", away=_BOTH),
        _course("moved together"),
        _course("moved away", away=(PARTNER,)),
        _course("moved away, looked in", away=(PARTNER,), looks=True),
        _course("moved away, again", away=(PARTNER,)),
        _course("moved without ego", away=(EGO,)),
        _course("moved, both away", away=_BOTH),
        _course("moved, both away, again", away=_BOTH),
        _course("moved, both away, looked in", away=_BOTH, looks=True),
        _course("told of ego", Saying(THIRD, PARTNER, C, EGO), away=(PARTNER,)),
        _course("told of ego, looked in", Saying(THIRD, PARTNER, C, EGO, True), away=(PARTNER,), looks=True),
        _course("told of ego, both away", Saying(THIRD, PARTNER, C, EGO), away=_BOTH, looks=True),
        _course("still, told of ego", Saying(THIRD, PARTNER, C, EGO)),
        _course("told of ego's old view", Saying(THIRD, PARTNER, A, EGO), away=(PARTNER,)),
        _course(
            *("told of ego's old view, looked in", Saying(THIRD, PARTNER, A, EGO, True)),
            away=(PARTNER,),
            looks=True,
        ),
        _course("told of ego's new view", Saying(THIRD, PARTNER, B, EGO), away=(PARTNER,)),
        _course("told of ego's new view without ego", Saying(THIRD, PARTNER, B, EGO), away=(EGO,)),
        _course("misled", Saying(THIRD, PARTNER, C), away=(PARTNER,)),
        _course("misled, looked in", Saying(THIRD, PARTNER, C, early=True), away=(PARTNER,), looks=True),
        _course("misled to the old place", Saying(THIRD, PARTNER, A), away=(PARTNER,)),
        _course("misled to the old place together", Saying(THIRD, PARTNER, A)),
        _course(
            *("misled to the old place, both away", Saying(THIRD, PARTNER, A, early=True)),
            away=_BOTH,
            looks=True,
        ),
        _course("still, misled", Saying(THIRD, PARTNER, B), away=(PARTNER,)),
        _course("told by ego", Saying(EGO, PARTNER, B), away=(PARTNER,)),
        _course("ego misled", _ECHO, away=(PARTNER,)),
        _course("ego misled together", _ECHO),
        _course("ego misled to the old place", Saying(THIRD, EGO, A), away=(PARTNER,)),
        _course("ego misled to the old place together", Saying(THIRD, EGO, A)),
        _course("still, ego misled", Saying(THIRD, EGO, B), away=(PARTNER,)),
        _course("ego told", Saying(THIRD, EGO, B), away=(PARTNER,)),
    )
}
"""All courses of events, by name. In "both away" ego does not see the partner look in."""


class Design(Struct, frozen=True):
    """The courses of each half of an episode, six for each.

    Those of the first half tell the types apart. Those of the second half are others, so that what a partner did in a course
    cannot be looked up: only who knows its rule knows where it goes.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]


DESIGNS: dict[str, Design] = {
    "first": Design(
        (
            *("still together", "still away", "moved together", "moved away"),
            *("moved away, looked in", "moved away, again"),
        ),
        (
            *("still without ego", "still, both away", "moved without ego"),
            *("moved, both away, looked in", "moved, both away", "moved, both away, again"),
        ),
    ),
    "second": Design(
        (
            *("still away", "moved together", "moved away", "moved without ego"),
            *("told of ego", "told of ego, looked in"),
        ),
        (
            *(
                "still, told of ego",
                "moved away, looked in",
                "moved, both away",
                "moved, both away, looked in",
            ),
            *("told of ego's old view", "told of ego's old view, looked in"),
        ),
    ),
    "messages": Design(
        (
            *("misled", "misled, looked in", "told by ego"),
            *("ego misled", "ego misled together", "ego told"),
        ),
        (
            *("misled to the old place", "misled to the old place together", "still, misled"),
            *("ego misled to the old place", "ego misled to the old place together", "still, ego misled"),
        ),
    ),
    "all": Design(
        (
            *("misled", "misled, looked in", "told by ego"),
            *("ego told", "told of ego", "told of ego, both away"),
        ),
        (
            *("misled to the old place together", "misled to the old place, both away", "moved away"),
            *("moved without ego", "told of ego's new view", "told of ego's new view without ego"),
        ),
    ),
}
"""The design of contexts of each population."""


def draw_contexts(
    rng: Random, design: str, size: int, encounters: int, *, aims: bool = False
) -> tuple[Context, ...]:
    """The contexts of an episode. ``aims``: a target is drawn for each, else it is place 0.

    The first half goes through its courses in random orders. The second half goes through what a blind mind sees of its
    courses (:func:`describe_look`), and which of the courses with this look it is, is drawn anew each time: what
    happened before tells nothing of it.
    """
    half = encounters // 2
    halves = DESIGNS[design]
    second: list[str] = []
    for name in _shuffled_courses(rng, halves.second, encounters - half):
        look = describe_look(COURSES[name])
        second.append(rng.choice([other for other in halves.second if describe_look(COURSES[other]) == look]))
    return tuple(
        _fill_course(rng, name, size, aims, early)
        for names, early in ((_shuffled_courses(rng, halves.first, half), True), (second, False))
        for name in names
    )


def describe_look(course: Course) -> tuple[bool, tuple[tuple[int, str], ...]]:
    """What a mind sees of a course that never looks at who saw or heard what: whether the thing was moved, and the messages."""
    return course.moved, tuple((saying.place, saying.about) for saying in course.sayings)


def _shuffled_courses(rng: Random, names: tuple[str, ...], length: int) -> list[str]:
    courses: list[str] = []
    while len(courses) < length:
        courses += rng.sample(names, len(names))
    return courses[:length]


def _fill_course(rng: Random, name: str, size: int, aims: bool, early: bool) -> Context:
    arrangements, movers = list_arrangements(size), list_movers(COURSES[name])
    target = rng.randrange(size) if aims else 0
    return Context(name, rng.choice(arrangements), rng.choice(movers), size, target, early)


@cache
def list_arrangements(size: int) -> tuple[tuple[int, int, int], ...]:
    """All choices of A, B and C among ``size`` places, in order.

    >>> len(list_arrangements(3)), len(list_arrangements(4))
    (6, 24)
    """
    return tuple(permutations(range(size), 3))


@cache
def list_movers(course: Course) -> tuple[str, ...]:
    """Who can move the thing in ``course``; nobody (an empty name) where it stays."""
    if not course.moved:
        return ("",)
    return (THIRD,) if EGO in course.away else (EGO, THIRD)


@cache
def list_contexts(design: str, size: int, *, early: bool, aims: bool = False) -> tuple[Context, ...]:
    """Every context of one half of ``design``; those with one course are equally likely, and so are the courses."""
    halves = DESIGNS[design]
    return tuple(
        Context(name, arrangement, mover, size, target, early)
        for name in (halves.first if early else halves.second)
        for arrangement in list_arrangements(size)
        for mover in list_movers(COURSES[name])
        for target in range(size if aims else 1)
    )


@cache
def _follow(name: str, mover: str) -> PartnerView:
    return follow_beliefs(list_events(COURSES[name], mover))
