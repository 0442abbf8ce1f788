"""A container made of the image, by a runtime as engines use it, and what runs beside it."""
import contextlib
import http.client
import http.server
import json
import os
import re
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

WAIT_SECONDS = 60
# A namespace of mounts in which the one hierarchy of control groups is alone, as the runtime wants it; this machine's own
# mounts stay as they are.
UNIFIED = ('mountpoint -q /sys/fs/cgroup && umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"')

KINDS = ("bounding", "effective", "permitted", "inheritable", "ambient")

CONFIGURATION = """\
{rest}
listeners: [{{ address: "127.0.0.1:0", public_url: "http://gateway.test" }}]
admin: {{ address: "127.0.0.1:{admin}" }}
routes: [{{ path: /, upstream: "http://127.0.0.1:{upstream}", public: true }}]
log: {{ operator: stderr, access: off }}
"""


class Container:
    """The image's entry, confined as a cautious operator confines it: no capability, a root that cannot be written."""

    number = 0

    def __init__(self, image, configuration, *, mounts=(), proc=True, seccomp=None, command=None):
        Container.number += 1
        self.name = f"portcullis-{os.getpid()}-{Container.number}"
        self.folder = image.folder / self.name
        self.state = image.folder / "state"
        (self.folder / "configuration").mkdir(parents=True)
        (self.folder / "configuration" / "portcullis.yaml").write_text(configuration)
        process = image.config["config"]
        user, group = map(int, process["User"].split(":"))
        mounted = [{"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
                   bind("/etc/portcullis", self.folder / "configuration", "ro"), *mounts]
        if proc:
            mounted.insert(0, {"destination": "/proc", "type": "proc", "source": "proc"})
        linux = {"namespaces": [{"type": kind} for kind in ("pid", "mount", "ipc", "uts")]}
        if seccomp:
            linux["seccomp"] = seccomp
        (self.folder / "config.json").write_text(json.dumps({
            "ociVersion": "1.0.2", "hostname": "gateway", "root": {"path": str(image.root), "readonly": True},
            "process": {"user": {"uid": user, "gid": group}, "cwd": process["WorkingDir"], "env": process["Env"],
                        "args": command or process["Entrypoint"] + process["Cmd"],
                        "capabilities": {kind: image.capabilities for kind in KINDS}, "noNewPrivileges": True},
            "mounts": mounted, "linux": linux,
        }))
        self.log, self.lines = b"", []
        self.runtime = None
        self.pid = None

    def command(self, *words):
        """The runtime's command line."""
        return ["unshare", "--mount", "sh", "-c", UNIFIED, "sh", "crun", "--root", str(self.state),
                "--cgroup-manager=disabled", *words]

    def start(self):
        """Starts it, with a log that is read here."""
        reading, writing = os.pipe()
        self.launch(stdout=writing, stderr=writing)
        os.close(writing)
        self.reading = reading
        return self

    def launch(self, **where):
        """Starts it, with its output where that is said to go."""
        self.runtime = subprocess.Popen(
            self.command("run", "--bundle", str(self.folder), "--pid-file", str(self.folder / "pid"), self.name),
            stdin=subprocess.DEVNULL, **where)

    def port(self, listener="public"):
        """Where it listens, as soon as its log says so."""
        line = self.wait_for(lambda line: line.get("event") == "listening" and line.get("listener") == listener)
        self.pid = int((self.folder / "pid").read_text())
        return int(line["address"].rsplit(":", 1)[1])

    def wait_for(self, fits):
        """The first line of its log that fits."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            for line in self.lines:
                if fits(line):
                    return line
            if not self.read_more(deadline):
                raise AssertionError(f"it ended, or took too long: {self.log.decode(errors='replace')[-3000:]}")

    def read_more(self, deadline):
        """Takes what it has written since; False at its end."""
        ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
        chunk = os.read(self.reading, 65536) if ready else b""
        self.log += chunk
        self.lines = []
        for text in self.log.decode(errors="replace").split("\n")[:-1]:
            with contextlib.suppress(ValueError):
                value = json.loads(text)
                self.lines.append({"event": value.get("event"), **value} if isinstance(value, dict) else {})
        return bool(chunk)

    def end(self):
        """Its exit status and all that it wrote."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.read_more(deadline):
            pass
        return self.runtime.wait(WAIT_SECONDS), self.log.decode(errors="replace")

    def signal(self, number):
        """To the gateway itself, as an engine sends it."""
        os.kill(self.pid, number)

    def execute(self, *words):
        """Runs a program of the image in the container: its status, and what it says."""
        done = subprocess.run(self.command("exec", self.name, *words), capture_output=True, text=True, check=False,
                              timeout=WAIT_SECONDS)
        return done.returncode, done.stdout + done.stderr

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if self.runtime.poll() is None:
                subprocess.run(self.command("kill", self.name, "KILL"), capture_output=True, check=False)
                self.runtime.wait(WAIT_SECONDS)
        subprocess.run(self.command("delete", "--force", self.name), capture_output=True, check=False)
        os.close(self.reading)

    def status(self):
        """What the kernel says of the process."""
        return dict(re.findall(r"^(\w+):\s+(.*)$", Path(f"/proc/{self.pid}/status").read_text(), re.MULTILINE))


def bind(inside, outside, *options):
    """A folder or file of this machine, mounted in the container."""
    return {"destination": inside, "type": "bind", "source": str(outside), "options": ["bind", *options]}


def get(port, path="/", timeout=WAIT_SECONDS):
    """The status of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers={"Host": "gateway.test"})
        return connection.getresponse().status
    finally:
        connection.close()


@contextlib.contextmanager
def upstream():
    """An app that answers 200; to /slow when it is told to."""
    class Handler(http.server.BaseHTTPRequestHandler):
        """Each request in a thread of its own."""
        asked, told = threading.Event(), threading.Event()

        def do_GET(self):
            """One answer."""
            if self.path == "/slow":
                self.asked.set()
                self.told.wait(WAIT_SECONDS)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.asked, server.told = Handler.asked, Handler.told
    try:
        yield server
    finally:
        server.told.set()
        server.shutdown()
        server.server_close()


def configuration(server, rest="workers: 2", admin=0):
    """One public route to this upstream."""
    return CONFIGURATION.format(upstream=server.server_address[1], rest=rest, admin=admin)


def stopped(container):
    """Ends it as an engine does; its status."""
    container.signal(signal.SIGTERM)
    return container.end()
