"""The programs in C: load generators, an origin, mints. Compiled at run time, for the machine they run on."""
import subprocess
from pathlib import Path

from .failure import Failure
from .processes import tool

FOLDER = Path(__file__).resolve().parents[1] / "load"
# What each program is made of beside the file with its name.
PARTS = {
    "bodies": ("wire", "pattern"),
    "closed_loop": ("wire", "template"),
    "mixed": ("wire", "pattern", "es256", "exchanges"),
    "open_loop": ("wire", "template"),
    "origin": ("wire", "pattern"),
    "proof_mint": ("es256", "wire"),
    "slow_clients": ("wire",),
    "token_mint": ("es256", "wire"),
}


def compiled(name, path):
    """Compiles a program to that path, and returns it."""
    sources = [FOLDER / f"{part}.c" for part in (name, *PARTS[name])]
    command = [tool("cc"), "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, *sources,
               "-lssl", "-lcrypto"]
    if subprocess.run(command, check=False).returncode:
        raise Failure(f"{name} was not compiled: apt-get install gcc libc6-dev libssl-dev")
    return path
