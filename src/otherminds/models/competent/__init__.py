"""A stand-in for a language model of known ability, for the prompts of minds that reason in several steps.

``model`` opens it, and answers forms and the forced choices of matrix games. ``parsing`` reads the
prompt, ``strategies`` has executable sentences about others and finds the best one, ``situation``
decides, ``planning`` plans with skills.
"""
