"""Modules that need an extra are left alone where it is not installed; every test has a limit, every run a cost."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("inspect_ai") else ["src/otherminds/bridges/inspect_*.py"]
pytest_plugins = ["tests.timing"]
