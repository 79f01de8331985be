"""A second, literal account of how tasks live, and the machine that compares the product with it (T-02)."""

from __future__ import annotations
