"""Pinned packages in ``requirements/``: ``python tools/pins.py`` checks the files; ``--write`` resolves them again.

Writing needs ``uv`` and the network, and keeps every pinned version that still fits; ``--upgrade`` takes the newest.
Checking needs neither: it compares the files with each other and with ``pyproject.toml``. What only other packages
require is checked by ``pip install --require-hashes``. All files but ``base.txt`` include it and list what they add.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BASE = "base.txt"
INCLUDE = f"-r {BASE}\n"
PIN = re.compile(
    r"^[\w.-]+==[^\s\\]+(?: ; [^\\\n]+?)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n", re.MULTILINE
)
VERSION = re.compile(r"^[\w.-]+==([^\s\\]+)", re.MULTILINE)


class Source(NamedTuple):
    """What a file pins: the project with some of its extras, and packages that only tests and benchmarks use."""

    extras: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    with_project: bool = True


SOURCES = {
    BASE: Source(extras=("dev",), packages=("setuptools>=77", "wheel")),
    "extras.txt": Source(
        extras=("3d", "dask", "inspect", "learn", "parquet", "parsl", "ray", "submitit", "verify", "web"),
        packages=("unified-planning==1.3.0",),  # its validator checks the planner's plans in tests
    ),
    # Axelrod-Python in the version that was measured, which the extra "axelrod" excludes.
    "benchmarks.txt": Source(packages=("axelrod==4.13.1", "open-spiel==1.6.15"), with_project=False),
}


def split_pins(name: str, text: str) -> dict[str, str]:
    """The pins of each package, one for each version of Python that has its own. Raises ValueError for other lines."""
    rest = PIN.sub("", text)
    if rest:
        raise ValueError(f"requirements/{name}: not a version with hashes: {rest.splitlines()[0]}")
    pins: dict[str, str] = defaultdict(str)
    for pin in PIN.finditer(text):
        pins[canonicalize_name(pin[0].partition("==")[0])] += pin[0]
    return dict(pins)


def read_pins(name: str) -> dict[str, str]:
    """The pins of a file, without those of ``base.txt``. Raises ValueError if it does not include ``base.txt``."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    if name != BASE and not text.startswith(INCLUDE):
        raise ValueError(f"requirements/{name}: its first line is not {INCLUDE.strip()!r}")
    return split_pins(name, text if name == BASE else text.removeprefix(INCLUDE))


def list_requirements(source: Source) -> Iterator[Requirement]:
    """The direct requirements of a file."""
    names = [*source.packages]
    extras = PROJECT["optional-dependencies"]
    if source.with_project:
        names += PROJECT["dependencies"]
    waiting = [*source.extras]
    while waiting:
        for requirement in map(Requirement, extras[waiting.pop()]):
            if requirement.name == PROJECT["name"]:
                waiting += requirement.extras
            else:
                names.append(str(requirement))
    yield from map(Requirement, names)


def list_faults() -> Iterator[str]:
    """What is wrong with the files, a line for each fault."""
    if differing := {path.name for path in FOLDER.iterdir()} ^ SOURCES.keys():
        yield f"requirements/: missing, or not written by tools/pins.py: {', '.join(sorted(differing))}"
        return
    try:
        pins = {name: read_pins(name) for name in SOURCES}
    except ValueError as error:
        yield str(error)
        return
    for name, source in SOURCES.items():
        if name != BASE:
            for package in pins[name].keys() & pins[BASE].keys():
                yield f"requirements/{name}: {package} is pinned in {BASE}"
        available = pins[BASE] | pins[name]
        for requirement in list_requirements(source):
            versions = VERSION.findall(available.get(canonicalize_name(requirement.name), ""))
            if not versions:
                yield f"requirements/{name}: {requirement} is not pinned"
            for version in versions:
                if not requirement.specifier.contains(version, prereleases=True):
                    yield f"requirements/{name}: {version} is pinned, not {requirement}"


def resolve_file(name: str, upgrade: bool) -> None:
    """Write one file with what ``uv`` resolves for it beside the pins of ``base.txt``. Raises CalledProcessError."""
    path = FOLDER / name
    command = ["uv", "pip", "compile", "-", "--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-annotate", "--no-header", "--quiet"]
    if name != BASE:
        command += ["--constraint", str(FOLDER / BASE)]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / name
        if path.exists() and not upgrade:  # uv keeps the versions of its output file
            output.write_text("".join(read_pins(name).values()), encoding="utf-8")
        wanted = "\n".join(map(str, list_requirements(SOURCES[name])))
        subprocess.run([*command, "--output-file", str(output)], input=wanted, text=True, check=True)
        pins = split_pins(name, output.read_text(encoding="utf-8"))
    if name == BASE:
        path.write_text("".join(pins.values()), encoding="utf-8")
    else:
        added = (pin for package, pin in pins.items() if package not in read_pins(BASE))
        path.write_text(f"{INCLUDE}{''.join(added)}", encoding="utf-8")


def main() -> None:
    """Write or check all files; exit code 1 if something is wrong with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="resolve and write all files (needs uv and the network)"
    )
    parser.add_argument("--upgrade", action="store_true", help="with --write: take the newest versions")
    options = parser.parse_args()
    if options.write and not shutil.which("uv"):
        sys.exit("tools/pins.py --write needs uv (pip install uv)")
    if options.write:
        for name in SOURCES:
            resolve_file(name, options.upgrade)
    faults = list(list_faults())
    print("\n".join(faults) or f"requirements/: {len(SOURCES)} files agree with pyproject.toml")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
