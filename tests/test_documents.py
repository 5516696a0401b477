"""The documents of the project name what exists: every link, file, heading and module."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "docs", "examples", "src", "tests", "tools")
LINK = re.compile(r"\]\(([^)\s#:]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"(?<![\w./-])(?:benchmarks|docs|examples|src|tests|tools)/[\w./-]*\w(?![\w$*{<])")
MODULE = re.compile(r"\botherminds(?:\.[a-z_][\w]*)+")
HISTORY = ROOT / "docs" / "changelog.md"
"""The page that also names what is gone."""


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))]


def of_today() -> list[Path]:
    return [page for page in documents() if page != HISTORY]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The headings of a page as MkDocs writes them in addresses, and the anchors in its HTML."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return frozenset(re.sub(r"[-\s]+", "-", heading) for heading in plain)


def test_every_link_leads_to_a_file_and_a_heading_of_it() -> None:
    broken = []
    for page in documents():
        for target, heading in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            path = (page.parent / target).resolve() if target else page
            if not path.exists() or (heading and heading not in anchors(path)):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{heading}")
    assert not broken


def test_every_file_that_is_named_exists() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in of_today()
        for path in NAMED.findall(page.read_text(encoding="utf-8"))
        if not any((folder / path).exists() for folder in (ROOT, page.parent))
    ]
    assert not missing


def exists(name: str) -> bool:
    """Whether a dotted name is a module or a word in one; nothing is imported, because extras may be missing."""
    module, parts = ROOT / "src" / "otherminds", name.split(".")[1:]
    while parts and (module / parts[0]).is_dir():
        module /= parts.pop(0)
    if parts and (module / f"{parts[0]}.py").is_file():
        file = module / f"{parts.pop(0)}.py"
    else:
        file = module / "__init__.py"
    return all(re.search(rf"\b{part}\b", file.read_text(encoding="utf-8")) for part in parts)


def test_every_module_that_is_named_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {f"otherminds.{name}" for name in ("minds", "partners", "games", "strategies", "mechanics")}
    groups |= set(project["entry-points"])
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in of_today()
        for name in MODULE.findall(page.read_text(encoding="utf-8"))
        if name not in groups and not exists(name)
    ]
    assert not missing


def test_every_page_of_results_is_in_an_index() -> None:
    for index in (ROOT / "docs/results/index.md", ROOT / "benchmarks/results/README.md"):
        linked = {target for target, _ in LINK.findall(index.read_text(encoding="utf-8"))}
        assert {page.name for page in index.parent.glob("*.md")} - {index.name} <= linked
