"""Registers the board app."""

from __future__ import annotations

from django.apps import AppConfig


class BoardConfig(AppConfig):
    name = "agentroom.board"
    label = "board"
