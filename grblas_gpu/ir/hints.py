"""Options of SuiteSparse, ``w(nthreads=4) << ...``: checked, without effect, and reported by the trace."""

from __future__ import annotations

_METHODS = ("default", "dot", "gustavson", "hash", "saxpy")
_COMPRESSIONS = ("default", "lz4", "lz4hc", "none", "zstd")
#: The values of an option; an option with an empty list takes a number.
HINTS: dict[str, tuple[object, ...]] = {
    "axb_method": _METHODS,
    "chunk": (),
    "compression": _COMPRESSIONS,
    "compression_level": (),
    "gpu_id": (),
    "nthreads": (),
    "secure_import": (False, True),
    "sort": (False, True),
}


def take_hints(options: dict[str, object]) -> tuple[dict[str, object], str]:
    """The options with an effect here, and the others as text.

    >>> take_hints({"direction": "pull", "nthreads": 4, "sort": None})
    ({'direction': 'pull'}, 'nthreads=4')
    """
    names = [name.lower() for name in options]  # SuiteSparse's names are matched in the same way
    if len(set(names)) < len(names):
        raise ValueError(f"Duplicate descriptor keys: {', '.join(options)}")
    options = dict(zip(names, options.values(), strict=True))
    given = {name: value for name, value in options.items() if name in HINTS and value is not None}
    for name, value in given.items():
        choices = HINTS[name]
        if choices and value not in choices:
            known = ", ".join(map(repr, choices))
            raise ValueError(f"Invalid value for {name!r} descriptor option: {value!r}. Must be one of {known}")
        if not choices and not isinstance(value, int | float):
            raise ValueError(f"Invalid value for {name!r} descriptor option: {value!r}. Must be a number")
    ours = {name: value for name, value in options.items() if name not in HINTS}
    return ours, ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not False)
