"""Teams in the household, in the columns of Juneja et al. 2026, table 2; their messages; failure patterns."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.measures.household.passes import OVERALL, RUNS, SCOPES, Passes, Team, teams
from otherminds.measures.household.patterns.found import patterns
from otherminds.measures.intervals import FEW
from otherminds.reports.findings import WorldOpening, WorldReport, world_reports
from otherminds.reports.opening import MOST_SENTENCES
from otherminds.reports.sheets import (
    FEW_MARK,
    NONE,
    Pair,
    Row,
    Sheet,
    fixed,
    grouped_by,
    percent,
)

PASSES = (
    f"The columns of Juneja et al. 2026, table 2, in %. Functional, literal: runs that passed, of {RUNS} a task, with the "
    f"score interval of a share (Wilson). Pass@{RUNS}: tasks that pass in some run; Pass^{RUNS}: in every one. A run that is missing or was not "
    "scored has not passed. A run passes functionally if all physical predicates of the goal hold in the end, literally, by the "
    "paper's measure, if every probe is answered right; of deeper probes right is what the next agent reported. So a team "
    'that knows nothing and answers "unknown" to everything passes literally in the share of tasks under "unknowing". '
    "Private: private goals met. Runs: scored, of those that count where some are missing."
)
FOILED = (
    "Foiled: probes answered right together with a foil, a question of the same form whose true answer differs, in %; the truth of "
    "what another would report is what the log of sights and messages entitles that other to say. L: the same above the best "
    "answerer that does not look (1: always, 0: no better, –: nothing to tell them apart). Omitted: probes that depend on a "
    "message that was not read or on what is no longer so, and those without such a foil, in %."
)
WITH_PRIVATE = (
    "Mixed tasks, in %. Functional: runs in which the shared goal holds at the end. With private: runs in which all private goals "
    "hold too, which no run can reach where two goals exclude each other. Private: private goals met."
)
SPARE = f"Of more than {RUNS} runs of a task the first {RUNS} count here, by seed."
MESSAGES = (
    "A run: turns; messages delivered; and tried messages that told nobody anything, as they were blocked, said before to the same "
    "agents, or said to agents who knew (told only of the controlled language). Wasted: their share of all tried."
)
PATTERNS = (
    "Scored runs that show a pattern of table 4 (below: of these, failed ones). Withheld: a target known to one agent alone "
    "and not told in time. Chain: what should be known of one another never came to be. Private: acting for oneself "
    "against the shared goal, or telling one's private goal. Misallocated: messages out of reach, or all spent on other things. "
    "Constraints: asking partners what they cannot do, or trying a barred room again. Free text is read by names and simple words."
)
TABLED = (
    *(
        "functional_pass",
        "literal_pass",
        "literal_pass_unknowing",
        "literal_entitled",
        "private_rate",
        "functional_with_private",
    ),
    *("probes_unread", "probes_outdated", "probes_no_foil", "turns_used"),
    *("messages_used", "messages_blocked", "messages_repeated", "messages_known", "messages_wasted"),
)
"""The measures that these tables show, besides the patterns."""
GOAL, QUESTIONS, UNKNOWN = "goal met, %", "all questions right, %", "all “unknown”, %"
DEPTH = "depth "
"""How the scopes begin that are a depth of questions."""
HEAD_MEANINGS = {
    GOAL: f"The share of the runs, {RUNS} a task, in which everything that the task asks for is done in the end.",
    QUESTIONS: "The share of the runs in which every question about what others know was answered right. At depth 1 "
    "one is asked what another knows, at depth 2 what another knows about what a third one knows, and so on.",
    UNKNOWN: "The share of the tasks that are passed by answering “unknown” to every question.",
    "runs": f"Scored runs, of {RUNS} a task. A run that is missing counts as not passed.",
}
FIRST = ("withheld", "chain", "private", "misallocated", "constraints")
"""The order of table 4."""


def open_with(teams: Sequence[Team], minds: Sequence[str]) -> WorldOpening:
    """The shares of runs in which ``minds`` met the goal, and answered every question, by depth of the questions.

    A sentence for each of up to :data:`MOST_SENTENCES` minds; one sentence for more.
    """
    overall = {team.mind: team for team in teams if team.scope == OVERALL}
    parts = grouped_by((team for team in teams if team.scope.startswith(DEPTH)), lambda team: team.mind)
    depths = sorted({team.scope for team in teams if team.scope.startswith(DEPTH) and team.literal})
    heads = ("mind", GOAL, QUESTIONS, *(f"{depth}, %" for depth in depths), UNKNOWN, "runs")
    rows: list[Row] = []
    for mind in filter(overall.get, minds):
        team = overall[mind]
        literal = {part.scope: part.literal for part in parts.get(mind, ())}
        numbers = map(_share, (team.functional, team.literal, *map(literal.get, depths)))
        rows.append(((mind,), (*numbers, (percent(team.unknowing, 0), ""), (_runs(team), ""))))
    asked = [overall[mind] for mind in minds if mind in overall]
    if len(asked) > MOST_SENTENCES:
        listed = ", ".join(f"“{team.mind}” {fixed(team.functional.avg, 0)} %" for team in asked)
        lacking = sum(team.functional.attempts - team.runs for team in asked)
        counted = f", {RUNS} a task; {lacking} missing runs count as not passed" if lacking else ""
        sentences = [f"The goal was met in these shares of the runs{counted}: {listed}."]
    else:
        sentences = [_sentence(team, parts.get(team.mind, ())) for team in asked]
    keys = tuple(("", texts[0]) for texts, _ in rows)
    return WorldOpening(tuple(sentences), Sheet("", heads, tuple(rows), cells=keys), HEAD_MEANINGS)


def _sentence(team: Team, parts: Sequence[Team]) -> str:
    """What one team did, and what it said about others, overall and by depth."""
    found = team.functional
    words = f"“{team.mind}” met the goal in {_in_words(found)} of {found.attempts} runs"
    if team.literal:
        by_depth = [f"{fixed(part.literal.avg, 0)} % at {part.scope}" for part in parts if part.literal]
        listed = f" ({', '.join(by_depth)})" if by_depth else ""
        words += f" and answered every question about what others know in {_in_words(team.literal)}{listed}"
    lacking = found.attempts - team.runs
    return f"{words}." + (f" {lacking} of the runs are missing and count as not passed." if lacking else "")


def _in_words(found: Passes) -> str:
    return f"{fixed(found.avg, 0)} % [{fixed(found.low, 0)}, {fixed(found.high, 0)}]"


def _share(found: Passes | None) -> Pair:
    if found is None:
        return NONE
    return fixed(found.avg, 0), f"[{fixed(found.low, 0)}, {fixed(found.high, 0)}]"


def team_sheet(teams: Sequence[Team]) -> Sheet:
    """The rows of table 2, and by depth, pattern and split."""
    passes = (f"Pass@{RUNS}", f"Pass^{RUNS}")
    heads = ("mind", "scope", "functional", *passes, "literal", *passes, "unknowing", "private", "runs")
    rows: list[Row] = []
    for team in teams:
        shares = (percent(team.unknowing), ""), (percent(team.private), ""), (_runs(team), "")
        numbers = (*_passes(team.functional), *_passes(team.literal), *shares)
        rows.append(((team.mind, team.scope), numbers))
    notes = (PASSES, SPARE) if any(team.spare for team in teams) else (PASSES,)
    return Sheet("household", heads, tuple(rows), notes)


def foil_sheet(teams: Sequence[Team]) -> Sheet:
    """Literal theory of mind with foils, in the scopes of :func:`team_sheet`."""
    rows = tuple(
        (
            (team.mind, team.scope),
            ((percent(team.entitled), ""), (fixed(team.score, 2), ""), (percent(team.left_out), "")),
        )
        for team in teams
        if team.left_out is not None
    )
    return Sheet("literal, with foils", ("mind", "scope", "foiled", "L", "omitted"), rows, (FOILED,))


def message_sheet(teams: Sequence[Team]) -> Sheet:
    """What became of messages, by category and overall."""
    heads = ("mind", "scope", "turns", "messages", "blocked", "repeated", "known", "wasted %")
    rows = tuple(((team.mind, team.scope), _messages(team)) for team in _broad(teams))
    return Sheet("messages", heads, rows, (MESSAGES,))


def pattern_sheet(teams: Sequence[Team]) -> Sheet:
    """How many runs show each failure pattern, in the scopes of :func:`team_sheet`."""
    known = dict.fromkeys(name for team in teams for name in team.patterns)
    names = [*(name for name in FIRST if name in known), *(name for name in known if name not in FIRST)]
    rows: list[Row] = []
    for team in (team for team in teams if team.runs):
        counts = (_shown(*team.patterns.get(name, (0, 0))) for name in names)
        rows.append(((team.mind, team.scope), (*counts, (str(team.runs), ""))))
    return Sheet("failure patterns", ("mind", "scope", *names, "runs"), tuple(rows), (PATTERNS,))


def _broad(teams: Sequence[Team]) -> list[Team]:
    return [team for team in teams if team.scope in (*SCOPES.values(), OVERALL)]


def _runs(team: Team) -> str:
    planned = RUNS * team.tasks
    return str(planned) if team.runs == planned else f"{team.runs}/{planned}"


def _passes(found: Passes | None) -> tuple[Pair, Pair, Pair]:
    if found is None:
        return NONE, NONE, NONE
    few = FEW_MARK if found.attempts < FEW else ""
    average = (fixed(found.avg, 1) + few, f"[{fixed(found.low, 0)}, {fixed(found.high, 0)}]")
    return average, (fixed(found.some, 1), ""), (fixed(found.every, 1), "")


def _messages(team: Team) -> tuple[Pair, ...]:
    traffic = team.traffic

    def each(number: float) -> Pair:
        return (fixed(number / team.runs, 1), "") if team.runs else NONE

    counts = map(each, (traffic.used, traffic.blocked, traffic.repeated, traffic.known))
    wasted = percent(traffic.wasted / traffic.tried) if traffic.tried else "–"
    return ((fixed(team.turns, 1), ""), *counts, (wasted, ""))


def _shown(some: int, failed: int) -> Pair:
    return str(some), f"{failed} failed" if some else ""


def _sheets(rows: Sequence[Team]) -> tuple[Sheet, ...]:
    foiled = foil_sheet(rows)
    own = private_sheet(rows)
    return (
        team_sheet(rows),
        *([own] if own.rows else []),
        *([foiled] if foiled.rows else []),
        message_sheet(rows),
        pattern_sheet(rows),
    )


def private_sheet(teams: Sequence[Team]) -> Sheet:
    """Success in mixed tasks, without and with private goals; a row for each mind that has such tasks."""
    mixed = {
        team.mind: team for team in teams if team.scope in (OVERALL, SCOPES["mixed"]) and team.with_private
    }
    mixed |= {team.mind: team for team in teams if team.scope == SCOPES["mixed"] and team.with_private}
    rows = tuple(
        (
            (team.mind,),
            (_passes(team.functional)[0], *_passes(team.with_private), (percent(team.private), "")),
        )
        for team in mixed.values()
    )
    heads = ("mind", "functional", "with private", f"Pass@{RUNS}", f"Pass^{RUNS}", "private")
    return Sheet("private goals", heads, rows, (WITH_PRIVATE,))


world_reports.add(
    "household",
    WorldReport(
        title="Teams in the household",
        rows=teams,
        sheets=_sheets,
        opening=open_with,
        tabled=lambda: frozenset((*TABLED, *(f"pattern_{name}" for name in patterns))),
    ),
)
