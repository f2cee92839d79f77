"""Compiling in other processes, while this one computes by the definitions.

Numba takes tenths of a second for a kernel and seconds for a loop, and holds a lock meanwhile that other kernels need.
The other processes keep machine code on disk, where this one and later ones find it. An interrupt does not reach them.
Each compiles one text after the other, ends when there is none for a while, and may outlive its caller by one text.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import Empty, SimpleQueue
from weakref import WeakSet

import numpy as np

from ..machine import kernel_cache
from . import compile, pool

NICENESS = 10  # calls come first
MOST = 8  # processes
IDLE = 5.0  # seconds after which a process without work ends: it takes 150 MB
WITHOUT = "operations run by their definitions, loops node by node"
SEARCHED = Path(__file__).parents[3]  # where the package is

_lock = threading.Lock()
_queue: SimpleQueue[Compilation] = SimpleQueue()
_unfinished: WeakSet[Compilation] = WeakSet()
_compilers: list[_Compiler] = []
_broken = False  # whether a process ended that should not have


class Compilation:
    """A call in another process, which leaves machine code on disk."""

    def __init__(self, without: str, *call: object) -> None:
        self._without, self.call = without, call  # what becomes of calls without the code; a function and its arguments
        self.failed = self.lost = False  # lost: with its process, in the child of a fork, or taken back
        self.begun = False
        self._since = time.monotonic()
        self._problem = ""
        self._ended = threading.Event()

    def age(self) -> float:
        """Seconds since this was submitted."""
        return time.monotonic() - self._since

    def end(self, problem: str = "") -> None:
        self._problem = problem
        self._ended.set()

    def wait(self) -> None:
        self._ended.wait()

    def needed(self) -> bool:
        """Wait, and say whether machine code can be loaded; a text that no process has begun is taken back."""
        with _lock:
            self.lost |= not self.begun
        if not self.lost:
            self.wait()
        return self.done()

    def done(self) -> bool:
        """Whether machine code can be loaded; a failure is one warning."""
        if self._problem and not self.failed:
            self.failed = True
            problem = f"a kernel cannot be compiled in the background: {self._problem}"
            warnings.warn(f"{self._without}: {problem}", stacklevel=2)
        return self._ended.is_set() and not self.failed and not self.lost


def is_possible() -> bool:
    """Whether another process can compile, and this one find the result."""
    return not _broken and bool(sys.executable) and kernel_cache.folder() is not None


def begin(source: compile.Source, arguments: Iterable[object]) -> Compilation:
    """Have a text, and functions that it calls, compiled for arguments of these types.

    Raises
    ------
    OSError
        There can be no other process.
    TypeError
        An argument is neither an array nor a number, or a function depends on more than its own code.
    """
    text, functions = source
    return submit(WITHOUT, _compile, text, [_described(each) for each in arguments], compile.packed(functions))


def submit(without: str, function: Callable[..., None], *arguments: object) -> Compilation:
    """Have a function of a module called in another process; raises an OSError if there can be none."""
    wanted = Compilation(without, function, *arguments)
    with _lock:
        idle = len(_compilers) - len(_unfinished)
        most = max(min(2, pool.threads()), min(MOST, pool.threads() - 1))  # a loop is not to hold up all kernels
        if idle <= 0 and len(_compilers) < most:
            _compilers.append(_Compiler())
        _unfinished.add(wanted)
        _queue.put(wanted)
    return wanted


def stop() -> None:
    """End the processes at once, without what they were to compile."""
    with _lock:
        compilers = _compilers[:]
        _forget()
    for compiler in compilers:
        compiler.process.kill()
        compiler.process.wait()


def _forget() -> None:
    global _queue, _unfinished
    for each in _unfinished:
        each.lost = True
    _queue, _unfinished = SimpleQueue(), WeakSet()
    _compilers.clear()


def _forget_after_fork() -> None:
    """Threads do not survive a fork; the processes are those of the parent."""
    global _lock
    for compiler in _compilers:
        compiler.abandon()
        compiler.process.returncode = 0  # not ours to wait for
    _lock = threading.Lock()
    _forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


class _Compiler:
    """A process, and the thread that passes it one text after the other: signals do not reach that thread."""

    def __init__(self) -> None:
        places = [str(SEARCHED), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (it is read when the process has ended)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise
        threading.Thread(target=self._work, args=(_queue,), daemon=True, name="grblas_gpu compiler").start()

    def _work(self, queue: SimpleQueue[Compilation]) -> None:
        while (wanted := self._next(queue)) is not None:
            with _lock:
                wanted.begun = not wanted.lost
                if wanted.lost:
                    _unfinished.discard(wanted)
                    continue
            try:
                problem = self._compile(wanted)
            except OSError:  # it has ended
                problem = None
            with _lock:
                _unfinished.discard(wanted)
            if problem is None:
                self._break(queue, wanted)
                break
            wanted.end(problem)
            del wanted
        self.abandon()
        self.process.wait()
        self._errors.close()

    def _next(self, queue: SimpleQueue[Compilation]) -> Compilation | None:
        with contextlib.suppress(Empty):
            return queue.get(timeout=IDLE)
        with _lock:
            if queue.empty():
                if self in _compilers:
                    _compilers.remove(self)
                return None
        return queue.get()

    def _compile(self, wanted: Compilation) -> str | None:
        """The problem, which may be empty; None if the process has ended."""
        assert self.process.stdin is not None and self.process.stdout is not None
        rest = memoryview(pickle.dumps(wanted.call))
        while rest:
            rest = rest[self.process.stdin.write(rest) :]
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer.endswith(b"\n") else None

    def _break(self, queue: SimpleQueue[Compilation], wanted: Compilation) -> None:
        """The process has ended: all that it was to compile is lost, and this process compiles from now on."""
        global _broken
        with _lock:
            if self not in _compilers:  # it was stopped
                return
            _broken = True
            _forget()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        wanted.end(lines[-1] if lines else f"exit code {self.process.wait()}")

    def abandon(self) -> None:
        """Close the pipes: the process ends after its current text."""
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def _described(argument: object) -> object:
    """An argument without its values: its type for :func:`_numba_type`."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return argument.dtype, argument.ndim, layout, not flags.writeable, flags.aligned
    if isinstance(argument, (bool, int, float, complex, np.generic)):
        return type(argument)(0)
    raise TypeError(f"kernels take arrays and numbers; got {type(argument).__name__}")


def _numba_type(described: object) -> object:
    import numba

    if not isinstance(described, tuple):
        return numba.typeof(described)
    dtype, ndim, layout, readonly, aligned = described
    return numba.types.Array(numba.from_dtype(dtype), ndim, layout, readonly=readonly, aligned=aligned)


def _compile(text: str, types: list[object], functions: dict[str, bytes]) -> None:
    """Compile a text; if another process does so, wait for it and load the result."""
    from ..cuda.runtime.turns import turn

    with turn(text):
        kernel: compile.Dispatcher = compile.load(text, compile.unpacked(functions))
        kernel.compile(tuple(map(_numba_type, types)))


def _problem(function: Callable[..., None], *arguments: object) -> str:
    """The problem of a call, if there is one."""
    try:
        function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
    return ""


def main() -> None:
    """Compile what comes on standard input until it ends, and answer on standard output."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever is printed meanwhile is no answer
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(NICENESS)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            print(json.dumps(_problem(*pickle.load(sys.stdin.buffer))), file=answers, flush=True)


if __name__ == "__main__":
    main()
