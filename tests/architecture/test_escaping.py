"""What a human sees is inert: nothing escapes the escaping, and no page carries script of its own."""

from __future__ import annotations

import re

from tests.architecture.sources import CHECKOUT, product_files, tracked

# The one audited place that turns stored text into HTML.
RENDERER = "agentroom/board/markdown.py"
RAW_IN_PYTHON = re.compile(r"\bmark_safe\b|\bSafe(String|Text|Data)\(|autoescape\s*=\s*False")
RAW_IN_TEMPLATES = re.compile(r"\|\s*safe(seq)?\b|autoescape\s+off|\{%\s*filter\s+safe")
ACTIVE_IN_TEMPLATES = re.compile(
    r"\son[a-z]+\s*=|javascript:|\shx-on|\shx-vals\s*=\s*[\"']js:|\sstyle\s*=|<script(?![^>]*(\bsrc\s*=|nonce))", re.I
)
ACTIVE_IN_SCRIPTS = re.compile(r"\beval\s*\(|new\s+Function\s*\(|document\.write")


def test_python_marks_nothing_safe_outside_the_audited_renderer():
    found = [source.path for source in product_files() if source.path != RENDERER and RAW_IN_PYTHON.search(source.text)]
    assert not found


def test_templates_switch_no_escaping_off():
    assert not _matches(_templates(), RAW_IN_TEMPLATES)


def test_templates_carry_no_inline_script_or_style():
    assert not _matches(_templates(), ACTIVE_IN_TEMPLATES)


def test_our_scripts_evaluate_no_text():
    scripts = [path for path in tracked() if path.endswith(".js") and "vendor" not in path and "min" not in path]
    assert not _matches(scripts, ACTIVE_IN_SCRIPTS)


def _templates() -> list[str]:
    return [path for path in tracked() if path.endswith((".html", ".txt")) and "templates/" in path]


def _matches(paths: list[str], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{number} {line.strip()}"
        for path in paths
        for number, line in enumerate((CHECKOUT / path).read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
