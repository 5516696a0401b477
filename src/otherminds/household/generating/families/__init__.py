"""The families of generated tasks: one module for each functional pattern of Juneja et al. 2026 (appendix F).

Each has a function ``draft`` that draws a draft for what is wanted; ``None`` if the house that was drawn does not allow it.
"""
