"""Stage games, partner automata and exact plans.

``named/`` has the games with names and ``partners/`` the partner families, one file each. A
partner acts on behaviours, so it plays in matrix games and gridworlds. All exact plans (best
responses, blind plans, belief plans) use one dynamic programme, :mod:`.planning`.
"""
