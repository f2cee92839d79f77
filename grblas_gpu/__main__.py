"""``python -m grblas_gpu`` is ``grblas-gpu``."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
