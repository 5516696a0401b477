"""The panel of cheap teams: every pair of a talking rule and an acting rule, by name, the pairs that solve most first."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from otherminds.core.contracts import MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Question, SkillChoice
from otherminds.household.epistemic.formula import KnowledgeChain, Literal
from otherminds.household.reference.knowledge import ReceivedMessage
from otherminds.household.reference.mind import WAIT, Housemate, asked, reported
from otherminds.household.reference.talking import Talker
from otherminds.household.teams import choosing
from otherminds.household.teams.acting import ExploreWhenIdle, FirstGoalFirst, Hallway, OwnGoals
from otherminds.household.teams.talking import (
    AskFirst,
    AtOnce,
    Choice,
    EchoSpeaker,
    HoldTheLast,
    HoldUntilQuiet,
    OneByOne,
    RandomMessages,
    RelayNewsOnly,
    Speaker,
    Timetable,
)


class TalkingRule(NamedTuple):
    """When a member speaks, and to whom (``speaker``), and what it says first (``choice``)."""

    speaker: type[Speaker]
    choice: Choice


class CheapMember(Housemate):
    """Talks by one rule and acts by another; it is never done, and takes others to believe what it believes itself."""

    def __init__(self, secrets: ReceivedMessage, talking: TalkingRule, acting: type[OwnGoals]) -> None:
        super().__init__(secrets)
        self._talking = talking
        self._acting = acting

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        super().begin(brief, context)
        self._acts = self._acting(self.knowledge, self.doer)

    async def act(self) -> Action | SkillChoice | Invalid:
        call = await super().act()
        idle = self._acts.idle() if call == WAIT else None
        if idle is None:
            return call
        self.doer.did(idle)
        return idle

    def talks(self) -> Talker:
        return self._talking.speaker(self.knowledge, self.doer, self._rng, self._talking.choice)

    def goals(self) -> list[Literal]:
        return self._acts.goals()

    def finished(self, idle: int) -> bool:
        return False

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))


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
        "echo": TalkingRule(EchoSpeaker, choosing.heard_first),
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

    def member(self, secrets: ReceivedMessage) -> CheapMember:
        """A member; ``secrets`` are the secrets of all agents as statements, of which it uses its own."""
        return CheapMember(secrets, self.talking, self.acting)


PANEL: Mapping[str, CheapTeam] = MappingProxyType(
    {
        f"{talking}-{acting}": CheapTeam(TALKING[talking], ACTING[acting])
        for acting, talking in product(ACTING, TALKING)
    }
)
"""The teams by name, in the order in which they are tried."""
