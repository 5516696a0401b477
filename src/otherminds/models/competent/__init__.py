"""A stand-in for a language model of known ability, for the prompts of minds that reason in several steps.

``model`` opens it and answers forms; ``forced`` answers the forced choices of matrix games.
``parsing`` reads the prompt, ``strategies`` has executable sentences about others, ``situation``
and ``choosing`` decide, ``planning`` and ``kitchen`` plan with skills.
"""
