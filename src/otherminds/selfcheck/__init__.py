"""Tries the promises of the software on the user's machine: ``otherminds selfcheck``.

A check (:class:`~otherminds.selfcheck.check.Check`) has a promise in words, how it is tried, and a function that tries it: it
returns a figure, or raises an error that says how the promise was broken. Each check plays in a process and a folder of
its own, so that one that hangs or ends its process is one row of the table.
"""
