"""Teams in the household, in the columns of Juneja et al. 2026, table 2; their messages; failure patterns."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from otherminds.household.measures.literal_scores import LiteralScore
from otherminds.household.measures.passes import OVERALL, RUNS, SCOPES, Passes, Team, teams
from otherminds.household.measures.patterns import patterns
from otherminds.household.measures.questions import LEFT_OUT
from otherminds.household.reports.pool_sheets import solved_shares
from otherminds.household.teams import PANEL
from otherminds.measures.intervals import FEW
from otherminds.reports.findings import WorldChapter, WorldOpening, world_reports
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
    f"The functional columns of Juneja et al. 2026, table 2, in %: runs that passed, of {RUNS} a task, with the score interval "
    f"of a share (Wilson). Pass@{RUNS}: tasks that pass in some run; Pass^{RUNS}: in every one. A run passes if all physical "
    "predicates of the goal hold in the end. A run that is missing or was not scored has not passed. Private: private goals "
    "met. L: of questions about what others know, with the floor of the whole split. Depth: that of the question. Runs: scored, of those that count where some are missing."
)
PAPER_LITERAL = (
    "The literal columns of the same table, in %. A run passes if every probe is answered right at the end; of deeper "
    "probes right is what the next agent reported. So a team that knows nothing and answers “unknown” to everything passes "
    "in the share of tasks under “unknowing”."
)
SPLIT = (
    "L: questions about what others know, answered better than by the best policy that never looks at who saw or heard what: 0 no better, "
    "1 always right, – nothing in these runs tells the two apart. Floor: what that policy answers right."
)
CLASSES = (
    "Questions by depth (1: what one knows oneself, which is knowledge and no theory of mind; 2: what another would report), "
    "by predicate, and by what is asked: the goal's own chain, the same fact with other agents, its contrary, or another fact. "
    "Right, floor: in %, in each class with as much weight on the most frequent true answer as on the second. "
    "Asked: questions that count; of them, weighted ones are in a class with more than one true answer, and only such classes "
    "have a row."
)
LEFT = (
    "Why questions are left out, in % of all. Unread: a message was not read. Outdated: somebody saw or was told what is no "
    "longer so. Unknowable: the asked agent could not know the true answer. The paper's table leaves out none."
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
    *("functional_pass", "literal_pass", "literal_pass_unknowing", "literal_entitled"),
    *("private_rate", "functional_with_private", "turns_used", "tom_percent", "tom_above_chance"),
    *(f"probes_{why}" for why in LEFT_OUT),
    *(f"messages_{name}" for name in ("used", "blocked", "repeated", "known", "wasted")),
)
"""The measures that these tables show, besides the patterns."""
REFERENCE = "reference"
COMPARED = (
    f"Rows called “{REFERENCE}” are teams without a language model on the same tasks, from the proofs of the split: the best "
    f"of {len(PANEL)} teams that have no model of their partners, and the team that carries out a planner's plan."
)
GOAL, FLOOR, OMITTED = "goal met, %", "floor, %", "left out, %"
DEPTH = "depth "
"""How the scopes begin that are a depth of questions."""
HEAD_MEANINGS = {
    "verdict": "What the tasks of the split show together: whether the answers of the team's members show that they know "
    "what the others know.",
    GOAL: f"The share of the runs, {RUNS} a task, in which everything that the task asks for is done in the end.",
    f"Pass@{RUNS}": f"Tasks that are solved in at least one of {RUNS} runs, in %.",
    f"Pass^{RUNS}": f"Tasks that are solved in each of {RUNS} runs, in %.",
    "L": "How much better questions about what others know are answered than by the best policy that never looks at who "
    "saw or heard what: 0 is no better, 1 is always right.",
    FLOOR: "What that policy answers right, in % of the same questions.",
    OMITTED: "Questions that the log cannot settle, or whose true answer the asked agent could not know.",
    "runs": f"Scored runs, of {RUNS} a task. A run that is missing counts as not passed.",
}
TERMS = {
    r"\bL(?= =| is)": HEAD_MEANINGS["L"],
    r"\bF(?= =)": "F: 1 for a planner's plan with all secrets public, 0 for a team that sends no messages.",
    r"(?<=\d )telling tasks\b": "Tasks in which a question came up whose true answer is not the likeliest of its kind.",
}
"""The terms of the opening sentences, as patterns, with their meanings."""
ROLES = {"probe": "goal's chain", "agent": "other agents", "contrary": "contrary", "other": "other fact"}
"""What a class of questions asks about, in words."""
FIRST = ("withheld", "chain", "private", "misallocated", "constraints")
"""The order of table 4."""


def open_with(teams: Sequence[Team], minds: Sequence[str]) -> WorldOpening:
    """What ``minds`` did and what they know of one another: a table, and the verdicts in sentences.

    A sentence for each verdict about up to :data:`MOST_SENTENCES` minds; for more, one with the shares of goals met.
    """
    overall = [team for mind in minds for team in _whole(teams) if team.mind == mind]
    if len(overall) > MOST_SENTENCES:
        listed = ", ".join(f"“{team.mind}” {fixed(team.functional.avg, 0)} %" for team in overall)
        lacking = sum(team.functional.attempts - team.runs for team in overall)
        counted = f", {RUNS} a task; {lacking} missing runs count as not passed" if lacking else ""
        sentences = [f"The goal was met in these shares of the runs{counted}: {listed}."]
        sentences += [
            f"{words[0].upper()}{words[1:]}: {', '.join(f'“{team.mind}”' for team in peers)}."
            for words, peers in grouped_by(overall, _verdict_in_words).items()
        ]
    else:
        sentences = [text for team in overall for text in _sentences(team)]
    table = split_sheet(overall)
    keys = (*(("", team.mind) for team in overall), *[("", "")] * (len(table.rows) - len(overall)))
    table = replace(table, title="", cells=keys)
    if table.rule is not None:
        sentences.append(COMPARED)
    return WorldOpening(tuple(sentences), table, HEAD_MEANINGS, TERMS)


def split_sheet(teams: Sequence[Team]) -> Sheet:
    """A row for each mind and split: what was done, L with its floor, the verdict, and what was left out."""
    overall = _whole(teams)
    several = len({team.split for team in overall}) > 1
    heads = ("mind", "verdict", GOAL, f"Pass@{RUNS}", f"Pass^{RUNS}", "L", FLOOR, OMITTED, "runs")
    rows: list[Row] = []
    for team in overall:
        name = f"{team.mind} ({team.split or 'no split'})" if several else team.mind
        left_out = sum(team.left_out.values()) if team.left_out else None
        numbers = (
            *((percent(share / 100, 0), "") for share in (team.functional.some, team.functional.every)),
            (_score(team.others.score), _bounds(team)),
            (percent(team.others.floor, 0), ""),
            (percent(left_out, 0), ""),
            (_runs(team), ""),
        )
        rows.append(((name, _verdict_in_words(team)), ((fixed(team.functional.avg, 0), ""), *numbers)))
    split = overall[0].split if overall and not several else ""
    played = len(rows)
    rows += [
        ((name, REFERENCE), ((percent(share, 0), ""), *[NONE] * 6)) for name, share in references(overall)
    ]
    title = f"split {split}" if split else "all tasks"
    return Sheet(title, heads, tuple(rows), rule=played if len(rows) > played else None)


def references(overall: Sequence[Team]) -> list[tuple[str, float]]:
    """The shares of goals met by the reference teams that the run does not have; empty for tasks of no or several splits."""
    splits = {(team.split, team.verdict.scenarios) for team in overall if team.verdict}
    if len(splits) != 1:
        return []
    split, scenarios = splits.pop()
    played = {team.mind for team in overall}
    levels = any(mind.startswith("level") for mind in played)
    return [
        (name, share)
        for name, share in solved_shares(split, scenarios).items()
        if name not in played and not (levels and name.startswith("level"))
    ]


def class_sheet(teams: Sequence[Team]) -> Sheet:
    """The score of all questions of depth 1 and of all deeper ones, and of each class that tells anything, by mind and split."""
    rows: list[Row] = []
    for team in _whole(teams):
        if not team.knowledge.questions + team.others.questions:
            continue
        rows.append(((team.mind, "depth 1: own knowledge"), _literal(team.knowledge)))
        rows.append(((team.mind, "deeper: what others know"), _literal(team.others)))
        for question_class in team.classes:
            if question_class.literal.weighted:
                words = (
                    f"depth {question_class.depth}, {question_class.predicate}, {ROLES[question_class.role]}"
                )
                rows.append(((team.mind, words), _literal(question_class.literal)))
    heads = ("mind", "questions", "right", "floor", "L", "asked", "weighted", "tasks")
    return Sheet("what others know, by class of question", heads, tuple(rows), (SPLIT, CLASSES))


def left_out_sheet(teams: Sequence[Team]) -> Sheet:
    """Why questions were left out, in the scopes of :func:`team_sheet`."""
    rows = tuple(
        ((team.mind, team.scope), tuple((percent(share), "") for share in team.left_out.values()))
        for team in teams
        if team.left_out
    )
    return Sheet("questions left out", ("mind", "scope", "unread", "outdated", "unknowable"), rows, (LEFT,))


def _whole(teams: Sequence[Team]) -> list[Team]:
    """The rows about all tasks of a split, each once."""
    return list({(team.mind, team.split): team for team in teams if team.verdict is not None}.values())


def _verdict_in_words(team: Team) -> str:
    return team.verdict.words if team.verdict else "–"


def _bounds(team: Team) -> str:
    literal = team.verdict.literal if team.verdict else None
    if literal is None or literal.low is None or literal.high is None:
        return ""
    return f"[{_score(literal.low)}, {_score(literal.high)}]"


def _score(score: float | None) -> str:
    """L as text. Far below 0 it says how close the floor is to 1, and nothing about the mind."""
    return "< -1" if score is not None and score < -1 else fixed(score, 2)


def _literal(score: LiteralScore) -> tuple[Pair, ...]:
    shares = (percent(score.accuracy, 0), ""), (percent(score.floor, 0), ""), (_score(score.score), "")
    return (*shares, *((str(number), "") for number in (score.questions, score.weighted, score.tasks)))


def _sentences(team: Team) -> list[str]:
    """What one team did, and its verdict."""
    passes = team.functional
    share = f"{fixed(passes.avg, 0)} % [{fixed(passes.low, 0)}, {fixed(passes.high, 0)}]"
    words = f"“{team.mind}” met the goal in {share} of {passes.attempts} runs."
    lacking = passes.attempts - team.runs
    if lacking:
        words += f" {lacking} of the runs are missing and count as not passed."
    return [words, *([team.verdict.sentence] if team.verdict else [])]


def team_sheet(teams: Sequence[Team]) -> Sheet:
    """The functional columns of table 2, and by depth, pattern and split."""
    passes = (f"Pass@{RUNS}", f"Pass^{RUNS}")
    heads = ("mind", "scope", "functional", *passes, "private", "L", "runs")
    rows = tuple(
        (
            (team.mind, team.scope),
            (
                *_passes(team.functional),
                (percent(team.private), ""),
                (_score(team.others.score), ""),
                (_runs(team), ""),
            ),
        )
        for team in teams
    )
    notes = (PASSES, SPARE) if any(team.spare for team in teams) else (PASSES,)
    return Sheet("household", heads, rows, notes)


def paper_literal_sheet(teams: Sequence[Team]) -> Sheet:
    """The literal columns of table 2, by the paper's truth, in the scopes of :func:`team_sheet`."""
    rows = tuple(
        ((team.mind, team.scope), (*_passes(team.literal), (percent(team.unknowing), "")))
        for team in teams
        if team.literal is not None
    )
    heads = ("mind", "scope", "literal", f"Pass@{RUNS}", f"Pass^{RUNS}", "unknowing")
    return Sheet("literal, by the paper", heads, rows, (PAPER_LITERAL,))


def message_sheet(teams: Sequence[Team]) -> Sheet:
    """What became of messages, by category and overall."""
    heads = ("mind", "scope", "turns", "messages", "blocked", "repeated", "known", "wasted %")
    scopes = (*SCOPES.values(), OVERALL)
    rows = tuple(((team.mind, team.scope), _messages(team)) for team in teams if team.scope in scopes)
    return Sheet("messages", heads, rows, (MESSAGES,))


def pattern_sheet(teams: Sequence[Team]) -> Sheet:
    """How many runs show each failure pattern, in the scopes of :func:`team_sheet`."""
    patterns = dict.fromkeys(name for team in teams for name in team.patterns)
    names = [*(name for name in FIRST if name in patterns), *(name for name in patterns if name not in FIRST)]
    rows: list[Row] = []
    for team in (team for team in teams if team.runs):
        runs = (team.patterns.get(name, (0, 0)) for name in names)
        counts = ((str(count), f"{failed} failed" if count else "") for count, failed in runs)
        rows.append(((team.mind, team.scope), (*counts, (str(team.runs), ""))))
    return Sheet("failure patterns", ("mind", "scope", *names, "runs"), tuple(rows), (PATTERNS,))


def _runs(team: Team) -> str:
    planned = RUNS * team.tasks
    return str(planned) if team.runs == planned else f"{team.runs}/{planned}"


def _passes(passes: Passes | None) -> tuple[Pair, Pair, Pair]:
    if passes is None:
        return NONE, NONE, NONE
    few = FEW_MARK if passes.attempts < FEW else ""
    average = (fixed(passes.avg, 1) + few, f"[{fixed(passes.low, 0)}, {fixed(passes.high, 0)}]")
    return average, (fixed(passes.some, 1), ""), (fixed(passes.every, 1), "")


def _messages(team: Team) -> tuple[Pair, ...]:
    traffic = team.traffic

    def each(number: float) -> Pair:
        return (fixed(number / team.runs, 1), "") if team.runs else NONE

    counts = map(each, (traffic.used, traffic.blocked, traffic.repeated, traffic.known))
    wasted = percent(traffic.wasted / traffic.tried) if traffic.tried else "–"
    return ((fixed(team.turns, 1), ""), *counts, (wasted, ""))


def _sheets(rows: Sequence[Team]) -> tuple[Sheet, ...]:
    own = private_sheet(rows)
    about_questions = class_sheet(rows), left_out_sheet(rows), paper_literal_sheet(rows)
    return (
        team_sheet(rows),
        *([own] if own.rows else []),
        *(sheet for sheet in about_questions if sheet.rows),
        *(message_sheet(rows), pattern_sheet(rows)),
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
    WorldChapter(
        title="Teams in the household",
        rows=teams,
        sheets=_sheets,
        opening=open_with,
        source="Columns of Juneja et al. 2026 (arXiv 2605.09826), tables 2 and 4.",
        verdicts=lambda rows: tuple(team.verdict for team in _whole(rows) if team.verdict),
        tabled=lambda: frozenset((*TABLED, *(f"pattern_{name}" for name in patterns))),
    ),
)
