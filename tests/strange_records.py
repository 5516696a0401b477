"""Records of strangers, odd or wrong in some part under a right hash, and the commands that read them.

For the tests and ``benchmarks/hardening_records.py``.

A sound record is changed in one to three places. The place and the new value follow the types of
:class:`~otherminds.core.record.Record`, which msgspec lists, so that a field that is added to it is tried as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import reduce
from html.parser import HTMLParser
from importlib.util import find_spec
from operator import getitem
from pathlib import Path
from time import process_time
from traceback import extract_tb
from typing import Any, NamedTuple

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from otherminds.core.encoding import encode
from otherminds.core.record import EpisodeSpec, Record, Timing
from otherminds.core.segments import START
from otherminds.core.text import CONTROL
from otherminds.studies.run_dir import CARD
from otherminds.studies.store import Store
from tests.cli.running import Done, otherminds
from tests.mutated_inputs import Account, HangError, limited
from tests.reports.replay.reading import raw_characters

STUDY = """
name = "sound"
seed = 3
episodes = 1
rounds = 4
[[cells]]
scenarios = ["rps-single-v1"]
minds = ["rmax", "qa@scripted:first", "lm@scripted:first", "hm@competent"]
literal = "before"
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["bayes", "cot@scripted:first"]
literal = "before"
[[cells]]
scenarios = ["rws-repeated-0-v1", "cooking-asymmetric-0-v1"]
minds = ["hm@competent"]
options = { steps = 40 }
[[cells]]
tasks = ["inverse_handle"]
minds = [{ mind = "level_k", seats = { agent_1 = "level_k" } }]
"""
"""Episodes of every kind of world: with models and without, with scores, notes, bounds, a map and a log."""
MARK = "zzforeign"
"""The name of the element and of the attributes that a page would have if a text of a record became a part of it."""
RAW = "@raw "
"""Begins a text that stands in the JSON without its quotation marks."""
TEXTS = (
    *("", " ", "x", "ego", "partner_0", "agent_0", "rock", "paper", "C", "D", "scored", "solo", "nobody"),
    *("rps-single-v1", "rws-repeated-0-v1", "household-inverse_handle-v1", "cooking-asymmetric-0-v1"),
    *("tests.none:Made", "custom:made", "hm", "informed", "openai:x@http://127.0.0.1:9", "suppose rock"),
    *(
        "\0",
        "\n",
        "a\nb",
        "\r",
        "\x1b[2J\x1b]0;x\x07",
        "\x9b2J",
        "\u202eabc",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\udfff",
    ),
    *(
        "\U0001f642",
        "e\u0301" * 40,
        "x" * 5_000,
        "%s%n{0}{x}",
        "[/bold]",
        "[link=x]y[/link]",
        "$\\x$",
        "'; --",
    ),
    *(f"<{MARK}>", f"</script><{MARK}>", f'" {MARK}="1', f"' {MARK}='1", f"--><{MARK}>", f"]]><{MARK}>"),
    *(f"<!--<script></{MARK}", f"javascript:{MARK}()", "&lt;", "&", "../../x", "/dev/zero", "-x", "=1+1"),
)
INTEGERS = (0, 1, -1, 2, 7, 10**6, 2**31, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30, -(10**30))
FLOATS = (0.0, -0.0, 1.5, -1.0, 1e-320, 1e300, -1e300, f"{RAW}1e999", f"{RAW}-1e999", f"{RAW}NaN")
DEEP = f"{RAW}{'[' * 300}{']' * 300}"
EDITS = ("odd", "wrong", "lacking", "empty", "longer", "shorter", "renamed")
UNSEEN = "\x00\x1b[2J\x7f\x85\x9b2J\r\u200b\u061c\u200e\u200f\u2028\u202a\u202b\u202d\u202eab\u202c\u2066\u2067\u2068\u2069\ufeff"
"""Characters that a reader does not see, or that turn the direction of what follows."""
RAW_FORM = re.compile(rf'"{RAW}([^"]*)"')
PLACE = "00000.jsonl: line 1"
"""How a message names the record."""


def sound_records(folder: Path) -> list[Any]:
    """The records of :data:`STUDY` as JSON data, played in ``folder``."""
    study, out = folder / "sound.toml", folder / "sound"
    study.write_text(STUDY, encoding="utf-8")
    done = otherminds("run", study, "--out", out)
    assert done.returncode == 0, done.stderr
    return [json.loads(line.body) for line in Store(out).lines()]


class Forged(NamedTuple):
    """The stored line of a record, and the specification of its episode as a plan has it."""

    line: bytes
    spec: bytes


def simple() -> st.SearchStrategy[Any]:
    """A JSON value that is no container."""
    return st.one_of(
        st.none(), st.booleans(), st.sampled_from(INTEGERS), st.sampled_from(FLOATS), st.sampled_from(TEXTS)
    )


def values() -> st.SearchStrategy[Any]:
    """Any JSON value."""
    return st.one_of(
        simple(),
        st.just(DEEP),
        st.recursive(
            simple(),
            lambda inside: (
                st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(TEXTS), inside, max_size=3)
            ),
            max_leaves=5,
        ),
    )


def odd(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """JSON values of a type: those at its edges, above all."""
    match kind:
        case inspect.StrType():
            return st.sampled_from(TEXTS) | st.text(max_size=12)
        case inspect.IntType():
            return st.sampled_from(INTEGERS) | st.integers()
        case inspect.FloatType():
            return st.sampled_from((*FLOATS, *INTEGERS)) | st.floats(allow_nan=False, allow_infinity=False)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.UnionType():
            return st.one_of(*map(odd, kind.types))
        case inspect.StructType() if kind.array_like:
            return st.tuples(*(odd(one.type) for one in kind.fields)).map(list)
        case inspect.StructType():
            needed = {one.encode_name: odd(one.type) for one in kind.fields if one.required}
            needed |= {kind.tag_field: st.just(kind.tag)} if kind.tag_field else {}
            others = {one.encode_name: odd(one.type) for one in kind.fields if not one.required}
            return st.fixed_dictionaries(needed, optional=others)
        case inspect.DictType():
            return st.dictionaries(odd(kind.key_type), odd(kind.value_type), max_size=3)
        case inspect.TupleType():
            return st.tuples(*map(odd, kind.item_types)).map(list)
        case inspect.ListType() | inspect.VarTupleType():
            return st.lists(odd(kind.item_type), max_size=3)
        case inspect.AnyType():
            return values()
    raise NotImplementedError(f"no values of {kind}")


def text_places(value: Any) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The way to one text of each kind of place in a JSON value; places that differ in indices of lists are of one kind."""
    if isinstance(value, str):
        return {(): ()}
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ways: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for key, held in inside:
        for kind, way in text_places(held).items():
            ways.setdefault((key if isinstance(value, dict) else "*", *kind), (key, *way))
    return ways


def with_text(value: Any, text: str, ways: Iterable[tuple[Any, ...]]) -> Any:
    """A copy of a JSON value with ``text`` behind the texts at the ends of ``ways``."""
    copy = deepcopy(value)
    for *outer, key in ways:
        reduce(getitem, outer, copy)[key] += text
    return copy


def parts(kind: inspect.Type, value: Any) -> Mapping[Any, inspect.Type]:
    """The types of the parts of a JSON value of a type, by key; also of the fields of a structure that it omits."""
    match kind:
        case inspect.UnionType():
            fits = [one for one in kind.types if _fits(one, value)]
            return parts(fits[0], value) if fits else {}
        case inspect.StructType() if isinstance(value, list):
            return dict(enumerate(one.type for one in kind.fields[: len(value)]))
        case inspect.StructType() if isinstance(value, dict):
            return {one.encode_name: one.type for one in kind.fields}
        case inspect.DictType() if isinstance(value, dict):
            return dict.fromkeys(value, kind.value_type)
        case inspect.TupleType() if isinstance(value, list):
            return dict(enumerate(kind.item_types[: len(value)]))
        case inspect.ListType() | inspect.VarTupleType() if isinstance(value, list):
            return dict.fromkeys(range(len(value)), kind.item_type)
        case inspect.AnyType():
            keys = {dict: value, list: range(len(value)) if isinstance(value, list) else ()}
            return dict.fromkeys(keys.get(type(value), ()), kind)
    return {}


def _fits(kind: inspect.Type, value: Any) -> bool:
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        return not kind.tag_field or value.get(kind.tag_field) == kind.tag
    return bool(parts(kind, value))


@st.composite
def edited(draw: st.DrawFn, kind: inspect.Type, value: Any) -> Any:
    """A JSON value of a type with one change somewhere in it."""
    inside = parts(kind, value)
    if inside and draw(st.integers(0, 9)) < 8:
        key = draw(st.sampled_from(list(inside)))
        copy = dict(value) if isinstance(value, dict) else list(value)
        held = value[key] if isinstance(value, list) else value.get(key)
        changed = draw(edited(inside[key], held))
        if changed is LACKING:
            if isinstance(copy, list) or key in copy:
                del copy[key]
        else:
            copy[key] = changed
        return copy
    edit = draw(st.sampled_from(EDITS))
    if edit == "lacking":
        return LACKING
    if edit in ("empty", "longer", "shorter") and isinstance(value, list | dict):
        return _resized(draw, edit, value)
    if edit == "renamed" and isinstance(value, dict) and value:
        key, other = draw(st.sampled_from(sorted(value))), draw(st.sampled_from(TEXTS))
        return {other if name == key else name: held for name, held in value.items()}
    return draw(odd(kind) if edit in ("odd", "empty", "longer") else values())


LACKING = object()
"""In place of a value that is taken away."""


def _resized(draw: st.DrawFn, edit: str, value: Any) -> Any:
    if edit == "empty":
        return type(value)()
    if isinstance(value, dict):
        if edit == "shorter":
            return dict(list(value.items())[:-1])
        return {**value, draw(st.sampled_from(TEXTS)): next(iter(value.values()), None)}
    if edit == "shorter":
        return value[: draw(st.integers(0, max(len(value) - 1, 0)))]
    return value * 2 if value else [draw(simple())]


@st.composite
def strange_records(draw: st.DrawFn, sound: Sequence[Any]) -> Forged:
    """A changed copy of one of ``sound``, records as JSON data; one in thirty owes nothing to them."""
    if draw(st.integers(0, 29)) == 0:
        body = draw(odd(RECORD))
    else:
        body = draw(st.sampled_from(sound))
        for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
            changed = draw(edited(RECORD, body))
            body = changed if isinstance(changed, dict) else body
    timing = draw(odd(TIMING)) if draw(st.integers(0, 9)) == 0 else {"seconds": 0.5}
    return forge(body, timing)


RECORD, TIMING = inspect.type_info(Record), inspect.type_info(Timing)


def forge(body: dict[str, Any], timing: Any) -> Forged:
    """The line of a record under its right hashes."""
    spec = _canonical(_text(body.get("spec")), EpisodeSpec)  # as a plan knows an episode
    fields = [
        json.dumps(key).encode() + b":" + (spec if key == "spec" else _text(held))
        for key, held in body.items()
    ]
    whole = b"{" + b",".join(fields) + b"}"
    names = (hashlib.sha256(spec).hexdigest()[:16], hashlib.sha256(whole).hexdigest())
    line = b'{"episode":"%s","hash":"%s","body":%s,"timing":%s}' % (
        *(name.encode() for name in names),
        whole,
        _canonical(_text(timing), Timing),
    )
    return Forged(line, spec)


def _canonical(text: bytes, kind: type[msgspec.Struct]) -> bytes:
    with suppress(ValueError, RecursionError):
        return encode(msgspec.json.decode(text, type=kind))
    return text


def _text(value: Any) -> bytes:
    return RAW_FORM.sub(r"\1", json.dumps(value, separators=(",", ":"))).encode()


def _episode(folder: Path) -> str:
    """The first twelve digits of the name of the only episode in a folder."""
    return (folder / "records" / "00000.jsonl").read_text(encoding="utf-8")[len(START) :][:12]


def put(folder: Path, forged: Forged) -> None:
    """The output folder of a run whose only record is ``forged``."""
    (folder / "records").mkdir(parents=True)
    (folder / "records" / "00000.jsonl").write_bytes(forged.line + b"\n")
    (folder / CARD).write_bytes(
        b'{"name":"strange","identity":"0","plugins":[],"episodes":[%s]}' % forged.spec
    )


class _Marks(HTMLParser):
    """The elements and attributes of a page that a text of a record made."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if MARK in name or (value or "").strip().startswith("javascript:"):
                self.marks.append(f"{name}={value}")
        if MARK in tag:
            self.marks.append(tag)


def commands_on(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every command that reads the records of ``folder``, by what it does; pages and files are made in ``folder/made``.

    Files of other libraries are exported where their extra is installed.
    """
    out = folder / "made"
    exports = {"export": ("export", folder, "--out", out / "rows.parquet")} if find_spec("pyarrow") else {}
    return {
        "report": ("report", folder),
        "report as JSON": ("report", folder, "--json"),
        "report as a page": ("report", folder, "--page", "--out", out),
        "episodes": ("episodes", folder),
        "episodes as JSON": ("episodes", folder, "--json"),
        "replay": ("replay", folder, "0", "--prompts"),
        "replay as a page": ("replay", folder, "0", "--page", out / "replay.html"),
        **exports,
        "status": ("status", folder, "--digest"),
        "status as JSON": ("status", folder, "--json"),
        "compare": ("compare", folder, folder),
        "merge": ("merge", folder, "--out", out / "merged"),
    }


def judge(forged: Forged, folder: Path, accounts: dict[str, Account], left_out: Collection[str] = ()) -> None:
    """Runs every command but those ``left_out`` on a record, and enters what it did into the account of the command."""
    put(folder, forged)
    for name, words in commands_on(folder).items():
        if name in left_out:
            continue
        account = accounts.setdefault(name, Account())
        start = process_time()
        try:
            with limited():
                done = otherminds(*words)
        except (Exception, HangError) as error:  # noqa: BLE001 - any exception is what is looked for
            account.outcomes["traceback"] += 1
            account.wrong.append(
                f"{type(error).__name__}: {error} ({extract_tb(error.__traceback__)[-1]})"[:300]
            )
        else:
            account.outcomes["refused" if done.returncode == 2 else "done"] += 1
            account.wrong += faults_of(name, done, folder)
        account.seconds = max(account.seconds, process_time() - start)


def faults_of(name: str, done: Done, folder: Path) -> list[str]:
    """What is wrong with the way a command ended on a folder of :func:`put`."""
    said = [line for line in done.stderr.splitlines() if line.startswith("otherminds: ")]
    codes = {"status": (0, 1, 2), "replay as a page": (0, 1, 2)}.get(name.removesuffix(" as JSON"), (0, 2))
    pages = sorted((folder / "made").rglob("*.html"))
    marks, raw = _Marks(), set[str]()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        marks.feed(text)
        raw |= raw_characters(text)
        page.unlink()
    names = (PLACE, CARD, f"episode {_episode(folder)}")
    checks = {
        f"exit code {done.returncode}": done.returncode not in codes,
        "no line": done.returncode == 2 and len(said) != 1,
        "several lines": done.returncode == 2 and done.stderr.count("\n") > 1,
        "the record is not named": done.returncode == 2 and not any(one in done.stderr for one in names),
        "a control character": CONTROL.search(done.stdout + done.stderr) is not None,
        f"raw characters on a page {sorted(map(ascii, raw))}": bool(raw),
        f"markup {marks.marks[:3]}": bool(marks.marks),
    }
    return [f"{what}: {done.stderr[:200]!r}" for what, wrong in checks.items() if wrong]
