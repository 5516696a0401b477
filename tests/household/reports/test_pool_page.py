"""The page of a pool: all of each entry, nothing of a task as markup, no other file, and small."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

import otherminds
from otherminds.household.pool.store import PooledTask, certificate_path, read_pool, task_json
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.reports.pool_page import SCRIPT, BrowsedPool, as_pool_page, row
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.household.reports import pools
from tests.reports.replay import reading

NAMES = ("remote_lights", "inspection_limited_messaging")
EVIL = "</script><img src=x onerror=alert(1)>\"'`{{7*7}}&lt;<!--"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pools.write_pool(tmp_path_factory.mktemp("pools") / "small", *NAMES)


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return as_pool_page([BrowsedPool("small", read_pool(folder), folder)])


@pytest.fixture(scope="module")
def evil() -> str:
    """Every text of a task and of its entry is an attack; one is played, one has faults."""
    one = pools.pooled(load_task("remote_lights"))
    says = (ProofVerdict(EVIL, "proved and checked", EVIL), ProofVerdict("hard", "unknown", EVIL))
    entry = replace(
        one.entry, task_id=EVIL, verdicts=says, levels={EVIL: 1}, structure=EVIL, certificate=EVIL
    )
    played = replace(one.task, task_id=EVIL, title=EVIL, task=EVIL)
    faulty = replace(
        played,
        scene_id=EVIL,
        problem_pddl=EVIL,
        agent_secrets={EVIL: (EVIL,)},
        agent_knows={EVIL: (EVIL,)},
        private_goals={EVIL: EVIL},
        active_mechanics=(EVIL,),
        mechanic_bindings=(replace(one.task.mechanic_bindings[0], mechanic_type=EVIL),),
    )
    return as_pool_page([BrowsedPool(EVIL, (PooledTask(entry, played), PooledTask(entry, faulty)))])


def test_it_counts_the_cheap_teams_that_solve_a_task_and_none_is_not_unknown() -> None:
    (solved, failed, untried) = (
        row(replace(one, entry=replace(one.entry, cheap=cheap)))
        for one in [pools.pooled(load_task(NAMES[0]))]
        for cheap in ({"one": (2,), "another": (4,)}, {}, None)
    )
    assert [one["cheap"] for one in (solved, failed, untried)] == [2, 0, None]


def tasks(page: str) -> list[dict[str, Any]]:
    return reading.told(page)["tasks"]


def test_everything_of_an_entry_is_there(page: str, folder: Path) -> None:
    shown = tasks(page)
    assert [one["id"] for one in shown] == [*NAMES]
    for one, pooled in zip(shown, read_pool(folder), strict=True):
        entry, task = pooled.entry, pooled.task
        assert one["task"] == json.loads(task_json(task))
        kept = ("pattern", "seed", "structure", "sha256", "certificate", "levels")
        assert {name: one[name] for name in kept} == {name: getattr(entry, name) for name in kept}
        assert one["verdicts"] == [[v.name, v.status, v.says, v.decisive] for v in entry.verdicts]
        assert (one["title"], one["scene"], one["category"]) == (task.title, task.scene_id, task.category)
        assert (one["agents"], one["hard"], one["fault"]) == (task.num_agents, "yes", "")
        assert task.calibration is not None
        assert one["cheap"] == (None if entry.cheap is None else len(entry.cheap))
        assert (one["turns"], one["shortest"]) == (task.calibration.turns, True)


def test_the_goal_is_there_in_words_and_as_a_formula_and_by_turn(page: str) -> None:
    lights, mixed = tasks(page)
    assert lights["depth"] == 1
    assert ["", "toy_figure_1 must end on bed_45.", "(is_on_top toy_figure_1 bed_45)"] in lights["goal"]
    knows = ["", "By the end, agent_0 must know that floor_lamp_53 is switched on."]
    assert [*knows, "(K agent_0 (is_powered_on floor_lamp_53))"] == lights["goal"][-1]
    owners = [owner for owner, _, _ in mixed["goal"]]
    assert owners == sorted(owners), "private goals come after the shared one"
    assert set(owners) == {"", *mixed["task"]["private_goals"]}
    for one in (lights, mixed):
        assert {len(holding) for holding in one["run"]["holding"]} == {len(one["goal"])}


def test_mechanics_are_there_in_words_and_as_facts(page: str) -> None:
    bindings = tasks(page)[0]["bindings"]
    assert [one["name"] for one in bindings] == ["room_restriction"] * 3 + ["remote_control"]
    assert bindings[2]["words"] == ["agent_0 cannot enter kitchen_1.", "agent_2 cannot enter kitchen_1."]
    assert bindings[3]["words"] == [
        "Opening stand_47 makes floor_lamp_53 switched on, and closing it does the opposite."
    ]
    assert bindings[3]["facts"] == ["(controls stand_47 floor_lamp_53)"]


def test_the_run_is_that_of_the_certificate_with_its_messages(page: str) -> None:
    for name, one in zip(NAMES, tasks(page), strict=True):
        (episode,) = pools.certificate(name).episodes
        assert one["run"]["certified"]
        assert one["run"]["solved"]
        assert [[did[0] for did in turn] for turn in one["run"]["turns"][1:]] == [
            list(t) for t in episode.turns
        ]
        sent = [call for turn in episode.turns for call in turn if call.startswith("Communicate")]
        assert len(one["run"]["messages"]) == len(sent)
        for (_, _, to, text, _, _), call in zip(one["run"]["messages"], sent, strict=True):
            assert call == f'Communicate[{to}, "{text}"]'


def test_every_turn_has_its_map(page: str) -> None:
    story = reading.told(page)
    for one in story["tasks"]:
        scene = story["scenes"][one["map_of"]]
        for markup in (scene["floors"], scene["still"], one["map"]["still"], *one["map"]["marks"]):
            fromstring(f"<svg>{markup}</svg>")
        assert len(one["map"]["turns"]) == len(one["run"]["turns"])
        assert {n for turn in one["map"]["turns"] for n in turn} == {*range(len(one["map"]["marks"]))}


def test_the_command_checks_the_certificate(page: str, folder: Path) -> None:
    fault, command = tasks(page)[0]["proof"]
    assert not fault
    certificate = certificate_path(folder, "remote_lights")
    assert command == f"otherminds tasks verify {folder}/tasks/remote_lights.json --check {certificate}"


def test_a_packed_pool_has_no_certificates_and_the_team_plays_again(page: str, folder: Path) -> None:
    packed = tasks(as_pool_page([BrowsedPool("packed", read_pool(folder))]))
    for one, other in zip(packed, tasks(page), strict=True):
        assert one["proof"] == [
            "a packed pool has no certificates; verify the task file below to make one anew",
            "",
        ]
        assert one["run"] == other["run"] | {"certified": False}


def test_a_missing_a_damaged_and_a_changed_certificate_are_said_to_be_so(tmp_path: Path) -> None:
    folder = pools.write_pool(tmp_path / "pool", *shipped_tasks()[:3])
    missing, damaged, changed = (certificate_path(folder, name) for name in shipped_tasks()[:3])
    missing.unlink()
    damaged.write_bytes(damaged.read_bytes()[:100])
    changed.write_bytes(
        certificate_path(pools.write_pool(tmp_path / "other", "remote_lights"), "remote_lights").read_bytes()
    )
    found = tasks(as_pool_page([BrowsedPool("pool", read_pool(folder), folder)]))
    assert [bool(one["run"]["turns"]) for one in found] == [True] * 3
    assert not any(one["run"]["certified"] for one in found)
    faults = [one["proof"][0] for one in found]
    for fault, path, why in zip(faults, (missing, damaged, changed), ("", "damaged", "sha256"), strict=True):
        assert str(path) in fault
        assert why in fault


def test_an_episode_that_the_simulator_rejects_is_said_to_be_so(tmp_path: Path) -> None:
    folder = pools.write_pool(tmp_path / "pool", "remote_lights", forged=True)
    (one,) = tasks(as_pool_page([BrowsedPool("pool", read_pool(folder), folder)]))
    assert one["run"]["fault"] == "an episode goes on after 1 turns"


def test_a_task_that_cannot_be_played_is_there_without_a_map() -> None:
    task = replace(load_task("remote_lights"), scene_id="nowhere")
    (one,) = tasks(as_pool_page([BrowsedPool("pool", (pools.pooled(task),))]))
    assert one["fault"].startswith("cannot be played: ")
    assert "nowhere" in one["fault"]
    assert "run" not in one
    assert one["task"] == json.loads(task_json(task))


def test_a_task_that_says_to_have_very_many_agents_costs_nothing() -> None:
    task = replace(load_task("remote_lights"), num_agents=10**12)
    page = as_pool_page([BrowsedPool("pool", (pools.pooled(task),))])
    assert len(page) < 60_000
    assert tasks(page)[0]["agents"] == 10**12


def test_a_task_whose_goal_cannot_be_read_has_no_depth() -> None:
    task = replace(load_task("remote_lights"), problem_pddl="(and")
    (one,) = tasks(as_pool_page([BrowsedPool("pool", (pools.pooled(task),))]))
    assert one["depth"] is None
    assert "problem_pddl" in one["fault"]


def test_a_pool_without_tasks_has_a_page() -> None:
    page = as_pool_page([BrowsedPool("empty", ())])
    assert tasks(page) == []
    assert "0 tasks" in reading.Reader(page).text


def test_a_verdict_decides_whether_a_task_is_hard() -> None:
    one = pools.pooled(load_task("remote_lights"))
    for verdicts, hard in (
        ((), "unknown"),
        ((ProofVerdict("hard", "unknown", ""),), "unknown"),
        ((ProofVerdict("hard", "refuted", ""),), "no"),
        ((ProofVerdict("hard", "proved by planner", ""),), "yes"),
    ):
        entry = replace(one.entry, verdicts=verdicts)
        task = replace(one.task, scene_id="nowhere")
        (found,) = tasks(as_pool_page([BrowsedPool("pool", (PooledTask(entry, task),))]))
        assert found["hard"] == hard


def test_nothing_of_a_task_is_markup(evil: str) -> None:
    assert "onerror" not in re.sub(r"&lt;/script&gt;&lt;img src=x onerror", "", evil)
    read = reading.Reader(evil)
    assert read.tags.count("script") == 2
    assert not {"img", "iframe", "a"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on") or name in ("src", "href")]
    story = reading.told(evil)
    assert story["tasks"][0]["run"]["solved"]
    assert story["tasks"][1]["fault"]
    # What is put in as markup has no text of the task.
    markup = [json.dumps(one) for one in (story["scenes"], story["tasks"][0]["map"])]
    assert "onerror" not in "".join(markup)
    for text in (one["title"] for one in story["tasks"]):
        assert text == EVIL


def test_only_maps_are_put_in_as_markup(page: str) -> None:
    script = reading.Reader(page).scripts[""]
    assert re.findall(r"(\S+)\.innerHTML\b", script) == ['el("moment")', 'el("floors")', 'el("still")']
    assert not re.findall(r"outerHTML|insertAdjacentHTML|document\.write|\beval\(|Function\(", script)
    assert re.findall(r'setAttribute\("href", (.*)\)', script) == ["addressOf(one)"]


def test_it_is_whole_by_itself(page: str) -> None:
    read = reading.Reader(page)
    assert not {"link", "img", "iframe", "object"} & set(read.tags)
    assert not {"src", "href", "srcset"} & {name for name, _ in read.attributes}
    assert not re.findall(r"https?://|@import|fetch\(|XMLHttpRequest", page)


def test_no_script_runs_but_its_own(page: str) -> None:
    read = reading.Reader(page)
    (policy,) = [value for name, value in read.attributes if name == "content" and "default-src" in value]
    digest = b64encode(sha256(read.scripts[""].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert re.findall(r"script-src ([^;]*)", policy) == [f"'sha256-{digest}'"]


def test_the_script_asks_for_elements_that_are_there_once(page: str) -> None:
    read = reading.Reader(page)
    names = [value for name, value in read.attributes if name == "id"]
    assert len(names) == len(set(names))
    assert {"story", "rows", "task", "turns"} <= reading.asked(page) <= set(names)


def test_every_part_of_the_script_is_used() -> None:
    folder = Path(otherminds.__file__).parent / "household" / "reports" / "script"
    own = {f"otherminds.household.reports:script/{path.name}" for path in folder.glob("pool*")}
    assert own
    assert own <= {*SCRIPT}


def test_it_is_readable_in_light_and_in_dark_and_on_a_phone(page: str) -> None:
    assert (
        page.count("prefers-color-scheme: dark") == 4
    )  # the page, the grades, the maps, and the script that redraws
    assert 'content="width=device-width, initial-scale=1"' in page
    assert "max-width: 44rem" in page


def test_tasks_of_one_scene_share_its_map() -> None:
    one = pools.pooled(load_task(NAMES[0]))
    story = reading.told(as_pool_page([BrowsedPool("two", (one, pools.renamed(one, "again")))]))
    assert {task["map_of"] for task in story["tasks"]} == set(story["scenes"])
    assert len(story["scenes"]) == 1


@pytest.mark.parametrize(
    ("every", "count"),
    [pytest.param(2, 12, id="sample"), pytest.param(1, 300, id="whole", marks=pytest.mark.slow)],
)
def test_a_page_of_300_tasks_has_at_most_3_mb(every: int, count: int) -> None:
    made = [pools.pooled(load_task(name)) for name in shipped_tasks()[::every]]
    many = tuple(pools.renamed(made[n % len(made)], f"relay_{n}") for n in range(count))
    size = len(as_pool_page([BrowsedPool("standard", many)]))
    scenes = len(as_pool_page([BrowsedPool("standard", many[: len(made)])])) if count < 300 else size
    each = (size - scenes) / (count - len(made))
    assert scenes + each * (300 - len(made)) < 3_000_000
