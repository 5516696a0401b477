"""The panel: every pair of a talking rule and an acting rule, by name, the pairs that solve most first."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge, ReceivedMessage
from otherminds.household.reference.talking import Talker
from otherminds.household.teams import choosing
from otherminds.household.teams.acting.explore_when_idle import ExploreWhenIdle
from otherminds.household.teams.acting.first_goal_first import FirstGoalFirst
from otherminds.household.teams.acting.hallway import Hallway
from otherminds.household.teams.acting.own_goals import OwnGoals
from otherminds.household.teams.member import CheapMember
from otherminds.household.teams.speaker import Choice, Speaker
from otherminds.household.teams.talking.ask_first import AskFirst
from otherminds.household.teams.talking.at_once import AtOnce
from otherminds.household.teams.talking.echo import Echo
from otherminds.household.teams.talking.hold_the_last import HoldTheLast
from otherminds.household.teams.talking.hold_until_quiet import HoldUntilQuiet
from otherminds.household.teams.talking.one_by_one import OneByOne
from otherminds.household.teams.talking.random_messages import RandomMessages
from otherminds.household.teams.talking.relay_news_only import RelayNewsOnly
from otherminds.household.teams.talking.timetable import Timetable


class TalkingRule(NamedTuple):
    """When a member speaks, and to whom (``speaker``), and what it says first (``choice``)."""

    speaker: type[Speaker]
    choice: Choice

    def talker(self, knowledge: Knowledge, doer: Doer, rng: Random) -> Talker:
        """The rule in the hands of one member."""
        return self.speaker(knowledge, doer, rng, self.choice)


TALKING: Mapping[str, TalkingRule] = MappingProxyType(
    {
        "changes_beyond_me_newest": TalkingRule(HoldTheLast, choosing.changes_beyond_me_newest),
        "changes_beyond_me": TalkingRule(HoldTheLast, choosing.changes_beyond_me),
        "changes_beyond_me_random": TalkingRule(HoldTheLast, choosing.changes_beyond_me_random),
        "changes_beyond_me_late": TalkingRule(HoldUntilQuiet, choosing.changes_beyond_me),
        "changes_beyond_me_one_by_one": TalkingRule(OneByOne, choosing.changes_beyond_me),
        "beyond_me": TalkingRule(HoldTheLast, choosing.beyond_me),
        "ask_first": TalkingRule(AskFirst, choosing.beyond_me),
        "hold_the_last": TalkingRule(HoldTheLast, choosing.heard_first),
        "new_goals_hold_the_last": TalkingRule(HoldTheLast, choosing.when_a_goal_is_new),
        "hold_until_quiet": TalkingRule(HoldUntilQuiet, choosing.goals_first),
        "random_messages": TalkingRule(RandomMessages, choosing.in_random_order),
        "timetable": TalkingRule(Timetable, choosing.goals_first),
        "echo": TalkingRule(Echo, choosing.heard_first),
        "relay_news_only": TalkingRule(RelayNewsOnly, choosing.newest_first),
        "relay_everything_once": TalkingRule(AtOnce, choosing.oldest_first),
        "broadcast_on_arrival": TalkingRule(AtOnce, choosing.newest_first),
    }
)
"""The talking rules by name."""
ACTING: Mapping[str, type[OwnGoals]] = MappingProxyType(
    {
        "hallway": Hallway,
        "explore_when_idle": ExploreWhenIdle,
        "first_goal_first": FirstGoalFirst,
    }
)
"""The acting rules by name."""


class CheapTeam(NamedTuple):
    """One rule for talking and one for acting, which each member follows."""

    talking: TalkingRule
    acting: type[OwnGoals]

    def member(self, told: ReceivedMessage) -> CheapMember:
        """A member; ``told`` are the secrets of all agents as statements, of which it uses its own."""
        return CheapMember(told, self.talking.talker, self.acting)


PANEL: Mapping[str, CheapTeam] = MappingProxyType(
    {
        f"{talking}-{acting}": CheapTeam(TALKING[talking], ACTING[acting])
        for acting, talking in product(ACTING, TALKING)
    }
)
"""The teams by name, in the order in which they are tried."""
