"""What import-linter cannot say: parts of Django, where the queue may be named, and that no package is forgotten."""

from __future__ import annotations

import tomllib

from tests.architecture.sources import APPS, CHECKOUT, PACKAGES, layer_of, product_files, python_files

RULES = {"operations", "models", "lifecycle", "policies"}
MAY_IMPORT_CELERY = {"agentroom/__init__.py", "agentroom/celery.py"}


def test_rules_know_nothing_of_django_s_http():
    found = [
        f"{source.path}:{line} {name}"
        for source in product_files()
        if layer_of(source) in RULES
        for line, name in source.imports()
        if name.startswith(("django.http", "django.shortcuts", "django.views"))
    ]
    assert not found


def test_only_core_and_jobs_know_the_queue():
    found = [
        f"{source.path}:{line} {name}"
        for source in product_files()
        if source.path not in MAY_IMPORT_CELERY
        and not source.path.startswith("agentroom/core/")
        and source.parts[-1] != "jobs"
        for line, name in source.imports()
        if name.split(".")[0] == "celery" or name.startswith("agentroom.celery")
    ]
    assert not found


def test_the_product_imports_no_test():
    found = [
        f"{source.path}:{line} {name}"
        for source in product_files()
        for line, name in source.imports()
        if name.split(".")[0] == "tests"
    ]
    assert not found


def test_every_package_stands_in_the_contracts():
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]
    present = {source.parts[0] for source in python_files()} & set(PACKAGES)
    assert set(contracts["root_packages"]) == present
    inside = next(contract for contract in contracts["contracts"] if "containers" in contract)
    assert set(inside["containers"]) == present & set(APPS)
