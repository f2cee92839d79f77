"""One program, two libraries: the same text runs on grblas_gpu and on python-graphblas.

python examples/bfs_two_libraries.py
"""

PROGRAM = """
import grblas_gpu as gb    # or: import graphblas as gb, and the same lines run on SuiteSparse
from grblas_gpu import Matrix, Vector, semiring

def bfs(A, source):
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
        depth += 1
    return levels
"""


def load(library: str):
    """The ``bfs`` of PROGRAM with every import taken from ``library``; nothing else changes."""
    names = {}
    text = PROGRAM.replace("import grblas_gpu as", f"import {library} as").replace("from grblas_gpu", f"from {library}")
    exec(compile(text, f"<bfs with {library}>", "exec"), names)
    return names["bfs"]


def main() -> None:
    import importlib

    rows = [0, 0, 1, 2, 3, 4, 6]
    cols = [1, 2, 3, 3, 4, 5, 5]
    print(PROGRAM)
    for library in ("grblas_gpu", "graphblas"):
        gb = importlib.import_module(library)
        A = gb.Matrix.from_coo(rows, cols, True, nrows=7, ncols=7, dtype=bool)
        vertices, levels = load(library)(A, 0).to_coo()
        print(f"{library:10}", dict(zip(vertices.tolist(), levels.tolist(), strict=True)))


if __name__ == "__main__":
    main()
