"""The process of a model: its end is one failed call, it never outlives this process, and it gets no secrets."""

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from otherminds.core.errors import ProviderError
from otherminds.models import embedded
from otherminds.models.embedded import DEATHS, Engine
from tests.cases import thinned
from tests.models.hostile_gguf import END, LOOP, TEMPLATES
from tests.models.toy import toy

ASKED = {"messages": [{"role": "user", "content": "Which?"}], "max_tokens": 4, "temperature": 1.0, "seed": 3}
LONGEST = LOOP * 2 + END * 2
"""The template that is ended last."""
HOLDS = """
import os, sys, threading, time
from pathlib import Path
from otherminds.models.embedded import Engine
held = Engine(Path(sys.argv[1]))
asked = {"messages": [{"role": "user", "content": "Which?"}], "temperature": 1.0, "seed": 3, "ignore_eos": True}
if sys.argv[2] == "busy":
    threading.Thread(target=held.chat, args=({**asked, "max_tokens": 8000},), daemon=True).start()
    time.sleep(0.5)
print(held._process.number, flush=True)
if sys.argv[2] == "fork":
    before = held.tokens("a b")
    if not os.fork():
        same = held.tokens("a b") == before and held._process.number
        os.write(1, f"{same}\\n".encode())
        held.close()
        os._exit(0)
    os.wait()
    print(held.tokens("a b") == before, flush=True)
elif sys.argv[2] != "ends":
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.gguf"
    path.write_bytes(toy().packed())
    return path


@pytest.fixture
def held(file):
    held = Engine(file)
    yield held
    held.close()


def reached(number: int, states: str, within: float = 20.0) -> bool:
    """Whether all threads of a process come to one of ``states``, or it is gone."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            found = [one.read_text() for one in Path(f"/proc/{number}/task").glob("*/stat")]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if all(one.rpartition(")")[2].split()[0] in states for one in found):
            return True
        time.sleep(0.02)
    return False


def ended(number: int, within: float = 20.0) -> bool:
    """Whether a process ends, or is only waited for by its parent."""
    return reached(number, "ZX", within)


CALLS = {
    "chat": lambda held: held.chat(ASKED)[0],
    "scores": lambda held: held.following([1, 5, 9], {3, 7})[0],
    "tokens": lambda held: held.tokens("a text"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("number", thinned([signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL], 3))
def test_a_crash_is_one_failed_call_and_the_next_has_the_same_answer(held, number, call):
    before = call(held)
    old = held._process.number
    os.kill(old, number)
    assert ended(old)
    with pytest.raises(
        ProviderError, match=rf"^model toy\.gguf: llama\.cpp ended with {number.name}"
    ) as caught:
        call(held)
    assert "\n" not in str(caught.value)
    assert not caught.value.down
    assert call(held) == before
    assert held._process.number != old


def test_a_process_that_hangs_is_ended(held, monkeypatch):
    for limit in ("SLACK", "RENDERING", "TOKENISING"):
        monkeypatch.setattr(embedded, limit, 0.3)
    for call in CALLS.values():
        number = held._process.number
        os.kill(number, signal.SIGSTOP)
        assert reached(number, "T")
        with pytest.raises(ProviderError, match="gives no"):
            call(held)
        assert ended(number)
        monkeypatch.setattr(embedded, "TOKENISING", 60.0)
        held.tokens("a")
        monkeypatch.setattr(embedded, "TOKENISING", 0.3)


def test_a_model_that_keeps_crashing_is_declared_broken(held, monkeypatch):
    for _ in range(DEATHS):
        held.tokens("a")
        os.kill(held._process.number, signal.SIGKILL)
        with pytest.raises(ProviderError):
            held.tokens("a")
    monkeypatch.setattr(embedded, "LlamaProcess", None)
    with pytest.raises(
        ProviderError, match=f"ended {DEATHS} times and is not started again; .*SIGKILL"
    ) as caught:
        held.tokens("a")
    assert caught.value.down


@pytest.mark.parametrize("way", ["idle", "busy"])
def test_the_process_ends_with_one_that_is_killed(file, way):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, file, way], stdout=subprocess.PIPE, text=True
    ) as parent:
        number = int(parent.stdout.readline())
        assert not ended(number, 0.2)
        parent.kill()
    assert ended(number)


def test_the_process_ends_at_exit(file):
    done = subprocess.run(
        [sys.executable, "-c", HOLDS, file, "ends"], capture_output=True, text=True, check=True
    )
    assert ended(int(done.stdout))
    assert done.stderr == ""


def test_a_copy_of_this_process_has_a_model_process_of_its_own(file):
    done = subprocess.run(
        [sys.executable, "-c", HOLDS, file, "fork"], capture_output=True, text=True, check=True
    )
    first, second, third = done.stdout.split()
    assert int(first) != int(second) > 0
    assert third == "True"


def test_interrupts_of_the_terminal_do_not_reach_it(held):
    number = held._process.number
    assert os.getsid(number) == number
    os.kill(number, signal.SIGINT)
    assert held.chat(ASKED)
    assert held._process.number == number


def test_it_has_no_secret_and_is_limited(file, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    held = Engine(file)
    place = Path(f"/proc/{held._process.number}")
    assert b"hush" not in (place / "environ").read_bytes()
    assert b"hush" not in (place / "cmdline").read_bytes()
    limits = {line[:26].strip(): line[26:].split()[1] for line in (place / "limits").read_text().splitlines()}
    assert int(limits["Max data size"]) < 2**33
    assert limits["Max core file size"] == "0"
    held.close()
    assert ended(int(place.name))


def test_calls_of_several_threads_are_answered(held):
    alone = held.tokens("a text")
    found = []
    threads = [threading.Thread(target=lambda: found.append(held.tokens("a text"))) for _ in range(8)]
    for one in threads:
        one.start()
    held.chat(ASKED)
    for one in threads:
        one.join()
    assert found == [alone] * 8


def test_a_request_that_is_too_long_is_refused_and_the_process_goes_on(held):
    number = held._process.number
    with pytest.raises(ProviderError, match="bytes are too many"):
        held.chat({**ASKED, "messages": [{"role": "user", "content": "x" * 2**26}]})
    assert held.chat(ASKED)
    assert held._process.number == number


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(text, id=str(n), marks=[pytest.mark.slow] * (text == LONGEST or n % 5 > 0))
        for n, text in enumerate(TEMPLATES)
    ],
)
def test_a_hostile_template_is_one_failed_call_and_ends_nothing(tmp_path, template):
    path = tmp_path / "toy.gguf"
    path.write_bytes(toy(template).packed())
    held = Engine(path)
    number, before = held._process.number, held.following([1, 5], {3})[0]
    said = ""
    try:
        held.chat(ASKED)
    except ProviderError as error:
        said = str(error)
    assert not said or said.startswith("model toy.gguf: ")
    assert "\n" not in said
    assert len(said) < 400
    assert held._process.number == number
    assert held.following([1, 5], {3})[0] == before
    held.close()


@pytest.mark.parametrize("weights", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_one_failed_call(tmp_path, weights):
    whole = toy()
    path = tmp_path / "toy.gguf"
    path.write_bytes(replace(whole, data=struct.pack("<f", weights) * (len(whole.data) // 4)).packed())
    held = Engine(path)
    with pytest.raises(ProviderError, match="its weights are damaged"):
        held.following([1, 5], {3, 7})
    held.close()
