"""Settings: python-graphblas's spelling (donfig's), and nothing that is not one."""

import sys

import pytest

from grblas_gpu.config import Config, config


def test_defaults_are_those_of_python_graphblas() -> None:
    graphblas = pytest.importorskip("graphblas")
    settings = Config({})
    assert {name: settings[name] for name in ("autocompute", "mapnumpy")} == {"autocompute": True, "mapnumpy": True}
    packaged: dict = {}
    for defaults in graphblas.config.defaults:
        packaged.update(defaults)
    assert packaged == {"autocompute": True, "mapnumpy": True}


def test_all_forms() -> None:
    settings = Config({})
    settings.set(autocompute=False)
    assert settings.get("autocompute") is settings["autocompute"] is False
    settings.set({"autocompute": True, "loops": "iterated"})
    assert settings == Config({}) | {"loops": "iterated"}
    settings.update({"loops": "auto"})
    settings["mapnumpy"] = False
    with settings.set({"loops": "recorded"}, autocompute=False) as inside:
        assert inside is settings
        settings.set(mapnumpy=True)  # stays, because the block did not set it
    assert settings.to_dict() == Config({}).to_dict()
    assert "autocompute" in settings
    assert "typo" not in settings
    assert settings.get("typo", 3) == settings.get("mine.typo", 3) == settings.get("loops.typo", 3) == 3
    settings.set(mine={"depth": 4})
    assert settings.get("mine.depth") == 4
    settings.set(read_limit=2**30)
    assert settings["read_limit"] == 2**30


def test_environment() -> None:
    settings = Config({"GRAPHBLAS_AUTOCOMPUTE": "false", "GRAPHBLAS_LOOPS": "iterated"})
    assert settings == Config({}) | {"autocompute": False, "loops": "iterated"}
    settings.set(autocompute=True)
    settings.refresh()
    assert settings["autocompute"] is False
    with pytest.raises(ValueError, match="autocompute"):
        Config({"GRAPHBLAS_AUTOCOMPUTE": "perhaps"})


@pytest.mark.parametrize(
    ("error", "mistake"),
    [
        (KeyError, lambda c: c.get("typo")),
        (KeyError, lambda c: c["typo"]),
        (KeyError, lambda c: c.set(autcompute=1)),
        (AttributeError, lambda c: setattr(c, "autocompute", False)),
        (KeyError, lambda c: c.set({"autocompute": False, "red_limit": 1})),
        (KeyError, lambda c: c.update(loop=1)),
        (ValueError, lambda c: c.set(autocompute=1)),
        (ValueError, lambda c: c.set(autocompute="yes")),
        (ValueError, lambda c: c.set(read_limit=True)),
        (ValueError, lambda c: c.set(mapnumpy=False, loops="sometimes")),
        (TypeError, lambda c: c.pop("loops")),
        (TypeError, lambda c: c.clear()),
    ],
)
def test_mistakes_change_nothing(error: type[Exception], mistake: object) -> None:
    settings = Config({})
    before = settings.to_dict()
    with pytest.raises(error):
        mistake(settings)  # type: ignore[operator]
    assert settings.to_dict() == before


def test_settings_of_other_programs_are_kept(capsys) -> None:
    settings = Config({})
    with settings.set(nthreads=4):
        assert settings.get("nthreads") == 4
    with pytest.raises(KeyError):
        settings.get("nthreads")
    settings.merge({"nthreads": 2, "autocompute": False}, {"nthreads": 3})
    settings.pprint()
    assert settings["nthreads"] == 3 and "'nthreads': 3" in capsys.readouterr().out
    settings.refresh()
    assert settings["autocompute"] is True


def test_an_interrupt_at_the_end_of_a_block() -> None:
    """Settings go back when the interrupt has been handled, although ``__exit__`` did not run."""

    def at_exit(frame, event: str, _) -> None:
        if frame.f_code.co_name == "__exit__":
            raise KeyboardInterrupt

    before = config["loops"]
    sys.settrace(at_exit)
    try:
        with config.set(loops="iterated"):
            pass
    except KeyboardInterrupt:
        assert config["loops"] == "iterated"
    finally:
        sys.settrace(None)
    assert config["loops"] == before
