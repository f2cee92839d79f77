"""Docstrings that are made of the tables when they are read, so that an import does not wait for them."""

from __future__ import annotations

from types import ModuleType

from ..foundation.types import Operator


class _OwnDoc:
    """``__doc__`` of a class of operators: its own text; of an operator: its meaning."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def __get__(self, op: Operator | None, owner: type | None = None) -> str | None:
        if op is None:
            return self._text
        from .meanings import description

        return description(op)


class Documented:
    """A base of classes whose instances each have a docstring.

    >>> from grblas_gpu import binary
    >>> binary.minus.__doc__.splitlines()[0]
    'binary.minus: x - y.'
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        type.__setattr__(cls, "__doc__", _OwnDoc(cls.__dict__.get("__doc__")))


class OperatorModule(ModuleType):
    """A namespace of operators: ``help`` of it lists them with their meaning."""

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        from .meanings import listing

        namespace = self.__dict__["_namespace"]
        names = sorted(namespace.builtin_names() - {"numpy", "ss"})
        ops = ((name, getattr(self, name)) for name in names)
        return f"{self.__dict__['__doc__']}\n{listing(namespace.kind, ops)}\n"
