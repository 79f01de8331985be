"""Admin, health, and the two doors."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from agentroom.core import failures, health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("healthz/deep", health.deep),
    path("admin/", admin.site.urls),
    path("", include("agentroom.gateway.urls")),
]

handler500 = failures.server_error
