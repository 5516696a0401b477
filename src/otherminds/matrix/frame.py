"""The frame of matrix games: the texts that a prompt pack may replace.

In all texts, ``{own}`` and ``{other}`` are option labels such as ``J``, ``{options}`` a list such as
``Option J or Option F``, and ``{gain}`` and ``{other_gain}`` what the two players get, such as ``win 3 points``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from otherminds.core.user_files import read_toml
from otherminds.core.wording import Fields, texts


class Frame(Struct, frozen=True):
    """The texts, one attribute each.

    ``rules``, then ``payoffs`` and one ``payoff`` a joint choice where payoffs are granted; one ``round`` a
    round; ``now``, ``chosen`` (where the own choice is shown), and the question: ``choose``,
    ``predict``, or ``suppose`` (that of the default frame if empty) for the round after an own choice that is
    supposed. ``continue_choose``, ``continue_predict`` (after the own choice) and ``continue_predict_first`` (before it) begin the sentence of the coming round and break off before the label that is scored; a frame
    without one has a question there. Points are won (``win``, ``wins``, ``won``) and written as ``points``; where some payoff is
    negative, scores are received and written as ``score``. ``summary`` replaces old rounds in a full
    context: one ``count`` for each joint choice after ``start`` or ``after``; ``{s}`` is ``s`` unless the
    count is 1.
    """

    rules: Annotated[str, Fields("options", "rounds")]
    payoffs: str
    payoff: Annotated[str, Fields("own", "other", "gain", "other_gain")]
    round: Annotated[str, Fields("round", "own", "other", "gain", "other_gain")]
    now: Annotated[str, Fields("round")]
    chosen: Annotated[str, Fields("own")]
    choose: Annotated[str, Fields("options")]
    predict: Annotated[str, Fields("options")]
    win: str
    wins: str
    won: str
    receive: str
    receives: str
    received: str
    points: Annotated[str, Fields("points")]
    score: Annotated[str, Fields("points")]
    summary: Annotated[str, Fields("first", "last")]
    start: str
    after: Annotated[str, Fields("own", "other")]
    count: Annotated[str, Fields("start", "own", "other", "count", "s")]
    suppose: Annotated[str, Fields("own", "options")] = ""
    continue_choose: Annotated[str, Fields("round")] = ""
    continue_predict: Annotated[str, Fields("round", "own")] = ""
    continue_predict_first: Annotated[str, Fields("round")] = ""


FILE = Path(str(files("otherminds.matrix") / "frame.toml"))


@cache
def default() -> Frame:
    """Our own frame, in the manner of Akata et al. 2023: rounds as sentences, options with neutral letters."""
    return texts(Frame, read_toml(FILE, "frame")["frame"], "frame of matrix games")
