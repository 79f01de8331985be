"""Files and functions stay small enough to read in one go; run as a module, this lists the biggest."""

from __future__ import annotations

from tests.architecture.sources import Source, python_files

SOURCE_LINES = 250
TEST_LINES = 350
FUNCTION_LINES = 40
# A long list of settings in one place is easier to read than several short ones.
EXEMPT = {"agentroom/settings.py", "agentroom/host/settings.py"}


def test_no_file_is_longer_than_its_ceiling():
    too_long = [
        f"{path}: {lines} lines, at most {ceiling}"
        for lines, path, ceiling in _file_sizes()
        if lines > ceiling and path not in EXEMPT
    ]
    assert not too_long, _report(too_long)


def test_no_function_is_longer_than_forty_lines():
    too_long = [f"{where}: {lines} lines" for lines, where in _function_sizes() if lines > FUNCTION_LINES]
    assert not too_long, _report(too_long)


def _file_sizes() -> list[tuple[int, str, int]]:
    return sorted(
        (
            (len(source.text.splitlines()), source.path, TEST_LINES if source.is_test else SOURCE_LINES)
            for source in _written_by_hand()
        ),
        reverse=True,
    )


def _function_sizes() -> list[tuple[int, str]]:
    return sorted(
        (
            (function.end_lineno - function.lineno + 1, f"{source.path}:{function.lineno} {function.name}")
            for source in _written_by_hand()
            for function in source.functions()
        ),
        reverse=True,
    )


def _written_by_hand() -> list[Source]:
    return [source for source in python_files() if not source.is_migration]


def _report(broken: list[str]) -> str:
    return "\n".join([*broken, "", *_biggest()])


def _biggest() -> list[str]:
    files = [f"{lines:5} {path}" for lines, path, _ in _file_sizes()[:10]]
    functions = [f"{lines:5} {where}" for lines, where in _function_sizes()[:10]]
    return ["The ten biggest files:", *files, "The ten biggest functions:", *functions]


if __name__ == "__main__":
    print("\n".join(_biggest()))
