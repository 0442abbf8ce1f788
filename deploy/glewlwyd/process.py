"""The glewlwyd process: its configuration file, its database, its life."""
import contextlib
import ctypes
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
from pathlib import Path

from .session import Refused, Session

SCHEMA = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
MODULES = "/usr/lib/glewlwyd"
PAGES = Path("/usr/share/glewlwyd/webapp")
PAGE_CONFIGURATION = Path("/usr/share/glewlwyd/templates/config.json")
PR_SET_PDEATHSIG = 1

# `use_secure_connection=false` may not be written here: its mere presence makes glewlwyd demand key files.
CONFIGURATION = """\
port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
static_files_path="{directory}/pages"
static_files_mime_types =
(
  {{ extension = ".html" mime_type = "text/html" }}, {{ extension = ".css" mime_type = "text/css" }},
  {{ extension = ".js" mime_type = "application/javascript" }}, {{ extension = ".json" mime_type = "application/json" }},
  {{ extension = ".png" mime_type = "image/png" }}, {{ extension = ".ico" mime_type = "image/x-icon" }},
  {{ extension = ".ttf" mime_type = "font/ttf" }}, {{ extension = ".woff2" mime_type = "font/woff2" }},
  {{ extension = "*" mime_type = "application/octet-stream" }}
)
log_mode="file"
log_level="INFO"
log_file="{directory}/glewlwyd.log"
cookie_secure=0
cookie_same_site="lax"
session_expiration=86400
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
user_module_path="{modules}/user"
client_module_path="{modules}/client"
user_auth_scheme_module_path="{modules}/scheme"
plugin_module_path="{modules}/plugin"
hash_algorithm="SHA512"
database = {{ type = "sqlite3"; path = "{directory}/glewlwyd.db"; }};
"""

ENCRYPTION = """\
use_secure_connection=true
secure_connection_key_file="{folder}/server.key"
secure_connection_pem_file="{folder}/server.crt"
secure_connection_ca_file="{folder}/clients.crt"
"""


def free_port():
    """A port nobody listens on now; glewlwyd itself cannot be asked to choose.

    Below those that the system gives to whoever asks for any, which would be somebody else's by chance before it listens.
    """
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(15_000, 30_000)))
            return probe.getsockname()[1]


def prepare(directory, port, front, tls=None):
    """Writes the configuration and an empty database; `front` is the base URL that others know."""
    copy_pages(directory / "pages")
    (directory / "glewlwyd.conf").write_text(
        CONFIGURATION.format(port=port, base=front, directory=directory, modules=MODULES)
        + (ENCRYPTION.format(folder=tls.resolve()) if tls else ""))
    database = directory / "glewlwyd.db"
    for leftover in directory.glob("glewlwyd.db*"):  # of a start that did not come to its end
        leftover.unlink()
    connection = sqlite3.connect(database)
    try:
        connection.execute("PRAGMA journal_mode=WAL")  # stays set in the file; spares most of the syncs
        connection.executescript(SCHEMA.read_text())
        connection.commit()
    finally:
        connection.close()


def copy_pages(pages):
    """The login page for people; copied, because the server follows no link out of its folder, and the packaged
    configuration of the page is a link to a folder where a file is wanted."""
    if PAGES.is_dir():
        shutil.copytree(PAGES, pages, dirs_exist_ok=True, ignore=shutil.ignore_patterns("config.json"))
        shutil.copyfile(PAGE_CONFIGURATION, pages / "config.json")
    pages.mkdir(parents=True, exist_ok=True)


def start(directory, base, patience=180):
    """The running process, once it answers."""
    # libcurl inside glewlwyd would follow proxy variables even to the loopback.
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    with open(directory / "output.log", "ab") as output:
        process = subprocess.Popen(
            ["glewlwyd", "--config-file", str(directory / "glewlwyd.conf")], env=environment, cwd=directory,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, preexec_fn=end_with_parent)
    deadline = time.monotonic() + patience
    while True:
        answered = answers(base)
        # In this order: what answered may have been another server on our port, and ours has ended.
        if process.poll() is not None:
            raise SystemExit(f"glewlwyd ended with status {process.returncode}:\n{last_words(directory)}")
        if answered:
            return process
        if time.monotonic() > deadline:
            stop(process)
            raise SystemExit(f"glewlwyd did not answer within {patience} s:\n{last_words(directory)}")
        time.sleep(0.02)


def stop(process):
    """Ends the process, by force after ten seconds."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_with_parent():
    """Runs in the child: a killed parent takes glewlwyd with it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def answers(base):
    """Whether the server at `base` serves its configuration."""
    try:
        Session(base).send("GET", f"{base}/config/")
        return True
    except (Refused, urllib.error.URLError, OSError):
        return False


def last_words(directory):
    """The end of both logs."""
    logs = (directory / "output.log", directory / "glewlwyd.log")
    return "\n".join("\n".join(log.read_text(errors="replace").splitlines()[-15:]) for log in logs if log.exists())
