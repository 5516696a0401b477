"""The evidence of an episode in worlds where the partner is one of several known types and rounds are weighed one by one.

An episode counts once its first half tells who the partner is: the posterior over types, given what the partner did, is at least
:data:`~otherminds.measures.evidence.INFORMATIVE` for one of them. Then all rounds of the second half in which something was asked
are *settled*: they count for L and the unused share. Whether they do depends neither on what the mind says nor on what happens in them. A
world weighs its rounds (:class:`WeighedRound`); what follows from them is the same in all worlds, and here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from msgspec import Struct

from otherminds.core.data import Seat
from otherminds.core.record import Record
from otherminds.games.blind import LEAST_ROOM
from otherminds.measures.basis import LEAST_TO_WIN
from otherminds.measures.evidence import WORTHLESS, EpisodeEvidence, PartnerShares, design_of
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown

STRANGER = "the partner is not one member of the scenario's population"
Answers = tuple[int | None, ...]
"""What was answered in a round, ``None`` where it could not be read; empty where nothing was asked."""


class WeighedRound(Struct, frozen=True):
    """A round that was planned for the second half.

    ``floor`` is the share of right answers of the best blind mind, and ``above`` what ego earned above the best blind plan, in
    payoff; where the round was not played, the least that it can earn. ``accuracy`` is the share of right ``answers``, and
    ``right`` says whether they are right as a whole, with those that cannot be read counted as right, so that silence
    hides no loss. ``loss`` is what ego's acts lose against the best ones for the right answers, and ``random_loss`` what
    random acts lose on average.
    """

    floor: float
    above: float
    answers: Answers = ()
    accuracy: float = 0.0
    right: bool = False
    loss: float = 0.0
    random_loss: float = 0.0


def share_type(
    name: str, weight: float, room: float, gain: float, span: float, *, by_room: bool = False
) -> PartnerShares:
    """The weights of a type, or a group of them, of which knowing it adds ``room`` to accuracy and ``gain`` to the payoff of a round.

    ``span`` is the difference of the largest and the least payoff. With ``by_room``, a type counts in L and F by what knowing it adds:
    they are then sums over types of what is right, or earned, divided by sums of what can be.
    """
    counts, wins = room >= LEAST_ROOM, gain >= LEAST_TO_WIN * span
    return PartnerShares(
        name=name,
        literal=weight * counts * (room if by_room else 1),
        unused=weight * counts,
        functional=weight * wins * (gain if by_room else 1),
        slope=1 / room if counts else 0.0,
    )


def sum_rounds(
    rounds: Sequence[WeighedRound],
    shares: Sequence[PartnerShares],
    partner: str,
    *,
    tells: bool,
    gain: float | None,
    answers: Sequence[Answers],
    acts: object,
    lost: bool,
    design: str,
) -> EpisodeEvidence | Unknown:
    """The evidence of one episode against the type, or group, ``partner`` of ``shares``.

    ``tells`` says whether the first half tells the type, ``gain`` what knowing it adds to the payoff of a round (``None``: F does not count).
    ``answers`` are those of all rounds that were played, in both halves, and ``acts`` is what ego did. A ``lost`` episode
    is wrong in the rounds that it lacks.
    """
    if not any(answers) and not lost:
        return Unknown(NOT_ASKED)
    share = next(share for share in shares if share.name == partner)
    settled = [weighed for weighed in rounds if tells and weighed.answers]
    counts = share.literal > 0 and (bool(settled) or lost)
    planned = rounds if lost else settled
    right = sum(weighed.accuracy for weighed in settled)
    winnable = sum(weighed.random_loss for weighed in settled)
    offers = counts and winnable > WORTHLESS
    correct = [weighed for weighed in settled if weighed.right]
    literal = None
    if counts:
        literal = (right - sum(weighed.floor for weighed in planned)) / len(planned) * share.slope
    return EpisodeEvidence(
        partner=partner,
        shares=tuple(shares),
        design=design,
        lost=lost,
        literal=literal,
        unused=sum(weighed.loss for weighed in correct) / winnable if offers else None,
        reach=sum(weighed.random_loss for weighed in correct) / winnable if offers else 0.0,
        functional=sum(weighed.above for weighed in rounds) / gain / len(rounds) if gain else None,
        words=crc32(repr([weighed.answers for weighed in settled]).encode()),
        rounds=len(settled),
        right=right,
        acts=crc32(repr(acts).encode()),
        prejudice={},
        answers=sum(map(len, answers)),
        unread=sum(of_round.count(None) for of_round in answers),
    )


def find_type(record: Record, seat: Seat, names: Sequence[str]) -> int | None:
    """The number of the type in ``seat`` among ``names``; ``None`` where a mind sits there, or a stranger, or one after another."""
    partner = record.partners.get(seat)
    return names.index(partner.name) if partner is not None and partner.name in names else None


class KnownEpisode(NamedTuple):
    """An episode with a partner of type number ``partner``; whether it was ``lost``, and its design."""

    partner: int
    lost: bool
    design: str


def identify_partner(record: Record, seat: Seat, names: Sequence[str]) -> KnownEpisode | Unknown:
    """The type of the partner in ``seat`` among ``names``, or why it is not known."""
    partner = find_type(record, seat, names)
    if partner is None:
        return Unknown(STRANGER)
    return KnownEpisode(partner, record.outcome.status != "scored", design_of(record))


def average_accuracy(rounds: Sequence[tuple[float, float]]) -> Accuracy | Unknown:
    """The accuracy of an episode, by the share of right answers and that of blind ones in each round with questions."""
    if not rounds:
        return Inapplicable(NOT_ASKED)
    rights, floors = zip(*rounds, strict=True)
    return Accuracy(sum(rights) / len(rights), sum(floors) / len(floors), 1.0)
