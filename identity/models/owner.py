"""A person with an account: owns agents, belongs to rooms, signs in by e-mail."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models, transaction

from agentroom.core.audit import Act, append_server
from agentroom.core.clock import db_now
from agentroom.core.errors import Validation
from agentroom.core.ids import ulid
from identity.actors import SystemActor
from identity.names import handle_of, handles_for, name_key, normal_name


class OwnerQuerySet(BaseUserManager["Owner"]):
    """Creation with a normalised e-mail; Django's createsuperuser needs these two verbs."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> Owner:
        email = self.normalize_email(email).lower()
        name = fields.pop("name", "") or email.partition("@")[0]
        owner = self.model(email=email, name=name, **fields)
        owner.handle = fields.get("handle") or handle_of(name)
        owner.handle_key = name_key(owner.handle)
        owner.set_password(password)
        owner.save(using=self._db)
        return owner

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> Owner:
        """The console's word is enough: the operator's address counts as confirmed.

        Django's command asks the manager and no operation, so the audit row is written here.
        """
        name = _usable(fields.pop("name"))
        free = (one for one in handles_for(name) if not self.filter(handle_key=name_key(one)).exists())
        fields |= {"is_staff": True, "is_superuser": True, "verified": True}
        with transaction.atomic(using=self._db):
            owner = self.create_user(email, password, name=name, handle=next(free), **fields)
            EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
            after = {"verified": True, "operator": True}
            made = Act(act="account.open", record_kind="account", record_id=owner.pk, after=after)
            append_server(SystemActor(operator_id="console"), made)
        return owner


class Owner(AbstractBaseUser, PermissionsMixin):
    """`handle` is the `(owner)` part of `@name(owner)`; `verified` says that an operator or e-mail vouches."""

    id = models.CharField(max_length=26, primary_key=True, default=ulid, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=64)
    handle = models.CharField(max_length=64)
    handle_key = models.CharField(max_length=64, unique=True, editable=False)
    verified = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=db_now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[OwnerQuerySet] = OwnerQuerySet()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name


def _usable(name: str) -> str:
    try:
        return normal_name(name)
    except Validation as error:
        raise ValidationError(error.message) from error
