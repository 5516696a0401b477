"""Forced choices in repeated matrix games, as prompting strategies ask for them.

A prompt of the matrix games' verbalizer is rewritten as a prompt that ends in a form, so that
both lead to the same situation.

A prediction errs once, by ``accuracy``: it is that of the simplest strategy that fits the
history, else another option. A choice uses the prediction in the prompt (Social prompting,
Oracle), else a hidden one of its own with the same error rate. (The choice of a form without
other keys, as ReAct's, also errs about the strategy.) The choice and the literal question of a
round are two calls with seeds of their own, so their errors are independent. Scores have no
seed: their errors depend on the prompt alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.core.data import Message
from otherminds.models.competent.choosing import best
from otherminds.models.competent.parsing import NUMBER, Met, Prompt, number
from otherminds.models.competent.situation import Ability, Situation
from otherminds.models.scripted import FORM

OTHER = "the other player"
RULES = "You play a game repeatedly with another player."
EXAMPLES = "\nNow it is your turn.\n"
"""Ends the worked examples, whose rounds were never played."""
QUESTION = re.compile(r"^Q: Which Option (do you|does the other player) choose, (.+)\?$", re.MULTILINE)
ROUND = re.compile(
    r"^In round (?P<when>\d+), you chose Option (?P<own>.+?) and the other player chose Option (?P<theirs>.+?)\. "
    rf"Thus, you (?:won|received) (?:a score of )?{NUMBER.replace('(', '(?P<reward>', 1)} ",
    re.MULTILINE,
)
CHOICES = re.compile(r"In each round you may choose between (.+?)\. You play ")
TOLD = re.compile(
    r"^You (?:predict|know for certain) what the other player does next: Option (.+)\.$", re.MULTILINE
)
NOW = re.compile(r"^You are currently playing round (\d+)\.", re.MULTILINE)
CONTINUED = re.compile(
    r"^In round (?P<when>\d+), (?:you chose Option(?P<after> .+ and the other player chose Option)?|"
    r"(?P<before>the other player chose Option))\Z",
    re.MULTILINE,
)
"""The line at the end of a prompt whose continuation is scored."""
BETWEEN = re.compile(r"(?:, | or | and )?Option ")


@dataclass(frozen=True)
class MatrixPrompt:
    """A prompt of the matrix games' verbalizer: ``labels`` are the options, none where it asks for text.

    ``own``: it asks for the own choice, else for the other player's; ``rounds`` are the
    history; ``told`` is a prediction to act on; ``first``: this is the first round.
    """

    text: str
    rules: str
    own: bool
    labels: tuple[str, ...]
    rounds: tuple[Met, ...]
    told: str | None
    first: bool

    @property
    def story(self) -> str:
        """The text above the last question."""
        return self.text.rpartition("\nYou are currently playing round ")[0]

    def said_again(self) -> Prompt:
        """The same as a prompt that ends in a form."""
        choices = CHOICES.search(self.rules)
        own = self.labels if self.own or choices is None else _labels(choices[1])
        their_plays = dict.fromkeys(met.theirs for met in self.rounds)
        theirs = own if {*their_plays} <= {*own} else tuple(their_plays)
        lines = [
            f"What you can play: {[*own]!r}",
            f"What they can play: {[*(theirs if self.own else self.labels)]!r}",
            f"Your encounters with {OTHER}:",
            *(
                f"- {met.when}: you played {met.own!r}, your reward {met.reward:.12g}; they played {met.theirs!r}"
                for met in self.rounds
            ),
        ]
        if self.told is not None:
            lines += [f"Your prediction of what {OTHER} will do:", repr(self.told)]
        form = {"i_play" if self.own else "they_play": next(iter(self.labels), "")}
        lines.append(f"Answer with one Python dictionary in this form: {form!r}")
        return Prompt([Message("system", self.rules), Message("user", "\n".join(lines))])


def read_matrix_prompt(text: str, continuations: Sequence[str] = ()) -> MatrixPrompt | None:
    """Parses ``text``; ``None`` unless it is from the matrix games' verbalizer.

    ``continuations`` are the labels that are scored after it.
    """
    rules, examples, course = text.partition(EXAMPLES)
    if not examples:
        rules, course = text.partition("\n\n")[0], text
    questions = list(QUESTION.finditer(course))
    if not questions and RULES not in text:
        return None
    prediction, now = TOLD.search(course), NOW.search(course)
    line = CONTINUED.search(course) if continuations else None
    own, labels = (
        bool(questions) and questions[-1][1] == "do you",
        _labels(questions[-1][2]) if questions else (),
    )
    if line is not None:
        own, labels = not (line["after"] or line["before"]), tuple(continuations)
    return MatrixPrompt(
        text=text,
        rules=rules,
        own=own,
        labels=labels,
        rounds=tuple(
            Met(f"round {match['when']}", match["own"], number(match["reward"]), match["theirs"])
            for match in ROUND.finditer(course)
        ),
        told=prediction[1] if prediction else None,
        first="1" in (now[1] if now else "", line["when"] if line else ""),
    )


def write_reply(prompt: MatrixPrompt, ability: Ability, seed: int) -> str:
    """The reply: a line in the form asked for, after its reasoning if the prompt asks for it.

    A prompt for text gets the whole story if a question follows, else the strategy that fits
    the history.
    """
    at = _situation(prompt, ability, seed)
    form = FORM.search(prompt.text)
    sentence = at.rule.sentence if at.rule is not None else "I know nothing yet of what they do."
    if form is None or not prompt.labels:
        return prompt.story if prompt.labels else sentence
    thought = f"{sentence}\n" if "step by step" in prompt.text.rpartition("\nQ: ")[2] else ""
    return f"{thought}A: Option {_label(prompt, at)}"


def chosen(prompt: MatrixPrompt, ability: Ability) -> str:
    """The label that scores find likeliest."""
    return _label(prompt, _situation(prompt, ability, 0))


def _situation(prompt: MatrixPrompt, ability: Ability, seed: int) -> Situation:
    at = Situation(prompt.said_again(), ability, seed)
    # The only error is that of the prediction: a second one here would lower the accuracy.
    if prompt.rounds:
        at.rule = at.explanation(OTHER)
    return at


def _label(prompt: MatrixPrompt, at: Situation) -> str:
    if not prompt.own:
        return at.setting.theirs[at.predicts(OTHER)]
    # In games with a kind behaviour it opens with that, whatever it predicts.
    kindly = prompt.first and at.setting.kind is not None
    if prompt.rounds or prompt.told not in at.setting.theirs or kindly:
        right = at.response(OTHER)
    else:  # Without a history: against the given prediction, in this round alone.
        right = best([row[at.expected(OTHER)] for row in at.mine])
    own = at.setting.own
    return own[at.erring(right, range(len(own)), at.ability.rationality, "i_play")]


def _labels(listed: str) -> tuple[str, ...]:
    """The labels of ``Option J, Option F or Option B``."""
    return tuple(BETWEEN.split(listed)[1:])
