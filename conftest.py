"""What cannot be imported here is not run: doctests of modules that need CuPy are not collected, and on Python 3.14,
for which SuiteSparse:GraphBLAS 9 has no wheels, files that compare with python-graphblas are skipped, with the reason.
Any other failing import is an error.
"""

import ast
import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent


def _needs_cupy(path: Path) -> bool:
    module = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name == "cupy"
    return False


#: They import python-graphblas at once.
_COMPARING = ("graphblas", "pairs", "benchmarks.cases_cpu")


def _needs_graphblas(path: Path) -> bool:
    names: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
    return not names.isdisjoint(_COMPARING)


_without_graphblas: set[Path] = set()
if sys.version_info >= (3, 14) and importlib.util.find_spec("suitesparse_graphblas") is None:
    _without_graphblas = {path for path in (_ROOT / "tests").rglob("test_*.py") if _needs_graphblas(path)}
    _without_graphblas.add(_ROOT / "grblas_gpu/io/python_graphblas.py")  # whose examples convert
_without_cupy = {path for path in (_ROOT / "grblas_gpu/backends").rglob("*.py") if _needs_cupy(path)}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if collection_path in _without_cupy else None


class _Skipped(pytest.File):
    """A file whose imports would fail: one skip, instead of its tests and examples."""

    def collect(self) -> Iterable[pytest.Item]:
        pytest.skip(f"{self.path.relative_to(_ROOT)} compares with python-graphblas, which cannot be installed here")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    collected = yield
    return [_Skipped.from_parent(parent, path=file_path)] if file_path in _without_graphblas else collected
