"""Matrix games *in the matrix*: gather, then duel.

Avatars collect resources; a beam that hits another ready avatar resolves one
matrix game between what the two have collected (Melting Pot 2.4.1, Agapiou et al. 2022).

``substrates`` has a file for each, ``form`` their keys, ``rules`` what is read of them and the arrays of their state, ``_kernel``
their dynamics, compiled, ``world`` the PettingZoo environment.
"""
