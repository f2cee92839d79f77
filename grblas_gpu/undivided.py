"""The former name of :mod:`grblas_gpu.atomic_updates`."""

import sys

from . import atomic_updates
from .atomic_updates import notice_thread as notice_thread

sys.modules[__name__] = atomic_updates
