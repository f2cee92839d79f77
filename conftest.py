"""Leaves the doctests of modules that need CuPy alone where there is none; any other failing import is an error."""

from __future__ import annotations

import importlib
from pathlib import Path

_ROOT = Path(__file__).parent


def _needs_cupy(path: Path) -> bool:
    module = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name == "cupy"
    return False


collect_ignore = [str(path) for path in (_ROOT / "grblas_gpu/backends").rglob("*.py") if _needs_cupy(path)]
