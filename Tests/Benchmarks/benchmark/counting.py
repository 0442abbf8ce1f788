"""What the scripts share that count what a request costs: libraries that are preloaded, and requests over kept connections."""
import subprocess
from pathlib import Path

from .failure import Failure
from .processes import tool

FOLDER = Path(__file__).resolve().parents[1]
CONNECTIONS = 8
WARM_UP_REQUESTS = 1_000
# How long a gateway is left alone, to see what it does by itself.
IDLE_SECONDS = 3
AGAIN = 3
# Each request is to be answered with 200, on a machine that may stand still for a moment.
PATIENT = "timeouts: { command: 5s }"


def compiled_counter(folder, name):
    """A library that is preloaded."""
    library = folder / f"{name}.so"
    subprocess.run(
        [tool("cc"), "-std=c11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-U_FORTIFY_SOURCE", "-fno-omit-frame-pointer",
         "-o", library, FOLDER / f"{name}.c"], check=True)
    return library


def send_in_turn(connections, requests, count):
    """Sends requests over the connections in turn; each has to be answered with 200."""
    for number in range(count):
        status, _ = connections[number % len(connections)].exchange(next(requests))
        if status != 200:
            raise Failure(f"answers {status} to request {number + 1}")
