"""Whatever a file contains, the checker ends in bounded time with a verdict or with ``RejectedError``; its command line."""

from __future__ import annotations

import gzip
import io
import json
import random
from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from otherminds.household.epistemic import certificate as form
from otherminds.household.epistemic import check as checker
from otherminds.household.epistemic.certificate import Gate, PlanTell, ProblemAction, SightRule
from otherminds.household.epistemic.check import RejectedError, check, main
from tests.cases import depth, examples, for_each
from tests.household.epistemic.small import (
    BOX,
    CLAIMS,
    DUE,
    ONE,
    OPEN,
    PLAN,
    PROBLEM,
    SHUT_IN,
    TOLD,
    WHOLE,
    ZERO,
    certificate,
    changed,
    evidence,
    never,
    reached,
)

RAW = certificate()
WORDS = [
    "",
    "?a",
    "?s",
    "?",
    "at",
    "is_open",
    "agent_0",
    "agent_9",
    "box_1",
    OPEN,
    "\u2028",
    "\x00",
    "walk",
    "spot",
]


def ends(raw: bytes) -> dict[str, str]:
    """What the checker says; nothing if it rejects the file. Any other exception fails the test."""
    try:
        said = check(raw)
    except RejectedError:
        return {}
    assert all(isinstance(why, str) for why in (*said.claims.values(), *said.due.values()))
    return evidence(raw)


@settings(deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=50).map(gzip.compress))
def test_bytes_that_are_no_certificate_are_rejected(raw):
    with pytest.raises(RejectedError):
        check(raw)


@pytest.mark.parametrize("count", depth(600, 20_000))
def test_garbled_bytes_lead_to_a_verdict_or_are_rejected(count):
    draw = random.Random(count)
    for packed in (RAW, gzip.compress(RAW, mtime=0)):
        for _ in range(count // 2):
            raw = bytearray(packed)
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(len(raw))
                match draw.randrange(4):
                    case 0:
                        raw[at] = draw.randrange(256)
                    case 1:
                        del raw[at : at + draw.randint(1, 40)]
                    case 2:
                        raw[at:at] = raw[draw.randrange(len(raw)) :][: draw.randint(1, 40)]
                    case _:
                        del raw[at:]
                if not raw:
                    break
            ends(bytes(raw))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """All containers with a key or an index in them, outermost first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, inner in items:
        found.append((value, key))
        found += _places(inner)
    return found


def _mutated(draw: random.Random) -> bytes:
    """The certificate with some parts replaced by others, and the digest of the problem computed again."""
    whole = json.loads(RAW)
    for _ in range(draw.randint(1, 3)):
        container, key = draw.choice(_places(whole))
        other, at = draw.choice(_places(whole))
        match draw.randrange(5):
            case 0:
                container[key] = json.loads(json.dumps(other[at]))
            case 1:
                container[key] = draw.choice(WORDS)
            case 2:
                container[key] = draw.choice([[], {}, None, -1, 10**30, 1e308, True, [[]], [""], {"": []}])
            case 3 if isinstance(container, list):
                container.insert(key, json.loads(json.dumps(draw.choice(container))))
            case _:
                del container[key]
    raw = json.dumps(whole).encode()
    try:
        whole["digest"] = form.decoded(raw).problem.sha256()
    except (ValueError, KeyError):
        return raw
    return json.dumps(whole).encode()


@pytest.mark.parametrize("count", depth(400, 10_000))
def test_changed_parts_lead_to_a_verdict_or_are_rejected(count):
    draw = random.Random(count)
    verdicts = [why for _ in range(count) for why in ends(_mutated(draw)).values()]
    assert "" in verdicts
    assert any(verdicts)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=10,
)


@settings(examples(2))
@given(st.sampled_from(range(len(_places(json.loads(RAW))))), json_values)
def test_any_value_in_any_place_leads_to_a_verdict_or_is_rejected(place, value):
    whole = json.loads(RAW)
    container, key = _places(whole)[place]
    container[key] = value
    ends(json.dumps(whole).encode())


@for_each(
    "raw",
    [
        b"",
        b"{}",
        b"[" * 1_000_000,
        b'{"problem":' * 100_000,
        RAW[:-1],
        RAW + b"{}",
        b"\xef\xbb\xbf" + RAW,
        RAW.replace(b"two_rooms", b"\\ud800"),
        RAW.replace(b"two_rooms", b"\xff\xfe"),
        gzip.compress(RAW)[:-9],
        gzip.compress(RAW) + b"x",
        gzip.compress(RAW) + gzip.compress(RAW),
        gzip.compress(gzip.compress(RAW)),
        b" " * (form.MOST + 1) + RAW,
        RAW.replace(b'"budgets":{"agent_0":1', b'"budgets":{"agent_0":1' + b"0" * 5000),
        RAW.replace(b'"budgets":{"agent_0":1', b'"budgets":{"agent_0":1' + b"0" * 30),
        RAW.replace(b'"budgets":{"agent_0":1', b'"budgets":{"agent_0":1e400'),
        RAW.replace(b'"budgets":{"agent_0":1', b'"budgets":{"agent_0":NaN'),
    ],
    ids=range(18),
)
def test_hostile_files_are_rejected(raw):
    with pytest.raises(RejectedError):
        check(raw)


def test_a_gzip_bomb_is_rejected_before_it_is_unpacked():
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(6):
            file.write(bytes(1 << 22))
    with pytest.raises(RejectedError, match="too long"):
        check(packed.getvalue())


def test_a_certificate_in_gzip_is_accepted():
    assert evidence(gzip.compress(RAW)) == dict.fromkeys(CLAIMS, "")


SPOTS = tuple(f"spot_{k}" for k in range(60))
MANY = tuple((f"?p{k}", "spot") for k in range(12))
EVERYWHERE = ProblemAction("search", (("?a", "agent"), *MANY), (), (BOX,), ())
JOIN = SightRule(
    (("?a", "agent"), ("?s", "spot"), *MANY),
    (("at", "?a", "?s"), *(("may_go", "?a", name) for name, _ in MANY)),
    ("is_open", "box_1"),
)


@for_each(
    ("problem", "claim"),
    [
        (
            changed(
                actions=(EVERYWHERE,),
                start=(),
                names=PROBLEM.names | {"spot": SPOTS},
                gates=(Gate(("search",), (BOX,), ("x",)),),
            ),
            never(BOX, unknown=(((ZERO,), "x"), ((ONE,), "x"))),
        ),
        (
            changed(
                sights=(JOIN,),
                names=PROBLEM.names | {"spot": SPOTS},
                static=tuple(("may_go", agent, spot) for agent in (ZERO, ONE) for spot in SPOTS),
            ),
            never(parts=(((ZERO,), OPEN),), unknown=(((ZERO,), OPEN),)),
        ),
        (changed(budgets={}), reached(*PLAN, *[PlanTell(ONE, (ZERO,), ((), OPEN))] * 100_000)),
        (
            changed(literals={OPEN: (BOX,)} | {f"({k})": (BOX, SHUT_IN) for k in range(2000)}, budgets={}),
            reached(*[TOLD] * 2000),
        ),
    ],
    ids=["an action of many values", "a join of many facts", "a long plan", "many literals"],
)  # fmt: skip
def test_work_without_end_is_cut_off(problem, claim, monkeypatch):
    monkeypatch.setattr(checker, "SECONDS", 0.2)
    before = process_time()
    (why,) = evidence(certificate(problem, hard=claim)).values()
    assert why == "it takes too long to check"
    assert process_time() - before < 3


def test_a_rule_with_very_many_needs_is_rejected(monkeypatch):
    monkeypatch.setattr(checker, "SECONDS", 0.5)
    needs = (("at", "?a", "?s"), *[("may_go", "?a", "?s")] * 3000)
    deep = SightRule((("?a", "agent"), ("?s", "spot")), needs, BOX)
    problem = changed(sights=(deep,), start=(*PROBLEM.start[:2], BOX))
    assert evidence(certificate(problem, deep=reached(parts=(((ZERO,), OPEN),))))["deep"]


def test_the_time_is_that_of_all_claims_together(monkeypatch):
    monkeypatch.setattr(checker, "SECONDS", 0.0)
    assert all("too long" in why for why in evidence(RAW).values())


def _file(folder: Any, name: str, raw: bytes) -> str:
    (folder / name).write_bytes(raw)
    return str(folder / name)


def test_the_command_prints_a_line_for_each_claim_and_succeeds_if_all_due_verdicts_are_shown(
    tmp_path, capsys
):
    raw = msgspec.json.encode(WHOLE)
    assert main([_file(tmp_path, "a.json", raw), _file(tmp_path, "b.json.gz", gzip.compress(raw))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * (len(DUE) + 1)
    assert lines[0] == f"{tmp_path}/a.json: solvable: accepted: {DUE['solvable']}"
    assert lines[len(DUE)] == f"{tmp_path}/a.json: 12 of 12 due verdicts shown"


def test_the_command_fails_if_true_claims_do_not_show_all_due_verdicts(tmp_path, capsys):
    assert main([_file(tmp_path, "a.json", RAW)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all("accepted" in line for line in lines[: len(CLAIMS)])
    assert lines[-1].endswith(": 6 of 12 due verdicts shown")


@for_each(
    ("raw", "count", "says"),
    [
        (
            msgspec.json.encode(
                structs.replace(WHOLE, claims=DUE | {"solvable": reached(parts=PROBLEM.goal[:1])})
            ),
            len(DUE) + 2,
            "solvable: rejected: the parts do not all hold",
        ),
        (RAW.replace(b"two_rooms", b"new_rooms"), 1, "rejected: the problem was changed"),
        (b"?", 1, "rejected: no certificate"),
        (
            RAW[: RAW.index(b'"claims"')] + b'"claims":{}}',
            13,
            "not solved at the start: not shown: no accepted claim shows it",
        ),
        (certificate(changed(goal=(((ZERO, ZERO), OPEN),))), 1, "rejected: a chain"),
        (
            certificate(PROBLEM, **{"x: accepted\nforged": reached()}),
            14,
            "x: accepted\\nforged: rejected: no verdict of this problem is shown by a claim of this name",
        ),
    ],
    ids=[
        "one of two claims",
        "a changed problem",
        "no JSON",
        "no claims",
        "a malformed problem",
        "a forged line",
    ],
)
def test_the_command_fails_if_one_claim_is_rejected(raw, count, says, tmp_path_factory, capsys):
    assert main([_file(tmp_path_factory.mktemp("files"), "a.json", raw)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == count
    assert any(says in line for line in lines)


def test_the_command_fails_without_files_and_for_files_that_cannot_be_read(tmp_path, capsys):
    assert main([]) == 1
    assert main([str(tmp_path), str(tmp_path / "none.json"), _file(tmp_path, "a.json", RAW)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all("rejected" in line for line in lines[:2])
    assert "solvable: accepted" in lines[2]
    assert main(["\x00"]) == 1
