"""What an upstream with TLS speaks: as it has agreed, and never by a guess."""
import wire


def script(peer):
    """By what the handshake agreed."""
    if peer.socket.selected_alpn_protocol() == "h2":
        peer.greet()
        peer.serve(lambda peer, message: peer.answer(message))
    else:
        peer.answer_lines()


# What the route says, what the upstream agrees to, and by what it is then asked.
SPOKEN = {("h2", "h2"): "frames", ("h2", "both"): "frames", ("h2", "http1"): None, ("h2", "nothing"): None,
          ("auto", "h2"): "frames", ("auto", "both"): "frames", ("auto", "http1"): "lines", ("auto", "nothing"): "lines",
          ("http1", "both"): "lines", ("http1", "http1"): "lines", ("http1", "nothing"): "lines"}


# holds H2-74
# refuses H2-74
def test_an_upstream_with_tls_is_asked_by_what_it_has_agreed_to(running):
    """Or not at all, where the route wants another protocol."""
    for listener in running.secure.values():
        listener.start(script)
    with wire.Client(running.port) as client:
        for (protocol, name), spoken in SPOKEN.items():
            path, mark = f"/{name}/{protocol}/get", running.mark()
            answers = [client.get(path) for _ in range(3)]
            expected = [502 if spoken is None else 200] * 3
            assert [answer.status for answer in answers] == expected, (protocol, name, answers)
            if spoken is None:
                running.logged(mark, "upstream_protocol", about=(path,))
            listener = running.secure[name]
            found = (listener.paths(path), [line for line in listener.lines if line == path])
            assert found == ([path] * 3 if spoken == "frames" else [], [path] * 3 if spoken == "lines" else []), found
        # Many at once, of which the first alone knows what is spoken.
        for name in ("both", "http1"):
            numbers = [client.open(f"/{name}/auto/many") for _ in range(30)]
            numbers += [client.send(f"/{name}/auto/many", method="POST", content=b"x" * 1000) for _ in range(30)]
            assert [client.answer(number).status for number in numbers] == [200] * 60, name
