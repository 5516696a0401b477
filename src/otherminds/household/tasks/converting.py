"""A file of the public release made playable: in our form, if asked in a plain house, with the forms of its secrets drafted."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct, structs

from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Task
from otherminds.household.tasks.check import check_task
from otherminds.household.tasks.check_told import untold_places
from otherminds.household.tasks.convert import without_unknown_mechanics
from otherminds.household.tasks.convert_parts import spawns_in_rooms
from otherminds.household.tasks.diagnostics import Diagnostics, Fault
from otherminds.household.tasks.drafts import DraftedTask, OpenSentence, with_drafts, without_forms
from otherminds.household.tasks.load import Own, examined, is_shipped, read_json
from otherminds.household.tasks.plain_house import furnish_task
from otherminds.household.tasks.things import Things, of_scene

DRAFTED = re.compile(r"agent_knows\.\w+\[\d+\]")


class ConvertedFile(Struct, frozen=True):
    """A task in our form; ``scene`` is its plain house, if one was made, and ``open`` the secrets that are left to confirm."""

    task: Task
    account: Diagnostics
    scene: Scene | None = None
    open: tuple[OpenSentence, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.account.faults


def read_release(source: str, own: Own | None = None, scene_id: str = "") -> ConvertedFile:
    """The task in a file, or the included task of that name; with ``scene_id`` in a plain house of that name.

    Raises:
        TaskError: there is no such task, it or its scene cannot be read, or a plain house would be too large.
    """
    data, unknown = without_unknown_mechanics(read_json(source))
    file = None if is_shipped(source) or scene_id else Path(source)
    if scene_id and isinstance(data, dict) and "agent_spawns" in data:
        data = data | {"agent_spawns": spawns_in_rooms(data["agent_spawns"], None, list[str]().append)}
    examination = examined(data, None if scene_id else own, file)
    faults = tuple(
        fault for fault in examination.account.faults if not _may_be_drafted(fault, examination.task)
    )
    if faults:
        return ConvertedFile(examination.task, structs.replace(examination.account, faults=faults))
    task, contents, notes = examination.task, examination.things, (*unknown, *examination.account.notes)
    scene = None
    if scene_id:
        furnishing = furnish_task(task, scene_id)
        task, scene, contents = furnishing.task, furnishing.scene, of_scene(furnishing.scene)
        notes = (*(note for note in notes if "agent_spawns" not in note), *furnishing.notes)
    drafted, lost = _checked_drafts(with_drafts(task), contents)
    account = check_task(drafted.task, contents)
    notes = (*notes, *account.notes, *drafted.notes, *lost)
    return ConvertedFile(
        drafted.task,
        Diagnostics(account.faults, account.missing, tuple(dict.fromkeys(notes))),
        scene,
        drafted.open,
    )


def _may_be_drafted(fault: Fault, task: Task) -> bool:
    """Whether a fault is that no secret names a private goal, which is drafted as a formula and left to confirm."""
    return not task.verified and (fault.place, fault.by) in map(untold_places, task.private_goals)


def _checked_drafts(drafted: DraftedTask, contents: Things | None) -> tuple[DraftedTask, tuple[str, ...]]:
    """The drafts without those that the start of the task denies, and a note for each of these."""
    task, lost = drafted.task, ()
    while places := [
        fault.place for fault in check_task(task, contents).faults if DRAFTED.fullmatch(fault.place)
    ]:
        task, gone = without_forms(task, iter(places))
        lost = (*lost, *(f"agent_knows: {form} is said, and not so at the start; left out" for form in gone))
    return DraftedTask(task, drafted.open, drafted.notes), lost
