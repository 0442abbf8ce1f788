"""What stands behind the gateways: answers 200, and remembers with which credentials it was asked."""
import collections
import contextlib
import threading

import serving

# Of a WebSocket whose key is that of RFC 6455 section 1.3.
KEY, ACCEPTED = "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


class App:
    """Listens on 127.0.0.1."""

    def __init__(self):
        self.credentials = []
        # What is open of those that do not end, by kind.
        self.open, self.lock = collections.Counter(), threading.Lock()
        app = self

        class Handler(serving.Handler):
            """Answers for the app."""

            def do_GET(self):
                app.credentials.append(self.headers.get("Authorization"))
                if self.path.startswith("/live/"):
                    self.go_on(self.path.removeprefix("/live/"))
                else:
                    self.answer(200, "text/plain", b"ok")

            def go_on(self, kind):
                """Until the other side ends it: a WebSocket, all of which comes back, or a response with no end."""
                self.close_connection = True
                app.count(kind, 1)
                if kind == "socket":
                    self.send_response(101)
                    for name, value in (("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", ACCEPTED)):
                        self.send_header(name, value)
                    self.end_headers()
                else:
                    self.send_response(200)
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    self.wfile.write(b"5\r\nhello\r\n")
                with contextlib.suppress(OSError):
                    while content := self.connection.recv(4096):
                        self.wfile.write(content)
                app.count(kind, -1)

        self.server = serving.Server(Handler)
        self.url = self.server.url

    def count(self, kind, number):
        """So many more are open."""
        with self.lock:
            self.open[kind] += number

    def stop(self):
        """Ends it."""
        self.server.stop()
