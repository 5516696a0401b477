"""Stand-ins for a language model: scripted ones, and the replies of a recorded run.

They answer forced choices in the form asked for: one of the lines at the end of a prompt,
below a line that ends with a colon."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from hashlib import blake2b
from math import log
from pathlib import Path
from typing import TypeAlias

import msgspec

from otherminds.core.data import Message
from otherminds.core.encoding import derive, encode
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, ScoreForm, Scores, ToolCall, Usage
from otherminds.core.record import Call, prompts
from otherminds.core.segments import StoredLine, lines_in, segments_in
from otherminds.core.user_files import check_kind, is_folder
from otherminds.models.registry import models
from otherminds.models.scoring import without
from otherminds.models.wrapper import make_completion

Reply: TypeAlias = Callable[[Sequence[Message], Decoding], str]
Score: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]
Pick: TypeAlias = Callable[[str, Sequence[str], int], int]
"""``pick(prompt, labels, seed)``: the index of the label it chooses."""

SURE = 0.9
"""The probability of the chosen label; the others share the rest equally."""

FORM = re.compile(r":\n((?:[^\n]*[^\n:](?:\n|$))+)\Z")


class ScriptedModel:
    """A model of two functions; without ``score`` it cannot score.

    ``reply`` may raise :class:`~otherminds.core.errors.ProviderError`. Tokens are words.
    """

    context = 2**31
    concurrency = 64
    score: Callable[[str, Sequence[str]], Awaitable[Scores]]

    def __init__(self, reply: Reply, score: Score | None = None, spec: str = "scripted") -> None:
        self.spec = spec
        self._reply = reply
        if score is not None:
            self._score = score
            self.score = self._scored

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        text = self._reply(messages, decoding)
        read = sum(self.count(message.content) for message in messages)
        return without(make_completion(text, Usage(read, self.count(text))), decoding, "tools")

    def count(self, text: str) -> int:
        return len(text.split())

    async def _scored(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return Scores(tuple(self._score(prompt, continuations)), Usage(self.count(prompt)))


def favouring(chosen: int | None, many: int) -> list[float]:
    """Log-probabilities of ``many`` labels: :data:`SURE` for ``chosen``; uniform if that is ``None``."""
    if chosen is None or many == 1:
        return [-log(many)] * many
    return [log(SURE) if i == chosen else log((1 - SURE) / (many - 1)) for i in range(many)]


def first() -> ScriptedModel:
    """Chooses the first label."""
    return chooser("first", lambda prompt, labels, seed: 0)


def uniform() -> ScriptedModel:
    """Chooses a label uniformly, by the call's seed, or by the prompt where there is none."""
    return chooser("uniform", lambda prompt, labels, seed: derive(seed, "uniform", prompt) % len(labels))


def echo_last() -> ScriptedModel:
    """Chooses the last label in the history: in a matrix game, the other player's last action."""

    def pick(prompt: str, labels: Sequence[str], seed: int) -> int:
        before, question, _ = prompt.rpartition("\nQ:")
        # The line before asks too: it may show a choice.
        return last_named(before.rpartition("\n")[0] if question else prompt, labels)

    def continuing(prompt: str, labels: Sequence[str], seed: int) -> int:
        if "\nQ:" in prompt:
            return pick(prompt, labels, seed)
        # The line that breaks off before the label may show a choice.
        return last_named(prompt.rpartition("\n")[0] or prompt, labels)

    def last_named(history: str, labels: Sequence[str]) -> int:
        places = [_last(label, history) for label in labels]
        return places.index(max(places))

    return chooser("echo_last", pick, continuing)


STAND_INS = {stand_in.__name__: stand_in for stand_in in (first, uniform, echo_last)}


@models.register("scripted")
def scripted(argument: str) -> ScriptedModel:
    """scripted:NAME, a stand-in without a model: first, uniform or echo_last."""
    if argument not in STAND_INS:
        raise StudyError(f"no scripted model is called {argument!r}; choose from {', '.join(STAND_INS)}")
    return STAND_INS[argument]()


def chooser(name: str, pick: Pick, continuing: Pick | None = None) -> ScriptedModel:
    """A stand-in that chooses by ``pick`` in text, and in scores by ``continuing``, else also by ``pick``."""

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        prompt = messages[-1].content
        if decoding.schema is not None:
            entries = decoding.schema["properties"].items()
            enums = {key: about["enum"] for key, about in entries if "enum" in about}
            chosen = {key: labels[pick(prompt, labels, decoding.seed)] for key, labels in enums.items()}
            return json.dumps(chosen)
        form = FORM.search(prompt)
        if form is None:
            return "I was offered no options."
        answers = form[1].rstrip("\n").split("\n")
        columns = enumerate(zip(*answers, strict=False))
        same = next((i for i, column in columns if len(set(column)) > 1), min(map(len, answers)))
        start = answers[0].rfind(" ", 0, same) + 1
        return answers[pick(prompt, [answer[start:] for answer in answers], decoding.seed)]

    def score(prompt: str, continuations: Sequence[str]) -> list[float]:
        labels = [text.strip() for text in continuations]
        return favouring((continuing or pick)(prompt, labels, 0), len(labels))

    return ScriptedModel(reply, score, f"scripted:{name}")


def _last(label: str, text: str) -> int:
    """The last position of ``label`` in ``text`` as a whole word; −1 without one."""
    words = re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", text)
    return max((match.start() for match in words), default=-1)


Answered: TypeAlias = "Completion | Scores"


class _Body(msgspec.Struct):
    calls: tuple[Call, ...] = ()


class RecordedModel:
    """The model of a recorded run.

    A call is identified by its whole prompt, its continuations and its decoding with the
    seed; any other call raises ``ProviderError``. Its context is unlimited, so a run whose
    history was folded into a summary cannot be replayed.
    """

    context = 2**31
    concurrency = 64

    def __init__(self, spec: str, answers: dict[bytes, set[Answered]]) -> None:
        self.spec = spec
        self._answers = answers

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        answer = self._find(_key(messages, decoding, ()), messages)
        assert isinstance(answer, Completion)
        return answer

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        messages = (Message("user", prompt),)
        answer = self._find(_key(messages, None, continuations), messages)
        assert isinstance(answer, Scores)
        return answer

    def count(self, text: str) -> int:
        """The bytes of ``text``, an upper bound of its tokens."""
        return len(text.encode())

    def _find(self, key: bytes, messages: Sequence[Message]) -> Answered:
        answers = self._answers.get(key, ())
        if len(answers) == 1:
            return next(iter(answers))
        end = messages[-1].content[-60:] if messages else ""
        if answers:
            why = f"{len(answers)} different answers to one prompt; replay one of its episodes at a time"
        else:
            why = "no answer to a prompt; replay with the study, minds and seeds of that run"
        raise ProviderError(f"model {self.spec}: the record has {why} (the prompt ends {end!r})")


@models.register("replay")
def replay(argument: str) -> RecordedModel:
    """replay:RUN, the recorded answers of a run: its folder, or one file of its records."""
    path = Path(argument).expanduser()
    if not is_folder(path):
        check_kind(path, StudyError)
    files = [path] if path.is_file() else segments_in(path / "records")
    if not argument or not files:
        raise StudyError(
            f"model 'replay:{argument}' names no recorded run; give a run's folder (with records in it) or a .jsonl file"
        )
    answers: dict[bytes, set[Answered]] = {}
    for line in lines_in(files):
        for key, answer in _answers(line):
            answers.setdefault(key, set()).add(answer)
    return RecordedModel(f"replay:{argument}", answers)


def _answers(line: StoredLine) -> Iterator[tuple[bytes, Answered]]:
    """The key and the answer of every call of a recorded episode."""
    try:
        calls = msgspec.json.decode(line.body, type=_Body).calls
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{line.place}: no recorded episode ({error}); restore the file") from None
    for call, messages in zip(calls, prompts(calls), strict=True):
        usage = call.usage
        if call.continuations:
            form: ScoreForm = "chat" if call.form == "chat" else "continuation"
            yield _key(messages, None, call.continuations), Scores(call.scores, usage, form)
        else:
            decoding = msgspec.convert(call.config, Decoding)
            tools = tuple(ToolCall(*tool) for tool in call.tools)
            yield (
                _key(messages, decoding, ()),
                Completion(call.reply, call.reasoning, usage, tools, call.finish, call.dropped),
            )


def _key(messages: Sequence[Message], decoding: Decoding | None, continuations: Sequence[str]) -> bytes:
    """A hash of a call, since a long run's prompts do not fit into memory."""
    return blake2b(encode((messages, decoding, continuations)), digest_size=16).digest()
