"""Mail of the embedded profile: everybody at the console sees it, and the folder keeps it, for the owner only."""

from __future__ import annotations

from email import message_from_bytes

from django.core.mail import EmailMessage, get_connection

BACKEND = "agentroom.core.mail.ConsoleAndFolder"


def send(folder, settings, *messages: EmailMessage) -> int:
    settings.EMAIL_FILE_PATH = folder
    return get_connection(BACKEND).send_messages(list(messages))


def message(to: str, body: str = "Your code is 123456.") -> EmailMessage:
    return EmailMessage("Sign in", body, "room@localhost", [to])


def test_a_mail_is_printed_with_who_it_is_for(tmp_path, settings, capsys):
    assert send(tmp_path, settings, message("ada@example.org")) == 1
    printed = capsys.readouterr().err
    assert "ada@example.org" in printed
    assert "Your code is 123456." in printed


def test_each_mail_is_kept_as_a_file_of_its_own(tmp_path, settings):
    folder = tmp_path / "mail"
    send(folder, settings, message("ada@example.org"), message("grace@example.org"))
    kept = [message_from_bytes(path.read_bytes()) for path in sorted(folder.glob("*.eml"))]
    assert sorted(mail["To"] for mail in kept) == ["ada@example.org", "grace@example.org"]
    assert folder.stat().st_mode & 0o777 == 0o700
