"""Fields behind the content: passed where the next hop carries them, and only those that may be there (RFC 9110 §6.5)."""
import socket

import upstreams
import wire

PASSED = [("grpc-status", "0"), ("grpc-message", "fine"), ("grpc-status-details-bin", "AAE"), ("x-sum", "abc"),
          ("server-timing", "a;dur=1")]
DROPPED = [("set-cookie", "a=b"), ("x_user_id", "root"), ("x-user-id", "root"), ("x-user-id-bin", "cm9vdA"),
           ("content-type", "text/html"), ("host", "evil"), ("authorization", "Bearer x"), ("www-authenticate", "Basic"),
           ("location", "/evil"), ("cache-control", "public"), ("access-control-allow-origin", "*"), ("date", "now"),
           ("dpop-nonce", "x"), ("x-forwarded-for", "1.2.3.4"), ("proxy-authenticate", "x"), ("trailer", "x-sum")]


def mixed():
    """Good ones among bad ones."""
    half = len(DROPPED) // 2
    return DROPPED[:half] + PASSED + DROPPED[half:]


def responding(trailers, **more):
    """An upstream that answers with trailers."""
    return upstreams.scripted(lambda peer, message: peer.answer(message, trailers=trailers, **more))


def old(running, path, *fields):
    """All that an HTTP/1.1 client gets."""
    with socket.create_connection(("127.0.0.1", running.port), 10) as connection:
        lines = [f"GET {path} HTTP/1.1", "Host: gateway.test", "Connection: close", *fields]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


# refuses H2-50
def test_trailers_of_an_answer_pass_without_those_that_may_not(running):
    """None of those that route, frame, authorise or describe a message, nor names that are the gateway's own."""
    upstream, path = running.upstream(responding(mixed()))
    with wire.Client(running.port) as client:
        answer = client.get(path + "bad")
        assert (answer.status, answer.content, answer.ended) == (200, b"good", True), answer
        assert sorted(answer.trailers) == sorted(PASSED), answer
        upstreams.good(client, path)
    assert upstream.paths() == [path + "bad", path + "good"]


# holds H2-51
def test_an_answer_that_is_a_head_alone_passes_as_that(running):
    """Trailers-only, as gRPC calls it: one HEADERS."""
    fields = [("content-type", "application/grpc"), ("grpc-status", "5"), ("grpc-message", "none")]
    answer, _ = upstreams.misbehave(
        running, upstreams.scripted(lambda peer, message: peer.answer(message, fields=fields, content=b"")))
    assert (answer["grpc-status"], answer["grpc-message"], answer.trailers) == ("5", "none", None), answer


def test_an_old_client_gets_trailers_if_it_asks(running):
    """Behind the last chunk, and only then."""
    _, path = running.upstream(responding(PASSED + [("set-cookie", "a=b")]))
    answer = old(running, path + "bad", "TE: trailers")
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b"chunked" in head.lower() and b"grpc-status" not in head.lower(), answer
    assert body.startswith(b"00000004\r\ngood\r\n0\r\n") and b"x-sum: abc\r\n" in body.lower(), answer
    assert b"set-cookie" not in answer.lower() and body.endswith(b"\r\n\r\n"), answer
    for fields in ((), ("TE: gzip",), ("TE: trailers;q=0",)):
        answer = old(running, path + "bad", *fields)
        assert b"x-sum" not in answer.lower() and answer.endswith(b"00000004\r\ngood\r\n0\r\n\r\n"), (fields, answer)


def test_an_old_client_gets_none_where_the_length_is_told(running):
    """There is no place for them."""
    _, path = running.upstream(responding(PASSED, fields=[("content-length", "4")]))
    answer = old(running, path + "bad", "TE: trailers")
    assert answer.endswith(b"\r\n\r\ngood") and b"x-sum" not in answer.lower(), answer


# holds H2-49, H2-50
# refuses H2-49, H2-50
def test_trailers_of_a_request_pass_only_where_the_route_says_so(running):
    """And then without those that may not."""
    upstream, path = running.upstream(upstreams.scripted(None))
    with wire.Client(running.port) as client:
        for place, expected in (("", None), ("pass/", PASSED), ("grpc/", PASSED)):
            number = client.open(f"{path}{place}{len(place)}", method="POST", ends=False)
            client.put_data(number, b"hello")
            client.put_fields(number, mixed(), ends=True)
            answer = client.answer(number)
            assert answer.status == 200, answer
            request = upstream.request(f"{place}{len(place)}")
            assert request.content == b"hello" and request.ended, request
            assert sorted(request.trailers or []) == sorted(expected or []), (place, request.trailers)


def test_trailers_of_a_request_with_pseudo_fields_are_malformed(running):
    """The upstream never sees a whole request."""
    upstream, path = running.upstream(upstreams.scripted(None))
    with wire.Client(running.port) as client:
        number = client.open(path + "pass/one", method="POST", ends=False)
        client.put_data(number, b"hello")
        client.put_fields(number, [("x-sum", "a"), (":path", "/evil")], ends=True)
        answer = client.answer(number)
        assert answer.reset == wire.PROTOCOL_ERROR or answer.status == 400, answer
        upstreams.good(client, path)
    assert upstream.paths() == [path + "good"]


# refuses H2-81
def test_an_answer_with_pseudo_fields_behind_its_content_is_broken_off(running):
    """No client takes it for whole."""
    answer, _ = upstreams.misbehave(running, responding([("x-sum", "a"), (":status", "200")]))
    assert answer.reset is not None or answer.status == 502, answer
    assert not answer.trailers, answer


def test_a_length_behind_the_content_is_not_passed(running):
    """Whatever it says: the answer is broken off, or whole without it."""
    for length in ("4", "5"):
        answer, _ = upstreams.misbehave(running, responding([("x-sum", "a"), ("content-length", length)]))
        assert answer.reset is not None or answer.content == b"good", answer
        assert "content-length" not in dict(answer.trailers or ()), answer


def test_two_hundred_trailers_are_too_many(running):
    """The stream is broken off."""
    answer, _ = upstreams.misbehave(running, responding([(f"x-{number}", "a") for number in range(200)]))
    assert answer.reset is not None or answer.status == 502, answer
