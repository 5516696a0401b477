"""A file of the public release made playable: in our form, if asked in a plain house, with the forms of its secrets drafted.

A secret of the release is prose. What it says is compared with the bindings and goals of its task: they complete a hint ("a
teammate", "controls"), and a statement that they deny is not drafted. What is left, and each sentence that is not
understood, is listed with what the file has on the names in it, for an author to confirm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from otherminds.household.epistemic import words
from otherminds.household.epistemic.forms import canonical, forms, private_forms
from otherminds.household.epistemic.formula import (
    Atom,
    Formula,
    KnowledgeChain,
    Literal,
    atom,
    show,
)
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import AXES, NAMED, RESTS, State, positive_claims
from otherminds.household.epistemic.words.free.release import (
    ANYONE,
    ANYWHERE,
    EVERYONE,
    Admitted,
    Confined,
    Coupled,
    KnowledgeGoal,
    Linked,
    Target,
    Unreached,
    Worded,
)
from otherminds.household.epistemic.words.free.worded import read_sentences
from otherminds.household.mechanics.mechanic import barred, sound
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Task
from otherminds.household.tasks.check import check_task
from otherminds.household.tasks.check_told import untold_places
from otherminds.household.tasks.convert import spawns_in_rooms, without_unknown_mechanics
from otherminds.household.tasks.diagnostics import Diagnostics, Fault, Things, of_scene
from otherminds.household.tasks.load import Own, examined, is_shipped, read_json
from otherminds.household.tasks.plain_house import Inventory, furnish_task, inventory

Forms = tuple[str, ...]


class OpenSentence(Struct, frozen=True):
    """A sentence of a secret of ``agent`` that no form was drafted for, with what it may mean by the rest of the file."""

    agent: str
    sentence: str
    draft: Forms
    read: bool = False

    def __str__(self) -> str:
        why = "the rest of the file does not say so" if self.read else "not understood"
        mend = (
            f"; confirm or mend: {' '.join(self.draft)}"
            if self.draft
            else "; write what it says, or leave it"
        )
        return f"agent_secrets.{self.agent}: {self.sentence!r}: {why}{mend}"


class DraftedTask(Struct, frozen=True):
    """A task with drafted ``agent_knows``, the sentences that are ``open``, and what was added unsaid (``notes``)."""

    task: Task
    open: tuple[OpenSentence, ...]
    notes: tuple[str, ...]


def with_drafts(task: Task) -> DraftedTask:
    """``task`` with the forms of its secrets; as it is, if it has forms or no secrets.

    Raises:
        TaskError: a goal of the task cannot be parsed.
    """
    if task.verified or not any(task.agent_secrets.values()):
        return DraftedTask(task, (), ())
    names = inventory(task)
    forms_by_agent: dict[str, Forms] = {}
    open_sentences: list[OpenSentence] = []
    notes: list[str] = []
    for agent, secrets in task.agent_secrets.items():
        reader = _Resolver(task, agent, names)
        stated_forms: list[str] = []
        for secret in secrets:
            for sentence, worded in read_sentences(secret, agent, names.vocabulary):
                confirmed = [(statement, reader.forms(statement)) for statement in worded]
                stated_forms += [form for _, forms in confirmed for form in forms]
                if not worded or not all(forms or reader.holds_unsaid(hint) for hint, forms in confirmed):
                    open_sentences.append(
                        OpenSentence(agent, sentence, reader.near(sentence), read=bool(worded))
                    )
        goal_forms = private_forms(goal_of(task.private_goals[agent])) if agent in task.private_goals else ()
        missing = [form for form in goal_forms if form not in stated_forms]
        if missing:
            notes.append(
                f"agent_knows.{agent}: {' '.join(missing)}, as private_goals has it; confirm that a secret says so"
            )
        forms_by_agent[agent] = tuple(dict.fromkeys((*stated_forms, *missing)))
    open_sentences = [
        structs.replace(
            sentence,
            draft=tuple(form for form in sentence.draft if form not in forms_by_agent[sentence.agent]),
        )
        for sentence in open_sentences
    ]
    return DraftedTask(structs.replace(task, agent_knows=forms_by_agent), tuple(open_sentences), tuple(notes))


def without_forms(task: Task, places: Iterator[str]) -> tuple[Task, Forms]:
    """``task`` without the forms at these places of ``agent_knows``, and those forms."""
    gone = set(places)
    kept_forms = {
        agent: tuple(form for k, form in enumerate(forms) if f"agent_knows.{agent}[{k}]" not in gone)
        for agent, forms in task.agent_knows.items()
    }
    lost = [
        form
        for agent, forms in task.agent_knows.items()
        for k, form in enumerate(forms)
        if f"agent_knows.{agent}[{k}]" in gone
    ]
    return structs.replace(task, agent_knows=kept_forms), tuple(lost)


class _Resolver:
    """The forms of what secrets of ``agent`` say, as far as the bindings and goals of the task agree."""

    def __init__(self, task: Task, agent: str, names: Inventory) -> None:
        self._task, self._agent, self._found = task, agent, names
        self._bound = sound(task.mechanic_bindings)
        self._goal = positive_claims(goal_of(task.problem_pddl))
        own = task.private_goals.get(agent)
        self._own = positive_claims(goal_of(own)) if own else []
        self._made = [statement for m, b in self._bound for statement in m.secrets(b)]

    def forms(self, worded: Worded) -> Forms:
        """The forms of a statement or hint; empty if the file does not confirm it."""
        bound, everyone = self._bound, self._task.agents
        if isinstance(worded, words.HouseRule) and getattr(worded, "agent", "") == EVERYONE:
            each = [self.forms(structs.replace(worded, agent=agent)) for agent in everyone]
            return tuple(form for forms_of in each for form in forms_of) if all(each) else ()
        match worded:
            case words.HouseRule():
                confirmed = worded.confirmed(bound, everyone)
                return self._say(confirmed) if confirmed else ()
            case Confined(agent, rooms):
                shut = tuple(room for room in self._found.rooms if room in barred(bound, agent))
                others = set(self._found.rooms) - set(rooms)
                return self._say(Barred(agent, shut)) if shut and set(shut) == others else ()
            case Linked(agent, targets):
                return self.forms(Reaches(agent, targets))
            case Unreached(agent, targets):
                return self.forms(
                    Reaches(agent, tuple(seat for seat in everyone if seat not in (agent, *targets)))
                )
            case Coupled(trigger, target, state):
                return self._find_coupling(trigger, target, state)
            case Target(entity):
                about = [
                    chain for chain in self._goal if not chain.agents and entity in atom(chain.fact).args
                ]
                return _goal_form(about[0]) if len(about) == 1 else ()
            case KnowledgeGoal():
                return self._knowledge(worded)
            case words.Must(formula) | words.Private(formula):
                return self._aim(formula)
            case words.Aware(_, words.Must(formula)):
                return self._say(worded) if self._aim(formula) else ()
            case words.Fact(formula):
                return tuple(show(claim.formula) for claim in positive_claims(formula))
            case _:
                return ()

    def holds_unsaid(self, worded: Worded) -> bool:
        """Whether the file agrees with what needs no form: that an agent may enter rooms which nothing bars."""
        match worded:
            case Admitted(agent, rooms):
                return agent in self._task.agents and not set(rooms) & barred(self._bound, agent)
            case _:
                return False

    def near(self, sentence: str) -> Forms:
        """The forms that the file has on the names in a sentence."""
        sentence_names = set(NAMED.findall(sentence)) - {self._agent}
        statements = [
            *(Barred(self._agent, (room,)) for room in sorted(barred(self._bound, self._agent))),
            *self._made,
        ]
        every = [form for statement in statements for form in forms(statement, self._task.agents)]
        every += [form for chain in self._own for form in private_forms(chain.formula)]
        every += [form for chain in self._goal for form in _goal_form(chain)]
        every += [show(fact) for fact in self._found.facts if atom(fact).predicate in (*RESTS, *AXES)]
        scored = [(len(sentence_names & set(NAMED.findall(form))), form) for form in dict.fromkeys(every)]
        most = max((score for score, _ in scored), default=0)
        return tuple(form for score, form in scored if score == most and most)

    def _say(self, statement: words.Statement) -> Forms:
        return forms(statement, self._task.agents)

    def _find_coupling(self, trigger: str, target: str, state: State | None) -> Forms:
        """The statement of the binding by which one thing sets another, to this state if it is said."""
        for statement in self._made:
            if (trigger, target) in statement.drives and state in (None, getattr(statement, "state", None)):
                return self._say(statement)
        return ()

    def _aim(self, formula: Formula) -> Forms:
        """A goal: as the private goal or the shared one has it; "for" and "at" a place may be on it or in it."""
        (aim,) = positive_claims(formula)[:1]
        for chains, form_of in ((self._own, _private_form), (self._goal, _goal_form)):
            for chain in chains:
                if chain == aim or (chain.agents == aim.agents and _same_place(chain.fact, aim.fact)):
                    return form_of(chain)
        if on_floor := self._on_floor(aim):
            return on_floor
        tails = [chain for chain in self._goal if chain.agents and chain.fact == aim.fact]
        tails = [
            chain for chain in tails if aim.agents[1:] == chain.agents and aim.agents[:1] == (self._agent,)
        ]
        return _goal_form(tails[0]) if tails else ()

    def _on_floor(self, aim: KnowledgeChain) -> Forms:
        """The parts of the goal that put a thing on the floor of a room, where it has no ``is_on_top`` for that."""
        fact = atom(aim.fact)
        if fact.predicate != "is_on_top" or not fact.args[1].startswith("floor_") or aim.agents:
            return ()
        lies = Atom("is_on_floor", fact.args[:1])
        room = Atom("is_in_room", (fact.args[0], fact.args[1].removeprefix("floor_")))
        parts = [chain for chain in self._goal if not chain.agents and chain.fact in (lies, room)]
        return tuple(form for chain in parts for form in _goal_form(chain)) if len(parts) == 2 else ()

    def _knowledge(self, goal: KnowledgeGoal) -> Forms:
        """The only goal of knowledge that fits one with an agent or a state that is not named."""
        fits = [
            chain
            for chain in (*self._goal, *self._own)
            if chain.agents and _fits(chain.agents, goal.agents) and _same_fact(chain.fact, goal)
        ]
        return _goal_form(fits[0]) if len(set(fits)) == 1 else ()


def _fits(agents: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    return len(agents) == len(pattern) and all(
        expected in (agent, ANYONE) for agent, expected in zip(agents, pattern, strict=True)
    )


def _same_fact(fact: Literal, goal: KnowledgeGoal) -> bool:
    fact_atom, other = atom(fact), atom(goal.fact)
    if goal.whether and other.args[-1] == ANYWHERE:
        return fact_atom.args[0] == other.args[0] and fact_atom.predicate in RESTS
    if goal.whether:
        return fact_atom.args == other.args and AXES.get(
            fact_atom.predicate, fact_atom.predicate
        ) == AXES.get(other.predicate, other.predicate)
    return fact == goal.fact or _same_place(fact, goal.fact)


def _same_place(first: Literal, other: Literal) -> bool:
    """Whether both put the same thing on or in the same furniture."""
    places = ("is_on_top", "is_inside")
    return (
        type(first) is type(other)
        and atom(first).args == atom(other).args
        and atom(first).predicate in places
        and atom(other).predicate in places
    )


def _goal_form(chain: KnowledgeChain) -> Forms:
    return canonical(f"(goal {show(chain.formula)})")


def _private_form(chain: KnowledgeChain) -> Forms:
    return private_forms(chain.formula)


DRAFTED = re.compile(r"agent_knows\.\w+\[\d+\]")


class ConvertedFile(Struct, frozen=True):
    """A task in our form; ``scene`` is its plain house, if one was made, and ``open`` the secrets that are left to confirm."""

    task: Task
    account: Diagnostics
    scene: Scene | None = None
    open: tuple[OpenSentence, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.account.faults


def read_release(source: str, own: Own | None = None, scene_id: str = "") -> ConvertedFile:
    """The task in a file, or the included task of that name; with ``scene_id`` in a plain house of that name.

    Raises:
        TaskError: there is no such task, it or its scene cannot be read, or a plain house would be too large.
    """
    data, unknown = without_unknown_mechanics(read_json(source))
    file = None if is_shipped(source) or scene_id else Path(source)
    if scene_id and isinstance(data, dict) and "agent_spawns" in data:
        data = data | {"agent_spawns": spawns_in_rooms(data["agent_spawns"], None, list[str]().append)}
    examination = examined(data, None if scene_id else own, file)
    faults = tuple(
        fault for fault in examination.account.faults if not _may_be_drafted(fault, examination.task)
    )
    if faults:
        return ConvertedFile(examination.task, structs.replace(examination.account, faults=faults))
    task, contents, notes = examination.task, examination.things, (*unknown, *examination.account.notes)
    scene = None
    if scene_id:
        furnishing = furnish_task(task, scene_id)
        task, scene, contents = furnishing.task, furnishing.scene, of_scene(furnishing.scene)
        notes = (*(note for note in notes if "agent_spawns" not in note), *furnishing.notes)
    drafted, lost = _checked_drafts(with_drafts(task), contents)
    account = check_task(drafted.task, contents)
    notes = (*notes, *account.notes, *drafted.notes, *lost)
    return ConvertedFile(
        drafted.task,
        Diagnostics(account.faults, account.missing, tuple(dict.fromkeys(notes))),
        scene,
        drafted.open,
    )


def _may_be_drafted(fault: Fault, task: Task) -> bool:
    """Whether a fault is that no secret names a private goal, which is drafted as a formula and left to confirm."""
    return not task.verified and (fault.place, fault.by) in map(untold_places, task.private_goals)


def _checked_drafts(drafted: DraftedTask, contents: Things | None) -> tuple[DraftedTask, tuple[str, ...]]:
    """The drafts without those that the start of the task denies, and a note for each of these."""
    task, lost = drafted.task, ()
    while places := [
        fault.place for fault in check_task(task, contents).faults if DRAFTED.fullmatch(fault.place)
    ]:
        task, gone = without_forms(task, iter(places))
        lost = (*lost, *(f"agent_knows: {form} is said, and not so at the start; left out" for form in gone))
    return DraftedTask(task, drafted.open, drafted.notes), lost
