"""The competent stand-in: ``competent``, ``competent:accuracy=0.9&rationality=0.8&seed=3``.

It answers the keys of a form in their order, each with a sentence of reasoning; later answers
use earlier ones, so that one form with all keys gets the same answers as separate calls.

It also makes the forced choices of repeated matrix games that prompting strategies ask for.

A prompt of the matrix games' verbalizer is rewritten as a prompt that ends in a form, so that
both lead to the same situation.

A prediction errs once, by ``accuracy``: it is that of the simplest strategy that fits the
history, else another option. A choice uses the prediction in the prompt (Social prompting,
Oracle), else a hidden one of its own with the same error rate. (The choice of a form without
other keys, as ReAct's, also errs about the strategy.) The choice and the literal question of a
round are two calls with seeds of their own, so their errors are independent. Scores have no
seed: their errors depend on the prompt alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import convert

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.models.competent import planning
from otherminds.models.competent.parsing import NUMBER, Met, Prompt, number
from otherminds.models.competent.situation import Ability, Situation
from otherminds.models.competent.strategies import best
from otherminds.models.hosts import named_values
from otherminds.models.registry import models
from otherminds.models.scripted import FORM, ScriptedModel, favouring

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


def join_conversation(messages: Sequence[Message]) -> str:
    """The last message; of a conversation, the rules and all that the other side wrote, as one prompt would have it."""
    rules, course = (
        [message.content for message in messages if message.role == role] for role in ("system", "user")
    )
    is_conversation = QUESTION.search(course[-1]) is not None and RULES not in course[-1]
    return "\n\n".join([*rules, "\n".join(course)]) if is_conversation else course[-1]


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
    # In a conversation, earlier rounds stand above.
    prediction, now = (next(reversed([*pattern.finditer(course)]), None) for pattern in (TOLD, NOW))
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


Answered: TypeAlias = tuple[Any, str]
Answer: TypeAlias = Callable[[Situation], "Answered | None"]
ANSWERS: dict[str, Answer] = {}

OWN = "I do what is best if this is so: "
"""The beginning of an own strategy; a strategy of the others follows."""


def answers(key: str) -> Callable[[Answer], Answer]:
    """Registers the function that answers ``key``; ``None`` means that it was not understood."""

    def known(answer: Answer) -> Answer:
        ANSWERS[key] = answer
        return answer

    return known


def reply(situation: Situation) -> str:
    """Reasoning and the dictionary asked for; a sentence where the prompt is not understood."""
    answer: dict[str, Any] = {}
    thoughts: list[str] = []
    for key in situation.form:
        entry = ANSWERS[key](situation) if key in ANSWERS else None
        if entry is None:
            return "I do not understand what I am asked."
        answer[situation.prompt.keys[key]] = entry[0]
        thoughts.append(entry[1])
    if not answer:
        return "I was not asked for anything that I can answer."
    return " ".join([*thoughts, "So my answer is:"]) + f"\n```python\n{answer!r}\n```"


@models.register("competent")
def competent(argument: str) -> ScriptedModel:
    """competent:accuracy=P&rationality=Q&insight=R&seed=N, a stand-in of known ability for minds that reason in steps.

    In repeated matrix games it also answers prompting strategies, in text and in scores;
    elsewhere it scores all options equally.

    Raises:
        StudyError: an option that does not exist, twice the same, or a value it cannot have.
    """
    able = ability(argument)

    def answer(messages: Sequence[Message], decoding: Decoding) -> str:
        matrix_prompt = read_matrix_prompt(join_conversation(messages))
        if matrix_prompt is not None:
            return write_reply(matrix_prompt, able, decoding.seed)
        return reply(Situation(Prompt(messages), able, decoding.seed))

    def score(prompt: str, continuations: Sequence[str]) -> Sequence[float]:
        labels = [text.strip() for text in continuations]
        matrix_prompt = read_matrix_prompt(prompt, labels)
        liked = chosen(matrix_prompt, able) if matrix_prompt is not None and matrix_prompt.labels else None
        return favouring(labels.index(liked) if liked in labels else None, len(labels))

    return ScriptedModel(answer, score, spec=f"competent:{argument}" if argument else "competent")


def ability(text: str) -> Ability:
    """Reads ``name=value&name=value``.

    >>> ability("accuracy=0.9&seed=3")
    Ability(accuracy=0.9, rationality=1.0, insight=None, seed=3)

    Raises:
        StudyError: as :func:`competent`.
    """
    values = named_values(text, Ability.__struct_fields__, "the competent model")
    return convert({name: _value(name, value) for name, value in values.items()}, Ability)


@answers("they_played")
def they_played(at: Situation) -> Answered | None:
    """The other's part of the last encounter, from the own inventory and reward."""
    mets = at.prompt.encounters.get(at.others[0], ()) if at.others else ()
    if not mets or not at.setting.theirs:
        return None
    right = at.infer(mets[-1])
    many = range(len(at.setting.theirs))
    if right is None:
        at.came = at.rng("guess").choice(many)
        thought = "Nothing gives away what they played."
    else:
        at.came = at.erring(right, many, at.ability.accuracy, "they_played")
        thought = f"A reward of {mets[-1].reward:g} fits most {at.setting.theirs[at.came]} on their side."
    return at.written(at.came, "they_played"), thought


@answers("strategy")
def strategy(at: Situation) -> Answered | None:
    """The simplest strategy that explains the history."""
    if not at.others or not at.setting.theirs:
        return None
    at.rule = at.mistaken(at.explanation(at.others[0]), at.others[0])
    return at.rule.sentence, "This is the simplest strategy that fits what they did."


@answers("they_play")
def they_play(at: Situation) -> Answered | None:
    """The prediction of the assumed strategy."""
    if not at.setting.theirs:
        return None
    at.coming = at.predicts(next(iter((*at.sought, *at.others)), ""))
    return at.written(at.coming, "they_play"), f"Next they should play {at.setting.theirs[at.coming]}."


@answers("i_play")
def i_play(at: Situation) -> Answered | None:
    """The best own behaviour against the assumed strategy, some encounters ahead."""
    if not at.setting.own:
        return None
    if at.chosen is None:
        at.chosen = at.chooses(next(iter(at.others), ""))
    return at.written(at.chosen, "i_play"), f"I do well with {at.setting.own[at.chosen]}."


@answers("seek")
def seek(at: Situation) -> Answered | None:
    """The others against whom the own behaviour pays most."""
    if not at.setting.own or not at.others:
        return None
    coming = {other: at.expected(other) for other in at.others}
    gains = [sum(max(0.0, row[j]) for j in coming.values()) for row in at.mine]
    at.chosen = at.erring(best(gains), range(len(gains)), at.ability.rationality, "i_play")
    row = at.mine[at.chosen]
    most = max(row[j] for j in coming.values())
    at.sought = tuple(other for other, j in coming.items() if row[j] == most)
    return list(at.sought), f"{' and '.join(at.sought)} should be the best to meet."


@answers("my_strategy")
def my_strategy(at: Situation) -> Answered | None:
    """An own strategy: the best response to the assumed strategy.

    In a kitchen it follows from the hypothesis and the prediction in the prompt; without them from what the teammate did lately.
    """
    if planning.cooks(at.prompt):
        hypothesis = " ".join(at.prompt.hypotheses.values())
        prediction = " ".join(map(str, at.prompt.predictions.values()))
        if answer := planning.answer_teammate(hypothesis, prediction):
            return answer, "I go by what my teammate is like and does next."
        lists = [met.theirs for mets in at.prompt.encounters.values() for met in mets]
        their_acts = [acts if isinstance(acts, list) else [] for acts in lists]
        return planning.judge_strategy(their_acts), "I go by what my teammate did lately."
    if not at.others or not at.setting.theirs:
        return "I try something and watch what they do.", "Nothing is known yet."
    at.rule = at.mistaken(at.explanation(at.others[0]), at.others[0])
    return f"{OWN}{at.rule.sentence}", "This is the simplest strategy that fits what they did."


@answers("outcome")
def outcome(at: Situation) -> Answered | None:
    """The outcome of another choice in the last encounter."""
    mets = at.prompt.encounters.get(at.others[0], ()) if at.others else ()
    if not mets:
        return None
    considered, theirs = at.own(at.prompt.value("The behaviour considered")), at.history(at.others[0])[-1][0]
    pays = [value for row in at.mine for value in row] or [0.0]
    middle = 0.0 if min(pays) < 0 else sum(pays) / len(pays)
    # Without further information it is the actual outcome.
    pay = mets[-1].reward if considered is None or theirs is None else at.mine[considered][theirs]
    names = ("positive", "neutral", "negative")
    right = names[0] if pay > middle else names[2] if pay < middle else names[1]
    judgement = at.erring(right, names, at.ability.accuracy, "outcome")
    return judgement, f"That would have brought about {pay:g}."


@answers("match")
def match(at: Situation) -> Answered | None:
    """Whether the predicted act is among those seen."""
    prediction = next((str(prediction) for prediction in at.prompt.predictions.values()), None)
    if prediction is None or at.prompt.acts is None:
        return None
    right = any(act.lower() in prediction.lower() for act in planning.acts(at.prompt.acts))
    return at.erring(right, (True, False), at.ability.accuracy, "match"), "I compare it with what was seen."


@answers("plan")
def plan(at: Situation) -> Answered | None:
    """The next calls of skills."""
    cooking = planning.kitchen(at.prompt)
    if cooking is not None:
        return planning.plan_in_kitchen(cooking, at.prompt.strategy)
    boxed = planning.scene(at.prompt)
    target = at.target()
    if boxed is None or target is None:
        return None
    players = at.prompt.value("Players to seek", [])
    sought = tuple(map(str, players)) if isinstance(players, list) else ()
    return planning.plan_on_map(boxed, target, sought, at.rng("plan"))


@answers("feedback")
def feedback(at: Situation) -> Answered | None:
    """What to do better next time."""
    failed = [line for line in at.prompt.lines if "failed" in line]
    if failed:
        return "Look again at what stands where before the same call is made once more.", "Something failed."
    return "The plan did what it should; go on like that.", "Nothing failed."


def _value(name: str, value: str) -> float:
    try:
        if name == "seed":
            return int(value)
        if 0 <= float(value) <= 1:
            return float(value)
    except ValueError:
        pass
    requirement = "a whole number" if name == "seed" else "a number from 0 to 1"
    raise StudyError(f"the option {name!r} of the competent model is {requirement}, not {value!r}")
