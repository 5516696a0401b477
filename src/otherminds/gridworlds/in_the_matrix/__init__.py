"""Running With Scissors and Prisoner's Dilemma *in the matrix*: gather, then duel.

Avatars collect resources; a beam that hits another ready avatar resolves one
matrix game between what the two have collected (Melting Pot 2.4.1, Agapiou et al. 2022).

``rules`` has the substrates as data, ``plain`` their dynamics in plain Python, ``_kernel`` the same compiled,
``state`` the arrays of both, ``world`` the PettingZoo environment, ``batch`` the batched one.
"""
