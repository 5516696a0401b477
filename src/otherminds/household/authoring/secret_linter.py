r"""Finds strategy in secrets and leaks in public descriptions, without a model.

A secret says what is so: a constraint, a target, a fact, a mechanic. It never says what to do about it: whom to ask or
tell, in which order, what to wait for (Juneja et al. 2026, appendices F, G and I). A secret that the reader of secrets
understands as a whole (:func:`~otherminds.household.epistemic.words.free.messages.told_freely`) is a statement of that kind and is
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

from otherminds.household.epistemic.forms import names_of_form
from otherminds.household.epistemic.formula import claims, show
from otherminds.household.epistemic.parse import goal_of, parse
from otherminds.household.epistemic.predicates import AGENT, positive_chain
from otherminds.household.epistemic.words.free.messages import told_freely
from otherminds.household.task import Task

PERSON = (
    r"(?:agents?[_ ]?\d+|(?:an?|the|your|any|each|some|one|other|another|every|which)(?: other| of (?:the|your))?"
    r" (?:agents?|teammates?|team-mates?|partners?|colleagues?|players?|friends?|team)|teammates|partners|the others?|each other"
    r"|someone|somebody|anyone|anybody|no[- ]?one|nobody|every(?:one|body))"
)
"""Another agent, named or as a person."""
OTHER = rf"(?:{PERSON}|others|them|him|her|both)"
"""Another agent, or a pronoun for it."""
TELLING = (
    r"(?:ask|tell|inform|notify|message|report|relay|forward|share|warn|alert|signal|announce|broadcast|instruct|convey|communicate"
    r"|remind|brief|update|text|write|explain|confirm|consult|coordinate|pass|send|request|order|command|direct|convince|persuade"
    r"|reply|respond|answer|query|disclose|reveal|mention|describe|talk|speak|say|discuss|chat|contact|call|phone|lie (?:to|about)|deny|bluff"
    r"|pretend|mislead|deceive|threaten|promise|bargain|negotiate|barter|trade|swap|exchange|offer|listen|learn from|find out from"
    r"|inquire|enquire|interview|repeat|acknowledge|advise|urge|beg|point out|hint|route|withhold|conceal|split up|divide up|join forces)"
)
"""Verbs of messages and deals, in the form of a command."""
ACTING = (
    r"(?:open|close|shut|pick|take|place|put|go|walk|move|navigate|turn|switch|clean|fill|bring|carry|fetch|get|use|look|check|inspect"
    r"|search|find|wait|stay|start|enter|leave|act|do|hand|deliver|operate|press|help|follow|proceed|return|keep|lock|unlock|lift|drop)"
)
"""Verbs of acts, in the form of a command."""
TURNING = (
    r"(?:bear|beware|care|consider|touch|side|see|seek|lead|guide|support|assist|meet|join|watch|observe|trust|rely|obey|serve|give|lend"
    r"|let|make|have|think|imagine|prevent|stop|block|imitate|copy|mirror|divide|delegate|assign|work|team|pair|begin|set|choose|pick"
    r"|approach|involve|include|distract|protect|outwit|beat|avoid|end|show|teach|count|depend|hold|remember|react|try)"
)
"""More verbs of commands, which are strategy if they name another agent."""
CLAUSE = r"(?:^\W*(?:\d+\W+)?|[.;:,!?]\s*[-*\"“']?|[\"“(]|\s[-–—]+\s)"
"""Where a clause may begin."""
DO = (
    rf"(?:{CLAUSE}|\b(?:and|or|so|to|please|pls|maybe|perhaps|(?:you|u) (?:must|should|need to|have to|ought to|will|shall|are to|want to|could)"
    r"|try to|must|should|(?:your )?(?:job|task|role|duty|aim|goal) is to|be sure to|sure to|sure you|remember to|never|always"
    r"|do not|don['’]?t|not|it is (?:best|wise|up to you|your (?:job|task|duty)) to)\s+)"
    r"(?:(?:also|only|just|always|never|immediately|quickly|directly|first|therefore|simply|openly|please|pls|maybe|perhaps|then) )*"
)
"""What a command begins with."""
TOLD = r"(?:told|asked|informed|notified|warned|updated|reminded|briefed|consulted|contacted|messaged|kept (?:informed|up to date|posted|in the dark))"
SAYING = rf"(?:{TELLING}s?|say|says|said|tells?|told|speaks?|spoke|spoken|hears?|heard|replie[sd]|confirms|arrives?)"
DUTY = r"(?:should|must|needs? to|ha(?:s|ve) to|ought to|(?:is|are) to|(?:is|are) (?:supposed|expected|meant) to)"
MAY = re.compile(
    rf"\b(?:can|may|could|cannot|can['’]?t|are (?:not )?(?:able|allowed|permitted|free) to|have no way to|must not|you never"
    rf"|you do not|you don['’]t|there is no way to|I (?:should|must|may))\b(?: (?:only|not|never|directly|even|also|still))*"
    rf" (?:{TELLING}|wait)\b(?: (?:only|to|with))?",
    re.IGNORECASE,
)
"""What an agent can or cannot do, which is a constraint; and the asides of who writes ("I should mention")."""
ENDS = re.compile(
    r"\b(?:by|at|before|until|after|when|once) (?:the|this) (?:(?:very )?(?:end|start|beginning)|episode|task|game|inspection|deadline)"
    r"(?: of (?:the|this) (?:episode|task|game|day))?(?: (?:ends?|starts?|begins?|is over))?"
    r"|\bwhen (?:you|everyone|all|everything) (?:(?:have |are |is )?(?:finish(?:ed)?|done|end))|\bwhen it is over|\b(?:by|since|until) then",
    re.IGNORECASE,
)
"""Times of goals and of facts, which order no acts."""


MARKS = re.compile(r"([^\w\s])(?:\s?[^\w\s])+")
"""Several marks in a row, which count as their first."""
SMALL = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen"
)
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMERAL = rf"(?:(?:{TENS})[ -]?)?(?:{SMALL}|{TENS})"
"""A number in words."""


class LintRule(Struct, frozen=True):
    """A form of strategy: the ``pattern`` that finds it, ``what`` it is, what to write ``instead``, and two examples."""

    pattern: str
    what: str
    instead: str
    bad: str
    good: str


RULES = (
    LintRule(
        rf"{DO}(?:wait|hold off|hold on|hold back|stand by|stay put|pause)\b(?: (?:for|until|till)(?: {OTHER})?)?"
        rf"|\b(?:wait|hold off)(?:ing)? (?:for|until|till)\b"
        r"|(?:\b(?:next|first|firstly|second|secondly|third|finally|lastly),|\bstep \d)"
        rf"|\b(?:then (?!there)|afterwards|after that|before you|before {ACTING}ing|before (?:acting|doing|moving)|as soon as"
        rf"|(?:once|only (?:after|when|once|if)|after|until|unless|when(?:ever)?|if) (?:you|{PERSON})(?:['’]ve| have| has)? {SAYING}"
        rf"|after (?:hearing|receiving|{TELLING}ing)|until (?:told|asked|\w+ed)"
        r"|if (?:asked|not|so|told)|in (?:this|that|the following) order|in turn|right away|immediately)\b"
        rf"|\b(?:once|when(?:ever)?|after|if|unless|until|before|each time|as soon as)\b[^.;]{{1,100}}, (?:please |you (?:should|must) )?(?:{ACTING}|{TURNING})\b"
        rf"|(?:{CLAUSE}(?:do not |don['’]t )?|you (?:should|must) (?:not )?){ACTING}\b[^.;]{{0,100}} (?:once|after|until|till|unless|if|before|last)\b",
        "an order of acts or a condition on them",
        "say what is so or must be so at the end, not when to act",
        "Open cabinet_3 once agent_1 has left the kitchen.",
        "cabinet_3 must end open.",
    ),
    LintRule(
        rf"{DO}{TELLING}\b"
        rf"|\blet {OTHER} know\b|\bkeep {OTHER} (?:informed|posted|in the dark)\b|\bget in touch\b|\bcheck with {OTHER}|\b{TELLING}ing {OTHER}"
        rf"|{DUTY} be {TOLD}\b|{DUTY} (?:hear|get word|be relayed|be sent|be passed|be forwarded|be reported)\b"
        rf"|\b(?:hears?|learns?|find out) (?:it |this )?(?:from|of|with) (?:you|{OTHER})\b|{CLAUSE}(?:start|begin) by \w+ing"
        rf"|\bneed[^.;]{{1,40}} from you\b|{CLAUSE}(?:keep (?:(?:this|it|that) (?:to yourself|from|quiet|secret)|quiet|silent|mum)|stay (?:quiet|silent)|mum['’]s the word)\b",
        "an order to send a message",
        "give the fact, and leave it to the agent whom to tell",
        "Relay to agent_2 that bowl_1 is dirty.",
        "bowl_1 is dirty.",
    ),
    LintRule(
        rf"\b(?:have(?! to)|let|make|get|allow|help|leave it to|depend(?:ing)? on|rely(?:ing)? on|relies on|count on|delegate|assign|through|via|with the help of"
        rf"|so that|in order for|work (?:together )?with|cooperate with|team up with|hand(?: \w+)? (?:over )?to|give(?: \w+)? to|follow|avoid|beat|outwit)\b"
        rf"(?: \w+){{0,3}}? {OTHER}(?: (?:to )?{ACTING})?\b"
        rf"|{CLAUSE}(?:{ACTING}|{TURNING})\b[^.;]{{0,100}}? {PERSON}\b(?!['’]s (?:room|bed|desk|side))"
        rf"|\b{PERSON} (?:is |are )?(?:wait|expect|depend|rel[iy]|count|hop)\w*\b[^.;]{{1,30}}\byour?\b"
        rf"|\b(?:you|{PERSON}) (?:takes?|do(?:es)?|handles?|looks?|covers?)\b[^.;]{{1,60}}(?:[;,]|and|while) (?:you|{PERSON}) (?:pass|takes?|do(?:es)?|handles?|covers?)\b"
        r"|\byou (?:are|act as|serve as) (?:the|an?) (?:hub|link|bridge|go-between|intermediary|liaison|coordinator|relay|leader|mediator)"
        rf"|\b{PERSON} (?:is|are) the (?:right |best )?(?:one|person|agent|teammate) to\b"
        r"|\bas (?:the|a) (?:hub|leader|coordinator|go-between)\b|\b(?:through|via) you\b",
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
        r"\b(?:strateg\w+|the (?:plan|idea|trick|key|solution|best way|way) (?:is|to)|your best (?:option|bet|move)|why (?:not|don['’]t)|(?:how|what) about"
        r"|it (?:is|would be|might be|may be|could be) (?:also )?(?:best|better|wise|worth|good|useful|helpful|sensible|smart|a good idea)|it (?:would|might|may|will) help"
        r"|it is enough (?:to|if)|we suggest|i suggest|consider \w+ing|you (?:should|might|may|could) want to|a good idea|instead of|rather than|save your messages?"
        r"|use your (?:\w+ )?messages?|spend your|your (?:\w+ )?(?:messages?|words?) (?:should|ought|must|(?:is|are) best|belongs?)|acts? on (?:it|this|that|what)"
        r"|(?:should|must|to) (?:correct|clear up|settle) (?:this|that|it)|go-between"
        r"|without (?:telling|asking|informing)|coordinat\w+|collaborat\w+|relay\w*|prioriti[sz]e|focus on|take (?:the )?lead|volunteer)\b"
        r"|\b(?:hint|tip|plan|strategy|advice):"
        rf"|{CLAUSE}be (?:the (?:first|last|one) to|quick|slow|careful|generous|honest|open|patient|ready|discreet)\b",
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
    text = MAY.sub(" ", ENDS.sub(" ", MARKS.sub(r"\1 ", " ".join(secret.split()))))
    for rule in RULES:
        if match := re.search(rule.pattern, text.strip(), re.IGNORECASE):
            excerpt = match[0].strip(" .,;:!?")
            return f'{rule.what} ("{excerpt}"); {rule.instead}'
    return ""


def _strategies(task: Task) -> Iterator[str]:
    for agent, secrets in task.agent_secrets.items():
        for k, secret in enumerate(secrets):
            if strategy := lint_secret(secret, agent):
                yield f"agent_secrets.{agent}[{k}]: {strategy}"


def _leaks(task: Task) -> Iterator[str]:
    """The things of goals that the public description names."""
    goals = [goal_of(task.problem_pddl), *map(parse, task.private_goals.values())]
    facts = [show(positive_chain(chain).fact) for goal in goals for chain in claims(goal)]
    goal_names = dict.fromkeys(
        name for fact in facts for name in names_of_form(fact) if not AGENT.fullmatch(name)
    )
    for name in goal_names:
        if re.search(_build_spelling_pattern(name), task.task, re.IGNORECASE):
            yield f"task: it names {name}, which a goal is about; say what the house is prepared for, and leave the names to secrets"


def _build_spelling_pattern(name: str) -> str:
    """A pattern of the spellings of a thing: "table_4", "Table #4", "table no. 4", "table four", "tables 2, 3 and 4"."""
    kind, _, number = name.rpartition("_")
    spelled = f"(?:{number}|{_in_words(int(number))})" if number.isdecimal() else re.escape(number)
    marks = r"(?:[\s_#(:-]|\b(?:with|the|no|nr|number|numbered|id)\b\.?)*"
    others = rf"(?:#?(?:\d{{1,6}}|{NUMERAL})(?:\s|,|&|\band\b|\bor\b){{1,6}}){{0,8}}#?"
    return rf"(?<!\w){'[ _-]'.join(map(re.escape, kind.split('_')))}s?{marks}{others}{spelled}(?!\w)"


def _in_words(number: int) -> str:
    """A number below 100 in words, and any other in digits."""
    small = SMALL.split("|")
    if number < len(small):
        return small[number]
    tens, ones = divmod(number, 10)
    return rf"{TENS.split('|')[tens - 2]}[ -]?{small[ones] if ones else ''}" if tens < 10 else str(number)
