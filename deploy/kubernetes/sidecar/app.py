"""A sample app that reads who is there from header fields. It listens on 127.0.0.1: only the gateway reaches it."""
import html
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class App(BaseHTTPRequestHandler):
    """One connection of the gateway."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """A page that says who is there."""
        user = self.headers.get("X-User-Id", "nobody")
        content = f"<!doctype html><title>Shop</title><p>Signed in as {html.escape(user)}.\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """The gateway keeps the access log."""


server = ThreadingHTTPServer(("127.0.0.1", 3000), App)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
