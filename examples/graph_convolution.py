"""A graph convolution of two layers, as products of a sparse matrix with full ones; NumPy, and torch if present, check.

python examples/graph_convolution.py --features 16 --hidden 8
"""

import argparse
import importlib.util

import numpy as np

from grblas_gpu import Matrix, binary, generators, monoid, semiring, trace, unary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=9, help="of the Kronecker graph")
    parser.add_argument("--features", type=int, default=32, help="of each vertex")
    parser.add_argument("--hidden", type=int, default=16, help="columns of the first layer")
    parser.add_argument("--classes", type=int, default=4, help="columns of the second")
    options = parser.parse_args()
    A = normalised(generators.kronecker(options.scale))
    rng = np.random.default_rng(7)
    x = rng.random((A.nrows, options.features), dtype=np.float32)
    w1 = rng.standard_normal((options.features, options.hidden), dtype=np.float32)
    w2 = rng.standard_normal((options.hidden, options.classes), dtype=np.float32)

    with trace() as told:
        scores = two_layers(A, Matrix.from_dense(x), Matrix.from_dense(w1), Matrix.from_dense(w2)).to_dense()
    for record in told.records:
        if record.op == "mxm":
            print(f"{record.strategy:14}{record.reason}")
    print(f"{A.nrows} vertices, classes: {np.bincount(scores.argmax(axis=1), minlength=options.classes).tolist()}")

    judge("NumPy", scores, two_layers_of_numpy(A, x, w1, w2))
    if importlib.util.find_spec("torch"):
        judge("torch", scores, two_layers_of_torch(A, x, w1, w2))


def normalised(graph: Matrix) -> Matrix:
    """The matrix of a convolution, D^-1/2 (A + I) D^-1/2: A with loops, normalised by the degrees."""
    n = graph.nrows
    # A = A + I
    A = binary.second(graph, 1.0).new("FP32")
    A << monoid.max(A | Matrix.from_coo(range(n), range(n), 1.0, "FP32", nrows=n, ncols=n))
    # d = 1 / sqrt(sum_j A_ij)
    d = unary.minv(unary.sqrt(A.reduce_rowwise(monoid.plus).new()).new()).new().diag()
    # A = diag(d) A diag(d)
    A << semiring.plus_times(d @ A)
    A << semiring.plus_times(A @ d)
    return A


def two_layers(A: Matrix, X: Matrix, W1: Matrix, W2: Matrix) -> Matrix:
    """A relu(A X W1) W2."""
    # H = relu(A (X W1))
    H = semiring.plus_times(X @ W1).new()
    H << semiring.plus_times(A @ H)
    H << binary.max(H, 0.0)
    # A (H W2)
    H = semiring.plus_times(H @ W2).new()
    return semiring.plus_times(A @ H).new()


def two_layers_of_numpy(A: Matrix, x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    a = A.to_dense(fill_value=0).astype(np.float64)
    return a @ (np.maximum(a @ (x @ w1), 0) @ w2)


def two_layers_of_torch(A: Matrix, x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    import torch

    indptr, indices, values = A.to_csr()
    arrays = (
        torch.from_numpy(np.array(array)) for array in (indptr.astype(np.int64), indices.astype(np.int64), values)
    )
    a = torch.sparse_csr_tensor(*arrays, size=A.shape)
    hidden = torch.relu(a @ (torch.from_numpy(x) @ torch.from_numpy(w1)))
    return (a @ (hidden @ torch.from_numpy(w2))).numpy()


def judge(name: str, scores: np.ndarray, expected: np.ndarray) -> None:
    error = np.abs(scores - expected).max() / np.abs(expected).max()
    if error > 1e-4:
        raise SystemExit(f"differs from {name}'s by {error}")
    print(f"equal to {name}'s up to {error:.1e}")


if __name__ == "__main__":
    main()
