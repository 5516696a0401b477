"""A record of a stranger, whatever is in it, is read or refused in one line that names it, by every command."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from tests.cases import depth, examples, thinned
from tests.cli.running import otherminds
from tests.mutated_inputs import Account
from tests.strange_records import (
    RECORD,
    UNSEEN,
    Forged,
    commands_on,
    faults_of,
    forge,
    judge,
    odd,
    parts,
    put,
    sound_records,
    strange_records,
    text_places,
    with_text,
)

TIMING = {"seconds": 0.5}
PAGES = ("report as a page", "replay as a page")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return sound_records(tmp_path_factory.mktemp("sound"))


def check(forged: Forged, folder: Path, left_out: Collection[str] = ()) -> dict[str, Account]:
    accounts: dict[str, Account] = {}
    judge(forged, folder, accounts, left_out)
    shutil.rmtree(folder)
    assert not [f"{name}: {line}" for name, one in accounts.items() for line in one.wrong]
    return accounts


@settings(examples(0.2), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_command_reads_or_refuses_it(data: st.DataObject, sound: list[Any], tmp_path: Path) -> None:
    check(data.draw(strange_records(sound)), tmp_path / "run")


@pytest.mark.parametrize("most", depth(None, 1))
@pytest.mark.parametrize("number", thinned(range(9), 4))
def test_no_text_of_a_record_is_raw_on_a_page(
    number: int, most: int | None, sound: list[Any], tmp_path: Path
) -> None:
    """Texts of a record, also names: a third, as many changed at once as the commands read; in the slow run all, each alone."""

    def count_pages(ways: list[tuple[Any, ...]]) -> int:
        """How many of the texts at the ends of ``ways`` stand on pages, twice if on both; no character of them is raw."""
        if most is None or len(ways) <= most:
            put(tmp_path / "run", forge(with_text(sound[number], UNSEEN, ways), TIMING))
            commands, pages = commands_on(tmp_path / "run"), 0
            for name in PAGES:
                done = otherminds(*commands[name])
                assert not faults_of(name, done, tmp_path / "run"), ways
                pages += done.returncode == 0
                if not pages and len(ways) > 1:
                    break
            shutil.rmtree(tmp_path / "run")
            if len(ways) == 1 or pages == len(PAGES):
                return len(ways) * pages
        half = len(ways) // 2
        return count_pages(ways[:half]) + count_pages(ways[half:])

    step = 1 if most else 3
    assert count_pages([*text_places(sound[number]).values()][number % step :: step]) > 20 / step


@pytest.mark.parametrize("every", depth(2, 1))
def test_sound_ones_are_read(every: int, sound: list[Any], tmp_path: Path) -> None:
    for body in sound[::every]:
        accounts = check(forge(body, TIMING), tmp_path / "run")
        assert not [name for name, one in accounts.items() if one.outcomes["refused"]]


def with_spec(**fields: Any) -> Callable[[Any], Any]:
    return lambda body: {**body, "spec": {**body["spec"], **fields}}


def with_drawn(**fields: Any) -> Callable[[Any], Any]:
    return lambda body: {**body, "drawn": {**body["drawn"], **fields}}


def with_encounter(**did: Any) -> Callable[[Any], Any]:
    def change(body: Any) -> Any:
        first, *rest = body["met"]["ego"]
        met = {**body["met"], "ego": [[first[0], did, first[2]], *rest]}
        return {**body, "met": met}

    return change


def without_decoding(body: Any) -> Any:
    return {**body, "calls": [{**call, "config": {}} for call in body["calls"]]}


CHANGES: dict[str, Callable[[Any], Any]] = {
    "no seat": with_spec(seats={}),
    "a seed of 100 bits": with_spec(seed=2**100),
    "a seed below 64 bits": with_spec(seed=-(2**63) - 1),
    "an unknown scenario": with_spec(scenario="nowhere-v1"),
    "a scenario of another world": with_spec(scenario="household-inverse_handle-v1", options={}),
    "rounds that are no number": with_spec(options={"rounds": "many", "names": 7}),
    "rounds for hours": with_spec(options={"rounds": 10**9}),
    "names that are no list": with_drawn(names=7),
    "names that are no texts": with_drawn(names=[[None, 1, []], [{}, 1, 2]]),
    "too few names": with_drawn(names=[["A"], ["A"]]),
    "an order of other options": with_drawn(order=[7, 8, 9]),
    "an order that is no list": with_drawn(order="rock"),
    "a behaviour that is unknown": with_encounter(ego=["lizard"], partner_0=["rock"]),
    "an encounter without its own seat": with_encounter(partner_0=["rock"]),
    "an encounter without the partner": with_encounter(ego=["rock"]),
    "an encounter of nobody": with_encounter(),
    "no encounters of ego": lambda body: {**body, "met": {"partner_0": body["met"]["partner_0"]}},
    "encounters backwards": lambda body: {**body, "met": {k: v[::-1] for k, v in body["met"].items()}},
    "partners in every seat": lambda body: {
        **body,
        "partners": dict.fromkeys(body["seats"], next(iter(body["partners"].values()), {"name": "x"})),
    },
    "a caution that is no text": lambda body: {**body, "facts": {"caution": {"a": 1}}},
    "calls without a decoding": without_decoding,
    "scores without continuations": lambda body: {
        **body,
        "calls": [{**call, "scores": [0.5] * 3, "continuations": []} for call in body["calls"]],
    },
    "notes of another form": lambda body: {
        **body,
        "notes": [
            {"seat": "ego", "step": 0, "kind": kind, "data": data}
            for kind in ("scaffold", "fallback", "thinking", "unusable")
            for data in (None, 7, [], {}, {"name": 7, "purpose": []})
        ],
    },
    "an automaton of another game": lambda body: {
        **body,
        "partners": {
            "partner_0": {"name": "x", "automaton": {"start": 0, "output": [[1.0]], "next": [[[0]]]}}
        },
    },
}


@pytest.mark.parametrize("drawn", depth(1, None))
@pytest.mark.parametrize("change", thinned(CHANGES, 3))
def test_what_broke_a_report_is_read_or_refused(
    change: str, drawn: int | None, sound: list[Any], tmp_path: Path
) -> None:
    """Each change in every record of a matrix game: of a learner, of models, and of a mind that notes hypotheses.

    The page of the report, whose pictures take most of the time, is made of one of them; of all in the slow run.
    """
    matrix = [body for body in sound if body["spec"]["scenario"] == "rps-single-v1"]
    first = [*CHANGES].index(change) % len(matrix)
    for n, body in enumerate(matrix[first:] + matrix[:first]):
        left_out = () if drawn is None or n < drawn else PAGES[:1]
        check(forge(CHANGES[change](body), TIMING), tmp_path / "run", left_out)


EVERYWHERE: dict[str, Callable[[Any], Any]] = {
    "answers before the first step": lambda body: {
        **body,
        "asked": [[-99, *rest] for _, *rest in body["asked"]],
    },
    "choices before the first step": lambda body: {
        **body,
        "choices": [{"step": -99, "seat": body["seats"][0], "made": {"type": "do", "name": "x"}}],
    },
    "grants that are unknown": lambda body: with_spec(grants={seat: [""] for seat in body["seats"]})(body),
    "other seats": lambda body: json.loads(json.dumps(body).replace(f'"{body["seats"][0]}"', '"agent_9"')),
}


@pytest.mark.parametrize("every", depth(3, 1))
@pytest.mark.parametrize("change", EVERYWHERE)
def test_what_no_world_has_is_read_or_refused(
    change: str, every: int, sound: list[Any], tmp_path: Path
) -> None:
    """Each change in every record, of all worlds; in the ordinary run in one of three."""
    for body in sound[::every]:
        check(forge(EVERYWHERE[change](body), TIMING), tmp_path / "run")


def test_a_field_that_is_added_is_changed_too() -> None:
    """The strategy follows the schema: each field of each structure of a record has values and can be reached."""

    def walk(kind: inspect.Type) -> None:
        odd(kind)
        inside = getattr(kind, "fields", ()) or getattr(kind, "types", ()) or getattr(kind, "item_types", ())
        for one in (
            *inside,
            *filter(None, [getattr(kind, "item_type", None), getattr(kind, "value_type", None)]),
        ):
            walk(getattr(one, "type", one))

    walk(RECORD)
    assert isinstance(RECORD, inspect.StructType)
    assert set(parts(RECORD, {})) == {one.encode_name for one in RECORD.fields}
