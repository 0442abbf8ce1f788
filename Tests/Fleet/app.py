"""What stands behind the gateways: answers 200, and remembers with which credentials it was asked."""
import http.server
import threading


class App:
    """Listens on 127.0.0.1."""

    def __init__(self):
        self.credentials = []
        app = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers on connections that are kept."""

            protocol_version = "HTTP/1.1"
            # Else the content waits for the acknowledgement of the head.
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_GET(self):
                app.credentials.append(self.headers.get("Authorization"))
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_):
                """Says nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        """Ends it."""
        self.server.shutdown()
        self.server.server_close()
