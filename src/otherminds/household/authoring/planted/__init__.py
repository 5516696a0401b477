"""Faults planted into sound tasks, to measure what judges and checks catch: ``otherminds tasks judge --planted N``.

Each fault is a function in a module of this package, or of another distribution by the entry point
``otherminds.planted_faults``, that takes a sound task and returns the faulty one.
"""
