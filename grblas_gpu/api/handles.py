"""The objects of a recorded function: formal objects for its arguments, and the objects that each call creates."""

from __future__ import annotations

from typing import Any, NoReturn

from ..backends.stores.storage import VectorStore
from ..exceptions import LoopError, user_place
from ..foundation.types import Handle, Store, Tensor, Value
from ..ir.recording import Count, refuse
from .scalar import Scalar
from .sizes import Shape


class _Unknown:
    """The store of a formal object while a function is recorded."""

    def __init__(self, name: str) -> None:
        self.__dict__["of"] = name

    def __getattr__(self, name: str) -> NoReturn:
        refuse(f"a look at the entries of {self.of}")
        raise AttributeError(name)


def formal(given: Any, shape: Shape) -> Any:
    """A handle with the type of the given one and this shape, without contents."""
    formal = object.__new__(type(given))
    formal.dtype, formal.name, formal._engine = given.dtype, given.name, given._engine
    if formal.ndim == 0:
        formal._is_cscalar, formal._content = given._is_cscalar, None
    else:
        formal._shape, formal._store = shape, _Unknown(given.name)
    return formal


def contents(made: Handle) -> Store | Value | None:
    """The contents of an object that a function created."""
    return made._store if made.ndim else made._content


def is_empty_list(initial: object) -> bool:
    """Whether these are the contents of a Vector without entries, for :func:`empty_list`."""
    return type(initial) is VectorStore and initial.kind == "sparse" and initial.nvals == 0


def empty_list(initial: VectorStore, size: int) -> VectorStore:
    """Another empty store: arrays without elements may be shared."""
    return VectorStore.known(size, initial.values, initial.indices, None, 0)


def begin(made: Handle, initial: Any) -> None:
    """Reset an object to the contents that the function created it with."""
    if made.ndim == 0:
        made._content = initial
    elif initial.nvals:
        made._store = made._engine.copy(initial)
    else:
        empty(made)


def empty(made: Tensor) -> None:
    """Give an object contents of its shape without entries."""
    make = made._engine.empty_vector if made.ndim == 1 else made._engine.empty_matrix
    made._store = make(*made.shape, made.dtype.np_type)


def same(made: Any) -> Any:
    """A new object with the contents of an object of the recording."""
    new = object.__new__(type(made))
    if made.ndim:
        new._begin(made._engine, made.dtype, made.shape, None)
        new._stored = made._stored
    else:
        new.dtype, new._engine, new.name = made.dtype, made._engine, f"s_{next(Scalar._name_counter)}"
        new._is_cscalar, new._content = made._is_cscalar, made._content
    return new


def give(target: Handle | Count, source: Any) -> None:
    """Give an object the contents of the object that represents it in the program."""
    if target is source or isinstance(target, Count):
        return
    if target.ndim:
        target._store = source._store
    else:
        target._content = source._content


class _Absent:
    """The contents of an object created in a body that may not have run."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> NoReturn:
        what = f"{self._name} is made in a body that may not have run: make it before, and change it with <<"
        raise LoopError(f"{user_place()}: {what}")


def withdraw(made: Any) -> None:
    """Make reading an object or a count an error: the body that creates it may not have run."""
    if isinstance(made, Count):
        made.is_lost = True
    elif made.ndim:
        made._store = _Absent(made.name)
    else:
        made._later, made._content = _Absent(made.name), None
        del made._content
