"""Checks of the secrets of agents, in words (``agent_secrets``) and as formulas (``agent_knows``).

Only sentences of the controlled language (:mod:`otherminds.household.epistemic.words`) are compared with the rest of the file; of
other sentences only the names are checked. The formulas are normative: each sentence of the controlled language must
state one of them, and a formula that no sentence states is a fault unless the agent has a secret in free words.
"""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.core.text import near, quote_name
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic import words
from otherminds.household.epistemic.forms import canonical, forms, names_of_form, private_forms, statements
from otherminds.household.epistemic.formula import (
    Atom,
    Formula,
    FormulaError,
    Literal,
    Not,
    atom,
    claims,
    show,
)
from otherminds.household.epistemic.predicates import (
    NAME,
    NAMED,
    OPPOSITES,
    PREDICATES,
    RESTS,
    positive_claims,
)
from otherminds.household.epistemic.words.free.grammar import Vocabulary, spell_names
from otherminds.household.epistemic.words.sentences import read, say, unread
from otherminds.household.goal_check import holds
from otherminds.household.mechanics.mechanic import Bound
from otherminds.household.scenes.scene import floor_of
from otherminds.household.task import Task
from otherminds.household.tasks.diagnostics import ABLE, BY, NEEDED, Faults, Things

KNOWS = "agent_knows"
AT_START = ("num_agents", "agent_spawns", "initial_states", "mechanic_bindings")
"""The other places that a fault about the start depends on."""
EITHER = ("is_powered_on", "is_powered_off", "is_next_to", "is_in_room")
"""Predicates of objects in the vocabulary that furniture can have too."""


def verified(task: Task) -> str:
    """In words, whether the secrets are given as formulas."""
    agent_secrets = [(agent, secret) for agent, secrets in task.agent_secrets.items() for secret in secrets]
    free = sum(1 for agent, secret in agent_secrets if unread(secret, you=agent))
    if not task.verified:
        return f"unverified: no {KNOWS}, so that what agents are told is prose alone ({free} secrets in free words)"
    loose = f"; {free} secrets in free words are not compared" if free else ""
    return f"verified: the secrets agree with {KNOWS}{loose}"


def untold_places(agent: str) -> tuple[str, tuple[str, ...]]:
    """The place of the fault that no secret tells ``agent`` its private goal, and the places that it depends on."""
    place = f"agent_secrets.{agent}"
    return place, (place, f"private_goals.{agent}")


class ToldCheck:
    """The check of secrets; ``goal`` and ``wishes`` are the shared and private goals, ``None`` if not parsed."""

    def __init__(
        self,
        task: Task,
        bound: Bound,
        faults: Faults,
        goal: Formula | None,
        wishes: Mapping[str, Formula | None],
    ) -> None:
        self._task, self._bound, self._faults = task, bound, faults
        self._goal, self._wishes = goal, wishes
        self._said: dict[str, list[tuple[str, words.Statement]]] = {
            agent: [
                (f"agent_secrets.{agent}[{k}]", statement)
                for k, secret in enumerate(secrets)
                for statement in read(secret, you=agent)
            ]
            for agent, secrets in task.agent_secrets.items()
        }

    def run(self) -> None:
        """Adds the faults of secrets and of the public description, then those of formulas."""
        task, faults = self._task, self._faults
        self._names("task", NAMED.findall(task.task))
        for agent, secrets in task.agent_secrets.items():
            if not faults.check_name(f"agent_secrets.{agent}", "agent", agent):
                continue
            for k, secret in enumerate(secrets):
                place = f"agent_secrets.{agent}[{k}]"
                self._names(place, NAMED.findall(secret))
                for where, statement in self._said[agent]:
                    if where == place:
                        self._check_denied(place, statement, agent)
        for agent, goal in self._wishes.items():
            if goal and agent in task.agents:
                self._untold(agent, goal)
        for agent, texts in task.agent_knows.items():
            if faults.check_name(f"{KNOWS}.{agent}", "agent", agent):
                self._check_formulas(agent, texts)
        for agent, secrets in task.agent_secrets.items() if task.verified else ():
            if agent in task.agents and secrets and agent not in task.agent_knows:
                text = "it has secrets, and no formulas; write them, or take all of them out"
                faults.add(f"{KNOWS}.{agent}", text)

    def start(self, engine: HouseEngine) -> None:
        """Adds the statements about the start that are false in ``engine``, which has just been reset.

        Facts are compared, including those inside ``K``. Whether an agent knows a fact that it is said to know is not
        checked: it may have received it in a message.
        """
        contents = self._faults.things
        assert contents, "a start is looked at in a scene"
        statements = [
            placed_statement
            for placed_statements in self._said.values()
            for placed_statement in placed_statements
        ]
        for agent, texts in self._task.agent_knows.items():
            for k, text in enumerate(texts):
                statements += [(f"{KNOWS}.{agent}[{k}]", statement) for statement in _read_form(text)]
        for place, statement in statements:
            for claim in claims(statement.formula) if isinstance(statement, words.Fact) else ():
                if text := self._untrue(claim.fact, contents, engine):
                    self._faults.add(place, text, AT_START)

    def _names(self, place: str, names: list[str]) -> None:
        """Adds a fault for each unknown name of the form ``type_N``."""
        faults = self._faults
        for name in dict.fromkeys(names):
            if name.startswith("agent_"):
                if name not in faults.agents:
                    faults.add(place, f"it speaks of {name}, who is not in this task")
            elif faults.things and name not in faults.names:
                text = f"which is not in {faults.things.called}{near(name, faults.names)}"
                faults.add(place, f"it speaks of {quote_name(name)}, {text}")

    def _check_denied(self, place: str, statement: words.Statement, agent: str) -> None:
        """Adds a fault if the rest of the file contradicts a statement in a secret of ``agent``."""
        if why := self._why(statement, agent):
            goals = ("problem_pddl", f"private_goals.{agent}")
            self._faults.add(place, why, goals if isinstance(statement, words.Must) else BY)

    def _why(self, statement: words.Statement, agent: str) -> str:
        """The contradiction between a statement and the rest of the file; empty if there is none."""
        match statement:
            case words.Must(goal) if not self._is_asked(agent, goal):
                return f"neither the goal nor a private goal of {agent} asks for that; add it there, or take it out"
            case words.Aware(who, goal) if not self._is_told(who, goal.formula):
                return f"no secret tells {who} that goal; tell it, or take this out"
            case words.HouseRule():
                return statement.denied(self._bound, self._task.agents)
            case _:
                return ""

    def _is_asked(self, agent: str, wish: Formula) -> bool:
        """Whether the goal or the private goal of ``agent`` contains all of ``wish``, or cannot be parsed."""
        goals = [self._goal, *(goal for owner, goal in self._wishes.items() if owner == agent)]
        if None in goals:
            return True
        goal_chains = [chain for goal in goals if goal for chain in positive_claims(goal)]
        return all(chain in goal_chains for chain in positive_claims(wish))

    def _is_told(self, agent: str, goal: Formula) -> bool:
        """Whether the secrets of an agent state the goal, in the controlled language or as formulas."""
        statements = [statement for _, statement in self._said.get(agent, ())]
        statements += [
            statement for form in self._task.agent_knows.get(agent, ()) for statement in _read_form(form)
        ]
        told_chains = [
            chain
            for statement in statements
            if isinstance(statement, words.Must)
            for chain in positive_claims(statement.formula)
        ]
        return all(chain in told_chains for chain in positive_claims(goal))

    def _untold(self, agent: str, goal: Formula) -> None:
        """Adds a fault for each part of a private goal that no secret tells its owner, who cannot know it otherwise.

        A part is told by a secret in the controlled language that states it, or by one in free words that contains all
        its names, as they are or in words ("the fridge"). Where a formula alone tells it and the agent has secrets in
        free words, whether one of them does is left to the author: a note.
        """
        must_formulas = (
            statement.formula
            for _, statement in self._said.get(agent, ())
            if isinstance(statement, words.Must)
        )
        musts = [chain for formula in must_formulas for chain in positive_claims(formula)]
        secrets = self._task.agent_secrets.get(agent, ())
        spoken = [" ".join(unread(secret, you=agent)) for secret in secrets]
        free = [set(NAMED.findall(text)) | self._named_in_words(text, agent) for text in spoken]
        formulas = self._task.agent_knows.get(agent, ())
        for chain in positive_claims(goal):
            goal_names = {*atom(chain.fact).args, *chain.agents} - {agent}
            if chain not in musts and not any(goal_names <= names for names in free):
                place, by = untold_places(agent)
                text = f"no secret tells {agent} its private goal {show(chain.formula)}"
                naming = f"naming {', '.join(sorted(goal_names))}"
                if any(spoken) and set(private_forms(chain.formula)) <= set(formulas):
                    self._faults.note(
                        place, f"{text} by its names; confirm that one does, or say so, {naming}"
                    )
                else:
                    self._faults.add(place, f"{text}; say so, {naming}", by)

    def _named_in_words(self, text: str, agent: str) -> set[str]:
        """The names in a text of secrets of ``agent``, also those in words; none without a scene."""
        contents = self._faults.things
        if contents is None:
            return set()
        names = Vocabulary(
            frozenset(contents.rooms),
            frozenset(contents.furniture),
            frozenset(contents.objects),
            frozenset(self._task.agents),
        )
        return set(NAMED.findall(spell_names(text, agent, names)))

    def _check_formulas(self, agent: str, texts: tuple[str, ...]) -> None:
        """Adds faults for formulas that cannot be parsed, are false, or differ from the prose or the private goal."""
        field, secret = f"{KNOWS}.{agent}", f"agent_secrets.{agent}"
        form_places: dict[str, str] = {}
        sound = True
        for k, text in enumerate(texts):
            try:
                form_places |= dict.fromkeys(canonical(text), f"{field}[{k}]")
                self._names_in_form(f"{field}[{k}]", text)
            except FormulaError as error:
                sound = False
                self._faults.add(f"{field}[{k}]", str(error))
        if not sound:
            return
        for statement in statements(form_places):
            (first, *_) = forms(statement, self._task.agents)
            self._check_denied(form_places.get(first, field), statement, agent)
        secret_forms: set[str] = set()
        for place, statement in self._said.get(agent, ()):
            for form in forms(statement, self._task.agents):
                secret_forms.add(form)
                if form not in form_places:
                    text = f"it says {form}, which {KNOWS} does not hold; add it there, or mend the sentence"
                    self._faults.add(place, text, (field,))
        free = any(unread(text, you=agent) for text in self._task.agent_secrets.get(agent, ()))
        for form, place in () if free else form_places.items():
            if form not in secret_forms:
                text = f"no secret of {agent} says {form}; say it, or take it out"
                self._faults.add(place, text, (secret,))
        self._wants(agent, form_places)

    def _names_in_form(self, place: str, text: str) -> None:
        """Adds a fault for each unknown name in a formula, of any form."""
        faults = self._faults
        for name in dict.fromkeys(names_of_form(text)):
            if name in faults.agents or name in faults.names:
                continue
            if name.startswith("agent_"):
                faults.add(place, f"it speaks of {quote_name(name)}, who is not in this task")
            elif faults.things is not None or not NAME.fullmatch(name):
                text = f"which is not in the scene{near(name, faults.names)}"
                faults.add(place, f"it speaks of {quote_name(name)}, {text}")

    def _wants(self, agent: str, form_places: Mapping[str, str]) -> None:
        """The private goal in the formulas must be that of the agent."""
        goal, by = self._wishes.get(agent), (f"private_goals.{agent}",)
        has = private_forms(goal) if goal else ()
        for form in has:
            if form not in form_places and form.replace("(private_goal ", "(goal ", 1) not in form_places:
                text = f"{form} is missing, the private goal that it is scored by; add it"
                self._faults.add(f"{KNOWS}.{agent}", text, by)
        for form, place in form_places.items():
            if form.startswith("(private_goal ") and form not in has:
                text = f"{agent} has no such private goal; add it to private_goals, or take it out"
                self._faults.add(place, text, by)

    def _untrue(self, literal: Literal, contents: Things, engine: HouseEngine) -> str:
        """The reason why a literal does not hold at the start, with a remedy; empty if it holds or has unknown names."""
        fact, faults = atom(literal), self._faults
        if any(name not in faults.agents and name not in faults.names for name in fact.args):
            return ""
        for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True):
            if kind == "item" or (
                fact.predicate in EITHER and kind == "object" and name in contents.furniture
            ):
                continue
            if text := faults.unknown(kind, name):
                return f"{text}; say otherwise"
        if _so(fact, contents, engine) != isinstance(literal, Not):
            return ""
        other = OPPOSITES.get(fact.predicate)
        if other and not holds(engine, fact) and not holds(engine, Atom(other, fact.args)):
            return f"{fact.args[0]} {ABLE[NEEDED[fact.predicate]]}; say otherwise"
        field = "agent_spawns" if fact.predicate == "agent_in_room" else "initial_states"
        return f"{_instead(literal, contents, engine)} at the start; say so, or mend {field}"


def _read_form(form: str) -> tuple[words.Statement, ...]:
    """The statements of a form; empty if it cannot be parsed, which is reported elsewhere."""
    try:
        return statements([form])
    except FormulaError:
        return ()


def _so(fact: Atom, contents: Things, engine: HouseEngine) -> bool:
    """Whether an atom holds, including furniture in rooms and objects on floors."""
    first, last = fact.args[0], fact.args[-1]
    if fact.predicate == "is_in_room" and first in contents.furniture:
        return contents.furniture[first] == last
    if fact.predicate == "is_on_top" and last in map(floor_of, contents.rooms):
        return engine.current.place_of(first) == ("lies_on", last)
    return holds(engine, fact)


def _instead(literal: Literal, contents: Things, engine: HouseEngine) -> str:
    fact, house = atom(literal), engine.house
    first = fact.args[0]
    if isinstance(literal, Not):
        return _clause(fact)
    if fact.predicate == "agent_in_room":
        room = house.spot_room[engine.spot[engine.agents.index(first)]]
        return _clause(Atom("agent_in_room", (first, room)))
    if fact.predicate == "is_in_room" and first in contents.furniture:
        return _clause(Atom("is_in_room", (first, contents.furniture[first])))
    if fact.predicate in RESTS:
        predicate, f = engine.current.place_of(first)
        where = _clause(Atom("is_inside" if predicate == "is_inside" else "is_on_top", (first, f)))
        return f"{where} in {house.room_of[f]}"
    other = OPPOSITES.get(fact.predicate)
    return _clause(Atom(other, fact.args) if other else Not(fact))


def _clause(literal: Literal) -> str:
    return say(words.Fact(literal)).removesuffix(".")
