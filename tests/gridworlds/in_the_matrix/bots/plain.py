"""Bots in plain Python, written apart from the compiled ones: what a seat sees, where it goes, what it plays.

Compiled bots have to act as these do, by the same random draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Automaton,
    Brief,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
)
from otherminds.gridworlds.grid.paths import UPRIGHT, Cell, Pose, moved
from otherminds.gridworlds.grid.rules import (
    DX,
    DY,
    FORWARD,
    INTERACT,
    NOOP,
    STEP_RIGHT,
    TURN_RIGHT,
    player_of,
)
from otherminds.gridworlds.in_the_matrix.bots import policy, puppeteer
from otherminds.gridworlds.in_the_matrix.charts import leader, slip
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import AvatarSighting, Collect, Goal, SeekDuel, Walk
from otherminds.gridworlds.in_the_matrix.views import AVATAR, MARK, OTHER, READY, RESOURCE, RESULT, THING
from tests.gridworlds.grid.plain_paths import PlainGround

UNKNOWN = NEVER = -1
WRONG, UNSURE = 30.0, 20.0
"""The cost in steps of walking over a resource of another class, or of an unknown class."""
CROWD = 4.0  # The cost of entering a cell where another avatar is seen
PATIENCE, STRAYS = 3, 4
"""After leaving one pose ``PATIENCE`` times without progress, it makes up to ``STRAYS`` random moves."""
COLUMNS = (((0, -1), (1, -1), (2, -1)), ((0, 1), (1, 1), (2, 1)), ((1, 0), (2, 0), (3, 0)))
"""The beam as (ahead, to the right): three columns, each of which goes on until something blocks it."""


class Survey:
    """What follows from the rules alone: what is seen from which pose. Cached by :func:`survey`."""

    def __init__(self, rules: Rules) -> None:
        self.ground = PlainGround(rules.size, rules.closed)
        self._shifts = rules.view.shifts
        self.shown: dict[Pose, list[tuple[int, int, int]]] = {}
        """For each pose the places in its window: (place, row, column)."""
        for n, (x, y) in enumerate(rules.places):
            for facing, shifts in enumerate(self._shifts):
                for row, column, dx, dy in shifts:
                    self.shown.setdefault((x - dx, y - dy, facing), []).append((n, row, column))
        self.cells = tuple(sorted(self.ground.open))
        self._seers: dict[Cell, frozenset[Pose]] = {}
        self._views: dict[Pose, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def view(self, pose: Pose) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells of the map in the window of ``pose``: their y and their x."""
        if pose not in self._views:
            width, height = self.ground.width, self.ground.height
            seen = [(pose[1] + dy, pose[0] + dx) for _, _, dx, dy in self._shifts[pose[2]]]
            inside = np.array([(y, x) for y, x in seen if 0 <= x < width and 0 <= y < height], np.int64)
            self._views[pose] = inside[:, 0], inside[:, 1]
        return self._views[pose]

    def seers(self, cell: Cell) -> frozenset[Pose]:
        """The poses from which ``cell`` is in the window."""
        if cell not in self._seers:
            x, y = cell
            faced = [(facing, dx, dy) for facing in range(4) for _, _, dx, dy in self._shifts[facing]]
            poses = ((x - dx, y - dy, facing) for facing, dx, dy in faced)
            self._seers[cell] = frozenset(pose for pose in poses if pose[:2] in self.ground.open)
        return self._seers[cell]

    def cell(self, pose: Pose, row: int, column: int) -> Cell:
        """The cell that a window shows at ``row`` and ``column``."""
        shifts = self._shifts[pose[2]]
        width = shifts[-1][1] + 1
        _, _, dx, dy = shifts[row * width + column]
        return pose[0] + dx, pose[1] + dy


@lru_cache(maxsize=32)
def survey(rules: Rules) -> Survey:
    """The survey of ``rules``."""
    return Survey(rules)


class Sight:
    """One seat's knowledge in one episode. :meth:`see` takes its observations in, step by step.

    ``pose`` is its own, ``None`` while it is removed; ``charged`` says whether it can fire, ``held`` whether
    a duel holds it. ``kind`` is the class of each place (``UNKNOWN`` where chance draws it and it was not yet
    seen), ``there`` whether a resource is believed to be there, ``seen`` the step in which the place was last
    seen (``NEVER``), ``looked`` the same of all cells, int64[height, width]. ``others`` are in sight now,
    ``last`` remembers where each was seen last. ``taken`` are the classes of which another was seen to
    collect one in this step, ``takers`` the numbers of who did, in the same order.
    """

    def __init__(self, rules: Rules, seat: Seat = "ego") -> None:
        self.rules = rules
        self.side = rules.sides[
            player_of(seat)
        ]  # those of its role, whom it never duels with, have this number
        self.survey = survey(rules)
        self.step = 0
        self.pose: Pose | None = None
        self.inventory: tuple[int, ...] = (1,) * len(rules.classes)
        self.charged = True
        self.held = False
        self.kind = list(rules.fixed)
        self.there = [True] * len(rules.places)
        self.seen = [NEVER] * len(rules.places)
        self.looked = np.full((rules.size[1], rules.size[0]), NEVER, np.int64)
        self.others: tuple[AvatarSighting, ...] = ()
        self.last: dict[int, AvatarSighting] = {}
        self.taken: tuple[int, ...] = ()
        self.takers: tuple[int, ...] = ()
        draws = ceil(log(0.5) / log(1 - rules.regrowth)) if 0 < rules.regrowth < 1 else 0
        self._wait = rules.delay + draws if rules.regrowth else rules.maximum
        self._place = {cell: n for n, cell in enumerate(rules.places)}

    @property
    def ready(self) -> bool:
        """Whether it can have a duel: it has collected something since its last one was paid."""
        return sum(self.inventory) > len(self.inventory)

    def see(self, observation: Mapping[str, Any], step: int) -> None:
        """Takes in what the seat observes in ``step``.

        ``WORLD.MAP``, if granted, shows all places and all others, but not whether avatars
        outside the window are ready: they are assumed to be.
        """
        self.step = step
        self.taken = self.takers = ()
        self.inventory = tuple(int(count) for count in observation["INVENTORY"])
        self.charged = float(observation["READY_TO_SHOOT"]) == 1.0
        x, y = (int(v) for v in observation["POSITION"])
        if x < 0:
            self._leave()
            return
        self.pose = pose = (x, y, int(observation["ORIENTATION"]))
        window = observation["WINDOW"]
        # There a step ago, gone now and another on it: it has just been collected.
        before = [there and seen == step - 1 for there, seen in zip(self.there, self.seen, strict=True)]
        self._look(window, pose)
        self.held = int(window[self.rules.view.forward, self.rules.view.left, MARK]) >= RESULT
        self.others = self._meet(window, pose)
        if "WORLD.MAP" in observation:
            self._survey_all(observation["WORLD.MAP"], pose)
        self._remember(pose)
        entered = [(self._place[s.cell], s.player) for s in self.others if s.cell in self._place]
        took = [(n, who) for n, who in entered if before[n] and not self.there[n] and self.kind[n] != UNKNOWN]
        self.taken = tuple(self.kind[n] for n, _ in took)
        self.takers = tuple(who for _, who in took)

    def hoped(self, kind: int) -> frozenset[int]:
        """The places of class ``kind`` that have a resource, as far as the seat can tell.

        One that was gone when last seen counts again when it is more likely back than not.
        """
        places = (n for n, k in enumerate(self.kind) if k == kind)
        return frozenset(n for n in places if self.there[n] or self.step - self.seen[n] > self._wait)

    def grows(self, cell: Cell) -> int:
        """The class that grows in ``cell``; ``UNKNOWN`` where none does, or none that is known."""
        n = self._place.get(cell)
        return UNKNOWN if n is None else self.kind[n]

    def _leave(self) -> None:
        """Removed: nothing is seen. If all resources come back then, the seat knows it."""
        self.pose = None
        self.held = False
        self.others = ()
        self.last = {}
        if self.rules.refill:
            self.there = [True] * len(self.there)

    def _look(self, window: Any, pose: Pose) -> None:
        self.looked[self.survey.view(pose)] = self.step
        for n, row, column in self.survey.shown.get(pose, ()):
            self.seen[n] = self.step
            thing = int(window[row, column, THING])
            self.there[n] = thing >= RESOURCE
            if thing >= RESOURCE:
                self.kind[n] = thing - RESOURCE

    def _meet(self, window: Any, pose: Pose) -> tuple[AvatarSighting, ...]:
        return tuple(
            AvatarSighting(self.survey.cell(pose, row, column), int(avatar) - OTHER, int(mark), self.step)
            for row, column in np.argwhere(window[..., AVATAR] >= OTHER).tolist()
            for avatar, mark in [window[row, column, [AVATAR, MARK]]]
        )

    def _survey_all(self, shown: Any, pose: Pose) -> None:
        self.seen = [self.step] * len(self.seen)
        self.looked[:] = self.step
        for n, (x, y) in enumerate(self.rules.places):
            thing = int(shown[y, x, 0])
            self.there[n] = thing > 0
            if thing:
                self.kind[n] = thing - 1
        known = {pose[:2], *(other.cell for other in self.others)}
        for y, x in np.argwhere(shown[..., 1]).tolist():
            if (x, y) not in known:
                player = self.rules.numbers[int(shown[y, x, 1]) - 1]
                self.others += (AvatarSighting((x, y), player, READY, self.step),)

    def _remember(self, pose: Pose) -> None:
        """Where others were seen last, unless that cell is in sight and empty now."""
        gone = [player for player, seen in self.last.items() if pose in self.survey.seers(seen.cell)]
        for player in gone:
            del self.last[player]
        for other in self.others:
            last = self.last.get(other.player)
            # Of several that look alike, one that is ready counts.
            if last is None or last.step < other.step or last.mark != READY:
                self.last[other.player] = other


class Puppet:
    """Follows goals with what its ``sight`` knows; ``rng`` breaks ties.

    With probability ``noise`` a step is a random movement.
    """

    def __init__(self, sight: Sight, rng: Random, noise: float = 0.0) -> None:
        self.sight = sight
        self.rng = rng
        self.noise = noise
        self._plan: list[int] = []
        self._for: object = None
        self._expected: Pose | None = None
        self._been: Counter[Pose] = Counter()
        self._since: object = None
        self._strays = 0
        self._watched: Cell | None = None

    def act(self, goal: Goal) -> int:
        """The action towards ``goal`` after what the sight has last seen."""
        pose = self.sight.pose
        if pose is None or self.sight.held:
            self._plan, self._strays = [], 0
            self._been.clear()
            return NOOP
        if pose != self._expected:
            self._plan = []
        if self._since != (goal, self.sight.inventory):
            self._since = goal, self.sight.inventory
            self._been.clear()
        if self.noise and self.rng.random() < self.noise:
            action = self.rng.randrange(FORWARD, INTERACT)
        elif self._tired(pose):
            action = self._stray(pose, goal)
        else:
            action = self._towards(goal, pose)
        # Waiting on purpose counts as progress.
        self._been[pose] += action != NOOP
        self._expected = moved(pose, action or NOOP)
        return action or NOOP

    def _tired(self, pose: Pose) -> bool:
        """Whether to make some random moves: it has been here too often without progress."""
        if self._been[pose] >= PATIENCE:
            self._strays = self.rng.randint(1, STRAYS)
            self._been.clear()
        if not self._strays:
            return False
        self._strays -= 1
        return True

    def _towards(self, goal: Goal, pose: Pose) -> int | None:
        if isinstance(goal, Collect):
            return self._collect(goal.kind, pose)
        if isinstance(goal, SeekDuel):
            return self._duel(goal, pose)
        return self._step(self.sight.survey.ground.stands(goal.cell), pose, self._kind(goal), goal)

    def _kind(self, goal: Goal) -> int:
        return self.sight.grows(goal.cell) if isinstance(goal, Walk) else goal.kind

    def _wrong(self, kind: int) -> frozenset[int]:
        """The places where something other than class ``kind`` may lie."""
        sight = self.sight
        lying = (n for n, there in enumerate(sight.there) if there)
        return frozenset(n for n in lying if sight.kind[n] != kind or kind == UNKNOWN)

    def _stray(self, pose: Pose, goal: Goal) -> int:
        """A random move that takes nothing wrong, if there is one."""
        self._plan = []
        sight = self.sight
        shut = {sight.rules.places[n] for n in self._wrong(self._kind(goal))}
        shut.update(other.cell for other in sight.others)
        steps = range(FORWARD, STEP_RIGHT + 1)
        ground = sight.survey.ground.open - shut
        free = [action for action in steps if moved(pose, action)[:2] in ground]
        return self.rng.choice(free or steps)

    def _collect(self, kind: int, pose: Pose) -> int | None:
        """To the nearest resource of the class; else to look for one."""
        sight = self.sight
        hoped = sight.hoped(kind)
        if hoped:
            places = sight.rules.places
            goals = frozenset(p for n in hoped for p in sight.survey.ground.stands(places[n]))
            action = self._step(goals, pose, kind, (kind, hoped))
            if action is not None:
                return action
        known = zip(sight.rules.places, sight.kind, strict=True)
        places = [cell for cell, k in known if k in {kind, UNKNOWN}]
        return self._patrol((places,), pose, kind)

    def _duel(self, goal: SeekDuel, pose: Pose) -> int | None:
        """Gets another into the beam and fires; looks for one if none is in sight."""
        sight = self.sight
        # A rival that is not ready is worth waiting for only if it is the only one.
        only = (len(goal.sought) or sight.rules.players - 1) == 1
        seen = [s for s in sight.last.values() if s.mark < RESULT and s.player != sight.side]
        rivals = [s for s in seen if not goal.sought or s.player in goal.sought]
        near = [s for s in rivals if s.step == sight.step and (only or s.mark == READY)]
        for other in sorted(near, key=lambda s: self._far(pose, s)):
            aims = self._aims(other.cell)
            if pose in aims:
                return INTERACT if sight.charged and other.mark == READY else NOOP
            action = self._step(aims, pose, goal.kind, None)
            if action is not None:
                return action
        for other in sorted((s for s in rivals if s.step < sight.step), key=lambda s: -s.step):
            action = self._step(sight.survey.seers(other.cell), pose, goal.kind, other)
            if action is not None:
                return action
        # Others are mostly where resources grow, but a waiting one may be anywhere.
        return self._patrol((sight.rules.places, sight.survey.cells), pose, goal.kind)

    def _far(self, pose: Pose, other: AvatarSighting) -> int:
        return self.sight.survey.ground.distance(pose[:2], other.cell)

    def _aims(self, target: Cell) -> frozenset[Pose]:
        """The poses from which a beam reaches ``target``, as far as is known."""
        sight = self.sight
        places = sight.rules.places
        blocks = {places[n] for n, there in enumerate(sight.there) if there}
        blocks.update(other.cell for other in sight.others)
        ground = sight.survey.ground
        free = ground.open - blocks
        aims = [(pose, between) for pose, between in footprint(target) if pose[:2] in ground.open]
        return frozenset(pose for pose, between in aims if free.issuperset(between))

    def _patrol(self, choices: Sequence[Sequence[Cell]], pose: Pose, kind: int) -> int | None:
        """Goes to see a cell that it has not seen for long, of one of ``choices``; looks round if it sees them all."""
        sight = self.sight
        at = self._watched
        known = at is not None and any(at in cells for cells in choices)
        if at is None or not known or sight.looked[at[1], at[0]] == sight.step:
            cells = self.rng.choice(choices)
            hidden = [cell for cell in cells if sight.looked[cell[1], cell[0]] < sight.step]
            if not hidden:
                return TURN_RIGHT
            hidden.sort(key=lambda cell: sight.looked[cell[1], cell[0]])
            at = self._watched = self.rng.choice(hidden[: max(1, len(cells) // 8)])
        return self._step(sight.survey.seers(at), pose, kind, at)

    def _step(self, goals: Collection[Pose], pose: Pose, kind: int, cause: object) -> int | None:
        """The next action of a cheapest path; the path is kept while ``cause`` is the same.

        ``None`` if there is no way or nowhere to go; a ``cause`` of ``None`` is never the same.
        """
        sight = self.sight
        # Avatars farther away may have moved by then.
        closed = {other.cell for other in sight.others if self._far(pose, other) == 1}
        wrong = self._wrong(kind)
        why = (cause, wrong)
        if cause is None or why != self._for or not self._plan or moved(pose, self._plan[-1])[:2] in closed:
            places = sight.rules.places
            dear = {other.cell: CROWD for other in sight.others}
            dear.update((places[n], UNSURE if sight.kind[n] == UNKNOWN else WRONG) for n in wrong)
            path = sight.survey.ground.search(pose, goals, self.rng, UPRIGHT, dear, closed)
            if not path:
                return None
            self._plan, self._for = list(reversed(path)), why
        return self._plan.pop()


@lru_cache(maxsize=4096)
def footprint(target: Cell) -> tuple[tuple[Pose, tuple[Cell, ...]], ...]:
    """The poses whose beam has ``target`` in its footprint, each with the cells that must be free for it."""
    found: list[tuple[Pose, tuple[Cell, ...]]] = []
    for facing in range(4):
        right = (facing + 1) % 4

        def away(ahead: int, side: int, facing: int = facing, right: int = right) -> Cell:
            return ahead * DX[facing] + side * DX[right], ahead * DY[facing] + side * DY[right]

        for column in COLUMNS:
            for i, offset in enumerate(column):
                dx, dy = away(*offset)
                x, y = target[0] - dx, target[1] - dy
                between = tuple((x + bx, y + by) for bx, by in (away(*before) for before in column[:i]))
                found.append(((x, y, facing), between))
    return tuple(found)


class Aim(NamedTuple):
    """To duel with ``margin`` more of class ``kind`` than of any other."""

    kind: int
    margin: int


class News(NamedTuple):
    """What a step brought: ``partner`` is the other's inventory in a duel resolved in it, ``taken`` what others collected.

    ``partner`` is the second row of ``INTERACTION_INVENTORIES``: negative where there was
    no duel, and all zero at the reset of an episode.
    """

    partner: tuple[int, ...]
    taken: tuple[int, ...] = ()


State: TypeAlias = tuple[int, int]  # The automaton's state, and the class drawn in it


@dataclass(frozen=True)
class PlainPuppeteer:
    """Follows ``automaton`` over duels and raises class k by ``margins[k]``. ``rng`` is the seat's own stream.

    After a tie the automaton moves on only if its next state does not depend on the other's
    behaviour; otherwise nothing is drawn. A ``gullible`` one assumes that another plays what it was last seen
    to collect: a stand-in for the official ``free_0``, a network trained in self-play, of whose
    policy only that word was published.
    """

    automaton: Automaton
    margins: tuple[int, ...]
    gullible: bool = False

    def start(self, rng: Random) -> State:
        """The state before the first news."""
        return self._drawn(self.automaton.start, rng)

    def hear(self, state: State, news: News, rng: Random) -> State:
        """The state after ``news``, at every step, the reset included."""
        if max(news.partner) > 0:
            after = self._after(state)
            shown = played(news.partner)
            if shown is not None:
                state = self._drawn(after[shown], rng)
            elif len(set(after)) == 1:
                state = self._drawn(after[0], rng)
        if self.gullible and news.taken:
            state = self._drawn(self._after(state)[news.taken[-1]], rng)
        return state

    def plays(self, state: State) -> Aim:
        """What it raises in ``state``."""
        return Aim(state[1], self.margins[state[1]])

    def _after(self, state: State) -> tuple[int, ...]:
        return self.automaton.next[state[0]][state[1]]

    def _drawn(self, at: int, rng: Random) -> State:
        """State ``at`` with a class for it: the likeliest, or by one draw another; any if all are equally likely."""
        output = self.automaton.output[at]
        if min(output) == max(output):
            return at, rng.randrange(len(output))
        kind, others, chance = slip(output)
        if others and (draw := rng.random()) < chance:
            kind = others[int(draw / chance * len(others))]
        return at, kind


def played(partner: Sequence[int]) -> int | None:
    """What the other played in a duel of this step; ``None`` if there was none, or if its inventory ties."""
    if all(count < 0 for count in partner):
        return None
    kind, margin = leader(partner)
    return kind if margin else None


def goal(aim: Aim, inventory: Sequence[int], sought: frozenset[int] = frozenset()) -> Collect | SeekDuel:
    """What a puppet is to do now: collect, or, once the inventory suffices, duel."""
    kind, margin = leader(inventory)
    if kind == aim.kind and margin >= aim.margin:
        return SeekDuel(aim.kind, sought)
    return Collect(aim.kind)


class PlainBot(Mind):
    """The mind of bot ``name``, as :class:`~otherminds.gridworlds.in_the_matrix.bots.Bot`."""

    answers = False

    def __init__(self, rules: Rules, name: str, noise: float = 0.0) -> None:
        self.rules = rules
        known = puppeteer(rules, policy(rules, name))
        self.followed = PlainPuppeteer(known.automaton, known.margins, known.gullible)
        self.noise = noise

    def begin(self, brief: Brief, context: MindContext) -> None:
        # The puppet has its own random stream, so obstacles do not shift the draws of the policy.
        self._rng = context.rng
        self._sight = Sight(self.rules, brief.seat)
        self._puppet = Puppet(self._sight, Random(context.rng.getrandbits(64)), self.noise)
        self._state = self.followed.start(self._rng)

    async def perceive(self, moment: Moment) -> None:
        self._sight.see(moment.observation, moment.step)
        partner = tuple(int(count) for count in moment.observation["INTERACTION_INVENTORIES"][1])
        self._state = self.followed.hear(self._state, News(partner, self._sight.taken), self._rng)

    async def act(self) -> Action | SkillChoice | Invalid:
        return self._puppet.act(goal(self.followed.plays(self._state), self._sight.inventory))

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")
