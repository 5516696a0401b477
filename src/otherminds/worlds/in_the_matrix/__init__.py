"""Running With Scissors and Prisoner's Dilemma *in the matrix*: gather, then duel.

Avatars collect resources; a beam that hits another ready avatar resolves one
matrix game between what the two have collected (Melting Pot 2.4.1, Agapiou et al. 2022).

``rules`` has the substrates as data, ``plain`` their dynamics to be read,
``_kernel`` the same compiled, ``state`` the arrays both speak, ``world`` the
PettingZoo face, ``batch`` the face for learning.
"""
