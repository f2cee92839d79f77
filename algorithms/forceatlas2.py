"""ForceAtlas2: a drawing in which edges attract their ends and all vertices push each other away.

Returns a Layout: two coordinates of every vertex. Method: each step computes the forces on all vertices. The mass of a
vertex is its degree plus 1. A vertex whose force changes between two steps moves less, and the speed of all follows
from the ratio of steady to changing forces. Repulsion takes differences of all pairs, a batch of rows at a time.
Invariant: without gravity, forces add up to 0. Cost: O(n^2 + m) per step.
Reference: M. Jacomy, T. Venturini, S. Heymann, M. Bastian, ForceAtlas2, a continuous graph layout algorithm for handy
network visualization designed for the Gephi software, PLoS ONE 2014.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, agg, binary, monoid, select, semiring, unary
from .batches import vertices_in_batches
from .checks import graph_algorithm
from .preparing import check_weights, total
from .randomness import random_order
from .spectral import Layout

NEAREST = 1e-12  # a smaller squared distance counts as this one
FASTER = 1.5  # the most by which the speed grows in a step
FARTHEST = 10.0  # the most that a vertex moves in a step


@graph_algorithm
def forceatlas2(
    A: Matrix,
    *,
    weighted: bool = False,
    iterations: int = 100,
    repulsion: float = 2.0,
    gravity: float = 1.0,
    tolerance: float = 1.0,
    seed: int = 1,
) -> Layout:
    """Coordinates for a drawing. Directions of edges do not matter.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights, which multiply attraction; otherwise every edge counts 1.
    iterations : int
        The number of steps.
    repulsion : float
        The factor of the forces between vertices; larger drawings need more.
    gravity : float
        The factor of the force towards the middle, which holds components together.
    tolerance : float
        How much swinging the speed allows.
    seed : int
        The seed of the positions to begin with.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import forceatlas2
    >>> x, y = forceatlas2(generators.path(3))
    >>> abs(x[0].new().value - x[1].new().value) < abs(x[0].new().value - x[2].new().value)
    True
    """
    check_weights(A, "forceatlas2", weighted=weighted)
    n, W = A.nrows, select.offdiag(A if weighted else A.pattern()).new(FP64)
    W = binary.max(W | W.T).new()
    # mass_i = 1 + the number of neighbours; pull_i = sum_j W_ij
    mass, pull = Vector.from_scalar(1.0, n), Vector.from_scalar(0.0, n)
    mass(binary.plus) << W.reduce_rowwise(agg.count)
    pull(binary.plus) << W.reduce_rowwise(monoid.plus)
    places = [start(n, seed), start(n, seed + 1)]
    before, speed = [Vector.from_scalar(0.0, n) for _ in places], 1.0
    for _ in range(iterations):
        forces = forces_at(places, W, mass, pull, repulsion, gravity)
        # swinging_i = |force_i - before_i|, steady_i = |force_i + before_i| / 2
        swinging = length([binary.minus(f & g).new() for f, g in zip(forces, before, strict=True)])
        steady = length([binary.plus(f & g).new() for f, g in zip(forces, before, strict=True)])
        # speed = tolerance sum mass steady / sum mass swinging
        unsteady = float(total(binary.times(mass & swinging).new()))
        wanted = tolerance * 0.5 * float(total(binary.times(mass & steady).new())) / unsteady if unsteady else speed
        speed = min(wanted, FASTER * speed)
        # step_i = min(speed / (1 + speed sqrt(swinging_i)), FARTHEST / |force_i|)
        slow = binary.plus(binary.times(unary.sqrt(swinging).new(), speed).new(), 1.0).new()
        most = binary.rtruediv(binary.max(length(forces), NEAREST).new(), FARTHEST).new()
        step = binary.min(binary.rtruediv(slow, speed).new() & most).new()
        for place, force in zip(places, forces, strict=True):
            # place += step force
            place(binary.plus) << binary.times(step & force)
        before = forces
    return Layout(*places)


def start(n: int, seed: int) -> Vector:
    """Random numbers from -1 to 1."""
    return binary.minus(binary.times(random_order(n, seed).dup(FP64), 2.0**-63).new(), 1.0).new()


def length(vectors: list[Vector]) -> Vector:
    """The lengths of two-dimensional vectors.

    >>> length([Vector.from_dense([3.0]), Vector.from_dense([4.0])]).to_dense().tolist()
    [5.0]
    """
    x, y = vectors
    return binary.hypot(x & y).new()


def forces_at(
    places: list[Vector], W: Matrix, mass: Vector, pull: Vector, repulsion: float, gravity: float
) -> list[Vector]:
    """The forces on all vertices, in both directions."""
    forces, masses = [], mass.outer(Vector.from_scalar(1.0, 1), binary.first).new()
    # weight_i = gravity mass_i / distance from the middle
    far = binary.max(length(places), NEAREST).new()
    weight = binary.times(binary.truediv(mass & far).new(), gravity).new()
    for place in places:
        # force = W place - pull place - weight place
        force = binary.times(unary.ainv(binary.plus(pull & weight).new()).new() & place).new()
        force(binary.plus) << semiring.plus_times[FP64](W @ place)
        forces.append(force)
    for some in vertices_in_batches(mass.size):
        own, grid = slice(some.start, some.stop), Matrix.from_scalar(0.0, len(some), mass.size)
        # apart_ij = place_i - place_j, in both directions; near_ij = their squared distance
        apart = [binary.minus(place[own].new() & binary.second(grid & place).new()).new() for place in places]
        squares = [binary.times(along & along).new() for along in apart]
        near = binary.max(binary.plus(squares[0] & squares[1]).new(), NEAREST).new()
        for force, along in zip(forces, apart, strict=True):
            # force_i += repulsion mass_i sum_j apart_ij / near_ij mass_j
            sums = semiring.plus_times[FP64](binary.truediv(along & near).new() @ masses).new()[:, 0].new()
            force(binary.plus)[own] << binary.times(binary.times(sums & mass[own].new()).new(), repulsion).new()
    return forces
