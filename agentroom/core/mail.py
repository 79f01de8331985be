"""Mail of the embedded profile: printed for whoever watches, and kept as files in the data folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from agentroom.core import ids


class ConsoleAndFolder(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.EMAIL_FILE_PATH)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            (folder / f"{ids.ulid()}.eml").write_bytes(message.message().as_bytes())
            sys.stderr.write(_shown(message))
        sys.stderr.flush()
        return len(email_messages)


def _shown(message: EmailMessage) -> str:
    to = ", ".join(message.recipients())
    return f"\n--- Mail to {to}: {message.subject}\n{message.body}\n---\n"
