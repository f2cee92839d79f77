"""An array of another library."""

from typing import Any


class Exchanged:
    """It offers DLPack and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()
