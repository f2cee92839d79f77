"""Every strategy is valid C++ for every kind of sum: the quick set compiles loops no further than that."""

from functools import partial

import nvrtc
import pytest
from loop_cases import made_of

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, semiring
from grblas_gpu.backends.cuda.fusion.direction import STRATEGIES
from grblas_gpu.backends.cuda.runtime.nvrtc import OPTIONS, QUICK
from grblas_gpu.foundation.types import TypedOperator

#: All products are equal, any is the result, some end a row, all count.
PRODUCTS = (
    semiring.any_pair["BOOL"],
    semiring.ss.any_secondi["INT64"],
    semiring.lor_land["BOOL"],
    semiring.min_plus["INT64"],
)


def search(A: Matrix, source: int, product: TypedOperator, strategy: str) -> None:
    """With and without a mask."""
    dtype = product.return_type
    frontier, seen = Vector.from_coo([source], [1], dtype, size=A.nrows), Vector(dtype, A.nrows)
    further = seen.dup()
    for _ in gb.loop(frontier):
        seen(frontier.S) << frontier
        further(strategy=strategy) << product(frontier @ A)
        frontier(~seen.S, replace=True, strategy=strategy) << product(frontier @ A)


@pytest.mark.nvrtc
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategies_compile(monkeypatch: pytest.MonkeyPatch, strategy: str) -> None:
    bodies = {str(each): partial(search, product=each, strategy=strategy) for each in PRODUCTS}
    for program in made_of(bodies, monkeypatch, lambda passes, body: passes.kernel_of(body)).values():
        assert nvrtc.compile_cuda(program.text, nvrtc.USUAL, (*OPTIONS, *QUICK), ptx=True)
