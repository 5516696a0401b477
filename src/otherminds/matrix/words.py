"""The words of repeated matrix games: names of the options, texts of the frame, and the text interface made of both.

The action names are those of Riemer et al. 2025, appendix C. Names carry inductive bias (appendix C.4), so every set of
the paper is here.

The wording of the frame is our own (``frame.toml``), in the manner of Akata et al. 2023, which Riemer et al. 2025 use:
rounds as sentences, options with neutral letters. A prompt pack may replace it. In all its texts, ``{own}`` and
``{other}`` are option labels such as ``J``, ``{options}`` a list such as ``Option J or Option F``, and ``{gain}`` and
``{other_gain}`` what the two players get, such as ``win 3 points``.

Nothing before the history changes from round to round, so each prompt extends the one before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar
from unicodedata import category

from msgspec import Struct, structs

from otherminds.core.contracts import OWN, Heard, Manner, Scaffold, Verbalizer
from otherminds.core.data import (
    Ask,
    Behaviour,
    Brief,
    Encounter,
    Game,
    Invalid,
    Moment,
    Question,
    Seat,
    Turn,
    Whose,
)
from otherminds.core.errors import StudyError
from otherminds.core.text import quoted
from otherminds.core.user_files import read_toml
from otherminds.core.wording import Fields, texts
from otherminds.games.best_response import PLAYED, TOTAL, Example, imagine
from otherminds.replies.answers import asked, listed, read, several, unread

SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "letters": {"rps": ("R", "P", "S")},
    "neutral": {"rps": ("J", "F", "B"), "ibs": ("J", "F"), "ipd": ("J", "F")},
    "repeated": {
        "rps": ("J" * 21, "F" * 21, "B" * 21),
        "ibs": ("J" * 21, "F" * 21),
        "ipd": ("J" * 21, "F" * 21),
    },
    "canonical": {
        "rps": ("Rock", "Paper", "Scissors"),
        "ibs": ("Fight", "Ballet"),
        "ipd": ("Cooperate", "Defect"),
    },
    "nonsense": {"rps": ("Pasta", "Rice", "Bread"), "ibs": ("Pasta", "Rice"), "ipd": ("Pasta", "Rice")},
}
VARIED = "varied"
"""The set of names that changes from time to time: see :func:`letters_of`."""
MEANINGLESS = ("neutral", "repeated", "nonsense", VARIED)
"""The sets whose names say nothing of a behaviour, so that any behaviour may have any of them."""
NEUTRAL = ("J", "F", "B", "M", "K", "Q", "X", "Z")
LONGEST = 60
"""Characters of one name."""
STRUCTURE = re.compile(r"\b(?:option|or|and)\b", re.IGNORECASE)
"""Words between which options are listed in a prompt."""


def label_options(game: Game, names: str | list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names under which each seat's options are shown: the row seat's, the column seat's.

    ``names`` is a set of the paper (``letters``, ``neutral``, ``repeated``, ``canonical``, ``nonsense``) or a
    list of names. Other games than the paper's have ``neutral`` and ``canonical`` (the game's own words). ``varied``
    begins as ``neutral`` (:func:`letters_of`).

    Raises:
        StudyError: no such set for this game, a list that does not fit, or a
            name that could pass for something else in a prompt or a reply.
    """
    rows, columns = game.behaviours
    size = max(len(rows), len(columns))
    if isinstance(names, list):
        labels = _check_names(game, tuple(names))
    elif names in SETS and game.name in SETS[names]:
        labels = SETS[names][game.name]
    elif names == "canonical":
        return _check_names(game, rows), _check_names(game, columns)
    elif names in ("neutral", VARIED) and size <= len(NEUTRAL):
        labels = NEUTRAL[:size]
    else:
        sets = [key for key, games in SETS.items() if game.name in games] or ["canonical", "neutral"]
        sets.append(VARIED)
        raise StudyError(f"game {game.name!r} has no action names {names!r}; choose from {', '.join(sets)}")
    if len(labels) < size or len(set(labels)) < len(labels):
        raise StudyError(f"game {game.name!r} needs {size} different action names, not {list(labels)}")
    return labels[: len(rows)], labels[: len(columns)]


def letters_of(size: int, turn: int) -> tuple[str, ...]:
    """The ``size`` letters of the set ``turn`` of ``varied``: the next ones of :data:`NEUTRAL`, without overlap.

    Two options have few arrangements of labels and orders; with four pairs of letters they have four times as many.

    >>> [letters_of(2, turn) for turn in range(5)]
    [('J', 'F'), ('B', 'M'), ('K', 'Q'), ('X', 'Z'), ('J', 'F')]
    """
    start = size * (turn % (len(NEUTRAL) // size))
    return NEUTRAL[start : start + size]


def _check_names(game: Game, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or not _plain(name):
            raise StudyError(
                f"game {game.name!r}: {name!r} cannot be an action name; use letters and digits, with single "
                f"spaces, hyphens, underscores or apostrophes between them, at most {LONGEST} characters, "
                "and none of the words option, or, and"
            )
    return names


def _plain(name: str) -> bool:
    """Whether ``name`` is no more than a name: nothing in it ends a line, opens an answer or lists options."""
    if not 0 < len(name) <= LONGEST or STRUCTURE.search(name):
        return False
    kinds = [category(char)[0] for char in name]
    inside = all(kind in "LNM" or char in " -_'" for char, kind in zip(name, kinds, strict=True))
    visible = quoted(name) == f'"{name}"' and not any("\ufe00" <= char <= "\ufe0f" for char in name)
    return visible and inside and kinds[0] in "LN" and kinds[-1] in "LNM" and "  " not in name


class MatrixFrame(Struct, frozen=True):
    """The texts, one attribute each.

    ``rules``, then ``payoffs`` and one ``payoff`` a joint choice where payoffs are granted; one ``round`` a
    round; ``now``, ``chosen`` (where the own choice is shown), and the question: ``choose``,
    ``predict``, or ``suppose`` (that of the default frame if empty) for the round after an own choice that is
    supposed. ``continue_choose``, ``continue_predict`` (after the own choice) and ``continue_predict_first`` (before it) begin the sentence of the coming round and break off before the label that is scored; a frame
    without one has a question there. Points are won (``win``, ``wins``, ``won``) and written as ``points``; where some payoff is
    negative, scores are received and written as ``score``. ``summary`` replaces old rounds in a full
    context: one ``count`` for each joint choice after ``start`` or ``after``; ``{s}`` is ``s`` unless the
    count is 1. Before the first round ``invite`` asks for a message, which ``wrote`` and ``received_text`` tell; each is that of the
    default frame if empty.
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
    invite: str = ""
    wrote: Annotated[str, Fields("text")] = ""
    received_text: Annotated[str, Fields("text")] = ""
    continue_choose: Annotated[str, Fields("round")] = ""
    continue_predict: Annotated[str, Fields("round", "own")] = ""
    continue_predict_first: Annotated[str, Fields("round")] = ""


FILE = Path(str(files("otherminds.matrix") / "frame.toml"))


@cache
def default() -> MatrixFrame:
    """Our own frame, in the manner of Akata et al. 2023: rounds as sentences, options with neutral letters."""
    return texts(MatrixFrame, read_toml(FILE, "frame")["frame"], "frame of matrix games")


OTHER = "the other player"
OPTION = "Option "


@dataclass(frozen=True)
class MatrixVerbalizer(Verbalizer):
    """The words of one episode for one seat.

    ``game`` is seen from the seat (its behaviours first); ``own_names`` and ``other_names`` are what its and
    the other's options are called; ``order`` is the order in which options are listed, fixed within an
    episode and balanced over the episodes with each partner.
    """

    frame_file: ClassVar[Path | None] = FILE

    game: Game
    seat: Seat
    other: Seat
    own_names: tuple[str, ...]
    other_names: tuple[str, ...]
    order: tuple[int, ...]
    rounds: int
    frame: MatrixFrame = field(default_factory=default)

    def reworded(self, frame: Mapping[str, Any]) -> MatrixVerbalizer:
        return replace(self, frame=texts(MatrixFrame, frame, "frame of matrix games"))

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        return {OWN: MatrixScaffold(self)}

    def rules(self, brief: Brief) -> str:
        own = self._order_options(self.own_names)
        options = listed([self.own_names[i] for i in own], "and")
        lines = [self.frame.rules.format(options=options, rounds=self.rounds)]
        if brief.game is None:
            return lines[0] + "\n"
        lines[0] += self.frame.payoffs
        for i in own:
            for j in self._order_options(self.other_names):
                mine, theirs = self.game.payoffs[i][j]
                lines.append(
                    self.frame.payoff.format(
                        own=self.own_names[i],
                        other=self.other_names[j],
                        gain=self._gain(mine, "now"),
                        other_gain=self._gain(theirs, "other"),
                    )
                )
        return "\n".join(lines) + "\n"

    def invite(self) -> str:
        return self.frame.invite or default().invite

    def tell(self, moment: Moment) -> str:
        return "\n".join((*self._tell_messages(moment), *map(self.tell_round, moment.encounters)))

    def tell_round(self, encounter: Encounter) -> str:
        """The sentences on a round."""
        return self._line(encounter.step + 1, *self._did(encounter), encounter.reward)

    def list_options(self, whose: Whose) -> list[tuple[int, str]]:
        """The index and the label of each own option (``own``) or of each of the other player's, in the order shown."""
        names = self.own_names if whose == "own" else self.other_names
        return [(i, names[i]) for i in self._order_options(names)]

    def describe_payoffs(self, own: int, other: int) -> dict[str, str]:
        """What both get for a joint choice, as numbers, under the names of the frame."""
        mine, theirs = self.game.payoffs[own][other]
        return {"gain": self._number(mine), "other_gain": self._number(theirs)}

    def describe_round(self, encounter: Encounter) -> dict[str, str]:
        """A round in short, under the names of the frame."""
        own, other = self._did(encounter)
        return {
            "round": str(encounter.step + 1),
            "own": self.own_names[own],
            "other": self.other_names[other],
            **self.describe_payoffs(own, other),
            "gain": self._number(encounter.reward),
        }

    def _tell_messages(self, moment: Moment) -> list[str]:
        wrote, got = (
            getattr(self.frame, name) or getattr(default(), name) for name in ("wrote", "received_text")
        )
        return [
            (wrote if message.sender == self.seat else got).format(text=quoted(message.text))
            for message in moment.told
        ]

    def summary(self, moments: Sequence[Moment]) -> str:
        """Counts of joint choices by the joint choice of the round before: nothing else is lost."""
        met = [encounter for moment in moments for encounter in moment.encounters]
        messages = [line for moment in moments for line in self._tell_messages(moment)]
        if not met:
            return "\n".join(messages)
        counts: Counter[tuple[str, str, str]] = Counter()
        frame = self.frame
        before = frame.start
        for encounter in met:
            i, j = self._did(encounter)
            own, other = self.own_names[i], self.other_names[j]
            counts[before, own, other] += 1
            before = frame.after.format(own=own, other=other)
        lines = [*messages, frame.summary.format(first=met[0].step + 1, last=met[-1].step + 1)]
        lines += [
            frame.count.format(start=start, own=own, other=other, count=n, s="s" * (n > 1))
            for (start, own, other), n in counts.items()
        ]
        return "\n".join(lines)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        turn = isinstance(about, Turn)
        names = self.own_names if turn else self.other_names
        order = self._order_options(names)
        labels, options = (
            [names[i] for i in order],
            [i if turn else self.game.behaviours[1][i] for i in order],
        )
        question = (self.frame.choose if turn else self.frame.predict).format(options=listed(labels, "or"))
        continuation, supposed = self._write_continuation(turn, moment.step + 1, own), ""
        if isinstance(about, Question) and about.supposed:
            supposed = self.own_names[self.game.behaviours[0].index(about.supposed)]
            text = self.frame.suppose or default().suppose
            # What follows a round that was not played cannot be told as history: it is asked.
            question, continuation = text.format(own=supposed, options=listed(labels, "or")), ""
        now = self.frame.now.format(round=moment.step + 1)
        if own is not None:
            now += self.frame.chosen.format(own=self.own_names[own])
        behaviours = self.game.behaviours[0 if turn else 1]
        called = [behaviours[i] for i in order]
        ask = asked(f"{now}\n{question}", labels, options, "own" if turn else "other", called, continuation)
        return structs.replace(ask, supposed=supposed) if supposed else ask

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        """Three short courses of the same game with other players, with the question, thoughts and the answer.

        See :func:`~otherminds.games.best_response.imagine`. None where the payoffs are not granted, since
        the thoughts name them, nor where a seat has a single option.
        """
        if brief.game is None:
            return ()
        own, others = self._order_options(self.own_names), self._order_options(self.other_names)
        imagined = imagine(self.game, own, others, self.own_names == self.other_names)
        return tuple(self._example(number, example, about) for number, example in enumerate(imagined, 1))

    def _example(self, number: int, example: Example, about: Turn | Question) -> str:
        ahead = isinstance(about, Turn) and example.answers
        long = f", {TOTAL} rounds in total" if ahead else ""
        lines = [f"Example {number}. The same game, with another player{long}:"]
        for played, (i, j) in enumerate(zip(example.own, example.others, strict=True), 1):
            lines.append(self._line(played, i, j, self.game.payoffs[i][j][0]))
        thoughts, label = self._foreseen(example), self.other_names[example.coming]
        if isinstance(about, Question) and about.supposed:
            supposed = self.game.behaviours[0].index(about.supposed)
            thoughts, label = self._foreseen(example, supposed), self.other_names[example.following[supposed]]
        if isinstance(about, Turn):
            thoughts, label = f"{thoughts} {self._weigh_options(example)}", self.own_names[example.best]
        after = isinstance(about, Question) and about.when == "after"
        example_ask = self.ask(about, Moment(PLAYED, None), example.best if after else None)
        return "\n".join([*lines, example_ask.text, thoughts, example_ask.template.format(label)])

    def _write_continuation(self, turn: bool, number: int, own: int | None) -> str:
        """The sentence of round ``number`` up to the label in question, which comes after ``own`` if that is shown."""
        if turn:
            return self.frame.continue_choose.format(round=number)
        if own is None:
            return self.frame.continue_predict_first.format(round=number)
        return self.frame.continue_predict.format(round=number, own=self.own_names[own])

    def _foreseen(self, example: Example, supposed: int | None = None) -> str:
        """The habit of the other player, and what it does next; or in the round after own behaviour ``supposed``."""
        coming = self.other_names[example.coming]
        if example.habit == "constant":
            return f"The other player chose Option {coming} whatever I did, and should do so again."
        others = [self.other_names[j] for j in example.others]
        if example.habit == "alternates":
            after = (
                ""
                if supposed is None
                else f", and after it Option {self.other_names[example.following[supposed]]}"
            )
            return (
                f"The other player goes back and forth between Option {others[0]} and Option {others[1]}, "
                f"so Option {coming} comes next{after}."
            )
        own = [self.own_names[i] for i in example.own]
        best = "it plays what would have paid it most against my last choice"
        how = "it copies me" if example.habit == "copies" else best
        then = f"My last choice was Option {own[2]}, so Option {coming} comes next."
        if supposed is not None:
            answer = self.other_names[example.following[supposed]]
            then = f"To my Option {self.own_names[supposed]} it would answer with Option {answer} in the round after."
        return (
            f"The other player answered my Option {own[0]} with Option {others[1]} and my Option {own[1]} "
            f"with Option {others[2]}: {how}. {then}"
        )

    def _weigh_options(self, example: Example) -> str:
        """What each own option brings against that, and the best of them."""
        brings = ", ".join(
            f"Option {self.own_names[i]} {self._number(example.now[i])}"
            + (f" and {self._number(example.worth[i])}" if example.answers else "")
            for i in self._order_options(self.own_names)
        )
        mine = "score" if self._scores() else "points"
        when = f"now, and at best in rounds {PLAYED + 1} to {TOTAL}" if example.answers else "now"
        best = "No Option is better than Option {}." if example.tied else "Option {} is best."
        return f"My {mine} {when}: {brings}. {best.format(self.own_names[example.best])}"

    def _line(self, played: int, own: int, other: int, reward: float) -> str:
        theirs = self.game.payoffs[own][other][1]
        return self.frame.round.format(
            round=played,
            own=self.own_names[own],
            other=self.other_names[other],
            gain=self._gain(reward, "past"),
            other_gain=self._gain(theirs, "past"),
        )

    def _did(self, encounter: Encounter) -> tuple[int, int]:
        own, others = self.game.behaviours
        return own.index(encounter.did[self.seat][0]), others.index(encounter.did[self.other][0])

    def _gain(self, points: float, form: str) -> str:
        """Points are won; where some are negative, scores are received (appendix C.1)."""
        say = self.frame
        forms = {
            "now": (say.win, say.receive),
            "other": (say.wins, say.receives),
            "past": (say.won, say.received),
        }
        return f"{forms[form][self._scores()]} {self._points(points)}"

    def _points(self, points: float) -> str:
        return (self.frame.score if self._scores() else self.frame.points).format(points=self._number(points))

    def _number(self, points: float) -> str:
        return f"{points:+.12g}" if points and self._scores() else f"{points or 0:.12g}"

    def _scores(self) -> bool:
        return any(x < 0 for row in self.game.payoffs for cell in row for x in cell)

    def _order_options(self, names: tuple[str, ...]) -> list[int]:
        return [i for i in self.order if i < len(names)]


class MatrixScaffold(Scaffold):
    """The words of one episode for the seat of ``verbalizer``: the same rules, the same labels in the same order.

    A behaviour is written as its option's label.
    """

    def __init__(self, verbalizer: MatrixVerbalizer) -> None:
        self.manner = Manner(joint=True)
        self._verbalizer = verbalizer
        own, others = verbalizer.game.behaviours
        self._labels: dict[Seat, dict[Behaviour, str]] = {
            verbalizer.seat: _order_labels(verbalizer, own, verbalizer.own_names),
            verbalizer.other: _order_labels(verbalizer, others, verbalizer.other_names),
        }

    def system(self, brief: Brief) -> str:
        return (
            f"{self._verbalizer.rules(brief)}After every round you are told what both of you chose. "
            "You want as much reward as you can get over all rounds."
        )

    def name(self, seat: Seat) -> str:
        return OTHER

    def seat(self, name: str) -> Seat | None:
        return self._verbalizer.other if name.strip().casefold() == OTHER else None

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(self._labels[seat].values())

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return self._labels[seat][behaviour]

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """The behaviour of a label, exact or after the word ``Option``."""
        labels = self._labels[seat]
        if isinstance(value, str):
            answer = value.strip().removeprefix(OPTION).strip()
            for behaviour, label in labels.items():
                if answer == label:
                    return behaviour
        choices = several([repr(label) for label in labels.values()], "or")
        return unread(f"it is none of the options; write {choices}", value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        seat = self._verbalizer.seat
        return Heard(f"round {encounter.step + 1}", self.written(encounter.did[seat][0], seat))

    def strategies(self) -> tuple[str, ...]:
        labels = self.choices(self._verbalizer.other)
        first, last = labels[0], labels[-1]
        return (
            f"They choose Option {first} five times, then Option {last} once, and begin again.",
            "They answer what I chose two rounds ago.",
            f"They choose at random each time, Option {last} more often than anything else.",
        )


def _order_labels(
    verbalizer: MatrixVerbalizer, behaviours: Sequence[Behaviour], names: Sequence[str]
) -> dict[Behaviour, str]:
    return {behaviours[i]: names[i] for i in verbalizer.order if i < len(names)}
