"""How the kernel of a loop is launched: which of the driver's functions is called, with how many blocks."""

import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import ClassVar

import pytest
from emulated_engine import loaded

THREADS, CLUSTER, PROCESSORS = 256, 8, 132
DEVICE = SimpleNamespace(device=0, stream_at=77)
TOO_LARGE = 720


class Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Driver:
    """Notes the launches: the name of the function, and its arguments."""

    CUDADriverError = Refused

    def __init__(self) -> None:
        self.launches = []
        self.room = 10**6  # blocks that find a place

    def occupancyMaxActiveBlocksPerMultiprocessor(self, function: int, threads: int, shared: int) -> int:
        return 2

    def launchKernel(self, *given: int) -> None:
        self.launches.append(("plain", *given))

    def launchCooperativeKernel(self, *given: int) -> None:
        if given[1] > self.room:
            raise Refused(TOO_LARGE)
        self.launches.append(("cooperative", *given))


class Kernel:
    def __init__(self) -> None:
        self.kernel = SimpleNamespace(ptr=5)
        self.shared_size_bytes, self.max_dynamic_shared_size_bytes = 1000, 0
        self.preferences: list[int] = []

    def __setattr__(self, name: str, value) -> None:
        if name == "preferred_shared_memory_carveout":
            self.preferences.append(value)
        super().__setattr__(name, value)


class Processor:
    compute_capability = "90"
    attributes: ClassVar = {"MultiProcessorCount": PROCESSORS}

    def __init__(self, number: int) -> None:
        assert number == 0


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with loaded("recorded", monkeypatch, "fusion.launcher"):
        cuda, made = importlib.import_module("cupy").cuda, Driver()
        cuda.driver, cuda.Device = made, Processor
        yield made


def launcher(kernel: Kernel, cluster: int):
    module = importlib.import_module("grblas_gpu.backends.cuda.fusion.launcher")
    return module.Launcher(kernel, THREADS, 2, cluster)


def launch(by, work: int, parameters: int = 9, shared: bool = False) -> None:
    by.launch(memoryview(b""), parameters, work, DEVICE, shared)


@pytest.mark.parametrize("cluster", [1, CLUSTER])
def test_blocks_that_run_together_in_any_case_need_no_cooperative_launch(driver: Driver, cluster: int) -> None:
    by = launcher(Kernel(), cluster)
    for work in (1, THREADS * cluster, THREADS * cluster + 1, 10**9):
        launch(by, work)
    names, _, blocks = zip(*(each[:3] for each in driver.launches), strict=True)
    assert names == ("plain", "plain", "cooperative", "cooperative")
    assert blocks == (cluster, cluster, 2 * cluster, 2 * PROCESSORS // cluster * cluster)
    plain, cooperative = driver.launches[1:3]
    assert plain[3:] == (1, 1, THREADS, 1, 1, 0, DEVICE.stream_at, 9, 0)
    assert cooperative[3:] == (1, 1, THREADS, 1, 1, 0, DEVICE.stream_at, 9)


def test_what_is_launched_again_is_what_was_asked_for(driver: Driver) -> None:
    """Other parameters, other work, shared memory or none: nothing of the launch before is left."""
    kernel = Kernel()
    by = launcher(kernel, 1)
    for work, parameters, shared in ((1, 9, False), (1, 9, False), (1, 10, False), (10**6, 10, False), (1, 10, True)):
        launch(by, work, parameters, shared)
    launch(by, 1, 9)
    assert driver.launches[0] == driver.launches[1] == driver.launches[5]
    assert [each[10] for each in driver.launches] == [9, 9, 10, 10, 10, 9]
    assert [each[0] for each in driver.launches[2:5]] == ["plain", "cooperative", "plain"]
    assert driver.launches[4][8] > 0  # bytes of shared memory
    assert len(kernel.preferences) == 3  # set when it changes


def test_clusters_that_find_no_place_are_left_out(driver: Driver) -> None:
    driver.room = 2 * CLUSTER
    by = launcher(Kernel(), CLUSTER)
    for _ in range(2):
        launch(by, 5 * THREADS * CLUSTER)
    assert [each[2] for each in driver.launches] == [2 * CLUSTER, 2 * CLUSTER]
    driver.room = 0
    launch(by, 5 * THREADS * CLUSTER)
    assert driver.launches[-1][:3] == ("plain", 5, CLUSTER)
