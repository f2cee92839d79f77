"""``python -m benchmarks NAME ...``; without a name what there is."""

import ast
import importlib.util
import os
import sys
from pathlib import Path

NAMES = (
    "gpu_speed gpu_operations library_speed cpu_speed papers overhead cold conversions cost_growth "
    "dense_products networkx_backend search_levels scaling eager_ratios "
    "graphalytics gap graph_challenge host_columns changes"
).split()


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in NAMES:
        for name in NAMES:  # without importing them: some need optional packages
            spec = importlib.util.find_spec(f"{__package__}.{name}")
            text = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
            print(f"{name:18}{(ast.get_docstring(ast.parse(text)) or '').splitlines()[0]}")
        return 0 if not arguments or arguments[0] in ("-h", "--help") else 2
    if arguments[0] != "cold":  # it measures first calls; the others always measure optimized kernels
        os.environ.setdefault("GRAPHBLAS_COMPILE", "wait")
    return importlib.import_module(f"{__package__}.{arguments[0]}").main(arguments[1:]) or 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
