"""A ranking in words and as a table: who is better at what, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from textwrap import fill

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.text import text_table
from otherminds.measures.intervals import Estimate
from otherminds.measures.ranking import Ranking, ScoreRanking, rank_minds
from otherminds.measures.verdict import FEWEST_CLUSTERS
from otherminds.reports.comparison import BETTER, MEANINGS, NAMES, WIDTH
from otherminds.reports.contenders import Contender, list_common_cells
from otherminds.reports.sheets import fixed

HOLDS = (
    "Paired by partner and seed, over the episodes that all have. Minds with a letter in common cannot be told apart; who has none in "
    "common differ, at 95 % over all pairs and scores together (Holm). That two cannot be told apart does not show that they are equal."
)
NAMED = 3
"""Minds that a sentence names; of more it gives the number."""


class RankingResult(Struct, frozen=True):
    """A ranking with its sentence. ``size`` is the size of the suite at which evaluations are compared; empty for runs."""

    ranking: Ranking
    size: str = ""

    @property
    def sentence(self) -> str:
        """Who is better at what, and the number of episodes."""
        ranking = self.ranking
        where = f"at {ranking.episodes} common episodes" + (f" of size {self.size}" if self.size else "")
        names = join_names(ranking.names)
        out = ""
        if ranking.left_out:
            losses = [f"{quote(name)} lost {ranking.lost[name]} of them" for name in ranking.left_out]
            out = f" Not ranked: {'; '.join(losses)}."
        if ranking.reason:
            return f"{names} cannot be ranked {where}: {ranking.reason}.{out}"
        claims = [claim for score in ranking.scores for claim in list_claims(score)]
        apart = [NAMES[score.score] for score in ranking.scores if not list_claims(score)]
        if not claims:
            return f"No difference between {names} can be told {where}.{out}"
        same = f"; {join_words(apart)} tell{'s' * (len(apart) == 1)} nobody apart" if apart else ""
        sentence = f"{'; '.join(claims)}{same} ({where}).{out}"
        return sentence[0].upper() + sentence[1:]

    def __repr__(self) -> str:
        return as_text(self)


def rank_sides(sides: Sequence[Contender], size: str = "") -> RankingResult:
    """Ranks sides over the cells in which all played the same.

    Raises:
        StudyError: there are fewer than two sides, or no such cell.
    """
    if len(sides) < 2:
        raise StudyError("a ranking takes at least two models or minds")
    same = list_common_cells(sides)
    return RankingResult(
        rank_minds({side.name: {key: side.cells[key] for key in same} for side in sides}), size
    )


def list_claims(score: ScoreRanking) -> list[str]:
    """Who is better than whom in a score, of those that nobody is better than; those with the same claim together."""
    beaten = {name for mind in score.minds for name in mind.better_than}
    by_worse: dict[tuple[str, ...], list[str]] = {}
    for mind in score.minds:
        if mind.name not in beaten and mind.better_than:
            by_worse.setdefault(mind.better_than, []).append(mind.name)
    claims: list[str] = []
    for worse, better in by_worse.items():
        everyone = len(worse) + len(better) == len(score.minds) and len(worse) > 1
        others = "all others" if everyone else join_names(worse)
        if len(better) == 1:
            claims.append(f"{quote(better[0])} {BETTER[score.score]} than {others}")
        else:
            # The verbs of BETTER are in the singular.
            claims.append(f"each of {join_names(better)} {BETTER[score.score]} than {others}")
    return claims


def quote(name: str) -> str:
    """A name in quotation marks."""
    return f"“{name}”"


def join_words(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> join_words(["L", "F", "reward"])
    'L, F and reward'
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def join_names(names: Sequence[str]) -> str:
    """Names in quotation marks as a list in a sentence; of many, the first and the number of the others."""
    if len(names) > NAMED + 1:
        return f"{', '.join(map(quote, names[:NAMED]))} and {len(names) - NAMED} others"
    return join_words([*map(quote, names)])


def find_letters(score: ScoreRanking) -> dict[str, str]:
    """The letters of each mind's tied sets, "a" for the set of the best."""
    return {
        mind.name: "".join(_letter(n) for n, members in enumerate(score.tied) if mind.name in members)
        for mind in score.minds
    }


def _letter(number: int) -> str:
    """a to z, then a1, b1 and so on."""
    turn, place = divmod(number, len(ascii_lowercase))
    return f"{ascii_lowercase[place]}{turn or ''}"


def list_rows(result: RankingResult) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads of a table, and a row for each mind: its number in each score with its interval, and the letters of its tied sets.

    Rows are in the order of the first score. A dash stands where a mind has no number or is not ranked.
    """
    ranking = result.ranking
    heads = ("mind", *(NAMES[score.score] for score in ranking.scores), "lost")
    first = [mind.name for score in ranking.scores[:1] for mind in score.minds]
    names = [*first, *(name for name in ranking.names if name not in first)]
    columns = [
        {
            mind.name: f"{in_figures(mind.level)} {find_letters(score)[mind.name]}".rstrip()
            for mind in score.minds
        }
        for score in ranking.scores
    ]
    return heads, [
        (name, *(column.get(name, "–") for column in columns), str(ranking.lost[name])) for name in names
    ]


def in_figures(level: Estimate) -> str:
    """A number with its interval, if it has one.

    >>> in_figures(Estimate(0.25, 0.125, 0.375))
    '0.25 [0.12, 0.38]'
    """
    ends = "" if level.low is None else f" [{fixed(level.low, 2)}, {fixed(level.high, 2)}]"
    return fixed(level.mean, 2) + ends


def as_text(result: RankingResult) -> str:
    """The sentence, the table, and what its columns and letters mean."""
    scores = result.ranking.scores
    if not scores:
        return result.sentence
    untested = [NAMES[score.score] for score in scores if not score.tested]
    few = (
        f"Not tested, with fewer than {FEWEST_CLUSTERS} distinct pairs: {join_words(untested)}."
        if untested
        else ""
    )
    notes = (" ".join(MEANINGS[score.score] for score in scores), HOLDS, few)
    below = "\n".join(fill(note, WIDTH) for note in notes if note)
    return f"{result.sentence}\n\n{text_table(*list_rows(result))}\n{below}"


def describe_ranking(result: RankingResult) -> str:
    """The ranking as one line of JSON."""
    return msgspec.json.encode(
        {"sentence": result.sentence, "size": result.size, "ranking": result.ranking}
    ).decode()
