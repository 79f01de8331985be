"""What templates may say: icons, times, the rail, the settings of htmx."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agentroom.board.headlines import headline as headline_of
from agentroom.board.rail import rail_of
from agentroom.board.words import ago
from agentroom.board.words import for_people as words_for_people
from agentroom.core.errors import PublicError

register = template.Library()

THEMES = frozenset({"light", "dark"})
THEME_COOKIE = "agentroom-theme"

# reliability.md 3.4: nothing in a page may become code, ask another server, or leave a copy in local storage.
HTMX = {
    "allowEval": False,
    "allowScriptTags": False,
    "selfRequestsOnly": True,
    "historyEnabled": False,
    "historyCacheSize": 0,
    "includeIndicatorStyles": False,
    "defaultSettleDelay": 0,
    "responseHandling": [
        {"code": "204", "swap": False},
        {"code": "[23]..", "swap": True},
        {"code": "[45]..", "swap": True, "error": True, "target": "#notices", "swapOverride": "innerHTML"},
    ],
}
# The digest of the htmx that django-htmx ships; a test compares it with the file.
HTMX_INTEGRITY = "sha384-H5SrcfygHmAuTDZphMHqBJLc3FhssKjG7w/CeCpFReSfwBWDTKpkzPP8c+cLsK+V"


@register.simple_tag
def htmx_config() -> str:
    return json.dumps(HTMX)


@register.simple_tag
def htmx_integrity() -> str:
    return HTMX_INTEGRITY


@register.filter
def theme(request: HttpRequest | None) -> str:
    """The chosen theme; empty follows the system."""
    chosen = request.COOKIES.get(THEME_COOKIE, "") if request else ""
    return chosen if chosen in THEMES else ""


@register.filter
def for_people(message: str) -> str:
    return words_for_people(message)


@register.filter
def headline(error: PublicError) -> str:
    return headline_of(error)


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """A drawing of the sprite; without a label it is decoration."""
    if label:
        return format_html(
            '<svg class="icon i-{0}" role="img" aria-label="{1}"><use href="#i-{0}"/></svg>', name, label
        )
    return format_html('<svg class="icon i-{0}" aria-hidden="true"><use href="#i-{0}"/></svg>', name)


@register.simple_tag
def when(instant: datetime | None) -> SafeString | str:
    """A relative time with the exact instant on hover; board.js keeps it true."""
    if instant is None:
        return ""
    exact = instant.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(timespec="seconds"),
        exact.strftime("%Y-%m-%d %H:%M:%S UTC"),
        ago(instant, timezone.now()),
    )


@register.inclusion_tag("board/_rail.html")
def rail(request: HttpRequest) -> dict[str, Any]:
    return rail_of(request)


@register.inclusion_tag("board/_input.html", takes_context=True)
def field(context: template.Context, name: str, label: str, kind: str = "text", **options: Any) -> dict[str, Any]:
    """A labelled box. Its value is what was posted, else what the record says; its problem stands below it."""
    error = context.get("error")
    return {
        "name": name,
        "label": label,
        "kind": kind,
        "value": (context.get("values") or {}).get(name, ""),
        "problem": error.fields.get(name) if error else None,
        **options,
    }
