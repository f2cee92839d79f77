"""The lookup of operators by name: built-in ones are made from the tables on first use.

A *namespace* is a module such as ``grblas_gpu.unary`` or one of its parts (``numpy``, ``ss``, or a path of user-defined
names). Its ``__getattr__`` comes here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from ..config import config
from ..foundation.suggestions import no_attribute
from ..foundation.types import Operator, Udf
from .documented import OperatorModule

PACKAGE = __package__.rpartition(".")[0]
#: In this order: an operator shared by two kinds is the first one's in ``op``.
OP_KINDS = ("unary", "binary", "monoid", "semiring")
PARTS = ("numpy", "ss")
_HIDDEN = {"annotations"}


class OpPath:
    """A part of a user-defined dotted name."""

    def __init__(self, parent: OpPath | ModuleType | None, name: str) -> None:
        self._parent = parent
        self._name = name
        self._delayed: dict[str, Callable[[], Operator | None]] = {}

    def __getattr__(self, name: str) -> Operator | None:
        if name in self.__dict__.get("_delayed", ()):
            return self._delayed.pop(name)()
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._delayed})


class Namespace:
    """The names of one kind of operator, or of its ``numpy`` or ``ss`` part."""

    def __init__(self, kind: str, variables: dict[str, Any], part: str = "") -> None:
        self.kind = kind
        self.part = part
        self.variables = variables
        self.delayed: dict[str, Callable[[], Operator | None]] = {}
        if not part:
            sys.modules[variables["__name__"]].__class__ = OperatorModule

    def add_part(self, part: str) -> ModuleType:
        """A submodule that has no file of its own."""
        name = f"{PACKAGE}.{self.kind}.{part}"
        module = OperatorModule(name, f"The ``{part}`` operators of ``{self.kind}``.\n")
        namespace = Namespace(self.kind, module.__dict__, part)
        module.__dict__.update(
            _namespace=namespace, _delayed=namespace.delayed, __getattr__=namespace.find, __dir__=namespace.names
        )
        sys.modules[name] = module
        return module

    def find(self, name: str) -> Operator | None:
        if name in self.delayed:
            op = self.delayed.pop(name)()
            self.variables[name] = op
            return op
        if not name.startswith("__"):
            if self.kind == "op":
                op = _find_in_op(self.part, name)
            else:
                op = builtin(self.kind, f"{self.part}.{name}" if self.part else name)
            if op is not None:
                if self.part != "numpy":  # there it depends on a setting
                    self.variables[name] = op
                return op
        in_c = self.part == "ss" and name == "register_new"
        hint = "; SuiteSparse's compiler of C is not here: register a Python function with register_new" if in_c else ""
        raise no_attribute(self.variables["__name__"], name, () if name.startswith("_") else self.names(), hint)

    def has(self, name: str) -> bool:
        return name in self.variables or name in self.delayed or name in self.builtin_names()

    def builtin_names(self) -> set[str]:
        if self.kind == "op":
            return {name for kind in OP_KINDS for name in _tables.names(kind, self.part)}
        return _tables.names(self.kind, self.part)

    def names(self) -> list[str]:
        """The names that ``dir`` lists: operators and functions that register them, without imported names."""
        own = {name for name, value in self.variables.items() if not isinstance(value, type) and name not in _HIDDEN}
        return sorted({*own, *self.delayed, *self.builtin_names()})


def namespace(
    kind: str, variables: dict[str, Any], cls: Any, from_string: Udf | None = None, names: str = ""
) -> Namespace:
    """Make a module the namespace of its operators; ``names`` are public ones that it defines itself."""
    found = Namespace(kind, variables)
    parts = PARTS if kind in (*OP_KINDS, "op") else ("ss",)
    public: dict[str, object] = {part: found.add_part(part) for part in parts}
    if from_string is not None:
        public["from_string"] = from_string
    if hasattr(cls, "register_new"):
        public |= {"register_new": cls.register_new, "register_anonymous": cls.register_anonymous}
    variables |= {"_delayed": found.delayed, "__getattr__": found.find, "__dir__": found.names}
    variables.update(public, __all__=sorted([*public, *names.split()]))
    return found


class Tables(NamedTuple):
    """Functions that read the tables of built-in operators."""

    names: Callable[[str, str], set[str]]  # of a kind, and of a part of its namespace
    canonical: Callable[[str, str], str | None]  # an operator's own name
    build: Callable[[str, str], Operator]
    may_be_mapped: Callable[[str, str], bool]  # to a GraphBLAS operator, if the setting says so
    build_unmapped: Callable[[str, str], Operator]


_tables: Tables
_builtins: dict[tuple[str, str], Operator] = {}
_unmapped: dict[tuple[str, str], Operator] = {}  # NumPy's functions, as they are with ``mapnumpy=False``


def define_builtins(tables: Tables) -> None:
    """Operators are made of tables, and found here by their names."""
    global _tables
    _tables = tables


def builtin(kind: str, name: str) -> Any:
    """The built-in operator of this (perhaps dotted) name, or None."""
    if not config["mapnumpy"] and _tables.may_be_mapped(kind, name):
        return unmapped(kind, name)
    key = kind, name
    if key not in _builtins:
        standard = _tables.canonical(kind, name)
        if standard is None:
            return None
        if standard != name:
            return builtin(kind, standard)
        return _builtins.setdefault(key, _tables.build(kind, name))  # two threads get the same object
    return _builtins[key]


def unmapped(kind: str, name: str) -> Any:
    """The operator of a NumPy name that is NumPy's function, not GraphBLAS's operator of the same meaning."""
    key = kind, name
    return _unmapped[key] if key in _unmapped else _unmapped.setdefault(key, _tables.build_unmapped(kind, name))


def is_standard(op: Operator) -> bool:
    key = op._modname, op.name
    return _builtins.get(key) is op or _unmapped.get(key) is op


def _find_in_op(part: str, name: str) -> Operator | None:
    for kind in OP_KINDS:
        module = getattr(namespace_module(kind), part, None) if part else namespace_module(kind)
        if module is not None and module.__dict__["_namespace"].has(name):
            return getattr(module, name)
    return None


def namespace_module(kind: str) -> ModuleType:
    return sys.modules[f"{PACKAGE}.{kind}"]


def find(kind: str, name: str) -> Any:
    """The operator of this (perhaps dotted) name, built in or user-defined, or None."""
    found: object = namespace_module(kind)
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


def has(place: OpPath | ModuleType, name: str) -> bool:
    namespace = place.__dict__.get("_namespace")
    if namespace is not None:
        return namespace.has(name)
    return name in place.__dict__ or name in place._delayed


def _place(kind: str, name: str, *, make: bool) -> tuple[OpPath | ModuleType, str]:
    """The namespace in which the last part of a dotted name lives, and that part."""
    *path, last = name.split(".")
    place: OpPath | ModuleType = namespace_module(kind)
    where = kind
    for part in path:
        where = f"{where}.{part}"
        if not has(place, part):
            if not make:
                return OpPath(None, part), last
            setattr(place, part, OpPath(place, part))
        place = getattr(place, part)
        if not isinstance(place, OpPath | ModuleType):
            raise AttributeError(f"{where} is already defined. Cannot use as a nested path.")
    return place, last


def check_free(kind: str, name: str) -> None:
    place, last = _place(kind, name, make=False)
    if has(place, last):
        raise AttributeError(f"{kind}.{name} is already defined")


def install(kind: str, name: str, op: Operator, in_op: bool = True) -> None:
    """Add an operator to its namespace, and to ``op`` if the name is free there."""
    place, last = _place(kind, name, make=True)
    setattr(place, last, op)
    if in_op:
        place, last = _place("op", name, make=True)
        if not has(place, last):
            setattr(place, last, op)


def install_lazy(kind: str, name: str, make: Callable[[], Operator | None], in_op: bool = True) -> None:
    place, last = _place(kind, name, make=True)
    place._delayed[last] = make
    if in_op:
        place, last = _place("op", name, make=True)
        if not has(place, last):
            place._delayed[last] = lambda: find(kind, name)


def remove(kind: str, name: str) -> None:
    place, last = _place(kind, name, make=False)
    delattr(place, last)
