"""Signing keys: rotation without an outage, the old key's window, and what lies in the database."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from agentroom.core.clock import shifted
from agentroom.core.errors import InvalidPassport
from agentroom.core.models import AuditRow
from identity import keyring, passports, verified
from identity.actors import SystemActor
from identity.authentication import authenticate, v1_resource
from identity.models import SigningKey
from identity.operations.keys import KEEP, rotate_keys
from tests.factories import Held, make_agent, make_credential, make_owner, passport_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def held() -> Held:
    return make_credential(make_agent(make_owner("ada")))


def test_the_first_use_makes_a_key_and_later_uses_keep_it():
    assert keyring.signing_key() == keyring.signing_key()
    assert SigningKey.objects.count() == 1


def test_a_rotation_interrupts_nobody(held: Held):
    old = passport_for(held.credential)
    rotated = rotate_keys(SystemActor())
    new = passport_for(held.credential)
    assert jwt.get_unverified_header(new)["kid"] == rotated.kid
    assert rotated.retired == [jwt.get_unverified_header(old)["kid"]]
    for token in (old, new):
        assert authenticate(token, resource=v1_resource()).plate == held.credential.agent.plate


def test_both_keys_are_published_until_the_old_one_s_window_is_over(held: Held):
    old = keyring.signing_key().kid
    new = rotate_keys(SystemActor()).kid
    assert [key["kid"] for key in passports.jwks()["keys"]] == [old, new]
    with shifted(KEEP):
        assert [key["kid"] for key in passports.jwks()["keys"]] == [new]
        assert keyring.public_key(old) is None


def test_after_its_window_an_old_key_verifies_nothing(held: Held):
    token = passport_for(held.credential)
    rotate_keys(SystemActor())
    verified.forget()
    with shifted(KEEP + timedelta(seconds=1)), pytest.raises(InvalidPassport):
        authenticate(token, resource=v1_resource())


def test_a_leaked_key_is_refused_at_once_even_when_it_was_retired_before(held: Held):
    token = passport_for(held.credential)
    rotate_keys(SystemActor())
    rotate_keys(SystemActor(), at_once=True)
    with pytest.raises(InvalidPassport):
        authenticate(token, resource=v1_resource())
    authenticate(passport_for(held.credential), resource=v1_resource())


def test_the_private_half_lies_encrypted_and_goes_when_the_key_is_retired():
    raw = keyring.signing_key().private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    assert raw not in bytes(SigningKey.objects.get().private_encrypted)
    old = rotate_keys(SystemActor()).retired[0]
    assert bytes(SigningKey.objects.get(pk=old).private_encrypted) == b""


def test_what_is_sealed_opens_with_an_older_secret_still_configured(settings):
    settings.AGENTROOM_KEY_SECRETS = ["the first secret of this server"]
    sealed = keyring.seal(b"to be kept")
    settings.AGENTROOM_KEY_SECRETS = ["the second secret of this server", "the first secret of this server"]
    assert keyring.unseal(sealed) == b"to be kept"
    settings.AGENTROOM_KEY_SECRETS = ["the second secret of this server"]
    with pytest.raises(ImproperlyConfigured, match="AGENTROOM_KEY_SECRETS"):
        keyring.unseal(sealed)


def test_the_operators_command_rotates_and_leaves_an_audit_row():
    old = keyring.signing_key().kid
    said = StringIO()
    call_command("rotate_keys", stdout=said)
    new = keyring.signing_key().kid
    assert said.getvalue().startswith(f"{new} signs from now on.\n{old} is retired and refused after ")
    row = AuditRow.objects.get(act="key.rotate")
    assert (row.actor_key, row.record_id, row.before) == ("operator:console", new, {"signing": [old]})
