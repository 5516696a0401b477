"""The verbalizer of the household: what is said to a model and read from its replies, with worked examples.

The wording is our own; the tools are PARTNR's, and the form of answers to probes is that of Juneja et al. 2026 (appendix
H). The text of a moment describes the seat's own call and its result, its room as it knows it, the observed acts of
others, and messages as quotations. It never contains a reward, a goal or another agent's secret. A reply is one call of a
tool, or one answer to a probe; anything else is ``Invalid``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import UNKNOWN, Ask, Brief, Invalid, Moment, Question, ReceivedMessage, Seat, Turn
from otherminds.household import words
from otherminds.household.commands import QUOTES, TOOLS, Command, Malformed, command, parse
from otherminds.household.engine import DONE
from otherminds.household.epistemic.formula import Atom
from otherminds.household.house import House
from otherminds.household.probes import answer_of, foreseen, foretold
from otherminds.household.shared import HALVES, plan_of
from otherminds.household.words import told_secrets
from otherminds.household.world import WAIT
from otherminds.replies.blocks import blocks, split_reasoning

ACTION = "Action:"
ANSWER = "Answer:"
MARKUP = " \t*`_."
"""Characters that are removed around an answer in its line."""
NO_CALL = "no call of a tool in the form asked for"
BRACKETS = re.compile(r"[\[\]\n\r]")


def read_call(reply: str) -> str | Invalid:
    """The single call in ``reply``, as it is written there.

    The call is in a line ``Action: Navigate[kitchen_1]``, in a block ``{"action": "..."}``, or it is the whole reply.
    Several different calls are invalid, even if one is only mentioned inside a line. Names are not checked here: the
    world does that.

    >>> read_call("I go and look.\\nAction: Explore[kitchen_1]")
    'Explore[kitchen_1]'
    >>> read_call("Explore[kitchen_1] would be best.").reason
    'no call of a tool in the form asked for'
    """
    text, answers, weighed = positions(reply, ACTION)
    actions = [block["action"] for block in blocks(text) if isinstance(block, dict) and "action" in block]
    call_texts = [*answers, *(call for call in actions if isinstance(call, str))]
    if not call_texts and "[" in text:
        call_texts = [text.strip(MARKUP + "\n")]
    read = {call: parse_call(call) for call in call_texts}
    calls = {command: call for call, command in read.items() if isinstance(command, Command)}
    wrong = [fault.text for fault in read.values() if isinstance(fault, Malformed)]
    mentioned = {aside for call in weighed if isinstance(aside := parse_call(call), Command)}
    if len(calls) == 1 and not wrong and mentioned <= {*calls}:
        return next(iter(calls.values()))
    if calls:
        return Invalid("several different calls", reply)
    return Invalid(wrong[0] if answers and wrong else NO_CALL, reply)


def write_call(name: str, arguments: Mapping[str, str]) -> str | Invalid:
    """A native tool call as the line that :func:`read_call` reads; line breaks become blanks.

    >>> write_call("Navigate", {"target": "kitchen_1"})
    'Action: Navigate[kitchen_1]'
    >>> write_call("Navigate", {"target": "kitchen_1, on"}).reason
    'Malformed call! Write Navigate[target].'
    >>> write_call("Wait", {})
    'Action: Wait[]'
    """
    call = command(name, arguments)
    read_back = parse_call(str(call))
    if read_back == call:
        return f"{ACTION} {call}"
    return Invalid(read_back.text if isinstance(read_back, Malformed) else NO_CALL, str(call))


def parse_call(text: str) -> Command | Malformed:
    """Parses one call strictly: a second call is not accepted as an argument of the first."""
    call = parse(text)
    if isinstance(call, Malformed):
        return call
    if HALVES.search(text):
        return Malformed(NO_CALL)
    if call.tool != "Communicate":
        return Malformed(NO_CALL) if any(BRACKETS.search(arg) for arg in call.args) else call
    message = text[text.index(",") + 1 : text.rindex("]")].strip()
    ends = rf"{QUOTES[message[0]]}\s*\]" if message[0] in QUOTES and message != call.args[1] else r"[\[\]]"
    return Malformed(NO_CALL) if re.search(ends, call.args[1]) else call


def read_answer(ask: Ask, reply: str) -> Any | Invalid:
    """The single answer to a probe in ``reply``.

    The answer is in a line ``Answer: it holds``, in a block ``{"answers": [{"probe_id": .., "predicate": ..,
    "holds": .., "args": [..]}]}`` (Juneja et al. 2026, appendix H), or in such an entry alone. An entry with another
    predicate or other arguments is a valid answer.
    """
    text, answers, weighed = positions(reply, ANSWER)
    options = dict(zip(ask.labels, ask.options, strict=True))
    wrong = any(answer not in options for answer in answers)
    choices = [options[answer] for answer in answers if answer in options]
    read = [answer_of_entry(entry) for block in blocks(text) for entry in entries(ask, block)]
    faults = [fault for fault in read if isinstance(fault, str)]
    choices += [choice for choice in read if not isinstance(choice, str)]
    if not choices:
        return Invalid(faults[0] if faults else "no answer in the form asked for", reply)
    first = choices[0]
    agreed = all(choice == first for choice in choices) and all(
        options.get(label) in (None, first) for label in weighed
    )
    if agreed and not wrong and not faults:
        return first
    return Invalid("several different answers", reply)


def entries(ask: Ask, block: Any) -> Iterator[dict[str, Any]]:
    """The entries of a block that answer the probe of ``ask``; a single entry needs no id."""
    if not isinstance(block, dict):
        return
    assert ask.schema is not None, "every probe has a schema"
    probe_id = ask.schema["properties"]["answers"]["items"]["properties"]["probe_id"]["enum"][0]
    listed = block.get("answers", [block] if "predicate" in block else [])
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("probe_id", listed == [entry]) in (probe_id, True):
            yield entry


def answer_of_entry(entry: dict[str, Any]) -> dict[str, Any] | str:
    """An entry as an answer, or the reason why it is invalid."""
    holds, args = entry.get("holds"), entry.get("args")
    if not isinstance(entry.get("predicate"), str):
        return "predicate must be a name"
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        return "args must be a list of names"
    if entry["predicate"] == UNKNOWN["predicate"]:
        return dict(UNKNOWN) if holds is None else "holds must be null where the predicate is unknown"
    if not isinstance(holds, bool):
        return "holds must be true or false, or null where the predicate is unknown"
    return {"predicate": entry["predicate"], "holds": holds, "args": args}


def positions(reply: str, cue: str) -> tuple[str, list[str], list[str]]:
    """The text without cued lines, the answers after ``cue`` at the start of a line, and those after ``cue`` inside a line.

    Reasoning is removed first.
    """
    plain_lines: list[str] = []
    answers: list[str] = []
    weighed: list[str] = []
    for line in split_reasoning(reply)[0].splitlines():
        before, separator, answer = line.partition(cue)
        if separator and not before.strip(" \t*`_>#-"):
            answers.append(answer.strip(MARKUP))
            continue
        plain_lines.append(line)
        if separator:
            weighed.append(answer.strip(MARKUP + "\"'"))
    return "\n".join(plain_lines), answers, weighed


TURN = 4
CLOSED = Atom("is_closed", ("cabinet_91",))


class ExampleScene(Struct, frozen=True, forbid_unknown_fields=True):
    """A situation (``words_examples.toml`` explains its fields)."""

    call: str
    result: str
    thoughts: str
    answer: str
    secrets: tuple[str, ...] = ()
    room: str = "pantry_90"
    cup: tuple[str, str] | None = None
    opened: bool = True
    said: str = ""
    of_other: bool = False


class ExampleScenes(Struct, frozen=True):
    """The situations for choices and for probes, and their house, whose names no scene has."""

    house: dict[str, Any]
    choices: tuple[ExampleScene, ...]
    reports: tuple[ExampleScene, ...]


_FILE = files("otherminds.household") / "words_examples.toml"
SCENES = msgspec.toml.decode(_FILE.read_bytes(), type=ExampleScenes)
ELSEWHERE = SCENES.house


def imagine_examples(verbalizer: Verbalizer, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
    """Three examples of choices or of probes; the first other seat is the other agent in all of them."""
    scenes = SCENES.choices if isinstance(about, Turn) else SCENES.reports
    texts = (_example(verbalizer, scene, about, brief) for scene in scenes)
    return tuple(f"Example {number}, in another house:\n{text}" for number, text in enumerate(texts, 1))


def _example(verbalizer: Verbalizer, scene: ExampleScene, about: Turn | Question, brief: Brief) -> str:
    other, choice = brief.others[0], isinstance(about, Turn)
    question = Question(
        "k_probe_0",
        brief.seat,
        "end",
        f"{f'Predict what {foretold((other,))}' if scene.of_other else 'Report'} about: cabinet_91 is closed.",
        tuple(answer_of(CLOSED, holds) for holds in (True, False, None)),
        1 / 3,
        about=other if scene.of_other else "",
    )
    ask = verbalizer.ask(Turn() if choice else question, Moment(TURN, None))
    lines = [
        *told_secrets(scene.secrets),
        verbalizer.tell(_moment(scene, other, not choice)),
        ask.text,
        scene.thoughts.format(other=other),
        ask.template.format(scene.answer.format(other=other)),
    ]
    return "\n".join(lines)


def _moment(scene: ExampleScene, other: str, last: bool) -> Moment:
    in_pantry = scene.room == "pantry_90"
    observation = {
        **{"turn": TURN, "call": scene.call, "result": scene.result, "worked": True, "events": []},
        **{"room": scene.room, "holding": []},
        "graph": {
            "objects": {"cup_90": list(scene.cup)} if scene.cup else {},
            "states": {"cabinet_91": ["is_open" if scene.opened else "is_closed"]} if in_pantry else {},
            "agents": {},
        },
        "house": ELSEWHERE,
    }
    return Moment(
        TURN, observation, told=(ReceivedMessage(other, scene.said),) if scene.said else (), last=last
    )


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
