"""The part of a report about one scenario: its cells, the paper's rows for it, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from otherminds.core.record import OUTCOMES
from otherminds.measures.cells import Cell
from otherminds.measures.episode import Key
from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import MARK, MOST, About, ReplyCounts
from otherminds.measures.registry import NOT_APPLYING
from otherminds.models.faults import line
from otherminds.reports.findings import tabled_measures
from otherminds.reports.papers import TableLine, explain_marks, papers
from otherminds.reports.sheets import (
    HALF,
    HEADS,
    Pair,
    Row,
    Sheet,
    fixed,
    format_mean,
    grouped_by,
    half,
    of_planned,
    pair,
    percent,
    trim_sheet,
)


class Column(Struct, frozen=True):
    """A column of estimates: its ``name``, the field of a cell, how many decimals."""

    name: str
    key: str
    digits: int


TOM = Column("ToM %", "tom_percent", 1)
REGRET = Column("Δ_Functional/T", "delta_functional", 3)
MAIN = (
    Column("unused", "unused", 3),
    Column("L", "literal", 2),
    Column("F", "functional", 2),
    Column("gap", "gap", 2),
    REGRET,
    Column("Δ_ToM/T", "delta_tom", 3),
    TOM,
)
PARTS = (
    REGRET,
    *(Column(name, name, 3) for name in ("unknowable", "foresight", "mistaken", "unused", "luck")),
)
PAPER = (Column("Δ_Functional/T", "paper_delta_functional", 3), Column("Δ_ToM/T", "paper_delta_tom", 3))
FILTERED = "filtered"
"""The name of the outcome of an episode that a content filter stopped; its record counts it as refused."""
FEW_WORDS = f"{HALF} Shares have score intervals (Wilson). n: scored episodes, of those planned."
FOOT = (
    f"{HALF} Episodes are stratified by partner; shares have score intervals (Wilson). "
    "n: scored episodes, of those planned. L and F of all rounds are over whole episodes; those of verdicts are over the rounds in "
    "which the partner can be known. "
    "paper convention: computed as the paper's printed tables are; only these are comparable with its rows "
    "(the tabular learner, the two best language models without an oracle, the worst one)."
)


def foot(cells: Sequence[Cell]) -> str:
    """What the scores of all scenarios have in common, in words; shorter where no mind met partners."""
    return FOOT if _has_partners(cells) else FEW_WORDS


def _has_partners(cells: Sequence[Cell]) -> bool:
    return any(cell.about.partners for cell in cells)


class Section(Struct, frozen=True):
    """One scenario. ``game`` and ``partners`` are empty where nothing was recorded yet."""

    scenario: str
    game: str
    partners: str
    cells: tuple[Cell, ...]
    paper: tuple[TableLine, ...]
    notes: tuple[str, ...]

    @property
    def against(self) -> str:
        """The game and the kinds of partner; empty where they are not known."""
        return f"{self.game} against {self.partners}" if self.game else ""

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The scores of each mind, and a table with the paper's rows if it has any."""
        present_cells = present(self.cells)
        return (
            *([_scores(present_cells)] if present_cells else []),
            *([_beside(self)] if self.paper else []),
        )


def sections(cells: Sequence[Cell]) -> list[Section]:
    """The cells by scenario, in the order in which scenarios first come."""
    by_scenario = grouped_by(cells, lambda cell: cell.scenario)
    return [
        _section(scenario, tuple(models_first(scenario_cells)))
        for scenario, scenario_cells in by_scenario.items()
    ]


def estimate(cell: Cell, column: Column) -> Estimate:
    """The estimate of ``cell`` in ``column``."""
    return getattr(cell, column.key)


def applying(columns: Sequence[Column], cells: Sequence[Cell]) -> list[Column]:
    """The ``columns`` that apply to at least one of ``cells``."""
    return [column for column in columns if any(_applies(estimate(cell, column)) for cell in cells)]


def _main_columns(cells: Sequence[Cell]) -> list[Column]:
    """The columns of the table of scores."""
    return [column for column in applying(MAIN, cells) if column is not TOM or _has_partners(cells)]


def name_score(name: str, cells: Sequence[Cell]) -> str:
    """The head of a column of scores; L and F of whole episodes with partners are other numbers than those of verdicts."""
    return f"{name}, all rounds" if name in ("L", "F") and _has_partners(cells) else name


def models_first(cells: Sequence[Cell]) -> list[Cell]:
    """``cells`` with those of language models first; else in their order."""
    return sorted(cells, key=lambda cell: cell.about.who is None or not cell.about.who.model)


def not_scored(cells: Sequence[Cell]) -> Sheet | None:
    """The cells with unscored episodes and the range of their regret; ``None`` if all were scored."""
    rows = tuple(
        (
            (cell.scenario, name_mind(cell), count_unscored(cell)),
            ((of_planned(cell), ""), (between(cell), "")),
        )
        for cell in incomplete(cells)
    )
    heads = ("scenario", "mind", "not scored", "scored", "Δ_Functional/T,\nbest to worst case")
    about = keys(incomplete(cells))
    return Sheet("not every episode was scored", heads, rows, cells=about) if rows else None


def _scores(cells: Sequence[Cell]) -> Sheet:
    columns = _main_columns(cells)
    names = [HEADS.get(column.name, name_score(column.name, cells)) for column in columns]
    heads = ("mind", *names, HEADS["invalid %"], "n")
    counts = [((percent(cell.invalid_share), ""), (of_planned(cell), "")) for cell in cells]
    rows = (_row(cell, columns, last) for cell, last in zip(cells, counts, strict=True))
    return trim_sheet(Sheet("", heads, tuple(rows), cells=keys(cells)))


def _row(cell: Cell, columns: Sequence[Column], last: tuple[Pair, ...]) -> Row:
    """The name of a mind, its estimates, and the ``last`` cells of its row."""
    return (name_mind(cell),), (*(pair(estimate(cell, column), column.digits) for column in columns), *last)


def _beside(section: Section) -> Sheet:
    """The run in the paper's convention, followed by the paper's own rows."""
    columns = (*PAPER, TOM)
    rows = [_row(cell, columns, (("", ""),)) for cell in present(section.cells)]
    rows += [((line.names[0],), (*line.pairs, (line.names[1], ""))) for line in section.paper]
    heads = ("", *(f"paper convention\n{column.name}" for column in PAPER), TOM.name, "")
    paper = frozenset(range(len(present(section.cells)), len(rows)))
    half = f"{HALF} In rows of the paper as printed."
    return Sheet("", heads, tuple(rows), inline=True, paper=paper, half=half)


def present(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that have numbers; those without a scored episode are in a table of their own (:func:`not_scored`)."""
    return [cell for cell in cells if cell.scored or cell.functional.low is not None]


def keys(cells: Sequence[Cell]) -> tuple[Key, ...]:
    """The scenario and the mind of each cell."""
    return tuple((cell.scenario, cell.mind) for cell in cells)


def _applies(score: Estimate) -> bool:
    return score.mean is not None or score.low is not None or score.reason != NOT_APPLYING


def name_mind(cell: Cell) -> str:
    """The mind's name, with a mark if some of its episodes have many fallbacks."""
    return mark(cell.mind, bool(cell.about.marked))


def mark(name: str, marked: bool) -> str:
    """``name``, with the mark of many fallbacks if ``marked``."""
    return f"{name} {MARK}" if marked else name


def marks(marked: bool) -> tuple[str, ...]:
    """The note that explains the mark, if ``marked``."""
    meaning = (
        f"{MARK} In some episodes more than {MOST:.0%} of the requests to the model, or of those for a plan, "
        "ended in a fallback: their rewards say little about the model."
    )
    return (meaning,) if marked else ()


def silences(replies: Mapping[str, ReplyCounts]) -> list[str]:
    """Sentences about each model of which nothing that it said could be scored; they belong above all scores.

    They end with its first reply that could not be read, shortened.
    """
    return [
        f"{_silence(model, counts)} The scores of this model say nothing about it.{_quote_reply(counts.first)}"
        for model, counts in replies.items()
        if counts.unscored
    ]


def _quote_reply(reply: str) -> str:
    """The first unread reply on one line; empty if there is none with words."""
    return f' Its first unread reply: "{line(reply)}"' if reply.strip() else ""


def strays(replies: Mapping[str, ReplyCounts]) -> list[str]:
    """A sentence about each model of which some replies choose what is none of the options."""
    return [
        f"{counts.other:,} of {counts.all:,} replies of {model} choose something that is none of the options; none was "
        "turned into an action."
        for model, counts in replies.items()
        if counts.other
    ]


def _silence(model: str, counts: ReplyCounts) -> str:
    """Why nothing that ``model`` said could be scored."""
    every = f"Every reply of {model} ({counts.all:,} in all)"
    if not counts.silent:
        return f"No reply of {model} ({counts.all:,} in all) could be read as an answer, so nothing that it said is scored."
    if counts.empty == counts.all:
        return f"{every} is empty."
    if counts.refused == counts.all:
        return f"{every} is a refusal of the model."
    if counts.filtered == counts.all:
        return f"{every} was removed by a content filter."
    if counts.cut == counts.all:
        return f"{every} was cut at its limit of tokens before an answer; --reply-tokens raises the limit."
    causes = {
        "empty": counts.empty,
        "refused": counts.refused,
        "filtered": counts.filtered,
        "cut": counts.cut,
    }
    listed = ", ".join(f"{n:,} {cause}" for cause, n in causes.items() if n)
    return f"No reply of {model} ({counts.all:,} in all) says anything: {listed}."


def accounting(cells: Sequence[Cell]) -> str:
    """Every planned episode, in one line."""
    every = [_outcomes(cell) for cell in cells]
    counts = {name: sum(outcomes[name] for outcomes in every) for name in (*OUTCOMES, FILTERED, "missing")}
    parts = (f"{name} {n}" for name, n in counts.items() if n or name in ("scored", "invalid", "failed"))
    return f"planned {sum(cell.planned for cell in cells)} = {' + '.join(parts)}"


def incomplete(cells: Sequence[Cell]) -> list[Cell]:
    """The cells of which not every planned episode was scored."""
    return [cell for cell in cells if cell.scored < cell.planned]


def count_unscored(cell: Cell) -> str:
    """The numbers of episodes that were not scored, by outcome and by who is to blame."""
    parts = [f"{name} {n}" for name, n in _outcomes(cell).items() if n and name != "scored"]
    blamed = ", ".join(f"{who} {n}" for who, n in sorted(cell.causes.items()))
    return ", ".join(parts) + (f" (to blame: {blamed})" if blamed else "")


def _outcomes(cell: Cell) -> dict[str, int]:
    """The number of episodes by outcome; what a content filter stopped is apart from the model's refusals."""
    counts: dict[str, int] = {name: getattr(cell, name) for name in (*OUTCOMES, "missing")}
    filtered = cell.causes.get("filter", 0)
    return {**counts, "refused": counts["refused"] - filtered, FILTERED: filtered}


def between(cell: Cell) -> str:
    """The range of ``Δ_Functional/T`` over all planned episodes, for any outcome of the unscored ones."""
    if cell.at_best is None or cell.at_worst is None:
        return "–"
    return f"{fixed(cell.at_best)} to {fixed(cell.at_worst)}"


def mind_notes(cells: Sequence[Cell]) -> list[str]:
    """The grants, decoding, scaffolds, refused parameters and re-asks; each note once, with its minds."""
    minds = grouped_by(cells, lambda cell: cell.mind)

    def gather_notes(text: Callable[[About], str]) -> dict[str, str]:
        """The names of the minds, by the text that is said about them."""
        who: dict[str, list[str]] = {}
        for mind, of_mind in minds.items():
            for words in _where(of_mind, [text(cell.about) for cell in of_mind]):
                who.setdefault(words, []).append(mind)
        return {words: ", ".join(names) for words, names in who.items()}

    granted = gather_notes(lambda about: ", ".join(about.grants))
    decoded = gather_notes(lambda about: "; ".join(about.decodings))
    scaffolded = gather_notes(lambda about: " and ".join(about.scaffolds))
    refused = gather_notes(lambda about: ", ".join(about.dropped))
    tries: list[str] = []
    for mind, of_mind in minds.items():
        of_cells = sorted(cell.tries for cell in of_mind if cell.tries is not None)
        if of_cells and of_cells[-1] > 1:
            ends = dict.fromkeys(fixed(end, 2) for end in (of_cells[0], of_cells[-1]))
            tries.append(f"{mind} {' to '.join(ends)}")
    notes = [f"Granted {words}: {who}." for words, who in granted.items()]
    notes += [f"{words[0].upper()}{words[1:]}: {who}." for words, who in decoded.items()]
    notes += [f"Prompts of the scaffold {words}: {who}." for words, who in scaffolded.items()]
    notes += [
        f"Refused by a server, and left out or lowered: {words}: {who}." for words, who in refused.items()
    ]
    notes += [f"Model calls a request, where it was asked again: {', '.join(tries)}."] if tries else []
    return notes


def name_cells(chosen_cells: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """Names for the ``chosen_cells`` of ``cells``, in their order: scenarios or minds where all their cells are meant."""
    chosen = {(cell.scenario, cell.mind) for cell in chosen_cells}
    left_out = [cell for cell in cells if (cell.scenario, cell.mind) not in chosen]
    part = {cell.scenario for cell in left_out}
    names: list[str] = []
    for cell in chosen_cells:
        if cell.scenario not in part:
            names.append(cell.scenario)
        elif all(cell.mind != other.mind for other in left_out):
            names.append(cell.mind)
        else:
            names.append(f"{cell.scenario} ({cell.mind})")
    return ", ".join(dict.fromkeys(names))


def _section(scenario: str, cells: tuple[Cell, ...]) -> Section:
    with_partners = next((cell.about for cell in cells if cell.about.partners), None)
    game, partners = (with_partners.game, with_partners.partners) if with_partners else ("", ())
    of_papers = (
        [papers.get(name).select_rows(game, partners[0]) for name in papers] if len(partners) == 1 else []
    )
    paper = tuple(line for lines in of_papers for line in lines)
    notes = (*_notes(cells), *explain_marks(paper))
    return Section(scenario, game, " and ".join(partners), cells, paper, notes)


def _notes(cells: Sequence[Cell]) -> list[str]:
    notes = [f"{caution}." for caution in sorted({c for cell in cells for c in cell.about.cautions})]
    references = sorted({cell.about.reference for cell in cells if cell.about.reference})
    if references:
        subject = "L and F refer to the population" if _has_partners(cells) else "F refers to"
        notes.append(f"{subject}: {', '.join(references)}.")
    if any(cell.estimated for cell in cells):
        notes.append(
            "The ends of L or F are estimated from reference minds of this study: they have no verdict."
        )
    if any(not cell.exact and cell.foresight.mean is not None for cell in cells):
        notes.append("Parts of regret: values under uncertainty are posterior means over the partners.")
    notes += _reasons(cells)
    tabled = tabled_measures()
    measured = dict.fromkeys(n for cell in cells for n, score in cell.more.items() if score.mean is not None)
    for name in (n for n in measured if n not in tabled):
        with_measure = [(cell, cell.more[name]) for cell in cells if name in cell.more]
        scores = [f"{cell.mind} {format_mean(score)} {half(score)}".strip() for cell, score in with_measure]
        notes.append(f"{name}: {', '.join(scores)}.")
    return notes


def _reasons(cells: Sequence[Cell]) -> list[str]:
    """Why numbers or intervals are missing: one line per reason, with its minds."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    main_columns = _main_columns(cells)
    for cell in cells:
        for column in main_columns:
            reason = estimate(cell, column).reason
            if reason and reason != NOT_APPLYING:
                by_reason.setdefault(reason, {}).setdefault(column.name, []).append(cell.mind)
    lines: list[str] = []
    for reason, columns in by_reason.items():
        minds = list(dict.fromkeys(mind for names in columns.values() for mind in names))
        whose = "" if len(minds) == len(cells) else f" ({', '.join(minds)})"
        which = "all numbers" if len(columns) == len(main_columns) else ", ".join(columns)
        lines.append(f"{which}{whose}: {reason}.")
    return lines


def _where(cells: Sequence[Cell], sentences: Sequence[str]) -> list[str]:
    """The distinct ``sentences`` about cells, with their scenarios unless they hold for all."""
    scenarios: dict[str, list[str]] = {}
    for cell, words in zip(cells, sentences, strict=True):
        if words:
            scenarios.setdefault(words, []).append(cell.scenario)
    recorded = sum(cell.missing < cell.planned for cell in cells)
    return [
        words if len(where) == recorded else f"{words} (in {', '.join(where)})"
        for words, where in scenarios.items()
    ]
