"""The command line as a user sees it: exit code, standard output, standard error."""

from grblas_gpu.cli import main


def run(capsys, line, *more):
    """Exit code, standard output and standard error of a command."""
    code = main([*line.split(), *map(str, more)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def one_line_error(capsys, line, *more, match, exit_code=1):
    code, out, err = run(capsys, line, *more)
    assert code == exit_code
    assert out == ""
    assert err.startswith("grblas-gpu: error: ")
    assert err.count("\n") == 1
    assert match in err
