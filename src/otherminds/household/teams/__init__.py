"""Cheap teams: a rule for talking and a rule for acting, and none with a model of its partners.

No rule depends on what a particular partner knows, needs or may do. A member knows its own secrets, observations and
messages, and who told it something; it may speak about itself, and ask all for something. A task that such teams solve
does not show that an agent uses what it knows about others.
"""
