"""Hints in errors about unknown names: ``did you mean ...?``, and how to install a missing package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

MOST = 3  # suggestions in a message
SHORTEST_PART = 4  # letters: a shorter name is part of too many others


def did_you_mean(name: str, names: Iterable[str], other_names: Mapping[str, str] | None = None) -> str:
    """The end of an error message: the names most like an unknown one, or nothing.

    ``other_names`` gives the name used here for a name of another library.

    >>> did_you_mean("page_rank", ["pagerank", "katz"])
    '; did you mean pagerank?'
    >>> did_you_mean("alpha", ["damping", "tol"], {"alpha": "damping"})
    '; did you mean damping?'
    >>> did_you_mean("xyz", ["pagerank", "katz"])
    ''
    """
    from difflib import get_close_matches  # late: most programs never see an error

    names = sorted(names)
    known = (other_names or {}).get(name)
    alike = [known] if known in names else []
    alike += [other for other in get_close_matches(name, names, MOST, 0.75) if other != known]
    if len(name) >= SHORTEST_PART:
        alike += [other for other in names if name.lower() in other.lower() and other not in alike]
    alike = alike or get_close_matches(name, names, 1, 0.6)
    return f"; did you mean {' or '.join(alike[:MOST])}?" if alike else ""


def no_attribute(module: str, name: str, names: Iterable[str], hint: str = "") -> AttributeError:
    """The error of a module's ``__getattr__``; ``hint`` replaces the suggestion.

    >>> no_attribute("grblas_gpu", "Matirx", ["Matrix", "Vector"])
    AttributeError("module 'grblas_gpu' has no attribute 'Matirx'; did you mean Matrix?")
    """
    if not hint and not name.startswith("_"):
        hint = did_you_mean(name, names)
    # obj=None: otherwise Python appends a suggestion of its own to the traceback
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name, obj=None)


def public_only(module: dict[str, Any], hint: Callable[[str], str] | None = None) -> list[str]:
    """Let ``dir()`` of a module list ``__all__`` alone; suggest one of these names, or ``hint``, for an unknown one.

    Without ``__all__``, it is all names of a package without an underscore, but for those of its modules; returns it.
    The functions are set here, since type checkers would accept every name of a module with a ``__getattr__``.
    """

    if "__all__" not in module:
        names = (name for name, value in module.items() if not isinstance(value, ModuleType))
        module["__all__"] = sorted(name for name in names if not name.startswith("_"))

    def __getattr__(name: str) -> NoReturn:
        raise no_attribute(module["__name__"], name, module["__all__"], hint(name) if hint else "")

    module["__dir__"] = lambda: sorted(module["__all__"])
    module["__getattr__"] = __getattr__
    return module["__all__"]


def needed(module: str, caller: str, install: str = "") -> ModuleType:
    """Import an optional package, or raise an ImportError that says which function needs it and how to install it.

    >>> needed("absent", "io.to_absent", "absent-py")
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: io.to_absent needs absent, which is not installed: pip install absent-py
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is installed; one of its dependencies is missing
        said = f"{caller} needs {package}, which is not installed: pip install {install or package}"
        raise ModuleNotFoundError(said, name=error.name) from None


#: How to make a Matrix or a Vector of objects, by the package that defines their type.
CONVERSIONS = {
    "networkx": ("io.from_networkx(G)", ""),
    "scipy": ("io.from_scipy_sparse(S)", ""),
    "cupyx": ("io.from_scipy_sparse(S)", ""),
    "pandas": ("io.from_pandas_edgelist(table).matrix", "Vector.from_dense(series)"),
    "graphblas": ("io.from_graphblas(A)", "io.from_graphblas(v)"),
    "torch": ("io.from_torch(tensor)", "io.from_torch(tensor)"),
    "sparse": ("io.from_pydata_sparse(S)", "io.from_pydata_sparse(S)"),
    "awkward": ("io.from_awkward(array)", "io.from_awkward(array)"),
    **dict.fromkeys("numpy cupy list tuple".split(), ("Matrix.from_dense(values)", "Vector.from_dense(values)")),
    "dict": ("Matrix.from_dicts(values)", "Vector.from_dict(values)"),
}


def type_text(x: object) -> str:
    """The type of an object as users know it, with the package that it comes from.

    >>> import networkx as nx
    >>> type_text(nx.Graph()), type_text([1])
    ('networkx Graph', 'list')
    """
    package = type(x).__module__.partition(".")[0]
    return type(x).__name__ if package in ("builtins", "grblas_gpu") else f"{package} {type(x).__name__}"


def conversion(x: object, kind: str = "Matrix") -> str:
    """The call that makes a Matrix or Vector of such an object, or nothing if there is none.

    >>> import numpy as np
    >>> conversion(np.eye(2)), conversion({0: 1.5}, "Vector"), conversion(3.5)
    ('Matrix.from_dense(values)', 'Vector.from_dict(values)', '')
    """
    package = type(x).__module__.partition(".")[0]
    calls = CONVERSIONS.get(type(x).__name__ if package == "builtins" else package, ("", ""))
    return calls[kind == "Vector"]
