"""The same thing made again in another process, under another ``PYTHONHASHSEED``.

``python -m otherminds.testing.elsewhere FILE CLASS METHOD`` loads a test class by
the path of its file, makes an instance, calls a method and prints what it returns.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import reduce
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

HASH_SEEDS = ("1", "2")
"""Fixed, so that a check that finds something finds it every time."""


def load(file: str | Path) -> ModuleType:
    """The module in ``file``, loaded once a process, wherever it lies.

    Raises:
        ImportError: there is no Python file at that path.
    """
    path = Path(file).resolve()
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no Python file {path}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def elsewhere(case: object, method: str) -> list[str]:
    """What ``case.method()`` returns in one fresh process for each of :data:`HASH_SEEDS`.

    ``case`` is an instance of a class that can be reached by name in its module.

    Raises:
        AssertionError: a process failed; the text ends with its error.
    """
    kind = type(case)
    file = sys.modules[kind.__module__].__file__
    if file is None or "<locals>" in kind.__qualname__:
        raise AssertionError(
            f"class {kind.__qualname__!r} must stand at the top of a file, so that it can be made elsewhere"
        )
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "otherminds.testing.elsewhere", file, kind.__qualname__, method],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in HASH_SEEDS
    ]
    replies = [(child, *child.communicate()) for child in children]
    for child, _, errors in replies:
        if child.returncode:
            raise AssertionError(
                f"promised: {kind.__qualname__}.{method}() runs in another process; happened: {errors.strip()}"
            )
    return [out.strip() for _, out, _ in replies]


def main(arguments: list[str]) -> None:
    """Prints the value of METHOD of CLASS in FILE."""
    file, name, method = arguments
    kind: Any = reduce(getattr, name.split("."), load(file))
    print(getattr(kind(), method)())


if __name__ == "__main__":
    main(sys.argv[1:])
