"""Asks the server in this container whether it is ready, by its own name; the exit code is the answer."""

from __future__ import annotations

import http.client
import os
import sys
from urllib.parse import urlsplit


def main() -> int:
    host = urlsplit(os.environ["AGENTROOM_BASE_URL"]).netloc
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("PORT", "8000")), timeout=4)
    connection.request("GET", "/readyz", headers={"Host": host})
    return 0 if connection.getresponse().status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
