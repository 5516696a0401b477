"""Decides whether a choice that a reply states holds, or is hedged, conditional, taken back or quoted.

The readers of choices find statements such as ``A: Option J``; the functions here read the English words around one: short
patterns, each searched in one clause or sentence. Every option in these words becomes one character first, so that the
patterns are the same for all labels: ``SAME`` in a pattern is the option that is stated, ``OTHER`` any other one. No pattern
repeats a repetition without a bound, so that time is linear in the length of the reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from otherminds.core.data import Whose
from otherminds.replies.blocks import FENCE

FIRST = 0xE000
"""The code point of the first option, in Unicode's private use area; those of the other options follow."""
ANY = "[\ue000-\ue0ff]"
RUNNING = re.compile(r"(?<=[^\s.!?:])[^\S\n]*\n(?:\s*(?=[a-z])|[^\S\n]*(?=[(,]))")
"""The end of a line within a sentence."""
SENTENCE = re.compile(r"(?<=[.!?])[)']*\s+|\n\s*|;\s")
CLAUSE = re.compile(r"[.;!?\n]|, (?=so\b|therefore\b)|\bbut\b|\b(?:so|thus|hence|therefore)\b(?=[^.;!?\n]*$)")
"""The end of a clause; what is before it does not lead to the statement."""
HEADING = re.compile(
    r"(?:[:,]|^\W*(?:if|when|case|scenario|example|for example)\b[^.!?\n]*|\b(?:like|write|with|is|be|or))\s*$",
    re.MULTILINE,
)
"""A line that leads to the next one."""
REASON = re.compile(
    r"\b(?:because|since|although|though|while|whereas|despite|hoping|expecting|which|even (?:if|when)|given|regardless"
    r"|so (?:that|i|we)\b|no matter|whatever|whether|as(?! long| soon)|weil|denn|porque|parce|car|puisque|ya que|pues|pois|perché|poiché|потому что|так как|поскольку)\b|لأن|क्योंकि|因为|因為|なぜなら|왜냐하면| - (?!if\b|or\b|unless\b|maybe\b|perhaps\b)|\(\s*\d+(?![\d%]|\s%)"
)
"""The start of a reason, in which conditions and other options do not change the answer."""
COMPARED = re.compile(
    rf"\b(?:statt|anstatt|plutôt que|au lieu de|en lugar de|en vez de|em vez de|invece di|piuttosto che|вместо|а не|y no|e non|e não|et pas|not|over|than|of|to|against|versus|beats?|consider(?:ed|ing)|unlike|from|into|my|your) {ANY}(?:[\s,]*(?:and|or|nor|,)\s*{ANY})*"
)
"""An option that the chosen one is compared with."""
ELSEWHERE = re.compile(
    r"\b(?:next|later|future|afterwards|following|last|previous|earlier|one-shot|single|were|from then|long run)\b"
)
"""A sentence about another round or another game; only a retraction counts there."""
GRANTING = re.compile(r"^\W*(?:although|though|even|while|whereas|why)\b")
"""The start of a sentence that grants something to another option."""
TURNING = re.compile(r"\b(?:but|however|although|though|while|whereas|yet|instead)\b")
"""A sentence that turns against the one before or against its own beginning."""
TURN = re.compile(
    r"^[^\S\n]*(?:Q|Question|Human|User|Round \d+|Instruction)\s*:", re.MULTILINE | re.IGNORECASE
)
"""The start of a next turn that a model invents."""
THEY = r"(?:they|them|he|she|him|their|his|her|opponents?|partners?|players?|player \w|others?)(?:'s|')?"
OTHERS = re.compile(
    rf"\b(?:{THEY}|you|your)(?:\s+\w+){{0,3}}\W*$|\b{THEY}(?:\s+[\w'\ue000-\ue0ff]+){{0,8}}\s*:\W*$"
    r"|\b(?:prediction|predicted|expectation)\b[^,]*$"
)
"""Someone else as the subject of a statement."""
MINE = re.compile(
    r"\b(?:my(?! (?:opponent|partner|prediction|guess|expectation))|me|here is|here's)\b|\bi (?:choose|pick|answer|go|play|take|write|say)\b"
)
TAKE = r"(?:choose|pick|select|take|play|go(?:ing)? (?:with|for|to)|switch to|change to|prefer|say|answer|opt for|be)"
ADVERB = r"(?:(?:now|rather|also|then|therefore|actually|just|really|have to|want to|should|better) )?"
GOOD = (
    r"(?:better|best|right|correct|safer|wiser|smarter|good|fine|okay|reasonable|viable|attractive|possible)"
)
LINK = r"[\s,:('-]*(?:(?:even|also|just|better|rather|the|a:|i(?:'ll|'d| will| would)? \w+(?: with| for)?)\s+){0,3}"
"""What may be between a connective and an option."""


ANOTHER_ROUND = (
    r"\b(?:two|three|four|five|\d+|(?:a )?few|several|some) (?:more )?(?:rounds?|moves|turns|games) (?:from now|later|ahead|from here)\b"
    r"|\b(?:in|after) (?:two|three|four|five|\d+|a few|several|some) (?:more )?(?:rounds|moves|turns|games)\b(?! (?:of|with|where|in which))"
    r"|\bthe (?:round|move|turn|game) after (?:next|this|that)\b"
)
"""Another round than the one that is asked about."""


class WordRule(NamedTuple):
    """A kind of doubt and patterns of the words that show it, with ``OTHER`` for another option and ``SAME`` for this one."""

    name: str
    words: tuple[str, ...]


LEADING = (
    WordRule(
        "condition",
        (
            r"\b(?:if(?! i (?:had to|have to|must)| forced| pressed| pushed)|unless|suppos\w+|assum\w+|when|whenever|case|scenario|provided)\b",
            r"\bshould (?:the|they|you|he|she)\b",
        ),
    ),
    WordRule(
        "negation",
        (
            r"\b(?:not(?! OTHER[,:])|never|neither|nor|cannot|avoid|refuse)\b",
            r"n't\b",
            r"\bno (?:circumstances|way)\b",
            r"\bboth\s*$",
        ),
    ),
    WordRule(
        "quotation",
        (
            r"^(?!.*\b(?:my|here)\b).*\b(?:in the (?:\w+ )?form\b|(?:required|requested|expected) form(?:at)? is|you want me to)\b",
            r"^(?!.*\b(?:my|here)\b).*\b(?:you|the (?:prompt|task|question|system|user|experimenter))(?:'ve|'d| have| had)? (?:just |only |also )?"
            r"(?:asked?s?|told|tells?|instruct(?:ed|s)?|request(?:ed|s)?|demand(?:ed|s)?|order(?:ed|s)?|expect(?:ed|s)?|want(?:ed|s)?|said|says?|gave|gives?|suggest(?:ed|s)?)\b"
            r".*\b(?:form|format|line|reply|answer|respond|write|say|output|template|words?)\b",
            r"\b(?:examples?|samples?|such as|for instance|like this|a line like|something like|exactly one|and stop)\b",
            r"\bone of (?:these|the following|the lines)\b",
            r"\b(?:possible|valid|available|allowed|two|three|following) (?:answer|choice|repl|option|response|line)",
            r"\b(?:options|choices|answers|lines) (?:are|is)\b",
            r"(?<!\bi )\b(?:would|might|could|may) (?:say|answer|reply|write|respond)\W*$",
        ),
    ),
    WordRule("alternative", (r"\bor\W*$",)),
    WordRule("other round", (ANOTHER_ROUND,)),
    WordRule("next round", (r"^\W*next (?:round|time|game)\b",)),
    WordRule(
        "attribution",
        (
            rf"\b{THEY}(?: \w+)? (?:expects?|thinks?|wants?|believes?|predicts?|hopes?|assumes?|knows?)(?: (?:that|me|to|i|will|should|choose))*\W*$",
        ),
    ),
    WordRule("mixture", (r"\d\s?%|\bchance\b|\bprobability\b|\botherwise\b|\belse\b",)),
    WordRule(
        "instruction",
        (
            r"^(?!.*\b(?:i|my|here|this is)\b).*\b(?:format|template|placeholder|instructions?|respond|write|must|should)\b",
        ),
    ),
    WordRule(
        "hedge",
        (
            r"\b(?:maybe|perhaps|possibly|might|either(?! (?:way|case))|torn|undecided|tempted|initially|originally|at first)\b",
        ),
    ),
)
"""Doubts in the clause that leads to a statement."""
BESIDE = (
    WordRule("question", (r"\?",)),
    WordRule(
        "payoff",
        (
            r"^\W*(?:would )?(?:gives?|yields?|pays?|earns?|gets?|leads?|results?|points?)\b",
            r"^\s*[:=]\s*\d++(?![\d.]*\s?%)",
        ),
    ),
    WordRule(
        "rejection",
        (
            r"^\W*(?:(?:is|was|has been|gets?|got|now|therefore|thus|then|also|clearly|already) ){0,3}(?:rejected|ruled out|discarded|dismissed|eliminated|excluded|abandoned|declined"
            r"|struck|crossed out|dropped|off the table|out of the question|unacceptable|considered|discussed|no good|not an option)\b",
        ),
    ),
    WordRule("predicate", (r"^\W{0,3}what\b",)),
    WordRule("other round", (ANOTHER_ROUND,)),
    WordRule("next round", (r"^[^,]{0,40}\bnext (?:round|time|game)\b",)),
    WordRule("past", (r"^\W*(?:in )?(?:the )?(?:last|previous) (?:round|time|game)|^\W*(?:at )?first\b",)),
    WordRule(
        "predicate",
        (
            r"^\W{0,3}(?:is|would be|seems?|looks?|was|might|could|may|isn't|wouldn't)\b(?! (?:\w+ )?(?:the )?"
            r"(?:my|better|best|right|correct|safer|wiser|smarter|good|optimal|what i|safest|safe|dominant|only|most|rational|natural)\b)",
            r"^\W{0,3}\w+(?: be)? (?:not|never|the (?:wrong|worst|other))\b",
        ),
    ),
    WordRule(
        "condition",
        (
            r"^\D*?\b(?:if|unless|when|whenever|as (?:long|soon)|provided|assuming|depend\w*|supposing)\b",
            r"^\D*?\b(?:subject to|in case|otherwise|until|till|except|or else)\b",
        ),
    ),
    WordRule(
        "mixture",
        (
            r"\bprobability\b",
            r"^(?!.*(?:confiden|sure|certain)).*\d\s?%",
            r"\bwith (?:a )?\d|\bp\s?=\s?\d",
            r"\b(?:sometimes|most of the time|half (?:of )?the time|every other|alternat\w+|in turns)\b",
            r"\b(?:odd|even)(?:-numbered)? rounds\b",
        ),
    ),
    WordRule(
        "alternative",
        (
            r"OTHER(?!\W*(?:would|gives?|is|was|has|will|could|might|may|yields|pays|looks|seems|can|beats|only)\b)",
            rf"\b(?:or|maybe|perhaps|possibly|alternatively){LINK}OTHER",
        ),
    ),
    WordRule(
        "hedge",
        (
            r"\b(?:maybe|perhaps|possibly)\b",
            r"\bor (?:not|something|whatever|whichever|the other|either|any)\b",
        ),
    ),
)
"""Doubts in the sentence of a statement, up to its reason."""
ALONE = WordRule("alone", (r"^\W*(?:a:\s*)?OTHER\W*$",))
"""Another option alone."""
LISTED = WordRule("list", (rf"^\W*\n\W*(?:[b2]|{ANY})\s*[:.)]\s*{ANY}",))
"""Options with letters or numbers, of which the statement is the first."""
RETRACTION = WordRule(
    "retraction",
    (
        r"(?:^|[,:(-]\s*|\.\.\s*|\bbut )(?:hmm*|um+|uh|oh|ah|wait|actually|correction|edit|sorry|rather|or rather|nope)\b",
        r"(?:^|[,:(-]\s*|\.\.\s*|\bbut )no(?=\s*[,.!:;-]|\s*$| wait| sorry)",
        r"\b(?:on )?(?:second|further) thoughts?\b|\bon reflection\b|\bthen again\b|\bcome to think\b|\bnot so fast\b",
        r"\blet me (?:re|double|think|check|see if|correct|start over)|(?<!would )\breconsider|\b(?:check|look|think)ing (?:it |this |about it )?(?:again|twice)\b"
        r"|\bi (?:should|must) (?:re|double)",
        r"\btak(?:e|ing) (?:that|it|this) back\b|\bchang(?:e|ed|ing) my (?:mind|answer|choice)\b",
        r"\b(?:strike|scratch|ignore|forget) (?:that|this|the above|my)\b|\bdisregard\b|\bnever ?mind\b|\bhold on\b|\boops\b",
        r"\bi meant?\b|\bmy (?:mistake|bad|error)\b|\bi(?: was|'m| am| may be| might be| made)(?: an?)? (?:wrong|mistake|error)",
        r"\b(?:that|this|it|the above|my answer)(?:'s| is| was| isn't| wasn't)(?: \w+){0,2} (?:wrong|incorrect|mistaken|mistake|error)\b",
        r"\bi give up\b|\bforget it\b|\b(?:retract|withdraw|retracted|withdrawn|revoked?)\b",
        r"\b(?:that|this|it|the above|my answer)(?:'s not| is not| isn't| wasn't)(?: \w+)? (?:right|correct|true|what i)\b",
        r"\bi(?:'ve| have)? (?:misread|miscalculated|misunderstood|mistyped|misspoke)",
        r"\bmake (?:that|it) OTHER",
        r"^\W*(?:nein|non|não|нет|anzi|ach|mejor dicho|ou melhor|o meglio)\b\W",
        r"^\W*no\b(?=\s*(?:,|mejor|espera|anzi|aspetta))",
        r"\b(?:moment mal|korrigiere|doch lieber|nochmal (?:nach|über)|après réflexion|réflexion faite|je me (?:corrige|ravise)|pensándolo|pensandolo|pensando (?:melhor|bem)|reconsider[oa]\w*|me corrijo"
        r"|ripens\w+|ripensandoci|mi correggo|cambio idea|cambio de (?:idea|opinión)|mudei de ideia|подумав|передума\w+|поправ(?:ка|люсь)|точнее)\b",
        r"^\W*(?:لا\b|नहीं\s*[,،]|不[，,、。]|不对|不對|いや|いえ|아니(?=[,요\s]))",
        r"إعادة التفكير|فكرت مجدد|أعدت التفكير|أصحح|أغير (?:رأيي|إجابتي)|(?:दोबारा|फिर से) सोच|सोचने पर|重新考虑|再想|改变主意|改選|改选|考え直|訂正|やっぱり|다시 생각|정정",
        r"\bshould (?:really |actually |rather |instead )?(?:have )?(?:be |choose|pick|go|play|say|said|answer).{0,12}OTHER",
    ),
)
"""Words that take back what was said."""
CHOSEN = WordRule(
    "other answer",
    (
        rf"(?:\bi(?:'ll|'d| will| would| should)?|\blet's|^we|^(?:so|then|and|now))(?<!if i)(?<!when i) {ADVERB}{TAKE} (?:a:\s*)?OTHER",
        r"\b(?:my|final|correct|right|real|new|second|revised) (?:final )?(?:answer|choice|decision|option|one|pick)"
        r"\W+(?:is |would be |will be |now )*(?:a:\s*)?OTHER",
    ),
)
"""Words that choose another option."""
DECLINED = (
    r"\bi have (?:none|no (?:basis|answer|prediction|choice|opinion))\b"
    r"|\b(?:make|give|offer|state) no (?:answer|prediction|forecast|choice|pick|guess)\b|\bno (?:answer|prediction|forecast|choice|pick|guess) (?:for |in )?(?:this|the current)\b|(?:^|: ?)no (?:answer|prediction|forecast|choice|pick|guess)\W*$"
    r"|\bi (?:won't|will not|refuse to|cannot|can't) (?:guess|choose|answer|take part|play|decide|predict|participate)\b"
)
FOLLOWING = (
    WordRule("question", (r"^(?=.*\?)(?!.*\bwhy\b).*OTHER", r"\b(?:right|ok|okay|correct|sure|maybe)\?$")),
    WordRule(
        "unfinished",
        (
            r"\b(?:but|however|or|and|though|although|alternatively|otherwise|unless|if)[\s,:(-]*$",
            r"\b(?:answer|choice|option) (?:is|would be|should be)[\s:]*$",
            r"^(?:but|however)\b[^.!?]*$",
        ),
    ),
    WordRule(
        "indecision",
        (
            r"(?:\bnot|n't) (?:\w+ )?(?:sure|certain|confident)\b(?! (?:what|how|whether they|if they|that|they|the other|whether the))",
            DECLINED,
            r"\bunsure\b|\buncertain(?: about (?:this|it|my))?\W*$|\bundecided\b|\btorn\b|\bindifferent\b|\btoss[- ]?up\b",
            r"(?:\bcannot|n't|\bnot|unable to|hard to) (?:\w+ )?(?:decide|say|pick|tell|make up my mind)(?:d)?\b(?! (?:what|how))",
            r"\bi (?:don't|do not) (?:\w+ )?know(?: which\b|\W*$|,)|\bno (?:idea|preference)\b|\bcoin (?:flip|toss)\b",
            r"\btempted\b|\btentative|\bgo either way\b|\bonly \d+\s?%|\bcould (?:still |be )?(?:change|switch|persuaded|convinced)\b",
            r"\b(?:maybe|perhaps|probably|or) not\b|\b(?:no|without a) clue\b|\bwho knows\b|\b50[/ -]+50\b|\bwhichever you\b",
            r"\b(?:may|might|could) be (?:wrong|incorrect)\b|\b(?:not|n't)\b.{0,20}\bmy (?:final |actual |real )?(?:answer|choice)\b",
            r"\bboth (?:\w+ ){1,2}(?:the same|equal|equivalent)\b|\bno (?:\w+ )?preference\b|\bfine with (?:either|both|OTHER)",
            r"\bno longer (?:\w+ )?(?:sure|certain|confident)\b|\bleav(?:e|ing) (?:it|this|that) open\b",
            r"(?:haven't|have not|not yet|never) (?:\w+ )?(?:made|decided|chosen|settled|reached)\b(?!.*\b(?:they|opponent|partner)\b)",
            r"\bflip(?:ping)? a coin\b|\bwhat do you think\b|\byou decide\b|\bup to you\b",
            r"\b(?:either|both|any)(?: \w+){0,3} (?:works?|fine|good|okay|ok|do|acceptable|possible|reasonable|valid)\b(?! for (?:them|the other))",
            r"\bequally (?:good|valid|fine|attractive|well)\b(?! for (?:them|the other))|\b(?:it|that|this|answer|choice) (?:really |all )?depends\b",
        ),
    ),
    WordRule(
        "alternative",
        (
            rf"^\W*(?:or|and|then){LINK}OTHER",
            rf"\b(?:maybe|perhaps|possibly|alternative(?:ly)?|otherwise|else|backup|fallback){LINK}OTHER",
        ),
    ),
    WordRule(
        "other answer",
        (
            *CHOSEN.words,
            r"(?:^\W*|\bi(?:'m|'ll| am| will| would|'d)? |let me )(?:chang|switch|revis|updat)\w*\b.{0,20}\bto OTHER",
            r"^\W*(?:(?:so|then|and|me|answer|final answer|choice)\b[\s:,]*)?(?:a:\s*)?OTHER\W*$",
            rf"^(?!.*\b(?:{THEY}|prediction|forecast|expect\w*)\b).*[,:]\s*OTHER(?: instead| then| now)?\W*$",
            r"OTHER instead\W*$",
            r"^\W*(?:final )?(?:answer|choice|decision|option|selection|edit)\W*[:=]\W*(?:a:\s*)?OTHER",
        ),
    ),
    WordRule(
        "other case",
        (
            r"^\W*(?:case|scenario)\s*(?:2|two|b|ii)\b",
            r"^\W*(?:otherwise|else|if not)\b.*OTHER|\bunless OTHER",
            r"^(?:but |and |though )?(?:only )?(?:if|unless|provided|assuming|as long as|depending on)\b"
            r"(?!.*\b(?:would|will|could|gets?|gives?|earns?|loses?|i'd|i'll|they'd)\b)[^,]*$",
        ),
    ),
)
"""Doubts in the sentence of a statement or in a sentence after it."""
PRAISE = WordRule(
    "praise",
    (
        r"OTHER (?:is|seems|looks|works|would|might|may|could|has)(?: \w+)? (?:also|equally|just as|as)\b",
        rf"OTHER (?:might|may|could)(?: \w+)? (?:be|work|do)(?: \w+)? ?(?:{GOOD}|it|too|well)?\b",
        r"OTHER (?:is|seems|looks|would be)(?: \w+)? (?:better|best|right|correct|safer|wiser|smarter)(?: \w+)?\W*$",
        r"OTHER (?:is|seems|looks|would|works|has)(?: \w+){0,2} (?:too|as well)\W*$",
        rf"\b(?:i|one|you|it|we|that) (?:could|might|may|can)(?: \w+){{0,2}} {TAKE} (?:a:\s*)?OTHER",
    ),
)
"""Words that recommend another option after a statement."""
LATER = re.compile(r"\b(?:next|later|following|coming|future|afterwards)\b")
"""Another round, in a reply that gives no answer for this one."""
CONCEDED = WordRule("conceded", (r"OTHER.{0,150}\b(?:but|however|yet)\b",))
"""Words that grant something to another option and keep the choice."""
KEPT = WordRule(
    "kept",
    (
        r"SAME (?:is|was|remains|it is|still|stays|looks|seems)\b(?!.{0,60}(?:not|n't|wrong))",
        r"\bi(?:'ll| will)? (?:still )?(?:stay|stick|keep|stand)(?:ing)?\b",
        r"\b(?:answer|choice) (?:stands|remains|stays|is SAME)",
        r"\b(?:that|this|it)(?:'s| is) (?:still )?(?:right|correct|fine|SAME)",
    ),
)
"""Words that keep an answer after it was checked."""
ASIDE = re.compile(
    r"\((?=(?:i (?:anticipate|expect|predict|foresee|think|believe|assume)|they|the other player|my opponent|he|she)\b)"
)
"""The start of words about the other player, in brackets after an own choice."""
OWN_PART = re.compile(
    r"\b(?:also|deshalb|daher|darum|donc|así que|por lo que|por eso|então|portanto|por isso|quindi|perciò|поэтому|так что)\b|لذلك|لذا|इसलिए|所以|因此|"
    r"(?:[,;،、]|\b(?:und|et|y|e|и|а)\b|(?<!\w)और)\s*(?:ich|je|moi|yo|eu|io|я|मैं|我|私は|저는|나는)(?!\w)|(?<!\w)وأنا|"
    r"(?:^|[,;(]|\b(?:so|and|thus|therefore|hence|while|but|which means|though|although))\W*(?:so |then |thus |therefore |hence )?(?:i|my|we)\b(?!'?\w* (?:expect|predict|think|guess|believe|assume|anticipate))"
)
"""The start of words about the own choice after a prediction."""
FORESEEN_REASON = re.compile(
    r"[,;(]\s*(?:after|for|following|judging|based|considering|in light of)\b|\bin (?:response|reply|retaliation|return)\b"
)
"""The start of what a prediction rests on, in which other options do not change it."""
FORESEEN_LEADING = tuple(
    rule for rule in LEADING if rule.name not in ("mixture", "instruction", "condition", "next round")
)
FORESEEN_BESIDE = (
    *(
        rule
        for rule in BESIDE
        if rule.name not in ("predicate", "mixture", "past", "condition", "next round")
    ),
    WordRule(
        "predicate",
        (
            r"^\W{0,3}(?:is|was|would be|seems?|looks?)(?: \w+)? (?:unlikely|not|wrong|less|bad|worse|worst|risky|dangerous)\b|^\W{0,3}(?:isn't|wasn't|wouldn't|won't)\b",
        ),
    ),
    WordRule(
        "condition",
        (r"^\D*?\b(?:unless|depend\w*|or else|otherwise|until)\b|^\W*(?:only )?if i\b|^\W*when i\b",),
    ),
    WordRule("mixture", (r"\b(?:half (?:of )?the time|alternat\w+|in turns)\b|\b50 ?[/%-]",)),
)
UNWILLING = WordRule("indecision", (DECLINED,))
"""Words that give no answer at all, about whomever."""
FORESEEN_FOLLOWING = tuple(
    rule for rule in FOLLOWING if rule.name in ("question", "unfinished", "indecision", "alternative")
)
"""Doubts about a prediction: in its clause, in its sentence, and in those after it."""


NEAR = 300
"""Characters around a statement that are read for its own sentence."""
FAR = 20_000
"""Characters around a statement that are read at all; a reply that goes on for longer after one has lost its thread."""
EMPTY_TITLE = re.compile(
    r"^[^\w\n]*(?:(?:my|your|the|final)\s+){0,2}(?:a|answer|choice|decision|prediction)\s*:\W*\Z",
    re.MULTILINE | re.IGNORECASE,
)
"""A last line that is the title of an answer alone."""
STYLE = str.maketrans(
    dict.fromkeys('*_`"“”#>', "")
    | {"’": "'", "‘": "'", "—": " - ", "–": " - ", "…": "... "}
    | {chr(code): " " for code in range(FIRST, FIRST + 0x100)}
)


def doubt(before: str, after: str, label: str, labels: Sequence[str], whose: Whose = "own") -> str | None:
    """The kind of the first doubt about a statement of ``label``; ``None`` if the statement holds.

    ``before`` and ``after`` are the texts around it. Words that make an own choice a doubtful one, such as *probably*,
    are part of a prediction, and what the model itself chooses does not touch one.

    >>> doubt("", " (or maybe F)", "J", ("J", "F")), doubt("If they play F, ", ".", "J", ("J", "F"))
    ('alternative', 'condition')
    >>> doubt("", ", because F gives 0 if they play J.", "J", ("J", "F"))
    """
    if len(after) > FAR:
        return "endless"
    own, sentences = _split_sentences(after, label, labels)
    leading = _clause(before[-NEAR:], tuple(labels))
    if LATER.search(leading) and _first((UNWILLING,), before[-NEAR:].lower(), own):
        return "other round"
    return find_hedge(before, after, label, labels, whose) or _following(sentences, own, whose)


def find_hedge(
    before: str, after: str, label: str, labels: Sequence[str], whose: Whose = "own"
) -> str | None:
    """The kind of the first doubt in the sentence of a statement."""
    own, (first, *_) = _split_sentences(after[:NEAR], label, labels)
    if _first((LISTED,), _mark_options(after[:NEAR], tuple(labels)).lower(), own):
        return LISTED.name
    beside = COMPARED.sub(" ", REASON.split(first)[0])
    leading, around = LEADING, BESIDE
    if whose == "own":
        beside = ASIDE.split(beside)[0]
    else:
        beside, leading, around = (
            FORESEEN_REASON.split(OWN_PART.split(beside)[0])[0],
            FORESEEN_LEADING,
            FORESEEN_BESIDE,
        )
    return _first(leading, _clause(before[-NEAR:], tuple(labels)), own) or _first(around, beside, own)


def is_attributed(before: str, labels: Sequence[str]) -> bool:
    """Whether someone else than the model is the subject of a statement after ``before``.

    >>> is_attributed("The other player will choose: ", ("J", "F")), is_attributed("My choice: ", ("J", "F"))
    (True, False)
    """
    clause = _clause(before[-NEAR:], tuple(labels))
    return bool(OTHERS.search(clause)) and not MINE.search(clause)


def is_unanswered(text: str) -> bool:
    """Whether ``text`` repeats a prompt, or ends, with the title of an answer and nothing under it.

    >>> is_unanswered("Q: They choose?\\nAnswer: F\\nQ: You choose?\\nAnswer:"), is_unanswered("Answer: F\\nQ: And now?\\nAnswer:")
    (True, False)
    """
    if EMPTY_TITLE.search(text[-NEAR:]) is None:
        return False
    turn = TURN.search(text)
    return turn is None or not text[: turn.start()].strip()


def is_retracted(after: str, label: str, labels: Sequence[str]) -> bool:
    """Whether ``after`` takes back a statement of ``label``."""
    own, sentences = _split_sentences(after, label, labels)
    return any(_first((RETRACTION,), sentence, own) for sentence in sentences)


def is_contradicted(before: str, label: str, labels: Sequence[str]) -> bool:
    """Whether ``before`` begins with another option alone, or chooses one and does not take it back."""
    own, sentences = _split_sentences(before[-FAR:], label, labels)
    start = next((sentence for sentence in sentences if sentence.strip()), "")
    contradicts = _first((ALONE,), start, own) is not None
    for sentence in sentences:
        turned = TURNING.search(sentence) or _first((RETRACTION,), sentence, own)
        weighed = TURNING.search(sentence) or ELSEWHERE.search(sentence) or _first(LEADING, sentence, own)
        contradicts = bool((contradicts and not turned) or (not weighed and _first((CHOSEN,), sentence, own)))
    return contradicts


def _split_sentences(after: str, label: str, labels: Sequence[str]) -> tuple[str, list[str]]:
    """The character of ``label``, and the sentences after a statement of it: the rest of its own one, and the others."""
    own = chr(FIRST + list(labels).index(label))
    turn = TURN.search(after)
    text = own + _mark_options(after[: turn.start()] if turn else after, tuple(labels))
    return own, SENTENCE.split(RUNNING.sub(" ", text)[1:].lower())


def _following(sentences: list[str], own: str, whose: Whose) -> str | None:
    """The first doubt in the sentence of a statement and in those after it; a retraction may be revoked itself."""
    last_kept = max((k for k, sentence in enumerate(sentences) if _first((KEPT,), sentence, own)), default=-1)
    for k, sentence in enumerate(sentences):
        if k > last_kept and _first((RETRACTION,), sentence, own):
            return RETRACTION.name
        if whose == "other":
            about = OWN_PART.split(sentence)[0]
            if doubt_name := _first(FORESEEN_FOLLOWING, about, own) or _first((UNWILLING,), sentence, own):
                return doubt_name
        elif not ELSEWHERE.search(sentence):
            granted = _first((CONCEDED,), sentence, own) or (k and GRANTING.search(sentence))
            rules = FOLLOWING if granted else (*FOLLOWING, PRAISE)
            if doubt_name := _first(rules, sentence, own):
                return doubt_name
    return None


@lru_cache(maxsize=1024)
def _clause(before: str, labels: tuple[str, ...]) -> str:
    """The clause that leads to what follows ``before``: in its line, or in a line before that leads to it.

    Cached, since replies that are drawn again, or that repeat the prompt, have many texts in common.
    """
    text = _mark_options(FENCE.sub("", before), labels).lower()
    *lines, last = text.replace("e.g.", "for example ").split("\n")
    heading = next((line for line in reversed(lines) if line.strip()), "")
    return CLAUSE.split(f"{heading} {last}" if HEADING.search(heading) else last)[-1]


def _first(rules: Sequence[WordRule], text: str, own: str) -> str | None:
    return next((rule.name for rule in rules if _compile_rules(rule, own).search(text)), None)


@cache
def _compile_rules(rule: WordRule, own: str) -> re.Pattern[str]:
    words = "|".join(rule.words).replace(r"\W", rf"[^\w{FIRST:c}-{FIRST + 0xFF:c}]")
    return re.compile(words.replace("OTHER", f"(?!{own}){ANY}").replace("SAME", own))


def _mark_options(text: str, labels: tuple[str, ...]) -> str:
    """``text`` without markup, each name of an option as one character."""
    code = {_name(label): chr(FIRST + k) for k, label in enumerate(labels)}

    def mark(match: re.Match[str]) -> str:
        start, name = match["start"] or "", match["named"] or match["bare"] or match["odd"] or match["line"]
        return start + code.get(_name(name), name)

    return _names(labels).sub(mark, text.translate(STYLE))


def _name(text: str) -> str:
    return " ".join(text.casefold().split())


@cache
def _names(labels: tuple[str, ...]) -> re.Pattern[str]:
    """The names of options; articles, pronouns and numbers only where an option is meant."""
    by_label = {label: r"\s+".join(map(re.escape, label.split())) for label in sorted(labels, key=len)[::-1]}
    odd = [name for label, name in by_label.items() if label.casefold() in ("a", "i") or label.isdigit()]
    bare = [name for name in by_label.values() if name not in odd]
    every, odd, bare = ("|".join(names) or "(?!)" for names in (by_label.values(), odd, bare))
    after = r"(?:or|and|maybe|perhaps|possibly|with|to|choose|pick|select|take|play|say|not|over|than|answer:|choice:)"
    return re.compile(
        rf"(?<!\w)(?<!\w')(?:option\s+(?P<named>{every})|(?P<bare>{bare}))(?!\w)"
        rf"|(?P<start>\b{after}\s+|[/&|]\s*)(?P<odd>{odd})(?=[^\S\n]*(?:[],;:!?)/&|]|\.(?!\d)|$))"
        rf"|^(?P<line>{odd})(?=[.!]?$)",
        re.IGNORECASE | re.MULTILINE,
    )
