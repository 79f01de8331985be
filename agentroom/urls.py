"""Admin, health, and the two doors."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from agentroom.core import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive),
    path("readyz", health.ready),
    path("healthz/deep", health.deep),
    path("admin/", admin.site.urls),
    path("", include("agentroom.gateway.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("", include("agentroom.board.urls")),
]

handler403 = "agentroom.board.failures.forbidden"
handler404 = "agentroom.board.failures.not_found"
handler500 = "agentroom.board.failures.server_error"
