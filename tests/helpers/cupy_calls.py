"""The NumPy functions of our array code that CuPy 14.2 supports: names and arguments.

NumPy dispatches a call with a CuPy array to the function of the same name in CuPy, which may lack an argument, or be
missing. ``tests/project/test_cupy_calls.py`` compares this list with an installed CuPy. It leaves out ``all``, ``any``,
``array_equal``, ``bincount`` and ``count_nonzero``, for which CuPy compiles for more than a second at the first call:
``stores/counting.py`` does without.
"""

import inspect

FUNCTIONS = """
append(arr, values, axis=None)
arange(start, stop=None, step=None, dtype=None)
argsort(a, axis=None, kind=None)
array(obj, dtype=None, copy=None, order=None, subok=None, ndmin=None, *, blocking=None)
asarray(a, dtype=None, order=None, *, copy=None, blocking=None)
ascontiguousarray(a, dtype=None)
broadcast_to(array, shape)
concatenate(tup, axis=None, out=None, *, dtype=None, casting=None)
cumsum(a, axis=None, dtype=None, out=None)
diff(a, n=None, axis=None, prepend=None, append=None)
empty(shape, dtype=None, order=None)
empty_like(prototype, dtype=None, order=None, subok=None, shape=None)
flatnonzero(a)
full(shape, fill_value, dtype=None, order=None)
full_like(a, fill_value, dtype=None, order=None, subok=None, shape=None)
isin(element, test_elements, assume_unique=None, invert=None)
lexsort(keys)
may_share_memory(a, b, max_work=None)
ndim(a)
nonzero(a)
ones(shape, dtype=None, order=None)
ones_like(a, dtype=None, order=None, subok=None, shape=None)
packbits(a, axis=None, bitorder=None)
repeat(a, repeats, axis=None)
searchsorted(a, v, side=None, sorter=None)
shape(a)
sort(a, axis=None, kind=None)
stack(tup, axis=None, out=None, *, dtype=None, casting=None)
sum(a, axis=None, dtype=None, out=None, keepdims=None)
tile(A, reps)
unique(ar, return_index=None, return_inverse=None, return_counts=None, axis=None, *, equal_nan=None)
unpackbits(a, axis=None, bitorder=None)
where(condition, x=None, y=None)
zeros(shape, dtype=None, order=None)
zeros_like(a, dtype=None, order=None, subok=None, shape=None)
"""
#: Attributes of NumPy's arrays that CuPy's lack.
NO_ATTRIBUTES = frozenset("ctypes getfield resize setfield setflags to_device".split())
SLOW = frozenset(("all", "any"))  # methods for which CuPy compiles for more than a second
FROM_THE_HOST = ("array", "asarray")  # they copy an array of the host to the device


def _signature(line: str) -> tuple[str, inspect.Signature]:
    name = line.partition("(")[0]
    scope = {}
    exec(f"def {line}: pass", scope)
    return name, inspect.signature(scope[name])


SIGNATURES = dict(map(_signature, FUNCTIONS.split("\n")[1:-1]))


def check(name: str, args, kwargs, is_array) -> None:
    """Raise CuPy's error for unknown arguments; ``is_array`` identifies its arrays."""
    if name not in SIGNATURES:
        raise TypeError(f"numpy.{name} of a CuPy array: not listed as supported by CuPy (cupy_calls.py)")
    SIGNATURES[name].bind(*args, **kwargs)
    if name == "lexsort" and not is_array(args[0]):
        raise AttributeError(f"{type(args[0]).__name__!r} object has no attribute 'ndim'")
    if name == "searchsorted" and not (is_array(args[0]) and (is_array(args[1]) or isinstance(args[1], int | float))):
        raise NotImplementedError("Only python scalars or ndarrays are supported for v")
    if name in ("sort", "argsort") and kwargs.get("kind") not in (None, "stable"):
        raise ValueError("kind can only be None or 'stable'")
