"""The grammar of free sentences about the household: which sentences tell which facts.

It covers what is stated outright, in the present, the past and the perfect, actively and passively. What
it does not cover whole is not understood: hedges, conditions, doubts, quotations and what others
are said to think have no rules, and so no meaning.
"""

from __future__ import annotations

from functools import cache

from otherminds.epistemic.words.free import building, lexicon
from otherminds.epistemic.words.free.acts import add_acts, add_passives
from otherminds.epistemic.words.free.parser import Grammar
from otherminds.epistemic.words.free.phrases import add_parts, add_phrases
from otherminds.epistemic.words.free.present import add_holding, add_knowing, add_present


@cache
def grammar() -> Grammar:
    """All rules; ``sentence`` is a whole one, and its value is the events that it tells."""
    made = Grammar()
    add_phrases(made)
    add_parts(made)
    add_present(made)
    add_holding(made)
    add_acts(made)
    add_passives(made)
    add_knowing(made)
    _add_joined(made)
    return made


def _add_joined(made: Grammar) -> None:
    """Clauses in a row, with what goes before and behind them."""
    made.words(
        "_sep",
        ",",
        ":",
        ";",
        ".",
        "-",
        ", then",
        *lexicon.JOINING,
        *(f", {word}" for word in lexicon.JOINING),
    )
    made.add("Clauses", "Clause")
    made.add("Clauses", "Clause _sep Clauses", building.joined)
    made.add("Clauses", "Clause , which _be _advs Parts", building.which)
    made.add("Clauses", "Clause which _be _advs Parts", building.which)
    made.add("Clauses", "Clause _sep _plan")
    made.words("_plan", "_doer _advs _modal _rest", "_modal _rest", "please _rest", "BID _rest")
    made.words("_plan", "_that _doer _modal _rest")
    made.words("_doer", "i", "you", "we", "it", "they", "AGENT", "Things", "somebody", "someone")
    made.words("_modal", *lexicon.MODALS, "_am _advs heading", "_am _advs going", "_am on my way")
    made.words("_rest", "PLAIN", "PLAIN _rest")
    made.words("_mark", ": -", ":", ",", "-", "!", ".", "")
    made.words("_opening", *lexicon.OPENINGS)
    made.words("_openings", "", "_opening _mark _openings", "AGENT , _openings")
    made.words("_openings", "- _openings", "_mod _mark _openings", "message to AGENT : _openings")
    made.words("_openings", "_opening AGENT _mark _openings")
    made.words("_closings", "", *(f", {text}" for text in lexicon.CLOSINGS), ", AGENT", "!", ", _adv")
    made.add("sentence", "_openings Clauses _closings")
    # Without "I", only where the verb's form cannot be a request.
    made.add("sentence", "_openings TELEGRAM Dids _closings", building.i_did)
    made.add("sentence", "_openings TELEGRAM Dids _sep Clauses", building.i_did)
    made.words("_quiet", *lexicon.SILENT, *lexicon.OPENINGS)
    made.words("nothing", "_quiet", "_quiet AGENT", "_quiet , AGENT", "_quiet _mark _quiet", value="nothing")
    made.words("nothing", "_openings _plan _closings", value="nothing")
    moving = (*lexicon.TURNING.values(), lexicon.PUTTING, lexicon.PICKING, lexicon.GOING, lexicon.SWITCHING)
    made.words("_acting", *(verb.doing for some in moving for verb in some), *lexicon.ACTING)
    made.words("nothing", "_openings i _am _advs _acting _rest _closings", value="nothing")
    made.words("nothing", "_openings REQUEST _rest _closings", value="nothing")
