"""Settings, in the spelling of python-graphblas: ``config.get("autocompute")``, ``config.set(autocompute=True)``."""

from __future__ import annotations

from typing import Any

#: ``progress``: whether long work shows how far it is, on terminals and in notebooks.
#: ``read_limit``: how many bytes of memory a file may ask for; None for as much as it can fill, or a bit more.
#: ``loops``: "auto" records loops where the engine runs them as a whole, "recorded" everywhere, "iterated" nowhere.
_DEFAULTS: dict[str, Any] = {"autocompute": False, "loops": "auto", "mapnumpy": False, "progress": True}
_DEFAULTS["read_limit"] = None


class Config(dict):
    """A small dictionary of settings; ``set`` also works as a context manager.

    >>> from grblas_gpu import config
    >>> with config.set(autocompute=True):
    ...     config.get("autocompute")
    True
    >>> config.get("autocompute")
    False
    """

    def set(self, **settings: Any) -> _Restore:
        for name in settings:
            if name not in self:
                raise KeyError(f"unknown setting {name!r}; known: {', '.join(sorted(self))}")
        before = dict(self)
        self.update(settings)
        return _Restore(self, before)


class _Restore:
    """Puts the settings back when a ``with`` block ends."""

    def __init__(self, config: Config, before: dict[str, Any]) -> None:
        self._config = config
        self._before = before

    def __enter__(self) -> Config:
        return self._config

    def __exit__(self, *exc: object) -> None:
        self._config.update(self._before)


config = Config(_DEFAULTS)
