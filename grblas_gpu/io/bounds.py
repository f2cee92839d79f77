"""Bounds on files, which readers of all layers share."""

from ..border import check_memory, length_of, shown

__all__ = ["check_memory", "length_of", "shown"]
