"""Stubs for the operators' namespaces, so that editors complete their names and type checkers find typing errors.

    python tools/make_stubs.py [FOLDER]

Operators are made from tables at their first use, which a type checker cannot see. setup.py runs this
program in every build, `make stubs` for an editor. It needs NumPy and the source tree, not an installed package.
"""

import inspect
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import grblas_gpu as gb  # noqa: E402
from grblas_gpu.operators.registry import OpPath  # noqa: E402

NAMESPACES = ("unary", "binary", "monoid", "semiring", "indexbinary", "indexunary", "select", "agg", "op")
HEAD = (
    "# Written by tools/make_stubs.py. Names that a program registers are not here: use what `register_new` returns.\n"
)


def stub(kind: str) -> str:
    """The text of grblas_gpu/<kind>.pyi."""
    module = getattr(gb, kind)
    own = [name for name in module._namespace.builtin_names() if not isinstance(getattr(module, name), OpPath)]
    classes: dict[str, set[str]] = {}
    body = [f"{name}: {type_of(getattr(module, name), classes)}" for name in sorted(own)]
    parts = []
    for part in ("numpy", "ss"):
        namespace = vars(module).get(part)
        if isinstance(namespace, ModuleType):
            names = sorted(namespace._namespace.builtin_names())
            lines = [f"    {name}: {type_of(getattr(namespace, name), classes)}" for name in names]
            parts.append("\n".join([f"class _{part}:", *(lines or ["    ..."])]) + f"\n\n{part}: _{part}\n")
    functions = [line for name, value in sorted(vars(module).items()) if (line := function(name, value, classes))]
    imports = [
        f"from {place} import {', '.join(f'{name} as {name}' for name in sorted(names))}"
        for place, names in sorted(classes.items())
    ]
    private = ["_namespace: Any", "_delayed: Any"]
    return "\n".join(
        [HEAD, "from collections.abc import Callable", "from typing import Any", "", *imports, "", *private, *functions]
        + ["", *body, "", "\n".join(parts)]
    )


def type_of(op, classes: dict[str, set[str]]) -> str:
    cls = type(op)
    place = cls.__module__
    classes.setdefault(place, set()).add(cls.__name__)
    return cls.__name__


def function(name: str, value, classes: dict[str, set[str]]) -> str:
    """A function of the namespace itself: how to register an operator, or to find one by a string."""
    if not callable(value) or isinstance(value, type) or name in ("_from_string", "_namespace_of"):
        return ""
    if name.startswith("__") or not (inspect.isfunction(value) or inspect.ismethod(value)):
        return ""
    result = "Any"
    if name.startswith("register") and inspect.ismethod(value):
        owner = value.__self__
        classes.setdefault(owner.__module__, set()).add(owner.__name__)
        result = owner.__name__
    return f"{name}: Callable[..., {result}]"


def write(folder: Path) -> None:
    """A stub that says the same already is left alone, so that type checkers keep what they know of it."""
    for kind in NAMESPACES:
        path, text = folder / f"{kind}.pyi", stub(kind)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "grblas_gpu")
