"""Sources of studies: a package of others plays its own files by `otherminds run`, and splits of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.studies import file
from otherminds.studies.file import CellEntry, SourceClaim, StudyFile, StudySource, TaskScenario
from otherminds.studies.plan import plan_file
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import for_each

NAMES = ("ipd", "rps")


class Cards:
    """Files ``.cards`` with a name of a game a line; any folder may have some, if ``folders`` says so."""

    splits_of = "the games of cards"

    def __init__(self, suffix: str = ".cards", folders: SourceClaim = SourceClaim.NONE) -> None:
        self.suffix, self.folders = suffix, folders

    def claim(self, name: Path, folder: Path) -> SourceClaim:
        path = folder / name
        return self.folders if path.is_dir() else SourceClaim(2 * (path.suffix == self.suffix))

    def study_of(self, path: Path, minds: list[str]) -> StudyFile:
        return StudyFile(
            name=path.stem, episodes=2, cells=[CellEntry(tasks=[path.name], minds=minds or ["random"])]
        )

    def scenarios_of(self, path: Path) -> list[TaskScenario]:
        names = (path / "all.cards" if path.is_dir() else path).read_text().split()
        return [TaskScenario(f"{self.suffix} {name}", f"{name}-mixed-v1", {"rounds": 4}) for name in names]

    def has_scenario(self, scenario: str) -> bool:
        return scenario.startswith(NAMES)

    def split_scenarios(self, split: str) -> list[str]:
        return [f"{name}-{split}-v1" for name in NAMES]


class Faulty(Cards):
    """Claims every name, and then fails with ``error``."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def claim(self, name: Path, folder: Path) -> SourceClaim:
        return SourceClaim.SURE

    def study_of(self, path: Path, minds: list[str]) -> StudyFile:
        raise self.error


def install(monkeypatch: pytest.MonkeyPatch, **installed: StudySource) -> None:
    """Makes ``installed`` the only study sources."""
    registry: Registry[StudySource] = Registry("installed source")
    for name, source in installed.items():
        registry.add(name, source)
    monkeypatch.setattr(file, "study_sources", registry)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A folder with a file of cards."""
    (tmp_path / "all.cards").write_text("ipd rps")
    return tmp_path


def test_a_file_of_a_source_is_run_and_stands_in_a_cell(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, cards=Cards())
    plan = plan_file(table / "all.cards", RunOverrides(minds=("rmax",)))
    assert plan.cells() == {(".cards ipd", "rmax"): 2, (".cards rps", "rmax"): 2}
    study = table / "study.toml"
    study.write_text('name = "cards"\n[[cells]]\ntasks = ["all.cards"]\nminds = ["rmax"]\nepisodes = 2\n')
    assert [spec.hash for spec in plan_file(study).episodes] == [spec.hash for spec in plan.episodes]


@for_each(
    ("first", "second", "reads"),
    [
        (SourceClaim.POSSIBLE, SourceClaim.SURE, ".b"),
        (SourceClaim.SURE, SourceClaim.POSSIBLE, ".a"),
        (SourceClaim.POSSIBLE, SourceClaim.NONE, ".a"),
        (SourceClaim.NONE, SourceClaim.POSSIBLE, ".b"),
        (SourceClaim.SURE, SourceClaim.SURE, ".a"),
    ],
)
def test_the_surest_source_reads_a_folder_and_the_first_by_name_of_equals(
    first: SourceClaim, second: SourceClaim, reads: str, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, b=Cards(".b", second), a=Cards(".a", first))
    assert {title for title, _ in plan_file(table).cells()} == {f"{reads} ipd", f"{reads} rps"}


def test_a_split_replaces_scenarios_of_its_source_and_keeps_minds_unless_others_are_given(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, cards=Cards())
    study = table / "study.toml"
    study.write_text('name = "s"\n[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["rmax"]\nepisodes = 1\n')
    plan = plan_file(study, RunOverrides(splits=("mixed", "single", "mixed")))
    scenarios = ["ipd-mixed-v1", "rps-mixed-v1", "ipd-single-v1", "rps-single-v1"]
    assert [*plan.cells()] == [(name, "rmax") for name in scenarios]
    other = plan_file(study, RunOverrides(splits=("mixed",), minds=("random",), episodes=1))
    assert [*other.cells()] == [("ipd-mixed-v1", "random"), ("rps-mixed-v1", "random")]


def test_a_split_of_a_study_with_other_scenarios_is_refused(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, cards=Cards())
    study = table / "study.toml"
    for where in ('scenarios = ["rps-mixed-v1", "ibs-mixed-v1"]', 'tasks = ["all.cards"]'):
        study.write_text(f'name = "s"\n[[cells]]\n{where}\nminds = ["rmax"]\n')
        with pytest.raises(StudyError, match="--split replaces the tasks of the games of cards"):
            plan_file(study, RunOverrides(splits=("mixed",)))


def test_a_study_without_tasks_needs_no_source(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    study = table / "study.toml"
    study.write_text('name = "s"\n[[cells]]\nscenarios = ["rps-mixed-v1"]\nminds = ["rmax"]\n')
    assert len(plan_file(study).episodes) == 30
    study.write_text('name = "s"\n[[cells]]\ntasks = ["all.cards"]\nminds = ["rmax"]\n')
    with pytest.raises(StudyError, match="no installed package has tasks; name scenarios"):
        plan_file(study)


def test_a_source_that_fails_is_named_in_one_line(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, cards=Faulty(KeyError("no cards today")))
    with pytest.raises(StudyError, match="study source 'cards': KeyError: 'no cards today'") as told:
        plan_file(table / "all.cards")
    assert "\n" not in str(told.value)


def test_a_file_that_cannot_be_read_is_no_fault_of_the_source(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line then names the file and the reason."""
    install(monkeypatch, cards=Faulty(PermissionError(13, "Permission denied", "all.cards")))
    with pytest.raises(PermissionError) as told:
        plan_file(table / "all.cards")
    assert told.value.filename == "all.cards"
