"""Apps that tests bring along, where the sample app does not do."""
import contextlib
import http.server
import threading


class App(http.server.BaseHTTPRequestHandler):
    """One request of an app. Its connection ends with the answer: the next test has another app at this port."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def content(self):
        """What was sent."""
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def answer(self, status, kind, content, *fields):
        """One whole answer."""
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content))), ("Connection", "close"),
                            *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing: the gateway has a log."""


@contextlib.contextmanager
def listening(port, app):
    """An app, for as long as needed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), app)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
