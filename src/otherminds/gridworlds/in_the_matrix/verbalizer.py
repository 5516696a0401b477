"""The text interface of the *in the matrix* substrates, with the facts of Hypothetical Minds' prompts.

Cross et al. 2025, appendices D.1, D.2 and G: the places of each kind of thing in view, the open places, the
own inventory, the duels with their rewards; the wording is our own. A seat receives text when it has to
decide or can learn: at the start, when a skill has ended, after a duel and at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import OWN, Scaffold, Verbalizer
from otherminds.core.data import Ask, Brief, Game, Invalid, Moment, Question, Seat, SkillChoice, Turn
from otherminds.games.best_response import TOTAL, Example
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.words import ask, outcome, places, pose
from otherminds.gridworlds.in_the_matrix import naming as examples
from otherminds.gridworlds.in_the_matrix import naming as told_rules
from otherminds.gridworlds.in_the_matrix.naming import SeatVocabulary
from otherminds.gridworlds.in_the_matrix.paper_prompts import NAME, PRINTED, PaperPrompts
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.scaffold import InTheMatrixScaffold, read_sight
from otherminds.gridworlds.in_the_matrix.sight import Sight
from otherminds.gridworlds.in_the_matrix.views import READY, RESULT
from otherminds.replies.answers import read

MARKS = {0: ", not ready", READY: ", ready", RESULT: ", in a duel"}
"""What the marks of others mean in words; ``RESULT`` is the lowest of its kind."""


@dataclass(frozen=True)
class InTheMatrixVerbalizer(Verbalizer):
    """The words of one episode for ``seat`` of ``substrate``, in which both players of a duel have the same payoffs, or roles.

    Options are the classes under their own names, each chosen as the skill of that name. ``order`` is the
    order in which they are listed, fixed within an episode and balanced over the episodes with each partner.
    """

    substrate: Rules
    seat: Seat
    order: tuple[int, ...]

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        kinds = {OWN: InTheMatrixScaffold}
        if self.substrate.name in PRINTED:
            kinds[NAME] = PaperPrompts
        return {name: kind(self.substrate, self.seat, self.order) for name, kind in kinds.items()}

    def rules(self, brief: Brief) -> str:
        words = self._words
        lines = [
            *told_rules.paragraphs(words),
            f"{told_rules.view(self.substrate)} After a duel you are told what the other may have played, as "
            f"far as your reward gives it away. {told_rules.OUTDATED}",
            told_rules.choice(self._labels),
        ]
        if brief.game is not None:
            lines.append(told_rules.payoffs(words, brief.game, self.order))
        lines += [f"You are told a secret: {words.name_seats(secret)}." for secret in brief.secrets]
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        words = self._words
        lines = [words.duel(encounter) for encounter in moment.encounters]
        met = moment.observation.get("INTERACTION_INVENTORIES")
        if met is not None and met.min() > 0:  # elsewhere -1, at the reset 0
            own, other = words.held(met[0]), words.held(met[1])
            lines.append(f"A duel begins: you hold {own}; your opponent holds {other}.")
        if moment.ended is not None and not (moment.ended.ok and moment.encounters):
            lines.append(words.name_seats(outcome(moment.ended)))
        if moment.last:
            lines.append("The episode is over.")
        elif lines or not moment.step:
            lines.append(self._scene(moment))
        return " ".join([f"Step {moment.step}.", *lines]) if lines else ""

    def summary(self, moments: Sequence[Moment]) -> str:
        """Every duel in a line, and where boxes of each kind were seen; a place keeps its kind."""
        places: list[set[Cell]] = [set() for _ in self.substrate.classes]
        for moment in moments:
            for cells, boxes in zip(places, self.list_boxes(read_sight(self.substrate, moment)), strict=True):
                cells.update(boxes)
        lines: list[str] = []
        if any(places):
            listing = self._list_boxes([sorted(cells) for cells in places])
            lines.append(f"Up to step {moments[-1].step} you were told of boxes at these places: {listing}.")
        met = [encounter for moment in moments for encounter in moment.encounters]
        if met:
            lines.append("Your duels until then (step: you; the other player; your reward):")
            lines += [self._words.row(encounter) for encounter in met]
        return "\n".join(lines)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        words = self._words
        if isinstance(own, SkillChoice):
            arguments = (words.name_seats(arg) if isinstance(arg, str) else arg for arg in own.args)
            own = SkillChoice(own.name, tuple(arguments))

        def ahead(seat: Seat) -> str:
            return f"What does {words.name(seat)} play in its next duel"

        labels = {label: label for label in self._labels}
        return ask(about, moment, own, self.seat, labels, "What do you play next", ahead)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        """Three short courses of duels with one other player, with the question, thoughts and the answer.

        See :mod:`.naming`. None where the payoffs are not granted, since the thoughts name them.
        """
        if brief.game is None:
            return ()
        subject = about.about if isinstance(about, Question) else ""
        other = subject if subject in brief.others else brief.others[0]
        imagined = examples.imagine_duels(brief.game, self.order)
        return tuple(
            self._example(n, example, about, other, brief.game) for n, example in enumerate(imagined, 1)
        )

    def _scene(self, moment: Moment) -> str:
        sight = read_sight(self.substrate, moment)
        if sight.pose is None:
            return "You are off the map until you come back."
        state = "are in a duel" if sight.held else "are ready" if sight.ready else "are not ready"
        held = self._words.held(sight.inventory)
        return f"You are at {pose(sight.pose)}, hold {held}, and {state}. {self.tell_sight(sight, moment)}"

    def tell_sight(self, sight: Sight, moment: Moment) -> str:
        """The boxes and the other players in sight, that of ``moment``."""
        players = [f"{who}at {places([cell])}{mark}" for who, cell, mark in self.list_players(sight)]
        whole = "WORLD.MAP" in moment.observation
        return (
            f"{'On the whole map' if whole else 'In view'}: {self._list_boxes(self.list_boxes(sight))}; "
            f"{'other players' if self._words.crowd else 'the other player'}: {'; '.join(players) or 'not seen'}."
        )

    def list_players(self, sight: Sight) -> list[tuple[str, Cell, str]]:
        """Each other player in sight: who it is, as far as that is told; its place; and its mark."""
        players: list[tuple[str, Cell, str]] = []
        for other in sorted(sight.others):
            who = f"player {other.player} " if self.substrate.distinct else ""
            if self.substrate.roles and self._words.crowd:
                who = "one of the second kind " if other.player else "one of the first kind "
            near = sight.shows(other.cell)  # the whole map shows no marks
            players.append((who, other.cell, MARKS[min(other.mark, RESULT)] if near else ""))
        return players

    def list_boxes(self, sight: Sight) -> list[list[Cell]]:
        """The places of the boxes in sight, by kind."""
        in_view = [n for n, there in enumerate(sight.there) if there and sight.seen[n] == sight.step]
        places = self.substrate.places
        kinds = range(len(self.substrate.classes))
        return [[places[n] for n in in_view if sight.kind[n] == kind] for kind in kinds]

    def _list_boxes(self, boxes: Sequence[Sequence[Cell]]) -> str:
        by_colour = zip(self.substrate.colours, boxes, strict=True)
        return "; ".join(f"{colour} boxes: {places(cells)}" for colour, cells in by_colour)

    def _example(self, n: int, example: Example, about: Turn | Question, other: Seat, game: Game) -> str:
        words, names = self._words, self.substrate.classes
        ahead = f", {TOTAL} duels in all" if isinstance(about, Turn) and example.answers else ""
        head = (
            f"Example {n}. Another episode{ahead}, {words.name(other)} met in each duel; each of you collects "
            f"{examples.COLLECTED} boxes of what it plays and no others, as both know:"
        )
        thoughts, label = examples.foreseen(words, example, other), names[example.coming]
        if isinstance(about, Turn):
            thoughts, label = (
                f"{thoughts} {examples.weigh_plays(words, example, self.order)}",
                names[example.best],
            )
        own = (
            SkillChoice(names[example.best])
            if isinstance(about, Question) and about.when == "after"
            else None
        )
        example_ask = self.ask(about, Moment(examples.ASKED, None), own)
        course = examples.course(words, game, example, other)
        return "\n".join([head, *course, example_ask.text, thoughts, example_ask.template.format(label)])

    @property
    def _words(self) -> SeatVocabulary:
        return SeatVocabulary(self.substrate, self.seat)

    @property
    def _labels(self) -> list[str]:
        return [self.substrate.classes[i] for i in self.order]
