"""A data sheet for an ethics board, from a study and its protocol: what is asked, recorded, kept, sent, paid and deleted.

It says only what follows from the two files and from the software. What they cannot know is marked for the researcher to fill in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256

from otherminds.core.record import EpisodeSpec
from otherminds.models.hosts import destinations
from otherminds.studies.plan import StudyPlan
from otherminds.web.people_records import find_label, list_people
from otherminds.web.protocol import AttentionCheck, ComprehensionQuestion, Protocol

FILL = "**To be filled in:**"
MOST_LISTED = 12
"""Names that are listed; of more, their number is given."""


def write_datasheet(plan: StudyPlan, protocol: Protocol) -> str:
    """The data sheet of a study, as Markdown."""
    shared = [spec for spec in plan.episodes if list_people([spec])]
    chapters = [
        ("Who answers for the study", [f"{FILL} names, institution, contact, approval number."]),
        ("What people do", list(_describe_task(shared, protocol))),
        ("Limits of time", list(_describe_limits(protocol))),
        ("What is recorded", list(_describe_records(protocol))),
        ("Who sees it, and for how long", list(_describe_access(plan, shared))),
        ("Risks", list(_describe_risks(plan, shared, protocol))),
        ("Payment", list(_describe_payment(protocol))),
        ("Deletion", list(_describe_deletion())),
        ("Consent", list(_describe_consent(protocol))),
        ("Texts that are shown", list(_quote_texts(protocol))),
    ]
    head = (
        f"# Data sheet: {plan.name}\n\nWritten by `otherminds people datasheet` from the study with the identity `{plan.identity}` and its "
        f"protocol, SHA-256 `{sha256(protocol.model_dump_json().encode()).hexdigest()}`. Another study or protocol has another sheet."
    )
    return "\n\n".join([head, *(f"## {title}\n\n" + "\n\n".join(parts) for title, parts in chapters)]) + "\n"


def _describe_task(shared: list[EpisodeSpec], protocol: Protocol) -> Iterator[str]:
    episodes = Counter(label for spec in shared for label in list_people([spec]))
    each = _span(episodes.values())
    yield (
        f"There are {len(episodes)} places for people. Each person plays {each} episodes, one after another, in a browser, of: "
        f"{_list_names(spec.title for spec in shared)}."
    )
    others = [seat.called for spec in shared for seat in spec.seats.values() if not find_label(seat.model)]
    together = any(len(list_people([spec])) > 1 for spec in shared)
    with_whom = "with each other and with" if together else "with"
    yield (
        f"They play {with_whom} programs: {_list_names(others)}."
        if others
        else "They play with each other alone."
    )
    if protocol.join is None:
        yield "Each person is sent a link of its own, which nobody else can guess."
    else:
        yield (
            f"All come by one link, to which a recruiter adds the label of each participant as `{protocol.join.parameter}`. A cookie of the "
            "server's own, which no script can read, brings a browser back to its place; there is no other cookie."
        )
    if protocol.questions:
        yield (
            f"Questions about the instructions before the first episode: {len(protocol.questions)}. After {protocol.attempts} answers to "
            "one of them without the right one, they are screened out."
        )
    if protocol.attention:
        allowed = protocol.attention_failures
        rule = (
            "wrong answers are only recorded"
            if allowed is None
            else f"more than {allowed} wrong answers screen a person out"
        )
        yield f"Attention checks: {len(protocol.attention)}; {rule}."


def _describe_limits(protocol: Protocol) -> Iterator[str]:
    turn, total = protocol.seconds, protocol.total_seconds
    yield f"A turn lasts at most {turn:g} s from when it is shown." if turn else "A turn has no limit."
    yield (
        f"The whole study lasts at most {total:g} s from the first page."
        if total
        else "The whole study has no limit."
    )
    if protocol.arrival_seconds:
        yield f"Who does not come to a turn within {protocol.arrival_seconds:g} s has dropped out."
    yield "After a limit, a turn has no reply. No choice is ever made in a person's name and counted as theirs."
    if turn or protocol.arrival_seconds:
        after = {
            "cancel": "its episodes end",
            "wait": f"the others wait for {protocol.wait_seconds or 0:g} s more, and then the episodes end",
            "automaton": f"the program `{protocol.automaton}` plays on for the others in the episode, and the record says so",
        }[protocol.drop_out]
        yield f"After {protocol.missed} turns in a row without a reply, a person has dropped out too."
        yield f"When somebody has dropped out, {after}. Such episodes are not scored."
    yield "Everybody can stop at any time by closing the page."


def _describe_records(protocol: Protocol) -> Iterator[str]:
    recorded = [
        "every text that was shown in a turn, the reply, and the seconds from when it was open until the reply"
    ]
    if protocol.consent:
        recorded.append("the answer to the request for consent, with the SHA-256 of its text and the time")
    if protocol.questions or protocol.attention:
        recorded.append(
            "the answers to the questions about the instructions and to attention checks, with the time"
        )
    if protocol.join is not None:
        recorded.append(
            f"the label in `{protocol.join.parameter}`, apart from the replies, in the file `people.jsonl`"
        )
    recorded.append("when a person dropped out, came back or withdrew")
    yield "Recorded are:"
    yield "\n".join(f"- {part}" for part in recorded)
    yield (
        "Not recorded are names, addresses of mail or network, kinds of browser or device, and movements of the pointer. Pages have no content of "
        "other servers. A proxy before the server may keep records of its own."
    )
    yield "A field for free text takes whatever a person writes, also about itself or others."


def _describe_access(plan: StudyPlan, shared: list[EpisodeSpec]) -> Iterator[str]:
    yield "All is in one folder on the machine of the study. Whoever can read that folder sees it; other people in the study see only what is part of the game."
    sent = sorted(
        {line for model in _list_models(shared) for line in destinations(plan.access.get(model, model))}
    )
    if sent:
        yield "What people do in episodes with language models is sent to:"
        yield "\n".join(f"- {line.partition(', with')[0]}" for line in sent)
    else:
        yield "No service outside of this machine receives anything: no language model of a provider plays with people."
    yield "The software deletes nothing by itself when time passes."
    yield f"{FILL} where the folder is, who can read it, until when it is kept, and what is published in which form."


def _describe_risks(plan: StudyPlan, shared: list[EpisodeSpec], protocol: Protocol) -> Iterator[str]:
    risks = [
        "Replies are stored without a name, but writing and times may tell who somebody is to those who know them."
    ]
    if protocol.join is not None:
        risks.append(
            "The recruiter can link its labels with the replies, if it is given the table of decisions."
        )
    if any(not find_label(seat.model) for spec in shared for seat in spec.seats.values()):
        risks.append(
            "Partners are programs. Say so in the consent or in the debriefing; the texts are below."
        )
    if any(destinations(plan.access.get(model, model)) for model in _list_models(shared)):
        risks.append("Language models may write what nobody has checked beforehand.")
    if protocol.seconds or protocol.total_seconds:
        risks.append("Limits of time put people under pressure.")
    if protocol.bonus is not None:
        risks.append("Payment depends on the play, and by chance also on the partners that were met.")
    yield "\n".join(f"- {risk}" for risk in risks)
    yield f"{FILL} other risks, and what is done about them."


def _describe_payment(protocol: Protocol) -> Iterator[str]:
    bonus = protocol.bonus
    if bonus is None:
        yield "No payment depends on the play."
    else:
        yield (
            f"A bonus of {bonus.per_point:g} {bonus.currency} for each point of scored episodes, from 0 to {bonus.at_most:.2f} {bonus.currency}. "
            "An episode that was not scored earns nothing. The last page says the bonus and this rule."
        )
    yield f"{FILL} the fee, and what is paid to those who stop early or are screened out."


def _describe_deletion() -> Iterator[str]:
    yield (
        "The last page shows each person a code, also if it stops early or is screened out. Whoever sends the code to the researchers has its data "
        "deleted with `otherminds people delete`: replies, answers, times and labels. What stays is that a person withdrew, when, and that its "
        "episodes are lost. Copies that were made before are not reached."
    )
    yield f"{FILL} where to send the code, and until when."


def _describe_consent(protocol: Protocol) -> Iterator[str]:
    if not protocol.consent:
        yield "Nobody is asked for consent (`no_consent = true`): this is a trial among colleagues, and no study with participants."
        return
    yield (
        'Nobody plays without pressing "I agree" below this text. Who presses "I do not agree" plays nothing, and only that is recorded, beside any label. SHA-256 of '
        f"the text: `{sha256(protocol.consent.encode()).hexdigest()}`."
    )
    yield _quote(protocol.consent)


def _quote_texts(protocol: Protocol) -> Iterator[str]:
    for title, text in (("Instructions", protocol.instructions), ("Debriefing", protocol.debrief)):
        yield f"{title}:"
        yield _quote(text or "(none)")
    for title, questions in (("Questions", protocol.questions), ("Attention checks", protocol.attention)):
        if questions:
            yield f"{title}:"
            yield "\n".join(map(_write_question, questions))


def _write_question(question: ComprehensionQuestion) -> str:
    place = (
        f" (episode {question.episode}, round {question.round})"
        if isinstance(question, AttentionCheck)
        else ""
    )
    return f"- {' '.join(question.text.split())}{place} Options: {', '.join(question.options)}. Right: {question.answer}."


def _list_models(shared: Iterable[EpisodeSpec]) -> set[str]:
    """The models that play with people."""
    models = {seat.model for spec in shared for seat in spec.seats.values()}
    return {model for model in models if model and not find_label(model)}


def _list_names(names: Iterable[str]) -> str:
    listed = [*dict.fromkeys(names)]
    more = f" and {len(listed) - MOST_LISTED} others" if len(listed) > MOST_LISTED else ""
    return ", ".join(f"`{name}`" for name in listed[:MOST_LISTED]) + more


def _span(counts: Collection[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
