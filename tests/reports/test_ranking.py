"""What a ranking says: who is better than whom, never of minds that are tied, in words, in LaTeX and in SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from otherminds.core.errors import StudyError
from otherminds.measures.comparing import Score
from otherminds.measures.intervals import Estimate
from otherminds.measures.ranking import RankedMind, Ranking, ScoreRanking, list_tied_sets
from otherminds.reports.ranking import RankingResult, find_letters, list_claims
from otherminds.reports.ranking_files import as_latex, as_svg

HOSTILE = r"\input{x}_%$&#~^ </text><script>"


def make_score(score: Score, levels: dict[str, float], better: dict[str, tuple[str, ...]]) -> ScoreRanking:
    differing = frozenset(frozenset({name, other}) for name, worse in better.items() for other in worse)
    minds = tuple(
        RankedMind(name, Estimate(level, level - 0.1, level + 0.1), better.get(name, ()))
        for name, level in levels.items()
    )
    return ScoreRanking(score, minds, tuple(list_tied_sets(list(levels), differing)), (), tested=True)


def make_result(*scores: ScoreRanking, left_out: tuple[str, ...] = ()) -> RankingResult:
    names = tuple(dict.fromkeys((*(mind.name for score in scores for mind in score.minds), *left_out)))
    lost = {name: 9 * (name in left_out) for name in names}
    return RankingResult(Ranking(names, 24, lost, left_out, (), scores))


@pytest.mark.parametrize(
    ("better", "claims"),
    [
        ({}, []),
        ({"a": ("b", "c")}, ["“a” earns more than all others"]),
        ({"a": ("c",)}, ["“a” earns more than “c”"]),
        ({"a": ("c",), "b": ("c",)}, ["each of “a” and “b” earns more than “c”"]),
        ({"a": ("b", "c"), "b": ("c",)}, ["“a” earns more than all others"]),
        ({"b": ("c",)}, ["“b” earns more than “c”"]),
    ],
)
def test_claims_are_of_those_that_nobody_is_better_than(
    better: dict[str, tuple[str, ...]], claims: list[str]
) -> None:
    assert list_claims(make_score("functional", {"a": 0.9, "b": 0.5, "c": 0.1}, better)) == claims


def test_the_sentence_names_ties_and_losses() -> None:
    score = make_score("functional", {"a": 0.9, "b": 0.5, "c": 0.1}, {"a": ("c",), "b": ("c",)})
    none = make_score("literal", {"a": 0.9, "b": 0.9, "c": 0.8}, {})
    assert make_result(none, score, left_out=("d",)).sentence == (
        "Each of “a” and “b” earns more than “c”; L tells nobody apart (at 24 common episodes). "
        "Not ranked: “d” lost 9 of them."
    )
    assert (
        make_result(none).sentence
        == "No difference between “a”, “b” and “c” can be told at 24 common episodes."
    )
    many = make_score("literal", {f"m{n}": 0.5 for n in range(30)}, {})
    assert "“m0”, “m1”, “m2” and 27 others" in make_result(many).sentence


def test_minds_have_a_letter_in_common_where_they_do_not_differ_and_only_there() -> None:
    names = [f"m{n}" for n in range(40)]
    # Who is ten places behind is worse, so that thirty-one sets overlap.
    score = make_score(
        "functional", dict.fromkeys(names, 0.0), {name: (*names[n + 10 :],) for n, name in enumerate(names)}
    )
    letters = find_letters(score)
    assert len(score.tied) == 31
    for n, name in enumerate(names):
        for m, other in enumerate(names):
            assert bool(split_letters(letters[name]) & split_letters(letters[other])) == (abs(n - m) < 10)


def split_letters(text: str) -> set[str]:
    return set(re.findall(r"[a-z]\d*", text))


def test_very_many_overlapping_sets_are_not_listed() -> None:
    names = [f"m{n}" for n in range(60)]
    score = make_score("functional", dict.fromkeys(names, 0.0), {f"m{n}": (f"m{n + 30}",) for n in range(30)})
    assert score.tied == ()
    assert "m59" in repr(make_result(score))


def test_a_hostile_name_is_text_in_latex_and_svg() -> None:
    result = make_result(make_score("functional", {HOSTILE: 0.9, "b": 0.5}, {HOSTILE: ("b",)}))
    latex = as_latex(result)
    body = [line for line in latex.splitlines() if not line.startswith("%")]
    assert not any(r"\input" in line for line in body)
    assert r"\textbackslash{}input\{x\}\_\%\$\&\#\textasciitilde{}\textasciicircum{}" in latex
    drawing = ET.fromstring(as_svg(result))
    assert not [element for element in drawing.iter() if element.tag.endswith("script")]


def count_bars(score: ScoreRanking) -> int:
    return len(re.findall(r"stroke-width: 3\b(?!\.)", as_svg(make_result(score))))


def test_a_drawing_has_a_bar_for_each_tied_set_of_several() -> None:
    apart = make_score("functional", {"a": 1, "b": 0.5, "c": 0}, {"a": ("b", "c"), "b": ("c",)})
    tied = make_score("functional", {"a": 1, "b": 0.5, "c": 0}, {"a": ("c",)})
    assert [count_bars(score) for score in (apart, tied)] == [0, 2]
    split = make_score("functional", {"a": 1, "b": 0.5, "c": 0}, {"a": ("b",), "b": ("c",)})
    assert split.tied == (("a", "c"), ("b",))
    assert count_bars(split) == 2


def test_nothing_is_written_where_nothing_is_ranked() -> None:
    nothing = RankingResult(
        Ranking(("a", "b"), 0, {"a": 0, "b": 0}, (), (), (), "no episode was recorded of all of them")
    )
    for write in (as_latex, as_svg):
        with pytest.raises(StudyError, match="“a” and “b” cannot be ranked"):
            write(nothing)
