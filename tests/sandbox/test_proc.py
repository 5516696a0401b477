"""What ``/proc`` in a sandbox tells: nothing of the supervisor, whichever way it is asked."""

import asyncio
from pathlib import Path

import pytest

from otherminds.sandbox.kinds import PROGRAMS, Bubblewrap, Container
from otherminds.sandbox.supervised import Supervised, supervisor
from tests.sandbox.attacks import python
from tests.sandbox.conftest import LIMITS

WAYS = """
print(sorted(os.listdir("/proc/1")))
names = ("auxv cgroup cmdline comm cwd environ exe fd fd/0 fd/1 fdinfo io limits map_files maps mem mountinfo mounts net ns ns/pid "
         "numa_maps oom_score_adj pagemap personality root root/etc sched smaps smaps_rollup stack stat statm status syscall "
         "task task/1 task/1/cmdline task/1/maps wchan autogroup timerslack_ns attr/current").split()
places = ["/proc/1", "/proc/self/../1", "/proc/thread-self/../../../1", "/proc/self/root/proc/1", "/proc/self/task/1",
          f"/proc/{os.getppid()}/../1", f"/proc/self/task/{os.getpid()}/../1"]
for place in places:
    for name in names:
        for mode in (os.O_RDONLY, os.O_WRONLY):
            try:
                os.close(os.open(f"{place}/{name}", mode))
                print("opened", place, name)
            except OSError:
                pass
        try: print("link", place, name, os.readlink(f"{place}/{name}"))
        except OSError: pass
"""
SEARCH = """
needles = [bytes(reversed(part)) for part in {parts}]
seen = count = 0
for place, folders, names in os.walk("/proc"):
    folders[:] = [name for name in folders if name not in ("sys", "irq", "net", "map_files")]
    for name in names:
        path = os.path.join(place, name)
        if name in ("kmsg", "kcore", "mem", "pagemap", "kpagecount", "kpageflags", "kpagecgroup", "sysrq-trigger"): continue
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file: data = file.read(1 << 20) or b""
        except OSError: continue
        count += 1
        for needle in needles:
            if needle in data: print("told", path)
print("searched", count > 100)
"""


@pytest.fixture
def inside(sandbox: object) -> Supervised:
    return Supervised(Bubblewrap(), LIMITS)


def test_the_folder_of_the_supervisor_is_empty_by_every_way(inside: Supervised, workspace: Path) -> None:
    ran = asyncio.run(inside.run(python(WAYS), workspace))
    assert (ran.code, ran.stdout, ran.stderr) == (0, "[]\n", "")


def test_no_file_has_a_line_of_its_source_or_of_how_it_was_started(
    inside: Supervised, workspace: Path
) -> None:
    started = Bubblewrap().started(LIMITS, "label")
    texts = [line for line in supervisor().splitlines() if len(line) > 30] + [
        part.encode() for part in started if len(part) > 30
    ]
    reversed_parts = [bytes(reversed(text)) for text in texts]
    ran = asyncio.run(inside.run(python(SEARCH.replace("{parts}", repr(reversed_parts))), workspace))
    assert (ran.code, ran.stdout, ran.stderr) == (0, "searched True\n", "")


def test_two_commands_see_nothing_of_each_other(inside: Supervised, tmp_path: Path) -> None:
    async def both() -> tuple[str, ...]:
        folders = [tmp_path / "a", tmp_path / "b"]
        for folder in folders:
            folder.mkdir()
        command = "exec -a OWN-{n} sleep 0.6 & sleep 0.3; cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -a OWN- | sort -u"
        ran = await asyncio.gather(
            *(inside.run(command.replace("{n}", str(n)), folder) for n, folder in enumerate(folders))
        )
        return tuple(one.stdout for one in ran)

    texts = asyncio.run(both())
    assert ["OWN-1" in texts[0], "OWN-0" in texts[1]] == [False, False]
    assert [f"OWN-{n}" in text for n, text in enumerate(texts)] == [True, True]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_list_of_processes_has_no_source(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    for runtime in (Bubblewrap(), Container(program, "image")):
        assert "supervise" not in " ".join(runtime.started(LIMITS, "label-0123456789abcdef"))
