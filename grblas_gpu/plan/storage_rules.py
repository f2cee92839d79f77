"""The storage format of a vector or a matrix, by its fill: pure functions of sizes. The format changes above a limit,
and back only well below it (hysteresis)."""

from __future__ import annotations

# A vector becomes dense above this fill and sparse again below the lower one (hysteresis).
DENSE_ABOVE = 0.01
SPARSE_BELOW = 0.005
TINY = 256  # up to this size no conversion pays off
DENSE_LIMIT = 2**32  # the library allocates no dense vector with more positions unless the user requests it
# A matrix becomes a bitmap if that takes about as much memory as CSR, and sparse again well below (hysteresis).
BITMAP_ABOVE = 0.5
BITMAP_BELOW = 0.25
# Above this many rows, with at most this share of nonempty ones, row pointers would dominate the memory of CSR.
MANY_ROWS = 2**22
HYPERSPARSE_BELOW = 1 / 64
SPARSE_AGAIN_ABOVE = 1 / 16
# A matrix with at most THIN rows or columns is a batch of vectors, such as frontiers, and becomes dense sooner.
THIN, THIN_ABOVE, THIN_BELOW = 64, 0.04, 0.01
MOST_KEYS = 2**63  # positions that 64 bits can number
POINTER_LIMIT = 2**33  # rows: more row pointers are never worth their memory


def storage_kind(nvals: int, size: int, kind: str) -> str:
    """The storage form of a vector with this fill, given its current form.

    >>> storage_kind(1, 1000, "sparse"), storage_kind(20, 1000, "sparse"), storage_kind(7, 1000, "bitmap")
    ('sparse', 'bitmap', 'bitmap')
    """
    if size <= TINY:
        return kind
    if nvals == size:
        return "full"
    if size > DENSE_LIMIT:
        return "sparse"
    if kind == "sparse":
        return "bitmap" if nvals > size * DENSE_ABOVE else "sparse"
    return "sparse" if nvals < size * SPARSE_BELOW else "bitmap"


def matrix_form(nvals: int, nrows: int, ncols: int, form: str) -> str:
    """The storage form of a matrix with this many entries, given its current form.

    >>> matrix_form(6000, 99, 99, "sparse"), matrix_form(3000, 99, 99, "bitmap"), matrix_form(9801, 99, 99, "sparse")
    ('bitmap', 'bitmap', 'full')
    >>> matrix_form(300, 100, 100, "sparse"), matrix_form(500, 10, 1000, "sparse")
    ('sparse', 'bitmap')
    >>> matrix_form(5, 2**60, 2**60, "sparse"), matrix_form(2**19, 2**23, 9, "hypersparse")
    ('hypersparse', 'sparse')
    """
    positions = nrows * ncols
    if positions <= TINY:
        return form
    if positions >= MOST_KEYS:  # whether rows or columns are many: only numbers of those in use are short
        return "hypersparse"
    above, below = (THIN_ABOVE, THIN_BELOW) if min(nrows, ncols) <= THIN else (BITMAP_ABOVE, BITMAP_BELOW)
    if nvals >= positions * below and positions <= DENSE_LIMIT:
        if nvals == positions:
            return "full"
        if nvals > positions * (above if form in ("sparse", "hypersparse") else below):
            return "bitmap"
    if nrows > MANY_ROWS and nvals < nrows * (SPARSE_AGAIN_ABOVE if form == "hypersparse" else HYPERSPARSE_BELOW):
        return "hypersparse"
    return "sparse"
