"""Modules that need an extra are left alone where it is not installed; compiled tests are kept for the next run."""

import os
import sys
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("inspect_ai") else ["src/otherminds/bridges/inspect_*.py"]

# To compile all tests with their assertions anew takes longer than to import them, in each worker and process.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
