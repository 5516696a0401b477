"""Every check fails where its promise is broken: faults that are planted in the software, one or more for each promise."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

import otherminds
from otherminds.core import segments
from otherminds.core.errors import StudyError
from otherminds.games import belief
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.household import words
from otherminds.household.epistemic import check
from otherminds.household.epistemic.certificate import EpistemicProblem
from otherminds.household.world import HouseholdWorld
from otherminds.play.loop import EpisodeState
from otherminds.sandbox.kinds import UnsafeLocal
from otherminds.selfcheck import check as programs
from otherminds.selfcheck import figures, offline, repeating
from otherminds.selfcheck.check import try_apart, try_here
from otherminds.selfcheck.promises import CHECKS
from otherminds.testing import compare
from tests.cases import depth, thinned

Plant = Callable[[pytest.MonkeyPatch, Path], None]


def commands(code: str) -> Plant:
    """A fault in the commands that a check starts, and in the worker processes of these."""

    def plant(patch: pytest.MonkeyPatch, folder: Path) -> None:
        program = folder / "faulty.py"
        program.write_text(
            f"{code}\nif __name__ == '__main__':\n    from otherminds.cli.main import main\n    main()\n"
        )
        patch.setattr(programs, "PROGRAM", [sys.executable, str(program)])

    return plant


def plugin(code: str) -> Plant:
    """A fault in a component that another distribution offers."""

    def plant(patch: pytest.MonkeyPatch, folder: Path) -> None:
        place = folder / "installed"
        about = place / "faulty-1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[otherminds.minds]\nfaulty = faulty_mind:Faulty\n")
        (place / "faulty_mind.py").write_text(f"{code}\nclass Faulty: ...\n")
        patch.setenv("PYTHONPATH", os.pathsep.join((str(place), *sys.path)))

    return plant


def customised(code: str) -> Plant:
    """A fault in the ``sitecustomize`` of the machine, which shows while otherminds runs."""

    def plant(patch: pytest.MonkeyPatch, folder: Path) -> None:
        place = folder / "machine"
        place.mkdir()
        text = f"import sys\nif 'otherminds' in sys.orig_argv:\n    {code}\n"
        (place / "sitecustomize.py").write_text(text)
        patch.setenv("PYTHONPATH", os.pathsep.join((str(place), *sys.path)))

    return plant


def shows_partners(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """The first observation depends on who the partner is."""
    begin = EpisodeState.__init__

    def shown(state: EpisodeState, setup: Any) -> None:
        begin(state, setup)
        if "partner_0" in state.observations:
            state.observations["ego"] = setup.spec.seats["partner_0"].called

    patch.setattr(EpisodeState, "__init__", shown)


def shows_inventories(patch: pytest.MonkeyPatch, folder: Path) -> None:
    def heard(world: InTheMatrixWorld, *given: Any) -> Any:
        observations, infos = plainly(world, *given)
        observations["ego"] |= {"OTHERS": world.engine.state.avatars[0, 1].tolist()}
        return observations, infos

    plainly = InTheMatrixWorld._heard
    patch.setattr(InTheMatrixWorld, "_heard", heard)


def shows_secrets(patch: pytest.MonkeyPatch, folder: Path) -> None:
    def brief(world: HouseholdWorld, seat: str) -> Any:
        every = tuple(text for some in world.house.task.agent_secrets.values() for text in some)
        return structs.replace(plainly(world, seat), secrets=every)

    plainly = HouseholdWorld.brief
    patch.setattr(HouseholdWorld, "brief", brief)


def quotes_nothing(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(words, "quoted", lambda text: f'"{text}"')


def quotes_line_feeds_only(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Line feeds are escaped, and other ends of lines are not."""
    patch.setattr(words, "quoted", lambda text: '"' + text.replace('"', '\\"').replace("\n", "\\n") + '"')


def opens_no_sandbox(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(offline, "open_sandbox", lambda name, limits: UnsafeLocal(limits))


def plays_another_seed(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """One episode of twelve is another one in this process."""
    plainly = repeating.play
    patch.setattr(repeating, "SEEDS", 12)
    patch.setattr(repeating, "EACH", 0)
    patch.setattr(
        repeating, "play", lambda *what, seed, **more: plainly(*what, seed=99 if seed == 7 else seed, **more)
    )


class Fits(str):
    """A hash that equals every other one."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __getitem__(self, part: Any) -> Fits:
        return self


def checks_no_hash(patch: pytest.MonkeyPatch, folder: Path) -> None:
    fits = SimpleNamespace(hexdigest=lambda: Fits("0" * 64))
    patch.setattr(segments, "hashlib", SimpleNamespace(sha256=lambda data: fits))


def believes_claims(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(check, "prove", lambda rules, claim: None)


def believes_names(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(check, "find_misnamed", lambda problem, claims: dict.fromkeys(claims, ""))


def misses_nothing(patch: pytest.MonkeyPatch, folder: Path) -> None:
    due = check.unshown
    patch.setattr(
        check, "unshown", lambda problem, opened, accepted: dict.fromkeys(due(problem, opened, ()), "")
    )


def believes_digests(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(EpistemicProblem, "sha256", lambda problem: "0" * 64)


def plans_badly(patch: pytest.MonkeyPatch, folder: Path) -> None:
    solved = figures.best_response
    patch.setattr(figures, "best_response", lambda *what: SimpleNamespace(value=solved(*what).value - 1e-6))


def values_badly(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """The value of playing as if the partner's name were revealed after the first round."""
    patch.setattr(belief, "WORK", 0)
    patch.setattr(figures, "valuation", belief.Valuation)


def judging_all(kind: str) -> Plant:
    """Every verdict is of this kind."""

    def plant(patch: pytest.MonkeyPatch, folder: Path) -> None:
        verdicts = (SimpleNamespace(kind=kind),)
        patch.setattr(figures, "STUDIES", 2)
        patch.setattr(figures, "report", lambda records: SimpleNamespace(verdicts=verdicts))

    return plant


def plays_often(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """An episode is played ten times to be recorded once."""
    plainly = figures.play_now

    def play_now(setup: Any) -> Any:
        for _ in range(9):
            plainly(setup)
        return plainly(setup)

    patch.setattr(figures, "play_now", play_now)


def imports_slowly(patch: pytest.MonkeyPatch, folder: Path) -> None:
    slow = folder / "slow" / "otherminds"
    slow.mkdir(parents=True)
    (slow / "__init__.py").write_text("sum(range(3 * 10**7))\n")
    patch.setenv("PYTHONPATH", str(slow.parent))


THIRD = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
"""A plain socket to no server of a check."""
SHELL = "import subprocess; subprocess.run(['bash', '-c', 'echo x >/dev/tcp/127.0.0.1/9'], stderr=-3)"
NETWORK = "import socket; socket.getaddrinfo('127.0.0.1', 80)"
PLANNING = r"""
import re, socket, sys
if "--dry-run" in sys.argv:
    host, port = re.search(r"//(127[0-9.]+):(\d+)", " ".join(sys.argv)).groups()
    socket.create_connection((host, int(port))).close()
"""
HOSTS = "from otherminds.models.hosts import Hosts; Hosts.check = lambda *given: None"
REDIRECTS = """
import httpx
from otherminds.models import exchange
plainly = exchange.Connection.post
async def post(self, headers, content, *most):
    reply = await plainly(self, headers, content, *most)
    if reply.status == 307:
        httpx.post(reply.headers["location"], headers=headers, content=content)
    return reply
exchange.Connection.post = post
"""
PRINTS = "import os; print(os.environ.get('OPENAI_API_KEY'))"
BELIEVES = "from otherminds.models import wrapper; wrapper._impossible = lambda *given: False"
FREE = "from otherminds.models.wrapper import RequestSize; from otherminds.core.model import Usage\n"
FREE += "RequestSize.answered = lambda *given: Usage()"
TWICE = "from otherminds.studies.store import Store; append = Store.append\n"
TWICE += "Store.append = lambda self, lines: append(self, [*lines, *lines])"
ANEW = "import os; from otherminds.reports import json_report; plainly = json_report.as_json\n"
ANEW += "json_report.as_json = lambda *given: plainly(*given) + str(os.getpid())"

FAULTS: dict[str, dict[Plant, str]] = {
    "hidden": {
        shows_partners: "nothing tells two partners apart before they act differently",
        shows_inventories: "does not notice another's inventory",
        shows_secrets: "does not notice another's secrets",
    },
    "senders": {
        quotes_nothing: "outside the quotation nothing differs",
        quotes_line_feeds_only: "outside the quotation nothing differs",
    },
    "offline": {
        plugin(SHELL): "no use of the network by otherminds run.*bash, which cannot be watched",
        customised(THIRD): "no use of the network by otherminds run",
        commands(NETWORK): "no use of the network by otherminds run",
    },
    "dry-run": {
        commands(PLANNING): "no use of the network by otherminds run",
        plugin(THIRD): "no use of the network by otherminds run",
        customised(THIRD): "no use of the network by otherminds run",
        plugin(SHELL): "no use of the network by otherminds run.*bash, which cannot be watched",
    },
    "keys": {
        plugin(THIRD): "no use of the network but of this check's servers by otherminds run",
        commands(HOSTS): "no request to another host",
        commands(REDIRECTS): "no redirection is followed",
        customised(THIRD): "no use of the network but of this check's servers by otherminds run",
        commands(PRINTS): "no key is printed",
    },
    "money": {commands(BELIEVES): "no tokens: at most", commands(FREE): "no usage: at most"},
    "sandbox": {opens_no_sandbox: "reads a file of the user learns nothing"},
    "seeds": {plays_another_seed: "equal records in every process and order"},
    "resume": {commands(TWICE): "no episode is recorded twice"},
    "reports": {commands(ANEW): "three equal reports"},
    "records": {checks_no_hash: "a changed record is refused"},
    "certificates": dict.fromkeys(
        (believes_claims, believes_names, misses_nothing, believes_digests),
        "a changed certificate is refused",
    ),
    "optima": {plans_badly: "in ipd, brute force finds", values_badly: "is solved exactly"},
    "ignorant": {
        judging_all("uses"): "at most 5 % of studies",
        judging_all("no evidence"): "knowledge without use is recognised",
    },
    "able": {
        judging_all("does not use"): "no accusation",
        judging_all("no evidence"): "able minds are found to know",
    },
    "runner": {plays_often: "in ipd-tit_for_tat-v1 at most 5 times the bare world"},
    "import": {imports_slowly: "at most 150 ms"},
}
"""For each promise, faults and what the check then says."""
SELDOM = {"offline": 2, "dry-run": 3, "keys": 4, "money": 1, "resume": 1, "reports": 1}
"""How many of the first faults of these, each of which takes several commands, are left to the slow run."""
PLANTED = [
    pytest.param(name, plant, happens, marks=[pytest.mark.slow] * (n < SELDOM.get(name, 0)))
    for name, some in FAULTS.items()
    for n, (plant, happens) in enumerate(some.items())
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks of fewer episodes, which suffice to see a fault."""
    monkeypatch.setattr(repeating, "KILLS", 1)
    monkeypatch.setattr(repeating, "EPISODES", 5)
    monkeypatch.setattr(offline, "ALONE", ("rps-mixed-v1",))
    monkeypatch.setattr(offline, "PLANNED", 60)
    monkeypatch.setattr(repeating, "FLIPS", 40)
    monkeypatch.setattr(figures, "IMPORTS", 2)
    monkeypatch.setattr(figures, "BATCHES", 3)


def test_a_fault_is_known_for_every_promise() -> None:
    assert set(FAULTS) == set(CHECKS)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("name", "plant", "happens"), PLANTED)
def test_a_broken_promise_fails(
    name: str, plant: Plant, happens: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plant(monkeypatch, tmp_path)
    place = tmp_path / "place"
    place.mkdir()
    trial = try_here(name, CHECKS[name], place)
    assert trial.verdict == "fails", trial
    assert re.match(f"promised: .*{happens}", trial.figure), trial


@pytest.mark.parametrize("name", thinned(["seeds", "hidden", "senders", "certificates", "optima"], 5))
def test_a_promise_that_is_kept_holds(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The others hold in the slow test below."""
    monkeypatch.setattr(repeating, "SEEDS", 12)
    monkeypatch.setattr(repeating, "EACH", 0)
    trial = try_here(name, CHECKS[name], tmp_path)
    assert trial.verdict == "holds", trial


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_every_promise_is_kept(name: str, tmp_path: Path) -> None:
    assert try_here(name, CHECKS[name], tmp_path).verdict in ("holds", "not tried")


def test_without_a_sandbox_its_promise_is_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def open_sandbox(name: str, limits: Any) -> Any:
        raise StudyError("bwrap is not installed; apt-get install bubblewrap")

    monkeypatch.setattr(offline, "open_sandbox", open_sandbox)
    trial = try_here("sandbox", CHECKS["sandbox"], tmp_path)
    assert (trial.verdict, trial.figure) == (
        "not tried",
        "bwrap is not installed; apt-get install bubblewrap",
    )


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_what_it_promises_and_how_it_is_tried(name: str) -> None:
    for said in (CHECKS[name].promise, CHECKS[name].tried):
        assert said.endswith(".")
        assert "`" not in said


@pytest.mark.parametrize("level", depth("2", "1"))
def test_checks_need_neither_assert_statements_nor_docstrings(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python drops both with ``-OO``, and the former alone with ``-O``, which the slow run tries."""
    monkeypatch.setenv("PYTHONOPTIMIZE", level)
    kept = try_apart("certificates", CHECKS["certificates"])
    assert (kept.verdict, kept.promise) == ("holds", CHECKS["certificates"].promise), kept
    code = (
        "from pathlib import Path; from pytest import MonkeyPatch; from tests.selfcheck import test_faults as t\n"
        "for plant, name in ((t.shows_partners, 'hidden'), (t.believes_claims, 'certificates')):\n"
        "    plant(MonkeyPatch(), Path()); print(t.try_here(name, t.CHECKS[name], Path()).verdict)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "fails\n" * 2, done
    lost = try_apart("nothing", CHECKS["certificates"])
    assert (lost.verdict, lost.promise) == ("fails", CHECKS["certificates"].promise)


def test_no_check_has_an_assert_statement() -> None:
    """Nor has the kit of comparisons, by which they compare."""
    package = Path(otherminds.__file__).parent
    files = [*package.glob("selfcheck/*.py"), *package.glob("testing/worlds/*.py"), Path(compare.__file__)]
    assert len(files) > 10
    for file in files:
        found = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.Assert)]
        assert not found, file
