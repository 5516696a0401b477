"""Stand-ins for ``sbatch``, ``scontrol``, ``kubectl``, ``ssh`` and ``rsync``: tasks are processes of this machine.

They read the recipes as they are, the header of the batch script and the manifest. One task is
killed once in the middle, as a node fails, and started again where the recipe asks for that. Their folder, in the
variable ``STANDINS``, has a log of what they did, and how many episodes were recorded when a task was killed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from time import sleep

FOLDER = Path(os.environ.get("STANDINS", "."))
TICK = 0.02


def log(text: str) -> None:
    """Adds a line to the log."""
    with (FOLDER / "log").open("a") as file:
        file.write(f"{text}\n")


def lines(files: str) -> int:
    """The number of lines in the files at the pattern ``files``, below the folder of the stand-ins."""
    return sum(path.read_bytes().count(b"\n") for path in FOLDER.glob(files))


@dataclass
class Task:
    """A process of its own session. ``fails`` says when it is killed, and is forgotten then."""

    name: str
    words: Sequence[str]
    env: Mapping[str, str]
    fails: Callable[[Task], bool] | None = None
    starts: int = 0
    process: Popen[bytes] = field(init=False)

    def start(self) -> None:
        self.starts += 1
        self.process = Popen(self.words, env={**os.environ, **self.env}, start_new_session=True)

    def code(self) -> int | None:
        """The exit code, or ``None`` while it plays; kills it first if that is due."""
        if self.fails is not None and self.process.poll() is None and self.fails(self):
            self.fails = None
        return self.process.poll()


def killed_when(records: str, *others: str) -> Callable[[Task], bool]:
    """Kills a task and all of its processes when files at ``records`` and all ``others`` have lines."""

    def fail(task: Task) -> bool:
        if not all(map(lines, (records, *others))):
            return False
        os.killpg(task.process.pid, signal.SIGKILL)
        task.process.wait()
        log(f"{task.name}: killed after {lines(records)} episodes")
        return True

    return fail


def ended_when(records: str) -> Callable[[Task], bool]:
    """Asks the batch script alone to end when it has recorded something, as Slurm does before the time limit."""

    def end(task: Task) -> bool:
        if not lines(records):
            return False
        task.process.terminate()
        log(f"{task.name}: ended after {lines(records)} episodes")
        return True

    return end


def play(tasks: Sequence[Task], again: Callable[[Task, int], bool]) -> int:
    """Plays tasks at the same time, those again of which ``again`` says so by their exit code; the largest of these."""
    codes: dict[str, int] = {}
    for task in tasks:
        task.start()
    while len(codes) < len(tasks):
        sleep(TICK)
        for task in tasks:
            code = task.code()
            if task.name in codes or code is None:
                continue
            if again(task, code):
                log(f"{task.name}: started again")
                task.start()
            else:
                codes[task.name] = abs(code)
    return max(codes.values())


def sbatch() -> None:
    """``sbatch SCRIPT ARGUMENT...``, which returns at the end of the array."""
    script, *arguments = sys.argv[1:]
    header = dict(
        re.findall(r"^#SBATCH --([\w-]+)=?(\S*)$", Path(script).read_text(encoding="utf-8"), re.MULTILINE)
    )
    first, last = map(int, header["array"].split("-"))
    assert header["signal"].startswith("B:TERM@"), "the batch script is asked to end before the time limit"
    tasks = [
        Task(
            str(index),
            ["bash", script, *arguments],
            {
                "SLURM_ARRAY_JOB_ID": "7",
                "SLURM_ARRAY_TASK_ID": str(index),
                "SLURM_ARRAY_TASK_COUNT": str(last - first + 1),
                "SLURM_CPUS_PER_TASK": header["cpus-per-task"],
            },
        )
        for index in range(first, last + 1)
    ]
    home = "**/shards/{}-of-*/records/*"
    tasks[1].fails = killed_when(home.format(first + 1))
    tasks[2].fails = ended_when(home.format(first + 2))

    def again(task: Task, code: int) -> bool:
        asked = FOLDER / f"7_{task.name}"
        failed = code == -signal.SIGKILL and "requeue" in header
        if asked.exists():
            asked.unlink()
            return True
        return failed and task.starts < 3

    sys.exit(play(tasks, again))


def scontrol() -> None:
    """``scontrol requeue JOB``."""
    command, job = sys.argv[1:]
    assert command == "requeue"
    (FOLDER / job).touch()


def kubectl() -> None:
    """``kubectl apply -f MANIFEST`` of an Indexed Job, which returns at its end; its volume is the stand-ins' folder."""
    import yaml

    *_, manifest = sys.argv
    spec = yaml.safe_load(Path(manifest).read_text(encoding="utf-8"))["spec"]
    assert spec["completionMode"] == "Indexed"
    refused = next(rule["onExitCodes"] for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule)
    pod = spec["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    (container,) = pod["containers"]
    (mount,) = container["volumeMounts"]
    env = {one["name"]: one["value"].replace(mount["mountPath"], str(FOLDER)) for one in container["env"]}
    tasks = [
        Task(str(index), container["command"], {**env, "JOB_COMPLETION_INDEX": str(index)})
        for index in range(spec["completions"])
    ]
    tasks[2].fails = killed_when("out/shards/3-of-*/records/*")

    def again(task: Task, code: int) -> bool:
        return code != 0 and code not in refused["values"] and task.starts <= spec["backoffLimitPerIndex"]

    sys.exit(play(tasks, again))


def ssh() -> None:
    """``ssh [-tt] HOST COMMAND``: in the folder of the host; ``host2`` fails once, when all of ``FAILS_WHEN`` have lines."""
    host, command = [word for word in sys.argv[1:] if word != "-tt"]
    home = FOLDER / host
    home.mkdir(exist_ok=True)
    os.chdir(home)
    task = Task(host, ["bash", "-c", command], {"STANDIN_HOST": host})
    failed = FOLDER / "failed"
    if host == "host2" and "mkdir" not in command and not failed.exists():
        task.fails = killed_when(*os.environ["FAILS_WHEN"].split())
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(task.process.pid, signal.SIGTERM))
    code = play([task], lambda task, code: False)
    if code == signal.SIGKILL:
        failed.touch()
    sys.exit(255 if code == signal.SIGKILL else code)


def rsync() -> None:
    """``rsync -a --delete FROM/ TO/`` and ``rsync -aR NAME... TO/``, where one side may be on a host."""
    option, *words, last = sys.argv[1:]
    target = _place(last)
    if option == "-aR":
        for name in words:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if Path(name).is_dir() else shutil.copy2
            copy(name, target / name)
        return
    delete, place = words
    assert (option, delete) == ("-a", "--delete")
    source = _place(place)
    if not source.is_dir():
        sys.exit(23)
    shutil.rmtree(target)
    shutil.copytree(source, target)


def _place(word: str) -> Path:
    host, colon, path = word.partition(":")
    assert word.endswith("/"), "the content of a folder, and not the folder"
    return FOLDER / host / path if colon else Path(word)
