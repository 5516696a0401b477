"""The verbalizer of the household: calls are parsed as text, answers to probes as lines or as JSON.

The wording is our own; the tools are PARTNR's, and the form of answers to probes is that of Juneja et al. 2026 (appendix
H). The text of a moment describes the seat's own call and its result, its room as it knows it, the observed acts of
others, and messages as quotations. It never contains a reward, a goal or another agent's secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Question, Seat, Turn
from otherminds.household import words
from otherminds.household.commands import TOOLS
from otherminds.household.engine import DONE
from otherminds.household.house import House
from otherminds.household.probes import foreseen, foretold
from otherminds.household.spaces import plan_of
from otherminds.household.words_examples import imagine_examples
from otherminds.household.words_reading import ACTION, ANSWER, read_answer, read_call, write_call
from otherminds.household.world import WAIT

LABELS = ("it holds", "it does not hold", "unknown")
"""The answers to a probe, in the order of its options."""


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with all of these properties and no others."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


SCHEMA = _object({"action": {"type": "string"}})


@dataclass(frozen=True)
class HouseholdVerbalizer(Verbalizer):
    """The texts of one episode of at most ``turns`` turns for ``seat``.

    A choice has no fixed options: the ask lists the forms of the possible calls, and the reply is one call,
    ``Action: Navigate[kitchen_1]`` or ``{"action": "..."}``. A probe has three answers, ``Answer: it holds`` and so on,
    or ``{"answers": [..]}``.
    """

    house: House
    seat: Seat
    turns: int

    def rules(self, brief: Brief) -> str:
        lines = [
            *words.told_task(self.house.task.task, brief),
            words.LENGTH.format(self.turns),
            words.SIGHT,
            words.HANDS,
            words.MESSAGES,
            *([words.limit_of(limit), words.STATEMENT] if (limit := self.house.statements) else ()),
            *words.told_house(plan_of(self.house)),
            "Your tools:",
            *(f"- {TOOLS[name].form}: {words.describe_tool(name, limit)}" for name in self._tools),
        ]
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        observation = moment.observation
        lines = [
            "The episode is over." if moment.last else f"Turn {observation['turn'] + 1} of {self.turns}."
        ]
        if observation["call"]:
            lines[0] += (
                f" You called {words.one_line(observation['call'])}. {words.one_line(observation['result'])}"
            )
        lines += [words.here(observation), words.others(observation), *map(words.message, moment.told)]
        return "\n".join(line for line in lines if line)

    def summary(self, moments: Sequence[Moment]) -> str:
        """All calls, all observed acts of others, every message, and what was known at the end."""
        return "\n".join(words.in_short(moments)) if moments else ""

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        if isinstance(about, Question):
            return ask_probe(about)
        return Ask(
            text=f"What do you do in turn {moment.step + 1} of {self.turns}?",
            labels=(),
            options=(),
            cue=ACTION,
            template=f"{ACTION} {{}}",
            schema=SCHEMA,
            forms=words.forms_of(self._tools),
            consider="what the others do and know, and what is best to do now",
            tools=words.functions_of(self._tools, self.house.statements),
        )

    def called(self, ask: Ask, name: str, arguments: Mapping[str, Any]) -> str | Invalid:
        return write_call(name, arguments) if ask.forms else super().called(ask, name, arguments)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read_call(reply) if ask.forms else read_answer(ask, reply)

    def settled(self, moment: Moment) -> Any | None:
        """The call to wait, if the seat has called ``Done[]``."""
        over = moment.observation["result"] == DONE[1] and not moment.last
        return str(WAIT) if over else None

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        return imagine_examples(self, about, brief)

    @property
    def _tools(self) -> tuple[str, ...]:
        return words.tools_of(self.house.task.agent_actions.get(self.seat, ()))


def ask_probe(question: Question) -> Ask:
    """A probe in words, with the two forms of an answer."""
    sure = question.options[0]
    args = ", ".join(f'"{name}"' for name in sure["args"])
    form = (
        f'{{"probe_id": "{question.id}", "predicate": "{sure["predicate"]}", '
        f'"holds": true or false, "args": [{args}]}}'
    )
    others = foreseen(question)
    would = foretold(others) if others else "you report"
    lead = (
        "Nothing can be done any more. Answer from what you saw and were told alone."
        if question.when == "end"
        else "Before you go on, answer a question from what you saw and were told until now alone."
    )
    text = (
        f"{lead}\n"
        f"Q: {question.text} Say what {would}: that it holds, that it does not hold, or unknown. "
        f'As JSON: {{"answers": [{form}]}}; '
        'where it is not known, the predicate is "unknown", holds is null and args is [].'
    )
    entry = _object(
        {
            "probe_id": {"type": "string", "enum": [question.id]},
            "predicate": {"type": "string"},
            "holds": {"type": ["boolean", "null"]},
            "args": {"type": "array", "items": {"type": "string"}},
        }
    )
    return Ask(
        text=text,
        labels=LABELS,
        options=question.options,
        cue=ANSWER,
        template=f"{ANSWER} {{}}",
        schema=_object({"answers": {"type": "array", "items": entry}}),
        consider="what you saw and were told, and what follows from it",
    )
