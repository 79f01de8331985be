"""What the tests need of the system itself: Chromium and nginx; installed on Debian by root, else named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.services import chromium, nginx

WANTED = {
    "Chromium": (chromium.find, ["chromium", "fonts-liberation"], "brew install --cask chromium"),
    "nginx": (nginx.find, ["nginx-light"], "brew install nginx"),
}
# A server that a package brings must not start by itself: the tests start their own.
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1", "SYSTEMD_OFFLINE": "1"}


def main() -> None:
    missing = [name for name, (find, _, _) in WANTED.items() if find() is None]
    if not missing:
        return
    packages = [package for name in missing for package in WANTED[name][1]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {', '.join(packages)}.", flush=True)
        _apt_get("update", "-qq")
        _apt_get("install", "-y", "-qq", "--no-install-recommends", *packages)
        return
    print(f"make test needs {' and '.join(missing)}. Install with:", file=sys.stderr)
    if sys.platform == "darwin":
        print("\n".join(f"  {WANTED[name][2]}" for name in missing), file=sys.stderr)
    else:
        print(f"  sudo apt-get install {' '.join(packages)}", file=sys.stderr)
    raise SystemExit(1)


def _apt_get(*arguments: str) -> None:
    environment = {**os.environ, **QUIET}
    subprocess.run(["apt-get", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
