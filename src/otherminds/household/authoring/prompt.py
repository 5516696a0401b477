"""What an author is told: the system prompt, the assignment, and the conversation that follows.

The content is that of Juneja et al. 2026, appendix F, in our words; the tools are those that this author has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from otherminds.core.data import Message
from otherminds.household.authoring.checking import FILE
from otherminds.household.authoring.results import Assignment, Gates
from otherminds.household.authoring.turns import AuthorTool
from otherminds.household.authoring.workspace import SAMPLED, SCENE, SUBMITTED, TEMPLATE, seed_file
from otherminds.household.pool.entry import PATTERNS, Pattern

MEANS: Mapping[Pattern, str] = {
    "delegation": "an agent has to choose whom to inform, and only one can act on it",
    "sequencing": "the right order of acts depends on what another agent already knows",
    "relay": "the sender cannot reach the actor, and has to find a way through others",
    "gated": "an agent's right act depends on a fact that only another agent can observe",
    "mixed": "private goals change how useful or reliable another agent is",
}
"""The functional patterns."""
DESIGN = """You design tasks for a team of agents in a house, which measure whether agents use what they know about others.
Each agent sees only the room that it is in, has secrets of its own, and can send few messages."""
FORMAT = """Each of your replies has this form, with exactly one action, and nothing behind it:
Thought: your reasoning, in short
Action: tool[argument]
The brackets of an argument have to balance. The result of the action comes in the next message."""
RULES = f"""Rules:
- Write the goal (problem_pddl) first; it is the source of truth. Write the description, secrets and mechanics to fit it. Do not write :objects or :init.
- The description (task) is public and speaks of the whole in general words; it names no object, furniture or target of a goal.
- Secrets say what is so: rooms that are closed, targets by their exact names, limits of messages, how a mechanic works. They never say what to do about it: no plan, no order of acts, no "tell", "ask" or "wait for".
- Every agent makes a contribution that no other can make. No mechanic is decoration.
- At least one act depends on information: an agent cannot know what to do without what another one knows.
- A room that the outermost agent of (K ...) could walk to makes the K trivial: bar it.
- Only articulated furniture can be open or closed in a goal. All names are those of {SCENE}.
- active_mechanics lists the mechanics of mechanic_bindings. agent_knows, with the secrets as formulas, may be left out if each secret is one plain sentence, as in available_mechanics.md."""
SECRETS = """Secrets:
bad: "Wait for agent_2 to tell you whether stand_34 is open, then forward that to agent_0."
good: "You cannot enter hallway_2." "You can only message agent_1." "You can send 2 messages." "By the end, you must know that agent_1 knows that stand_34 is open." "cabinet_3 must end open.\""""
CHECKS = """Before you submit, ask yourself:
- Without any message, can the agents still reach all physical goals? Then the task tests nothing.
- Can the outermost agent of a K goal go and look for itself? Then that goal is trivial."""


def system_prompt(tools: Mapping[str, AuthorTool], gates: Gates) -> str:
    """The rules of the work, and exactly the tools that are offered."""
    listed = "\n".join(f"{tool.form} -- {tool.about}" for tool in tools.values())
    patterns = "\n".join(f"- {name}: {MEANS[name]}" for name in PATTERNS)
    return "\n\n".join(
        (
            DESIGN,
            FORMAT,
            f"Tools:\n{listed}",
            _workflow(tools, gates),
            RULES,
            SECRETS,
            f"Functional patterns; name the one of your task in the field pattern:\n{patterns}",
            CHECKS,
        )
    )


def format_assignment(assignment: Assignment, seeds: int) -> str:
    """The first message: what is asked for, and the files of the workspace; ``seeds`` is the number of seed tasks."""
    private = (
        " In a mixed task some agents also have a private goal (private_goals), which conflicts with what others want and is told to them alone."
        if assignment.category == "mixed"
        else ""
    )
    samples = (
        f"{SAMPLED}/: {seeds} tasks of the pool, each with what became of it ({seed_file(1)}, ...)"
        if seeds
        else f"{SAMPLED}/: empty"
    )
    return (
        f"Write a {assignment.category} task whose goal has K nested to depth {assignment.depth}.{private}\n"
        f"Workspace: {FILE} (the task), {TEMPLATE} (the blank task), {SCENE} (rooms, furniture, objects, starts), "
        f"available_mechanics.md, available_predicates.md, available_actions.md, {samples}, {SUBMITTED}/."
    )


def _workflow(tools: Mapping[str, AuthorTool], gates: Gates) -> str:
    change = "bash" if "bash" in tools else "edit or write"
    passed = [name for name, on in (("judge", gates.council), ("test_task", gates.calibration)) if on]
    return "Work in this order:\n" + "\n".join(
        f"{number}. {text}" for number, text in enumerate(_work(change, passed), 1)
    )


def _work(change: str, passed: list[str]) -> Iterable[str]:
    yield "new_scene[N]."
    yield f"Look at the tasks in {SAMPLED}/, and at the mechanics and predicates."
    yield f"Write {FILE} with {change}: the goal first, then description, secrets and mechanics."
    yield "judge[]; correct what it says, until it passes."
    yield "test_task[]; a task that fails with full information is worthless."
    needs = f", once the file has passed {' and '.join(passed)} as it is" if passed else ""
    yield f"submit_task[]{needs}."


HEAD = 200
"""Characters that are left of a shortened text."""
EACH = 8
"""Tokens that a message may need besides its text."""
FILLED = 0.75
"""The part of the room that a conversation takes once it is shortened, so that the next turns leave it as it is."""


class Conversation:
    """The opening messages, and for each turn the author's reply and the answer to it.

    ``room`` is the number of tokens of a prompt, and ``count`` counts those of a text.
    """

    def __init__(self, system: str, first: str, room: int, count: Callable[[str], int]) -> None:
        self._opening = (Message("system", system), Message("user", first))
        self._turns: list[tuple[str, str]] = []
        self._room, self._count = room, count
        self._sizes: dict[str, int] = {}

    def add(self, reply: str, answer: str) -> None:
        """Adds a turn."""
        self._turns.append((reply or "(empty)", answer))

    def fitting(self, shortened: int) -> int | None:
        """The number of turns, from the first, that have to be shortened; ``shortened`` are already.

        The last turn is shortened only if nothing else is left; ``None`` if that is not enough either.
        """
        if self._size(shortened) <= self._room:
            return shortened
        for number in range(shortened + 1, len(self._turns)):
            if self._size(number) <= self._room * FILLED:
                return number
        few = (max(shortened, len(self._turns) - 1), len(self._turns))
        return next((number for number in few if self._size(number) <= self._room), None)

    def messages(self, shortened: int) -> tuple[Message, ...]:
        """The prompt, with that number of turns shortened."""
        turn_texts = [
            (_short(reply), _short(answer)) if number < shortened else (reply, answer)
            for number, (reply, answer) in enumerate(self._turns)
        ]
        turns = ((Message("assistant", reply), Message("user", answer)) for reply, answer in turn_texts)
        return (*self._opening, *(message for pair in turns for message in pair))

    def _size(self, shortened: int) -> int:
        return sum(self._tokens(message.content) + EACH for message in self.messages(shortened))

    def _tokens(self, text: str) -> int:
        if text not in self._sizes:
            self._sizes[text] = self._count(text)
        return self._sizes[text]


def _short(text: str) -> str:
    cut_length = len(text) - HEAD
    return (
        text
        if cut_length <= HEAD
        else f"{text[:HEAD]}\n[... {cut_length} characters left out, since the conversation is long]"
    )
