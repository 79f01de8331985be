"""What operators meet on every one of their pages: words that are words, and a box to search in."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from identity.models import Owner

MODELS = list(admin.site._registry)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_list_is_named_by_a_word_and_can_be_searched(model, db: None):
    client = Client()
    client.force_login(Owner.objects.create_superuser("op@example.test", "a long sentence for tests", name="op"))
    name, plural = str(model._meta.verbose_name), str(model._meta.verbose_name_plural)
    stem = name[:-1]
    if name.endswith("y") and stem[-1] not in "aeiou":
        assert plural == f"{stem}ies"
    elif name.endswith(("s", "x", "ch", "sh")):
        assert plural == f"{name}es"
    else:
        assert plural == f"{name}s"
    page = client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")).content.decode()
    assert 'id="searchbar"' in page
