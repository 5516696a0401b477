"""Minds that use a language model.

``mind`` has what all prompting strategies share; each strategy is one file in
``strategies``. A strategy uses a world's verbalizer alone, so it runs in every world.
"""
