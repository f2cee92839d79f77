"""The plain form of a loop's kernel, which runs while the optimized one is compiled, gives the same results."""

import importlib

import nvrtc
import pytest
from chain_bodies import CHAINS
from emulated_engine import CUDA
from gather_bodies import GATHERS
from loop_bodies import BODIES
from loop_cases import check_fused, graphs, made_of
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu.backends.cuda.runtime.nvrtc import OPTIONS, QUICK

EVERY_BODY = {**BODIES, **CHAINS, **GATHERS, **NESTED}
QUICK_CASES = {"levels", "parents", "components"}


@pytest.mark.emulated
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK_CASES else pytest.mark.slow) for name in EVERY_BODY]
)
def test_same_results(to_device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    launchers = importlib.import_module(f"{CUDA}.fusion.compiled").Launcher
    for blocks in (1, 3):
        monkeypatch.setattr(launchers, "blocks", blocks)
        with gb.config.set(compile="quick"):
            for graph in ("directed", "path", "kronecker"):
                check_fused(EVERY_BODY[name], graphs()[graph], to_device)


@pytest.mark.emulated
def test_a_run_goes_on_in_the_optimized_kernel(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands still but for looks at it ends the slice of time of the plain kernel after 16 levels."""
    tiers = importlib.import_module(f"{CUDA}.runtime.tiers")
    functions_of, compiled = tiers.functions_of, []

    def clocked(text: str, *how):
        compiled.append(("#define PLAIN 1" in text, text.count(CLOCK), text.count(SLICE)))
        if len(compiled) == 1:
            gb.config.set(compile="wait")
            text = text.replace(CLOCK, CLOCK.replace("return 0", RETURN)).replace(SLICE, "TIME_SLICE = 25;")
        return functions_of(text, *how)

    monkeypatch.setattr(tiers, "functions_of", clocked)
    with gb.config.set(compile="quick"):
        check_fused(BODIES["levels"], graphs()["path"], to_device)
    assert compiled == [(True, 1, 1), (False, 1, 1)]


CLOCK, SLICE = "    return now;\n#else\n    return 0;", "TIME_SLICE = 200000000;"
RETURN = "static uint64 looks = 0;\n    return looks += threadIdx.x == 0 ? 10 : 0"


@pytest.mark.nvrtc
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK_CASES else pytest.mark.slow) for name in EVERY_BODY]
)
def test_plain_forms_compile(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def both(passes, body) -> tuple[str, str]:
        parts = passes.kernel_of(body).parts
        return parts.of(True, True), parts.of(True, True, plain=True)

    (text, plain) = made_of({name: EVERY_BODY[name]}, monkeypatch, both)[name]
    assert plain != text or name not in QUICK_CASES
    assert nvrtc.compile_cuda(plain, nvrtc.USUAL, (*OPTIONS, *QUICK), ptx=True)
