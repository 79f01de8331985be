"""Names say what the thing is; words that fit anything are not names."""

from __future__ import annotations

import ast
import re

from tests.architecture.sources import CHECKOUT, product_files, python_files, tracked

TOP_LEVEL = {
    *{"manage.py", "agentroom", "rooms", "tasks", "identity", "files", "feedback", "templates", "static"},
    *{"tests", "requirements.txt", "README.md", "LICENSE", "SECURITY.md", "CONTRIBUTING.md", "Makefile"},
    *{"pyproject.toml", "docs", "deploy", ".ci", ".gitignore"},
}
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "service"}
# An owner's handle is a word of the house: handle_of names one.
EMPTY_FUNCTION = re.compile(r"_*(handle_(?!of\b)|process_|.*_action$|action$)")
# Asked for under exactly these names by Django, uvicorn and channels.
GIVEN_NAMES = {"process_view", "process_exception", "process_template_response", "handle_exit", "log_action"}
EMPTY_CLASS = re.compile(r"(Service|Helper|Utils?)$")


def test_the_top_level_holds_only_what_the_architecture_names():
    assert {path.split("/")[0] for path in tracked()} <= TOP_LEVEL


def test_no_module_is_named_by_a_word_that_fits_anything():
    named = [source.path for source in product_files() if EMPTY_WORDS & set(source.parts)]
    assert not named


def test_no_function_or_class_is_named_by_a_word_that_fits_anything():
    empty = [
        f"{source.path}:{node.lineno} {node.name}"
        for source in product_files()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and _is_empty(node)
    ]
    assert not empty, "\n".join(empty)


def test_every_module_begins_with_a_docstring_of_at_most_eight_lines_and_the_future_annotations():
    wrong = []
    for source in python_files():
        is_bare_test_package = source.is_test and source.parts[-1] == "__init__"
        if source.is_migration or not source.tree.body or is_bare_test_package:
            continue
        docstring = ast.get_docstring(source.tree)
        if not docstring or len(docstring.splitlines()) > 8:
            wrong.append(f"{source.path}: say in one to three lines what the module is for")
        imports_future = any(name == "__future__.annotations" for _, name in source.imports())
        if len(source.tree.body) > 1 and not imports_future:
            wrong.append(f"{source.path}: from __future__ import annotations")
    assert not wrong, "\n".join(wrong)


def test_no_test_is_skipped_or_expected_to_fail():
    words = ("pytest.mark." + "skip", "pytest." + "skip", "pytest.mark." + "xfail", "import" + "orskip")
    found = [
        f"{source.path}: {word}"
        for source in python_files()
        for word in words
        if source.is_test and word in source.text
    ]
    assert not found


def test_ci_runs_what_contributors_run():
    assert "make test" in (CHECKOUT / ".ci/run").read_text()


def _is_empty(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    if isinstance(node, ast.ClassDef):
        return bool(EMPTY_CLASS.search(node.name))
    return bool(EMPTY_FUNCTION.match(node.name)) and node.name not in GIVEN_NAMES
