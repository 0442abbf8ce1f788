"""As much of a browser as a login through the gateway needs, and what ends a run whose answers are wrong."""
import http.client
import ssl
import subprocess
import time
import urllib.parse

NAVIGATION = {"Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}


class Wrong(Exception):
    """An answer that is not the one documented."""


def same(what, found, expected):
    """Both are equal, or the run ends."""
    if found != expected:
        raise Wrong(f"{what}: found {found!r}, expected {expected!r}")


def holds(what, condition, found):
    """It is so, or the run ends."""
    if not condition:
        raise Wrong(f"{what}: found {found!r}")


def by_curl(url, certificate, fields):
    """A GET by curl, which takes HTTP/2 where it is offered: version, status and content of the answer."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "60", "--cacert", certificate, "--header", "@-",
         "--write-out", "\n%{http_version} %{http_code}", url],
        input="".join(f"{name}: {value}\n" for name, value in fields.items()), check=False, capture_output=True, text=True)
    holds("curl", done.returncode == 0, done.stderr)
    content, _, found = done.stdout.rpartition("\n")
    version, status = found.split(" ")
    return version, int(status), content


class Browser:
    """As much of one as a login needs: it keeps cookies, and follows no redirect by itself."""

    def __init__(self, url, certificate):
        self.url = url
        self.host = urllib.parse.urlsplit(url).netloc
        self.replica = None  # an address of one of those behind the URL, to ask that one
        self.trust = ssl.create_default_context(cafile=certificate)
        self.cookies = {}

    def ask(self, title, status, request, fields=None, body=None):
        """One request; shows the answer's status, which must be `status`, and takes its cookies."""
        connection = self.connection()
        answer, content = self.send(connection, request, fields, body)
        connection.close()
        self.show(answer, title, status, request)
        for line in answer.headers.get_all("Set-Cookie", []):
            self.take(line)
        return answer.headers, content

    def ask_until(self, title, status, request, seconds):
        """The same request until its answer has this status, in time; keeps its cookies, and says how long that took."""
        # On one connection: new ones without end would be more than a client's share of handshakes.
        began, connection = time.monotonic(), self.connection()
        while True:
            try:
                answer, _ = self.send(connection, request)
            except http.client.RemoteDisconnected:
                # The session's end cuts off what it was let in for.
                connection.close()
                answer, _ = self.send(connection, request)
            passed = time.monotonic() - began
            if answer.status == status or passed > seconds:
                connection.close()
                self.show(answer, title, status, request)
                return passed

    def show(self, answer, title, status, request):
        """A line for an answer, whose status must be this."""
        method, target = request.split(" ")
        print(f"{answer.status}  {method} {target.split('?')[0]:32} {title}", flush=True)
        same("status", answer.status, status)

    def connection(self):
        """A new one to the replica, or to whichever stands behind the URL."""
        return http.client.HTTPSConnection(self.replica or self.host, timeout=60, context=self.trust)

    def send(self, connection, request, fields=None, body=None):
        """One request; the answer, and its content."""
        method, target = request.split(" ")
        sent = {"Host": self.host, **NAVIGATION, **(fields or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, target, body, {name: value for name, value in sent.items() if value is not None})
        answer = connection.getresponse()
        return answer, answer.read()

    def take(self, line):
        """Keeps, replaces or drops one cookie, all of which must be out of scripts' and other hosts' reach."""
        pair, *attributes = line.split("; ")
        name, _, value = pair.partition("=")
        holds("name of a cookie", name.startswith("__Host-portcullis-"), name)
        holds("attributes of a cookie", {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"} <= set(attributes), attributes)
        if "Max-Age=0" in attributes:
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value

    def session(self):
        """The value of the session's cookie."""
        return self.cookies.get("__Host-portcullis-web")
