r"""Finds strategy in secrets and leaks in public descriptions, without a model.

A secret says what is so: a constraint, a target, a fact, a mechanic. It never says what to do about it: whom to ask or
tell, in which order, what to wait for (Juneja et al. 2026, appendices F, G and I). A secret that the reader of secrets
understands as a whole (:func:`~otherminds.epistemic.words.free.secrets.told_freely`) is a statement of that kind and is
accepted; each rule below looks for one form of strategy in the others.

One question is open in the sources: appendix F gives "By the end, you must be confident a teammate knows …" as a good
secret, while the rubric of the public release scores it 0. It is accepted here: it is the goal K in words, which says what
must be so at the end and not how to get there, and whether the goal needs a message is proved, not judged.

>>> lint_secret("Wait for agent_3 to tell you whether stand_34 is open, then forward that to agent_0.")
'an order of acts or a condition on them ("Wait for agent_3"); say what is so or must be so at the end, not when to act'
>>> lint_secret("By the end, you must be confident a teammate knows stand_34 is open.")
''
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from otherminds.epistemic.formula import claims, show
from otherminds.epistemic.parse import goal_of, parse
from otherminds.epistemic.predicates import AGENT, positive_chain
from otherminds.epistemic.told import named
from otherminds.epistemic.words.free.secrets import told_freely
from otherminds.worlds.household.task import Task

OTHER = r"(?:agents?[_ ]?\d+|(?:an?|the|your|any|each|some|one|other)(?: other| of (?:the|your))? (?:agents?|teammates?|partners?|colleagues?|players?|friends?)|teammates|partners|the (?:others?|team)|others|each other|someone|somebody|every(?:one|body)|them|him|her|both)"
"""Another agent."""
TELLING = r"(?:ask|tell|inform|notify|message|report|relay|forward|share|warn|alert|signal|announce|broadcast|instruct|convey|communicate|remind|brief|update|text|write|explain|confirm|consult|coordinate|pass|send|request|order|command|direct|convince|persuade|reply|respond|query|disclose|reveal|mention|describe)"
"""Verbs of messages, in the form of a command."""
ACTING = r"(?:open|close|shut|pick|take|place|put|go|walk|move|navigate|turn|switch|clean|fill|bring|carry|fetch|get|use|look|check|inspect|search|find|wait|stay|start|enter|leave|act|do|hand|deliver|operate|press|help|follow|proceed|return)"
"""Verbs of acts, in the form of a command."""
MAY = re.compile(
    rf"\b(?:can|may|could|cannot|can['’]t|are (?:not )?(?:able|allowed|permitted|free) to|have no way to|must not|never"
    rf"|do not|don['’]t|there is no way to)\b(?: (?:only|not|never|directly|even|also|still))* {TELLING}\b(?: (?:only|to|with))?",
    re.IGNORECASE,
)
"""What an agent can or cannot do, which is a constraint."""
ENDS = re.compile(
    r"\b(?:by|at|before|until|after) (?:the|this) (?:(?:very )?(?:end|start|beginning)|episode|task|game|inspection|deadline)"
    r"(?: of (?:the|this) (?:episode|task|game|day))?(?: (?:ends?|starts?|begins?|is over))?",
    re.IGNORECASE,
)
"""Times of goals and of facts, which order no acts."""


class LintRule(Struct, frozen=True):
    """A form of strategy: the ``pattern`` that finds it, ``what`` it is, what to write ``instead``, and two examples."""

    pattern: str
    what: str
    instead: str
    bad: str
    good: str


RULES = (
    LintRule(
        rf"\b(?:wait|hold off|stand by|pause)\b(?: (?:for|until|till)(?: {OTHER})?)?"
        rf"|\b(?:then|afterwards?|after that|next,|first,|firstly|second,|secondly|finally,|lastly|step \d|before you|before {ACTING}ing"
        rf"|before (?:acting|doing|moving|you)|once (?:you|{OTHER}|it|that|this|the|everything)|as soon as|only (?:after|when|once|if)"
        rf"|after (?:you|{OTHER}|that|it|the|hearing|\w+ing)|until (?:you|{OTHER}|it|told|\w+ed)|when(?:ever)? (?:you|{OTHER}) (?!start|begin|are at)"
        rf"|if (?:you|{OTHER}|asked|it|not|so|told)|in (?:this|that|the following) order|in turn|right away|immediately)\b",
        "an order of acts or a condition on them",
        "say what is so or must be so at the end, not when to act",
        "Open cabinet_3 once agent_1 has left the kitchen.",
        "cabinet_3 must end open.",
    ),
    LintRule(
        rf"(?:^|[.;:,!?]\s*|\b(?:and|or|to|please|you (?:must|should|need to|have to|ought to|will|shall|are to|want to|could)|try to"
        rf"|must|should|(?:your )?(?:job|task|role|duty|aim|goal) is to|be sure to|sure to|sure you|remember to|never|always|do not|don['’]t|not"
        rf"|it is (?:best|wise|up to you|your (?:job|task|duty)) to)\s+)"
        rf"(?:(?:also|only|just|always|never|immediately|quickly|directly|first|therefore|simply|openly) )*{TELLING}\b"
        rf"|\blet {OTHER} know\b|\bkeep {OTHER} (?:informed|posted|in the dark)\b|\bget in touch\b|\bcheck with {OTHER}|\b{TELLING}ing {OTHER}",
        "an order to send a message",
        "give the fact, and leave it to the agent whom to tell",
        "Relay to agent_2 that bowl_1 is dirty.",
        "bowl_1 is dirty.",
    ),
    LintRule(
        rf"\b(?:have|let|make|get|allow|help|leave it to|depend(?:ing)? on|rely(?:ing)? on|relies on|count on|trust|delegate|assign|through|via|with the help of"
        rf"|so that|in order for|work (?:together )?with|cooperate with|team up with|hand(?: \w+)? (?:over )?to|give(?: \w+)? to|follow|avoid|beat|outwit)\b"
        rf"(?: \w+){{0,3}}? {OTHER}(?: (?:to )?{ACTING})?\b",
        "a plan that involves another agent",
        "say what each agent can do or must reach, and let them find the plan",
        "Let agent_1 open fridge_2 for you.",
        "You cannot enter kitchen_1.",
    ),
    LintRule(
        rf"{OTHER} (?:will|should|must|needs? to|has to|have to|is going to|shall|ought to|is (?:supposed|expected|meant) to)"
        rf"(?! (?:not )?(?:end|be|know|remain|stay|have|see|believe)\b)(?: \w+)? \w+",
        "an act that another agent is to do",
        "say what must be so at the end, or what that agent can do",
        "agent_1 should carry the bowl to the kitchen.",
        "bowl_1 must end on table_4.",
    ),
    LintRule(
        r"\b(?:strateg\w+|the (?:plan|idea|trick|key|solution|best way|way) (?:is|to)|it is (?:best|better|wise|enough) (?:to|if)|your best (?:option|bet|move)"
        r"|we suggest|i suggest|consider \w+ing|you (?:should|might|may|could) want to|a good idea|hint:|tip:|instead of|rather than|save your messages?"
        r"|use your (?:\w+ )?messages?|spend your|without (?:telling|asking|informing)|coordinat\w+|collaborat\w+|relay\w*|prioriti[sz]e|focus on|take (?:the )?lead|volunteer)\b",
        "advice",
        "leave it out: how to reach the goal is for the agents to find",
        "The trick is to save your messages for the last turns.",
        "You can send 2 messages.",
    ),
)


def secret_findings(task: Task) -> tuple[str, ...]:
    """Strategy in the secrets of ``task``, and leaks in its public description; each with what to write instead.

    Raises:
        FormulaError: a goal cannot be parsed.
    """
    return (*_strategies(task), *_leaks(task))


def lint_secret(secret: str, you: str = "") -> str:
    """The strategy in a ``secret`` of agent ``you``, with what to write instead; empty if there is none.

    >>> lint_secret("Relay to agent_2 that bowl_1 is dirty.")
    'an order to send a message ("Relay"); give the fact, and leave it to the agent whom to tell'
    """
    if told_freely(secret, you):
        return ""
    text = MAY.sub(" ", ENDS.sub(" ", " ".join(secret.split())))
    for rule in RULES:
        if found := re.search(rule.pattern, text.strip(), re.IGNORECASE):
            shown = found[0].strip(" .,;:!?")
            return f'{rule.what} ("{shown}"); {rule.instead}'
    return ""


def _strategies(task: Task) -> Iterator[str]:
    for agent, secrets in task.agent_secrets.items():
        for k, secret in enumerate(secrets):
            if found := lint_secret(secret, agent):
                yield f"agent_secrets.{agent}[{k}]: {found}"


def _leaks(task: Task) -> Iterator[str]:
    """The things of goals that the public description names."""
    goals = [goal_of(task.problem_pddl), *map(parse, task.private_goals.values())]
    facts = [show(positive_chain(chain).fact) for goal in goals for chain in claims(goal)]
    things = dict.fromkeys(name for fact in facts for name in named(fact) if not AGENT.fullmatch(name))
    for name in things:
        kind, _, number = name.rpartition("_")
        written = rf"(?<!\w){'[ _-]'.join(kind.split('_'))}[ _#-]*{number}(?!\w)"
        if re.search(written, task.task, re.IGNORECASE):
            yield (
                f"task: it names {name}, which a goal is about; say what the house is prepared for, and leave the names to secrets"
            )
