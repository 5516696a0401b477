"""The competent stand-in: ``competent``, ``competent:accuracy=0.9&rationality=0.8&seed=3``.

It answers the keys of a form in their order, each with a sentence of reasoning; later answers
use earlier ones, so that one form with all keys gets the same answers as separate calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec import convert

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.models.address import named_values
from otherminds.models.competent import kitchen, planning
from otherminds.models.competent.choosing import best
from otherminds.models.competent.forced import chosen, read_matrix_prompt, write_reply
from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.situation import Ability, Situation
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel, favouring

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
        matrix_prompt = read_matrix_prompt(messages[-1].content)
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
    """An own strategy: the best response to the assumed strategy."""
    if kitchen.cooks(at.prompt):
        lists = [met.theirs for mets in at.prompt.encounters.values() for met in mets]
        their_acts = [acts if isinstance(acts, list) else [] for acts in lists]
        return kitchen.judge_strategy(their_acts), "I go by what my teammate did lately."
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
    right = any(act.lower() in prediction.lower() for act in kitchen.acts(at.prompt.acts))
    return at.erring(right, (True, False), at.ability.accuracy, "match"), "I compare it with what was seen."


@answers("plan")
def plan(at: Situation) -> Answered | None:
    """The next calls of skills."""
    cooking = kitchen.kitchen(at.prompt)
    if cooking is not None:
        return kitchen.plan(cooking, at.prompt.strategy)
    boxed = planning.scene(at.prompt)
    target = at.target()
    if boxed is None or target is None:
        return None
    players = at.prompt.value("Players to seek", [])
    sought = tuple(map(str, players)) if isinstance(players, list) else ()
    return planning.plan(boxed, target, sought, at.rng("plan"))


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
