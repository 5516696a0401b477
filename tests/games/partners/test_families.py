"""Every partner family has its expected trajectories, in a file of its own."""

from __future__ import annotations

from pathlib import Path

from otherminds.games.registry import partners
from tests.cases import for_each


@for_each("family", [name for name in partners if partners.get(name).__module__.startswith("otherminds.")])
def test_a_family_has_its_trajectories(family: str) -> None:
    file = Path(__file__).with_name(f"test_{family}.py")
    assert file.is_file(), f"{file.name} is missing: a partner's test is an expected trajectory"
    assert file.read_text().count("(PartnerConformance)") >= 2
