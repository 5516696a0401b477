"""Common goods and other people's coins: Coins, Commons Harvest (open, closed, partnership), Clean Up.

Avatars collect what grows in the open; what one takes, others lose or miss (Melting Pot 2.4.1, Agapiou et al. 2022).
The substrates differ in what grows, and by which law: coins by chance, apples by the number of apples near them, apples by
the cleanness of a river.

``rules`` has the substrates as data and the arrays of their state, ``_kernel`` the step of all of them, compiled, with
``_growth`` the laws; ``views`` the observations, ``world`` the PettingZoo environment, ``partners`` the scripted partners.
"""
