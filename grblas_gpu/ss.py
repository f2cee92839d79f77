"""``gb.ss``: python-graphblas's functions of SuiteSparse outside of objects: tiles, diagonals, settings.

>>> import grblas_gpu as gb
>>> gb.ss.concat([gb.Vector.from_dense([1, 2]), gb.Vector.from_dense([3])]).to_dense()
array([1, 2, 3])
"""

from __future__ import annotations

import sys

from .api.base import expect_type
from .api.matrix import Matrix, TransposedMatrix
from .api.scalar import Scalar
from .api.ss.settings import Context, Facts, Settings, global_context
from .api.ss.tiles import joined
from .api.vector import Vector
from .backends.registry import using
from .foundation.suggestions import public_only
from .foundation.threads import limit_threads
from .foundation.types import DTypeLike
from .ir.descriptor import descriptor_from_options
from .trace.records import Trace, trace
from .version import __version__

__all__ = [
    "Context",
    "about",
    "burble",
    "concat",
    "config",
    "diag",
    "fix_jit_config",
    "global_context",
    "jit_compiler_is_usable",
]
public_only(globals())


def concat(
    tiles: object, dtype: DTypeLike | None = None, *, name: str | None = None, **opts: object
) -> Matrix | Vector:
    """A Matrix of rows of tiles, or a Vector of Vectors and Scalars one after another.

    Parameters
    ----------
    tiles : list
        Lists of Matrices (Vectors and Scalars may be among them), a list for each row of tiles; or a list of Vectors
        and Scalars.
    dtype : dtype, optional
        The type of the values; by default that of the first tile.
    name : str, optional
        The name of the new object.
    **opts
        Options of the descriptor, such as ``nthreads``.

    Examples
    --------
    >>> from grblas_gpu import Matrix, ss
    >>> A = Matrix.from_dense([[1, 2]])
    >>> ss.concat([[A, A], [A, A]]).shape
    (2, 4)
    """
    descriptor_from_options(opts)
    return joined(tiles, dtype, name)


def diag(
    x: Matrix | Vector, k: int = 0, dtype: DTypeLike | None = None, *, name: str | None = None, **opts: object
) -> Vector | Matrix:
    """A diagonal of a Matrix as a Vector, or a Vector as a diagonal of a new Matrix.

    Parameters
    ----------
    x : Matrix or Vector
        The Matrix with the diagonal, or the Vector that becomes one.
    k : int
        Which diagonal: 0 is the main one, those above have positive numbers.
    dtype : dtype, optional
        The type of the values; by default their own.
    name : str, optional
        The name of the new object.
    **opts
        Options of the descriptor, such as ``nthreads``.

    Examples
    --------
    >>> from grblas_gpu import Vector, ss
    >>> ss.diag(Vector.from_dense([1, 2]), 1).to_dicts()
    {0: {1: 1}, 1: {2: 2}}
    """
    x = expect_type(sys.modules[__name__], x, (Matrix, TransposedMatrix, Vector), within="diag", argname="x")
    k = int(k.value if isinstance(k, Scalar) else k)
    dtype = x.dtype if dtype is None else dtype
    new: object
    with using(x.backend if x.ndim == 1 else x._engine.name):
        if x.ndim == 1:
            size = x._size + abs(k)
            new = Matrix(dtype, size, size, name=name)
        else:
            new = Vector(dtype, max(0, min(x._nrows + min(k, 0), x._ncols - max(k, 0))), name=name)
        new.ss.build_diag(x, k, **opts)
    return new


def fix_jit_config(**options: object) -> bool:
    """Whether SuiteSparse's compiler of C is usable: never, it is not here.

    Parameters
    ----------
    **options
        Without effect.
    """
    return False


jit_compiler_is_usable = fix_jit_config


def _switch_burble(on: object) -> None:
    burble.switch(bool(on))


config = Settings(
    "Settings",
    {
        "format": "by_row",
        "hyper_switch": 0.0625,
        "bitmap_switch": [0.04, 0.05, 0.06, 0.08, 0.1, 0.2, 0.3, 0.4],
        "nthreads": 0,
        "chunk": 65536.0,
        "burble": False,
        "print_1based": False,
        "gpu_id": -1,
        "jit_c_control": "off",
        "jit_use_cmake": False,
        **dict.fromkeys(f"jit_c_{name}" for name in "cmake_libs compiler_flags compiler_name libraries".split()),
        **dict.fromkeys(["jit_c_linker_flags", "jit_c_preface", "jit_cache_path", "jit_error_log"]),
    },
    {"nthreads": limit_threads, "burble": _switch_burble},
)
about = Facts(
    "About",
    {
        "api_about": "the interface of python-graphblas",
        "api_version": (2, 1, 0),
        "library_about": "GraphBLAS for Python, with engines of its own",
        "library_license": "Apache-2.0",
        "library_name": "grblas_gpu",
        "library_version": tuple(int(part) for part in __version__.split(".")),
        "mode": "blocking",
        "openmp": False,
    },
)


class Burble:
    """``with gb.ss.burble:`` prints the operations that ran, as ``gb.trace`` records them; ``gb.ss.config["burble"]``
    starts the same and prints at its end.

    >>> import grblas_gpu as gb
    >>> v = gb.Vector.from_dense([1, 2])
    >>> with gb.ss.burble:
    ...     v << v + v
    op ... output  ms ...
    ewise_add ...
    """

    def __init__(self) -> None:
        self._traces: list[Trace] = []
        self._is_on = False

    def switch(self, on: bool) -> None:
        """Begin, or end and print."""
        if on != self._is_on:
            self._is_on = on
            if on:
                self.__enter__()
            else:
                self.__exit__()

    def __enter__(self) -> Burble:
        self._traces.append(trace().__enter__())
        return self

    def __exit__(self, *exc: object) -> None:
        ended = self._traces.pop()
        ended.__exit__(*exc)
        print(ended)


burble = Burble()
