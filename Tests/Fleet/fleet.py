"""Three gateways of one configuration, each with its own way to one store; all in a folder that goes away."""
import contextlib
import http.client
import json
import re
import secrets
import signal
import subprocess
import threading

import processes
from app import App
from browser import Browser, Program
from checks import eventually, same
from faults import fault
from issuer import AUDIENCE, Issuer
from relay import Relay
from signing import Key
from store import COMMANDS, Store

READY_SECONDS = 60
USER, PASSWORD = "portcullis", "password-of-the-store-7391"
CONFIGURATION = """\
workers: {workers}
replicas: 3
listeners:
  - {{ address: "127.0.0.1:0", public_url: "https://gateway.test" }}
admin: {{ address: "127.0.0.1:0" }}
issuers:
  main: {{ url: "{issuer}", insecure_allow_http: true, discovery: openid }}
clients:
  web:
    issuer: main
    id: web
    authentication: {{ method: client_secret_basic, secret: {{ file: {folder}/web.secret }} }}
    id_token: {{ algorithm: ES256 }}
    session: {{ {session}, keys: [{{ file: {folder}/session.key }}] }}
    logout: {{ backchannel: true }}
{client}
store:
  url: {url}
  keys: [{{ file: {folder}/store.key }}]
{store}
routes:
  - {{ path: /app/, upstream: "{app}", login: web, upstream_credential: pass }}
  - {{ path: /live/, upstream: "{app}", login: web, websocket: true }}
  - {{ path: /bound/, upstream: "{app}", token: {{ {token}, schemes: [DPoP] }} }}
  - {{ path: /api/, upstream: "{app}", token: {{ {token} }} }}
  - {{ path: /open/, upstream: "{app}", public: true }}
log: {{ level: debug, operator: {log}/operator.log, access: {log}/access.log }}
{settings}
"""
TOKEN = f'issuers: [main], audience: "{AUDIENCE}"'
# Of a command. A machine that stands still for a moment is nobody's fault, and makes no answer 503.
TIMEOUTS = "{ command: 5s }"
# Where the store says nothing, and that is what a test waits for.
QUICKLY = {"timeouts": "{ command: 1s }"}


class Gateway:
    """A process of it."""

    def __init__(self, fleet, number, **store):
        self.fleet, self.number = fleet, number
        self.folder = fleet.folder / f"gateway-{number}"
        self.folder.mkdir()
        self.relay = Relay(fleet.store.path)
        self.port = self.admin_port = self.process = None
        self.store = store
        # Variables of its environment, beside those of the tests.
        self.environment = {}

    def write(self, **store):
        """Writes the configuration, with these keys of the store."""
        self.store = {"timeouts": TIMEOUTS, **store}
        url = store.get("url", f"redis://127.0.0.1:{self.relay.port}")
        more = "\n".join(f"  {name}: {value}" for name, value in self.store.items() if name != "url")
        more = more.replace("$FOLDER", str(self.fleet.folder))
        text = CONFIGURATION.format(
            workers=self.fleet.workers, issuer=self.fleet.issuer.url, folder=self.fleet.folder, url=url, store=more,
            app=self.fleet.app.url, token=TOKEN, log=self.folder, session=self.fleet.session, settings=self.fleet.settings,
            client="\n".join(f"    {line}" for line in self.fleet.client).replace("$FOLDER", str(self.fleet.folder)))
        unfinished = self.folder / "new"
        unfinished.write_text(text)
        unfinished.rename(self.folder / "portcullis.yaml")

    def start(self):
        """Starts it."""
        self.write(**self.store)
        self.process = processes.start(
            [self.fleet.binary, "run", self.folder / "portcullis.yaml"], self.folder / "output.log", self.environment)

    def await_listening(self):
        """Finds out its ports."""
        def is_listening():
            if self.process.poll() is not None:
                raise AssertionError(f"the gateway has ended:\n{self.last_words()}")
            ports = {line["listener"]: int(line["address"].rsplit(":", 1)[1])
                     for line in self.lines() if line["event"] == "listening"}
            self.port, self.admin_port = ports.get("public"), ports.get("admin")
            return self.port and self.admin_port
        eventually(is_listening, f"listening: gateway {self.number}", READY_SECONDS)

    def await_ready(self):
        """Until it says that it is."""
        self.await_listening()
        eventually(lambda: self.page("/readyz")[0] == 200, f"ready: gateway {self.number}", READY_SECONDS)

    def page(self, path):
        """Status and text of a page of the admin listener."""
        way = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=30)
        with contextlib.closing(way):
            way.request("GET", path)
            response = way.getresponse()
            return response.status, response.read().decode()

    def ready(self):
        """What it says of itself."""
        status, text = self.page("/readyz")
        return status, json.loads(text)

    def reading(self, name, **labels):
        """A metric's value; the sum of those that have these labels, and 0 where there is none."""
        total = 0
        for line in self.page("/metrics")[1].splitlines():
            found = re.fullmatch(re.escape(name) + r"(?:\{(.*)\})? (\S+)", line)
            if found:
                held = dict(re.findall(r'(\w+)="([^"]*)"', found[1] or ""))
                if all(held.get(key) == value for key, value in labels.items()):
                    total += float(found[2])
        return total

    def lines(self, event=None):
        """What it has logged so far, of one kind or all."""
        try:
            whole = (self.folder / "operator.log").read_text().split("\n")[:-1]
        except FileNotFoundError:
            return []
        lines = [json.loads(line) for line in whole]
        return [line for line in lines if event in (None, line["event"])]

    def says(self, event, seconds=None, **fields):
        """Waits for a line of this kind with these fields, or parts of them."""
        def said():
            return [line for line in self.lines(event)
                    if all(str(value) in str(line.get(name, "")) for name, value in fields.items())]
        return eventually(said, f"said by gateway {self.number}: {event} {fields}", seconds)[0]

    @fault
    def reload(self, **store):
        """Has it take another configuration."""
        before = len(self.lines("reloaded"))
        self.write(**store)
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: len(self.lines("reloaded")) > before, f"reloaded: gateway {self.number}\n{self.last_words()}")

    @fault
    def kill(self):
        """Ends it in the middle of whatever it does."""
        processes.end(self.process)

    @fault
    def freeze(self):
        """It does nothing any more."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        """It goes on."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        """Ends it."""
        if self.process:
            processes.end(self.process, patience=5)
        self.relay.stop()

    def last_words(self):
        """The end of what it said."""
        logs = [self.folder / name for name in ("output.log", "operator.log", "access.log")]
        return "\n".join(f"── {log.parent.name}/{log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-12:])
                         for log in logs if log.exists())


class Fleet:
    """All of it."""

    def __init__(self, binary, folder, workers, client):
        self.binary, self.folder, self.workers, self.client = binary, folder, workers, client
        self.session, self.settings = "store: shared", ""
        for name in ("web.secret", "session.key", "store.key"):
            (folder / name).write_text(secrets.token_hex(32))
            (folder / name).chmod(0o600)
        self.key = Key(folder / "client.pem")
        self.issuer, self.app = Issuer(Key(folder / "issuer.pem")), App()
        self.gateways, self.store = [], None
        # Whether the store may have nothing in the end that stays for ever.
        self.looks_for_eternal = True
        self.lock = threading.Lock()

    def set_password(self, word, name="store.password"):
        """Puts a password into the file of the gateways, at once."""
        unfinished = self.folder / (name + ".new")
        unfinished.write_text(word)
        unfinished.chmod(0o600)
        unfinished.rename(self.folder / name)
        self.issuer.secrets.add(word)

    def start_store(self, prepare=None, **more):
        """With the one user whom the documents describe, or prepared otherwise."""
        self.store.start(lambda: prepare(self.store) if prepare else self.store.allow(USER, PASSWORD, *COMMANDS), **more)

    def login(self):
        """The settings of the store's user."""
        return {"user": USER, "password": f"{{ file: {self.folder}/store.password }}"}

    def browser(self, seconds=3600):
        """Nobody in particular yet; the first token of a login is good for so long."""
        return Browser(self.issuer, seconds)

    def program(self):
        """A client with a token and a key."""
        return Program(self.issuer, self.key)

    def add(self, **store):
        """One more gateway, not started yet."""
        with self.lock:
            gateway = Gateway(self, len(self.gateways) + 1, **store)
            self.gateways.append(gateway)
        return gateway

    def sessions(self, *words):
        """What the command about the store's sessions prints."""
        name, *options = words
        done = subprocess.run(
            [self.binary, "sessions", name, self.gateways[0].folder / "portcullis.yaml", *options], capture_output=True,
            text=True, check=False, timeout=30)
        if done.returncode:
            raise AssertionError(f"sessions {name}: {done.stderr}")
        return done.stdout

    def last_words(self):
        """The end of each log."""
        return "\n".join(gateway.last_words() for gateway in self.gateways)

    def stop(self):
        """Ends all of it, whatever of it is left."""
        with contextlib.ExitStack() as last:
            last.callback(self.app.stop)
            last.callback(self.issuer.stop)
            if self.store:
                last.callback(self.store.stop)
            for gateway in self.gateways:
                last.callback(gateway.stop)
            if self.store and self.store.process and self.store.process.poll() is None:
                # So that a gateway that has to ask something before it ends can.
                self.store.thaw()


@contextlib.contextmanager
def fleet(binary, count=3, workers=1, server=(), prepare=None, starts=True, client=(), session=None, settings="", **store):
    """It runs, and is ready; with further words of the store's server, further lines of the client that users sign in by,
    other settings of its sessions, further lines of the configuration, and these keys of the gateways' store.

    The gateways are the one user whom the documents describe, unless the store is prepared otherwise.
    """
    folder = processes.folder()
    running = Fleet(binary, folder, workers, client)
    running.session, running.settings = session or running.session, settings
    try:
        running.store = Store(folder / "store", *server)
        running.set_password(PASSWORD)
        if starts:
            running.start_store(prepare)
        for _ in range(count):
            running.add(**({} if prepare else running.login()), **store).start()
        for gateway in running.gateways:
            gateway.await_ready() if starts else gateway.await_listening()
        yield running
        if running.looks_for_eternal and running.store.answers():
            # Whatever has become of gateways, of the store, and of what was under way.
            same(running.store.eternal(), [], "keys that stay for ever")
    except Exception as error:
        words = running.last_words()
        raise AssertionError(f"{error}\n{words}") from error
    finally:
        running.stop()
        processes.remove(folder)
