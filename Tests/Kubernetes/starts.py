"""The pods run (ECO-37, ECO-40): users, read-only root, probes, ports and the way to the app are what the manifests promise."""
import base64
import contextlib
import http.client
import json
import re
import socket
import ssl
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

import keys
import manifests
import pods

POD, APP, STORE = "10.1.0.5", "10.1.0.9", "10.1.0.7"
PATIENCE = 30


@contextlib.contextmanager
def folder_of(image):
    """A folder that the containers' users can pass."""
    with tempfile.TemporaryDirectory(dir=image.folder) as name:
        Path(name).chmod(0o755)
        yield Path(name)


def network():
    """The pod's addresses; they stay until the tests end."""
    for command in ("link set lo up", *(f"address replace {one}/32 dev lo" for one in (POD, APP, STORE))):
        subprocess.run(["ip", *command.split()], check=True, timeout=60)


class Running:
    """A pod whose gateway runs, and an issuer that it finds."""

    def __init__(self, image, base, folder):
        network()
        self.found = manifests.load(base)
        self.pod, self.folder = self.found.pod, folder
        self.configuration = yaml.safe_load(self.found.configuration)
        [listener] = self.configuration["listeners"]
        self.host = listener["public_url"].removeprefix("https://")
        self.issuer = keys.Issuer(self.configuration["issuers"]["main"]["url"], folder)
        self.secrets = keys.secrets(image)
        self.volumes = pods.Volumes(self.found, self.secrets, folder)
        hosts = (f"127.0.0.1 localhost id.example.com\n{APP} shop.shop.svc.cluster.local\n"
                 f"{STORE} portcullis-store.shop.svc.cluster.local\n")
        self.containers = {
            one["name"]: pods.Container(image, self.pod, one, self.volumes, hosts, self.issuer.authority)
            for one in self.pod.containers}
        self.gateway = self.containers[manifests.GATEWAY]

    def start(self, name):
        """Starts a container."""
        self.containers[name].start(self.folder / f"{name}.log")

    def log(self, name=manifests.GATEWAY):
        """What a container said."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def probe(self, name, kind):
        """Whether a probe of a container succeeds, asked as the kubelet asks: at the pod's address."""
        container = self.pod.container(name)
        action = container[kind]
        if "exec" in action:
            return self.containers[name].execute(action["exec"]["command"]).returncode == 0
        assert self.containers[name].process.poll() is None, self.log(name)
        number = manifests.port(container, action["httpGet"]["port"])
        connection = http.client.HTTPConnection(POD, number, timeout=action.get("timeoutSeconds", 1))
        try:
            connection.request("GET", action["httpGet"]["path"])
            return 200 <= connection.getresponse().status < 400
        except OSError:
            return False
        finally:
            connection.close()

    def await_probe(self, name, kind):
        """Waits as long as the kubelet would before it restarts the container, at most."""
        action = self.pod.container(name)[kind]
        patience = action.get("failureThreshold", 3) * action.get("periodSeconds", 10)
        return pods.eventually(lambda: self.probe(name, kind), patience, f"{kind} of {name}:\n{self.log(name)}")

    def ask(self, path, **fields):
        """Status, fields and content of an answer at the Service's target port, by a client that verifies."""
        context = ssl.create_default_context(cadata=self.secrets["portcullis-tls"]["tls.crt"].decode())
        [entry] = self.found.one("Service")["spec"]["ports"]
        number = manifests.port(self.pod.gateway, entry["targetPort"])
        with socket.create_connection((POD, number), timeout=10) as plain:
            with context.wrap_socket(plain, server_hostname=self.host) as secured:
                lines = [f"GET {path} HTTP/1.1", f"Host: {self.host}", "Connection: close"]
                lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
                secured.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
                response = http.client.HTTPResponse(secured)
                response.begin()
                return response.status, response.headers, response.read()

    def bearer(self):
        """A token for the programs' route."""
        [route] = [one for one in self.configuration["routes"] if "token" in one]
        return "Bearer " + self.issuer.token(route["token"]["audience"])

    def close(self):
        """Ends what still runs."""
        for container in self.containers.values():
            if container.process and container.process.poll() is None:
                container.process.kill()
                container.process.wait()
        self.issuer.close()


@contextlib.contextmanager
def running(image, base):
    """A pod of a base, none of whose containers is started yet."""
    with folder_of(image) as folder:
        pod = Running(image, base, folder)
        try:
            yield pod
        finally:
            pod.close()


@contextlib.contextmanager
def store(image):
    """The store to try, which runs as its own manifests have it; the folder with its Secret."""
    network()
    found, secrets = manifests.load(manifests.STORE), keys.secrets(image)
    with folder_of(image) as folder:
        [container] = found.pod.containers
        running_store = pods.Container(image, found.pod, container, pods.Volumes(found, secrets, folder))
        running_store.start(folder / "store.log")
        log = folder / "store.log"
        try:
            pods.eventually(lambda: "eady to accept connections" in log.read_text(), PATIENCE, "the store is ready")
            yield folder
        finally:
            assert running_store.end(PATIENCE) == 0, log.read_text()


def metrics():
    """The gateway's page of metrics."""
    connection = http.client.HTTPConnection(POD, 9901, timeout=10)
    connection.request("GET", "/metrics")
    try:
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_the_gateway_of_the_deployment_reaches_the_store_to_try(image):
    """By TLS with the certificate of the article, as its user; nobody else is let in."""
    with store(image) as folder, running(image, "standalone") as pod:
        pod.start(manifests.GATEWAY)
        pod.await_probe(manifests.GATEWAY, "readinessProbe")
        pods.eventually(lambda: re.search(r"(?m)^portcullis_store_up{.*} 1$", metrics()), PATIENCE, pod.log())
        # Another thread writes the line, and perhaps behind the page.
        pods.eventually(lambda: '"store_connected"' in pod.log(), PATIENCE, "the log does not say so")
        assert '"store_unsuitable"' not in pod.log(), pod.log()
        client = ["redis-cli", "-h", STORE, "--tls", "--cacert", folder / "secrets/store.crt", "--sni",
                  "portcullis-store.shop.svc.cluster.local"]
        asked = subprocess.run([*client, "PING"], capture_output=True, text=True, timeout=60, check=False)
        assert "NOAUTH" in asked.stdout + asked.stderr, asked
        password = keys.secrets(image)["portcullis-store"]["store.password"].decode().strip()
        environment = {"PATH": pods.PATH, "REDISCLI_AUTH": password}
        for command, answer in (("PING", "PONG"), ("KEYS *", "NOPERM"), ("GET other", "NOPERM")):
            asked = subprocess.run([*client, "--user", "portcullis", *command.split()], capture_output=True, text=True,
                                   timeout=60, check=False, env=environment)
            assert answer in asked.stdout + asked.stderr, (command, asked)
        pod.gateway.process.terminate()
        # A second signal: nobody waits ten seconds more.
        assert pod.gateway.end(PATIENCE) == 0, pod.log()


def status_of(process):
    """What the kernel says of a process."""
    lines = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    return {name: value.split() for name, _, value in (line.partition(":") for line in lines)}


def is_refused(address, number):
    """Whether nobody listens there."""
    try:
        with socket.create_connection((address, number), timeout=5):
            return False
    except ConnectionRefusedError:
        return True


def expect_promises(pod):
    """What both bases promise of a gateway that runs."""
    container = pod.pod.gateway
    status = status_of(pod.gateway.process)
    assert status["Uid"] == [str(pod.pod.setting(container, "runAsUser"))] * 4 and status["Uid"][0] != "0"
    assert status["Gid"] == [str(pod.pod.setting(container, "runAsGroup"))] * 4
    assert status["CapEff"] == status["CapPrm"] == status["CapBnd"] == ["0" * 16]
    assert status["NoNewPrivs"] == ["1"]
    lines = Path(f"/proc/{pod.gateway.process.pid}/mountinfo").read_text(encoding="ascii").splitlines()
    roots = [line.split() for line in lines if line.split()[4] == "/"]
    assert roots and all("ro" in root[5].split(",") for root in roots), roots
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        pod.await_probe(manifests.GATEWAY, kind)
    location = pod.ask("/reports", Accept="text/html", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")
    assert location[0] == 303 and "/.portcullis/login/shop" in location[1]["Location"], location
    assert pod.ask("/api/orders")[0] == 401
    # The admin listener's pages are no pages of the public one.
    assert pod.ask("/metrics")[0] == 401


# holds ECO-37
def test_the_sidecar_starts_before_the_app_and_is_the_only_way_to_it(image):
    """As the kubelet does it: the sidecar, its startup probe, the app, everybody's readiness; and the end in reverse."""
    with running(image, "sidecar") as pod:
        pod.start(manifests.GATEWAY)
        assert pod.await_probe(manifests.GATEWAY, "startupProbe") < PATIENCE
        pod.start("app")
        pod.await_probe("app", "readinessProbe")
        expect_promises(pod)
        status, _, content = pod.ask("/api/orders", Authorization=pod.bearer())
        assert status == 200 and b"Signed in as alice." in content, (status, content)
        # The field that says who calls is the gateway's alone.
        status, _, content = pod.ask("/api/orders", Authorization=pod.bearer(), X_User_Id="mallory")
        assert status == 200 and b"mallory" not in content, (status, content)
        assert is_refused(POD, 3000) and not is_refused("127.0.0.1", 3000)
        assert status_of(pod.containers["app"].process)["Uid"] == ["10002"] * 4
        assert pod.containers["app"].end(PATIENCE) == 0
        assert pod.gateway.process.poll() is None
        assert pod.gateway.end(PATIENCE) == 0, pod.log()


# refuses ECO-37
def test_a_gateway_without_the_manifests_group_does_not_start(image):
    """What shows that the tests hold the manifests and not themselves: other modes, and it ends with status 2."""
    with running(image, "sidecar") as pod:
        for name in ("tls", "keys"):
            source = pod.pod.volume(name)["secret"]["secretName"]
            pods.put(pod.folder / name, pod.secrets[source], 0o400, None)
        pod.start(manifests.GATEWAY)
        assert pod.gateway.process.wait(PATIENCE) == 2, pod.log()
        assert "may not read" in pod.log()


# holds ECO-40
def test_a_renewed_secret_and_a_renewed_configuration_are_served_without_a_signal(image):
    """Volumes exchanged as the kubelet does it, under the pod's own paths."""
    with running(image, "sidecar") as pod:
        pod.start(manifests.GATEWAY)
        pod.await_probe(manifests.GATEWAY, "readinessProbe")
        assert pod.ask("/assets/a")[0] == 401
        text = pod.found.configuration.replace(
            "routes:\n", "routes:\n  - { path: /assets/, upstream: 'http://127.0.0.1:3000', public: true }\n")
        pod.volumes.put("configuration", {"portcullis.yaml": text.encode()}, 0o644)
        # Public, and without an app behind it.
        pods.eventually(lambda: pod.ask("/assets/a")[0] == 502, PATIENCE, pod.log())
        pod.volumes.put("configuration", {"portcullis.yaml": b"routes: ["}, 0o644)
        pods.eventually(lambda: '"reload_refused"' in pod.log(), PATIENCE, pod.log())
        assert pod.ask("/assets/a")[0] == 502


# holds ECO-38
def test_the_replicas_of_the_deployment_sign_with_one_key(image):
    """Two that run one after the other, as far as the app can see."""
    seen = []

    class App(BaseHTTPRequestHandler):
        """The app in a pod of its own."""

        def do_GET(self):
            """Keeps what the gateway says of the caller."""
            seen.append(self.headers["Authorization"])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Nobody asks."""

    network()
    server = ThreadingHTTPServer((APP, 3000), App)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for _ in range(2):
            with running(image, "standalone") as pod:
                pod.start(manifests.GATEWAY)
                pod.await_probe(manifests.GATEWAY, "startupProbe")
                expect_promises(pod)
                pod.gateway.process.terminate()
                pods.eventually(
                    lambda pod=pod: not pod.probe(manifests.GATEWAY, "readinessProbe"), PATIENCE, "not ready any more")
                # Load balancers still send requests here.
                assert pod.ask("/api/orders", Authorization=pod.bearer())[0] == 200
                # A second signal: nobody waits ten seconds more.
                assert pod.gateway.end(PATIENCE) == 0, pod.log()
    finally:
        server.shutdown()
        server.server_close()
    heads = [json.loads(base64.urlsafe_b64decode(one.split()[-1].split(".")[0] + "==")) for one in seen]
    assert len(heads) == 2 and heads[0]["kid"] == heads[1]["kid"], heads
