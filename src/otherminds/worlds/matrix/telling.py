"""A repeated matrix game in words, after Akata et al. 2023 as Riemer et al. 2025 use it.

Nothing that changes from round to round stands before the history, so that each
prompt extends the one before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Telling
from otherminds.core.data import Ask, Behaviour, Brief, Encounter, Game, Invalid, Moment, Question, Seat, Turn


@dataclass(frozen=True)
class MatrixTelling(Telling):
    """The words of one episode for one seat.

    ``game`` is seen from the seat (its behaviours first); ``own_names`` and
    ``other_names`` are what its and the other's options are called; ``order``
    is the order in which options are listed, fixed within an episode and
    counterbalanced across them.
    """

    game: Game
    seat: Seat
    other: Seat
    own_names: tuple[str, ...]
    other_names: tuple[str, ...]
    order: tuple[int, ...]
    rounds: int

    def rules(self, brief: Brief) -> str:
        own = self._listed(self.own_names)
        lines = [
            "You play a game repeatedly with another player. "
            f"In each round you may choose between {self._options([self.own_names[i] for i in own], 'and')}. "
            f"You play {self.rounds} rounds in total with the same player."
        ]
        if brief.game is None:
            return lines[0] + "\n"
        lines[0] += " What each of you gets in a round:"
        for i in own:
            for j in self._listed(self.other_names):
                mine, theirs = self.game.payoffs[i][j]
                lines.append(
                    f"If you choose Option {self.own_names[i]} and the other player chooses "
                    f"Option {self.other_names[j]}, then you {self._gain(mine, 'now')} "
                    f"and the other player {self._gain(theirs, 'other')}."
                )
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        return "\n".join(self._line(encounter) for encounter in moment.encounters)

    def summary(self, moments: Sequence[Moment]) -> str:
        """Counts of joint choices by the joint choice of the round before: nothing else is lost."""
        met = [encounter for moment in moments for encounter in moment.encounters]
        if not met:
            return ""
        counts: Counter[tuple[str, str, str]] = Counter()
        before = "At the start"
        for encounter in met:
            own, other = self._did(encounter)
            counts[before, own, other] += 1
            before = f"After a round with Option {own} (you) and Option {other} (the other player)"
        lines = [f"Rounds {met[0].step + 1} to {met[-1].step + 1} in short:"]
        lines += [
            f"{start}, you chose Option {own} and the other player chose Option {other}: {n} time{'s' * (n > 1)}."
            for (start, own, other), n in counts.items()
        ]
        return "\n".join(lines)

    def ask(self, about: Turn | Question, step: int, own: Any = None) -> Ask:
        if isinstance(about, Turn):
            labels = [self.own_names[i] for i in self._listed(self.own_names)]
            options: list[Any] = list(self._listed(self.own_names))
            question = f"Q: Which Option do you choose, {self._options(labels, 'or')}?"
        else:
            labels = [self.other_names[i] for i in self._listed(self.other_names)]
            options = [self.game.behaviours[1][i] for i in self._listed(self.other_names)]
            question = f"Q: Which Option does the other player choose, {self._options(labels, 'or')}?"
        now = f"You are currently playing round {step + 1}."
        if own is not None:
            now += f" In this round you chose Option {self.own_names[own]}."
        return Ask(
            text=f"{now}\n{question}",
            labels=tuple(labels),
            options=tuple(options),
            cue="A: Option",
            template="A: Option {}",
            schema={
                "type": "object",
                "properties": {"option": {"type": "string", "enum": labels}},
                "required": ["option"],
                "additionalProperties": False,
            },
        )

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        """The option named as ``A: Option X``; two different ones, or one of a choice, are none."""
        names = "|".join(re.escape(label) for label in sorted(ask.labels, key=len, reverse=True))
        another = rf"[\"'*]*\s*(?:[,/&]|or\b|and\b)\s*(?:Option\s+)?[\"'*]*(?:{names})(?!\w)"
        # Atomic, so that a longer name with something after it is not read as a shorter one.
        one = rf"^\W*A:\s*Option\s+[\"'*]*(?>({names}))(?!\w)(?!{another})"
        found = set(re.findall(one, reply, re.MULTILINE))
        if len(found) == 1:
            return ask.options[ask.labels.index(found.pop())]
        return Invalid("no answer in the form asked for" if not found else "several different answers", reply)

    def _line(self, encounter: Encounter) -> str:
        own, other = self._did(encounter)
        theirs = self.game.payoffs[self.own_names.index(own)][self.other_names.index(other)][1]
        return (
            f"In round {encounter.step + 1}, you chose Option {own} and the other player chose Option {other}. "
            f"Thus, you {self._gain(encounter.reward, 'past')} and the other player {self._gain(theirs, 'past')}."
        )

    def _did(self, encounter: Encounter) -> tuple[str, str]:
        def name(seat: Seat, behaviours: tuple[Behaviour, ...], names: tuple[str, ...]) -> str:
            return names[behaviours.index(encounter.did[seat][0])]

        own, others = self.game.behaviours
        return name(self.seat, own, self.own_names), name(self.other, others, self.other_names)

    def _gain(self, points: float, form: str) -> str:
        """Points are won; where some are negative, scores are received (appendix C.1)."""
        scores = any(x < 0 for row in self.game.payoffs for cell in row for x in cell)
        verb = {
            "now": ("win", "receive"),
            "other": ("wins", "receives"),
            "past": ("won", "received"),
        }[form][scores]
        return f"{verb} a score of {points:+g}".replace("+0", "0") if scores else f"{verb} {points:g} points"

    def _listed(self, names: tuple[str, ...]) -> list[int]:
        return [i for i in self.order if i < len(names)]

    def _options(self, labels: list[str], word: str) -> str:
        named = [f"Option {label}" for label in labels]
        return f" {word} ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]
