"""The promises that ``otherminds selfcheck`` tries, by the names that it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.core.errors import UnknownNameError
from otherminds.core.near import hint, quoted
from otherminds.selfcheck import (
    closed,
    exact,
    hearing,
    judging,
    offline,
    repeating,
    speed,
    tampering,
)
from otherminds.selfcheck.trial import Check

CHECKS: Mapping[str, Check] = {
    "hidden": hearing.hide_from_agents,
    "senders": hearing.forge_messages,
    "offline": offline.watch_the_network,
    "dry-run": offline.plan_without_sending,
    "keys": offline.send_keys_home,
    "money": offline.limit_a_liar,
    "sandbox": closed.attack_the_sandbox,
    "seeds": repeating.replay_seeds,
    "resume": repeating.kill_and_resume,
    "reports": repeating.report_again,
    "records": tampering.tamper_with_records,
    "certificates": tampering.tamper_with_certificates,
    "optima": exact.try_all_plans,
    "ignorant": judging.study_ignorance,
    "able": judging.study_ability,
    "runner": speed.time_the_runner,
    "import": speed.time_the_import,
}
"""The check of each promise. They are tried in this order."""


def choose(names: Iterable[str]) -> dict[str, Check]:
    """The checks with these names, in the order of :data:`CHECKS`; all of them without any name.

    Raises:
        UnknownNameError: there is no such promise.
    """
    wanted = set(names)
    for name in wanted:
        if name not in CHECKS:
            raise UnknownNameError(
                f"no promise is called {quoted(name)}{hint(name, CHECKS)}; the names are {', '.join(CHECKS)}"
            )
    return {name: check for name, check in CHECKS.items() if name in wanted or not wanted}
