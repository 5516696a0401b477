"""The strategic skeleton under a world: stage games, partner automata, exact plans.

``named/`` holds the games that are known by name and ``partners/`` the partner
families, one file each. A partner written here plays in the matrix and in the
grid alike, because it acts on behaviours. Everything exact (best responses,
blind plans, belief plans) is one dynamic programme, in :mod:`.planning`.
"""
