"""What cannot be imported here is not collected: doctests of modules that need CuPy, and on Python 3.14, for which
SuiteSparse:GraphBLAS 9 has no wheels, the tests that compare with python-graphblas. Any other failing import is an
error.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from pathlib import Path

_ROOT = Path(__file__).parent


def _needs_cupy(path: Path) -> bool:
    module = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name == "cupy"
    return False


#: They import python-graphblas at once.
_COMPARING = ("graphblas", "pairs", "grblas_gpu.benchmarks.cpu_speed")


def _needs_graphblas(path: Path) -> bool:
    names: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
    return not names.isdisjoint(_COMPARING)


_without_graphblas: list[str] = []
if sys.version_info >= (3, 14) and importlib.util.find_spec("suitesparse_graphblas") is None:
    _without_graphblas = [str(path) for path in (_ROOT / "tests").rglob("*.py") if _needs_graphblas(path)]
    _without_graphblas.append(str(_ROOT / "grblas_gpu/io/python_graphblas.py"))  # whose examples convert
collect_ignore = [str(path) for path in (_ROOT / "grblas_gpu/backends").rglob("*.py") if _needs_cupy(path)]
collect_ignore += _without_graphblas


def pytest_report_header() -> str:
    if not _without_graphblas:
        return ""
    return f"left out, because python-graphblas cannot be installed here: {len(_without_graphblas)} files of tests"
