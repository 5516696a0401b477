"""A call of every command that prints, on files that are made for it, and standard streams that are not as one hopes.

For the tests and ``benchmarks/hardening_output.py``.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.tasks import load as tasks
from tests.cli.running import COMMANDS, otherminds

NAME = "tiny \N{LATIN SMALL LETTER E WITH ACUTE} \N{EURO SIGN} \N{GREEK CAPITAL LETTER OMEGA}"
"""A name of which ASCII, Latin-1 and cp1252 each lack another part."""
STUDY = f"""
name = "{NAME}"
episodes = 2
rounds = 3
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = [{{ mind = "rmax", label = "{NAME}" }}, "bayes"]
"""


class Call(NamedTuple):
    """The words of a command. ``slow`` ones take seconds, the others less than one."""

    words: str
    slow: bool = False


CALLS: Mapping[str, Call] = {
    "compare": Call("compare run run --json"),
    "demo": Call("demo --dry-run", slow=True),
    "episodes": Call("episodes run"),
    "evaluate": Call("evaluate scripted:first --size glance --out evaluated", slow=True),
    "export": Call("export run --out rows.parquet"),
    "host": Call("host study.toml --out hosted"),
    "list": Call("list minds"),
    "merge": Call("merge run --out merged"),
    "models pull": Call("models pull nothing"),
    "people datasheet": Call("people datasheet study.toml --protocol nothing.toml"),
    "people delete": Call("people delete run nothing"),
    "people export": Call("people export run --out decisions.csv"),
    "play": Call("play nothing --out played"),
    "policies list": Call("policies list"),
    "policies pull": Call("policies pull nothing"),
    "policies show": Call("policies show ppo_scripted-rws-repeated-2"),
    "pools author": Call(
        "pools author --model scripted_author --judges scripted_judge,scripted_judge:0.1 --sandbox none --out authored",
        slow=True,
    ),
    "pools browse": Call("pools browse pool --out tasks.html", slow=True),
    "pools evolve": Call(
        "pools evolve evolved --author scripted_author --judges scripted_judge,scripted_judge:0.1 --targets 'level 2' "
        "--n 1",
        slow=True,
    ),
    "pools export": Call("pools export pool --out data{n} --licence MIT"),
    "pools generate": Call("pools generate --out generated --n 1", slow=True),
    "pools pack": Call("pools pack pool --out packed{n}.jsonl.gz"),
    "pools report": Call("pools report pool --out pool.html", slow=True),
    "pools show": Call("pools show pool"),
    "pools stats": Call("pools stats dev"),
    "prompts pack": Call("prompts pack"),
    "prompts show": Call("prompts show cot rps", slow=True),
    "replay": Call("replay run 0"),
    "report": Call("report run"),
    "run": Call("run study.toml --out run"),
    "scenes list": Call("scenes list"),
    "scenes objects": Call("scenes objects stitched_17"),
    "scenes show": Call("scenes show stitched_17 --out scene.svg"),
    "score": Call("score games.jsonl"),
    "selfcheck": Call("selfcheck optima", slow=True),
    "serve": Call("serve rps-mixed-v1"),
    "status": Call("status run"),
    "tasks calibrate": Call("tasks calibrate task.json", slow=True),
    "tasks check": Call("tasks check task.json"),
    "tasks convert": Call("tasks convert task.json --out converted{n}.json"),
    "tasks export": Call("tasks export task.json --out pddl"),
    "tasks judge": Call("tasks judge task.json --judges scripted_judge:0.1,scripted_judge:0.2", slow=True),
    "tasks list": Call("tasks list"),
    "tasks show": Call("tasks show task.json --out task.svg"),
    "tasks verify": Call("tasks verify task.json", slow=True),
    "tournament": Call("tournament run"),
    "train": Call("train nothing --out trained"),
    "validate-env": Call(
        "validate-env rps-mixed-v1 --episodes 2 --rounds 3 --out validation{n}.json", slow=True
    ),
    "view": Call("view nothing"),
}
"""A call of each command, with paths in the folder of :func:`prepare`; ``{n}`` is another number in each."""


def words_of(name: str, n: int) -> list[str]:
    """The words of a call, the ``n``-th of its command."""
    return shlex.split(CALLS[name].words.format(n=n))


def prepare(folder: Path) -> None:
    """Makes the files that the calls read: a study and its run, a task, a pool, and a log."""
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    done = otherminds("run", folder / "study.toml", "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    shipped = Path(tasks.__file__).parent / "shipped" / "inverse_handle.json"
    task = json.loads(shipped.read_text(encoding="utf-8"))
    (folder / "task.json").write_text(json.dumps({**task, "title": NAME}), encoding="utf-8")
    AuthoredPool.create(folder / "pool", "dev")
    played = {"game": "ipd", "players": [NAME, "other"], "acts": [["defect"] * 4, ["cooperate"] * 4]}
    (folder / "games.jsonl").write_text(json.dumps(played), encoding="utf-8")


assert CALLS.keys() == {" ".join(words) for words in COMMANDS}
