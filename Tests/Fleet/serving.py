"""A server of HTTP on 127.0.0.1, each connection on a thread of its own."""
import http.server
import threading


class Server(http.server.ThreadingHTTPServer):
    """Runs from the start; a client that goes away is no news."""

    daemon_threads = True
    # Of connections that a hundred requests open at once.
    request_queue_size = 1024

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, *_):
        """Gateways end in the middle of whatever they do here."""

    def stop(self):
        """Ends it."""
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers on connections that are kept."""

    protocol_version = "HTTP/1.1"
    # Else the content waits for the acknowledgement of the head.
    disable_nagle_algorithm = True

    def answer(self, status, kind, content):
        """Sends all of it."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""
