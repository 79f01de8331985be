"""Bearer credentials as text: `art_<public prefix>_<secret>`. Only a hash of the secret is ever stored."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass

from agentroom.core.digest import sha256_hex

MARK = "art_"
FORM = re.compile(r"art_(?P<prefix>[0-9a-f]{12})_(?P<secret>[A-Za-z0-9_-]{32})")
PREFIX_BYTES = 6
SECRET_BYTES = 24  # 192 bits: guessing is hopeless, so a plain hash is enough at rest (AR-6.3)


@dataclass(frozen=True, slots=True)
class NewToken:
    prefix: str
    secret_hash: str
    text: str


def make() -> NewToken:
    """A fresh credential; `text` is shown once and never stored."""
    prefix, secret = secrets.token_hex(PREFIX_BYTES), new_secret()
    return NewToken(prefix, hash_of(secret), f"{MARK}{prefix}_{secret}")


def new_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """What is stored instead of a secret."""
    return sha256_hex(secret.encode(errors="replace"))


def is_credential(text: str) -> bool:
    return text.startswith(MARK)


def split(text: str) -> tuple[str, str]:
    """(public prefix, secret); both empty when the text has no such form."""
    found = FORM.fullmatch(text)
    return (found["prefix"], found["secret"]) if found else ("", "")


def matches(secret: str, secret_hash: str) -> bool:
    return hmac.compare_digest(hash_of(secret), secret_hash)
