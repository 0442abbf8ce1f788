"""An upstream that says nothing any more, though its connection is open."""
import threading
import time

import upstreams
import wire
from stage import waits


def begin(client, path):
    """The number of a call with one empty message."""
    number = client.open(path, ("content-type", "application/grpc"), method="POST", ends=False)
    client.put_data(number, bytes(5), ends=True)
    return number


@waits
# holds H2-82
def test_an_upstream_that_answers_no_ping_is_given_up(running):
    """After 20 seconds without a frame it is asked, and 5 seconds later it is over."""
    over = threading.Event()

    def script(peer):
        """The first connection answers once, and then reads nothing; others are good."""
        peer.greet()
        if peer.index > 1:
            return peer.serve(lambda peer, message: peer.answer(message))
        while not any(message.ended for message in peer.messages.values()):
            peer.receive()
        peer.put_fields(1, [(":status", "200")])
        return over.wait(90)

    _, path = running.upstream(script)
    mark = running.mark()
    with wire.Client(running.port) as client:
        began = time.monotonic()
        number = begin(client, path + "grpc/silent")
        answer = client.answer(number, 60)
        took = time.monotonic() - began
        over.set()
        assert 20 <= took <= 50, took
        status = dict(answer.trailers or answer.fields).get("grpc-status")
        assert status == "14" or answer.reset is not None, answer
        running.logged(mark, "upstream_timed_out")
        upstreams.good(client, path)


@waits
# refuses H2-82
def test_an_upstream_that_answers_a_ping_is_kept(running):
    """Though it says nothing else for longer than the answer may take."""
    def script(peer):
        """Answers the first request a while after it was asked whether it is there, and others at once."""
        peer.greet()
        while (frame := peer.receive()) is not None:
            if frame.kind == wire.PING:
                threading.Timer(7, peer.answer, (peer.messages[1],)).start()
            elif frame.kind == wire.HEADERS and frame.stream > 1:
                peer.answer(peer.messages[frame.stream])

    listener, path = running.upstream(script)
    with wire.Client(running.port) as client:
        began = time.monotonic()
        number = begin(client, path + "grpc/patient")
        answer = client.answer(number, 60)
        assert time.monotonic() - began >= 27, answer
        assert (answer.status, answer.content, answer.ended) == (200, upstreams.GOOD, True), answer
        upstreams.good(client, path)
    assert len(listener.connections) == 1, listener.connections


@waits
# refuses H2-82
def test_a_silent_upstream_is_asked_once_in_five_minutes(running):
    """Servers of gRPC end a connection that asks more often, unless they have had something to say in between."""
    asked = []

    def script(peer):
        """Says nothing but that it is there, for so long that another question would have come."""
        peer.greet()
        while (frame := peer.receive()) is not None:
            if frame.kind == wire.PING:
                asked.append(time.monotonic())
                if len(asked) == 1:
                    threading.Timer(25, peer.answer, (peer.messages[1],)).start()
            elif frame.kind == wire.HEADERS and frame.stream > 1:
                peer.answer(peer.messages[frame.stream])

    _, path = running.upstream(script)
    with wire.Client(running.port) as client:
        number = begin(client, path + "grpc/silent")
        answer = client.answer(number, 90)
        assert (answer.status, answer.content, answer.ended) == (200, upstreams.GOOD, True), answer
        assert len(asked) == 1, asked
        upstreams.good(client, path)


@waits
# holds H2-82
def test_a_server_that_goes_while_a_call_is_silent_is_noticed_by_the_next_one(running):
    """It has said once that it is there; who begins a call then does not wait for five minutes."""
    asked, over = threading.Event(), threading.Event()

    def script(peer):
        """The first connection answers one question, and then reads nothing; others are good."""
        peer.greet()
        if peer.index > 1:
            return peer.serve(lambda peer, message: peer.answer(message))
        while (frame := peer.receive()) is not None and frame.kind != wire.PING:
            pass
        asked.set()
        return over.wait(120)

    _, path = running.upstream(script)
    mark = running.mark()
    with wire.Client(running.port) as silent, wire.Client(running.port) as client:
        # Both acknowledge what they were told; the first one reads nothing behind that.
        for one in (silent, client):
            one.get("/none")
        begin(silent, path + "grpc/silent")
        assert asked.wait(60)
        began = time.monotonic()
        answer = client.answer(begin(client, path + "grpc/next"), 90)
        took = time.monotonic() - began
        over.set()
        assert 20 <= took <= 60, took
        status = dict(answer.trailers or answer.fields).get("grpc-status")
        assert status == "14" or answer.reset is not None, answer
        running.logged(mark, "upstream_timed_out")
        upstreams.good(client, path)
