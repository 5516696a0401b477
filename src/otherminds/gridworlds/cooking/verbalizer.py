"""The text interface of cooking, with the facts of Hypothetical Minds' prompts (Cross et al. 2025, appendices D and G.4).

The wording is our own. A seat receives text when it has to decide or can learn: at the
start, when a skill has ended, after a delivery and at the end. Which side of the kitchen
it is on is random: the text says so at the start, and the options are valid on both.

Minds that reason in steps get scenes, skills and worked plans instead, in one of two scaffolds: what the seats did is
observed, not inferred; predictions are free text; the choice is a strategy, carried out by plans whose outcomes are
evaluated. :class:`CookingScaffold` is ours, :class:`PaperPrompts` has the information of the published prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from otherminds.core.contracts import (
    OWN,
    Heard,
    Manner,
    PlanningScaffold,
    RememberedSighting,
    Scaffold,
    Sighting,
    Step,
    Verbalizer,
)
from otherminds.core.data import (
    Ask,
    Behaviour,
    Brief,
    Encounter,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Turn,
)
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import sightings as told_rules
from otherminds.gridworlds.cooking.routes import FULL_BAR, layout
from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISHES,
    EMPTY,
    FLOOR,
    HATCH,
    ITEMS,
    POT,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.cooking.sightings import (
    LABELS,
    THINGS,
    UNSEEN,
    Mate,
    ParsedObservation,
    Side,
    see,
    side,
)
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.rules import COMPASS, player_of, seat_of
from otherminds.gridworlds.grid.words import ask, number, outcome, places, pose, stretches, window
from otherminds.gridworlds.grid.words import plan as planned
from otherminds.replies.answers import listed, read, several, unread

MANNER = Manner(judged=True, joint=False, choice="strategy", reflects=True)
PLACES = {"move_to": (1, 2), "interact": (1,), "wait": (1,)}
"""The skills of plans, and with how many places each may be called: where one starts from may be left out."""
KINDS = (TOMATOES, DISHES, HATCH, POT, COUNTER)
STRATEGIES = (
    "They lay dishes on the counters for you instead of using them.",
    "They only ever fill the pot that is nearer to them.",
    "They pick up tomatoes, but seldom put them into a pot.",
)
"""No partner follows any of these."""


@dataclass(frozen=True)
class CookingScaffold(PlanningScaffold):
    """The words of one episode for seat ``me`` of ``substrate``; ``order`` is that in which behaviours are listed."""

    substrate: Rules
    me: Seat
    order: tuple[int, ...]
    manner: Manner = MANNER

    def system(self, brief: Brief) -> str:
        lines = [
            *told_rules.paragraphs(self.substrate),
            "You steer yourself by plans: one skill after the other, each called with places.",
            self.skills(),
            "Most of the time interact is all you need, since it walks as well. Use only what stands around your own "
            "side. A tomato or a dish is taken with empty hands alone: interact with an empty counter to free them, never "
            "with a place of delivery. Take a dish before you go for soup. Wait at a pot only where you have nothing "
            "better to do, as when all pots are full.",
            "Find out from what happens what your team gains by: who is nearer to tomatoes, to dishes, to a place of "
            "delivery; what others do and how well; and what is left undone if you do not do it.",
            "Whenever soup is delivered you are told what was done since the delivery before, in these words: "
            f"{several([repr(behaviour) for behaviour in self._behaviours], 'or')}. Of others you are told what you could "
            f"see. Whoever does none of the others for {acts.PATIENCE} steps stands around.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines)

    def name(self, seat: Seat) -> str:
        return told_rules.name_player(self.substrate, player_of(seat))

    def seat(self, name: str) -> Seat | None:
        others = [seat for seat in map(seat_of, range(self.substrate.players)) if seat != self.me]
        return {self.name(seat): seat for seat in others}.get(name.strip().lower())

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(self._behaviours)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return behaviour

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """A behaviour in the past tense, or as an instruction (:data:`.sightings.LABELS`)."""
        text = value.strip() if isinstance(value, str) else ""
        for behaviour, label in LABELS.items():
            if text in (behaviour, label):
                return behaviour
        return unread("no act of those that are told of", value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        return Heard(f"step {encounter.step + 1}", list(encounter.did[self.me]))

    def theirs(self, encounter: Encounter, seat: Seat) -> tuple[Behaviour, ...]:
        did = encounter.did[seat]
        # Where even standing around is possible beside acts, nothing was seen.
        return () if len(did) > 1 and acts.STOOD in did else did

    def strategies(self) -> tuple[str, ...]:
        return STRATEGIES

    def scene(self, moment: Moment) -> str:
        sight = self._sight(moment)
        own = side(self.substrate, sight.pose[:2])
        fixtures = {name: [*own.things[kind]] for kind, name in THINGS.items()}
        items = {cell: ITEMS[item] for cell, item in sight.items}
        mates = {seat_of(mate.player): (mate.cell, ITEMS[mate.held]) for mate in sight.mates}
        others = [seat for seat in map(seat_of, range(self.substrate.players)) if seat != self.me]
        lines = [
            f"You are at: {sight.pose[:2]}, facing {COMPASS[sight.pose[2]]}",
            f"You hold: {ITEMS[sight.held]!r}",
            f"On your side: {fixtures}",
            f"Places to stand: {[*own.floor]}",
            f"Pots in view: {self._pots(sight)}",
            f"On counters in view: {items}",
            *(f"{self.name(seat).capitalize()}: {mates.get(seat, 'not seen')!r}" for seat in others),
        ]
        return "\n".join(lines)

    def state(self, moment: Moment) -> str:
        sight = self._sight(moment)
        x, y, facing = sight.pose
        return (
            f"You are at {(x, y)}, facing {COMPASS[facing]}, and hold {ITEMS[sight.held]!r}; "
            f"pots in view: {self._pots(sight)}"
        )

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """Pots with their state, and counters with what lies there: ``'nothing'`` too, so that what went is forgotten."""
        sight = self._sight(moment)
        kitchen = layout(self.substrate)
        watched = kitchen.counters if sight.whole else [cell for cell, _, _ in kitchen.shown[sight.pose]]
        lying = {cell: EMPTY for cell in watched if kitchen.things[cell] == COUNTER} | dict(sight.items)
        return (
            *(Sighting(repr(state), cell) for cell, state in self._pots(sight).items()),
            *(Sighting(repr(ITEMS[item]), cell) for cell, item in lying.items()),
        )

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        now = {sighting.place for sighting in self.sightings(moment)}
        last: dict[Cell, RememberedSighting] = {}
        for memory in seen:
            place = memory.sighting.place
            if place not in now and (place not in last or memory.step >= last[place].step):
                last[place] = memory
        entries: dict[bool, list[str]] = {True: [], False: []}
        for place in sorted(last, key=lambda cell: cell[::-1]):
            contents, step = last[place].sighting.thing, last[place].step
            if contents != repr(ITEMS[EMPTY]):
                entries[place in self.substrate.pots].append(f"{place}: ({contents}, {step})")
        return (
            f"Pots seen earlier: {{{', '.join(entries[True])}}}\n"
            f"On counters seen earlier: {{{', '.join(entries[False])}}}"
        )

    def skills(self) -> str:
        return (
            "- move_to((x, y), (x2, y2)): walk from (x, y), where you stand, to (x2, y2), a place to stand on your side.\n"
            "- interact((x, y)): go beside what stands at (x, y), face it and use it once: take from a dispenser or a "
            "counter, put a tomato into a pot, take soup out of a pot, deliver soup, put what you hold onto a counter.\n"
            "- wait((x, y)): go to the pot at (x, y) and wait until its soup is done."
        )

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Thoughts and calls, on one side and another in turn: chance decides which is the own one.

        Where no side has everything, one of handing over; none where that cannot be done either.
        """
        rules = self.substrate
        sides = dict.fromkeys(side(rules, cell).floor for cell in rules.spawns)
        equipped = [
            own for floor in sides if all((own := side(rules, floor[0])).things[kind] for kind in KINDS)
        ]
        if not equipped:
            return _plan_handing_over(rules)
        here, there = ({kind: own.things[kind][0] for kind in KINDS} for own in (equipped[0], equipped[-1]))
        far, near = _ends(rules, equipped[0])
        _, beside = _ends(rules, equipped[-1])
        return (
            (
                f"Suppose I stand at {far} with empty hands, and the pot at {here[POT]} has 2 tomatoes. My "
                "teammate seems to serve. One tomato more and it cooks: I fetch one and put it in.",
                (f"interact({here[TOMATOES]})", f"interact({here[POT]})"),
            ),
            (
                f"Suppose I stand at {beside} with empty hands, the pot at {there[POT]} cooks, and nobody "
                "else serves. I fetch a dish meanwhile, wait for the soup, take it and deliver it.",
                (
                    f"interact({there[DISHES]})",
                    f"wait({there[POT]})",
                    f"interact({there[POT]})",
                    f"interact({there[HATCH]})",
                ),
            ),
            (
                f"Suppose I stand at {far} with a tomato, and all pots that I know of were full. I lay it on "
                f"the counter at {here[COUNTER]} to free my hands, and go beside the pot at {here[POT]} to "
                "see how it stands.",
                (f"interact({here[COUNTER]})", f"move_to({far}, {near})"),
            ),
        )

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        """Also invalid if no player, on any side, could do it."""
        choices = planned(calls, PLACES)
        if isinstance(choices, Invalid):
            return choices
        wrong = [(why, text) for do, text in zip(choices, calls, strict=True) if (why := self._senseless(do))]
        return Invalid(*wrong[0]) if wrong else choices

    def _senseless(self, do: SkillChoice) -> str:
        """Why no player could do this; empty if one could."""
        tile = layout(self.substrate).things.get(do.args)
        if tile is None:
            width, height = self.substrate.size
            return f"{do.args} is not in the kitchen of {width} by {height} cells"
        if do.name == "move_to":
            return "" if tile == FLOOR else f"nobody can stand at {do.args}"
        if tile == FLOOR:
            return f"there is nothing to use at {do.args}"
        return f"there is no pot at {do.args}" if do.name == "wait" and tile != POT else ""

    def _sight(self, moment: Moment) -> ParsedObservation:
        return see(self.substrate, moment.observation, player_of(self.me))

    def _pots(self, sight: ParsedObservation) -> dict[Cell, dict[str, Any]]:
        """The state of each pot in sight. It is done when it is full and so is its bar."""
        full = self.substrate.capacity
        return {
            cell: {"tomatoes": inside, "bar": bar, "done": inside == full and bar == FULL_BAR}
            for cell, inside, bar in sight.pots
        }

    @property
    def _behaviours(self) -> list[Behaviour]:
        return [acts.BEHAVIOURS[i] for i in self.order]


def _plan_handing_over(rules: Rules) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """A thought and calls: a tomato is laid on a counter that another side reaches, where there are both."""
    passes = {*layout(rules).passes}
    for floor in dict.fromkeys(side(rules, cell).floor for cell in rules.spawns):
        things = side(rules, floor[0]).things
        counter = next((cell for cell in things[COUNTER] if cell in passes), None)
        if counter is not None and things[TOMATOES]:
            thought = (
                f"Suppose I stand at {floor[0]} with empty hands, and nothing lies on the counter at {counter}, which the "
                "other side reaches as well. I fetch a tomato and lay it there, so that my teammate can take it."
            )
            return ((thought, (f"interact({things[TOMATOES][0]})", f"interact({counter})")),)
    return ()


def _ends(rules: Rules, own: Side) -> tuple[Cell, Cell]:
    """The places to stand on a side that are farthest from its first pot, and nearest to it."""
    pot, ground = own.things[POT][0], layout(rules).ground
    near = min(own.floor, key=lambda cell: abs(cell[0] - pot[0]) + abs(cell[1] - pot[1]))
    return max(own.floor, key=lambda cell: ground.distance(cell, near)), near


NAME = "paper_prompts"
KEYS = {
    "strategy": "teammate_strategy",
    "they_play": "predicted_next_behavior",
    "match": "evaluate_predicted_behavior",
    "plan": "action_plan",
}
PUBLISHED = replace(MANNER, totals=True, afresh=True)
PAPER_STRATEGIES = ("They always put tomatoes into the pot at the far end and leave everything else to me.",)
HINTS: dict[Step, str] = {
    "hypothesise": (
        "Do they specialise in an activity or a part of the work? How competent are they? Consider how you can adapt to "
        "that, so that you work together well. You cannot communicate."
    ),
    "predict": "A short label of what they do next is enough.",
    "choose": "Adapt to what they do, and make the most of all that there is.",
    "plan": (
        "Make a short plan of fewer than 4 calls; you will be asked again when it is carried out. Consider the whole "
        "state, take short ways, and use only what stands on your side. Write nothing but calls into the list."
    ),
}


@dataclass(frozen=True)
class PaperPrompts(CookingScaffold):
    """As :class:`~otherminds.gridworlds.cooking.verbalizer.CookingScaffold`, with the published information and no more."""

    manner: Manner = PUBLISHED

    def system(self, brief: Brief) -> str:
        rules = self.substrate
        lines = [
            _kitchen(rules, player_of(self.me)),
            f"For tomato soup: 1. put {rules.capacity} tomatoes into a pot, 2. take a dish when the soup is cooked, 3. put "
            f"the soup into the dish, 4. deliver it. Each soup delivered brings your team {number(rules.pay)}.",
            "Use only what stands on your side. You hold one thing at a time: no second tomato, and no tomato from the "
            "dispenser while you hold something else, such as a dish. Before you take soup from a pot, take a dish.",
            window(rules.view),
            "You will be asked for strategies, and for plans that carry them out. Plans are calls of these functions:",
            self.skills(),
            "Mostly you want interact, which walks and uses, so that it is enough for every step of the work. To pick up "
            "something else, free your hands by interact with a counter. Put nothing on the floor or onto a place of "
            "delivery.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines)

    def key(self, name: str) -> str:
        return KEYS.get(name, name)

    def hints(self, step: Step) -> str:
        return HINTS[step]

    def strategies(self) -> tuple[str, ...]:
        return PAPER_STRATEGIES

    def skills(self) -> str:
        return (
            "- move_to((x, y), (x2, y2)): walk from the first place to the second, where neither a counter nor anything "
            "else stands. Rarely needed.\n"
            "- interact((x, y)): go to what stands at (x, y) and use it, to take something or to deliver; with a counter, "
            "to put down what you hold. Mostly use this.\n"
            "- wait((x, y)): wait until the pot at (x, y) has cooked. Mostly of use when both pots are full."
        )


def _kitchen(rules: Rules, player: int) -> str:
    columns = sorted({x for (x, _), tile in layout(rules).things.items() if tile == POT})
    return (
        f"You are player {player} in Collaborative Cooking Asymmetric: {rules.players} players cook tomato soup and deliver "
        "it, as many dishes as they can. The kitchen has tomato dispensers, pots, dish dispensers and places of delivery, "
        f"and each player gets to a part of it only: at x = {', '.join(map(str, columns))} a barrier that nobody "
        "passes separates the sides, and the pots stand in it. Nobody can communicate, so infer the strategy of your "
        "teammate from what it does, and adapt to it."
    )


@dataclass(frozen=True)
class CookingVerbalizer(Verbalizer):
    """The words of one episode for ``seat`` of ``substrate``.

    Options are the behaviours, each chosen as the skill of that name. ``order`` is the order in which they
    are listed, fixed within an episode and balanced over the episodes with each partner.
    """

    substrate: Rules
    seat: Seat
    order: tuple[int, ...]

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        kinds = {OWN: CookingScaffold, NAME: PaperPrompts}
        return {name: kind(self.substrate, self.seat, self.order) for name, kind in kinds.items()}

    def rules(self, brief: Brief) -> str:
        lines = [
            *told_rules.paragraphs(self.substrate),
            "You do not steer single steps: you choose what to do next, a routine of yours does it, fetching "
            "first what it takes if your hands are empty, and waiting for a pot where it must. You are asked again when "
            f"it is done or has failed. You may choose between {listed([*self._labels.values()], 'and')}. Whoever does "
            f"none of the others for {acts.PATIENCE} steps stands around.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        lines: list[str] = []
        for encounter in moment.encounters:
            own, others = self._did(encounter)
            paid = number(encounter.reward)
            lines.append(f"Soup was delivered, and paid you {paid}. Until then you {own}; {others}.")
        if moment.ended is not None:
            lines.append(outcome(moment.ended))
        if moment.last:
            lines.append("The episode is over.")
        elif lines or not moment.step:
            sight = see(self.substrate, moment.observation, player_of(self.seat))
            if not moment.step:
                lines.append(self._own_side(sight.pose[:2]))
            lines.append(self._scene(sight))
        return " ".join([f"Step {moment.step}.", *lines]) if lines else ""

    def summary(self, moments: Sequence[Moment]) -> str:
        """The own side, and every delivery in a line, with what was done since the one before."""
        if not moments:
            return ""
        lines = [self._own_side(see(self.substrate, moments[0].observation, player_of(self.seat)).pose[:2])]
        met = [encounter for moment in moments for encounter in moment.encounters]
        until = f"Up to step {moments[-1].step}"
        if met:
            lines.append(f"{until} soup was delivered (step: what it paid you; what you did before):")
            for encounter in met:
                own, others = self._did(encounter)
                lines.append(f"{encounter.step + 1}: {number(encounter.reward)}; you {own}; {others}")
        else:
            lines.append(f"{until} no soup was delivered.")
        return "\n".join(lines)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        def ahead(seat: Seat) -> str:
            return f"What does {self.name_player(seat)} do next"

        return ask(about, moment, own, self.seat, self._labels, "What do you do next", ahead)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def _own_side(self, cell: Cell) -> str:
        own = side(self.substrate, cell)
        fixtures = "; ".join(f"{name}: {places(own.things[kind])}" for kind, name in THINGS.items())
        return f"On your side one can stand at {stretches(own.floor)}. Around it stand: {fixtures}."

    def _scene(self, sight: ParsedObservation) -> str:
        return (
            f"You are at {pose(sight.pose)} and hold {self.name_item(sight.held)}. {self.tell_sight(sight)}"
        )

    def tell_sight(self, sight: ParsedObservation) -> str:
        """Pots, what lies on counters, and teammates, as far as they are seen."""
        things = self.list_things(sight)
        listing = [f"{what} {places([cell])} {state}".strip() for what, cell, state in things]
        mates = [
            f"{self.name_player(seat_of(mate.player))} at {places([mate.cell])}{self.describe_mate(mate)}"
            for mate in sight.mates
        ]
        unseen = [] if mates or self.substrate.players > 2 else ["your teammate not seen"]
        where = "In the whole kitchen" if sight.whole else "In view"
        return f"{where}: {'; '.join([*listing, *mates, *unseen]) or 'nothing'}."

    def list_things(self, sight: ParsedObservation) -> list[tuple[str, Cell, str]]:
        """Pots and what lies on counters: what it is, where, and in which state."""
        pots = [("pot", cell, f"with {self._inside(inside, bar)}") for cell, inside, bar in sight.pots]
        return [*pots, *((f"{ITEMS[item]} on counter", cell, "") for cell, item in sight.items)]

    def _inside(self, inside: int, bar: int) -> str:
        tomatoes = f"{inside} tomato{'es' * (inside != 1)}"
        return f"{tomatoes}, bar {bar} of {FULL_BAR}" if inside == self.substrate.capacity else tomatoes

    def describe_mate(self, mate: Mate) -> str:
        """How a teammate stands, as far as it is seen, and what it holds."""
        facing = "" if mate.facing == UNSEEN else f" facing {COMPASS[mate.facing]}"
        return f"{facing}, holding {self.name_item(mate.held)}"

    def name_item(self, item: int) -> str:
        """What is held."""
        return ITEMS[item] if item == EMPTY else f"a {ITEMS[item]}"

    def _did(self, encounter: Encounter) -> tuple[str, str]:
        """What the seat did since the delivery before, and what it knows of others."""
        others = {seat: did for seat, did in encounter.did.items() if seat != self.seat}
        accounts = [f"{self.name_player(seat)} {self._name_acts(did)}" for seat, did in others.items()]
        return several(encounter.did[self.seat], "and"), "; ".join(accounts)

    def _name_acts(self, did: tuple[Behaviour, ...]) -> str:
        """The acts of another seat. If none are known, even standing around is possible."""
        if acts.STOOD not in did or len(did) == 1:
            return ("" if did == (acts.STOOD,) else "as far as you know ") + several(did, "and")
        return "did what you did not see" + (", perhaps the delivery" if acts.DELIVERED in did else "")

    def name_player(self, seat: Seat) -> str:
        """What another seat is called."""
        return told_rules.name_player(self.substrate, player_of(seat))

    @property
    def _labels(self) -> dict[Behaviour, str]:
        return {(behaviour := acts.BEHAVIOURS[i]): LABELS[behaviour] for i in self.order}
