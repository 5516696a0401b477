"""What is recorded of the people of a study: their returns, and a row for each of their decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct, structs

from otherminds.core.data import Seat, SkillChoice
from otherminds.core.model import SUBSTITUTE
from otherminds.core.record import EpisodeSpec, Record, prompts
from otherminds.models.scripted import FORM
from otherminds.reports.exporting import write_table
from otherminds.studies.run_dir import RecordedEpisode, plan_in, played, recorded
from otherminds.web.people import KIND
from otherminds.web.protocol import Return, kept_protocol
from otherminds.web.stays import ENDED, Event, Journal, digest_prompt, find_participant


def find_label(model: str) -> str:
    """The label of the person that is called ``model`` in a study; empty if that is no person."""
    kind, _, label = model.partition(":")
    return label if kind == KIND else ""


def list_people(episodes: Iterable[EpisodeSpec]) -> list[str]:
    """The labels of the people in episodes, each once."""
    models = dict.fromkeys(seat.model for spec in episodes for seat in spec.seats.values())
    return [label for model in models if (label := find_label(model))]


def find_return(record: Record, label: str) -> Return:
    """What a person earned in an episode, in all of its seats; of one that is not scored, until somebody stopped or replaced a seat."""
    seats = [n for n, seat in enumerate(record.seats) if find_label(record.spec.seats[seat].model) == label]
    is_scored, until = record.outcome.status == "scored", max(0, record.outcome.step)
    rewards = record.rewards if is_scored else record.rewards[:until]
    return Return(sum(row[n] for row in rewards for n in seats), is_scored)


def read_returns(folder: Path, label: str) -> list[Return]:
    """What a person earned in each of its recorded episodes in ``folder``, by :func:`find_return`.

    Raises:
        StudyError: the folder holds no run, or a record is damaged.
    """
    plan = plan_in(folder)
    own = {spec.hash for spec in plan.episodes if label in list_people([spec])}
    return [find_return(line.record(), label) for _, line in recorded(folder, plan) if line.episode in own]


class DecisionRow(Struct, frozen=True):
    """One call of a person: a turn that was put, and the reply.

    ``person`` is the label in the study, ``participant`` that of the recruiter. ``episode`` is the hash of the episode, ``number`` its
    place in the plan. ``round`` counts the steps of the world from 1. ``purpose`` is ``act`` for a choice, else what was asked for,
    ``attempt`` counts from 1 how often. ``options`` are those that were listed, as JSON. ``act`` is what was understood: the
    behaviour or action (JSON unless it is text), or the answer; null if none was. ``seconds`` is the reaction time, from when the
    page of the turn was first shown until its reply; null where that is not known. ``missed``: there was no reply in time. ``substitute``: an automaton replied. ``outcome`` and ``reason`` are
    the episode's, ``bonus`` the payment of the person for all of its episodes; null without a bonus.
    """

    person: str
    participant: str
    number: int
    episode: str
    scenario: str
    seat: str
    round: int
    purpose: str
    attempt: int
    options: str
    reply: str
    act: str | None
    seconds: float | None
    missed: bool
    substitute: bool
    outcome: str
    reason: str
    bonus: float | None
    currency: str


def export_decisions(folder: Path, out: Path) -> int:
    """Writes a row for each decision of the people in ``folder``, and returns how many; see :func:`~otherminds.reports.exporting.write_table`.

    Raises:
        StudyError: the folder holds no study with people, or as :func:`~otherminds.reports.exporting.write_table`.
    """
    bonus = kept_protocol(folder).bonus
    events = Journal(folder).read_events()
    plan, episodes = played(folder)
    paid = {
        label: None if bonus is None else bonus.pay(read_returns(folder, label))
        for label in list_people(plan.episodes)
    }
    currency = "" if bonus is None else bonus.currency
    reactions = {label: list_reactions(own) for label, own in events.items()}
    rows = (
        structs.asdict(
            structs.replace(
                row,
                participant=find_participant(events.get(row.person, ())),
                bonus=paid[row.person],
                currency=currency,
            )
        )
        for episode in episodes
        for row in decision_rows(episode, reactions)
    )
    return write_table(rows, get_type_hints(DecisionRow), out)


def list_reactions(events: Iterable[Event]) -> Mapping[str, Iterator[float | None]]:
    """The times of a person's replies by the digest of their prompts, in their order."""
    times: dict[str, list[float | None]] = {}
    for event in events:
        if event.name == ENDED:
            times.setdefault(event.detail["prompt"], []).append(event.detail["seconds"])
    return {prompt: iter(own) for prompt, own in times.items()}


def decision_rows(
    episode: RecordedEpisode, reactions: Mapping[str, Mapping[str, Iterator[float | None]]]
) -> Iterator[DecisionRow]:
    """The rows of an episode, without what else is known of its people; ``reactions`` are those of :func:`list_reactions` by label."""
    record = episode.record
    people = {seat: label for seat, who in record.spec.seats.items() if (label := find_label(who.model))}
    acts = _list_acts(record)
    last = {(call.seat, call.step, call.purpose): call.attempt for call in record.calls}
    for call, messages in zip(record.calls, prompts(record.calls), strict=True):
        if call.seat not in people:
            continue
        form = FORM.search(messages[-1].content)
        key = call.seat, call.step, call.purpose
        is_understood = call.attempt == last[key] and call.read not in ("none", "other")
        yield DecisionRow(
            person=people[call.seat],
            participant="",
            number=episode.number,
            episode=record.spec.hash,
            scenario=record.spec.title,
            seat=call.seat,
            round=call.step + 1,
            purpose=call.purpose,
            attempt=call.attempt + 1,
            options=write_value(form[1].rstrip("\n").split("\n") if form else []),
            reply=call.reply,
            act=acts.get(key) if is_understood else None,
            seconds=next(reactions.get(people[call.seat], {}).get(digest_prompt(messages), iter(())), None)
            if call.finish != SUBSTITUTE
            else None,
            missed=not call.reply and call.finish != SUBSTITUTE,
            substitute=call.finish == SUBSTITUTE,
            outcome=record.outcome.status,
            reason=record.outcome.reason,
            bonus=None,
            currency="",
        )


def _list_acts(record: Record) -> Mapping[tuple[Seat, int, str], str]:
    """What each seat did and answered, by seat, step and purpose."""
    acts: dict[tuple[Seat, int, str], str] = {}
    for step, row in enumerate(record.actions):
        for seat, action in zip(record.seats, row, strict=True):
            acts[seat, step, "act"] = write_value(action)
    for seat, encounters in record.met.items():
        for encounter in encounters:
            if record.game is not None and len(encounter.did[seat]) == 1:
                acts[seat, encounter.step, "act"] = encounter.did[seat][0]
    for choice in record.choices:
        if isinstance(choice.made, SkillChoice):
            acts[choice.seat, choice.step, "act"] = write_value([choice.made.name, *choice.made.args])
    for answer in record.asked:
        question = record.questions[answer.question]
        if answer.invalid is None:
            acts[question.seat, answer.step, question.purpose] = write_value(answer.answer)
    return acts


def write_value(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
