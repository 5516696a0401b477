"""Collaborative cooking in two rooms: tomatoes into a pot, the soup into a dish, the dish to the hatch.

Everyone is paid for every soup that anyone delivers (Melting Pot 2.4.1, Agapiou et al. 2022).

``rules`` has the substrate as data, ``plain`` its dynamics to be read,
``_kernel`` the same compiled, ``state`` the arrays both speak, ``views`` what is
seen of them, ``acts`` what was done as behaviours, ``world`` the PettingZoo face,
``batch`` the face for learning; ``trace`` and ``follow`` compare the rules with
recordings of the real substrate.
"""
