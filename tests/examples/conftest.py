"""The tests of the example package itself are collected where it can be imported: see ``test_add_a_world.py``."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("hide_and_seek") else ["promises_of_hide_and_seek.py"]
