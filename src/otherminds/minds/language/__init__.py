"""Minds that use a language model.

``strategy`` has the mind, and what all prompting strategies share; the strategies are in
``strategies``. A strategy uses a world's verbalizer alone, so it runs in every world.
"""
