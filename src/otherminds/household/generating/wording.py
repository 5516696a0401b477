"""The words of generated tasks: public descriptions, and secrets in free words by templates.

Descriptions are plain sentences that name no thing, room or agent. For secrets there are at least five templates for each kind
of statement and each predicate; mechanics have theirs beside them. The templates use nothing of
:func:`~otherminds.household.epistemic.words.free.told_freely`, which has its own grammar, so that reading a wording back tests
both.

Fields of names: ``one`` and ``two``; of agents: ``who`` (agent_1 or you), ``whose``, and verbs that agree with it; of clauses:
``comp`` (on table_1), ``fin`` (bowl_0 is on table_1), ``inf`` (bowl_0 to be on table_1), ``must`` (bowl_0 has to be on table_1)
and ``end`` (at the end). A sentence that begins with a word gets a capital."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from otherminds.core.errors import TaskError
from otherminds.household.epistemic import words
from otherminds.household.epistemic.forms import private_forms, secrets
from otherminds.household.epistemic.formula import And, Atom, Formula, FormulaError, Know, Not, atom, shown
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import PREDICATES, RESTS
from otherminds.household.epistemic.words.shapes import Filling, filled, of_agent, of_names
from otherminds.household.task import Task

OF_CATEGORY: Mapping[str, Mapping[str, str]] = {
    "cooperative": {
        "Ready for the inspection": "The house is inspected tonight. It has to be left as the inspection list says, and not everybody has seen the same part of that list.",
        "Before the guests arrive": "Guests are expected soon. The hosts have asked for a few things, and not everybody has heard all of them.",
        "The landlord's checklist": "The landlord comes at the end of the day with a checklist. Everything on it has to be done by then.",
        "Closing up for the holidays": "You leave for the holidays. The house has to be left as the family wants it, and not everybody knows what that is.",
        "A house for the photographs": "The house is photographed for a magazine. The photographer has ordered how things have to look, and the order did not reach all of you.",
        "Evening round": "It is time for the evening round. At its end, the house has to be in the state that the house rules ask for.",
        "Moving day": "The movers come tomorrow. What they need has to be prepared today, and the instructions did not go to everybody.",
        "A viewing at noon": "Buyers view the house at noon. The agency has said what they should find, but it has not told everybody the same.",
        "Spring cleaning": "Spring cleaning is nearly done. The last points of the plan are left, and the plan was not given to all of you.",
        "House sitting": "You look after the house of friends. They left some wishes, and all of the wishes have to be met.",
        "The rehearsal": "A scene of a play is filmed here. The set has to be as the script says, and not everybody has read all of it.",
        "Handover": "One shift hands the house over to the next. The handover list has to be complete, and not everybody can see to all of it.",
        "After the party": "The party is over. The house has to be put in order again, in the way that the owners described.",
        "The safety check": "A safety check is due. The house passes only if everything is as the rules say, and not all of you have read the rules.",
    },
    "mixed": {
        "One list, several wishes": "You have a list to complete together before the day is over. Some of you also have wishes of their own.",
        "Inspection with interests": "The house is inspected tonight and has to pass. Not everybody among you wants exactly what the inspection list says.",
        "Sharing a house": "You share this house and have agreed on how to leave it today. Beyond the agreement, some of you may have a preference.",
        "A family evening": "The family prepares the evening together. What was agreed has to be done, but tastes differ.",
        "Two views of tidy": "The house has to be tidy by tonight, as was decided together. Some of you have their own view of what tidy means.",
        "The lease ends": "The lease ends today, and the house has to be handed over as agreed. Some of you would like to change some of it.",
        "Preparing the sale": "The house is for sale and has to be shown at its best. The sale is in everybody's interest, but it is not the only interest.",
        "House rules": "The house rules have to be kept until the day ends. Not all of you made these rules, and not all of you are content with them.",
        "The holiday let": "The next tenants come tonight, and the house has to be as they booked it. Somebody may also have plans for it.",
        "The photographer's order": "The house is staged for photographs, and the order of the photographer counts. Some of you also have wishes that were not discussed.",
        "A working group": "You work on the house as a group and answer for the result together. Besides, each member of the group may want something else.",
        "The birthday surprise": "A birthday is prepared, and the plan for it has to work out. Each of you may have a small plan besides.",
        "Unequal hosts": "You host a dinner together, and what was promised to the guests has to be done. The hosts have not told each other all that they hope for.",
        "Before the move": "The house has to be ready for the move, as you settled it with one another. Some points were never settled, and opinions on them differ.",
    },
}
"""Descriptions by title, by the category of a task."""
OF_PATTERN: Mapping[str, Mapping[str, str]] = {
    "delegation": {
        "Knowing and doing": "A few things in the house have to be put right today. Those who know what is wanted are not always those who can do it.",
        "Not everywhere at once": "The house has to be prepared, and not everybody can go everywhere. Some of you were told what has to be done.",
        "Errands": "There are errands to run in the house before the day is over. The agent that hears of an errand cannot always run it.",
    },
    "sequencing": {
        "Step after step": "The house has to be left as it was ordered. Some of the work depends on other work.",
        "One thing and then another": "Several things have to be done in this house today, and not all of them can be done at any time.",
        "A day's plan": "There is a plan for the house today. It is done when all of its parts are done.",
    },
    "relay": {
        "From one to the next": "The house has to be set up before evening. Not everybody can go everywhere, and not everybody was told the same.",
        "A long way round": "Something that one of you was told matters at the other end of the house. You can send few messages, and not to everybody.",
        "Few connections": "You prepare the house together, at different ends of it and with few messages. What was ordered has to be done anyway.",
    },
    "gated": {
        "A question of knowing": "The house has to be left as it was ordered. What that means is clear only to those who were told.",
        "Parts of a picture": "Today's work in the house was explained in parts. Not everybody has heard every part.",
        "Sealed orders": "There are orders for the house, and not all of you have read them. By tonight all of them have to be carried out.",
    },
    "mixed": {
        "Give and take": "You complete a list together, and it counts for all of you. Some of you have another aim, which nobody else knows.",
        "Common cause": "There is one task for all of you, and it has to succeed. Some of you would also profit from something else.",
        "Together, for now": "For today you work on the same task. Your interests beyond it were not discussed.",
    },
}
"""By the functional pattern of a task; these fit both categories, except those of ``mixed``."""


def choose_description(pattern: str, category: str, draw: random.Random) -> tuple[str, str]:
    """A title and a public description for a task of that pattern (``relay``, ...) and category (``mixed``, ...).

    Raises:
        TaskError: there is no such pattern or category.

    >>> choose_description("relay", "cooperative", random.Random(3))[0]
    'A viewing at noon'
    """
    for name, descriptions in ((pattern, OF_PATTERN), (category, OF_CATEGORY)):
        if name not in descriptions:
            raise TaskError(f"no descriptions for {name}; there are some for {', '.join(descriptions)}")
    return draw.choice((*OF_CATEGORY[category].items(), *OF_PATTERN[pattern].items()))


COMPLEMENTS: Mapping[str, tuple[str, ...]] = {
    "is_on_top": ("on {two}", "on top of {two}"),
    "is_inside": ("inside {two}", "in {two}"),
    "is_in_room": ("in {two}", "somewhere in {two}"),
    "is_on_floor": ("on the floor", "on the ground"),
    "is_next_to": ("next to {two}", "beside {two}"),
    "is_open": ("open", "standing open"),
    "is_closed": ("closed", "shut"),
    "is_clean": ("clean", "spotless"),
    "is_dirty": ("dirty",),
    "is_filled": ("filled", "full"),
    "is_empty": ("empty",),
    "is_powered_on": ("switched on", "turned on"),
    "is_powered_off": ("switched off", "turned off"),
    "is_held_by": ("in {whose} hands", "held by {who}"),
    "agent_in_room": ("in {two}", "inside {two}"),
}
"""What follows "is" for each predicate."""

ENDS = (
    "at the end",
    "when everything is over",
    "after the last turn",
    "once all is done",
    "when the day is over",
)

GOALS = (
    "{end}, {must}.",
    "{must} {end}.",
    "The task requires {inf} {end}.",
    "Part of the goal is that {fin} {end}.",
    "The task is not done unless {fin} {end}.",
    "It is required that {fin} {end}.",
    "The final check asks for {inf}.",
)
KNOWLEDGE_GOALS = (
    "By the end, {who} {has} to know that {fin}.",
    "{who} {needs} to be aware, {end}, that {fin}.",
    "It has to be clear to {who} in the end that {fin}.",
    "The task is only done if, {end}, {who} {knows} that {fin}.",
    "The task requires {who} to have found out that {fin}.",
    "Part of the goal is that, {end}, {who} {knows} that {fin}.",
)
PRIVATE_GOALS = (
    "Privately, you would like {inf} {end}; nobody else knows.",
    "You have a goal of your own: {end}, {must}.",
    "For your own part, you want {inf} {end}.",
    "Nobody else knows it, but you would prefer {inf} {end}.",
    "Apart from the shared goal, you have a private aim: {must} {end}.",
    "You earn a point of your own if {fin} {end}.",
    "It matters to you alone that {fin} {end}.",
)
PRIVATE_KNOWLEDGE = (
    "You have a goal of your own: {end}, {who} {has} to know that {fin}.",
    "Apart from the shared goal, you have a private aim: {who} {needs} to be aware, {end}, that {fin}.",
    "You earn a point of your own if, {end}, {who} {knows} that {fin}.",
    "It matters to you alone that, {end}, {who} {knows} that {fin}.",
    "It is your own private aim that, {end}, {who} {knows} that {fin}.",
)

FACTS = (
    "At the start, {fin}.",
    "As things are, {fin}.",
    "{fin} right now.",
    "{fin} when the task begins.",
    "Before anything happens, {fin}.",
)
"""For all literals; those below are only for literals without "not", by the kind of predicate."""
PLACES = (
    "{one} can be found {comp}.",
    "{one} starts out {comp}.",
    "Somebody has left {one} {comp}.",
    "{comp} there is {one}.",
    "The place of {one} at the start is {comp}.",
)
STATES = ("{one} starts out {comp}.", "Somebody has left {one} {comp}.")
ROOMS = (
    "{who} {starts} {comp}.",
    "{two} is the room that {who} {starts} in.",
    "{two} is where {who} {is_} right now.",
)
HOLDING = ("{who} {is_} holding {one} right now.", "To begin with, {who} {holds} {one}.")
KNOWLEDGE = (
    "As things are, {who} {is_} aware that {fin}.",
    "At the start, {who} {knows} that {fin}.",
    "{who} {has} found out that {fin}.",
    "{who} {knows} for certain that {fin}.",
    "{who} {has} learned that {fin}.",
)
KNOWN = ("{who} {knows} that {fin}", "{who} {is_} aware that {fin}", "{who} {has} found out that {fin}")
"""Knowledge inside another clause."""

AWARE = (
    "{who} {has} been told already that {must} {end}.",
    "{who} {knows} already that {must} {end}.",
    "{who} {has} been informed that, {end}, {must}.",
    "{who} {knows} that {must} {end}.",
    "{who} {has} learned that {must} {end}.",
)


def of_knowledge(formula: Know, you: str) -> list[Filling]:
    """The fields of knowledge: its agent, and each clause of what it knows."""
    clauses = [text for kind in range(len(KNOWN)) for text in _present(formula.inside, you, kind)]
    return [of_agent(formula.agent, you) | {"fin": text} for text in dict.fromkeys(clauses)]


def _present(formula: Formula, you: str, kind: int) -> list[str]:
    """The clauses of a formula in the present; knowledge inside knowledge has the next kind of clause."""
    if not isinstance(formula, Know):
        return [field["fin"] for field in of_literal(formula, you)]
    inside = _present(formula.inside, you, (kind + 1) % len(KNOWN))
    return list(
        filled(
            KNOWN[kind : kind + 1],
            [of_agent(formula.agent, you) | {"fin": text} for text in inside],
        )
    )


def of_literal(formula: Formula, you: str) -> list[Filling]:
    """The fields of a literal, for each of its complements.

    Raises:
        FormulaError: it is no literal of a goal.
    """
    if isinstance(formula, And | Know):
        raise FormulaError("an `and` is no single statement; make one of each of conjuncts(formula)")
    fact = atom(formula)
    kinds = PREDICATES[fact.predicate].kinds if fact.predicate in PREDICATES else ()
    if fact.predicate not in COMPLEMENTS or len(kinds) != len(fact.args):
        raise FormulaError(f"{shown(fact.predicate)} has no words; say what a goal can say")
    base = of_names(*(name for name, kind in zip(fact.args, kinds, strict=True) if kind != "agent"))
    for name, kind in zip(fact.args, kinds, strict=True):
        base |= of_agent(name, you) if kind == "agent" else {}
    by_agent = kinds[:1] == ("agent",)
    if by_agent:
        base |= {"two": base["one"], "one": base["who"]}
    be, has = (base["is_"], base["has"]) if by_agent else ("is", "has")
    complements = (text.format_map(base) for text in COMPLEMENTS[fact.predicate])
    denied = isinstance(formula, Not)
    return [base | {"comp": comp} | _forms(base["one"], be, has, comp, denied) for comp in complements]


def _forms(subject: str, be: str, has: str, comp: str, denied: bool) -> Filling:
    """A clause in the present, after "to", and as a duty."""
    if denied:
        return {
            "fin": f"{subject} {be} not {comp}",
            "inf": f"{subject} not to be {comp}",
            "must": f"{subject} must not be {comp}",
        }
    return {
        "fin": f"{subject} {be} {comp}",
        "inf": f"{subject} to be {comp}",
        "must": f"{subject} {has} to be {comp}",
    }


NAMED = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9]", re.ASCII)


def freely(statement: words.Secret, you: str, draw: random.Random) -> str:
    """The statement as free text of a secret of agent ``you``, one of :func:`wordings`.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> freely(words.Aware("agent_1", words.Must(parse("(is_open fridge_1)"))), "agent_0", random.Random(1))
    'agent_1 has been told already that fridge_1 has to be open when the day is over.'
    """
    return draw.choice(wordings(statement, you))


def free_secrets(task: Task, draw: random.Random) -> dict[str, tuple[str, ...]]:
    """The secrets of each agent in free words, in the order of its formulas, private goals included.

    Without formulas, the understood sentences of the prose come first and the private goal last.

    Raises:
        FormulaError: a formula is no secret, or has no words.
    """
    texts: dict[str, tuple[str, ...]] = {}
    for agent in task.agents:
        statements = told_secrets(task, agent)
        if statements:
            texts[agent] = tuple(freely(statement, agent, draw) for statement in statements)
    return texts


def told_secrets(task: Task, agent: str) -> tuple[words.Secret, ...]:
    """What the secrets of an agent tell it: the statements and its private goal, in order.

    Raises:
        FormulaError: a formula is no secret.
    """
    if task.verified:
        return secrets(task.agent_knows.get(agent, ()))
    wish = task.private_goals.get(agent)
    return (*task.told_to(agent), *(secrets(private_forms(parse(wish))) if wish else ()))


def wordings(statement: words.Secret, you: str) -> tuple[str, ...]:
    """All texts of a statement, of at least five templates, each once.

    Raises:
        FormulaError: it has no words; the text says why.
    """
    return tuple(dict.fromkeys(map(_sentence, _texts(statement, you))))


def _sentence(text: str) -> str:
    return text if NAMED.match(text) else text[0].upper() + text[1:]


def _texts(statement: words.Secret, you: str) -> Iterator[str]:
    match statement:
        case words.Fact(formula):
            yield from _facts(formula, you)
        case words.Must(formula):
            yield from _ends(formula, you, GOALS, KNOWLEDGE_GOALS)
        case words.Aware(agent, goal):
            fields = [field | of_agent(agent, you) for field in of_literal(goal.formula, you)]
            yield from filled(AWARE, [field | {"end": end} for end in ENDS for field in fields])
        case words.Private(formula):
            yield from _ends(formula, you, PRIVATE_GOALS, PRIVATE_KNOWLEDGE)
        case words.HouseRule():
            yield from statement.wordings(you)
        case _:
            raise FormulaError("promises and requests are no secrets; say them in a message")


def _facts(formula: Formula, you: str) -> Iterator[str]:
    if isinstance(formula, Know):
        yield from filled(KNOWLEDGE, of_knowledge(formula, you))
        return
    fields = of_literal(formula, you)
    yield from filled(FACTS, fields)
    if isinstance(formula, Atom):
        yield from filled(FURTHER.get(formula.predicate, STATES), fields)


FURTHER = {
    **dict.fromkeys((*RESTS, "is_next_to"), PLACES),
    **{"is_held_by": HOLDING, "agent_in_room": ROOMS},
}
"""The further templates of a fact by its predicate; those of states for all others."""


def _ends(formula: Formula, you: str, few: Sequence[str], knowing: Sequence[str]) -> Iterator[str]:
    """Goals: a clause, and when it must hold."""
    is_knowledge = isinstance(formula, Know)
    fields = of_knowledge(formula, you) if is_knowledge else of_literal(formula, you)
    ends = [field | {"end": end} for end in ENDS for field in fields]
    return filled(knowing if is_knowledge else few, ends)
