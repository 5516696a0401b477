"""The judge council: language models that score a task by eight criteria, beside what is proved about it.

``criteria`` has the rubrics, ``prompt`` what a judge reads, ``reading`` how its reply is read, ``rules`` when a task is
accepted, ``council`` the calls, and ``beside`` the comparison with proofs. Juneja et al. 2026, section 4.3, appendices G and I.
"""
