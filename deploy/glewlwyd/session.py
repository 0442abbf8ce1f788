"""A browser's worth of HTTP: cookies are kept, redirects are shown instead of followed, proxies are ignored."""
import json
import urllib.error
import urllib.request


class Refused(RuntimeError):
    """The server answered with a status that was not asked for."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves 3xx answers to the caller."""

    def redirect_request(self, *_):
        return None


class Session:
    """One user's conversation with the server at `base`."""

    def __init__(self, base):
        self.base = base
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), NoRedirect(), urllib.request.HTTPCookieProcessor())

    def send(self, method, url, body=None, headers=None, expect=(200,)):
        """(headers, content) of the answer; Refused unless its status is in `expect`."""
        request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
        try:
            answer = self.opener.open(request, timeout=120)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            content = answer.read()
            if answer.status not in expect:
                raise Refused(f"{method} {url}: {answer.status} {content.decode(errors='replace')[:300]}")
            return answer.headers, content

    def call(self, method, path, body=None):
        """The JSON answer of one call to the server's own API; None when it has no content."""
        data = None if body is None else json.dumps(body).encode()
        _, content = self.send(method, f"{self.base}/api{path}", data, {"Content-Type": "application/json"})
        return json.loads(content) if content else None

    def log_in(self, username, password):
        """Starts the cookie session that every later call needs."""
        self.call("POST", "/auth/", {"username": username, "password": password})
