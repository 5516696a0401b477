"""A stand-in for a language model of known ability: it answers the prompts of minds that reason in steps.

It reads the prompt and nothing else (:mod:`.parsing`), keeps its ideas of others as
sentences that it can run (:mod:`.strategies`), weighs what to do (:mod:`.choosing`),
plans with skills (:mod:`.planning`, :mod:`.kitchen`), and answers key by key what the
form at the end of the prompt asks for (:mod:`.answers`), or with an option where a
matrix game forces a choice (:mod:`.forced`); :mod:`.model` opens it.
"""
