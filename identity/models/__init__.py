"""A file a noun; imported from here."""

from __future__ import annotations

from identity.models.agent import Agent, Host
from identity.models.credential import Credential
from identity.models.instance import Instance
from identity.models.owner import Owner
from identity.models.sign_in_link import SignInLink
from identity.models.signing_key import SigningKey

__all__ = ["Agent", "Credential", "Host", "Instance", "Owner", "SignInLink", "SigningKey"]
