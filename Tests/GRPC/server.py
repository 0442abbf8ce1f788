"""A gRPC server by grpcio, in plain and with TLS: one set of methods under whatever service it is called by.

And a server of HTTP/1.1 with large contents, for proxies that speak HTTP/2 on one side only.
"""
import hashlib
import os
import threading
import time
from concurrent import futures
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc

# Longer than a test waits for the word that a client has left.
LEFT_SECONDS = 60
CONTENT = os.urandom(6 << 20)


class Methods(grpc.GenericRpcHandler):
    """Methods by the last part of their path. Messages are bytes."""

    def __init__(self):
        self.events = {}
        self.lock = threading.Lock()

    def service(self, handler_call_details):
        name = handler_call_details.method.rsplit("/", 1)[1]
        makers = {"Unary": (grpc.unary_unary_rpc_method_handler, unary),
                  "Check": (grpc.unary_unary_rpc_method_handler, lambda *_: b"\x08\x01"),
                  "Fail": (grpc.unary_unary_rpc_method_handler, fail),
                  "Metadata": (grpc.unary_unary_rpc_method_handler, metadata),
                  "Deadline": (grpc.unary_unary_rpc_method_handler, deadline),
                  "Sleep": (grpc.unary_unary_rpc_method_handler, sleep),
                  "Wait": (grpc.unary_unary_rpc_method_handler, self.wait),
                  "Down": (grpc.unary_stream_rpc_method_handler, down),
                  "Up": (grpc.stream_unary_rpc_method_handler, up),
                  "Early": (grpc.stream_unary_rpc_method_handler, lambda *_: b"early"),
                  "Late": (grpc.stream_stream_rpc_method_handler, late),
                  "First": (grpc.stream_stream_rpc_method_handler, first),
                  "Echo": (grpc.stream_stream_rpc_method_handler, echo)}
        if name not in makers:
            return None
        maker, method = makers[name]
        return maker(method)

    def event(self, what, name):
        """Set when the call of that name has begun, or is over for its client."""
        with self.lock:
            return self.events.setdefault((what, name), threading.Event())

    def wait(self, request, context):
        """Until the client leaves, or the test ends it."""
        over = self.event("over", request)
        context.add_callback(over.set)
        self.event("begun", request).set()
        over.wait(LEFT_SECONDS)
        return b""


def unary(request, context):
    """The request again, with metadata of every kind."""
    context.send_initial_metadata((("x-first", "1"), ("x-bin-bin", b"\x00\xff")))
    context.set_trailing_metadata((("x-sum", "abc"), ("x-user-id", "evil"), ("x-last-bin", b"\x01\xfe")))
    return b"re:" + request


def fail(request, context):
    """Ends with the status and text asked for."""
    code, text = request.decode().split(" ", 1)
    context.set_trailing_metadata((("x-why", "because"),))
    context.abort(next(one for one in grpc.StatusCode if one.value[0] == int(code)), text)


def metadata(_, context):
    """All metadata that came."""
    return repr(list(context.invocation_metadata())).encode()


def deadline(_, context):
    """The seconds that the call has left."""
    return b"%f" % context.time_remaining()


def sleep(request, context):
    """For so many seconds, or until the client leaves."""
    over = threading.Event()
    context.add_callback(over.set)
    over.wait(float(request))
    return b"%d" % context.is_active()


def down(request, _):
    """So many messages."""
    for number in range(int(request)):
        yield b"%d" % number


def up(messages, _):
    """How many came, and how many bytes they have."""
    count = size = 0
    for message in messages:
        count += 1
        size += len(message)
    return b"%d %d" % (count, size)


def late(messages, _):
    """Goes on when the client has said all: three messages, a moment apart."""
    count = sum(1 for _ in messages)
    for number in range(3):
        time.sleep(0.05)
        yield b"%d %d" % (number, count)


def first(messages, _):
    """Ends at the first message, whatever else the client has to say."""
    yield next(messages)


def echo(messages, _):
    """Each message again."""
    yield from messages


class Calls:
    """The server, on two ports and a Unix socket."""

    def __init__(self, folder):
        self.methods = Methods()
        self.server = grpc.server(futures.ThreadPoolExecutor(160), handlers=(self.methods,),
                                  options=(("grpc.so_reuseport", 0),))
        pair = ((folder / "tls.key").read_bytes(), (folder / "tls.crt").read_bytes())
        self.path = folder / "calls.sock"
        self.server.add_insecure_port(f"unix:{self.path}")
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.tls = self.server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
        self.server.start()

    def stop(self):
        """Ends it, with all calls."""
        self.server.stop(0).wait(5)


class Contents(ThreadingHTTPServer):
    """The server of contents."""

    class Handler(BaseHTTPRequestHandler):
        """The same bytes for each GET, and of what a POST brings a digest."""

        protocol_version = "HTTP/1.1"
        # Of a head and a small content that are written apart, the second would wait for the acknowledgement of the first.
        disable_nagle_algorithm = True

        def do_GET(self):
            """A download."""
            self.answer(CONTENT)

        def do_POST(self):
            """An upload, whose length is told or which is chunked."""
            self.answer(digest(b"".join(self.parts())))

        def parts(self):
            """The pieces of a content."""
            if "content-length" in self.headers:
                yield self.rfile.read(int(self.headers["content-length"]))
                return
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()

        def answer(self, content):
            """200."""
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Nothing is."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, *_):
        """That a client leaves is nobody's fault."""

    def stop(self):
        """Ends it."""
        self.shutdown()
        self.server_close()


def digest(content):
    """By which an upload is known."""
    return hashlib.sha256(content).hexdigest().encode()
