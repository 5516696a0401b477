"""A model file is known by its content, whatever its path, size and times."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from pathlib import Path

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding
from otherminds.models.files import file_digest
from otherminds.models.wrappers import Cached, Replies
from otherminds.studies.run_dir import keep_weights, kept_weights
from tests.cli.running import otherminds


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_digest_is_kept_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"one")
    first = file_digest(path)
    assert first == hashlib.sha256(b"one").hexdigest()
    with monkeypatch.context() as patched:
        patched.setattr(hashlib, "file_digest", None)  # reading the file again would fail
        assert file_digest(path) == first
    path.write_bytes(b"four")
    assert file_digest(path) == hashlib.sha256(b"four").hexdigest()


def test_another_file_of_the_same_size_and_time_has_another_digest(tmp_path: Path) -> None:
    path, other = tmp_path / "a.gguf", tmp_path / "b.gguf"
    path.write_bytes(b"one")
    other.write_bytes(b"two")
    os.utime(path, ns=(1, 10**18))
    os.utime(other, ns=(1, 10**18))
    first = file_digest(path)
    shutil.copy2(other, path)
    assert file_digest(path) == hashlib.sha256(b"two").hexdigest() != first
    other.write_bytes(b"six")
    os.utime(other, ns=(1, 10**18))
    other.replace(path)
    assert file_digest(path) == hashlib.sha256(b"six").hexdigest()


def test_a_damaged_or_unwritable_cache_costs_time_alone(tmp_path: Path, cache_folder: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"one")
    first = file_digest(path)
    (kept,) = (cache_folder / "digests").iterdir()
    kept.write_bytes(b"{")
    assert file_digest(path) == first
    shutil.rmtree(cache_folder)
    cache_folder.write_bytes(b"")
    assert file_digest(path) == first


def test_a_missing_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"cannot read the model .*check the path") as caught:
        file_digest(tmp_path / "none.gguf")
    assert "\n" not in str(caught.value)


class FileModel:
    """A model that is a file; its reply is the file's digest."""

    spec, context, concurrency = "gguf:toy.gguf", 100, 1

    def __init__(self, digest: str) -> None:
        self.digest = digest

    async def generate(self, messages: object, decoding: Decoding) -> Completion:
        return Completion(self.digest)

    def count(self, text: str) -> int:
        return len(text)


def test_replies_that_are_kept_of_one_file_are_not_those_of_another(tmp_path: Path) -> None:
    replies = Replies(tmp_path / "cache.sqlite")

    def asked(digest: str) -> str:
        model = Cached(FileModel(digest), replies)
        return asyncio.run(model.generate([Message("user", "Hi")], Decoding())).text

    assert [asked(digest) for digest in ("aa", "bb", "aa")] == ["aa", "bb", "aa"]
    replies.close()


def test_a_run_refuses_another_file_under_the_same_name_with_both_digests(tmp_path: Path) -> None:
    keep_weights(tmp_path, {"gguf:a": "aa"})
    keep_weights(tmp_path, {"gguf:b": "bb"})
    assert kept_weights(tmp_path) == {"gguf:a": "aa", "gguf:b": "bb"}
    with pytest.raises(StudyError) as caught:
        keep_weights(tmp_path, {"gguf:a": "cc"})
    text = str(caught.value)
    assert "aa" in text
    assert "cc" in text
    assert "\n" not in text
    assert kept_weights(tmp_path)["gguf:a"] == "aa"


STUDY = """
name = "weights"
episodes = 2
rounds = 1
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
"""


def test_a_run_is_not_resumed_with_another_file_at_the_same_path(tmp_path: Path, weights: Path) -> None:
    path, study, out = tmp_path / "m.gguf", tmp_path / "study.toml", tmp_path / "out"
    shutil.copy(weights, path)
    study.write_text(STUDY)
    command = ("run", study, "--out", out, "--model", f"gguf:{path}", "--reply-tokens", "8")
    assert otherminds(*command, "--max-tokens", "1").returncode == 1
    first = file_digest(path)
    with path.open("ab") as file:
        file.write(b"\0" * 32)
    done = otherminds(*command)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert first in line
    assert file_digest(path) in line
    shutil.copy(weights, path)
    assert otherminds(*command).returncode in (0, 3)
