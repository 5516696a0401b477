"""Collaborative cooking in two rooms: tomatoes into a pot, the soup into a dish, the dish to the hatch.

Every soup delivered rewards every player (Melting Pot 2.4.1, Agapiou et al. 2022).

``rules`` has the substrate as data, ``plain`` its dynamics in plain Python, ``_kernel``
the same compiled, ``state`` the arrays of both, ``views`` the observations, ``acts`` the
behaviours, ``world`` the PettingZoo environment, ``batch`` the batched one.
"""
