"""The chapter of a report on interventions: what each arm changes, compared with the same episodes without it."""

from __future__ import annotations

from otherminds.measures.intervals import Estimate
from otherminds.measures.interventions import ArmRow, arm_rows
from otherminds.play.interventions import INTERVENTIONS, SWAP
from otherminds.reports.findings import Rows, WorldChapter, world_reports
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, format_mean, grouped_by, interval

NAMES = ("scenario", "mind", "arm")
USE = (*NAMES, "follows %", "unshown %", "difference %", "use", "pairs")
LOSS = (*NAMES, "loss without", "loss", "removed %", "pairs")
PAIRED = (
    "Each episode in an arm is compared with the one of the same partner, labels and seed in the arm none. Pairs: those of which "
    "both episodes were scored, and those that are left out because one was lost."
)
ABOUT_USE = (
    "Follows: acts that are best replies to what is shown. Unshown: acts in the arm none that are best replies to what would have "
    "been shown there. Difference: the first minus the second. Use: the difference, divided by 1 minus unshown; a mind that acts on what it "
    "is shown with probability q, and otherwise as without it, has q. In remind the prediction is asked for before the act, in the "
    "other arms when the scenario says."
)
ABOUT_LOSS = (
    "Loss: what is lost to one who knows the partner; 0 is the best play, 1 random play. In swap it is that of the acts from the "
    "exchange on. Removed: the share of the loss without an intervention that the arm removes; below 0 where loss is added."
)


def _write_sheets(rows: Rows) -> tuple[Sheet, ...]:
    showing = [row for row in rows if row.arm != SWAP]
    arms = "; ".join(f"{arm}: {INTERVENTIONS[arm]}" for arm in dict.fromkeys(row.arm for row in rows))
    use = Sheet(
        "acts on what is shown",
        USE,
        tuple(map(_write_use, showing)),
        (PAIRED, ABOUT_USE, arms, *_reasons(showing, "use")),
    )
    loss = Sheet("loss", LOSS, tuple(map(_write_loss, rows)), (ABOUT_LOSS, *_reasons(rows, "removed")))
    return (*([use] if showing else []), loss)


def _reasons(rows: Rows, column: str) -> list[str]:
    """Why a number is missing, each reason once with its rows."""
    missing = [row for row in rows if getattr(row, column).mean is None]
    by_reason = grouped_by(missing, lambda row: getattr(row, column).reason)
    return [
        f"No {column} of {', '.join(f'{row.mind} in {row.arm}' for row in alike)}: {reason}."
        for reason, alike in by_reason.items()
    ]


def _write_use(row: ArmRow) -> Row:
    shares = (_write_estimate(share, 100) for share in (row.followed, row.by_chance, row.difference))
    return (row.scenario, row.mind, row.arm), (*shares, _write_estimate(row.use), _count_pairs(row))


def _write_loss(row: ArmRow) -> Row:
    losses = (_write_estimate(loss) for loss in (row.loss_without, row.loss))
    return (row.scenario, row.mind, row.arm), (*losses, _write_estimate(row.removed, 100), _count_pairs(row))


def _count_pairs(row: ArmRow) -> Pair:
    return str(row.pairs), f"{row.lost} lost" if row.lost else ""


def _write_estimate(estimate: Estimate, times: int = 1) -> Pair:
    """A number, or a share in per cent with ``times`` 100, over its interval."""
    if estimate.mean is None:
        return NONE
    digits = 0 if times > 1 else 2
    scaled = estimate.per(1 / times)
    return format_mean(scaled, digits), interval(scaled, digits)


world_reports.add("interventions", WorldChapter("Interventions", arm_rows, _write_sheets, frozenset))
