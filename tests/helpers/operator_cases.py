"""Every built-in operator, for tests of their translations."""

from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.operators import builtin, registry

# Monoids and select operators are made of these.
KINDS = {"unary": cuda.unary, "binary": cuda.binary, "indexunary": cuda.index_unary}


def builtin_operators():
    """Every typed built-in operator with its kind, once."""
    seen = set()
    for kind in KINDS:
        for name in builtin.rows(kind):
            op = registry.builtin(kind, name)
            op = op if hasattr(op, "types") else op()  # with its default parameters
            for typed in (op[dtype] for dtype in op.types):
                if typed.key not in seen:
                    seen.add(typed.key)
                    yield kind, typed
