"""An answer for every key that a form can ask for, each with a sentence of reasoning.

Keys are answered in the order of the form, and later ones go by earlier ones: a form
that asks for everything at once gets the same answers as one call after another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from otherminds.models.competent import kitchen, planning
from otherminds.models.competent.choosing import best
from otherminds.models.competent.situation import Situation

Answered: TypeAlias = tuple[Any, str]
Answer: TypeAlias = Callable[[Situation], "Answered | None"]
ANSWERS: dict[str, Answer] = {}

OWN = "I do what is best if this is so: "
"""How a strategy of one's own begins; what it takes others to do follows."""


def answers(key: str) -> Callable[[Answer], Answer]:
    """Makes known who answers ``key``. ``None`` as an answer: this was not understood."""

    def known(answer: Answer) -> Answer:
        ANSWERS[key] = answer
        return answer

    return known


def reply(situation: Situation) -> str:
    """Reasoning and the dictionary asked for; plain words where the prompt is not understood."""
    given: dict[str, Any] = {}
    thoughts: list[str] = []
    for key in situation.form:
        answered = ANSWERS[key](situation) if key in ANSWERS else None
        if answered is None:
            return "I do not understand what I am asked."
        given[situation.prompt.keys[key]] = answered[0]
        thoughts.append(answered[1])
    if not given:
        return "I was not asked for anything that I can answer."
    return " ".join([*thoughts, "So my answer is:"]) + f"\n```python\n{given!r}\n```"


@answers("they_played")
def they_played(at: Situation) -> Answered | None:
    """Their part of the last encounter, from the own inventory and reward."""
    mets = at.prompt.encounters.get(at.others[0], ()) if at.others else ()
    if not mets or not at.setting.theirs:
        return None
    right = at.infer(mets[-1])
    many = range(len(at.setting.theirs))
    if right is None:
        at.came = at.rng("guess").choice(many)
        return at.written(at.came, "they_played"), "Nothing gives away what they played."
    at.came = at.erring(right, many, at.ability.accuracy, "they_played")
    thought = f"A reward of {mets[-1].reward:g} fits most {at.setting.theirs[at.came]} on their side."
    return at.written(at.came, "they_played"), thought


@answers("strategy")
def strategy(at: Situation) -> Answered | None:
    """The simplest strategy that explains what they did."""
    if not at.others or not at.setting.theirs:
        return None
    at.rule = at.mistaken(at.explanation(at.others[0]), at.others[0])
    return at.rule.sentence, "This is the simplest strategy that fits what they did."


@answers("they_play")
def they_play(at: Situation) -> Answered | None:
    """What the strategy held says of the next encounter."""
    if not at.setting.theirs:
        return None
    at.coming = at.predicts(next(iter((*at.sought, *at.others)), ""))
    return at.written(at.coming, "they_play"), f"Next they should play {at.setting.theirs[at.coming]}."


@answers("i_play")
def i_play(at: Situation) -> Answered | None:
    """The best own behaviour against the strategy held, looking some encounters ahead."""
    if not at.setting.own:
        return None
    if at.chosen is None:
        at.chosen = at.chooses(next(iter(at.others), ""))
    return at.written(at.chosen, "i_play"), f"I do well with {at.setting.own[at.chosen]}."


@answers("seek")
def seek(at: Situation) -> Answered | None:
    """Those against whom the own behaviour pays by what is expected of them."""
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
    """A strategy of one's own: the best against what others are taken to do."""
    if kitchen.cooks(at.prompt):
        lists = [met.theirs for mets in at.prompt.encounters.values() for met in mets]
        seen = [acts if isinstance(acts, list) else [] for acts in lists]
        return kitchen.judged(seen), "I go by what my teammate did lately."
    if not at.others or not at.setting.theirs:
        return "I try something and watch what they do.", "Nothing is known yet."
    at.rule = at.mistaken(at.explanation(at.others[0]), at.others[0])
    return f"{OWN}{at.rule.sentence}", "This is the simplest strategy that fits what they did."


@answers("outcome")
def outcome(at: Situation) -> Answered | None:
    """What another choice would have brought in the last encounter."""
    mets = at.prompt.encounters.get(at.others[0], ()) if at.others else ()
    if not mets:
        return None
    considered, came = at.considered(), at.history(at.others[0])[-1][0]
    pays = [value for row in at.mine for value in row] or [0.0]
    middle = 0.0 if min(pays) < 0 else sum(pays) / len(pays)
    # Nothing may speak for another outcome than the one that came.
    pay = mets[-1].reward if considered is None or came is None else at.mine[considered][came]
    names = ("positive", "neutral", "negative")
    right = names[0] if pay > middle else names[2] if pay < middle else names[1]
    said = at.erring(right, names, at.ability.accuracy, "outcome")
    return said, f"That would have brought about {pay:g}."


@answers("match")
def match(at: Situation) -> Answered | None:
    """Whether the act that was predicted is among those that were seen."""
    said = next((str(said) for said in at.prompt.predictions.values()), None)
    if said is None or at.prompt.acts is None:
        return None
    right = any(act.lower() in said.lower() for act in kitchen.acts(at.prompt.acts))
    return at.erring(right, (True, False), at.ability.accuracy, "match"), "I compare it with what was seen."


@answers("plan")
def plan(at: Situation) -> Answered | None:
    """The calls of skills that come next."""
    cooking = kitchen.kitchen(at.prompt)
    if cooking is not None:
        return kitchen.plan(cooking, at.prompt.strategy)
    boxed = planning.scene(at.prompt)
    wanted = at.target()
    if boxed is None or wanted is None:
        return None
    return planning.plan(boxed, wanted, at.seeking(), at.rng("plan"))


@answers("feedback")
def feedback(at: Situation) -> Answered | None:
    """What to do better next time."""
    failed = [line for line in at.prompt.lines if "failed" in line]
    if failed:
        return "Look again at what stands where before the same call is made once more.", "Something failed."
    return "The plan did what it should; go on like that.", "Nothing failed."
