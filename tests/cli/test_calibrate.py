"""``calibrate``: what it measures is kept, and what is damaged or of other hardware is not used."""

import json
from pathlib import Path

import pytest
from command_line import run


@pytest.fixture
def cache_folder(monkeypatch, tmp_path):
    """Nothing is measured yet, and what is stays in this test."""
    from grblas_gpu.backends.machine import calibration

    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(calibration, "_current", dict(calibration.DEFAULTS))
    return tmp_path


def test_calibrate(capsys, cache_folder):
    from grblas_gpu.backends.machine import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    assert calibration.start("cpu") == CPU_COSTS
    code, out, _ = run(capsys, "calibrate --backend cpu --scale 8 --json")
    found = json.loads(out)
    assert code == 0 and found["backend"] == "cpu" and Path(found["file"]) == cache_folder / "costs.json"
    names = ("push_edge", "pull_row", "pull_probe", "mxm_product")
    assert all(calibration.LEAST <= found[name] <= calibration.MOST for name in names)
    started = calibration.start("cpu")  # as the next process does
    assert {name: getattr(started, name) for name in names} == {name: found[name] for name in names}
    assert started.batch_size == CPU_COSTS.batch_size
    shown = json.loads(run(capsys, "calibrate --backend cpu --show --json")[1])
    assert {name: shown[name] for name in names} == {name: found[name] for name in names}
    assert run(capsys, "calibrate --backend cpu --reset")[0] == 0
    assert json.loads((cache_folder / "costs.json").read_text()) == {}


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", '{"cpu:%s": 7}', '{"cpu:%s": {"push_edge": NaN, "pull_row": "x"}}']
)
def test_damaged_costs_are_ignored(cache_folder, content):
    from grblas_gpu.backends.machine import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    (cache_folder / "costs.json").write_text(content.replace("%s", calibration.hardware("cpu")))
    assert calibration.start("cpu") == CPU_COSTS


def test_costs_of_other_hardware_are_ignored(cache_folder):
    from grblas_gpu.backends.machine import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    (cache_folder / "costs.json").write_text('{"cpu:another": {"push_edge": 9.0}}')
    assert calibration.start("cpu") == CPU_COSTS
    calibration.keep("cpu", {"push_edge": 9.0})
    assert calibration.start("cpu").push_edge == 9.0
    assert "cpu:another" in json.loads((cache_folder / "costs.json").read_text())
