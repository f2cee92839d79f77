"""The closed set of operations. Everything that changes an object is one of these (``node.py``)."""

from __future__ import annotations

from typing import Final


class Op:
    """One operation. ``masked`` says that its result has no entries outside its mask.

    >>> VXM, VXM.masked, APPLY.masked
    (vxm, True, False)
    """

    __slots__ = ("masked", "name")

    def __init__(self, name: str, *, masked: bool = False) -> None:
        self.name: Final = name
        self.masked: Final = masked
        OPS[name] = self

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return _named, (self.name,)


OPS: dict[str, Op] = {}


def _named(name: str) -> Op:
    return OPS[name]


# Products. Operands in the order of the formula: w = A u, w = u A, C = A B, s = u' v, C = u v', A (x) B, A^n.
MXV = Op("mxv", masked=True)
VXM = Op("vxm", masked=True)
MXM = Op("mxm", masked=True)
INNER = Op("inner")
OUTER = Op("outer")
KRONECKER = Op("kronecker")
POWER = Op("power")

# Entry by entry. A vector beside a matrix is spread over it; Scalars are vectors of one entry.
EWISE_ADD = Op("ewise_add")
EWISE_MULT = Op("ewise_mult")
EWISE_UNION = Op("ewise_union")  # x, its default, y, its default
APPLY = Op("apply")
APPLY_LEFT = Op("apply_left")  # op(scalar, x)
APPLY_RIGHT = Op("apply_right")  # op(x, scalar)
APPLY_INDEX = Op("apply_index")  # op(x, i, j, thunk)
SELECT = Op("select")
SELECT_MASK = Op("select_mask")

# Reductions.
REDUCE = Op("reduce")
REDUCE_OR_IDENTITY = Op("reduce_or_identity")  # an empty operand reduces to the identity instead of to no value
REDUCE_ROWWISE = Op("reduce_rowwise")
REDUCE_COLUMNWISE = Op("reduce_columnwise")
HEAVIEST_GROUPS = Op("heaviest_groups")  # A, groups of columns; handicaps, rows, factors, diagonal, or None

# Structure.
TRANSPOSE = Op("transpose")
EXTRACT = Op("extract")  # x, indexes
GATHER = Op("gather")  # x, a Vector of positions in x
EXTRACT_ROW = Op("extract_row")  # A, a Scalar
REPOSITION = Op("reposition")  # x, offsets, shape

# Changes of an object without a computation.
COPY = Op("copy")
ASSIGN = Op("assign")  # value, indexes or None for everything; the mask has the shape of the output
SUBASSIGN = Op("subassign")  # the same, and the mask has the shape of the region
SCATTER = Op("scatter")  # value, a Vector of positions in the output; of equal ones the values are accumulated
SET_ELEMENT = Op("set_element")  # value, indexes
REMOVE_ELEMENT = Op("remove_element")  # indexes
CLEAR = Op("clear")

# Other operations: a program that is repeated while its condition holds, or run once if it does.
LOOP = Op("loop")
WHEN = Op("when")

CONTROL = frozenset((LOOP, WHEN))
MATVEC = frozenset((MXV, VXM))
REDUCTIONS = frozenset((REDUCE, REDUCE_OR_IDENTITY))
#: Operations that a recorded loop may contain.
LOOP_OPS = MATVEC | REDUCTIONS | frozenset(
    (EWISE_ADD, EWISE_MULT, EWISE_UNION, APPLY, APPLY_LEFT, APPLY_RIGHT, APPLY_INDEX, SELECT, SELECT_MASK)
    + (EXTRACT_ROW, HEAVIEST_GROUPS, GATHER, SCATTER, COPY, ASSIGN, CLEAR)
)  # fmt: skip
