"""What we ask at sign-up besides an e-mail address and a password."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest

from agentroom.core.errors import Validation
from agentroom.core.limits import NAME_CHARACTERS
from identity.models import Owner
from identity.names import normal_name


class SignUpForm(forms.Form):
    """The sign-up library adds the rest; our account is made by its adapter."""

    name = forms.CharField(
        label="Your name",
        max_length=NAME_CHARACTERS,
        help_text="Your rooms and agents show it. Your handle is made from it.",
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    field_order = ("name", "email", "password1")

    def clean_name(self) -> str:
        try:
            return normal_name(self.cleaned_data["name"])
        except Validation as error:
            raise forms.ValidationError(error.message) from error

    def signup(self, request: HttpRequest, user: Owner) -> None:
        """The library asks for it; there is nothing left to do."""
