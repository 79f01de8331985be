"""The sign-up form: a name, an address, and a password if one is wanted."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm
from django import forms

from agentroom.core.errors import Validation
from agentroom.core.limits import NAME_CHARACTERS
from identity.names import normal_name


class SignUpForm(SignupForm):
    """What it collects becomes an account in `identity.adapter`."""

    name = forms.CharField(
        label="Your name",
        max_length=NAME_CHARACTERS,
        help_text="Your rooms and agents show it. Your handle is made from it.",
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    field_order = ("name", "email", "password1")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        password = self.fields["password1"]
        password.label = "Password (optional)"
        password.help_text = "At least 12 characters. Without one you sign in with a code sent to your address."

    def clean_name(self) -> str:
        try:
            return normal_name(self.cleaned_data["name"])
        except Validation as error:
            raise forms.ValidationError(error.message) from error
