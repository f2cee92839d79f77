"""Kernels compiled ahead of time: an archive takes the place of a compiler, unless others may have written it."""

import importlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import emulated_cupy
import nvrtc
import pytest
from command_line import run
from emulated_engine import CUDA, backend

import grblas_gpu as gb
from grblas_gpu.backends.cuda.runtime import archive
from grblas_gpu.cli import first_calls

KERNEL = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'


def sums_of_rows() -> list[int]:
    A = gb.Matrix.from_coo([0, 0, 2], [1, 2, 0], [3, 4, 5], nrows=3, ncols=3)
    return A.reduce_rowwise(gb.monoid.plus).new().to_coo()[1].tolist()


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with backend("emulated", monkeypatch) as name, gb.using(name):
        yield


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emulated: None) -> list[str]:
    """What a call compiles; nothing of it is known to the process afterwards."""
    monkeypatch.setenv(archive.RECORDED, str(tmp_path))
    assert sums_of_rows() == [7, 5]
    monkeypatch.delenv(archive.RECORDED)
    importlib.import_module(f"{CUDA}.runtime.compile").compiled.clear()
    emulated_cupy.sources.clear()
    return [path.read_text() for path in tmp_path.glob("*.cu")]


def write(programs: list[str], path: Path) -> None:
    archive.write(path, [(archive.member(text), emulated_cupy.build(text).read_bytes()) for text in programs])


@pytest.mark.emulated
def test_calls_load_what_an_archive_has(programs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert programs
    write(programs, tmp_path / "kernels-sm_0.zip")
    monkeypatch.setenv(archive.PLACES, str(tmp_path))
    assert sums_of_rows() == [7, 5]
    assert emulated_cupy.sources == []


@pytest.mark.emulated
def test_the_others_are_compiled(programs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(programs[1:], tmp_path / "some.zip")
    monkeypatch.setenv(archive.PLACES, str(tmp_path / "some.zip"))
    assert sums_of_rows() == [7, 5]
    assert emulated_cupy.sources == programs[:1]


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def open_to_all(path: Path) -> None:
    path.chmod(0o666)


def in_an_open_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def of_another_user(path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize("spoil", [damage, open_to_all, in_an_open_folder, of_another_user])
def test_files_that_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil) -> None:
    path = tmp_path / "kernels.zip"
    archive.write(path, [(archive.member(KERNEL), b"machine code")])
    monkeypatch.setenv(archive.PLACES, str(path))
    assert archive.find(KERNEL, "sm_1") == b"machine code"
    spoil(path)
    with pytest.warns(UserWarning, match="kernels.zip is not used"):
        assert archive.find(KERNEL, "sm_2") is None


def test_damaged_members_are_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kernels.zip"
    archive.write(path, [(archive.member(KERNEL), os.urandom(1000))])
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    monkeypatch.setenv(archive.PLACES, str(path))
    assert archive.find(KERNEL, "sm_3") is None


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
def test_build(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grblas_gpu.backends.cuda.runtime.nvrtc import OF_CUPY, OPTIONS, compile_program

    programs, path = tmp_path / "programs.zip", tmp_path / "kernels-sm_90.zip"
    texts = [KERNEL, KERNEL.replace("2", "3")]
    archive.write(programs, [(f"{archive.member(text)}.cu", text.encode()) for text in texts])
    command = f"kernels build --arch sm_90 --programs {programs} -o {path} --jobs 2 --json"
    code, out, _ = run(capsys, command)
    assert code == 0 and '"kernels": 2' in out
    monkeypatch.setenv(archive.PLACES, str(tmp_path))
    for text in texts:
        assert archive.find(text, "sm_90") == compile_program(text, "sm_90", (*OPTIONS, *OF_CUPY), oldest=True)
    first = path.read_bytes()
    assert run(capsys, command)[0] == 0
    assert path.read_bytes() == first
    with zipfile.ZipFile(programs, "a") as file:
        file.writestr("wrong.cu", "no program")
    code, _, message = run(capsys, command)
    assert code == 1 and "program.cu(1)" in message
    assert path.read_bytes() == first


def test_a_wheel_contains_the_archive(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip installs it, and processes find its kernels without a setting."""
    if nvrtc.library() is None:
        pytest.skip("there is no NVRTC here")
    programs, path = tmp_path / "programs.zip", tmp_path / "kernels-sm_90.zip"
    archive.write(programs, [("twice.cu", KERNEL.encode())])
    code, _, _ = run(capsys, f"kernels build --arch sm_90 --programs {programs} -o {path} --wheel")
    (wheel,) = tmp_path.glob("*.whl")
    assert code == 0 and wheel.name == archive.wheel_name("sm_90")
    place = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(place), str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.delenv(archive.PLACES, raising=False)
    assert archive.find(KERNEL, "sm_90") is None
    archive._opened.cache_clear()
    monkeypatch.syspath_prepend(str(place))
    with zipfile.ZipFile(path) as file:
        assert archive.find(KERNEL, "sm_90") == file.read(archive.member(KERNEL))
    archive._opened.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("build --programs p.zip", "--arch"),
        ("build --programs p.zip --arch hopper", "hopper"),
        ("build --arch sm_90", "--programs"),
        ("list", "--output"),
        ("warm --only nothing_like_it", "nothing_like_it"),
    ],
)
def test_wrong_arguments(capsys, arguments: str, problem: str) -> None:
    code, _, message = run(capsys, f"kernels {arguments}")
    assert code == 2 and problem in message


@pytest.mark.emulated
def test_there_is_no_gpu(capsys, tmp_path: Path) -> None:
    code, _, message = run(capsys, f"kernels list --only ^bfs$ -o {tmp_path / 'programs.zip'}")
    assert code == 1 and "bfs fails" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gpu
def test_programs_that_a_gpu_lists_are_loaded(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed, compiled ahead of time, and then found by a process with empty caches."""
    import cupy

    architecture = f"sm_{cupy.cuda.Device().compute_capability}"
    programs, path = tmp_path / "programs.zip", tmp_path / archive.name_of(architecture)
    assert run(capsys, f"kernels list --only ^bfs$ -o {programs}")[0] == 0
    assert run(capsys, f"kernels build --arch {architecture} --programs {programs} -o {path}")[0] == 0
    compiled = {}
    for places in ("", str(path)):
        folder = tmp_path / f"cache {len(compiled)}"
        folder.mkdir()
        monkeypatch.setenv("CUPY_CACHE_DIR", str(folder))
        monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(folder))
        monkeypatch.setenv(archive.PLACES, places)
        given = (first_calls.SCALES, first_calls.TYPES, "cuda", folder, False, 300.0)
        found = first_calls.in_process("bfs", *given)
        assert found["errors"] == [] and found["compilations"] > 0
        compiled[places] = {each.name for each in folder.glob("*.cubin")}
    with zipfile.ZipFile(path) as file:
        of_cupy = {
            name.rpartition("/")[2] for name in file.namelist() if name.startswith(f"{archive.CUPY}{architecture}/")
        }
    assert of_cupy == compiled[str(path)] < compiled[""]  # no kernel is compiled, not even one of CuPy's own


@pytest.mark.parametrize("dtype", ["FP64", "BOOL"])
@pytest.mark.slow
def test_every_algorithm_has_a_first_call(dtype: str) -> None:
    """And ends without an error: new parameters without defaults need a value in the table."""
    with gb.using("numpy"):
        for name in first_calls.names():
            first_calls.call(name, first_calls.graph(name, 4, dtype))


def test_first_calls_in_a_process(tmp_path: Path) -> None:
    found = first_calls.in_process("transitivity", (4,), ("BOOL",), "numpy", tmp_path, True, 120.0)
    assert found["name"] == "transitivity" and found["errors"] == [] and len(found["seconds"]) == 1
    assert first_calls.in_process("transitivity", (4,), ("BOOL",), "numpy", tmp_path, True, 0.01)["errors"]


def test_kernels_of_cupy_go_to_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for this architecture, and none that the cache has."""
    cache, path = tmp_path / "cache", tmp_path / archive.name_of("sm_90")
    cache.mkdir()
    (cache / "one.cubin").write_bytes(b"old, of cupy_fill")
    (cache / "ours.cubin").write_bytes(b"of step_kernel")
    assert archive.from_cupy("sm_90", cache) == [("cupy-sm_90/one.cubin", b"old, of cupy_fill")]
    members = [("cupy-sm_90/one.cubin", b"new"), ("cupy-sm_90/two.cubin", b"two"), ("cupy-sm_80/three.cubin", b"three")]
    archive.write(path, members)
    monkeypatch.setenv(archive.PLACES, str(path))
    monkeypatch.setattr(archive.kernel_cache, "trusted_file", lambda path: True)
    archive._opened.cache_clear()
    for folder in (cache, tmp_path / "empty"):
        monkeypatch.setenv("CUPY_CACHE_DIR", str(folder))
        archive.lend_to_cupy("sm_90")
    archive._opened.cache_clear()
    assert {each.name: each.read_bytes() for each in cache.iterdir()} == {
        "one.cubin": b"old, of cupy_fill",
        "ours.cubin": b"of step_kernel",
        "two.cubin": b"two",
    }
    assert sorted(each.name for each in (tmp_path / "empty").iterdir()) == ["one.cubin", "two.cubin"]
