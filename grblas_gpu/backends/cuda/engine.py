"""The CUDA engine: its operations, each of which says when it is called and what did not fit."""

from __future__ import annotations

import functools
from typing import Any

import cupy

from ...errors import OutOfMemory
from ...ir import recording
from .operations import CudaOperations
from .runtime import workspace as scratch


def reported(method: Any) -> Any:
    """A method that a loop being recorded hears of, and that says how much memory would have fit."""
    name = method.__name__

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if recording.active and (recorder := recording.current()) is not None:
            recorder.engine_call(name)
        try:
            return method(*args, **kwargs)
        except BaseException as error:
            scratch.forget()  # nobody knows what is set there
            if not isinstance(error, cupy.cuda.memory.OutOfMemoryError):
                raise
            raise OutOfMemory(f"{name} on the device: {error}; {_free_bytes():,} bytes are free") from None

    return call


def _free_bytes() -> int:
    """What CuPy could still get: free memory of the device, and of its pool."""
    return int(cupy.cuda.runtime.memGetInfo()[0]) + int(cupy.get_default_memory_pool().free_bytes())


class CudaBackend(CudaOperations):
    """The engine. A loop may make vectors, look at its graph and run, so what does that is not reported."""

    array = reported(CudaOperations.array)
    host = reported(CudaOperations.host)
    share = reported(CudaOperations.share)
    adopt = reported(CudaOperations.adopt)
    export = reported(CudaOperations.export)
    copy = reported(CudaOperations.copy)
    empty_matrix = reported(CudaOperations.empty_matrix)
    mxv = reported(CudaOperations.mxv)
    pull_in_place = reported(CudaOperations.pull_in_place)
    mxm = reported(CudaOperations.mxm)
    count_edges = reported(CudaOperations.count_edges)
    inner = reported(CudaOperations.inner)
    outer = reported(CudaOperations.outer)
    kronecker = reported(CudaOperations.kronecker)
    ewise_add = reported(CudaOperations.ewise_add)
    ewise_mult = reported(CudaOperations.ewise_mult)
    ewise_union = reported(CudaOperations.ewise_union)
    apply = reported(CudaOperations.apply)
    apply_bind = reported(CudaOperations.apply_bind)
    apply_index = reported(CudaOperations.apply_index)
    select = reported(CudaOperations.select)
    reduce_scalar = reported(CudaOperations.reduce_scalar)
    reduce_rowwise = reported(CudaOperations.reduce_rowwise)
    transpose = reported(CudaOperations.transpose)
    cast = reported(CudaOperations.cast)
    extract_vector = reported(CudaOperations.extract_vector)
    extract_matrix = reported(CudaOperations.extract_matrix)
    extract_row = reported(CudaOperations.extract_row)
    extract_column = reported(CudaOperations.extract_column)
    diagonal = reported(CudaOperations.diagonal)
    diagonal_matrix = reported(CudaOperations.diagonal_matrix)
    as_matrix = reported(CudaOperations.as_matrix)
    spread = reported(CudaOperations.spread)
    resize_vector = reported(CudaOperations.resize_vector)
    resize_matrix = reported(CudaOperations.resize_matrix)
    with_kind = reported(CudaOperations.with_kind)
    write = reported(CudaOperations.write)
    assign = reported(CudaOperations.assign)
    replace_row = reported(CudaOperations.replace_row)
    replace_column = reported(CudaOperations.replace_column)
    get_element = reported(CudaOperations.get_element)
    set_element = reported(CudaOperations.set_element)
    remove_element = reported(CudaOperations.remove_element)
    build_vector = reported(CudaOperations.build_vector)
    build_matrix = reported(CudaOperations.build_matrix)
    tuples = reported(CudaOperations.tuples)
    to_dense = reported(CudaOperations.to_dense)
