"""A stand-in for CuPy on machines without a GPU: arrays are NumPy's, kernels run as fibers (``cuda_emulation.h``).

It shows that kernels and the code that launches them compute the right things. It shows nothing about races and speed.
Kernels may not depend on the number of threads, unless they are compiled for one, so they get few.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import numpy as np
import nvrtc

from grblas_gpu.backends.machine.kernel_cache import private_folder

FREE = 2**32  # bytes of memory
BLOCKS, THREADS = 2, 64
SORTERS = 64
#: Kernels with the number of threads that they are compiled for.
SORTS = ("sort_kernel", "move_keys_kernel") + tuple(
    f"{name}_kernel" for name in ("count_parts", "place_parts", "move_parts", "take_parts_apart")
)
LOOP = "loop_kernel"  # the kernel with grid barriers
HEADER = Path(__file__).parent / "cuda_emulation.h"
_KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(?:CLUSTERS )?(\w+)\(')
#: Even small tiles cost many waits, and small graphs should reach the code paths of large ones.
SMALLER = {
    "TILES = 1024": "TILES = 5",
    "LONG_ROW = 2048": "LONG_ROW = 12",
    "PUSH_PART = 512, SMALL_PUSH_PART = 128": "PUSH_PART = 7, SMALL_PUSH_PART = 3",
    " PART = 2048": " PART = 7",
    "MANY = 16": "MANY = 2",
    "rows >= 2 * AT_A_TIME * ROWS * warps_in_grid()": "rows >= 2 * ROWS",
    "BLOCK_COUNT > 1": "BLOCK_COUNT > 0",
    "CHUNKS = 8192": "CHUNKS = 1024",
    "SHARES = 4096": "SHARES = 1024",
    "MOST_STEPS = 16": "MOST_STEPS = 2",
    "OWN_COLUMNS = 32768": "OWN_COLUMNS = 256",
    "MANY_POSITIONS = 1 << 16": "MANY_POSITIONS = 0",
    "SPAN = 2048, AT_A_TIME = 8": "SPAN = 300, AT_A_TIME = 2",
    "EACH = ITEM_BYTES > 12 ? 8 : ITEM_BYTES > 8 ? 12 : 16": "EACH = 128",  # the same tile with fewer threads
}
#: The same for constants that the host writes into the source.
GENERATED = {f"SORTERS = {threads};": f"SORTERS = {SORTERS};" for threads in (256, 512)}
#: With AddressSanitizer a flag is a byte; otherwise atomics use the whole word around it, which a pool allows.
_SHIFT = "(address & 3) * 8"
WATCHED_FLAGS = {
    f"{atomic}((unsigned*)(address & ~uint64(3)), {bit})": (
        f"(unsigned({atomic}((uint8*)address, uint8(({bit}) >> {_SHIFT}))) << {_SHIFT})"
    )
    for atomic, bit in (("atomicOr", "bit"), ("atomicAnd", "~bit"))
}
sources: list[str] = []  # of all compiled programs
meetings: dict[str, int] = {}  # per kernel: the most warp synchronizations in a launch


class CompileException(Exception):
    pass


class Pointer:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def ptr(self) -> int:
        """The address of contiguous elements: kernels ignore strides."""
        array = self.array
        assert array.flags.c_contiguous, f"the address of an array with strides: {array.shape}, {array.strides}"
        return int(array.ctypes.data)

    @property
    def mem(self):
        """The memory that contains the array."""
        for memory in UnownedMemory.all:
            if memory.ptr <= self.ptr < memory.ptr + memory.size:
                return memory
        whole = self.array
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        return SimpleNamespace(ptr=whole.ctypes.data, size=whole.nbytes)

    def memset_async(self, value: int, size: int, stream=None) -> None:
        ctypes.memset(self.ptr, value, size)

    def copy_from_device_async(self, source: Pointer, size: int, stream=None) -> None:
        ctypes.memmove(self.ptr, source.ptr, size)


class ndarray(np.ndarray):
    def __new__(cls, shape, dtype=float, memory=None) -> ndarray:
        found = unwritten(shape, dtype) if memory is None else np.ndarray(shape, dtype, memory)
        return found.view(cls)

    @property
    def data(self) -> Pointer:  # type: ignore[override]
        return Pointer(self)

    def __array_function__(self, function, types, args, kwargs):
        result = super().__array_function__(function, (ndarray,), args, kwargs)
        return result.view(ndarray) if isinstance(result, np.ndarray) else result

    def get(self) -> np.ndarray:
        return np.asarray(self).copy()

    def set(self, array: np.ndarray) -> None:
        self[...] = array


def wrapped(function):
    def call(*args, **kwargs) -> ndarray:
        made = np.asarray(function(*args, **kwargs))
        if made.dtype.kind not in "?biufc":
            raise ValueError(f"Unsupported dtype {made.dtype}")  # as in CuPy
        return made.view(ndarray)

    return call


class Kernel:
    def __init__(self, function, name: str, most_meetings) -> None:
        self.function = function
        self.name = name
        self.most_meetings = most_meetings

    max_dynamic_shared_size_bytes = 48 * 1024

    def __call__(
        self, grid: tuple[int, ...], block: tuple[int, ...], arguments, stream=None, shared_mem: int = 0
    ) -> None:
        boxed = [_boxed(argument) for argument in arguments]
        addresses = (ctypes.c_void_p * len(boxed))(*(ctypes.addressof(box) for box in boxed))
        blocks = grid[0] if self.name == LOOP else min(grid[0], BLOCKS)
        threads = SORTERS if self.name in SORTS else THREADS
        self._run(blocks, threads, addresses, len(boxed))

    def with_words(self, grid: int, parameters: int) -> None:
        """A launch by the driver: the addresses of the arguments, and a 0."""
        addresses = ctypes.cast(parameters, ctypes.POINTER(ctypes.c_void_p))
        count = next(number for number in range(1000) if not addresses[number])
        self._run(min(grid, BLOCKS), THREADS, addresses, count)

    def _run(self, blocks: int, threads: int, addresses, count: int) -> None:
        wanted = self.function(blocks, threads, addresses, count)
        assert wanted == -1, f"{self.name} takes {wanted} arguments, not {count}"
        meetings[self.name] = max(meetings.get(self.name, 0), self.most_meetings())


def _launch_kernel(kernel, grid: int, *rest: int) -> None:
    *_, parameters, _ = rest
    kernel.with_words(grid, parameters)


def _launch_nothing(*arguments) -> None:
    pass


PIECE = 16  # bytes; those of CuPy's pool are larger


class Memory(np.ndarray):
    """A pointer to memory, as an array of bytes; additions are offsets."""

    def __add__(self, offset: int) -> Memory:  # type: ignore[override]
        return self[offset:]

    @property
    def ptr(self) -> int:
        return self.ctypes.data

    def memset_async(self, value: int, size: int, stream=None) -> None:
        self[:size] = value


class UnownedMemory:
    all: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, ptr: int, size: int, owner: object, device_id: int = -1) -> None:
        self.ptr, self.size = ptr, size
        self.all.add(self)


def memory_pointer(memory: UnownedMemory, offset: int) -> Memory:
    content = (ctypes.c_uint8 * memory.size).from_address(memory.ptr)
    pointer = np.ndarray.__new__(Memory, memory.size, np.uint8, content)
    pointer.owner = memory  # alive as long as arrays in it
    return pointer[offset:] if offset else pointer


class OutOfMemoryError(MemoryError):
    pass


class Pool:
    """Memory in whole pieces, with contents that reveal reads before the first write."""

    def malloc(self, size: int) -> Memory:
        return np.full(-(-size // PIECE) * PIECE, 0xA5, np.uint8).view(Memory)

    def get_limit(self) -> int:
        return 0

    free_bytes = used_bytes = get_limit


pool = Pool()
_allocator = ContextVar("allocator", default=pool.malloc)


@contextmanager
def using_allocator(allocator):
    token = _allocator.set(allocator)
    try:
        yield
    finally:
        _allocator.reset(token)


def alloc(size: int) -> Memory:
    return _allocator.get()(size)


def unwritten(shape, dtype=float, order="C") -> np.ndarray:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, alloc(size), order=order)


_pinned: dict[int, np.ndarray] = {}


def host_alloc(size: int, flags: int) -> int:
    memory = np.full(size, 0xA5, np.uint8)
    _pinned[memory.ctypes.data] = memory
    return memory.ctypes.data


def filled(shape, value, dtype) -> np.ndarray:
    array = unwritten(shape, dtype)
    array[...] = value
    return array


def full(shape, value, dtype=None) -> np.ndarray:
    return filled(shape, value, np.asarray(value).dtype if dtype is None else dtype)


def ones(shape, dtype=float) -> np.ndarray:
    return filled(shape, 1, dtype)


def zeros(shape, dtype=float) -> np.ndarray:
    return filled(shape, 0, dtype)


def asarray(x, dtype=None) -> np.ndarray:
    """Arrays of the host are copied; others are as they are."""
    found = np.asarray(x, dtype)
    if found.dtype.kind == "V":
        return found
    copy = unwritten(found.shape, found.dtype)
    copy[...] = found
    return copy


NEW = {"empty": unwritten, "full": full, "ones": ones, "zeros": zeros}


def _boxed(argument):
    argument = getattr(argument, "emulated", argument)  # unwrap an array of device_arrays
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        if argument.dtype.names:  # a structure, by value
            return ctypes.create_string_buffer(argument.tobytes())
        return ctypes.c_uint64(argument.ctypes.data)
    if isinstance(argument, bool):
        return ctypes.c_bool(argument)
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    if isinstance(argument, np.generic):
        return ctypes.create_string_buffer(argument.tobytes())
    raise TypeError(f"not a kernel argument: {argument!r}")


class RawModule:
    def __init__(self, *, code: str | None = None, path: str | None = None, options: tuple[str, ...] = ()) -> None:
        if code is not None:
            sources.append(code)
            path = str(build(code, options))
        self._library = ctypes.CDLL(str(path))

    def get_function(self, name: str) -> Kernel:
        return Kernel(getattr(self._library, f"launch_{name}"), name, self._library.most_meetings)


@cache
def _folder() -> Path:
    """A folder of this user alone, because its libraries are executed."""
    folder = Path(tempfile.gettempdir()) / f"grblas_gpu_emulation-{os.getuid()}"
    return folder if private_folder(folder) else Path(tempfile.mkdtemp(prefix="grblas_gpu_emulation-"))


#: With AddressSanitizer a kernel that reads or writes outside of an array is an error; see CONTRIBUTING.md.
SANITIZER = (
    "-fsanitize=address,alignment -fsanitize-recover=address,alignment --param asan-stack=0 --param asan-globals=0 -g1"
)
WATCHED = bool(os.environ.get("GRBLAS_GPU_EMULATION_WATCHED"))
COMPILER = "g++ -std=c++17 -Og -w -fno-gnu-unique -fwrapv -ffp-contract=off -fPIC".split()
COMPILER += SANITIZER.split() if WATCHED else []
LINKER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []  # a tenth faster


def _compile(source: Path, text: str, target: Path, *options: str) -> None:
    """Write the target completely or not at all, even if other processes compile it, too."""
    own = f"{os.getpid()}-{threading.get_ident()}"
    written = source.with_suffix(f".{own}-text")
    written.write_text(text)
    written.rename(source)
    partial = target.with_suffix(f".{own}")
    done = subprocess.run([*COMPILER, *options, str(source), "-o", str(partial)], capture_output=True, text=True)
    if done.returncode:
        raise CompileException(done.stderr[:4000])
    partial.rename(target)


@cache
def _header() -> str:
    """The precompiled header: reading it takes g++ a third of the time of a program."""
    text = HEADER.read_text()
    header = _folder() / f"{hashlib.sha256((text + str(COMPILER)).encode()).hexdigest()[:24]}.h"
    precompiled = Path(f"{header}.gch")
    if not precompiled.exists():
        _compile(header, text, precompiled, "-x", "c++-header")
    return str(header)


def build(code: str, options: tuple[str, ...] | None = None) -> Path:
    """A shared library with ``launch_<kernel>`` for every kernel, cached by its text.

    With ``options`` the program must compile by NVRTC with them, too.
    """
    original = code
    for text, smaller in (SMALLER | GENERATED | (WATCHED_FLAGS if WATCHED else {})).items():
        code = code.replace(text, smaller)
    code = code.replace("#define TEAMS 0", "#define TEAMS 1")  # the emulation has no clusters
    launchers = "".join(
        f'extern "C" int launch_{name}(unsigned grid, unsigned threads, void** arguments, int count) '
        f"{{ return launch({name}, grid, threads, {str(name == LOOP).lower()}, arguments, count); }}\n"
        for name in _KERNEL.findall(code)
    )
    program = f'{code}\n#line 1 "launchers"\n{launchers}'
    target = _folder() / f"{hashlib.sha256((_header() + program).encode()).hexdigest()[:24]}.so"
    checked = target.with_suffix(".nvrtc")
    if not target.exists():
        _compile(target.with_suffix(".cpp"), program, target, "-shared", *LINKER, "-include", _header())
    if options is not None and not checked.exists() and nvrtc.check(original, options, is_loop=LOOP in code):
        checked.touch()
    return target


class RecordedModule:
    """Records programs instead of compiling them; its kernels do nothing."""

    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        sources.append(code)

    def get_function(self, name: str):
        def nothing(grid, block, arguments, stream=None, shared_mem: int = 0) -> None: ...

        nothing.max_dynamic_shared_size_bytes = 0  # type: ignore[attr-defined]
        return nothing


def module(runs: bool = True) -> ModuleType:
    """The emulated module ``cupy``; without ``runs``, every number read from the device is 1."""
    cupy = ModuleType("cupy")
    for name in "arange argsort asarray ascontiguousarray bincount diff".split():
        setattr(cupy, name, wrapped(getattr(np, name)))
    for name, function in NEW.items():
        setattr(cupy, name, wrapped(function))
    cupy.asnumpy, cupy.matmul = np.asarray, np.matmul
    cupy.ndarray = ndarray
    cupy.RawModule = RawModule if runs else RecordedModule
    stream = Stream(non_blocking=True)
    stream.synchronize = _nothing if runs else _tell_ones
    runtime = SimpleNamespace(
        getDevice=lambda: 0,
        getDeviceCount=lambda: 1,
        deviceGetPCIBusId=lambda number: f"emulated by process {os.getpid()}",
        memcpyDeviceToHost=2,
        memcpyAsync=_copy if runs else _copy_one,
        memGetInfo=lambda: (FREE, FREE),
        hostAlloc=host_alloc,
        hostAllocPortable=1,
        freeHost=_pinned.pop,
        deviceSynchronize=_nothing,
        CUDARuntimeError=RuntimeError,
    )
    cupy.get_default_memory_pool = lambda: pool
    cupy.cuda = SimpleNamespace(
        runtime=runtime,
        get_current_stream=lambda: stream,
        Device=Device,
        driver=SimpleNamespace(launchKernel=_launch_kernel if runs else _launch_nothing),
        alloc=alloc,
        get_allocator=_allocator.get,
        using_allocator=using_allocator,
        UnownedMemory=UnownedMemory,
        MemoryPointer=memory_pointer,
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        Event=Event,
        Stream=Stream,
        alloc_pinned_memory=lambda size: _Pinned(size),
    )
    return cupy


def _tell_ones() -> None:
    """Kernels that are skipped publish nothing: set their counts to 1 for the host, which waits for them."""
    for pinned in _Pinned.all:
        words = np.frombuffer(pinned, np.int64)
        words[words == 0] = 2  # as in grblas_gpu/backends/cuda/counters.py


def _copy(target: int, source: int, size: int, kind: int, stream: int) -> None:
    ctypes.memmove(target, source, size)


def _copy_one(target: int, source: int, size: int, kind: int, stream: int) -> None:
    ctypes.c_int64.from_address(target).value = 1


class Device:
    attributes: ClassVar = {"MultiProcessorCount": 1}
    compute_capability = "0"

    def __init__(self, number: int = 0) -> None:
        pass

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Event:
    done = True

    def __init__(self, disable_timing: bool) -> None:
        pass

    def record(self, stream) -> None:
        pass


class Stream:
    """A stream without pending work: launches are synchronous."""

    ptr = 0

    def __init__(self, non_blocking: bool) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def _nothing() -> None:
    pass


class _Pinned(bytearray):
    all: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.all.add(self)

    __hash__ = object.__hash__  # type: ignore[assignment]

    @property
    def ptr(self) -> int:
        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self))
