"""What a study plans."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from otherminds.studies.plan import ego, plan_file
from otherminds.studies.shipped import shipped


def test_seeds_are_balanced_over_partners() -> None:
    plan = plan_file(shipped("demo"))
    for cell, planned in plan.cells().items():
        specs = [spec for spec in plan.episodes if (spec.title, ego(spec).title) == cell]
        met = Counter(spec.seats["partner_0"].title for spec in specs)
        assert len(specs) == planned
        if "mixed" in cell[0]:
            assert met["tit_for_tat"] == planned / 2
        singles = [n for name, n in met.items() if name.startswith("single")]
        assert len(set(singles)) <= 1, "constant partners come equally often"


def test_the_demo_is_what_it_says() -> None:
    cells = plan_file(shipped("demo")).cells()
    tabular = [n for (_, mind), n in cells.items() if "@" not in mind]
    assert len(tabular) == 9 * 4
    assert min(tabular) >= 60
    assert {mind.split("@")[0] for _, mind in cells if "@" in mind} == {"lm", "qa"}


def test_every_episode_has_a_hash_of_its_own_and_keeps_it(small: Path) -> None:
    one, two = plan_file(small), plan_file(small)
    assert one == two
    assert len({spec.hash for spec in one.episodes}) == len(one.episodes) == 24


def test_more_episodes_keep_the_identity_and_anything_else_changes_it(small: Path) -> None:
    before = plan_file(small)
    small.write_text(small.read_text().replace("episodes = 6", "episodes = 9"))
    more = plan_file(small)
    assert more.identity == before.identity
    assert {spec.hash for spec in before.episodes} < {spec.hash for spec in more.episodes}
    small.write_text(small.read_text().replace("rounds = 8", "rounds = 9"))
    assert plan_file(small).identity != before.identity


def test_grants_are_declared_in_the_spec(small: Path) -> None:
    by_mind = {ego(spec).mind: spec.grants for spec in plan_file(small).episodes}
    assert by_mind == {"rmax": {}, "nash": {"ego": ("payoffs",)}}


def test_a_game_of_the_study_travels_in_the_spec(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[[games]]\nname = "stag"\nbehaviours = [["a", "b", "c"], ["x", "y"]]\n'
        "payoffs = [[[1, 1], [0, 2]], [[2, 0], [1, 1]], [[0, 0], [3, 1]]]\n"
        '[[cells]]\nscenarios = ["stag-single-v1"]\nminds = ["rmax"]\nepisodes = 4\n'
    )
    spec = plan_file(path).episodes[0]
    assert spec.title == "stag-single-v1"
    assert spec.scenario == "bimatrix-single-v1"
    assert spec.options["game"]["behaviours"] == [["a", "b", "c"], ["x", "y"]]
