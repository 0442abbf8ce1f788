"""Where the gateway's binary comes from."""
import subprocess
import sys
from pathlib import Path

from .failure import Failure
from .processes import tool

ROOT = Path(__file__).resolve().parents[3]
BUILD = ["build", "-c", "release", "--product", "portcullis"]


def gateway_binary(given):
    """The binary given, or a release build of this checkout."""
    if given:
        path = Path(given).resolve()
        if not path.is_file():
            raise Failure(f"{path} does not exist")
        return path
    print("building the release binary", file=sys.stderr)
    if subprocess.run([tool("swift"), *BUILD], cwd=ROOT, stdout=sys.stderr).returncode:
        raise Failure("swift build failed")
    folder = subprocess.run(
        [tool("swift"), *BUILD, "--show-bin-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Path(folder.stdout.strip()) / "portcullis"


def revision():
    """The commit this checkout stands at, for the report's heading."""
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, check=False)
    return asked.stdout.strip() or "unknown"
