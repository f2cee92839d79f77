"""Long jobs that resume after a kill: PageRank and betweenness centrality with a restart folder.

After every few steps all ranks write their parts (folders.py) to a new folder. Then rank 0 makes it the current one by
replacing one small file. A killed job resumes from it when it is started again with the same arguments, on any number
of ranks. The folder stays when the job is done; starting the job again returns the result at once.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from .. import algorithms, binary
from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.mpi.engine import MpiBackend
from ..exceptions import InvalidValue
from ..foundation.types import Json, PathLike
from ..io.replacing import replacing
from .construction import DistVector

STATE = "restart.json"
ITERATIONS, SOURCES = 10, 64  # between two writes


class Restart:
    """The state of a job: a number of steps and a Vector, for one graph and one set of arguments."""

    def __init__(self, folder: PathLike, A: Matrix, every: int, **arguments: object) -> None:
        if type(every) is not int or every < 1:
            raise InvalidValue(f"every must be a positive number of steps, not {every!r}")
        engine = A._engine
        if not isinstance(engine, MpiBackend):
            raise TypeError("a restart folder is for a Matrix on backend 'mpi'; use A.to('mpi')")
        self._grid, self._backend, self._folder = engine.grid, engine.name, Path(folder)
        self._arguments = {
            "vertices": A.nrows,
            "entries": A.nvals,
            **{name: repr(value) for name, value in arguments.items()},
        }
        self._grid.check_same(restart=str(folder), **self._arguments)
        self.steps = 0
        self.done = False
        self.vector: Vector | None = None
        state = self._grid.together(self._read)
        if state is not None:
            self.steps, self.done = state["steps"], state["done"]
            self.vector = DistVector.load(self._folder / state["vector"], backend=self._backend)

    def _read(self) -> Json | None:
        try:
            text = (self._folder / STATE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            state = json.loads(text)
            steps, done, vector, arguments = (state[name] for name in ("steps", "done", "vector", "asked"))
            if type(steps) is not int or type(done) is not bool or Path(vector).name != vector:
                raise ValueError("no steps")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{self._folder / STATE}: damaged: {error}") from None
        if arguments != self._arguments:
            raise InvalidValue(
                f"{self._folder}: left by another job: {arguments}, not {self._arguments}; use another folder"
            )
        return state

    def save(self, steps: int, vector: Vector, done: bool) -> None:
        """Write the state from which a restarted job resumes."""
        name = f"steps-{steps}"
        DistVector.save(vector, self._folder / name)

        def replace() -> None:
            if self._grid.rank != 0:
                return
            state = {"steps": steps, "done": done, "vector": name, "asked": self._arguments}
            with replacing(self._folder / STATE) as file, open(file, "w", encoding="utf-8") as stream:
                json.dump(state, stream)
            for other in self._folder.glob("steps-*"):
                if other.name != name:
                    shutil.rmtree(other, ignore_errors=True)

        self._grid.together(replace)
        self.steps, self.vector, self.done = steps, vector, done

    def result(self) -> Vector:
        assert self.done and self.vector is not None
        return self.vector


def pagerank(
    A: Matrix, *, restart: PathLike, every: int = ITERATIONS, max_iterations: int = 100, **options: object
) -> Vector:
    """``algorithms.pagerank`` that resumes after a kill; ``options`` are those of ``algorithms.pagerank``.

    Parameters
    ----------
    A : Matrix
        On backend "mpi".
    restart : str or path
        A folder, which all ranks can reach.
    every : int
        Iterations between two writes.
    max_iterations : int
        The largest number of iterations, over all restarts together.
    **options
        Those of ``algorithms.pagerank``.

    Examples
    --------
    >>> import tempfile
    >>> from grblas_gpu import distributed
    >>> A = distributed.DistMatrix.kronecker(5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = distributed.pagerank(A, restart=folder)
    ...     again = distributed.pagerank(A, restart=folder)  # known already
    >>> first.isequal(again)
    True
    """
    state = Restart(restart, A, every, algorithm="pagerank", max_iterations=max_iterations, **options)
    while not state.done:
        some = min(every, max_iterations - state.steps)
        start = {} if state.vector is None else {"start": state.vector}
        try:
            ranks = algorithms.pagerank(A, max_iterations=some, **{**options, **start})
            state.save(state.steps + some, ranks, True)
        except algorithms.NotConverged as stopped:
            if state.steps + some >= max_iterations or stopped.result is None:
                raise
            state.save(state.steps + some, stopped.result, False)
    return state.result()


def betweenness_centrality(A: Matrix, *, restart: PathLike, every: int = SOURCES, **options: object) -> Vector:
    """Exact ``algorithms.betweenness_centrality`` that resumes after a kill; it takes the same ``options``.

    Parameters
    ----------
    A : Matrix
        On backend "mpi".
    restart : str or path
        A folder, which all ranks can reach.
    every : int
        Sources between two writes.
    **options
        Those of ``algorithms.betweenness_centrality``, except ``sources``: all vertices are sources.

    Examples
    --------
    >>> import tempfile
    >>> from grblas_gpu import distributed, generators
    >>> A = generators.path(4).to("mpi")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = distributed.betweenness_centrality(A, restart=folder, normalized=False)
    >>> found.to_dict()
    {0: 0.0, 1: 4.0, 2: 4.0, 3: 0.0}
    """
    if "sources" in options:
        raise InvalidValue("betweenness_centrality: with a restart folder the sources are all vertices")
    state = Restart(restart, A, every, algorithm="betweenness_centrality", **options)
    while not state.done:
        sources = range(state.steps, min(state.steps + every, A.nrows))
        # total += the paths from these sources; parts of a partition add up to the exact result
        total = algorithms.betweenness_centrality(A, sources, **options)
        if state.vector is not None:
            total << binary.plus(state.vector & total)
        state.save(sources.stop, total, sources.stop == A.nrows)
    return state.result()
