"""The end of an upstream's connection: announced, or not."""
import time

import upstreams
import wire
from refusals import CALL, EMPTY
from upstreams import each, misbehave, refused, scripted, until

LARGEST = (1 << 31) - 1


def leaving(most, is_graceful):
    """An upstream that takes so many streams on each connection, as nginx does with keepalive_requests."""
    def script(peer):
        """One connection."""
        last = LARGEST

        def respond(peer, message):
            """Those behind the last are not looked at; one that began before it may end later."""
            nonlocal last
            if message.number > last:
                return
            peer.answer(message)
            if peer.served == most:
                last = message.number
                if is_graceful:
                    peer.put_goaway(LARGEST)
                peer.put_goaway(message.number)

        peer.greet()
        peer.serve(respond)
    return script


# holds H2-78, H2-79
def test_no_client_sees_that_an_upstream_takes_but_fifty_streams_a_connection(running):
    """A thousand requests, some of them with content."""
    for is_graceful in (True, False):
        listener, path = running.upstream(leaving(50, is_graceful))
        with wire.Client(running.port) as client:
            for _ in range(25):
                numbers = [client.open(path + "get") for _ in range(10)]
                numbers += [client.send(path + "post", method="POST", content=b"hello") for _ in range(10)]
                answers = [client.answer(number) for number in numbers]
                assert [answer.status for answer in answers] == [200] * 20, answers
        assert len(listener.connections) >= 10, len(listener.connections)


# holds H2-78, H2-79
def test_a_request_that_several_connections_leave_out_arrives(running):
    """Two hundred at once, where each connection takes fifty of the hundred that it gets: some are left out twice or three times."""
    _, path = running.upstream(leaving(50, False))
    with wire.Client(running.port) as one, wire.Client(running.port) as other:
        numbers = [(client, client.open(path + "get")) for client in (one, other) for _ in range(50)]
        numbers += [(client, client.send(path + "post", method="POST", content=b"hello")) for client in (one, other)
                    for _ in range(50)]
        answers = [client.answer(number) for client, number in numbers]
    assert [answer.status for answer in answers] == [200] * 200, [answer for answer in answers if answer.status != 200]


# holds H2-78
def test_a_connection_that_says_goodbye_at_once_is_replaced(running):
    """The first stream was not looked at: it is sent again, whatever its method."""
    def script(peer):
        """The first connection takes nothing."""
        peer.greet()
        peer.serve(lambda peer, message: peer.put_goaway(0) if peer.index == 1 else peer.answer(message))

    for method, content in (("GET", None), ("POST", b"hello")):
        answer, listener = misbehave(running, script, method=method, content=content)
        assert answer.status == 200 and len(listener.connections) == 2, (method, answer)


# holds H2-79
def test_streams_of_a_connection_that_is_leaving_end_in_peace(running):
    """Even if it says that something is wrong; new ones go elsewhere."""
    def check(code):
        """One of them."""
        def script(peer):
            """The first connection leaves with a request open, and answers it later."""
            def respond(peer, message):
                """When the test says so."""
                if "bad" not in message[":path"]:
                    return peer.answer(message)
                return peer.put_goaway(message.number, code)

            peer.greet()
            peer.serve(respond)

        listener, path = running.upstream(script)
        with wire.Client(running.port) as client:
            number = client.open(path + "bad")
            until(lambda: listener.paths("bad"))
            # That it leaves may not be known to the first of these yet.
            until(lambda: len(listener.connections) == 2 or upstreams.good(client, path))
            assert not client.messages[number].is_over
            listener.connections[0].answer(listener.request("bad"))
            answer = client.answer(number)
            assert (answer.status, answer.content) == (200, b"good"), answer
            upstreams.good(client, path)
        assert len(listener.connections) == 2, listener.connections

    each({"NO_ERROR": 0, "INTERNAL_ERROR": 2, "ENHANCE_YOUR_CALM": 11, "PROTOCOL_ERROR": 1}, check)


# refuses H2-78
def test_a_request_that_may_have_been_looked_at_is_not_sent_again(running):
    """A POST at or below the last number of a connection that then breaks: 502, and the upstream has seen it once."""
    def script(peer):
        """The first connection ends without an answer."""
        def respond(peer, message):
            """Having said that it took the stream."""
            if peer.index == 1 and "bad" in message[":path"]:
                peer.put_goaway(message.number)
                raise ConnectionAbortedError
            peer.answer(message)

        peer.greet()
        peer.serve(respond)

    answer, listener = misbehave(running, script, ["upstream_closed"], method="POST", content=b"hello")
    refused(answer)
    assert len(listener.paths("bad")) == 1, listener.paths()


def breaking(connections, count):
    """The first connections end when so many streams are open, behind one that was answered."""
    def script(peer):
        """One connection."""
        waiting = []

        def respond(peer, message):
            """All of them at once."""
            if "bad" not in message[":path"] or peer.index > connections:
                return peer.answer(message)
            waiting.append(message)
            if len(waiting) == count:
                raise ConnectionAbortedError
            return None

        peer.greet()
        peer.serve(respond)
    return script


def fifty(client, path):
    """Answers to 25 requests that may be repeated and 25 that may not."""
    upstreams.good(client, path)
    gets = [client.open(f"{path}bad/get{number}") for number in range(25)]
    posts = [client.send(f"{path}bad/post{number}", method="POST", content=b"hello") for number in range(25)]
    return [client.answer(number) for number in gets], [client.answer(number) for number in posts]


# holds H2-78
# refuses H2-78
def test_of_fifty_streams_on_a_connection_that_breaks_those_are_repeated_that_may_be(running):
    """GETs once, on another connection; POSTs are 502."""
    listener, path = running.upstream(breaking(1, 50))
    with wire.Client(running.port) as client:
        gets, posts = fifty(client, path)
        assert [answer.status for answer in gets] == [200] * 25, gets
        assert [answer.status for answer in posts] == [502] * 25, posts
        assert len(listener.paths("get")) == 50 and len(listener.paths("post")) == 25, listener.paths()
        upstreams.good(client, path)


# refuses H2-78
def test_none_is_repeated_twice(running):
    """Though the second connection breaks too."""
    def script(peer):
        """The second connection breaks with the 25 that came again."""
        breaking(2, 50 if peer.index == 1 else 25)(peer)

    listener, path = running.upstream(script)
    with wire.Client(running.port) as client:
        gets, _ = fifty(client, path)
        assert [answer.status for answer in gets] == [502] * 25, gets
        assert len(listener.paths("get")) == 50, listener.paths()
        upstreams.good(client, path)


# refuses H2-80
def test_an_answer_whose_connection_breaks_is_not_whole(running):
    """The client's stream is reset; a call ends with a status."""
    def respond(peer, message):
        """A part."""
        peer.put_fields(message.number, [(":status", "200"), ("content-type", "application/grpc")])
        peer.put_data(message.number, b"\0\0\0\0\4part")
        time.sleep(0.1)
        raise ConnectionAbortedError

    answer, _ = misbehave(running, scripted(respond), ["upstream_broke_off"])
    assert answer.status in (200, None) and not answer.ended and answer.reset == wire.INTERNAL_ERROR, answer
    _, path = running.upstream(scripted(respond))
    with wire.Client(running.port) as client:
        answer = client.get(path + "grpc/bad", *CALL, method="POST", content=EMPTY)
        assert answer.reset is not None or dict(answer.trailers or ()).get("grpc-status") == "14", answer
        upstreams.good(client, path)


def test_whole_answers_are_whole_though_their_connection_ends(running):
    """All that was sent before the end arrives."""
    def respond(peer, message):
        """And nobody is there any more."""
        peer.answer(message, content=b"x" * 60000)
        raise ConnectionAbortedError

    answer, _ = misbehave(running, scripted(respond))
    assert len(answer.content) == 60000 and answer.ended, answer


def test_upstreams_learn_that_a_client_has_left(running):
    """By CANCEL, on a connection that stays."""
    listener, path = running.upstream(scripted(lambda peer, message: None))
    with wire.Client(running.port) as client:
        number = client.open(path + "bad")
        until(lambda: listener.paths("bad"))
        client.put_reset(number, wire.CANCEL)
        upstreams.good(client, path)
        until(lambda: listener.request("bad").reset is not None)
        assert listener.request("bad").reset == wire.CANCEL, listener.requests
        assert len(listener.connections) == 1
