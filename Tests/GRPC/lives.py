"""Calls whose token ends before they do."""
import time

import grpc

from calls import Client, Talk, refusal
from stage import waits


@waits
def test_a_call_ends_with_its_token(running):
    """Others on the connection stay, and so does this one's upstream."""
    with Client(running, "token.S") as client:
        began = time.monotonic()
        short = (("authorization", f"Bearer {running.token(8)}"),)
        long = (("authorization", f"Bearer {running.token()}"),)
        ending, staying = Talk(), Talk()
        one = client.both()(ending, metadata=short, timeout=60)
        other = client.both()(staying, metadata=long, timeout=60)
        for talk, call in ((ending, one), (staying, other)):
            talk.say(b"a")
            assert next(call) == b"a"
        error = refusal(lambda *_, **__: list(one))
        took = time.monotonic() - began
        ending.say(None)
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED and 7 <= took <= 30, (error, took)
        assert error.details(), error
        staying.say(b"b")
        assert next(other) == b"b"
        staying.say(None)
        assert not list(other)


@waits
def test_a_call_that_has_said_nothing_ends_with_its_token_too(running):
    """It is refused, as it would have been at its beginning."""
    with Client(running, "token.S") as client:
        began = time.monotonic()
        metadata = (("authorization", f"Bearer {running.token(8)}"),)
        error = refusal(client.unary("Sleep"), b"60", metadata=metadata, timeout=60)
        took = time.monotonic() - began
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED and 7 <= took <= 30, (error, took)


@waits
def test_a_call_outlives_its_token_where_the_route_says_so(running):
    """To its own end."""
    with Client(running, "keep.S") as client:
        talk = Talk()
        call = client.both()(talk, metadata=(("authorization", f"Bearer {running.token(8)}"),), timeout=60)
        talk.say(b"a")
        assert next(call) == b"a"
        time.sleep(11)
        talk.say(b"b")
        assert next(call) == b"b"
        talk.say(None)
        assert not list(call) and call.code() is grpc.StatusCode.OK
        error = refusal(client.unary(), b"x", metadata=(("authorization", f"Bearer {running.token(-1)}"),))
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
