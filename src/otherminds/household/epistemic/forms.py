"""Statements as formulas: the normative form of what an agent is told (the field ``agent_knows`` of a task), and of what a
message conveyed in a record.

=============================================== ==========================================
form                                            the statement in words
=============================================== ==========================================
a literal, or ``(K agent ...)`` of one          it is so at the start
``(goal φ)``                                    it must be so in the end
``(K agent (goal φ))``                          another agent was told so, too; φ is a literal
``(private_goal φ)``                            a private goal of the agent; not a statement
``(request agent φ)``                           the agent is asked to see to φ; in messages only
``(promise agent φ)``                           the agent says that it will see to φ; in messages only
=============================================== ==========================================

How the house works, each mechanic says in forms of its own (:class:`~.words.HouseRule`): ``(message_limit agent_0 2)``. The
predicates of mechanics are those of Juneja et al. 2026, appendix H; ``controls`` takes states here, and ``goal``,
``private_goal``, ``unrestricted`` and ``message_limit`` are ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Formula, FormulaError, claims, show, shown
from otherminds.household.epistemic.parse import Group, Node, nodes, parse
from otherminds.household.epistemic.predicates import AGENT, check_goal, positive_claims
from otherminds.household.epistemic.words import Asks, Doing, Must, Private, Secret
from otherminds.household.mechanics.mechanic import house_rules

GOALS = ("goal", "private_goal")
AWARE = "K goal"
"""The head of a form with which an agent is said to know a goal."""


def forms(statement: words.Statement, agents: Sequence[str]) -> tuple[str, ...]:
    """The forms of a statement in a task of these ``agents``; empty for a promise or a request.

    >>> from otherminds.household.mechanics.restricted_communication import Reaches
    >>> forms(Reaches("agent_0", ("agent_1",)), ("agent_0", "agent_1", "agent_2"))
    ('(can_communicate agent_0 agent_1)', '(not (can_communicate agent_0 agent_2))')
    """
    match statement:
        case words.Fact(formula):
            return tuple(show(part) for part in _parts(formula))
        case words.Must(formula):
            return tuple(f"(goal {show(part)})" for part in _parts(formula))
        case words.Aware(agent, goal):
            return tuple(f"(K {agent} {form})" for form in forms(goal, agents))
        case words.HouseRule():
            return statement.forms(agents)
        case _:
            return ()


def private_forms(formula: Formula) -> tuple[str, ...]:
    """The forms of a private goal.

    >>> private_forms(parse("(is_open cabinet_3)"))
    ('(private_goal (is_open cabinet_3))',)
    """
    return tuple(f"(private_goal {show(part)})" for part in _parts(formula))


@lru_cache(maxsize=4096)
def canonical(text: str) -> tuple[str, ...]:
    """A form as :func:`forms` writes it; several if it contains ``and``. Cached: a new rule changes no form that was read before.

    Raises:
        FormulaError: the text is not a form.

    >>> canonical("(goal (and (not (is_open cabinet_3)) (is_clean bowl_0)))")
    ('(goal (is_closed cabinet_3))', '(goal (is_clean bowl_0))')
    """
    head, node = _form(text)
    if head in GOALS:
        return tuple(f"({head} {show(part)})" for part in _parts(_inside(text)))
    if head == AWARE:
        agent, goal = _aware(text)
        return tuple(f"(K {agent} {form})" for form in canonical(goal))
    if head == "not":
        inside = node.parts[1]
        assert isinstance(inside, Group), "a form is a bracket"
        return (f"(not {_rule_of(inside.head).checked_form(inside)})",)
    if head:
        return (_rule_of(head).checked_form(node),)
    return tuple(show(part) for part in _parts(_formula(text)))


def statements(texts: Iterable[str]) -> tuple[words.Statement, ...]:
    """The statements of forms, in order; adjacent forms about the rooms or addressees of one agent are one statement.

    A private goal is not a statement: it is not a goal of the team.

    Raises:
        FormulaError: a text is not a form.
    """
    return _statements(tuple(texts))


@lru_cache(maxsize=1024)
def _statements(texts: tuple[str, ...]) -> tuple[words.Statement, ...]:
    """Cached: each seat uses a task's secrets in each episode."""
    parsed: list[words.Statement] = []
    each = [form for text in texts for form in canonical(text)]
    for (head, agent), group in groupby(each, _subject):
        several = list(group)
        if agent:
            parsed.append(_rule_of(head).of_forms([_words(form) for form in several]))
        else:
            parsed += [statement for form in several for statement in _statement(form, head)]
    return tuple(parsed)


def secrets(texts: Iterable[str]) -> tuple[words.Secret, ...]:
    """The statements of forms as :func:`statements` gives them, with private goals in their place.

    Raises:
        FormulaError: a text is not a form.

    >>> secrets(["(message_limit agent_0 2)", "(private_goal (is_open cabinet_3))"])[1]
    Private(formula=Atom(predicate='is_open', args=('cabinet_3',)))
    """
    each = [form for text in texts for form in canonical(text)]
    parsed: list[words.Secret] = []
    for own, group in groupby(each, lambda form: form.startswith("(private_goal ")):
        several = tuple(group)
        parsed += map(words.Private, map(_inside, several)) if own else _statements(several)
    return tuple(parsed)


def names_of_form(text: str) -> tuple[str, ...]:
    """All names in a form, without predicates and numbers.

    >>> names_of_form("(controls (is_open stand_1) (is_powered_on lamp_2))")
    ('stand_1', 'lamp_2')
    """
    names: list[str] = []
    waiting: list[Node] = list(nodes(text))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Group):
            waiting = [*node.parts[1:], *waiting]
        elif not node.text.isdecimal():
            names.append(node.text)
    return tuple(names)


def _statement(form: str, head: str) -> Sequence[words.Statement]:
    parts = _words(form)
    match head:
        case "goal":
            return [words.Must(_inside(form))]
        case "private_goal":
            return []
        case "K" if parts[2] == "goal":
            agent, goal = _aware(form)
            return [words.Aware(agent, words.Must(_inside(goal)))]
        case _ if head in _heads(house_rules()):
            return [_rule_of(head).of_forms([parts])]
        case _:
            return [words.Fact(parse(form))]


def _subject(form: str) -> tuple[str, str]:
    """The head of a form, and its agent if adjacent forms with the same agent are one statement."""
    parts = [word for word in _words(form) if word != "not"]
    rule = _heads(house_rules()).get(parts[0])
    return parts[0], parts[1] if rule and parts[0] in rule.gathered else ""


@lru_cache
def _heads(rules: tuple[type[words.HouseRule], ...]) -> dict[str, type[words.HouseRule]]:
    """The class of statements of each head of a form about how the house works."""
    return {head: rule for rule in rules for head in rule.heads}


def _rule_of(head: str) -> type[words.HouseRule]:
    return _heads(house_rules())[head]


def _words(form: str) -> list[str]:
    return form.replace("(", " ").replace(")", " ").split()


def _parts(formula: Formula) -> list[Formula]:
    return [chain.formula for chain in positive_claims(formula)]


def _form(text: str) -> tuple[str, Group]:
    """The head of a valid form, and its node."""
    top_level = nodes(text)
    node = top_level[0] if len(top_level) == 1 else None
    if not isinstance(node, Group):
        raise FormulaError("a form is one bracket, such as (goal (is_open cabinet_3))")
    head = node.head
    if head == "not" and len(node.parts) == 2:
        inside = node.parts[1]
        rule = _heads(house_rules()).get(inside.head) if isinstance(inside, Group) else None
        if isinstance(inside, Group) and rule and inside.head in rule.deniable:
            return "not", node
        return "", node
    if (
        head == "k"
        and len(node.parts) == 3
        and isinstance(node.parts[2], Group)
        and node.parts[2].head == "goal"
    ):
        _aware(text)
        return AWARE, node
    return head if head in GOALS or head in _heads(house_rules()) else "", node


def _aware(text: str) -> tuple[str, str]:
    """The agent in ``(K agent (goal φ))``, and the form of the goal, a literal."""
    _, agent, goal = text.strip()[1:-1].split(maxsplit=2)
    if not AGENT.fullmatch(agent):
        raise FormulaError(f"{shown(agent)} is no agent; name one such as agent_0")
    if any(chain.agents for chain in claims(_inside(goal))):
        raise FormulaError("an agent is said to know a goal that is a fact; leave out the inner K")
    return agent, goal


def _inside(text: str) -> Formula:
    """The formula in the form of a goal."""
    return _formula(text.strip()[1:-1].split(maxsplit=1)[1] if len(text.split()) > 1 else "")


def _formula(text: str) -> Formula:
    formula = parse(text)
    wrong = check_goal(formula)
    if wrong:
        raise FormulaError("; ".join(wrong))
    return formula


HEADS: dict[str, type[Asks | Doing]] = {"request": Asks, "promise": Doing}
DUTIES = tuple(f"({head} " for head in HEADS)


def write_forms(statement: Secret, agents: Sequence[str]) -> tuple[str, ...]:
    """The forms of a statement in a task of these ``agents``.

    >>> from otherminds.household.epistemic.formula import Atom
    >>> write_forms(Asks("agent_1", Must(Atom("is_open", ("cabinet_3",)))), ("agent_0", "agent_1"))
    ('(request agent_1 (is_open cabinet_3))',)
    """
    match statement:
        case Asks(agent, Must(formula)):
            return (f"(request {agent} {show(formula)})",)
        case Doing(agent, Must(formula)):
            return (f"(promise {agent} {show(formula)})",)
        case Private(formula):
            return private_forms(formula)
        case _:
            return forms(statement, agents)


def read_forms(texts: Iterable[str]) -> tuple[Secret, ...]:
    """The statements of forms, in order; adjacent forms about the rooms or addressees of one agent are one statement.

    Raises:
        FormulaError: a text is not a form.

    >>> read_forms(["(is_open cabinet_3)", "(promise agent_0 (is_clean bowl_0))"])[1].agent
    'agent_0'
    """
    return _read_forms(tuple(texts))


@lru_cache(maxsize=1024)
def _read_forms(texts: tuple[str, ...]) -> tuple[Secret, ...]:
    """Cached: measures read the secrets of a task in each of its records."""
    statements: list[Secret] = []
    plain: list[str] = []
    for text in texts:
        if text.startswith(DUTIES):
            statements += [*secrets(plain), _read_duty(text)]
            plain = []
        else:
            plain.append(text)
    return (*statements, *secrets(plain))


def _read_duty(text: str) -> Asks | Doing:
    head, _, arguments = text.strip()[1:-1].partition(" ")
    agent, _, formula = arguments.partition(" ")
    if not AGENT.fullmatch(agent):
        raise FormulaError(f"({head} agent formula): {shown(agent)} is no agent")
    return HEADS[head](agent, Must(parse(formula)))
