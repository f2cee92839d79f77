"""Settings, in the spelling of python-graphblas: ``config.get("autocompute")``, ``config.set(autocompute=False)``."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NoReturn

from .foundation.caches import Size, sizes
from .foundation.suggestions import did_you_mean

_FLAG = (True, False)
#: The values of every setting; the first is the default. ``Config`` documents them.
_CHOICES: dict[str, tuple[object, ...]] = {
    "autocompute": _FLAG,
    "compile": ("auto", "background", "wait", "quick"),
    "loops": ("auto", "recorded", "iterated"),
    "mapnumpy": _FLAG,
    "progress": _FLAG,
    "read_limit": (None, int),
    "spill": ("auto", "never"),
}
_ENVIRONMENT = "GRAPHBLAS_"  # as in python-graphblas: GRAPHBLAS_AUTOCOMPUTE=False
_MISSING = object()


class Config(dict):
    """A small dictionary of settings; ``set`` also works as a context manager, and takes a dictionary or keywords.

    - ``autocompute``: whether expressions compute themselves where an object is needed.
    - ``compile``: what calls wait for while a loop or a kernel is compiled. ``"wait"``: its optimized code.
      ``"background"``: on a CPU for nothing, NumPy does the work; on a GPU for a kernel that compiles in a third of the
      time and is slower. The optimized code takes over when it is ready. ``"quick"``: always that slower kernel, on a
      GPU. ``"auto"``: ``"background"``.
    - ``loops``: ``"auto"`` (or ``"recorded"``) records loops, for the engine to run them as a whole, ``"iterated"``
      does not.
    - ``mapnumpy``: whether names under ``.numpy`` are GraphBLAS's own operators where they mean the same; otherwise
      they are NumPy's functions, with the types that Numba finds.
    - ``progress``: whether long computations show their progress, on terminals and in notebooks.
    - ``read_limit``: the bytes of memory that a file may request; None: about as much as its content can fill.
    - ``spill``: whether arrays that do not fit on a device lie in the host's memory (``"auto"``), or raise OutOfMemory.

    The environment sets them before the first import: ``GRAPHBLAS_AUTOCOMPUTE=False``.

    >>> from grblas_gpu import config
    >>> with config.set(autocompute=False):
    ...     config.get("autocompute")
    False
    >>> with config.set({"autocompute": False}):
    ...     config["autocompute"]
    False
    >>> config.get("autocompute")
    True
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        super().__init__()
        self.refresh()

    def __missing__(self, name: object) -> NoReturn:
        raise _unknown(name)

    def __setitem__(self, name: str, value: object) -> None:
        self.set({name: value})

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_environment":
            raise AttributeError(f"settings are no attributes: use config.set({name}=...) and config[{name!r}]")
        super().__setattr__(name, value)

    def get(self, name: str, default: object = _MISSING) -> Any:
        """A setting; an unknown name raises a KeyError unless ``default`` is given.

        Parameters
        ----------
        name : str
            The setting: ``"autocompute"``, ``"compile"``, ``"loops"``, ``"mapnumpy"``, ``"progress"``,
            ``"read_limit"`` or ``"spill"``. ``"a.b"`` reads a dictionary that a program keeps here.
        default : any, optional
            The result for any other name.
        """
        value: Any = self
        for part in name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                if default is _MISSING:
                    raise _unknown(name)
                return default
            value = value[part]
        return value

    def set(self, settings: Mapping[str, object] | None = None, /, **keywords: object) -> _Restore:
        """Change settings permanently, or for a ``with`` block; if one is wrong, none changes.

        Settings of other names are kept for the program that sets them; a name like one of ours is a mistake.

        They are ``autocompute``, ``compile``, ``loops``, ``mapnumpy``, ``progress``, ``read_limit`` and
        ``spill``; ``help(gb.config)`` says what they mean.

        Parameters
        ----------
        settings : dict, optional
            Settings by their names.
        **keywords : any
            The same as keywords; these win.

        Raises
        ------
        KeyError
            The name is like that of a setting, but wrong.
        ValueError
            The setting cannot have this value.
        """
        changes = _checked({**({} if settings is None else settings), **keywords})
        before = {name: super(Config, self).get(name, _MISSING) for name in changes}
        super().update(changes)
        return _Restore(self, before)

    def _restore(self, before: dict[str, object]) -> None:
        for name, value in before.items():
            if value is _MISSING:
                super().pop(name, None)
            else:
                super().__setitem__(name, value)

    def merge(self, *settings: Mapping[str, object]) -> None:
        """Change settings permanently, by several dictionaries; later ones win.

        Parameters
        ----------
        *settings : dict
            Settings by their names.
        """
        self.set({name: value for each in settings for name, value in each.items()})

    def pprint(self, **options: Any) -> None:
        """Print all settings, with the options of :func:`pprint.pprint`.

        Parameters
        ----------
        **options : any
            As ``pprint.pprint`` takes them.
        """
        from pprint import pprint

        pprint(self.to_dict(), **options)

    def update(self, settings: Any = (), /, **keywords: object) -> None:
        """Change settings permanently, as ``set`` does.

        Parameters
        ----------
        settings : dict or list of pairs, optional
            Settings by their names.
        **keywords : any
            The same as keywords; these win.
        """
        self.set(dict(settings), **keywords)

    def refresh(self) -> None:
        """Restore the defaults, with the settings of the environment: ``GRAPHBLAS_AUTOCOMPUTE=False``."""
        found = {name: _ENVIRONMENT + name.upper() for name in _CHOICES}
        given = {name: _parsed(self._environment[key]) for name, key in found.items() if key in self._environment}
        super().update({name: choices[0] for name, choices in _CHOICES.items()} | _checked(given))

    def caches(self) -> dict[str, Size]:
        """The number of entries and the bound of every cache of the library in this process, by name.

        Examples
        --------
        >>> import grblas_gpu as gb
        >>> all(size.entries <= size.most for size in gb.config.caches().values())
        True
        """
        return sizes()

    def to_dict(self) -> dict[str, object]:
        """A copy of all settings."""
        return dict(self)

    def clear(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("settings cannot be removed; config.refresh() puts the defaults back")

    pop = popitem = setdefault = __delitem__ = __ior__ = clear


class _Restore:
    """Restores the changed settings when a ``with`` block ends."""

    def __init__(self, config: Config, before: dict[str, object]) -> None:
        self._config = config
        self._before = before
        self._is_entered = False

    def __enter__(self) -> Config:
        self._is_entered = True
        return self._config

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._config._restore(self._before)
        self._is_entered = False

    def __del__(self) -> None:
        if self._is_entered:  # an interrupt came at the start of __exit__
            self._config._restore(self._before)


def _parsed(text: str) -> object:
    try:
        return ast.literal_eval(text.capitalize() if text.lower() in ("true", "false") else text)
    except (SyntaxError, ValueError):
        return text


def _checked(settings: dict[str, object]) -> dict[str, object]:
    """The settings, if each exists and may have the value."""
    for name, value in settings.items():
        if name not in _CHOICES:
            if did_you_mean(name, _CHOICES):
                raise _unknown(name)
            continue
        if not any(_is(value, choice) for choice in _CHOICES[name]):
            known = ", ".join("an integer" if choice is int else repr(choice) for choice in _CHOICES[name])
            raise ValueError(f"{name} is one of {known}; got {value!r}")
    return settings


def _unknown(name: object) -> KeyError:
    return KeyError(f"unknown setting {name!r}; known: {', '.join(_CHOICES)}")


def _is(value: object, choice: object) -> bool:
    if choice is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return value is choice or (type(value) is str and value == choice)


config = Config()
