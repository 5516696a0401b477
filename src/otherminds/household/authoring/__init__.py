"""New household tasks: written by an author, checked, judged, calibrated, kept in a pool, and evolved.

Juneja et al. 2026, sections 4.2 to 4.4 and appendices F, G, K, L and M. Authors and judges are language models or scripts.
"""
