"""Whether there is enough memory, before work begins: an estimate, and a refusal that has the figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from ..api.conversions import MAX_SIZE
from ..config import config
from ..foundation.display import bytes_text
from ..foundation.memory import free_on_host
from ..foundation.types import Json

Arguments = Json

#: Vertices and entries of the graphs of generators; both directions of an edge are entries.
SIZES: dict[str, Callable[[Arguments], tuple[float, float]]] = {
    "kronecker": lambda a: (2.0 ** a["scale"], 2 * a["edge_factor"] * 2.0 ** a["scale"]),
    "noisy_kronecker": lambda a: (2.0 ** a["scale"], 2 * a["edge_factor"] * 2.0 ** a["scale"]),
    "hyperbolic": lambda a: (a["n"], a["n"] * a["average_degree"]),
    "lfr": lambda a: (a["n"], 3.0 * a["n"] * a["min_degree"]),  # the mean of the usual power law
    "mycielskian": lambda a: (3 * 2.0 ** (a["k"] - 2), 7 * 3.0 ** (a["k"] - 2)),
    "delaunay": lambda a: (a["n"], 6.0 * a["n"]),
    "random_geometric": lambda a: (a["n"], a["n"] * _neighbours(a["n"], a["radius"])),
    "watts_strogatz": lambda a: (a["n"], a["n"] * a["neighbours"]),
    "grid_2d": lambda a: (_area(a), 4.0 * _area(a)),
    "road": lambda a: (_area(a), 4.0 * _area(a) * a["keep"]),
    "uniform_random": lambda a: (a["n"], a["n"] * a["average_degree"]),
    "preferential_attachment": lambda a: (a["n"], 2.0 * a["n"] * a["edges_each"]),
    "path": lambda a: (a["n"], 2.0 * a["n"]),
    "star": lambda a: (a["n"], 2.0 * a["n"]),
    "complete": lambda a: (a["n"], float(a["n"]) ** 2),
    "bipartite": lambda a: (a["left"] + a["right"], 2.0 * a["left"] * a["degree"]),
    "complete_bipartite": lambda a: (a["left"] + a["right"], 2.0 * a["left"] * a["right"]),
}
#: Measured bytes for each vertex and entry during the construction on the host.
WORKING = {"delaunay": 100, "random_geometric": 72, "hyperbolic": 72, "road": 45, "grid_2d": 38, "mycielskian": 8}
WORKING_ELSE = 30
STORED = 4  # bytes of an entry on a device, which builds large graphs some rows at a time

#: Bytes in memory for one byte of a file, while it is parsed and the matrix is built.
FACTORS = {".grb": 2, ".npz": 10}
TEXT, COMPRESSED = 6, 20


class TooLarge(MemoryError):
    """The object would not fit in memory."""


def check_generator(kind: str, arguments: Arguments, *, on_device: bool, force: bool) -> None:
    """Raise TooLarge if the graph needs more memory than is available."""
    vertices, entries = SIZES[kind](arguments)
    if vertices > MAX_SIZE:
        return  # the generator itself rejects such arguments
    each = STORED if on_device else WORKING.get(kind, WORKING_ELSE)
    check(f"{kind} with {vertices:,.0f} vertices and up to {entries:,.0f} entries", (vertices + entries) * each, force)


def check_graph500(scale: int, edge_factor: int, share: float, force: bool) -> None:
    """Raise TooLarge if this machine's share of the graph needs more memory than is available."""
    vertices, entries = SIZES["kronecker"]({"scale": scale, "edge_factor": edge_factor})
    check(
        f"the share of this machine, {share:.0%} of scale {scale},", (vertices + entries) * share * WORKING_ELSE, force
    )


def check_file(name: str, kind: str, *, compressed: bool, force: bool) -> None:
    """Raise TooLarge if the content of the file needs more memory than is available."""
    size = Path(name).stat().st_size if Path(name).is_file() else 0
    factor = FACTORS.get(kind, COMPRESSED if compressed else TEXT)
    check(f"{name} ({bytes_text(size)})", size * factor, force)


def check(what: str, needed: float, force: bool) -> None:
    available = available_bytes()
    if needed > available and not force:
        raise TooLarge(
            f"{what} needs about {bytes_text(needed)} of memory, but {bytes_text(available)} are free; "
            "--force tries it anyway"
        )


def available_bytes() -> float:
    """Free memory for new objects: that of the device, and of this machine within the limits of this process."""
    from ..backends.machine.memory_limits import free_bytes
    from ..backends.registry import current_engine

    engine = current_engine()
    spills = engine.name == "cuda" and config["spill"] == "auto"
    return float(free_bytes(engine.array([0])) + spills * free_on_host())


def _area(a: Arguments) -> float:
    return float(a["nrows"]) * (a["nrows"] if a["ncols"] is None else a["ncols"])


def _neighbours(n: int, radius: float | None) -> float:
    """The expected number of neighbours of each of n points in the unit square."""
    if radius is None:
        return 0.96 * math.log(max(n, 2))
    return min(float(n), 3.15 * radius**2 * n)
