"""Products of a Matrix and a tensor of PyTorch, and their gradients."""

from functools import partial

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu.exceptions import DimensionMismatch, InvalidObject

torch = pytest.importorskip("torch")
REDUCE = {
    "sum": lambda products, there: products.where(there, 0).sum(1),
    "mean": lambda products, there: products.where(there, 0).sum(1) / there.sum(1).clamp(min=1),
    "max": lambda products, there: products.where(there, -torch.inf).amax(1),
    "min": lambda products, there: products.where(there, torch.inf).amin(1),
}


def factors(dtype, seed: int = 1, shape: tuple[int, int] = (6, 7)):
    """A Matrix with an empty row and an empty column, its dense tensor, and a tensor."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random(shape) < 0.5, rng.standard_normal(shape), 0)
    dense[2], dense[:, 3] = 0, 0
    X = torch.tensor(rng.standard_normal((shape[1], 3)), dtype=dtype, requires_grad=True)
    return gb.Matrix.from_dense(dense, 0), torch.tensor(dense, dtype=dtype), X


@pytest.mark.parametrize("reduce", REDUCE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_products_and_slopes(backend: str, reduce: str, dtype) -> None:
    """By PyTorch's own products and gradients, in each of which the maxima are unique."""
    A, dense, X = factors(dtype)
    there = (dense != 0)[:, :, None]
    dense.requires_grad_()
    expected = REDUCE[reduce](dense[:, :, None] * X, there).where(there.any(1), 0)
    slope = torch.randn(expected.shape, dtype=dtype, generator=torch.Generator().manual_seed(2))
    by_X, by_A = torch.autograd.grad(expected, (X, dense), slope)
    values = dense.detach()[dense != 0].requires_grad_()
    for given in ([], [values]):
        found = gb.torch.spmm(A, X, *given, reduce=reduce)
        torch.testing.assert_close(found, expected)
        slopes = torch.autograd.grad(found, (X, *given), slope)
        torch.testing.assert_close(slopes[0], by_X)
        if given:
            torch.testing.assert_close(slopes[1], by_A[dense != 0])


@pytest.mark.backends("cpu")
@pytest.mark.parametrize("reduce", REDUCE)
def test_numerical_slopes(backend: str, reduce: str, monkeypatch) -> None:
    monkeypatch.setattr(gb.torch, "BLOCK", 20)  # a column at a time
    A, dense, X = factors(torch.float64, seed=3)
    values = dense[dense != 0].requires_grad_()
    assert torch.autograd.gradcheck(partial(gb.torch.spmm, A, reduce=reduce), (X, values))
    assert torch.autograd.gradcheck(partial(gb.torch.spmm, A, X, reduce=reduce), values)


def test_edges_without_values(backend: str) -> None:
    A = gb.generators.star(4)
    X = torch.tensor([[1.0], [5], [5], [2]], requires_grad=True)
    largest = gb.torch.spmm(A, X, reduce="max")
    assert largest.tolist() == [[5], [1], [1], [1]]
    largest.sum().backward()
    assert X.grad.tolist() == [[3], [1], [0], [0]]  # the first of two that are equal
    empty = gb.torch.spmm(gb.Matrix(bool, 2, 4), X, torch.zeros(0, requires_grad=True), reduce="min")
    empty.sum().backward()
    assert empty.tolist() == [[0], [0]]


def test_what_spmm_refuses() -> None:
    A, X = gb.generators.path(4), torch.ones(4, 2)
    for error, match, arguments, options in (
        (ValueError, "reduce must be one of sum, mean, max, min; got 'mul'", (A, X), {"reduce": "mul"}),
        (DimensionMismatch, "needs X with 4 rows; got \\(3, 2\\)", (A, X[1:]), {}),
        (DimensionMismatch, "A has 6 entries; got values of shape \\(4,\\)", (A, X, X[:, 0]), {}),
        (TypeError, "float32 or float64", (A, X.long()), {}),
        (InvalidObject, "A is on backend 'cpu', X on device 'meta'", (A, X.to("meta")), {}),
        (TypeError, "expected a Matrix", (X, X), {}),
    ):
        with pytest.raises(error, match=match):
            gb.torch.spmm(*arguments, **options)
