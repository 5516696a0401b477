"""No command speaks of a household run in the words of matrix games: a house has no rounds, payoffs or opponents."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

import pytest

from tests.cli.running import otherminds

FOREIGN = re.compile(
    r"stage game|matrix game|\brounds?\b|payoff|opponent|\bcooperat(?:e|es|ed|ing|or|ors)\b|\bdefect|\bToM %|"
    r"best[ _-]repl|best[ _-]response|tit.for.tat|\bdominant|\bgap\b|regret|Δ_|informative|settled|foresight|\bluck\b|"
    r"\blabels?\b|population|encounter|equilibrium|automat(?:on|a)\b|rock-paper|paper convention|tabular|"
    r"what it wins by knowing|partners? with|stratified by partner|paired by partner|unused",
    re.IGNORECASE,
)
FORM = frozenset({"unused", "unused_share", "gap", "foresight", "luck", "fallbacks_an_encounter"})
"""Fields that the JSON of every world has; their reasons, which people read, are searched."""
STUDY = """
name = "two houses"
episodes = 3

[[cells]]
scenarios = ["household-nested_confirmation-v1", "household-safety_staging-v1"]
minds = [
    "no_message",
    { mind = "level_k", params = { k = 3 } },
    "egocentric",
    "ask_first-hallway",
    "planner",
    "tool_loop@scripted:uniform",
]
"""
LEVEL, LISTENER = "level_k(k=3)", "tool_loop@scripted:uniform"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command prints or writes about a run of a cooperative and a mixed task, and about suite ``house``."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "study.toml").write_text(STUDY)
    run, suite, page = folder / "house", folder / "suite", folder / "replay.html"
    commands: dict[str, tuple[object, ...]] = {
        "dry run": ("run", folder / "study.toml", "--out", run, "--dry-run"),
        "run": ("run", folder / "study.toml", "--out", run),
        "status": ("status", run),
        "report": ("report", run),
        "report.json": ("report", run, "--json"),
        "report to a page": ("report", run, "--page"),
        "episodes": ("episodes", run),
        "episodes.json": ("episodes", run, "--json"),
        "compare": ("compare", run, "--mind", LEVEL, "--mind", "planner"),
        "compare.json": ("compare", run, "--mind", LEVEL, "--mind", LISTENER, "--json"),
        "replay": ("replay", run, 3),
        "replay of a model": ("replay", run, 15, "--prompts"),
        "replay to a page": ("replay", run, 20, "--page", page),
        "evaluate": ("evaluate", "scripted:first", "--suite", "house", "--size", "quick", "--out", suite),
        "compare evaluations": ("compare", suite, suite),
        "result.json": ("compare", suite, suite, "--json"),
    }
    texts: dict[str, str] = {}
    for name, words in commands.items():
        done = otherminds(*words)
        assert done.returncode == 0, (name, done.stderr)
        texts[name] = f"{done.stdout}\n{done.stderr}"
    lines = texts.pop("evaluate").splitlines()
    texts["evaluate"] = "\n".join(line for line in lines if not line.startswith("{"))
    pages = (page, *run.glob("*.html"), *(suite / "run").glob("*.html"))
    return (
        texts
        | {str(one.relative_to(folder)): one.read_text() for one in pages}
        | {"evaluate.json": (suite / "result.json").read_text()}
    )


def read_aloud(name: str, text: str) -> Iterator[str]:
    """The texts that a person reads: of a page without its style and program, of JSON keys and strings."""
    if name.endswith(".html"):
        text = re.sub(r"<(style|script)\b(?![^>]*json)[^>]*>.*?</\1>", " ", text, flags=re.DOTALL)
        yield from map(html.unescape, re.findall(r'(?:title|aria-label|alt)="([^"]*)"', text))
        yield html.unescape(re.sub(r"<[^>]+>", " ", text))
    elif name.endswith(".json"):
        for line in text.splitlines() if name != "report.json" else [text[: text.rindex("}") + 1]]:
            if line.startswith(("{", "[")):
                yield from _strings(json.loads(line))
    else:
        yield text


def _strings(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in FORM:
                yield str(key)
            yield from _strings(value)
    elif isinstance(data, list):
        for one in data:
            yield from _strings(one)
    elif isinstance(data, str):
        yield data


def test_no_word_of_matrix_games_stands_in_what_household_commands_print(printed: dict[str, str]) -> None:
    foreign = {
        (name, text[max(0, match.start() - 60) : match.end() + 40])
        for name, whole in printed.items()
        for text in read_aloud(name, re.sub(r"[ \n]+", " ", whole) if not name.endswith(".json") else whole)
        for match in FOREIGN.finditer(text)
    }
    assert not foreign, "\n".join(f"{name}: …{near}…" for name, near in sorted(foreign))


def test_the_search_sees_tables_pages_and_documents(printed: dict[str, str]) -> None:
    assert len(printed) >= 18
    for name, whole in printed.items():
        assert any(re.search("[a-z]{3}", text) for text in read_aloud(name, whole)), name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("report", "L: no stage game"),
        ("report.html", "<p>no <b>stage game</b>"),
        ("report.html", '<abbr title="no stage game">L</abbr><style>a{}</style>'),
        ("report.json", '{"cells": [{"reason": "no stage game"}]}'),
        ("compare.json", '{"sentence": "no stage game"}'),
        ("report.json", '{"regret": null}'),
    ],
)
def test_the_search_finds_a_word_wherever_it_stands(name: str, text: str) -> None:
    assert any(FOREIGN.search(one) for one in read_aloud(name, text))


def test_a_run_of_teams_is_compared_by_the_goals_that_were_met(printed: dict[str, str]) -> None:
    """Two tasks are too few for a test, and the table says so; nothing is said about single tasks."""
    table = printed["compare"]
    assert "goals met" in table
    assert "2 tasks, and a test needs 6" in table
    assert "household-" not in table.partition("\n\n")[2]
