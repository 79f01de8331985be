"""Registers the gateway app."""

from __future__ import annotations

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    name = "agentroom.gateway"
    label = "gateway"
