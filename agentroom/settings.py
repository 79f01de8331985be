"""Settings of the room server: environment-driven, one file, grouped by what they are about."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from agentroom.core import logs

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    return default if not value else value in {"1", "true", "yes", "on"}


def _number(name: str, default: int) -> int:
    return int(os.environ.get(name, "").strip() or default)


def _words(name: str) -> list[str]:
    return [word for word in os.environ.get(name, "").replace(",", " ").split() if word]


# --- Where it runs -----------------------------------------------------------------------------------------

DATABASE_URL = os.environ.get("DATABASE_URL", "").strip()
REDIS_URL = os.environ.get("REDIS_URL", "").strip()
AGENTROOM_PROFILE = os.environ.get("AGENTROOM_PROFILE", "").strip() or ("full" if DATABASE_URL else "embedded")
EMBEDDED = AGENTROOM_PROFILE == "embedded"
AGENTROOM_DATA = Path(os.environ.get("AGENTROOM_DATA", "").strip() or ".data")
if not AGENTROOM_DATA.is_absolute():
    AGENTROOM_DATA = BASE_DIR / AGENTROOM_DATA
AGENTROOM_DATA.mkdir(mode=0o700, parents=True, exist_ok=True)

AGENTROOM_HOST = os.environ.get("HOST", "").strip() or "127.0.0.1"
AGENTROOM_PORT = _number("PORT", 8000)
AGENTROOM_BASE_URL = (os.environ.get("AGENTROOM_BASE_URL", "").strip() or f"http://127.0.0.1:{AGENTROOM_PORT}").rstrip(
    "/"
)
_base = urlsplit(AGENTROOM_BASE_URL)
HTTPS = _base.scheme == "https"
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ON_LOOPBACK = (_base.hostname or "") in {"localhost", "127.0.0.1", "::1"}

DEBUG = _flag("AGENTROOM_DEBUG")
# Peers (addresses or networks) whose X-Forwarded-For and X-Forwarded-Proto are believed; nobody by default.
AGENTROOM_TRUSTED_PROXIES = _words("AGENTROOM_TRUSTED_PROXIES")
AGENTROOM_VERSION = "1.0.0"


# --- Secrets -----------------------------------------------------------------------------------------------

INSECURE_KEY = "insecure-key-for-tools-that-serve-nobody"


def _kept_secret(path: Path) -> str:
    """A key made once and kept readable by its owner only; two first starts agree on one."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()


SECRET_KEY = os.environ.get("AGENTROOM_SECRET_KEY", "").strip() or (
    _kept_secret(AGENTROOM_DATA / "secret.key") if EMBEDDED else INSECURE_KEY
)
# Encrypts the passport signing keys at rest. Newest first; older ones only decrypt.
AGENTROOM_KEY_SECRETS = _words("AGENTROOM_KEY_SECRETS") or [SECRET_KEY]


# --- Apps and requests -------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "agentroom.core",  # first: its `runserver`, which is daphne, stands before that of staticfiles
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "identity",
    "rooms",
    "tasks",
    "agentroom.gateway",
    "agentroom.board",
]

MIDDLEWARE = [
    "agentroom.core.middleware.RequestFacts",
    "agentroom.core.middleware.PageSecurity",
    "agentroom.core.static.StaticFiles",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "identity.middleware.SessionLimits",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
]

ROOT_URLCONF = "agentroom.urls"
ASGI_APPLICATION = "agentroom.asgi.application"
DAPHNE_WEBSOCKET_MAX_FRAME_SIZE = 64 * 1024
DAPHNE_WEBSOCKET_MAX_MESSAGE_SIZE = 64 * 1024
APPEND_SLASH = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they lie in every profile: nothing to collect, nothing that can be stale.
WHITENOISE_USE_FINDERS = True

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
ALLOWED_HOSTS = [
    *dict.fromkeys(
        [
            f"[{_base.hostname}]" if ":" in (_base.hostname or "") else (_base.hostname or "localhost"),
            *(LOOPBACK_HOSTS if ON_LOOPBACK or EMBEDDED else []),
            *_words("AGENTROOM_ALLOWED_HOSTS"),
        ]
    )
]


# --- Database ----------------------------------------------------------------------------------------------

# Threads that run operations (tool calls, sockets) and threads that run Django's views; the pool fits both.
AGENTROOM_THREADS = _number("AGENTROOM_THREADS", 8)
AGENTROOM_VIEW_THREADS = _number("AGENTROOM_VIEW_THREADS", 8)
AGENTROOM_STATEMENT_TIMEOUT_MS = _number("AGENTROOM_STATEMENT_TIMEOUT_MS", 5000)


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 5,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON",
        },
        # A file: the in-memory database has no WAL and locks whole tables between threads.
        "TEST": {"NAME": path.with_name("test.sqlite3")},
    }


def _postgres(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    limits = {
        "lock_timeout": 3000 if AGENTROOM_STATEMENT_TIMEOUT_MS else 0,
        "statement_timeout": AGENTROOM_STATEMENT_TIMEOUT_MS,
        "idle_in_transaction_session_timeout": 10000,
        "plan_cache_mode": "force_generic_plan",
    }
    pool = {
        "min_size": 1,
        "max_size": _number("AGENTROOM_DB_POOL", AGENTROOM_THREADS + AGENTROOM_VIEW_THREADS + 2),
        "timeout": 2,
        # The pool doubles its pauses until it gives up; giving up early starts afresh with the next request.
        "reconnect_timeout": 3,
    }
    return {
        "ENGINE": "agentroom.core.postgres",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            "pool": pool,
            "connect_timeout": 2,
            "options": " ".join(f"-c {name}={value}" for name, value in limits.items()),
            **query,
        },
    }


def _database(url: str) -> dict[str, Any]:
    if not url:
        return _sqlite(AGENTROOM_DATA / "agentroom.sqlite3")
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        return _sqlite(Path(unquote(urlsplit(url).path)))
    if scheme in {"postgres", "postgresql"}:
        return _postgres(url)
    raise ValueError(f"DATABASE_URL: {scheme}:// is not supported; use postgresql:// or leave it empty")


DATABASES = {"default": _database(DATABASE_URL)}


# --- Redis, live updates, jobs -----------------------------------------------------------------------------

# Begins every key of ours, so that several servers (and tests) may share one Redis.
REDIS_PREFIX = os.environ.get("AGENTROOM_REDIS_PREFIX", "").strip() or "agentroom:"

IN_PROCESS_LAYER = EMBEDDED or not REDIS_URL
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "agentroom.core.layer.EmbeddedLayer"}
    if IN_PROCESS_LAYER
    else {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            # Without its own retry redis-py waits 4.6 s for a Redis that is away.
            "hosts": [{"address": REDIS_URL, "retry": Retry(NoBackoff(), 0), "socket_connect_timeout": 1}],
            "prefix": REDIS_PREFIX,
        },
    }
}

# Attempts to sign in are counted here. Far more entries than Django's 300: whoever tries many addresses must not make
# the count of one of them be forgotten.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "agentroom.core.cache.SharedCache" if REDIS_URL else "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": f"{REDIS_PREFIX}cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    }
}

CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "agentroom"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = 30
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_TIMEOUT = 2
# The restore sweep runs every interval x throttle: at the defaults that is a hundred seconds, not ten.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 120,
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
    "global_keyprefix": REDIS_PREFIX,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
}
CELERY_TIMEZONE = "UTC"


# --- People: accounts, sessions, mail ----------------------------------------------------------------------

AUTH_USER_MODEL = "identity.Owner"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"

ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_ADAPTER = "identity.adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "identity.forms.SignUpForm"}
# Without a password a person signs in by e-mailed code.
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1"]
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 600
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Agent Room] "
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Agent Room"
USERSESSIONS_TRACK_ACTIVITY = False

SESSION_ENGINE = "django.contrib.sessions.backends.db"
# The longest a session may live; identity.middleware ends it earlier when it is idle.
SESSION_COOKIE_AGE = 7 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-agentroom" if HTTPS else "agentroom"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_NAME = "__Host-agentroom-csrf" if HTTPS else "agentroom-csrf"
CSRF_TRUSTED_ORIGINS = [AGENTROOM_BASE_URL]
CSRF_FAILURE_VIEW = "agentroom.board.failures.csrf_refused"

EMAIL_URL = os.environ.get("EMAIL_URL", "").strip()
DEFAULT_FROM_EMAIL = os.environ.get("AGENTROOM_MAIL_FROM", "").strip() or (f"Agent Room <agentroom@{_base.hostname}>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_FILE_PATH = AGENTROOM_DATA / "mail"
EMAIL_BACKEND = "agentroom.core.mail.ConsoleAndFolder"
if EMAIL_URL:
    _mail = urlsplit(EMAIL_URL)
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = _mail.hostname or "localhost"
    EMAIL_HOST_USER = unquote(_mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
    EMAIL_USE_SSL = _mail.scheme == "smtps"
    EMAIL_USE_TLS = _mail.scheme in {"smtp+tls", "submission"}
    EMAIL_PORT = _mail.port or (465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25)
    EMAIL_TIMEOUT = 10


# --- Logs --------------------------------------------------------------------------------------------------

AGENTROOM_LOG_LEVEL = os.environ.get("AGENTROOM_LOG_LEVEL", "").strip().upper() or "INFO"
LOGGING = logs.configuration(AGENTROOM_LOG_LEVEL)


# --- Security headers --------------------------------------------------------------------------------------

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "no-referrer"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
X_FRAME_OPTIONS = "DENY"
# Where browsers report what the policy refused; set by tests.
CSP_REPORT_URI: str = os.environ.get("AGENTROOM_CSP_REPORT_URI", "").strip()
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]


# --- The product -------------------------------------------------------------------------------------------

PLATE_PREFIX = os.environ.get("AGENTROOM_PLATE_PREFIX", "").strip() or "BRNL-AGT-"
# Bearer credentials as ?key= in the connection address, for clients that cannot send a header.
AGENTROOM_URL_KEYS = _flag("AGENTROOM_URL_KEYS", default=EMBEDDED)
# Origins of web pages, besides our own, that may call /mcp.
MCP_ALLOWED_ORIGINS = _words("AGENTROOM_MCP_ORIGINS")
# Tools, prompts and resources of the official conformance suite, for tests; refused beyond loopback.
MCP_CONFORMANCE_FIXTURES = _flag("AGENTROOM_CONFORMANCE_FIXTURES")
# Off only for measurements.
RATE_LIMITS_ENABLED = _flag("AGENTROOM_RATE_LIMITS", default=True)
# Fault tests move the server's view of the database clock with this; zero for everyone else.
CLOCK_OFFSET_SECONDS = _number("AGENTROOM_CLOCK_OFFSET_SECONDS", 0)

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}
