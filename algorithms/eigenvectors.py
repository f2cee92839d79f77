"""The eigenvectors of the smallest eigenvalues of the Laplacian D - W of a graph, but the constant one.

Method: LOBPCG. The basis S has the current vectors, their residuals divided by the degrees, and the last directions.
The best vectors in its span are the solution of a dense problem with three columns for each vector.
Invariant: all columns are orthogonal to the constant vector. Cost: O(n + m) per step and column; the number of steps
depends on the gap between eigenvalues.
Reference: A. Knyazev, Toward the optimal preconditioned eigensolver: locally optimal block preconditioned conjugate
gradient method, SIAM J. Sci. Comput. 2001.
"""

from __future__ import annotations

import numpy as np

from .. import FP64, UINT64, Matrix, Vector, binary, monoid, select, semiring
from .preparing import check_weights, largest, with_zeros
from .randomness import hashed, random_order

times = semiring.plus_times[FP64]
INDEPENDENT = 1e-10  # a smaller eigenvalue of the matrix of inner products means that columns depend on each other


def slowest(
    A: Matrix, count: int, weighted: bool, tol: float, limit: int, seed: int
) -> tuple[np.ndarray, Matrix, float]:
    """The smallest eigenvalues but the first, a Matrix with their vectors as columns, and the length of the largest
    residual, as a share of the largest degree. Vectors beyond the number of eigenvalues are 0.

    >>> from grblas_gpu import generators
    >>> slowest(generators.complete(9), 2, False, 1e-6, 100, 1)[0].round(6).tolist()
    [9.0, 9.0]
    """
    check_weights(A, "", weighted=weighted)
    W, n = select.offdiag(A if weighted else A.pattern()).new(FP64), A.nrows
    if not W.is_symmetric():
        # W = W + W', or the edges in either direction
        W = (binary.plus if weighted else binary.max)(W | W.T).new()
    # degree_i = sum_j W_ij
    degree = with_zeros(W.reduce_rowwise(monoid.plus), n)
    if n <= 3 * count:
        values, vectors = np.linalg.eigh(np.diag(degree.to_dense()) - W.to_dense(0.0))
        found = np.zeros((n, count))
        found[:, : max(0, n - 1)] = vectors[:, 1 : count + 1]
        return np.append(values[1 : count + 1], np.zeros(count))[:count], Matrix.from_dense(found), 0.0
    most, inverse = float(largest(degree)) or 1.0, binary.rtruediv(binary.max(degree, 1e-300).new(), 1.0).new()
    inverse(select.valueeq(degree, 0.0).new().S) << 1.0
    # S = random numbers
    bits = random_order(n, seed).outer(random_order(3 * count, seed + 1), binary.bxor[UINT64]).new()
    S = centred(binary.times(hashed(bits, seed).dup(FP64), 2.0**-64).new())
    for step in range(limit + 1):
        # Q = D S - W S
        Q = binary.times(degree & S).new()
        Q(binary.minus) << times(W @ S)
        values, C = best_in_span(times(S.T @ S).new().to_dense(0.0), times(S.T @ Q).new().to_dense(0.0), count)
        # X = S C; R = Q C - X values
        X, R = times(S @ Matrix.from_dense(C)).new(), times(Q @ Matrix.from_dense(C)).new()
        R(binary.minus) << binary.times(X & Vector.from_dense(values))
        # error = the length of the longest residual
        error = float(largest(binary.times(R & R).new().reduce_columnwise(monoid.plus).new())) ** 0.5 / most
        if error <= tol or step == limit:
            break
        # S = [X, R / degree, S P], where P is C without the share of the vectors before
        P = np.concatenate([np.zeros((count, count)), C[count:]])
        Z = binary.times(inverse & R).new()
        S << times(S @ Matrix.from_dense(np.concatenate([C, np.zeros_like(C), P], axis=1)))
        S(binary.plus) << times(Z @ Matrix.from_dense(np.eye(count, 3 * count, count)))
        S = centred(S)
    return values, X, error


def centred(S: Matrix) -> Matrix:
    """The columns, each less its mean."""
    return binary.minus(S & binary.truediv(S.reduce_columnwise(monoid.plus).new(), S.nrows).new()).new()


def best_in_span(G: np.ndarray, H: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest eigenvalues in the span of S, and the combinations of its columns; G = S' S and H = S' L S."""
    length = np.sqrt(np.diag(G))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    sizes, vectors = np.linalg.eigh(scale[:, None] * G * scale)
    some = sizes > INDEPENDENT
    # B = combinations with B' G B = 1
    B = scale[:, None] * vectors[:, some] / np.sqrt(sizes[some])
    values, Y = np.linalg.eigh(B.T @ ((H + H.T) / 2) @ B)
    C = B @ Y[:, :count]
    # the largest coefficient of each is positive, on every engine
    return values[:count], C * np.sign(C[abs(C).argmax(axis=0), np.arange(C.shape[1])])
