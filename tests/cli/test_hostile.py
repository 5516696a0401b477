"""Texts of others reach a terminal without control characters, whatever command prints them."""

from __future__ import annotations

import io
import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.progress import Progress, TextColumn
from rich.table import Table

from otherminds.cli.shared import Guarded, drawn, guard_output
from otherminds.core.encoding import encode
from otherminds.core.text import CONTROL, plain
from otherminds.household.tasks import load as tasks
from otherminds.models.http import MASK
from otherminds.studies.progress import Terminal
from otherminds.studies.run_dir import results
from tests.cli.running import COMMANDS, Done, otherminds
from tests.models import serving

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202e\r\x08\x7f[/bold][link=x]"
"""A colour, a title, C1, a right-to-left override, controls of the cursor, and markup."""
STUDY = f"""
name = {json.dumps("name " + EVIL)}
episodes = 1
rounds = 2
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = [{{ mind = "qa", model = "MODEL", label = {json.dumps("label " + EVIL)} }}]
"""


def clean(done: Done) -> Done:
    """``done``, after a look at all that it printed."""
    assert CONTROL.search(done.stdout) is None, ascii(done.stdout)
    assert CONTROL.search(done.stderr) is None, ascii(done.stderr)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("words", COMMANDS)
def test_no_command_repeats_a_control_character_of_its_arguments(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    command = COMMANDS[words]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    given = [
        str(tmp_path / EVIL.replace("/", "")) if words != ("models", "pull") else EVIL for _ in arguments
    ]
    if words == ("tasks", "generate"):
        # Its argument is a folder to make; a file is refused.
        Path(given[0]).write_text("no pool")
    out = ["--out", str(tmp_path / "out")] if any("--out" in one.opts for one in command.params) else []
    if arguments:
        assert clean(otherminds(*words, *given, *out)).returncode
    assert clean(otherminds(*words, *given, EVIL, *out)).returncode
    assert clean(otherminds(*words, f"--{EVIL}")).returncode
    for option in (
        one for one in command.params if one.param_type_name == "option" and "--out" not in one.opts
    ):
        assert clean(otherminds(*words, *given, *out, option.opts[0], EVIL)).returncode or option.is_flag


def test_nor_does_the_way_in() -> None:
    for words in ((EVIL,), (f"--{EVIL}",), ("models", EVIL), ("list", EVIL)):
        assert clean(otherminds(*words)).returncode == 2


def answers(refused: bool) -> serving.Answer:
    def answer(asked: Any) -> serving.Reply:
        if refused:
            return serving.Reply({"error": {"message": f"no {EVIL}"}}, 400)
        message = {"content": f"A: Option J {EVIL}", "reasoning_content": EVIL}
        return serving.Reply({"choices": [{"message": message, "finish_reason": EVIL}]})

    return answer


@pytest.mark.parametrize("refused", [False, True])
def test_nothing_of_a_study_or_a_server_moves_the_cursor(refused: bool, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(STUDY)
    with serving.serving(answers(refused)) as local:
        model = f"openai:toy@{local.url}?context=9000"
        clean(otherminds("run", study, "--out", out, "--model", model, "--dry-run"))
        ran = clean(otherminds("run", study, "--out", out, "--model", model))
        assert "label" in ran.stdout
        clean(otherminds("run", study, "--out", out, "--model", f"openai:{EVIL}@{local.url}"))
    for form in ("table", "json"):
        done = clean(otherminds("report", out, *(["--json"] if form == "json" else [])))
        assert done.returncode == 0, done.stderr
        if form == "json":
            assert EVIL in json.loads(done.stdout)["title"]
    clean(otherminds("replay", out, "0", "--prompts"))
    clean(otherminds("compare", out, out))


KEY, TOKEN = "sk-hush/4711+abcdef", "tk-path-8823-xyz"


def repeating(asked: Any) -> serving.Reply:
    """Repeats the key and the path in each form, now as a reply and now as an error."""
    forms = (
        f"{KEY} {quote(KEY, safe='')} {b64encode(KEY.encode()).decode()} {chr(0x200B).join(KEY)} {asked.path}"
    )
    if len(asked.raw) % 2:
        return serving.Reply({"error": {"message": forms}}, 400)
    call = {"type": "function", "function": {"name": KEY, "arguments": json.dumps({"a": forms})}}
    message = {"content": f"A: Option J {forms}", "reasoning": forms, "tool_calls": [call]}
    return serving.Reply({"choices": [{"message": message, "finish_reason": KEY}]})


def test_no_key_and_no_token_of_a_path_is_printed_or_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    study, out, cache = tmp_path / "study.toml", tmp_path / "out", tmp_path / "cache.sqlite"
    study.write_text(STUDY.replace("episodes = 1", "episodes = 4"))
    with serving.serving(repeating) as local:
        model = f"openai:toy@{local.url.replace('/v1', f'/{TOKEN}/v1')}?context=9000&key=MY_KEY"
        said = [otherminds("run", study, "--out", out, "--model", model, "--cache", cache)]
    said += [otherminds("report", out, *form) for form in ((), ("--json",))]
    said += [otherminds("replay", out, str(n), "--prompts") for n in range(4)]
    records = list(results(out)[1])
    assert {record.outcome.status for record in records} >= {"failed"}
    texts = [text for one in said for text in (one.stdout, one.stderr)]
    texts += [encode(record).decode() for record in records]
    texts += [file.read_bytes().decode("latin-1") for file in (*out.rglob("*"), cache) if file.is_file()]
    assert any(MASK in text for text in texts)
    for secret in ("hush", "tk-path", quote(KEY, safe=""), b64encode(KEY.encode()).decode()[:-3]):
        assert [text[max(at - 80, 0) : at + 40] for text in texts if (at := text.find(secret)) >= 0] == []


def test_nor_does_anything_of_a_task(tmp_path: Path) -> None:
    shipped = Path(tasks.__file__).parent / "shipped" / f"{tasks.shipped_tasks()[0]}.json"
    task: dict[str, Any] = json.loads(shipped.read_text())
    for name, value in task.items():
        if isinstance(value, str):
            file = tmp_path / f"{name}.json"
            file.write_text(json.dumps({**task, name: value + EVIL}))
            clean(otherminds("tasks", "check", file))
            clean(otherminds("tasks", "show", file))
            clean(otherminds("tasks", "list", tmp_path))


@given(st.text())
def test_every_text_becomes_plain_and_json_stays_the_same(text: str) -> None:
    assert CONTROL.search(plain(text)) is None
    assert plain(plain(text)) == plain(text)
    assert (plain(text) == text) is (CONTROL.search(text) is None)
    encoded = json.dumps(text, ensure_ascii=False)
    assert json.loads(plain(encoded)) == text or any("\ud800" <= char <= "\udfff" for char in text)


@given(st.text(st.characters(max_codepoint=0x3000)))
def test_a_terminal_draws_texts_without_their_control_characters(text: str) -> None:
    out = io.StringIO()
    terminal = Terminal(out, width=200, colour=True)
    table = Table("head", text, title=text)
    table.add_row(text, "x")
    terminal.print(text, style="bold")
    terminal.print(table)
    drawn_text = out.getvalue()
    for style in ("\x1b[1m", "\x1b[0m", "\x1b[3m", "\x1b[1;3m"):
        drawn_text = drawn_text.replace(style, "")
    assert CONTROL.search(drawn_text) is None


def test_a_bar_moves_the_cursor_and_its_text_does_not() -> None:
    out = io.StringIO()
    terminal = Terminal(out, width=200, colour=True)
    with Progress(TextColumn("{task.description}", markup=False), console=terminal) as bar:
        bar.add_task(EVIL)
    text = out.getvalue()
    assert "\x1b[?25l" in text
    assert not any(part in text for part in ("\x1b[31m", "\x1b]", "\x07", "\x9b", "\u202e", "\x7f"))


def test_the_guarded_streams_are_those_of_the_process_with_plain_texts() -> None:
    out = io.StringIO()
    with patch.object(sys, "stdout", out):
        with guard_output():
            assert isinstance(sys.stdout, Guarded)
            assert not sys.stdout.isatty()
            print(EVIL, end="")
            drawn("\x1b[1mbold\x1b[0m")
            Terminal().print(EVIL)
        assert sys.stdout is out
    assert (
        out.getvalue()
        == f"{plain(EVIL)}\x1b[1mbold\x1b[0m\n{plain(EVIL.translate({7: '', 8: '', 13: ''}))}\n"
    )


def test_only_a_terminal_of_ours_prints_with_rich() -> None:
    import otherminds

    source = Path(otherminds.__file__).parent
    users = {path.name for path in source.rglob("*.py") if "rich.console" in path.read_text(encoding="utf-8")}
    assert users <= {"progress.py", "table.py"}
    assert "Console(" not in (source / "reports" / "table.py").read_text(encoding="utf-8").replace(
        "Terminal(", ""
    )
