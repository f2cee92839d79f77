"""``python -m benchmarks`` is ``grblas-gpu bench``."""

import sys

from grblas_gpu.cli import main

raise SystemExit(main(["bench", *sys.argv[1:]]))
