"""Stage games, partner automata and exact plans.

``registry`` has the named games, ``partners/`` the partner families, one file each. A partner acts on
behaviours, so it plays in matrix games and gridworlds. All exact plans (best responses, blind plans,
belief plans) use one dynamic programme, in :mod:`.best_response`.
"""
