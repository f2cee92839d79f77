"""Products of sparse matrices and PyTorch tensors, with gradients. PyTorch is imported by the first call.

>>> import torch  # doctest: +SKIP
>>> import grblas_gpu as gb
>>> A = gb.Matrix.from_coo([0, 0], [0, 1], [2.0, 3.0])
>>> gb.torch.spmm(A, torch.ones(2, 4, requires_grad=True)).sum().backward()  # doctest: +SKIP
"""

from __future__ import annotations

from functools import cache
from typing import Any

from . import semiring
from .api.base import ensure_type
from .api.matrix import Matrix
from .backends.registry import using
from .exceptions import DimensionMismatch, InvalidObject
from .foundation.suggestions import needed, public_only
from .foundation.types import Expression, TorchTensor, TypedSemiring
from .io.dense_arrays import to_array
from .io.torch_tensors import from_torch, to_torch

__all__ = ["spmm"]
public_only(globals())

SEMIRINGS = {"sum": "plus_times", "mean": "plus_times", "max": "max_times", "min": "min_times"}
BLOCK = 2**24  # products that the gradient of a maximum holds at once


def spmm(A: Matrix, X: TorchTensor, values: TorchTensor | None = None, *, reduce: str = "sum") -> TorchTensor:
    """The product of a Matrix and a dense tensor: ``reduce`` combines ``A[i, j] * X[j]`` for every row i of A.

    It can be differentiated once, by ``X`` and by ``values``. Rows without entries are 0. The gradient of a maximum or
    minimum goes to the first entry of the row that attains it. Tensors share memory with the engine: those on a CUDA
    device need a Matrix on backend "cuda", for which those of the host are copied there, and the result back.

    Parameters
    ----------
    A : Matrix
        The sparse factor.
    X : torch.Tensor
        The dense factor, of two dimensions; its type, float32 or float64, is that of the result.
    values : torch.Tensor, optional
        A value of the type of X for every entry of A, in the order of ``A.to_csr()``, instead of its own.
    reduce : {"sum", "mean", "max", "min"}
        How to combine the products of a row.

    Raises
    ------
    DimensionMismatch
        Shapes do not fit.
    InvalidObject
        X is on a device, and A is not.
    TypeError
        Types do not fit.
    ModuleNotFoundError
        PyTorch is not installed.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> from grblas_gpu import generators
    >>> gb.torch.spmm(generators.path(3), torch.tensor([[1.0], [2], [4]]), reduce="max")  # doctest: +SKIP
    tensor([[2.],
            [4.],
            [2.]])
    """
    torch = needed("torch", "torch.spmm")
    A = ensure_type(A, Matrix).to(form="sparse")
    if reduce not in SEMIRINGS:
        raise ValueError(f"torch.spmm: reduce must be one of {', '.join(SEMIRINGS)}; got {reduce!r}")
    if X.dtype not in (torch.float32, torch.float64) or (values is not None and values.dtype != X.dtype):
        raise TypeError("torch.spmm: X must be float32 or float64, and values of the same type")
    if X.device.type != "cpu" and A.backend != "cuda":
        raise InvalidObject(f"torch.spmm: A is on backend {A.backend!r}, X on device {X.device.type!r}")
    if X.ndim != 2 or X.shape[0] != A.ncols:
        raise DimensionMismatch(f"torch.spmm: A of shape {A.shape} needs X with {A.ncols} rows; got {tuple(X.shape)}")
    if values is not None and values.shape != (A.nvals,):
        raise DimensionMismatch(f"torch.spmm: A has {A.nvals} entries; got values of shape {tuple(values.shape)}")
    place = X.device
    if A.backend == "cuda":  # copies of tensors of the host
        X, values = X.cuda(), values if values is None else values.cuda()
    with using(A.backend):
        result = _product().apply(A, X, values, SEMIRINGS[reduce])
    if reduce == "mean":
        pointers = torch.as_tensor(A.device_arrays()["indptr"], device=X.device)
        result = result / pointers.diff().clamp(min=1).to(X.dtype)[:, None]
    return result.to(place)


@cache
def _product() -> Any:
    """The function that PyTorch differentiates."""
    torch = needed("torch", "torch.spmm")

    class Product(torch.autograd.Function):  # type: ignore[name-defined]
        @staticmethod
        def forward(ctx: Any, A: Matrix, X: TorchTensor, values: TorchTensor | None, name: str) -> TorchTensor:
            if values is not None:
                arrays = A.device_arrays()
                A = Matrix.from_csr(arrays["indptr"], arrays["indices"], values.detach(), ncols=A.ncols)
            result = dense(multiplied(name, X)(A @ from_torch(X, copy=False)))
            ctx.A, ctx.name = A, name
            ctx.save_for_backward(X, values, result)
            return result

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, slope: TorchTensor) -> tuple[TorchTensor | None, ...]:
            X, _, result = ctx.saved_tensors
            by_X, by_values = ctx.needs_input_grad[1:3]
            dX = dA = None
            with using(ctx.A.backend):
                plus_times, dY = multiplied("plus_times", X), from_torch(slope, copy=False)
                if ctx.name != "plus_times":
                    dX, dA = slopes_at_extremes(ctx.A, X, result, slope)
                elif by_X:
                    # dX = A' dY
                    dX = dense(plus_times(ctx.A.T @ dY))
                if dA is None and by_values:
                    # dA<A> = dY X'
                    dA = to_torch(plus_times(dY @ from_torch(X, copy=False).T).new(mask=ctx.A.S), "coo").values()
            return None, dX if by_X else None, dA if by_values else None, None

    def multiplied(name: str, X: TorchTensor) -> TypedSemiring:
        return getattr(semiring, name)["FP32" if X.dtype == torch.float32 else "FP64"]

    def dense(product: Expression) -> TorchTensor:
        return torch.from_dlpack(to_array(product.new(), 0, dtype=product.dtype, copy=False))

    def slopes_at_extremes(
        A: Matrix, X: TorchTensor, result: TorchTensor, slope: TorchTensor
    ) -> tuple[TorchTensor, TorchTensor]:
        """Slopes by X and by the values of A: each goes to the first entry of the row that gives the result."""
        entries = to_torch(A, "coo")
        # one more entry, for results without one
        rows, columns = torch.nn.functional.pad(entries.indices(), (0, 1))
        weights = torch.nn.functional.pad(entries.values().to(X.dtype), (0, 1))
        dX, dA, none = torch.zeros_like(X), torch.zeros_like(weights), A.nvals
        numbers = torch.arange(none, device=X.device)[:, None]
        width = max(1, BLOCK // (none + 1))
        for x, y, dy, dx in zip(*(part.split(width, 1) for part in (X, result, slope, dX)), strict=True):
            attained = weights[:-1, None] * x[columns[:-1]] == y[rows[:-1]]
            first = torch.full(y.shape, none, device=X.device)
            first.scatter_reduce_(
                0, rows[:-1, None].expand(attained.shape), torch.where(attained, numbers, none), "amin"
            )
            dx.scatter_add_(0, columns[first], dy * weights[first])
            dA.index_add_(0, first.flatten(), (dy * x.gather(0, columns[first])).flatten())
        return dX, dA[:-1]

    return Product
