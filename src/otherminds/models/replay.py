"""Answers from a recorded run, to replay its episodes without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import msgspec

from otherminds.core.data import Message
from otherminds.core.encoding import encode
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, ScoreForm, Scores, ToolCall
from otherminds.core.record import Call, prompts
from otherminds.core.segments import StoredLine, lines_in, segments_in
from otherminds.core.user_files import check_kind, is_folder
from otherminds.models.registry import models

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
