"""``python -m grblas_gpu.cli`` is ``grblas-gpu``."""

from . import main

raise SystemExit(main())
