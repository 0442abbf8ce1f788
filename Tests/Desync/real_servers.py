# SPDX-License-Identifier: Apache-2.0
"""Real nginx and, where it is installed, real Node: what they find behind a request target."""
import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from gateway import free_ports

NGINX_CONFIGURATION = """\
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; default_type text/plain;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port}; {options}
    location /admin/ {{ return 200 "protected $uri"; }}
    location = /admin {{ return 200 "protected $uri"; }}
    location = /api/private {{ return 200 "protected $uri"; }}
    location /public/ {{ alias {folder}/root/public/; }}
    location /files/ {{ root {folder}/root; }}
    location / {{ root {folder}/root; }}
  }}
}}
"""
# What the app behind new URL() and behind a router of segments would look up, of each target.
NODE_PROGRAM = """
const targets = JSON.parse(require("fs").readFileSync(0, "utf8"));
const seen = targets.map(text => {
  const target = Buffer.from(text, "latin1").toString("latin1");
  const attempt = read => { try { return read(); } catch { return null; } };
  return {
    url: attempt(() => new URL(target, "http://127.0.0.1").pathname),
    decoded: attempt(() => decodeURI(new URL(target, "http://127.0.0.1").pathname)),
    legacy: attempt(() => require("url").parse(target).pathname),
    joined: attempt(() => require("path").posix.normalize(decodeURIComponent(target.split("?")[0]))),
  };
});
console.log(JSON.stringify(seen));
"""


@contextlib.contextmanager
def nginx(program, options):
    """The port of an nginx in front of files, some of them protected."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-desync-nginx."))
    port, = free_ports(1)
    for name, text in (("public/x", "public"), ("admin/secret", "protected file"), ("api/private", "protected file")):
        (folder / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "root" / name).write_text(text)
    # Its workers may be of another user.
    for each in (folder, *folder.rglob("*")):
        each.chmod(0o755)
    (folder / "conf").write_text(NGINX_CONFIGURATION.format(folder=folder, port=port, options=options))
    process = subprocess.Popen([program, "-c", folder / "conf", "-e", folder / "error.log"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while not listens(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"nginx does not start:\n{(folder / 'error.log').read_text()}")
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def listens(port):
    """Whether a connection comes about."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def nginx_serves(port, targets):
    """The targets behind which nginx finds something protected."""
    found = []
    for target in targets:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"GET %s HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n" % target)
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        if b"\r\n\r\nprotected" in answer:
            found.append(target)
    return found


def find_nginx():
    """Where it is, also where only root's path leads."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def find_node():
    """Where it is, or nothing."""
    return shutil.which("node")


def node_reads(program, targets):
    """For each target, by way of reading, the path that Node makes of it."""
    finished = subprocess.run([program, "-e", NODE_PROGRAM], check=True, capture_output=True, timeout=30, text=True,
                              input=json.dumps([target.decode("latin-1") for target in targets]))
    return [{way: path.encode("latin-1", "replace") if path else None for way, path in each.items()}
            for each in json.loads(finished.stdout)]
