"""Tries the promises of the software on the user's machine: ``otherminds selfcheck``.

A check is a function (:data:`~otherminds.selfcheck.trial.Check`): the first paragraph of its docstring is the promise, the
second one says how it is tried. It returns a figure, or raises an error that says how the promise was broken. Each
check plays in a process and a folder of its own, so that one that hangs or ends its process is one row of the table.
"""
