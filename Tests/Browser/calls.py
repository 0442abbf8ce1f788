"""Calls by gRPC-Web from a page of another origin, as the libraries for browsers make them by fetch."""
from apps import App, listening
from people import person, same

CALL = """async ([url, text]) => {
    const message = new TextEncoder().encode(text), body = new Uint8Array(5 + message.length);
    new DataView(body.buffer).setUint32(1, message.length);
    body.set(message, 5);
    const answer = await fetch(url, {method: "POST", body,
        headers: {"Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1"}});
    const content = new Uint8Array(await answer.arrayBuffer()), frames = [];
    for (let at = 0; at < content.length;) {
        const end = at + 5 + new DataView(content.buffer).getUint32(at + 1);
        frames.push([content[at], new TextDecoder().decode(content.subarray(at + 5, end))]);
        at = end }
    return {status: answer.status, type: answer.headers.get("content-type"), frames,
        code: answer.headers.get("grpc-status"), text: answer.headers.get("grpc-message"),
        challenge: answer.headers.get("www-authenticate")} }"""
MESSAGE, TRAILERS = 0, 0x80


class Orders(App):
    """A server of gRPC-Web: messages and trailers in the content, or trailers alone in the head."""

    asked = []

    def do_POST(self):  # pylint: disable=invalid-name
        """Echoes the message, with what says that it is gRPC-Web."""
        self.asked.append(self.path)
        message = self.content()[5:]
        kind = "application/grpc-web+proto"
        if self.path == "/calls/sample.Orders/Missing":
            self.answer(200, kind, b"", ("grpc-status", "5"), ("grpc-message", "no such order"))
            return
        said = b"%b, %b, %b" % (message, self.headers["Content-Type"].encode(), self.headers["X-Grpc-Web"].encode())
        self.answer(200, kind, frame(MESSAGE, said) + frame(TRAILERS, b"grpc-status: 0\r\ngrpc-message: read\r\n"))


def frame(kind, content):
    """One frame of gRPC-Web."""
    return bytes([kind]) + len(content).to_bytes(4, "big") + content


# holds HTTP-71
def test_a_page_elsewhere_calls_by_grpc_web_over_http_2(browser, stack):
    """Message and trailers arrive as they were sent, and the status of a call that fails can be read."""
    read, missing = "/calls/sample.Orders/Read", "/calls/sample.Orders/Missing"
    with listening(stack.ports["calls"], Orders), person(browser, stack, known=False) as alice:
        alice.page.goto(f"http://localhost:{stack.ports['app']}/")
        answer = alice.page.evaluate(CALL, [f"{stack.url}{read}", "order 7"])
        same([answer["status"], answer["type"]], [200, "application/grpc-web+proto"])
        same(answer["frames"], [[MESSAGE, "order 7, application/grpc-web+proto, 1"],
                                [TRAILERS, "grpc-status: 0\r\ngrpc-message: read\r\n"]])
        answer = alice.page.evaluate(CALL, [f"{stack.url}{missing}", "order 8"])
        same([answer["status"], answer["code"], answer["text"], answer["frames"]], [200, "5", "no such order", []])
        same(sorted((line["method"], line.get("protocol"), line["status"]) for line in stack.lines_of(read, 2)),
             [("OPTIONS", "h2", 204), ("POST", "h2", 200)])


# holds HTTP-72
# refuses H2-86
def test_a_refused_call_by_grpc_web_says_so_in_fields_that_the_page_may_read(browser, stack):
    """H2-86: no token is 16, a status of gRPC. The route lists none of the fields, it only says that it has calls."""
    path = "/calls/closed/sample.Orders/Read"
    with person(browser, stack, known=False) as alice:
        alice.page.goto(f"http://localhost:{stack.ports['app']}/")
        answer = alice.page.evaluate(CALL, [f"{stack.url}{path}", "order 9"])
        same([answer["status"], answer["code"], answer["frames"]], [200, "16", []])
        assert answer["text"] and answer["type"].startswith("application/grpc-web"), answer
        assert answer["challenge"].startswith("Bearer "), answer
        same(sorted((line["method"], line.get("protocol"), line["status"]) for line in stack.lines_of(path, 2)),
             [("OPTIONS", "h2", 204), ("POST", "h2", 401)])


# refuses HTTP-71
def test_a_page_that_is_not_listed_makes_no_call_by_grpc_web(browser, stack):
    """HTTP-71: its browser asks first, hears no, and sends nothing more."""
    path = "/calls/sample.Orders/Foreign"
    with listening(stack.ports["calls"], Orders), person(browser, stack, known=False) as alice:
        alice.page.goto(f"http://127.0.0.1:{stack.ports['app']}/")
        same(alice.page.evaluate(f"([url, text]) => ({CALL})([url, text]).then(() => 'called', error => error.name)",
                                 [f"{stack.url}{path}", "order 7"]), "TypeError")
        same([(line["method"], line.get("protocol"), line["status"]) for line in stack.lines_of(path)],
             [("OPTIONS", "h2", 403)])
        same([asked for asked in Orders.asked if asked == path], [], "calls that the app saw")
