"""Real nginx, Apache, lighttpd and, where it is installed, Node: what they find behind a request target."""
import contextlib
import functools
import json
import os
import re
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


# Programs at paths of their own, beside files: what is behind their paths is their PATH_INFO.
APACHE_CONFIGURATION = """\
LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule cgi_module {modules}/mod_cgi.so
{user}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
StartServers 2
MinSpareServers 1
MaxRequestWorkers 4
DocumentRoot {folder}/root
ScriptAlias /report.cgi {folder}/root/report.cgi
ScriptAlias /public/report.cgi {folder}/root/public/report.cgi
{options}
"""
LIGHTTPD_CONFIGURATION = """\
server.modules = ("mod_cgi")
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}/root"
server.errorlog = "{folder}/error.log"
mimetype.assign = ("" => "text/plain")
cgi.assign = (".cgi" => "")
{options}
"""
PROGRAM = """\
#!/bin/sh
printf 'Content-Type: text/plain\\r\\nContent-Length: 9\\r\\n\\r\\nprotected'
"""
FILES = {"public/x": "public", "admin/secret": "protected file", "api/private": "protected file",
         "page.html": "protected file", "public/page.html": "protected file",
         "report.cgi": PROGRAM, "public/report.cgi": PROGRAM}


@contextlib.contextmanager
def serving(configuration, command, options, **values):
    """The port of a server in front of files, some of them protected."""
    folder = Path(tempfile.mkdtemp(prefix="portcullis-desync-server."))
    port, = free_ports(1)
    for name, text in FILES.items():
        (folder / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "root" / name).write_text(text)
    # Its workers may be of another user.
    for each in (folder, *folder.rglob("*")):
        each.chmod(0o755)
    (folder / "conf").write_text(configuration.format(folder=folder, port=port, options=options, **values))
    # Apache ends its whole process group.
    process = subprocess.Popen([each.format(folder=folder) for each in command], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 120
        while not listens(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{command[0]} does not start:\n{(folder / 'error.log').read_text()}")
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def nginx(program, options):
    """Files, some of them behind a `location` of their own."""
    return serving(NGINX_CONFIGURATION, (program, "-c", "{folder}/conf", "-e", "{folder}/error.log"), options)


def apache(program, options):
    """Files, and programs behind a `ScriptAlias`."""
    user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
    return serving(APACHE_CONFIGURATION, (program, "-D", "FOREGROUND", "-d", "{folder}", "-f", "{folder}/conf"), options,
                   modules="/usr/lib/apache2/modules", user=user)


def lighttpd(program, options):
    """Files, and programs by their extension."""
    return serving(LIGHTTPD_CONFIGURATION, (program, "-D", "-f", "{folder}/conf"), options)


# How each server is started, and with which options; all of them have to be installed.
WAYS = {"nginx": (nginx, ("", "merge_slashes off;")),
        "apache2": (apache, ("", "AllowEncodedSlashes On", "AcceptPathInfo On\nMergeSlashes Off")),
        "lighttpd": (lighttpd, ("", 'server.http-parseopts = ("url-normalize" => "disable")'))}
# Those that run programs.
RUN_PROGRAMS = ("apache2", "lighttpd")


def arrangements():
    """(name, way to start it with options, options) of each real server that is installed."""
    return [(name, functools.partial(start, program), each) for name, (start, options) in WAYS.items()
            if (program := find(name)) for each in options]


def missing():
    """Servers that are not installed, without which a test says less than it promises."""
    return [name for name in WAYS if not find(name)]


def listens(port):
    """Whether a connection comes about."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def serves(port, targets):
    """The targets behind which a server finds something protected."""
    found = []
    for target in targets:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(b"GET %s HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n" % target)
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        # As it is, or in a chunk.
        if re.search(rb"\r\n\r\n(?:[0-9A-Fa-f]+\r\n)?protected", answer):
            found.append(target)
    return found


def find(name):
    """Where it is, also where only root's path leads."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin")


def find_node():
    """Where it is, or nothing."""
    return shutil.which("node")


def node_reads(program, targets):
    """For each target, by way of reading, the path that Node makes of it."""
    finished = subprocess.run([program, "-e", NODE_PROGRAM], check=True, capture_output=True, timeout=300, text=True,
                              input=json.dumps([target.decode("latin-1") for target in targets]))
    return [{way: path.encode("latin-1", "replace") if path else None for way, path in each.items()}
            for each in json.loads(finished.stdout)]
