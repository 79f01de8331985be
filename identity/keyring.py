"""The signing keys: made on first use, encrypted at rest with a key from the environment, rotated by command."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q

from agentroom.core.clock import db_now
from identity.models import SigningKey


@dataclass(frozen=True, slots=True)
class Signer:
    kid: str
    private: Ed25519PrivateKey


def signing_key() -> Signer:
    """The newest key that is not retired; the first call on a new database makes one."""
    row = SigningKey.objects.filter(retired_at=None).order_by("-created_at").first() or _make()
    return Signer(row.kid, _decrypted(row.kid, bytes(row.private_encrypted)))


def public_key(kid: str) -> Ed25519PublicKey | None:
    """The public key of `kid`, or None when it is unknown or its window is over. Read from the database only."""
    row = SigningKey.objects.filter(kid=kid).values_list("public_raw", "refused_after").first()
    if row is None or (row[1] is not None and row[1] <= db_now()):
        return None
    return Ed25519PublicKey.from_public_bytes(bytes(row[0]))


def rotate(now: datetime, *, keep: timedelta) -> tuple[str, list[str]]:
    """Make a new signing key and retire the others, which verify for `keep` longer. The new kid, and the retired.

    A step of `operations.keys.rotate_keys`. A retired key signs nothing more, so its private half is not kept.
    """
    working = SigningKey.objects.filter(retired_at=None)
    retired = list(working.order_by("created_at").values_list("kid", flat=True))
    working.update(retired_at=now, private_encrypted=b"")
    # Also for keys retired earlier: a leaked key is to be refused at once, whenever it was retired.
    SigningKey.objects.filter(Q(refused_after=None) | Q(refused_after__gt=now + keep)).update(refused_after=now + keep)
    return _make().kid, retired


def seal(secret: bytes) -> bytes:
    """Encrypt a secret for storage."""
    return _vault().encrypt(secret)


def unseal(sealed: bytes) -> bytes:
    """Decrypt what `seal` made, with the present key or an older one still configured."""
    try:
        return _vault().decrypt(sealed)
    except InvalidToken as error:
        raise ImproperlyConfigured(
            "A secret in the database cannot be decrypted: AGENTROOM_KEY_SECRETS no longer holds the secret it was "
            "encrypted with. Add the old one behind the new one."
        ) from error


def _make() -> SigningKey:
    private = Ed25519PrivateKey.generate()
    raw = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return SigningKey.objects.create(kid=secrets.token_urlsafe(12), private_encrypted=seal(raw), public_raw=public)


@lru_cache(maxsize=8)
def _decrypted(kid: str, sealed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(unseal(sealed))


def _vault() -> MultiFernet:
    return _vault_of(tuple(settings.AGENTROOM_KEY_SECRETS))


@lru_cache(maxsize=4)
def _vault_of(secrets_: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived(secret)) for secret in secrets_])


def _derived(secret: str) -> bytes:
    key = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"agentroom keyring").derive(secret.encode())
    return base64.urlsafe_b64encode(key)
