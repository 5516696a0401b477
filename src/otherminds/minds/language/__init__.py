"""Minds that put a language model to work.

``mind`` holds what every prompting strategy shares; each strategy is one file in
``strategies``. A strategy speaks only to the telling, so it runs in every world.
"""
