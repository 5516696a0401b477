"""Long names in figures: broken, never mistaken for another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherminds.reports.episodes import substrate
from otherminds.reports.style import LINES, wrap_name


def test_names_break_where_their_parts_end() -> None:
    assert wrap_name("informed") == "informed"
    name = "Hypothetical Minds@openai:Llama-3.3-70B-Instruct(alpha=0.3)"
    assert wrap_name(name).split("\n")[0] == "Hypothetical Minds"
    assert wrap_name(name).endswith("(alpha=0.3)")


def test_what_tells_long_names_apart_stays() -> None:
    names = [f"hm@openai:{'a-very-long-name-of-a-model-' * 4}(alpha=0.3, top_k={k})" for k in (1, 3, 10)]
    shown = [wrap_name(name) for name in names]
    assert len(set(shown)) == 3
    assert all(label.count("\n") < LINES and "…" in label for label in shown)


@given(
    st.text(st.characters(categories=("L", "N"), include_characters=" @(:,-=)"), max_size=200),
    st.integers(12, 40),
)
def test_no_line_is_longer_than_there_is_room_for(name: str, room: int) -> None:
    lines = wrap_name(name, room).split("\n")
    assert len(lines) <= LINES
    assert all(len(line) <= room for line in lines)


def test_scenarios_by_substrate() -> None:
    assert substrate("cooking-asymmetric-mixed-v1") == "cooking-asymmetric"
    assert substrate("mine") == "mine"
