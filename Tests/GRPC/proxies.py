"""nginx, HAProxy and nghttpx, which speak HTTP/2 on both sides: as the gateway's upstream, and in front of it.

Each of them passes calls on to the server of gRPC, or to the gateway, and `/contents/` to the server of contents.
"""
import contextlib
import os
import shutil
import socket
import subprocess
import time

START_SECONDS = 60
FRONTS = ("plain", "secure", "terminating")


class Proxy:
    """One of them: the ports that are its own before anybody is told of them, and its processes."""

    program = ""

    def __init__(self, folder):
        self.folder = folder
        self.held = [held() for _ in range(2 + len(FRONTS))]
        ports = [one.getsockname()[1] for one in self.held]
        # As an upstream: by h2c, and with TLS.
        self.plain, self.secure = ports[:2]
        # In front: by h2c on both sides, with TLS on both, and with TLS towards the client alone.
        self.fronts = dict(zip(FRONTS, ports[2:]))

    def stop(self):
        """Gives the ports back."""
        for one in self.held:
            one.close()

    @contextlib.contextmanager
    def behind(self, running):
        """Listens on two ports, and passes on to the servers."""
        with self.process(running, "behind", self.command_behind(running), (self.plain, self.secure)):
            yield

    @contextlib.contextmanager
    def in_front(self, running, way):
        """Listens on one port, and passes everything on to the gateway."""
        gateway = {"plain": running.port, "secure": running.tls, "terminating": running.terminated}[way]
        port = self.fronts[way]
        command = self.command_in_front(running, port, gateway, way != "plain", way == "secure")
        with self.process(running, way, command, (port,)):
            yield port

    def command_behind(self, running):
        """The command, for which a configuration is written."""
        raise NotImplementedError

    def command_in_front(self, running, port, gateway, secure_here, secure_there):
        """The same."""
        raise NotImplementedError

    def path(self, name, text=None):
        """A file of its own."""
        self.folder.mkdir(exist_ok=True)
        file = self.folder / name
        if text is not None:
            file.write_text(text)
        return file

    @contextlib.contextmanager
    def process(self, running, name, command, ports):
        """One that listens on all these ports, until it is no longer needed."""
        self.path("tls.pem", (running.folder / "tls.crt").read_text() + (running.folder / "tls.key").read_text())
        with open(self.path(f"{name}.output"), "wb") as log:
            process = subprocess.Popen([tool(self.program), *map(str, command)], stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + START_SECONDS
            for port in ports:
                while not listens(port):
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise AssertionError(f"{self.program} does not start:\n{log_of(self.folder / f'{name}.output')}")
                    time.sleep(0.005)
            yield
        finally:
            process.terminate()
            process.wait()


class Nginx(Proxy):
    """nginx 1.22. What it does not do:

    - `proxy_pass` speaks HTTP/1.1 at most, so contents reach their server by that. `grpc_pass` is its client of HTTP/2, and
      carries any request, with and without TLS: in front of the gateway all of them.
    - Without TLS a port speaks HTTP/2 alone (`http2` beside no `ssl`); there is no other way to h2c.
    - It opens a connection for each request on its way. None is kept here, which is its default: this version takes a frame
      that comes late for a stream of before as an error (`upstream sent frame for unknown stream`), whoever sends it.
    """

    program = "nginx"

    def command_behind(self, running):
        servers = ""
        for port, options in ((self.plain, ""), (self.secure, self.tls(running))):
            servers += f"""
  server {{
    listen 127.0.0.1:{port} {"ssl " if options else ""}http2; {options}
    location / {{ grpc_pass grpc://127.0.0.1:{running.calls.port}; }}
    location /contents/ {{ proxy_pass http://127.0.0.1:{running.contents.port}; proxy_http_version 1.1; }}
  }}"""
        return self.command("behind", servers)

    def command_in_front(self, running, port, gateway, secure_here, secure_there):
        trust = f"""grpc_ssl_verify on; grpc_ssl_trusted_certificate {running.folder}/tls.crt; grpc_ssl_server_name on;
      grpc_ssl_name gateway.test;"""
        return self.command(f"front-{port}", f"""
  server {{
    listen 127.0.0.1:{port} {"ssl " if secure_here else ""}http2; {self.tls(running) if secure_here else ""}
    location / {{
      grpc_pass {"grpcs" if secure_there else "grpc"}://127.0.0.1:{gateway};
      grpc_set_header Host $http_host;
      grpc_set_header X-Forwarded-Proto $scheme;
      {trust if secure_there else ""}
    }}
  }}""")

    @staticmethod
    def tls(running):
        """What a server with TLS has."""
        return f"ssl_certificate {running.folder}/tls.crt; ssl_certificate_key {running.folder}/tls.key;"

    def command(self, name, servers):
        """In one process, whose files are all in the folder."""
        temporary = " ".join(f"{kind}_temp_path {self.folder}/{name}-{kind};"
                             for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        path = self.path(f"{name}.conf", f"""daemon off; master_process off; pid {self.folder}/{name}.pid;
error_log {self.folder}/{name}.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_max_body_size 0; {temporary}{servers}
}}
""")
        return ["-p", self.folder, "-e", self.folder / f"{name}.log", "-c", path]


class HAProxy(Proxy):
    """HAProxy 2.6, which speaks HTTP/2 on either side: by `proto h2` in plain, by ALPN with TLS."""

    program = "haproxy"

    def command_behind(self, running):
        return self.command("behind", f"""
frontend behind
  bind 127.0.0.1:{self.plain} proto h2
  bind 127.0.0.1:{self.secure} ssl crt {self.folder}/tls.pem alpn h2
  use_backend contents if {{ path_beg /contents/ }}
  default_backend calls
backend calls
  server calls 127.0.0.1:{running.calls.port} proto h2
backend contents
  server contents 127.0.0.1:{running.contents.port}
""")

    def command_in_front(self, running, port, gateway, secure_here, secure_there):
        here = f"ssl crt {self.folder}/tls.pem alpn h2" if secure_here else "proto h2"
        trust = f"verify required ca-file {running.folder}/tls.crt verifyhost gateway.test sni str(gateway.test)"
        return self.command(f"front-{port}", f"""
frontend front
  bind 127.0.0.1:{port} {here}
  http-request set-header X-Forwarded-Proto {"https" if secure_here else "http"}
  default_backend gateway
backend gateway
  server gateway 127.0.0.1:{gateway} {f"ssl alpn h2 {trust}" if secure_there else "proto h2"}
""")

    def command(self, name, sections):
        """In one process and thread."""
        path = self.path(f"{name}.cfg", f"""global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
{sections}""")
        return ["-db", "-f", path]


class Nghttpx(Proxy):
    """nghttpx 1.52. All its ports have the same backends, so there is a process for each way to the gateway."""

    program = "nghttpx"

    def command_behind(self, running):
        return self.command(running, [f"-f127.0.0.1,{self.plain};no-tls", f"-f127.0.0.1,{self.secure}",
                                      f"-b127.0.0.1,{running.calls.port};;proto=h2",
                                      f"-b127.0.0.1,{running.contents.port};/contents/"])

    def command_in_front(self, running, port, gateway, secure_here, secure_there):
        return self.command(running, [f"-f127.0.0.1,{port}{'' if secure_here else ';no-tls'}",
                                      f"-b127.0.0.1,{gateway};;proto=h2{';tls;sni=gateway.test' if secure_there else ''}",
                                      "--add-x-forwarded-for", f"--cacert={running.folder}/tls.crt"])

    @staticmethod
    def command(running, options):
        """In one process."""
        return ["--single-process", "--conf=/dev/null", "--workers=1", *options, running.folder / "tls.key",
                running.folder / "tls.crt"]


KINDS = {"nginx": Nginx, "haproxy": HAProxy, "nghttpx": Nghttpx}


def tool(name):
    """A program that may be where administrators have theirs."""
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
    if not found:
        raise AssertionError(f"there is no {name}: deploy/packages grpc")
    return found


def held():
    """A socket at a port that nobody else is given, at which a server may listen all the same."""
    one = socket.socket()
    # Linux lets two sockets have a port that both say so, as long as no other one listens there. Servers say so.
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    return one


def listens(port):
    """Whether somebody does."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def log_of(path):
    """The end of what was said."""
    return "\n".join(path.read_text(errors="replace").splitlines()[-10:])
