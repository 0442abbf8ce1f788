"""What a client of gRPC sees of the gateway's own answers: a status, a text and metadata."""
import grpc

import wire
from calls import Client, refusal

CALL = (("content-type", "application/grpc"), ("te", "trailers"))
# A message of no bytes, in its frame.
EMPTY = bytes(5)


def seen(error):
    """The metadata behind a refusal, of which each name has one value here."""
    return dict(error.trailing_metadata())


def passes(running):
    """A good call to the same upstream."""
    with Client(running) as client:
        assert client.unary()(b"x", timeout=30) == b"re:x"


# holds H2-86
def test_a_call_without_token_is_unauthenticated(running):
    """With our text, and the challenge that says where a token is to be had; with a token it passes."""
    with Client(running, "token.S") as client:
        error = refusal(client.unary(), b"x")
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
        assert error.details() and "Received http2 header" not in error.details(), error
        assert seen(error)["www-authenticate"].startswith("Bearer realm="), error
        assert "x-request-id" in seen(error), error
        metadata = (("authorization", f"Bearer {running.token()}"),)
        assert client.unary()(b"x", timeout=30, metadata=metadata) == b"re:x"
        for bad in ("Bearer none", f"Bearer {running.token(-60)}", f"Bearer {running.token()[:-4]}AAAA", "Basic YTpi"):
            error = refusal(client.unary(), b"x", metadata=(("authorization", bad),))
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED, (bad, error)


# holds H2-86
def test_streams_without_token_are_unauthenticated(running):
    """Calls of every kind, whatever they have said by then."""
    with Client(running, "token.S") as client:
        for call, said in ((client.down(), b"5"), (client.up(), iter([b"x" * 100000] * 20)), (client.both(), iter([b"x"]))):
            error = refusal(call, said)
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED and seen(error)["www-authenticate"], error


def test_a_call_without_its_scope_is_denied(running):
    """And passes with it."""
    with Client(running, "scope.S") as client:
        error = refusal(client.unary(), b"x", metadata=(("authorization", f"Bearer {running.token()}"),))
        assert error.code() is grpc.StatusCode.PERMISSION_DENIED and error.details(), error
        assert 'scope="write"' in seen(error)["www-authenticate"], error
        metadata = (("authorization", f"Bearer {running.token(scope='read write')}"),)
        assert client.unary()(b"x", timeout=30, metadata=metadata) == b"re:x"


def test_a_service_without_route_is_unimplemented(running):
    """So is a health check that nobody lets through."""
    with Client(running, "nowhere.S") as client:
        error = refusal(client.unary(), b"x")
        assert error.code() is grpc.StatusCode.UNIMPLEMENTED and error.details(), error
    passes(running)


# holds H2-94
def test_an_upstream_that_is_down_is_unavailable(running):
    """Soon, with a text that is ours; the log says why."""
    mark = running.mark()
    with Client(running, "down.S") as client:
        error = refusal(client.unary(), b"x")
        assert error.code() is grpc.StatusCode.UNAVAILABLE and error.details(), error
        assert "Received http2 header" not in error.details(), error
    running.logged(mark, "upstream_connect_failed")
    passes(running)


# holds H2-88
# refuses H2-88
def test_a_timeout_that_is_none_is_an_invalid_argument(running):
    """Nothing of such a call reaches the upstream; a good one does."""
    with wire.Client(running.port) as client:
        for bad in ("-1S", "1", "1x", "", "123456789S", "1 S", "S", "1S1S"):
            answer = client.get("/open.S/Unary", *CALL, ("grpc-timeout", bad), method="POST", content=EMPTY)
            assert (answer.status, answer["grpc-status"]) == (200, "3"), (bad, answer)
            assert "grpc-timeout" in answer["grpc-message"], answer
        for timeout in ("1S", "99999999H", "5000m", "12345678u"):
            answer = client.get("/open.S/Unary", *CALL, ("grpc-timeout", timeout), method="POST", content=EMPTY)
            assert answer.status == 200 and ("grpc-status", "0") in answer.trailers, (timeout, answer)


# holds H2-86
# refuses H2-86
def test_a_refusal_is_one_head_that_ends_the_stream(running):
    """Under 200, as application/grpc, and never as a page."""
    with wire.Client(running.port) as client:
        for path, status in (("/token.S/Unary", "16"), ("/nowhere.S/Unary", "12"), ("/down.S/Unary", "14")):
            answer = client.get(path, *CALL, method="POST", content=EMPTY)
            found = (answer.status, answer["grpc-status"], answer["content-type"], answer.content, answer.trailers)
            assert found == (200, status, "application/grpc", b"", None), answer
        answer = client.get("/token.S/Unary", ("content-type", "application/json"), method="POST", content=b"{}")
        assert (answer.status, answer["grpc-status"]) == (401, None), answer


def test_too_many_calls_are_told_when_to_come_again(running):
    """In milliseconds, as gRPC's retries read it."""
    with Client(running, "rate.S") as client:
        assert client.unary()(b"x", timeout=30) == b"re:x"
        error = refusal(client.unary(), b"x")
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and error.details(), error
    with wire.Client(running.port) as client:
        answer = client.get("/rate.S/Unary", *CALL, method="POST", content=EMPTY)
        assert answer["grpc-status"] == "8", answer
        assert int(answer["grpc-retry-pushback-ms"]) == 1000 * int(answer["retry-after"]), answer


def test_a_page_that_calls_by_grpc_web_is_refused_in_its_own_form(running):
    """And may read why, where its origin is let in."""
    fields = (("content-type", "application/grpc-web+proto"), ("x-grpc-web", "1"))
    with wire.Client(running.port) as client:
        origin = ("origin", "https://pages.test")
        answer = client.get("/web.S/Unary", *fields, origin, method="POST", content=EMPTY)
        assert (answer.status, answer["grpc-status"], answer.content) == (200, "16", b""), answer
        assert answer["content-type"].startswith("application/grpc-web") and answer["www-authenticate"], answer
        assert answer["access-control-allow-origin"] == "https://pages.test", answer
        exposed = ", ".join(answer.values("access-control-expose-headers")).lower()
        assert all(name in exposed for name in ("grpc-status", "grpc-message", "www-authenticate")), answer
        answer = client.get("/web.S/Unary", *fields, ("origin", "https://evil.test"), method="POST", content=EMPTY)
        assert answer["access-control-allow-origin"] is None and answer["grpc-status"] in ("7", "16"), answer
        answer = client.get("/web.S/Unary", origin, ("access-control-request-method", "POST"),
                            ("access-control-request-headers", "content-type,authorization"),
                            method="OPTIONS")
        assert answer.status in (200, 204) and answer["access-control-allow-origin"], answer
        allowed = answer["access-control-allow-headers"].lower()
        assert all(name in allowed for name in ("content-type", "authorization")), answer


def test_a_proof_passes_once(running):
    """The second call with it is refused, and told why."""
    token = running.token(cnf={"jkt": running.thumbprint()})
    with Client(running, "proof.S") as client:
        metadata = (("authorization", f"DPoP {token}"), ("dpop", running.proof(token, "/proof.S/Unary")))
        assert client.unary()(b"x", timeout=30, metadata=metadata) == b"re:x"
        error = refusal(client.unary(), b"x", metadata=metadata)
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
        assert 'error="invalid_dpop_proof"' in seen(error)["www-authenticate"], error
        other = (metadata[0], ("dpop", running.proof(token, "/proof.S/Other")))
        error = refusal(client.unary(), b"x", metadata=other)
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
