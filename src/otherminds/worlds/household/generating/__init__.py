"""The generator of household tasks: a draft of a pattern, its task, and the verdicts that keep or reject it."""
