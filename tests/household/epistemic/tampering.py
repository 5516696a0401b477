"""Certificates that were tampered with, by kinds: every part of a true one dropped, doubled, renamed, swapped or altered."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import permutations
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import structs

from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    Certificate,
    Claim,
    PlanAct,
    PlanTell,
    TeamEpisode,
)

replace = structs.replace
KINDS, EVIDENCE = (get_args(get_type_hints(Claim)[field]) for field in ("kind", "evidence"))
START = "not solved at the start"


def tamper(whole: Certificate, other: Certificate) -> Iterator[tuple[str, bytes]]:
    """Kinds of tampering with a true certificate, each with the content of a file; ``other`` is that of another task.

    Each is to be rejected without the task.
    """
    yield from ((kind, msgspec.json.encode(one)) for kind, one in _certificates(whole, other))
    yield from _files(msgspec.json.encode(whole))


def tamper_task(whole: Certificate) -> Iterator[tuple[str, Certificate]]:
    """What shows only if the certificate is compared with its task: another problem, and episodes that nobody plays so."""
    problem = whole.problem
    agent, limited = problem.agents[0], next(iter(problem.budgets), problem.agents[0])
    changes: dict[str, dict[str, Any]] = {
        "another name of the task": {"task": "another"},
        "another text of the task": {"digest": "0" * 64},
        "another limit of messages": {"budgets": problem.budgets | {limited: 99}},
        "no limits of messages": {"budgets": {}},
        "another link": {"links": dict.fromkeys(problem.agents, problem.agents)},
        "another secret": {"known": (*problem.known, ((agent,), problem.known[-1][1]))},
        "secrets without an owner": {"known": problem.known[1:]},
        "fewer reasons needed": {"gates": problem.gates[1:]},
        "an action less": {"actions": problem.actions[:-1]},
        "a sight less": {"sights": problem.sights[:-1]},
        "another start": {"start": problem.start[:-1]},
        "a door less": {"static": problem.static[1:]},
        "a part of the goal less": {"goal": problem.goal[:-1]},
        "a private goal more": {"private": problem.private | {agent: (problem.goal[0][1],)}},
        "an agent less": {"agents": problem.agents[:-1]},
    }
    for kind, fields in changes.items():
        changed = replace(problem, **fields)
        yield kind, replace(whole, problem=changed, digest=changed.sha256())
    for kind, episode in _played_otherwise(_top(whole), len(problem.agents)):
        others = tuple(one for one in whole.episodes if one is not _top(whole))
        yield kind, replace(whole, episodes=(*others, episode))


def _certificates(whole: Certificate, other: Certificate) -> Iterator[tuple[str, Certificate]]:
    claims, episodes, problem = whole.claims, whole.episodes, whole.problem
    start = claims[START]

    def with_claims(some: dict[str, Claim]) -> Certificate:
        return replace(whole, claims=some)

    yield "no claims", with_claims({})
    yield "no claims and no episodes", replace(whole, claims={}, episodes=())
    yield "every claim is that of the start", with_claims(dict.fromkeys(claims, start))
    yield "a claim called hard", with_claims(claims | {"hard": start})
    yield "a claim with the name of a due episode", with_claims(claims | {"fair": start})
    yield "the claims of another task", with_claims(other.claims)
    yield "the problem of another task", replace(whole, problem=other.problem)
    yield "its digest too", replace(whole, problem=other.problem, digest=other.digest)
    yield "the digest of another task", replace(whole, digest=other.digest)
    yield "claims in reversed roles", with_claims(dict(zip(claims, [*claims.values()][::-1], strict=True)))
    for name, claim in claims.items():
        fewer = {one: value for one, value in claims.items() if one != name}
        yield f"dropped: {claim.kind}", with_claims(fewer)
        for renamed in (f"{name} ", name.upper(), f"{name} and more", "", "\u200b" + name):
            yield f"renamed: {claim.kind}", with_claims(fewer | {renamed: claim})
        yield f"its name doubled: {claim.kind}", with_claims(claims | {f"{name}\n": claim})
        for kind, altered in _claims(claim, whole):
            if altered != claim:
                yield f"{kind}: {claim.kind}", with_claims(claims | {name: altered})
    for (one, mine), (two, its) in permutations(claims.items(), 2):
        if {*mine.parts} != {*its.parts} or mine.kind != its.kind or mine.without != its.without:
            yield f"swapped: {mine.kind} and {its.kind}", with_claims(claims | {one: its, two: mine})
            yield f"copied: {mine.kind} by {its.kind}", with_claims(claims | {one: its})
    yield "no episodes", replace(whole, episodes=())
    yield "the episodes of another task", replace(whole, episodes=_with_seats(other, len(problem.agents) + 1))
    for number, episode in enumerate(episodes):
        rest = (*episodes[:number], *episodes[number + 1 :])
        yield "an episode dropped", replace(whole, episodes=rest)
        yield "an episode doubled", replace(whole, episodes=(*episodes, episode))
        for kind, altered in _episodes(episode):
            yield kind, replace(whole, episodes=(*rest, altered))
    top = _top(whole)
    rest = tuple(one for one in episodes if one is not top)
    yield "the best team fails", replace(whole, episodes=(*rest, replace(top, solved=False)))
    yield "every team fails", replace(whole, episodes=tuple(replace(one, solved=False) for one in episodes))
    turned = tuple(replace(one, solved=not one.solved) for one in episodes)
    yield "every outcome turned", replace(whole, episodes=turned)


def _claims(claim: Claim, whole: Certificate) -> Iterator[tuple[str, Claim]]:
    """Alterations of each field of a claim."""
    problem, parts = whole.problem, claim.parts
    strange = ((), "(is_open cabinet_999)")
    more = next((part for part in problem.goal if part not in parts), strange)
    yield "no parts", replace(claim, parts=())
    yield "a part less", replace(claim, parts=parts[:-1])
    yield "a part more", replace(claim, parts=(*parts, more))
    yield "a part doubled", replace(claim, parts=(*parts, parts[0]))
    yield "an unknown part", replace(claim, parts=(*parts, strange))
    yield "another part", replace(claim, parts=(more,))
    yield "a deeper part", replace(claim, parts=((problem.agents[:1] * 2, parts[0][1]),))
    yield from ((f"called {kind}", replace(claim, kind=kind)) for kind in KINDS)
    yield from ((f"by {evidence}", replace(claim, evidence=evidence)) for evidence in EVIDENCE)
    for agents in (
        (),
        problem.agents,
        problem.agents[:1],
        problem.agents[-1:],
        ("agent_99",),
        claim.without * 2,
    ):
        yield "other agents removed", replace(claim, without=agents)
    for depth in (0, 1, 2, 3, UNLIMITED, UNLIMITED + 1, 2**53, -1):
        yield "another depth", replace(claim, deepest=depth)
    bars = tuple((fact[1], fact[2]) for fact in problem.static if fact[0] == "is_restricted")
    yield from (
        ("other bars lifted", replace(claim, lifted=some)) for some in (bars, bars[1:], claim.lifted * 2)
    )
    yield "an unknown bar lifted", replace(claim, lifted=(*claim.lifted, ("agent_99", "room_99")))
    nothing = not claim.never and not claim.unknown
    if not nothing:
        yield "no closed set", replace(claim, never=(), unknown=())
    yield "what holds at the start never holds", replace(claim, never=(*claim.never, problem.start[0]))
    yield "what is known at the start never is", replace(claim, unknown=(*claim.unknown, problem.known[0]))
    plans = {one.plan for one in whole.claims.values() if one.plan}
    if claim.plan:
        yield from ((kind, replace(claim, plan=plan)) for kind, plan in _plans(claim.plan, problem.agents))
    else:
        yield "a plan added", replace(claim, plan=min(plans, key=len))
    first = PlanAct(problem.actions[0].name, problem.agents[:1])
    yield "an impossible turn added", replace(claim, turns=((first,), *claim.turns))
    yield "an empty turn added", replace(claim, turns=(*claim.turns, ()))
    yield "a turn less", replace(claim, turns=claim.turns[:-1])
    yield "turns reversed", replace(claim, turns=claim.turns[::-1])
    yield "no part is the slowest", replace(claim, slowest=())
    yield "an unknown part is the slowest", replace(claim, slowest=(strange,))
    yield "nothing is tracked", replace(claim, tracked=())
    yield "something else is tracked", replace(claim, tracked=(("is_open", "cabinet_999"),))


def _plans(
    plan: tuple[PlanAct | PlanTell, ...], agents: tuple[str, ...]
) -> Iterator[tuple[str, tuple[PlanAct | PlanTell, ...]]]:
    acts = tuple(step for step in plan if isinstance(step, PlanAct))
    last = acts[-1]
    stranger = next(agent for agent in agents if agent != last.values[0])
    yield "no plan", ()
    yield "the last act of the plan dropped", plan[: plan.index(last)]
    yield "the plan reversed", plan[::-1]
    yield "an act of the plan doubled", (*plan[: plan.index(last)], last, *plan[plan.index(last) :])
    yield (
        "an act by another agent",
        (*plan[: plan.index(last)], PlanAct(last.action, (stranger, *last.values[1:]))),
    )
    yield "an unknown act in the plan", (PlanAct("Teleport", last.values), *plan)
    yield "too many values in the plan", (PlanAct(last.action, (*last.values, "x")), *plan)
    if told := [step for step in plan if isinstance(step, PlanTell)]:
        yield "the messages of the plan dropped", acts
        yield "a message to nobody", (replace(told[0], hearers=()), *plan)
        yield "a message by a stranger", (replace(told[0], sender="agent_99"), *plan)
        yield "too many messages", (*plan, *told * 100)


def _episodes(episode: TeamEpisode) -> Iterator[tuple[str, TeamEpisode]]:
    """Alterations of an episode that show without playing it."""
    yield "an unknown team", replace(episode, team="level 9")
    yield "no seeds", replace(episode, seeds=())
    yield "an unknown seed", replace(episode, seeds=(7,))
    yield "a seed twice", replace(episode, seeds=episode.seeds + episode.seeds[:1])
    yield "no turns", replace(episode, turns=())
    yield "a turn without calls", replace(episode, turns=(*episode.turns, ()))
    yield "a call less", replace(episode, turns=(*episode.turns[:-1], episode.turns[-1][:-1]))


def _played_otherwise(episode: TeamEpisode, agents: int) -> Iterator[tuple[str, TeamEpisode]]:
    """Alterations of an episode that show only if it is played."""
    waiting = ("Wait[]",) * agents
    yield "a turn dropped", replace(episode, turns=episode.turns[1:])
    yield "a turn of waiting first", replace(episode, turns=(waiting, *episode.turns[1:]))
    yield "a turn more", replace(episode, turns=(*episode.turns, waiting))
    yield "turns reversed", replace(episode, turns=episode.turns[::-1])
    yield "other calls", replace(episode, turns=(waiting,) * len(episode.turns))


def _top(whole: Certificate) -> TeamEpisode:
    return next(one for one in whole.episodes if one.team == "level 3")


def _with_seats(whole: Certificate, agents: int) -> tuple[TeamEpisode, ...]:
    """The episodes with calls of so many agents, as those of a task with another number of agents."""
    turns = (("Wait[]",) * agents,)
    return tuple(replace(one, turns=turns) for one in whole.episodes)


def _files(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """Files that are no certificate, or have several meanings."""
    text = raw.decode()
    for part in (0, 1, len(raw) // 3, len(raw) // 2, len(raw) - 1):
        yield "cut off", raw[:part]
    yield "followed by more", raw + b"{}"
    yield "twice", raw + raw
    yield "no JSON", b"solvable: accepted"
    yield "a list", b"[" + raw + b"]"
    yield "null", b"null"
    yield "another encoding", text.encode("utf-16")
    yield "a mark of byte order", b"\xef\xbb\xbf" + raw
    yield "brackets without end", b"[" * 100_000
    packed = gzip.compress(raw)
    yield "gzip cut off", packed[:-9]
    yield "gzip followed by more", packed + b"x"
    yield "gzip twice", gzip.compress(packed)
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "1.5", "1" + "0" * 400, '"0"', "true", "null"):
        yield "no number", text.replace('"deepest":0', f'"deepest":{number}').encode()
        yield "no seed", text.replace('"seeds":[0', f'"seeds":[{number}', 1).encode()
    whole = json.loads(raw)
    claim = next(iter(whole["claims"]))
    doubled = json.dumps(whole["claims"][claim])
    yield (
        "a claim twice",
        text.replace('"claims":{', f'"claims":{{{json.dumps(claim)}:{doubled},', 1).encode(),
    )
    yield "a key of the certificate twice", text.replace('{"problem"', '{"claims":{},"problem"', 1).encode()
    yield "a key of the problem twice", text.replace('{"task"', '{"task":"another","task"', 1).encode()
    yield "a key of a claim twice", text.replace('{"kind"', '{"kind":"open","kind"', 1).encode()
    yield "a key of an episode twice", text.replace('{"team"', '{"team":"random","team"', 1).encode()
    for path in ((), ("problem",), ("claims", claim), ("episodes", 0), ("problem", "actions", 0)):
        yield "an unknown field", _altered(whole, path, lambda place: place.update(note="accepted"))
    for key in whole:
        if key != "episodes":
            yield "a field less", _altered(whole, (), lambda place, key=key: place.pop(key))
        yield "a field of another type", _altered(whole, (), lambda place, key=key: place.update({key: 7}))
    for key in whole["claims"][claim]:
        changed = lambda place, key=key: place.update({key: {"x": 1}})  # noqa: E731  (bound to its key)
        yield "a part of a claim of another type", _altered(whole, ("claims", claim), changed)


def _altered(whole: dict[str, Any], path: tuple[str | int, ...], change: Any) -> bytes:
    """The certificate with one place of it changed."""
    again = place = json.loads(json.dumps(whole))
    for key in path:
        place = place[key]
    change(place)
    return json.dumps(again).encode()
