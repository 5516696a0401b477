"""Tasks and scenes on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from otherminds.core.errors import StudyError, TaskError
from otherminds.household.epistemic import fast_downward
from otherminds.household.epistemic.certificate import Certificate
from otherminds.household.epistemic.check import main
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.formula import claims
from otherminds.household.proofs.episodes import team_episodes
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.verdicts import verified
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.tasks.load import load_task, playable, read_json, shipped_tasks
from tests.cases import for_each
from tests.cli.running import invoked, otherminds
from tests.household.epistemic.translating import solve_pddl

NAME = "nested_confirmation"
RELEASE = Path(__file__).parents[1] / "tasks" / "release"
installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)


def task_file(folder: Path, name: str, **changes: object) -> Path:
    """A shipped task with some fields changed, as a file."""
    data = read_json(NAME)
    assert isinstance(data, dict)
    path = folder / name
    path.write_text(json.dumps(data | changes))
    return path


def run(*words: str) -> tuple[int, str]:
    done = invoked(*words)
    if isinstance(done.exception, TaskError):
        raise done.exception
    return done.exit_code, done.output


PLAN = load_task(NAME).calibration
assert PLAN is not None
SOUND = (
    "no fault found",
    "verified: the secrets agree with agent_knows",
    f"calibrated: T* = {PLAN.turns} (proved), {2 * PLAN.turns} turns an episode",
)
"""What is said of the task without faults that the tests here begin from."""


def sound(name: object) -> str:
    return "".join(f"{name}: {line}\n" for line in SOUND)


def test_a_sound_task_passes_and_is_verified_and_calibrated() -> None:
    assert run("tasks", "check", NAME) == (0, sound(NAME))


def test_a_task_with_secrets_in_free_words_is_unverified_and_never_called_embodied_trouble(
    tmp_path: Path,
) -> None:
    path = task_file(
        tmp_path, "free.json", agent_knows={}, calibration=None, agent_secrets={"agent_0": ["Look about."]}
    )
    code, text = run("tasks", "check", str(path))
    assert code == 0
    assert f"{path}: unverified: no agent_knows" in text
    assert f"{path}: not calibrated: " in text
    assert "embodied trouble" not in text
    assert "functional theory of mind" not in text


def test_every_fault_is_printed_with_its_place_and_the_exit_code_is_2(tmp_path: Path) -> None:
    task_file(tmp_path, "good.json")
    bad = task_file(tmp_path, "bad.json", num_agents=1, problem_pddl="(is_opn x_1)", provenance="mine")
    code, text = run("tasks", "check", str(tmp_path))
    assert code == 2
    assert f"{bad}: num_agents: 1 agents; a task has 2 to 64" in text
    assert f"{bad}: problem_pddl: line 1, column 1" in text
    assert f"{bad}: note: provenance: the format of Other Minds has no such field; kept in release" in text
    assert "good.json: no fault found" in text


def test_what_could_not_be_checked_is_said(tmp_path: Path) -> None:
    path = task_file(tmp_path, "far.json", scene_id="102344280")
    code, text = run("tasks", "check", str(path))
    assert code == 0
    assert (
        f"{path}: not checked: scene '102344280' is missing, neither shipped nor beside the task: names of"
        in text
    )
    assert f"{path}: no fault in what was checked, and it cannot be played without its scene" in text
    assert "no fault found" not in text


def own_scene(folder: Path) -> Path:
    """A task with its own scene beside it."""
    scene = load_scene(load_task(NAME).scene_id)
    (folder / "my_house.json").write_bytes(
        msgspec.json.encode(msgspec.structs.replace(scene, scene_id="my_house"))
    )
    return task_file(folder, "t.json", scene_id="my_house")


def test_a_scene_beside_its_task_is_found_by_every_command(tmp_path: Path) -> None:
    path = own_scene(tmp_path)
    assert run("tasks", "check", str(tmp_path)) == (0, sound(path))
    assert run("tasks", "check", str(path)) == (0, sound(path))
    both = sorted(map(str, tmp_path.iterdir()))
    assert run("tasks", "check", *both) == (0, sound(path))
    assert run("tasks", "show", str(path), "--out", str(tmp_path / "a.svg"))[0] == 0
    code, text = run("run", str(tmp_path), "--out", str(tmp_path / "out"), "--mind", "random", "--dry-run")
    assert (code, f"  {NAME}" in text) == (0, True)


def test_a_scene_alone_is_no_task(tmp_path: Path) -> None:
    own_scene(tmp_path)
    code, text = run("tasks", "check", str(tmp_path / "my_house.json"))
    assert code == 2
    assert "my_house.json: a scene, and no task" in text


def test_every_file_is_checked_though_one_cannot_be_read(tmp_path: Path) -> None:
    task_file(tmp_path, "a.json")
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.json").write_bytes(b'{"task": "\xff"}')
    task_file(tmp_path, "d.json", num_agents=1)
    task_file(tmp_path, "e.json", scene_id="broken")
    (tmp_path / "broken.json").write_text('{"geometry": {}}')
    task_file(tmp_path, "z.json")
    code, text = run("tasks", "check", str(tmp_path), "gone.json")
    assert code == 2
    for said in (
        f"{tmp_path}/a.json: no fault found",
        f"{tmp_path}/b.json: not JSON",
        f"{tmp_path}/c.json: not JSON",
        f"{tmp_path}/d.json: num_agents",
        f"{tmp_path}/e.json: {tmp_path}/broken.json: not a scene",
        f"{tmp_path}/z.json: no fault found",
        "gone.json: no task file there",
    ):
        assert text.count(said) == 1, said


def test_a_scene_file_that_is_not_there_is_said_once() -> None:
    with pytest.raises(TaskError, match="no such scene file"):
        run("tasks", "check", *shipped_tasks(), "--scene", "gone.json")


def test_a_shipped_task_is_run_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = run("run", NAME, "--out", "out", "--mind", "random", "--dry-run")
    assert code == 0
    assert text.splitlines()[0] == f"study {NAME}: 3 episodes"
    assert run("tasks", "check", NAME)[0] == 0


def test_a_plan_that_does_not_reach_the_goal_is_a_fault(tmp_path: Path) -> None:
    plan = {"turns": 1, "least": 1, "plan": [["Wait[]", "Wait[]"]]}
    code, text = run("tasks", "check", str(task_file(tmp_path, "stale.json", calibration=plan)))
    assert code == 2
    assert (
        "stale.json: calibration.plan: after its 1 turns the goal does not hold; calibrate the task again"
        in text
    )


def test_a_scene_graph_can_be_given(tmp_path: Path) -> None:
    graph = tmp_path / "current_scene.json"
    graph.write_text(
        json.dumps(
            {
                "scene_id": "9",
                "rooms": ["kitchen_1"],
                "furniture": [],
                "objects": [],
                "articulated_furniture": [],
                "furniture_in_rooms": {},
                "objects_on_furniture": {"chair_10": []},
            }
        )
    )
    code, text = run("tasks", "check", NAME, "--scene", str(graph))
    assert code == 2
    assert "in scene graph 9" in text
    assert "note: chair_10 is used but not in the list furniture" in text


def test_lists_name_every_task_and_scene() -> None:
    assert [line.split()[0] for line in run("tasks", "list")[1].splitlines()] == list(shipped_tasks())
    assert [line.split()[0] for line in run("scenes", "list")[1].splitlines()] == list(shipped_scenes())


@installed
def test_calibrating_finds_the_shortest_plan_and_writes_it_where_it_is_asked_to(tmp_path: Path) -> None:
    path = task_file(tmp_path, "t.json", calibration=None)
    code, text = run("tasks", "calibrate", str(path))
    assert (code, text.splitlines()[0]) == (0, f"{path}: {SOUND[2]}")
    assert load_task(path).calibration is None
    before = path.read_text()
    assert run("tasks", "calibrate", str(path), "--write")[0] == 0
    given = load_task(path).calibration
    assert given is not None
    assert (given.turns, given.least, len(given.plan)) == (PLAN.turns,) * 3
    assert before.partition('"problem_pddl"')[0] in path.read_text()
    with pytest.raises(TaskError, match="calibration is a list, as the release has it"):
        run("tasks", "calibrate", str(task_file(tmp_path, "list.json", calibration=[])), "--write")
    with pytest.raises(TaskError, match="a shipped task is not written to"):
        run("tasks", "calibrate", NAME, "--write")
    with pytest.raises(TaskError, match="cannot be played"):
        run("tasks", "calibrate", str(task_file(tmp_path, "far.json", scene_id="far")))


def test_without_the_planner_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "find_spec", lambda name: None)
    done = invoked("tasks", "calibrate", NAME)
    assert isinstance(done.exception, StudyError)
    assert "pip install 'otherminds[verify]'" in str(done.exception)


@pytest.mark.parametrize("name", ["cooperative", "mixed"])
def test_a_file_of_the_release_is_converted_out_and_in_again(name: str, tmp_path: Path) -> None:
    ours, out, again = (tmp_path / f"{k}.json" for k in range(3))
    code, text = run("tasks", "convert", str(RELEASE / f"{name}.json"), "--out", str(ours))
    assert code == 0
    assert text.endswith(f"{ours}: written in our form\n")
    assert "note: " in text
    assert run("tasks", "convert", str(ours), "--out", str(out), "--to", "public")[0] == 0
    assert run("tasks", "convert", str(out), "--out", str(again), "--to", "ours")[0] == 0
    assert ours.read_text() == again.read_text()
    released = json.loads(out.read_text()) | {"initial_states": {}}
    assert set(released.pop("agent_knows")) == {"agent_0", "agent_1", "agent_2"}
    assert released == json.loads((RELEASE / f"{name}.json").read_text())


def test_what_cannot_be_converted_is_said_and_leaves_nothing_behind(tmp_path: Path) -> None:
    bad, out = (
        task_file(tmp_path, "bad.json", num_agents=1, problem_pddl="(is_opn x_1)"),
        tmp_path / "out.json",
    )
    before = sorted(tmp_path.iterdir())
    done = otherminds("tasks", "convert", bad, "--out", out)
    assert done.returncode == 2
    assert f"{bad}: num_agents: 1 agents; a task has 2 to 64" in done.stdout
    assert "nothing was written" in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(TaskError, match="there is such a file already"):
        run("tasks", "convert", NAME, "--out", str(bad))
    with pytest.raises(TaskError, match="there is no folder"):
        run("tasks", "convert", NAME, "--out", str(tmp_path / "gone" / "out.json"))
    with pytest.raises(TaskError, match=r"gone\.json"):
        run("tasks", "convert", "gone.json", "--out", str(out))
    assert sorted(tmp_path.iterdir()) == before


@for_each(
    "words",
    [
        ["tasks"],
        ["scenes"],
        ["tasks", "check"],
        ["tasks", "calibrate"],
        ["tasks", "convert"],
        ["tasks", "list"],
    ],
)
def test_every_command_has_help(words: list[str]) -> None:
    code, text = run(*words, "--help")
    assert code == 0
    assert "--help" in text


def test_a_path_of_nothing_is_one_line_and_exit_code_2() -> None:
    done = otherminds("tasks", "check", "gone.json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no task file there" in done.stderr


def test_help_imports_nothing_of_the_household() -> None:
    code = "import sys; from otherminds.cli.main import app; print([m for m in sys.modules if m.startswith('otherminds.household.') and '.cli' not in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestVerify:
    @installed
    def test_the_table_has_every_verdict_and_the_certificate_is_accepted(self, tmp_path: Path) -> None:
        file = tmp_path / "proof.json.gz"
        done = otherminds("tasks", "verify", "cabinet_confirmation", "--certificate", file)
        assert done.returncode in (None, 0), done.stderr
        for name in ("solvable", "needs messages", "needs agent_0", "needs agent_1", "guess-proof", "fair"):
            assert name in done.stdout
        assert "10 of 10 verdicts that decide about the task are proved" in done.stdout
        checked = otherminds("tasks", "verify", "cabinet_confirmation", "--check", file)
        assert checked.returncode in (None, 0)
        assert "12 of 12 due verdicts shown" in checked.stdout
        assert "needs messages: accepted" in checked.stdout
        assert "level 3 solves the task with seeds 0, 1, 2: accepted: played again" in checked.stdout
        other = otherminds("tasks", "verify", "relay_inspection", "--check", file)
        assert other.returncode == 2
        assert "the problem is not that of task 'relay_inspection'" in other.stderr

    def test_a_file_that_is_no_certificate_is_one_line(self, tmp_path: Path) -> None:
        file = tmp_path / "proof.json"
        file.write_text("{}")
        done = otherminds("tasks", "verify", NAME, "--check", file)
        assert done.returncode == 2
        assert "no certificate" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    @installed
    def test_a_task_that_is_not_proved_ends_with_code_1_also_as_json(self, tmp_path: Path) -> None:
        """No hamper has to stay shut, so that a guess opens all of them."""
        file = tmp_path / "guessed.json"
        text = json.dumps(read_json("relay_inspection"))
        file.write_text(text.replace("chest_of_drawers_24", "hamper_22"))
        done = otherminds("tasks", "verify", file, "--json")
        found = json.loads(done.stdout)
        assert done.returncode == 1
        assert not found["holds"]
        open_ = [
            one for one in found["verdicts"] if one["decisive"] and not one["status"].startswith("proved")
        ]
        assert [(one["name"], one["status"]) for one in open_] == [("guess-proof", "unknown")]
        assert (found["levels"]["no_message"], found["levels"]["level 3"]) == (0, 3)

    def test_an_episode_that_is_not_the_teams_ends_with_code_1_and_needs_no_planner(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(fast_downward, "program", lambda: None)
        house = playable(NAME)
        problem, file = exported(house), tmp_path / "episodes.json"
        (one,) = (one for one in team_episodes(house) if one.team == "level 3")
        waiting = ("Wait[]",) * len(house.agents)
        for episode, wrong in ((one, False), (structs.replace(one, turns=(waiting, *one.turns[1:])), True)):
            file.write_bytes(msgspec.json.encode(Certificate(problem, problem.sha256(), {}, (episode,))))
            done = otherminds("tasks", "verify", NAME, "--check", file)
            assert done.returncode == 1
            assert "level 3 solves the task with seeds 0, 1, 2: " in done.stdout
            assert ("rejected" in done.stdout) == wrong
            assert "1 of 14 due verdicts shown" in done.stdout

    @installed
    def test_a_certificate_that_does_not_show_all_due_verdicts_ends_with_code_1(self, tmp_path: Path) -> None:
        """Claims that are true, under names that claim more; and claims and episodes that are left out."""
        whole = verified(playable(NAME)).certificate
        claims, start = whole.claims, whole.claims["not solved at the start"]
        needs = "needs agent_0"
        every = structs.replace(claims[needs], without=whole.problem.agents)
        swapped = {needs: claims["solvable"], "solvable": claims[needs]}
        forged = {
            "all the same": structs.replace(whole, claims=dict.fromkeys(claims, start)),
            "swapped": structs.replace(whole, claims=claims | swapped),
            "hard": structs.replace(whole, claims=claims | {"hard": start}),
            "all removed": structs.replace(whole, claims=claims | {needs: every}),
            "no claims": structs.replace(whole, claims={}),
            "no episodes": structs.replace(whole, episodes=()),
        }
        raws = {kind: msgspec.json.encode(one) for kind, one in forged.items()}
        twice = f'"claims":{{"{needs}":{{}},'.encode()
        raws["a key twice"] = msgspec.json.encode(whole).replace(b'"claims":{', twice, 1)
        codes = {kind: self._codes(tmp_path / "proof.json", raw) for kind, raw in raws.items()}
        assert codes.pop("a key twice") == (1, 2)
        assert codes == dict.fromkeys(forged, (1, 1))
        assert self._codes(tmp_path / "proof.json", msgspec.json.encode(whole)) == (0, 0)

    def _codes(self, file: Path, raw: bytes) -> tuple[object, object]:
        """The exit codes of both checkers."""
        file.write_bytes(raw)
        done = otherminds("tasks", "verify", NAME, "--check", file)
        return main([str(file)]), done.returncode or 0

    def test_a_certificate_of_another_kind_of_file_is_refused_before_any_proof(self, tmp_path: Path) -> None:
        done = otherminds("tasks", "verify", NAME, "--certificate", tmp_path / "proof.txt")
        assert done.returncode == 2
        assert "a certificate is a file .json or .json.gz" in done.stderr

    def test_without_the_planner_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fast_downward, "program", lambda: None)
        done = otherminds("tasks", "verify", "cabinet_confirmation")
        assert done.returncode == 2
        assert "pip install 'otherminds[verify]'" in done.stderr
        assert "Traceback" not in done.stderr


HELD_OUT = RELEASE.parent / "held_out" / "tasks" / "hidden_shelf.json"


def test_a_file_without_its_scene_is_converted_with_a_house_next_to_it(tmp_path: Path) -> None:
    source = tmp_path / "release.json"
    data = json.loads(HELD_OUT.read_text())
    data["agent_secrets"]["agent_0"].append("Perhaps cabinet_17 suits the frame.")
    source.write_text(json.dumps(data))
    code, text = run("tasks", "convert", str(source), "--house")
    assert code == 0
    made, scene = tmp_path / "release_house.json", tmp_path / "release_house_scene.json"
    assert f"{made}: written in our form, with its house in {scene}" in text
    assert "to confirm: agent_secrets.agent_0: 'Perhaps cabinet_17 suits the frame.': not understood" in text
    assert "The frame is meant for" not in text
    code, text = run("tasks", "check", str(made))
    assert (code, "no fault found" in text) == (0, True)
    assert playable(made).scene == load_scene(scene)
    with pytest.raises(TaskError, match="there is such a file already"):
        run("tasks", "convert", str(source), "--house")


def test_a_house_is_for_tasks_in_our_form_without_a_scene(tmp_path: Path) -> None:
    for more in (("--to", "public"), ("--scene", str(HELD_OUT))):
        done = invoked(
            "tasks", "convert", str(HELD_OUT), "--out", str(tmp_path / "out.json"), "--house", *more
        )
        assert isinstance(done.exception, StudyError)
        assert "leave --scene and --to out" in str(done.exception)
    done = invoked("tasks", "convert", str(HELD_OUT))
    assert isinstance(done.exception, StudyError)
    assert "--out" in str(done.exception)


@installed
def test_an_exported_task_is_pddl_that_the_planner_solves(tmp_path: Path) -> None:
    code, text = run("tasks", "export", NAME, "--out", str(tmp_path / "new" / "pddl"))
    domain, problem = (tmp_path / "new" / "pddl" / f"{name}.pddl" for name in ("domain", "problem"))
    assert (code, text.split()) == (0, [str(domain), str(problem)])
    assert (
        solve_pddl(
            domain.read_text(), problem.read_text(), "lazy_greedy([ff()], preferred=[ff()])", 20.0
        ).verdict
        == "plan"
    )
    house = playable(NAME)
    assert {agents for agents, _ in exported(house).goal} == {chain.agents for chain in claims(house.goal)}
