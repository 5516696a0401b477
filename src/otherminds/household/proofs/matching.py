"""Whether a certificate is about a task: its problem must be the one made anew from the task, byte for byte.

Its episodes, and that it is hard, are checked here too, since only a task in its house can be played.

The checker (:mod:`otherminds.household.epistemic.check`) proves claims about the problem in a certificate. A certificate whose
problem was changed, and whose digest was computed again, is proved too, but it is about another task.
"""

from __future__ import annotations

import msgspec
from msgspec import structs

from otherminds.household.epistemic.certificate import EpistemicProblem
from otherminds.household.epistemic.check import Checked, RejectedError, check, read_certificate
from otherminds.household.epistemic.check_due import FAIR, HARD, ORDER
from otherminds.household.house import House
from otherminds.household.proofs.episodes import check_episodes, check_hard
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.guess_check import check_guess
from otherminds.household.proofs.guessing import bound_guesses

GUESS = "guess-proof"


def differing(problem: EpistemicProblem, house: House) -> list[str]:
    """The parts of a problem that are not those of the task's problem; none if it is the task's.

    Raises:
        TaskError: the task's goal has a literal that proofs do not have.
    """
    mine, its = structs.asdict(exported(house)), structs.asdict(problem)
    return [part for part, value in mine.items() if _canonical(value) != _canonical(its[part])]


def check_for(house: House, raw: bytes) -> Checked:
    """The verdict on a certificate that must be about this task: its claims, its episodes, and all due verdicts.

    The bound on guesses, which a certificate does not have, is computed anew.

    Raises:
        RejectedError: the content is no certificate, it is about another task, or a claim has the name of an episode.
        TaskError: as :func:`differing`.
    """
    certificate = read_certificate(raw)
    if parts := differing(certificate.problem, house):
        raise RejectedError(f"the problem is not that of task {house.task.task_id!r}: {', '.join(parts)}")
    if same := certificate.claims.keys() & set(map(str, certificate.episodes)):
        raise RejectedError(f"a claim has the name of an episode: {', '.join(sorted(same))}")
    checked, episodes = check(raw), check_episodes(house, certificate.episodes)
    due_verdicts = checked.due | {
        GUESS: "" if _guess_proof(house) else "the bound on guesses is not low enough"
    }
    if faults := [f"{episode}: {why}" for episode, why in episodes.items() if why]:
        due_verdicts |= dict.fromkeys((FAIR, ORDER), f"a rejected episode: {faults[0]}")
    hard = {HARD: check_hard(house, certificate.episodes, certificate.hard)} if certificate.hard else {}
    # A claim of the problem that is called hard stays rejected.
    return Checked(hard | checked.claims | episodes, due_verdicts)


def _guess_proof(house: House) -> bool:
    guess = bound_guesses(house)
    return guess.guess_proof and not check_guess(house, guess)


def _canonical(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
