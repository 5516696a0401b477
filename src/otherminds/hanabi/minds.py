"""Conventions as minds, and a mind that plays any legal action."""

from __future__ import annotations

from collections import Counter
from random import Random

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question
from otherminds.hanabi.conventions.convention import Convention, choose_legally, conventions
from otherminds.hanabi.conventions.inference import Inference
from otherminds.hanabi.conventions.rule_lists import RuleList
from otherminds.hanabi.rules import Rules
from otherminds.hanabi.view import View, find_playable, share_cards
from otherminds.hanabi.world import KINDS, SCORES, find_topic, name_kind, read_view

RANDOM = "legal_random"
"""The mind that plays any legal action."""


class ConventionMind(Mind):
    """Plays by a convention of :data:`~otherminds.hanabi.conventions.convention.conventions`, or any legal action.

    That a card would score it answers by the cards that its convention leaves open, weighted by the copies that it does not see. Another
    seat's next move it expects to be of the kind that this seat has played most often.

    Raises:
        StudyError: there is no such convention.
    """

    def __init__(self, rules: Rules, name: str) -> None:
        self._rules = rules
        self._make = None if name == RANDOM else conventions.get(name)

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._seat = int(brief.seat.removeprefix("agent_"))
        # A stream of its own, so that questions and other draws change no action.
        rng = Random(context.rng.random())
        self._convention: Convention = (
            self._make(self._rules, self._seat, rng) if self._make else RuleList((), rng)
        )
        self._kinds: dict[int, Counter[str]] = {player: Counter() for player in range(self._rules.players)}

    async def perceive(self, moment: Moment) -> None:
        if moment.last:
            return
        self._view = view = read_view(self._rules, self._seat, moment.observation)
        if view.last is not None:
            self._kinds[view.last.player][name_kind(self._rules, view.last.action)] += 1
        self._convention.watch(view)

    async def act(self) -> Action:
        return choose_legally(self._convention, self._view) if self._view.player == self._seat else 0

    async def answer(self, question: Question) -> Answer | Invalid:
        if question.id == SCORES:
            return "yes" if share_playable(self._convention, self._view) > 0.5 else "no"
        kinds = self._kinds[int(question.about.removeprefix("agent_"))]
        return max(KINDS, key=lambda kind: kinds[kind])


def share_playable(convention: Convention, view: View) -> float:
    """The probability that the card that questions are about would score, by what a convention and the eyes leave open."""
    slot = find_topic(view)
    cards = view.list_own()[slot]
    if isinstance(convention, Inference):
        cards = convention.see(convention.possible[view.seat][slot])
    return share_cards(view.count_unseen(), cards, find_playable(view.rules, view.fireworks))
