"""Legal moves may vary: a choice is put with the options of its moment."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest

from otherminds.core.data import Ask, Moment, Question, Turn
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.matrix.words import MatrixVerbalizer
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import first
from otherminds.play.loop import play
from otherminds.replies.answers import asked


class OneLeft(MatrixVerbalizer):
    """What was played last is not legal again."""

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        ask = super().ask(about, moment, own)
        if isinstance(about, Question) or not moment.encounters:
            return ask
        last = self.game.behaviours[0].index(moment.encounters[-1].did[self.seat][0])
        kept = [i for i, option in enumerate(ask.options) if option != last]
        return asked(ask.text, [ask.labels[i] for i in kept], [ask.options[i] for i in kept])


@pytest.mark.parametrize("name", ["lm", "qa", "cot", "reflexion", "social_qa"])
def test_a_strategy_chooses_among_what_is_legal_now(name: str) -> None:
    built = scenario("rps-single-v1", {"rounds": 6})
    make = built.verbalizer
    assert make is not None

    def narrowed(drawn: dict[str, Any], seat: str) -> OneLeft:
        whole = make(drawn, seat)
        assert isinstance(whole, MatrixVerbalizer)
        names = [field.name for field in fields(whole)]
        return OneLeft(**{field: getattr(whole, field) for field in names})

    mind = make_mind(SeatSpec(name, model="scripted:first"))
    setup = Setup(replace(built, verbalizer=narrowed), {"ego": Participant(mind, first())})
    record, _ = asyncio.run(play(setup))
    made = [row[0] for row in record.actions]
    assert len(made) == 6
    assert len(set(made)) == 2
    assert all(one != other for one, other in pairwise(made)), made
