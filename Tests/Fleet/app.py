"""What stands behind the gateways: answers 200, and remembers with which credentials it was asked."""
import serving


class App:
    """Listens on 127.0.0.1."""

    def __init__(self):
        self.credentials = []
        app = self

        class Handler(serving.Handler):
            """Answers for the app."""

            def do_GET(self):
                app.credentials.append(self.headers.get("Authorization"))
                self.answer(200, "text/plain", b"ok")

        self.server = serving.Server(Handler)
        self.url = self.server.url

    def stop(self):
        """Ends it."""
        self.server.stop()
