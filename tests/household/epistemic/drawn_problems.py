"""Small epistemic problems drawn at random: a few agents, spots, doors and boxes, with messages, gates and secrets."""

from __future__ import annotations

import random

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Gate,
    Known,
    ProblemAction,
    SightRule,
    Words,
)

WALK = ProblemAction(
    "walk",
    (("?a", "agent"), ("?s", "spot"), ("?t", "spot")),
    (("at", "?a", "?s"), ("path", "?a", "?s", "?t")),
    (("at", "?a", "?t"),),
    (("at", "?a", "?s"),),
)
OPEN = ProblemAction(
    "open",
    (("?a", "agent"), ("?s", "spot"), ("?f", "furniture")),
    (("at", "?a", "?s"), ("reaches", "?s", "?f"), ("is_closed", "?f")),
    (("is_open", "?f"),),
    (("is_closed", "?f"),),
)
CLOSE = ProblemAction(
    "close",
    OPEN.parameters,
    (("at", "?a", "?s"), ("reaches", "?s", "?f"), ("is_open", "?f")),
    (("is_closed", "?f"),),
    (("is_open", "?f"),),
)
MOVE = ProblemAction(
    "move",
    (("?a", "agent"), ("?s", "spot"), ("?o", "object"), ("?f", "furniture"), ("?g", "furniture")),
    (("at", "?a", "?s"), ("reaches", "?s", "?f"), ("reaches", "?s", "?g"), ("on", "?o", "?f")),
    (("on", "?o", "?g"),),
    (("on", "?o", "?f"),),
)
SEEN = (("?a", "agent"), ("?s", "spot"), ("?f", "furniture"))
HERE = (("at", "?a", "?s"), ("sees", "?s", "?f"))
SIGHTS = (
    SightRule(SEEN, HERE, ("is_open", "?f")),
    SightRule(SEEN, HERE, ("is_closed", "?f")),
    SightRule((*SEEN, ("?o", "object")), (*HERE, ("is_open", "?f")), ("on", "?o", "?f")),
)


def drawn(seed: int) -> EpistemicProblem:
    """A problem; about half of them have a plan for the whole goal."""
    draw = random.Random(seed)
    agents = tuple(f"agent_{k}" for k in range(draw.randint(2, 4)))
    spots = tuple(f"stand:{k}" for k in range(draw.randint(2, 3)))
    furniture = tuple(f"box_{k}" for k in range(draw.randint(2, 3)))
    objects = ("cup_0", "cup_1")
    static = [
        ("path", a, s, t) for a in agents for s in spots for t in spots if s != t and draw.random() < 0.5
    ]
    static += [("reaches", draw.choice(spots), f) for f in furniture]
    static += [("reaches", s, f) for s in spots for f in furniture if draw.random() < 0.4]
    static += [("sees", s, f) for s in spots for f in furniture if draw.random() < 0.5]
    static += [("meets", s, s) for s in spots]
    start = [("at", a, draw.choice(spots)) for a in agents]
    start += [(draw.choice(("is_open", "is_closed")), f) for f in furniture]
    start += [("on", o, draw.choice(furniture)) for o in objects]
    literals: dict[str, tuple[Words, ...]] = {f"(is_open {f})": (("is_open", f),) for f in furniture}
    literals |= {f"(is_closed {f})": (("is_closed", f),) for f in furniture}
    literals |= {f"(is_on_top {o} {f})": (("on", o, f),) for o in objects for f in furniture}
    pair = draw.sample(furniture, 2)
    literals["(is_in_room cup_0 room_0)"] = tuple(("on", "cup_0", f) for f in pair)
    secrets = [f"{furniture[0]} must be open.", "Some boxes mirror others."]
    gates = [Gate(("open",), (("is_open", furniture[0]),), (secrets[0],))]
    gates += [
        Gate(("open", "move"), (("is_open", furniture[1]), ("on", "cup_0", furniture[0])), tuple(secrets))
    ]
    goal: list[Known] = []
    for _ in range(draw.randint(1, 3)):
        chain = [draw.choice(agents)]
        while len(chain) < 3 and draw.random() < 0.6:
            chain.append(draw.choice([a for a in agents if a != chain[-1]]))
        goal.append((tuple(chain) if draw.random() < 0.8 else (), draw.choice(list(literals))))
    goal = [part for part in goal if part[0] or len(literals[part[1]]) == 1]
    goal = goal or [((agents[0], agents[1]), f"(is_open {furniture[0]})")]
    return EpistemicProblem(
        task=f"drawn_{seed}",
        digest="",
        agents=agents,
        names={"agent": agents, "spot": spots, "furniture": furniture, "object": objects},
        actions=(WALK, OPEN, CLOSE, MOVE),
        sights=SIGHTS,
        static=tuple(dict.fromkeys(static)),
        start=tuple(start),
        known=tuple(((a,), s) for a in agents for s in secrets if draw.random() < 0.5),
        links={a: tuple(b for b in agents if b != a and draw.random() < 0.8) for a in agents},
        budgets={a: draw.randint(0, 3) for a in agents if draw.random() < 0.7},
        gates=tuple(gates[: draw.randint(0, 2)]),
        literals=literals,
        goal=tuple(dict.fromkeys(goal)),
    )
