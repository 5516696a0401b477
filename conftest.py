"""Modules that need an extra are left alone where it is not installed; every test has a limit, every run a cost."""

from importlib.util import find_spec

collect_ignore_glob = [
    files
    for package, files in (
        ("inspect_ai", "src/otherminds/bridges/inspect_*.py"),
        ("jax", "src/otherminds/gridworlds/learning/*.py"),
        ("jax", "tests/gridworlds/learning/test_*.py"),
    )
    if not find_spec(package)
]
pytest_plugins = ["tests.timing"]
