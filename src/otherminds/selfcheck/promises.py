"""The promises that ``otherminds selfcheck`` tries, by the names that it takes.

Their words are data and no docstrings, which Python drops with ``-OO``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otherminds.core.errors import UnknownNameError
from otherminds.core.text import near, quote_name
from otherminds.selfcheck import figures, hearing, offline, repeating
from otherminds.selfcheck.check import Check

CHECKS: Mapping[str, Check] = {
    "hidden": Check(
        "An agent is given its own observations and nothing else.",
        "Pairs of episodes that differ only in what an agent cannot observe, in matrix games, gridworlds and the "
        "household: another's policy, inventory, secrets and private goal, and things elsewhere. All that it is given and "
        "every prompt of a language strategy is compared byte by byte.",
        hearing.hide_from_agents,
    ),
    "senders": Check(
        "Nobody speaks in another's name: a message is a quotation below the name of its sender.",
        "Messages that break the line in 11 ways and go on as another agent, the game master, the system or a secret of "
        "the recipient. Outside the quotation, its prompts are to be those that a harmless message gives.",
        hearing.forge_messages,
    ),
    "offline": Check(
        "Nothing is sent by a run without a language model, nor by what reads its records.",
        "Every use of the network by Python, and every other program or library that could send, is written down in all "
        "processes of a run in three worlds, its report, its page, its episodes and its status.",
        offline.watch_the_network,
    ),
    "dry-run": Check(
        "A dry run sends nothing.",
        "The studies and evaluations of a server on this machine are planned with --dry-run, for the three kinds of "
        "services; connections are counted, and all processes are watched as in offline.",
        offline.plan_without_sending,
    ),
    "keys": Check(
        "A key goes to no host that the user has not allowed.",
        "Studies name another host, another variable of the environment, and a server that redirects a call or a question "
        "to another one; all of these are servers of this check on this machine. All processes are watched as in offline.",
        offline.send_keys_home,
    ),
    "money": Check(
        "A limit of money holds against any server.",
        "Servers that state no tokens, none, fewer than none, or too few for what was sent are asked with --max-cost 1, at "
        "a price for which that is 1,000 tokens.",
        offline.limit_a_liar,
    ),
    "sandbox": Check(
        "A command of an author sees and changes nothing outside of its workspace, and ends within its limits.",
        "Commands that read and write files of the user, read the environment, start processes, take memory and disk, "
        "print and wait without end.",
        offline.attack_the_sandbox,
    ),
    "seeds": Check(
        "The same seed gives the same record, byte by byte.",
        "1,000 seeds over matrix games, a language strategy, the household and two gridworlds, played by three processes "
        "with different PYTHONHASHSEED, each in another order.",
        repeating.replay_seeds,
    ),
    "resume": Check(
        "A run that was killed resumes: nothing is lost, nothing is played twice, and its records are those of a run that "
        "was not.",
        "A study of 400 episodes is ended by SIGKILL at random moments while it plays, and resumed by the same command.",
        repeating.kill_and_resume,
    ),
    "reports": Check(
        "A verdict follows from the records alone: the report is the same whenever and wherever it is made.",
        "The JSON report of a study is made three times: under two PYTHONHASHSEED, and after its records were written in "
        "reverse order and the ledger was deleted.",
        repeating.report_again,
    ),
    "records": Check(
        "A record that was changed after it was written is never read.",
        "In the records of a study, 300 bytes are changed one at a time, and each number and text of a line is replaced.",
        repeating.tamper_with_records,
    ),
    "certificates": Check(
        "A certificate proves what it says: one that was changed is refused.",
        "A shipped task is proved as far as that needs no planner. Its problem is changed in every part, and each claim is "
        "dropped, renamed, exchanged, given other parts and stripped of its evidence.",
        repeating.tamper_with_certificates,
    ),
    "optima": Check(
        "Exact optima are those of brute force.",
        "In three games of 4 rounds, the value of the best response to drawn automata is compared with that of every plan, "
        "and, if they play at random or are not known, with a search of all histories.",
        figures.try_all_plans,
    ),
    "ignorant": Check(
        "A mind that knows nothing is seldom said to know: in at most 5 % of studies.",
        "Studies of four minds that know nothing, in two worlds. The promise is broken if the 95 % interval of the share "
        "lies above 5 %. A mind that knows and does not use it has to be recognised in most studies.",
        figures.study_ignorance,
    ),
    "able": Check(
        "A mind that uses all that it knows is never said not to use it.",
        "Studies of the exact planner under uncertainty and of the one that is told its partner's policy, in two worlds. "
        "They have to be found to know in most studies.",
        figures.study_ability,
    ),
    "runner": Check(
        "Running an episode costs little beside the world that is run.",
        "Recorded actions are played by the loop and by stepping the bare world, in turns: the ratio of processor times, "
        "the median of 7 pairs. At most 5 in a matrix game, whose steps take microseconds, 2 in a gridworld and 4 in the "
        "household, whose episodes have few steps.",
        figures.time_the_runner,
    ),
    "import": Check(
        "Importing otherminds takes at most 150 ms.",
        "The processor time of the import alone, in 7 fresh processes; the shortest counts, as other programs may disturb.",
        figures.time_the_import,
    ),
}
"""The check of each promise. They are tried in this order."""


def choose(names: Iterable[str]) -> dict[str, Check]:
    """The checks with these names, in the order of :data:`CHECKS`; all of them without any name.

    Raises:
        UnknownNameError: there is no such promise.
    """
    chosen = dict.fromkeys(names)
    for name in chosen:
        if name not in CHECKS:
            raise UnknownNameError(
                f"no promise is called {quote_name(name)}{near(name, CHECKS)}; the names are {', '.join(CHECKS)}"
            )
    return {name: check for name, check in CHECKS.items() if name in chosen or not chosen}
