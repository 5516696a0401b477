"""Kept answers: everything that changes an answer is in the key, and processes may share a file."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Scores, ToolCall, Usage
from otherminds.models.wrappers import Cached, Replies, check_replies
from otherminds.studies.access import SpentTokens

HELLO = (Message("user", "hello"),)


class Counting:
    """Numbers its answers."""

    context = 1000
    concurrency = 8

    def __init__(self, spec: str = "openai:m@http://a/v1") -> None:
        self.spec = spec
        self.calls = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        self.calls += 1
        return Completion(f"{self.calls}", "why", Usage(3, 2, 1), (ToolCall("look", "{}"),))

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self.calls += 1
        return Scores((-0.5, -float(self.calls)), Usage(4), "chat")

    def count(self, text: str) -> int:
        return len(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "calls.sqlite"


def ask(model: Any, messages: Sequence[Message] = HELLO, decoding: Decoding = Decoding()) -> Completion:  # noqa: B008 - frozen
    return asyncio.run(model.generate(messages, decoding))


def test_a_call_is_made_once_and_answered_alike_for_ever(path: Path) -> None:
    inner, replies = Counting(), Replies(path)
    first = ask(Cached(inner, replies))
    assert ask(Cached(inner, replies)) == first
    replies.close()
    assert ask(Cached(inner, Replies(path))) == first
    assert inner.calls == 1


def test_scores_are_kept_too(path: Path) -> None:
    inner = Counting()
    model = Cached(inner, Replies(path))
    found = [asyncio.run(model.score("p", [" a", " b"])) for _ in range(3)]
    assert found == [Scores((-0.5, -1.0), Usage(4), "chat")] * 3
    asyncio.run(model.score("p", [" a", " c"]))
    assert inner.calls == 2


@pytest.mark.parametrize(
    "other",
    [
        Decoding(seed=1),
        Decoding(temperature=0.5),
        Decoding(top_p=0.5),
        Decoding(max_tokens=9),
        Decoding(stop=("x",)),
        Decoding(schema={"type": "object"}),
    ],
)
def test_whatever_changes_the_answer_changes_the_key(path: Path, other: Decoding) -> None:
    inner = Counting()
    model = Cached(inner, Replies(path))
    assert ask(model) != ask(model, decoding=other)


def test_messages_and_models_change_the_key_but_an_address_does_not(path: Path) -> None:
    replies = Replies(path)
    here, moved, another = (
        Counting(f"openai:{rest}") for rest in ("m@http://a/v1", "m@http://b/v1", "n@http://a/v1")
    )
    first = ask(Cached(here, replies))
    assert ask(Cached(moved, replies)) == first
    assert (moved.calls, ask(Cached(another, replies)).text, another.calls) == (0, "1", 1)
    assert ask(Cached(here, replies), (Message("system", "hello"),)) != first


def test_owners_are_kept_apart_and_forgotten_one_by_one(path: Path) -> None:
    inner, replies = Counting(), Replies(path)
    for owner in ("one", "two", "three"):
        ask(Cached(inner, replies, owner))
    assert inner.calls == 3
    replies.forget("one")
    replies.keep_only(["three", "four"])
    assert ask(Cached(inner, replies, "three")).text == "3"
    assert ask(Cached(inner, replies, "two")).text == "4"


def test_of_two_equal_calls_at_once_the_first_answer_stays(path: Path) -> None:
    class Slow(Counting):
        async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
            reply = await super().generate(messages, decoding)
            await asyncio.sleep(0)
            return reply

    model = Cached(Slow(), Replies(path))

    async def twice() -> list[Completion]:
        return await asyncio.gather(*(model.generate(HELLO, Decoding()) for _ in range(2)))

    one, two = asyncio.run(twice())
    assert one == two == ask(model)


def test_half_a_character_can_be_kept(path: Path) -> None:
    class Half(Counting):
        async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
            return Completion("a\ud800", "\udfff", tools=(ToolCall("\ud800", "{}"),))

    replies = Replies(path)
    first = ask(Cached(Half(), replies))
    assert first == ask(Cached(Half(), replies)) == Completion("a?", "?", tools=(ToolCall("?", "{}"),))


def test_a_failure_is_not_kept(path: Path) -> None:
    class Failing(Counting):
        async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
            raise TransientError("busy")

    replies = Replies(path)
    with pytest.raises(TransientError):
        ask(Cached(Failing(), replies))
    assert ask(Cached(Counting(), replies)).text == "1"


def _fill(path: str, name: str) -> None:
    class Named(Counting):
        async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
            return Completion(f"{name} {messages[0].content}")

    model = Cached(Named(), Replies(Path(path)))
    for i in range(60):
        ask(model, (Message("user", str(i)),))


def test_processes_share_a_file_and_agree_on_every_answer(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(str(path), name)) for name in ("a", "b")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    inner = Counting()
    model = Cached(inner, Replies(path))
    for i in range(60):
        assert ask(model, (Message("user", str(i)),)).text in (f"a {i}", f"b {i}")
    assert inner.calls == 0


class Slow(Counting):
    """Answers when it is told to."""

    def __init__(self, fault: Exception | None = None) -> None:
        super().__init__()
        self.go, self.fault = asyncio.Event(), fault

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await super().generate(messages, decoding)
        await self.go.wait()
        if self.fault is not None:
            raise self.fault
        return reply


async def asked_twice(path: Path, first: Slow, second: Slow, owner: str = "") -> list[object]:
    """The answers to one call that two runs make at once, each with a connection of its own."""
    runs = [Cached(model, Replies(path), owner) for model in (first, second)]
    calls = [asyncio.create_task(run.generate(HELLO, Decoding())) for run in runs]
    await asyncio.sleep(0.05)
    assert (first.calls, second.calls) == ((1, 0) if not owner else (1, 1))
    other = asyncio.create_task(runs[1].generate(HELLO, Decoding(seed=1)))
    second.go.set()
    await other  # another call does not wait
    first.go.set()
    return await asyncio.gather(*calls, return_exceptions=True)


def test_of_two_runs_that_make_a_call_at_once_one_asks(path: Path) -> None:
    first, second = Slow(), Slow()
    answers = asyncio.run(asked_twice(path, first, second))
    assert answers[0] == answers[1]
    assert (first.calls, second.calls) == (1, 1), "the second asked only its other call"


def test_the_other_one_asks_where_the_first_fails(path: Path) -> None:
    fault = TransientError("busy")
    first, second = Slow(fault), Slow()
    answers = asyncio.run(asked_twice(path, first, second))
    assert answers[0] is fault
    assert isinstance(answers[1], Completion)
    assert (first.calls, second.calls) == (1, 2)


def test_episodes_of_one_owner_wait_for_nobody(path: Path) -> None:
    answers = asyncio.run(asked_twice(path, Slow(), Slow(), "episode"))
    assert answers[0] == answers[1]
    assert not list(path.parent.glob("*-asking"))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("something else " * 100)
    with pytest.raises(
        StudyError, match=r"notes\.txt: cannot be used \(file is not a database\); choose another file"
    ):
        Replies(other)
    assert other.read_text().startswith("something else")


REPLIES_OF_OTHERS = "CREATE TABLE replies (id INTEGER PRIMARY KEY, owner TEXT, call BLOB, answer BLOB)"
FOREIGN = {
    "notes": ["CREATE TABLE notes (text TEXT)", "INSERT INTO notes VALUES ('mine')"],
    "notes in WAL": ["PRAGMA journal_mode=WAL", "CREATE TABLE notes (text TEXT)"],
    "an empty table": ["CREATE TABLE t (x)"],
    "replies of another form": [REPLIES_OF_OTHERS],
    "what was spent, in another form": ["CREATE TABLE spent (day TEXT, euros REAL)"],
    "ours beside another": ["CREATE TABLE replies (owner, call, answer)", "CREATE TABLE notes (text TEXT)"],
    "a view": ["CREATE VIEW replies AS SELECT 1 AS owner, 2 AS call, 3 AS answer"],
    "numbered rows": ["CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"],
}


@pytest.mark.parametrize("name", FOREIGN)
def test_the_database_of_another_program_is_refused_and_stays_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        for command in FOREIGN[name]:
            theirs.execute(command)
    before = path.read_bytes()
    for use in (check_replies, Replies, SpentTokens):
        with pytest.raises(StudyError, match=r"other\.sqlite: cannot be used \(it"):
            use(path)
        assert path.read_bytes() == before
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("BEGIN EXCLUSIVE")


def kill_amid_a_change(path: Path, *changes: str) -> None:
    """Leaves a database as a process does that was killed while it wrote: with a journal by which the change is undone."""
    living = path.with_name("living")
    with closing(sqlite3.connect(living, isolation_level=None)) as database:
        for command in (
            "PRAGMA cache_size=1",
            "BEGIN",
            *changes,
            "CREATE TABLE t AS SELECT zeroblob(99999) AS x",
        ):
            database.execute(command)
        for ending in ("", "-journal"):
            copyfile(f"{living}{ending}", f"{path}{ending}")
        database.execute("ROLLBACK")


def test_a_database_whose_writer_was_killed_is_used_and_that_of_another_program_stays_as_it_is(
    tmp_path: Path,
) -> None:
    path = tmp_path / "calls.sqlite"
    kill_amid_a_change(path)  # as amid the first change of all
    check_replies(path)
    spent = SpentTokens(path)
    spent.pay("m", Usage(3, 2))
    spent.close()
    Replies(path).close()
    with closing(sqlite3.connect(path)) as ours:
        ours.execute("PRAGMA journal_mode=DELETE")
    copyfile(path, tmp_path / "living")
    kill_amid_a_change(path, "DELETE FROM spent")
    check_replies(path)
    spent = SpentTokens(path)
    assert [*spent.totals()] == [("m", Usage(3, 2))]
    spent.close()
    with closing(sqlite3.connect(tmp_path / "living", isolation_level=None)) as theirs:
        theirs.execute("CREATE TABLE notes (text TEXT)")
    other = tmp_path / "other.sqlite"
    kill_amid_a_change(other, "INSERT INTO notes VALUES ('x')")
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith("other")}
    assert len(before) == 2
    for use in (check_replies, Replies, SpentTokens):
        with pytest.raises(StudyError, match=r"other\.sqlite: cannot be used \(its? "):
            use(other)
        assert all(file.read_bytes() == content for file, content in before.items())


def test_an_empty_file_and_ours_are_used(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    path.touch()
    for use in (Replies, SpentTokens, Replies, SpentTokens):
        check_replies(path)
        use(path).close()
    check_replies(tmp_path / "new.sqlite")
    assert not (tmp_path / "new.sqlite").exists()
