"""The security headers of every response, and the content policy of a page."""

from __future__ import annotations

from django.conf import settings

# What nobody needs: JSON, static files, downloads, refusals. A page replaces it with `page_policy`.
CLOSED_POLICY = (
    "default-src 'none'; script-src 'none'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

ALWAYS: dict[str, str] = {
    "Content-Security-Policy": CLOSED_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
if settings.HTTPS:
    ALWAYS["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"


def page_policy(script: str, form_action: str = "'self'") -> str:
    """Default none. `script` is the one source of scripts: a nonce for our pages. A page whose form ends in a
    redirect to another origin (a client's own address) names that origin in `form_action`."""
    policy = (
        f"default-src 'none'; script-src {script}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action {form_action}; "
        "frame-ancestors 'none'"
    )
    return f"{policy}; report-uri {settings.CSP_REPORT_URI}" if settings.CSP_REPORT_URI else policy
