"""Deletes what was recorded of a person, by the code that the person is shown at the end.

What stays: that an episode was planned and withdrawn (it counts as lost), and a line that says when. A deletion that was
cut off is finished by the same command, or by the next start of the study.
"""

from __future__ import annotations

import hmac
from pathlib import Path
from secrets import token_urlsafe

from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.models.wrappers import Replies
from otherminds.studies.access import CALLS
from otherminds.studies.run_dir import LEDGER, STATUS, plan_in
from otherminds.studies.sharding import homes
from otherminds.studies.store import Store
from otherminds.web.episode_index import EpisodeIndex
from otherminds.web.links import LINKS, make_deletion_code, read_links, write_links
from otherminds.web.people_records import list_people
from otherminds.web.stays import WITHDRAWING, WITHDRAWN, Journal
from otherminds.web.viewed_runs import find_cache


def delete_person(folder: Path, code: str) -> tuple[str, int]:
    """Deletes what was recorded in ``folder`` of the person with ``code``. Returns its label, and how many records were withdrawn.

    Raises:
        StudyError: nobody has that code, the study is running, or a file cannot be read or written.
    """
    plan_in(folder)
    lock = Lock(folder)
    try:
        if not (folder / LINKS).exists():
            raise StudyError(
                f"{folder}: holds no study with people ({LINKS} is missing); give the --out of `otherminds host`"
            )
        links = read_links(folder, [])
        letters = "".join(filter(str.isalnum, code)).upper()
        labels = [
            label
            for label, secret in links.items()
            if hmac.compare_digest(make_deletion_code(secret).replace("-", "").encode(), letters.encode())
        ]
        if not labels:
            raise StudyError(
                f"{folder}: nobody of this study has the code {code[:40]!r}; codes are shown at the end of a study"
            )
        return labels[0], erase_person(folder, labels[0])
    finally:
        lock.release()


def finish_deletions(folder: Path) -> None:
    """Finishes deletions that were cut off. The caller holds the lock of the folder."""
    for label, events in Journal(folder).read_events().items():
        if events[-1].name == WITHDRAWING:
            erase_person(folder, label)


def erase_person(folder: Path, label: str) -> int:
    """Deletes the records, kept replies, events and link of a person, in an order that a crash cannot spoil. The caller holds the lock."""
    journal = Journal(folder)
    if all(event.name != WITHDRAWN for event in journal.read_events().get(label, ())):
        journal.add(label, WITHDRAWING, {})
    own = {spec.hash for spec in plan_in(folder).episodes if label in list_people([spec])}
    withdrawn = sum(
        Store(home).withdraw(own, f"withdrawn: person:{label} asked for the deletion of its data")
        for home in homes(folder)
    )
    for home in homes(folder):
        if (home / CALLS).exists():
            replies = Replies(home / CALLS)
            replies.erase(own)
            replies.close()
        (home / STATUS).unlink(missing_ok=True)  # it counts withdrawn episodes as scored
        for ledger in home.glob(f"{LEDGER}*"):  # it is made anew from the records
            ledger.unlink()
    for index in find_cache().glob(f"{EpisodeIndex(folder, find_cache()).path.name}*"):
        index.unlink()
    journal.forget(label, withdrawn)
    write_links(folder, {**read_links(folder, [label]), label: token_urlsafe(24)})
    return withdrawn
