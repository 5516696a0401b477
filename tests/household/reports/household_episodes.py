"""An episode in the small house by minds that read from a script, for the tests of its replay."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Answer, Brief, Moment, Partner, Question, Seat
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Population, Scenario, Setup
from otherminds.household.probes import probes_of
from otherminds.household.task import Binding
from otherminds.household.world import HouseholdWorld
from otherminds.testing.episodes import played
from tests.household import small_house as small

EVIL = "cabinet_2 is <b>open</b></script><img src=x onerror=alert(1)>"
GOAL = (
    "(and (is_on_top bowl_0 table_5) (is_open cabinet_2) (K agent_1 (is_open cabinet_2)) "
    "(K agent_2 (K agent_1 (is_open cabinet_2))))"
)
CALLS = (
    ("Open[cabinet_2]", "Navigate[table_5]", "Navigate[study_1]"),
    ("Navigate[counter_0]", "Pick[cup_1]", "Navigate[table_5]"),
    ("Pick[bowl_0]", "Navigate[bedroom_1]", "Pick[book_0]"),
    (
        'Communicate[agent_1, "cabinet_2 is open."]',
        "Place[cup_1, on, bed_9]",
        f'Communicate[agent_1, "{EVIL}"]',
    ),
    ("Navigate[table_5]", "Pick[nonsense", f'Communicate[agent_0, "{EVIL}"]'),
    ("Place[bowl_0, on, table_5]", "Wait[]", "Place[book_0, on, table_5]"),
    ('Communicate[all, "bowl_0 is on table_5."]', "Done[]", "Done[]"),
    ("Done[]", "Wait[]", "Wait[]"),
)
TURNS = len(CALLS)


class Reader(Mind):
    """Does what is written, and answers every question with its first option."""

    def __init__(self, calls: tuple[str, ...]) -> None:
        self._calls = list(calls)

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Needs to know nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Hears nothing."""

    async def act(self) -> str:
        return self._calls.pop(0)

    async def answer(self, question: Question) -> Answer:
        return question.options[0]


def scenario() -> Scenario:
    """The script's task: agent_2 may write to agent_0 alone, and has a wish of its own."""
    house = small.house(
        Binding("limited_bandwidth", message_limits={"agent_0": 2}),
        Binding("restricted_communication", allowed_targets={"agent_2": ("agent_0",)}),
        Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_1",)),
        goal=GOAL,
        agent_secrets={"agent_1": ("You cannot enter kitchen_1.",)},
        private_goals={"agent_2": "(is_on_top book_0 shelves_8)"},
    )
    return Scenario(
        id="household-small-v1",
        world=partial(HouseholdWorld, house, TURNS + 2),
        population=Population(((Fraction(1), ()),)),
        partner=_nobody,
        focal=house.agents,
        probes=probes_of(house).probes(),
    )


def _nobody(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    raise AssertionError(f"{seat} is under test")


def episode(made: Scenario) -> Record:
    """The script, played."""
    minds = {seat: Reader(tuple(row[n] for row in CALLS)) for n, seat in enumerate(made.focal)}
    return played(Setup(made, minds, 1))
