"""An independent computation of encounters: every context, type and plan by the rules as the documentation states them.

It shares with the product the names of courses alone. Places are A = 0, B = 1, C = 2 until they are arranged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

# course: moved, partner away, ego away, partner looks in,
#         messages (sender, hearer, place, about ego's belief, before the look)
STORIES: dict[str, tuple[bool, bool, bool, bool, tuple[tuple[str, str, int, bool, bool], ...]]] = {
    "still together": (False, False, False, False, ()),
    "still away": (False, True, False, False, ()),
    "moved together": (True, False, False, False, ()),
    "moved away": (True, True, False, False, ()),
    "moved away, again": (True, True, False, False, ()),
    "moved away, looked in": (True, True, False, True, ()),
    "moved without ego": (True, False, True, False, ()),
    "told of ego": (True, True, False, False, (("third", "partner", 2, True, False),)),
    "told of ego, looked in": (True, True, False, True, (("third", "partner", 2, True, True),)),
    "told of ego, both away": (True, True, True, True, (("third", "partner", 2, True, False),)),
    "still without ego": (False, False, True, False, ()),
    "still, both away": (False, True, True, False, ()),
    "moved, both away": (True, True, True, False, ()),
    "moved, both away, again": (True, True, True, False, ()),
    "moved, both away, looked in": (True, True, True, True, ()),
    "still, told of ego": (False, False, False, False, (("third", "partner", 2, True, False),)),
    "told of ego's old view": (True, True, False, False, (("third", "partner", 0, True, False),)),
    "told of ego's old view, looked in": (True, True, False, True, (("third", "partner", 0, True, True),)),
    "told of ego's new view": (True, True, False, False, (("third", "partner", 1, True, False),)),
    "told of ego's new view without ego": (True, False, True, False, (("third", "partner", 1, True, False),)),
    "misled to the old place": (True, True, False, False, (("third", "partner", 0, False, False),)),
    "misled to the old place together": (True, False, False, False, (("third", "partner", 0, False, False),)),
    "misled to the old place, both away": (True, True, True, True, (("third", "partner", 0, False, True),)),
    "still, misled": (False, True, False, False, (("third", "partner", 1, False, False),)),
    "ego misled to the old place": (True, True, False, False, (("third", "ego", 0, False, False),)),
    "ego misled to the old place together": (True, False, False, False, (("third", "ego", 0, False, False),)),
    "still, ego misled": (False, True, False, False, (("third", "ego", 1, False, False),)),
    "misled": (True, True, False, False, (("third", "partner", 2, False, False),)),
    "misled, looked in": (True, True, False, True, (("third", "partner", 2, False, True),)),
    "told by ego": (True, True, False, False, (("ego", "partner", 1, False, False),)),
    "ego misled": (True, True, False, False, (("third", "ego", 2, False, False),)),
    "ego misled together": (True, False, False, False, (("third", "ego", 2, False, False),)),
    "ego told": (True, True, False, False, (("third", "ego", 1, False, False),)),
}
COURSES_OF = {
    "first": (
        (
            "still together",
            "still away",
            "moved together",
            "moved away",
            "moved away, looked in",
            "moved away, again",
        ),
        (
            *("still without ego", "still, both away", "moved without ego"),
            *("moved, both away, looked in", "moved, both away", "moved, both away, again"),
        ),
    ),
    "second": (
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
    "messages": (
        ("misled", "misled, looked in", "told by ego", "ego misled", "ego misled together", "ego told"),
        (
            *("misled to the old place", "misled to the old place together", "still, misled"),
            *("ego misled to the old place", "ego misled to the old place together", "still, ego misled"),
        ),
    ),
    "all": (
        ("misled", "misled, looked in", "told by ego", "ego told", "told of ego", "told of ego, both away"),
        (
            *("misled to the old place together", "misled to the old place, both away", "moved away"),
            *("moved without ego", "told of ego's new view", "told of ego's new view without ego"),
        ),
    ),
}
"""The courses of the first and of the second half."""
COURSES_OF["held_out"] = COURSES_OF["all"]
TYPES_OF = {
    "first": ("reality", "belief", "habit"),
    "second": ("reality", "belief", "second_order", "habit"),
    "messages": ("belief", "distrustful", "credulous", "habit"),
    "all": (
        *("reality", "belief", "distrustful", "credulous"),
        *("second_order", "third_order", "searcher", "habit"),
    ),
    "held_out": ("third_order", "searcher", "habit"),
}
GAMES = ("meet", "leave", "avoid", "hide", "tell", "screen")


class Situation(NamedTuple):
    """A context: its course, its places for A, B and C, the number of places, the target, and whether it is in the first half."""

    course: str
    places: tuple[int, int, int]
    size: int
    target: int
    early: bool


class Mind(NamedTuple):
    """What the partner has seen, was told, and thinks in three orders."""

    seen: int
    told: int | None
    first: int
    second: int
    third: int


def thoughts(situation: Situation, told_by_ego: bool = False, shown: int | None = None) -> Mind:
    """The partner's state of mind; then perhaps told the truth by ego, or shown the thing by it."""
    moved, partner_away, ego_away, looks, messages = STORIES[situation.course]
    a, b = situation.places[:2]
    now = b if moved else a
    seen = a if partner_away and moved else now
    told: int | None = None
    first = seen
    second = third = now if not ego_away and not partner_away else a
    for early in (True, False):
        for sender, hearer, place, about_ego, before in messages:
            if before != early or hearer != "partner":
                continue
            heard = situation.places[place]
            if about_ego:
                second = heard
                continue
            told, first = heard, heard
            if sender == "ego":
                second = third = heard
        if early and looks:
            seen = first = now
            if not ego_away:
                second = third = now
    if told_by_ego:
        told = first = second = third = now
    if shown is not None:
        seen = first = second = third = shown
    return Mind(seen, told, first, second, third)


def destination(kind: str, situation: Situation, mind: Mind) -> int:
    """Where a type goes; a habit is written ``habit0``, ``habit1``, ..."""
    now = situation.places[1] if STORIES[situation.course][0] else situation.places[0]
    if kind.startswith("habit"):
        return int(kind[5:])
    if kind == "reality":
        return now
    if kind == "belief":
        return mind.first
    if kind == "distrustful":
        return mind.seen
    if kind == "credulous":
        return mind.seen if mind.told is None else mind.told
    if kind == "second_order":
        return mind.second
    if kind == "third_order":
        return mind.third
    assert kind == "searcher"
    return mind.first if mind.first == now else (mind.first + 1) % situation.size


def plans(game: str, size: int) -> list[tuple[int, ...]]:
    """Every plan of ego."""
    if game == "tell":
        return [(0, 0), (1, 0)]
    if game == "screen":
        return list(product(range(size + 1), range(size + 1)))
    return [(place,) for place in range(size)]


def word(kind: str, situation: Situation) -> int:
    """Where a type goes if ego does nothing."""
    return destination(kind, situation, thoughts(situation))


def value(game: str, kind: str, situation: Situation, plan: tuple[int, ...], slip: float) -> float:
    """The expected payoff of a plan: over each place where a slip may lead."""
    tells = game == "tell" and plan[0] == 1 and not situation.early
    shown = plan[0] if game == "screen" and plan[0] < situation.size and not situation.early else None
    goes = destination(kind, situation, thoughts(situation, tells, shown))
    expected = 0.0
    for place in range(situation.size):
        chance = slip / situation.size + (1 - slip if place == goes else 0)
        expected += chance * payoff(game, situation, plan, place)
    return expected - (0.3 if tells else 0) - (0.4 if shown is not None else 0)


def payoff(game: str, situation: Situation, plan: tuple[int, ...], place: int) -> float:
    """What ego earns once the partner is at ``place``."""
    now = situation.places[1] if STORIES[situation.course][0] else situation.places[0]
    own = plan[-1]
    if game == "meet":
        return float(own == place)
    if game == "leave":
        return 1.0 if own == place else 0.5 if (own - place) % situation.size == 1 else 0.0
    if game == "avoid":
        return 0.0 if own == place else 1.0 if own == now else 0.5
    if game == "hide":
        return -1.0 if own == place else 1.0 if own == now else 0.5
    if game == "tell":
        return float(place == now)
    return 0.0 if own != place else 1.0 if place == situation.target else 0.2


def situations(game: str, population: str, size: int, early: bool) -> Iterator[tuple[Situation, float]]:
    """All contexts of one half of a design with their probabilities."""
    targets = range(size) if game == "screen" else range(1)
    arrangements = list(permutations(range(size), 3))
    share = 1 / 6 / len(arrangements) / len(targets)
    courses = COURSES_OF[population][0 if early else 1]
    for course, places, target in product(courses, arrangements, targets):
        yield Situation(course, places, size, target, early), share


def kinds(population: str, size: int) -> list[tuple[str, float]]:
    """The types of a population with their weights."""
    share = 1 / len(TYPES_OF[population])
    weighted: list[tuple[str, float]] = []
    for kind in TYPES_OF[population]:
        if kind == "habit":
            weighted += [(f"habit{place}", share / size) for place in range(size)]
        else:
            weighted.append((kind, share))
    return weighted


def blind_description(situation: Situation) -> tuple[object, ...]:
    """What a mind that never looks at who saw or heard what may use."""
    moved, _, _, _, messages = STORIES[situation.course]
    a, b = situation.places[:2]
    content = tuple((situation.places[place], about) for _, _, place, about, _ in messages)
    return a, b if moved else a, content, situation.target, situation.early
