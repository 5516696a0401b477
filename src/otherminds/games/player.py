"""Minds that act on behaviours, in the matrix and in the grid alike."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Integral

from otherminds.core import data
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Behaviour,
    Brief,
    Game,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
)
from otherminds.core.errors import StudyError


class Player(Mind):
    """A mind that works with indices of behaviours.

    Subclasses write ``start``, ``choose``, ``predict`` and, if they learn, ``learn``; this
    class turns moments into behaviours and behaviours into actions or skills. Of uncertain
    behaviours it takes the first candidate. ``several``: it can play with several partners;
    ``other`` is then the first of them, and it learns from encounters with that one only.
    """

    several: bool = False

    brief: Brief
    context: MindContext
    seat: Seat
    other: Seat

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs a partner, behaviours that can be chosen and, with the grant ``payoffs``, a game."""
        if not brief.others:
            return "it plays with a partner, and there is none; choose a mind that plays alone"
        if any(not brief.behaviours.get(seat) for seat in (brief.seat, *brief.others)):
            return "it counts behaviours, and this world names none; choose one of the scenario's own minds"
        indices = [i for i, name in enumerate(brief.behaviours[brief.seat]) if name not in brief.skills]
        if indices and not brief.action_space.contains(indices[-1]):
            return (
                "it decides by choosing a behaviour, and here behaviours are no choices; "
                "choose one of the scenario's own minds or a prompting strategy, such as cot"
            )
        if len(brief.others) > 1 and not self.several:
            return f"it plays with one partner, and there are {len(brief.others)}; choose a mind for several, such as bayesian"
        if "payoffs" in self.grants and brief.game is None:
            return "it plans with the payoffs of a stage game, and this world has none; choose one of the scenario's own minds"
        return None

    @property
    def game(self) -> Game:
        """The granted game, own seat first.

        Raises:
            StudyError: the payoffs are not granted.
        """
        if self.brief.game is None:
            raise StudyError(f"{type(self).__name__} needs the payoffs granted")
        return self.brief.game

    @property
    def family(self) -> tuple[data.WeightedPolicy, ...]:
        """The granted policies: a family of partners, or those of the partners themselves.

        Raises:
            StudyError: none is granted.
        """
        if not self.brief.partners:
            raise StudyError(f"{type(self).__name__} needs the policies of partners granted")
        return self.brief.partners

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.brief = brief
        self.context = context
        self.seat = brief.seat
        self.other = brief.others[0]
        own, others = brief.behaviours[self.seat], brief.behaviours[self.other]
        self._own = {name: i for i, name in enumerate(own)}
        self._others = {name: i for i, name in enumerate(others)}
        self._actions: tuple[int | SkillChoice, ...] = tuple(
            SkillChoice(name) if name in brief.skills else i for i, name in enumerate(own)
        )
        self._names = others
        self.start(len(own), len(others))

    async def perceive(self, moment: Moment) -> None:
        for encounter in moment.encounters:
            did = encounter.did
            if self.other in did:
                own, other = self._own[did[self.seat][0]], self._others[did[self.other][0]]
                self.learn(own, other, encounter.reward)

    async def act(self) -> Action | SkillChoice | Invalid:
        """The action of the behaviour that :meth:`choose` returns.

        Raises:
            StudyError: it returns no index of a behaviour.
        """
        chosen = self.choose()
        if chosen.__class__ is not int or not 0 <= chosen < len(self._actions):
            chosen = self._check_index(chosen, "choose", tuple(self._own))
        return self._actions[chosen]

    async def answer(self, question: Question) -> Answer | Invalid:
        """The behaviour that :meth:`predict`, or :meth:`predict_after` for a policy question, returns.

        Raises:
            StudyError: it returns no index of a behaviour.
        """
        supposed = question.supposed
        predicted = self.predict_after(self._own[supposed]) if supposed else self.predict()
        if predicted.__class__ is not int or not 0 <= predicted < len(self._names):
            predicted = self._check_index(predicted, "predict_after" if supposed else "predict", self._names)
        return self._names[predicted]

    def _check_index(self, index: object, method: str, names: Sequence[Behaviour]) -> int:
        """``index`` as an ``int`` into ``names``, where it is one of another type, such as NumPy's."""
        if index.__class__ is not bool and isinstance(index, Integral) and 0 <= int(index) < len(names):
            return int(index)
        kind = type(self)
        module = sys.modules.get(kind.__module__)
        where = getattr(module, "__file__", None) or kind.__module__
        text = " ".join(repr(index).split())[:60]
        raise StudyError(
            f"{where}: {kind.__name__}.{method}() returned {text}; it must return a whole number from 0 to "
            f"{len(names) - 1}, an index into {', '.join(names)}"
        )

    def start(self, own: int, others: int) -> None:
        """An episode starts, with ``own`` behaviours of the seat and ``others`` of the partner."""
        raise NotImplementedError

    def learn(self, own: int, other: int, reward: float) -> None:
        """An encounter finished. Does nothing by default."""

    def choose(self) -> int:
        """The behaviour to show next. May draw from ``context.rng``."""
        raise NotImplementedError

    def predict(self) -> int:
        """The partner's next behaviour. Draws nothing, changes nothing."""
        raise NotImplementedError

    def predict_after(self, own: int) -> int:
        """The partner's behaviour in the next round if ``own`` is shown in this one; by default as in this round.

        Draws nothing, changes nothing.
        """
        return self.predict()


class AutomatonPlayer(Player):
    """Follows an automaton: every partner of :mod:`otherminds.games.partners`."""

    def __init__(self, automaton: data.Automaton) -> None:
        self.automaton = automaton
        self._next = automaton.next
        self._sure = tuple(output.index(1.0) if 1.0 in output else None for output in automaton.output)

    def start(self, own: int, others: int) -> None:
        self.state = self.automaton.start

    async def perceive(self, moment: Moment) -> None:
        for encounter in moment.encounters:
            did = encounter.did
            self.state = self._next[self.state][self._own[did[self.seat][0]]][
                self._others[did[self.other][0]]
            ]

    async def act(self) -> Action | SkillChoice | Invalid:
        sure = self._sure[self.state]
        return self._actions[self.choose() if sure is None else sure]

    def intends(self) -> Mapping[Behaviour, float]:
        return dict(zip(self._own, self.automaton.output[self.state], strict=True))

    def choose(self) -> int:
        draw = self.context.rng.random()
        for behaviour, p in enumerate(self.automaton.output[self.state]):
            draw -= p
            if draw < 0:
                return behaviour
        return max(range(len(self._own)), key=self.automaton.output[self.state].__getitem__)

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a partner is not asked")
