"""The library of predictors: what a partner may be doing, as executable hypotheses.

One file a family, found by its decorator. It is what a mind believes possible
beforehand; who is really met lives in :mod:`otherminds.games.partners`, and the two
share nothing.
"""
