"""Checks that hold for every file of the project: length, and what no file may name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LONGEST = 600
ADDRESS = "://"
REGISTRY = re.compile(r"[:]//\S*(?:pypi|pythonhosted|npmjs|debian)")
INDEX = re.compile(r"--(extra-)?index-url|--find-links")
TEXT = {".py", ".toml", ".md", ".txt", ".yml", ".csv", ".html", ".json", ""}


def faults(path: Path) -> list[str]:
    """What is wrong with one file."""
    if path.suffix not in TEXT:
        return []
    text = path.read_text(encoding="utf-8")
    found = [f"{path}: names a package registry: {url}" for url in REGISTRY.findall(text)]
    pinned = path.parent.name == "requirements" or path.name in ("pyproject.toml", "Makefile")
    if pinned and (ADDRESS in text or INDEX.search(text)):
        found.append(f"{path}: names where packages come from; that is the user's to set")
    lines = text.count("\n")
    if path.suffix == ".py" and lines > LONGEST:
        found.append(f"{path}: {lines} lines; divide what it does (at most {LONGEST})")
    return found


def main() -> None:
    """Prints every fault; exit code 1 if there is one."""
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout
    found = [fault for name in tracked.splitlines() for fault in faults(Path(name))]
    print("\n".join(found) or f"{len(tracked.splitlines())} files are tidy")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
