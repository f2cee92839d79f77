"""SuiteSparse's settings and thread contexts. ``nthreads`` limits the threads of the CPU engine, ``burble`` traces; the
others are stored without effect, so that programs that set them run.

None of them changes a result. Settings that request another way to compute (a GPU, a C
compiler) raise an error that names the alternative.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from ...exceptions import InvalidValue
from ...foundation.threads import limit_threads, limit_threads_here
from ...foundation.types import Parts


class Facts(Mapping):
    """A read-only mapping of names to values."""

    def __init__(self, title: str, facts: Parts) -> None:
        self._title = title
        self._facts = facts

    def __getitem__(self, name: str) -> Any:
        return self._facts[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return "\n".join([f"{self._title}:", *(f"  {name}: {value!r}" for name, value in self.items())])


_COMPILED = "kernels are compiled by Numba and NVRTC; Python functions may be operators, see binary.register_new"
_INSTEAD = {"gpu_id": "use gb.set_backend('cuda'), and CUDA_VISIBLE_DEVICES", "jit_c_control": _COMPILED}
_CHOICES = {"format": ("by_row", "by_col")}


class Settings(Facts, MutableMapping):
    """SuiteSparse's settings.

    >>> from grblas_gpu import ss
    >>> ss.config["nthreads"] = 4
    >>> ss.config["nthreads"]
    4
    >>> ss.config["nthreads"] = None  # the default
    >>> ss.config["jit_c_control"] = "on"
    Traceback (most recent call last):
    ...
    ValueError: jit_c_control is 'off' here: kernels are compiled by Numba and NVRTC; ...
    """

    def __init__(self, title: str, facts: Parts, effects: Mapping[str, Callable[[Any], None]] | None = None) -> None:
        super().__init__(title, dict(facts))
        self._effects = effects or {}
        self._defaults = {name: value for name, value in facts.items() if name not in _INSTEAD}

    def __setitem__(self, name: str, value: object) -> None:
        name, now = name.lower(), self[name]
        if value is None and name not in self._defaults:
            raise ValueError(f"Unable to set default value for {name!r}")
        if value not in _CHOICES.get(name, (value,)) and value is not None:
            raise KeyError(f"Unknown value for {name}: {value!r}; one of {', '.join(_CHOICES[name])}")
        if name in _INSTEAD and value != now:
            raise ValueError(f"{name} is {now!r} here: {_INSTEAD[name]}")
        self._facts[name] = self._defaults[name] if value is None else value
        if name in self._effects:
            self._effects[name](self._facts[name])

    def __delitem__(self, name: str) -> None:
        raise TypeError("Configuration options can't be deleted.")


_OF_OBJECTS = {
    1: {"bitmap_switch": 0.04, "sparsity_control": {"auto"}, "sparsity_status": None},
    2: {
        "bitmap_switch": 0.06,
        "format": "by_row",
        "hyper_switch": 0.0625,
        "sparsity_control": {"auto"},
        "sparsity_status": None,
    },
}


class ObjectSettings(Settings):
    """``A.ss.config``: the settings of one object. ``A.ss.config["format"] = "by_col"`` makes the transpose now, which
    is kept beside the rows; the others are stored without effect.

    >>> from grblas_gpu import Matrix
    >>> A = Matrix.from_coo([0, 1], [1, 2], [5, 6])
    >>> A.ss.config["format"] = "by_col"
    >>> A.ss.config["format"], A.ss.config["sparsity_status"]
    ('by_col', 'sparse')
    """

    def __init__(self, parent: Any) -> None:
        kind = type(parent).__name__
        super().__init__(f"{kind}.ss.config", _OF_OBJECTS[parent.ndim])
        try:
            self._facts = parent._settings
        except AttributeError:
            parent._settings = self._facts
        self._parent = parent

    def __getitem__(self, name: str) -> Any:
        if name.lower() == "sparsity_status":
            store = self._parent._store
            return store.kind if self._parent.ndim == 1 else store.form
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: object) -> None:
        if name.lower() == "sparsity_status":
            raise ValueError("sparsity_status is read-only: the library chooses the format")
        super().__setitem__(name, value)
        if self["format" if self._parent.ndim == 2 else name] == "by_col":
            self._parent._store.transposed()


_ALONE = {"chunk": 0.0, "gpu_id": -1, "nthreads": 0}
_engaged = threading.local()


class Context(Settings):
    """``with gb.ss.Context(nthreads=4):`` as in python-graphblas: operations that this thread calls inside it use up to
    four threads, and new contexts inherit its values.

    Parameters
    ----------
    engage : bool
        Whether to activate the context now, until it is disengaged.
    stack : bool
        Whether to take omitted values from the active context.
    nthreads, chunk, gpu_id : int, optional
        The threads; ``chunk`` has no effect; ``gpu_id`` must be -1: no GPU.

    Examples
    --------
    >>> from grblas_gpu import ss
    >>> with ss.Context(nthreads=4):
    ...     ss.Context(engage=False)["nthreads"]
    4
    """

    def __init__(
        self,
        engage: bool = True,
        *,
        stack: bool = True,
        nthreads: object = None,
        chunk: object = None,
        gpu_id: object = None,
    ) -> None:
        super().__init__("Context", _ALONE, {"nthreads": lambda count: _limit()})
        below = (_contexts() or [global_context])[-1] if stack else self
        for name, value in {"nthreads": nthreads, "chunk": chunk, "gpu_id": gpu_id}.items():
            self[name] = below[name] if value is None else value
        if engage:
            self.engage()

    def engage(self) -> None:
        """Make this the active context of this thread."""
        if all(each is not self for each in _contexts()):  # by identity: contexts with the same values are equal
            _contexts().append(self)
        _limit()

    def disengage(self) -> None:
        """Deactivate this context; the one before is active again."""
        places = [place for place, each in enumerate(_contexts()) if each is self]
        if not places:
            raise InvalidValue("this context is not engaged")
        del _contexts()[places[0]]
        _limit()

    def dup(
        self, engage: bool = True, *, nthreads: object = None, chunk: object = None, gpu_id: object = None
    ) -> Context:
        """A context with the same values, except for the given ones."""
        given = {"nthreads": nthreads, "chunk": chunk, "gpu_id": gpu_id}
        values = {name: self[name] if value is None else value for name, value in given.items()}
        return Context(engage, stack=False, **values)

    def __enter__(self) -> Context:
        self.engage()
        return self

    def __exit__(self, *error: object) -> None:
        self.disengage()


def _contexts() -> list[Context]:
    """The contexts of this thread; the last one is active."""
    if not hasattr(_engaged, "stack"):
        _engaged.stack = []
    return _engaged.stack


def _limit() -> None:
    """The number of threads of the active context is that of this thread's operations."""
    limit_threads_here(_contexts()[-1]["nthreads"] if _contexts() else 0)


#: The context that is active if no other is engaged.
global_context = Context(engage=False, stack=False)
global_context._effects = {"nthreads": limit_threads}
