"""The checker rejects all kinds of tampering with a certificate, and accepts the true one."""

from __future__ import annotations

import json
from collections import defaultdict

import msgspec
import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Certificate, Claim
from otherminds.household.epistemic.check import RejectedError, check, main
from tests.cases import for_each
from tests.household.epistemic.small import OPEN, PROBLEM, WHOLE, ZERO, changed
from tests.household.epistemic.tampering import START, tamper

OTHER_PROBLEM = changed(task="other", goal=PROBLEM.goal[:2], digest="1")
OTHER = Certificate(OTHER_PROBLEM, OTHER_PROBLEM.sha256(), {START: WHOLE.claims[START]}, WHOLE.episodes)


def rejects(raw: bytes) -> bool:
    try:
        return not check(raw).accepted
    except RejectedError:
        return True


def test_the_true_certificate_is_accepted() -> None:
    assert check(msgspec.json.encode(WHOLE)).accepted
    assert not rejects(msgspec.json.encode(structs.replace(WHOLE, episodes=WHOLE.episodes[::-1])))


def test_every_kind_of_tampering_is_rejected() -> None:
    said: dict[str, list[bool]] = defaultdict(list)
    for kind, raw in tamper(WHOLE, OTHER):
        said[kind].append(rejects(raw))
    assert [kind for kind, rejected in said.items() if not all(rejected)] == []
    assert len(said) >= 60


CLAIMS = WHOLE.claims
FORGED = {
    "every claim is that of the start": dict.fromkeys(CLAIMS, CLAIMS[START]),
    "swapped kinds": CLAIMS | {"solvable": CLAIMS["needs messages"], "needs messages": CLAIMS["solvable"]},
    "a claim called hard": CLAIMS | {"hard": CLAIMS[START]},
    "needs agent_0 with all agents removed": CLAIMS
    | {"needs agent_0": structs.replace(CLAIMS["needs agent_0"], without=PROBLEM.agents)},
    "no claims": {},
}


@for_each("kind", [*FORGED, "a key twice", "no episodes"])
def test_the_command_ends_with_code_1(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    raw = msgspec.json.encode(structs.replace(WHOLE, claims=FORGED.get(kind, CLAIMS)))
    if kind == "a key twice":
        first = f'"solvable":{json.dumps(msgspec.to_builtins(CLAIMS["solvable"]))},'.encode()
        raw = raw.replace(b'"claims":{', b'"claims":{' + first, 1)
    if kind == "no episodes":
        raw = msgspec.json.encode(structs.replace(WHOLE, episodes=()))
    file = tmp_path_factory.mktemp("certificates") / "forged.json"
    file.write_bytes(raw)
    assert main([str(file)]) == 1
    file.write_bytes(msgspec.json.encode(WHOLE))
    assert main([str(file)]) == 0


def test_no_order_of_levels_is_shown_if_none_solves_a_run() -> None:
    failed = tuple(structs.replace(one, solved=False) for one in WHOLE.episodes)
    due = check(msgspec.json.encode(structs.replace(WHOLE, episodes=failed))).due
    assert due["levels in order"] == "no level solves a run, so that there is no order"
    assert due["fair"] == "level 3 solves 0 of 3 runs"


def test_a_conflict_of_private_goals_is_due_and_checked() -> None:
    """Agent 0 wants shut for itself what the team wants open."""
    shut = f"(is_closed {OPEN.removeprefix('(is_open ')}"
    problem = changed(literals=PROBLEM.literals | {shut: (("is_closed", "box_1"),)}, private={ZERO: (shut,)})
    parts = (((), OPEN), ((), shut))
    tracked = (("is_closed", "box_1"), ("is_open", "box_1"))
    conflict = Claim("apart", "states", parts, tracked=tracked)
    name = "not private goals compatible"

    def said(claims: dict[str, Claim]) -> bool:
        return check(
            msgspec.json.encode(Certificate(problem, problem.sha256(), claims, WHOLE.episodes))
        ).accepted

    assert said(CLAIMS | {name: conflict})
    assert not said(dict(CLAIMS))
    assert not said(CLAIMS | {name: structs.replace(conflict, tracked=tracked[1:])})
    assert not said(CLAIMS | {name: structs.replace(conflict, parts=parts[:1])})
    assert not said(CLAIMS | {"private goals compatible": conflict})
