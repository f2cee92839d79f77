"""Operations without a distributed form: every rank gathers the operands, computes, and keeps its part of the result.

This suits small operands and rare calls. GRBLAS_GPU_MPI_GATHER limits the entries of an operand (2**24 by default).
"""

from __future__ import annotations

import os
from typing import Any

from ...exceptions import OutOfMemory
from ...trace.records import Record
from ...trace.records import current as current_trace
from ..reference import Definitions
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .parts import Parts, Store
from .stores import DistMatrixStore, DistVectorStore

_HOST = Definitions()
LIMIT = 2**24
DISTRIBUTED = (DistVectorStore, DistMatrixStore)


def gather_limit() -> int:
    return int(os.environ.get("GRBLAS_GPU_MPI_GATHER", LIMIT))


def _warn(name: str) -> None:
    """Name the operation in the trace, because it does not scale."""
    collector = current_trace()
    if collector is not None:
        reason = "warning: brought together on every rank, there is no distributed form"
        collector.records.append(Record(name, 0.0, 0, strategy="gathered", reason=reason))


class Gathering(Parts):
    """The rest of the Backend protocol."""

    def gathered(self, name: str, *args: Any, **options: Any) -> Any:
        """Call a method of the local engine with whole objects."""
        for x in args:
            self.check_gatherable(x.store if isinstance(x, MaskView) else x, name)
        _warn(name)
        result = getattr(self.local, name)(*(self._whole(x) for x in args), **options)
        if isinstance(result, (VectorStore, MatrixStore)):
            return self.cut(self.local.export(result))
        return result

    def check_gatherable(self, x: Any, name: str) -> None:
        """Raise an error if a store is too large to gather."""
        if isinstance(x, DISTRIBUTED) and x.nvals > gather_limit():
            raise OutOfMemory(
                f"{name} has no distributed form, and an operand has {x.nvals} entries: too many to bring together on "
                f"every rank (GRBLAS_GPU_MPI_GATHER allows {gather_limit()})"
            )

    def _whole(self, x: Any) -> Any:
        if isinstance(x, MaskView):
            return MaskView(self._whole(x.store), x.structure, x.complement)
        if isinstance(x, DISTRIBUTED):
            return self.local.adopt(self.export(x))
        return x

    # ---- products ---------------------------------------------------------------------------------------------

    def pull_in_place(self, a: Any, u: Any, semiring: Any, mask: Any, **options: Any) -> Store:
        return self.gathered("pull_in_place", a, u, semiring, mask, **options)

    def kronecker(self, a: Any, b: Any, op: Any) -> Store:
        return self.gathered("kronecker", a, b, op)

    # ---- structure ----------------------------------------------------------------------------------------------

    def positions(self, index: Any, size: int) -> tuple[Any, Any]:
        """The positions on the host of every rank."""
        self.check_gatherable(index, "an index")
        _warn("positions")
        return _HOST.positions(self.export(index), size)
