"""RST_STREAM of an upstream: before its answer, in it, behind it, and for a stream that it never looked at."""
import time

import upstreams
import wire
from refusals import CALL, EMPTY
from upstreams import each, misbehave, refused, scripted, until

CODES = {"NO_ERROR": 0, "PROTOCOL_ERROR": 1, "INTERNAL_ERROR": 2, "FLOW_CONTROL_ERROR": 3, "SETTINGS_TIMEOUT": 4,
         "STREAM_CLOSED": 5, "FRAME_SIZE_ERROR": 6, "CANCEL": 8, "COMPRESSION_ERROR": 9, "CONNECT_ERROR": 10,
         "ENHANCE_YOUR_CALM": 11, "INADEQUATE_SECURITY": 12, "HTTP_1_1_REQUIRED": 13, "one that nobody knows": 0xFACE}


# refuses H2-78
def test_a_reset_before_the_answer_is_502(running):
    """With each code; the connection stays."""
    def check(code):
        """One of them."""
        answer, listener = misbehave(running, scripted(lambda peer, message: peer.put_reset(message.number, code)),
                                     ['"cause":"upstream_closed"', "reset"], method="POST", content=b"x")
        refused(answer)
        assert len(listener.connections) == 1 and len(listener.paths("bad")) == 1, listener.paths()

    each(CODES, check)


# refuses H2-80
def test_a_reset_within_the_answer_reaches_the_client(running):
    """As CANCEL if it is that, else as our error; never as an end."""
    def check(code):
        """One of them."""
        def respond(peer, message):
            """A part."""
            peer.put_fields(message.number, [(":status", "200")])
            peer.put_data(message.number, b"part")
            time.sleep(0.05)
            peer.put_reset(message.number, code)

        answer, listener = misbehave(running, scripted(respond), ["upstream_broke_off"])
        assert answer.status in (200, None) and not answer.ended, answer
        assert answer.reset == (wire.CANCEL if code == wire.CANCEL else wire.INTERNAL_ERROR), answer
        assert len(listener.connections) == 1, listener.connections

    each(CODES | {"REFUSED_STREAM": wire.REFUSED_STREAM}, check)


# refuses H2-80, H2-94
def test_a_reset_within_the_answer_ends_a_call_with_a_status(running):
    """Where nothing but the head was sent."""
    def check(code):
        """One of them."""
        def respond(peer, message):
            """A head."""
            peer.put_fields(message.number, [(":status", "200"), ("content-type", "application/grpc")])
            time.sleep(0.05)
            peer.put_reset(message.number, code)

        _, path = running.upstream(scripted(respond))
        with wire.Client(running.port) as client:
            answer = client.get(path + "grpc/bad", *CALL, method="POST", content=EMPTY)
            expected = "13" if code == wire.PROTOCOL_ERROR else "14"
            assert dict(answer.trailers or ()).get("grpc-status") == expected or answer.reset == wire.CANCEL == code, answer
            upstreams.good(client, path)

    each(CODES, check)


# holds H2-94
def test_a_call_that_is_reset_before_its_answer_is_refused(running):
    """As unavailable, in one head."""
    _, path = running.upstream(scripted(lambda peer, message: peer.put_reset(message.number, wire.INTERNAL_ERROR)))
    with wire.Client(running.port) as client:
        answer = client.get(path + "grpc/bad", *CALL, method="POST", content=EMPTY)
        assert (answer.status, answer["grpc-status"], answer.ended) == (200, "14", True), answer


# holds H2-80
def test_a_whole_answer_stands_though_the_rest_of_the_request_is_not_wanted(running):
    """NO_ERROR behind the end: RFC 9113 §8.1."""
    def respond(peer, message):
        """Before the request is over."""
        peer.answer(message, status=403)
        peer.put_reset(message.number, wire.NO_ERROR)

    listener, path = running.upstream(scripted(respond, at_head=True))
    for size in (10, 1 << 20):
        with wire.Client(running.port) as client:
            number = client.open(path + "bad", method="POST", ends=False)
            client.put_data(number, b"x" * min(size, 60000))
            answer = client.answer(number)
            assert (answer.status, answer.content, answer.ended) == (403, b"good", True), answer
            upstreams.good(client, path)
    assert len(listener.connections) == 1, listener.connections


def refusing(times):
    """An upstream that refuses the first streams with `bad` in their path, and how often it did."""
    count = [0]

    def respond(peer, message):
        """Then it answers."""
        count[0] += 1
        if count[0] <= times:
            peer.put_reset(message.number, wire.REFUSED_STREAM)
        else:
            peer.answer(message, content=b"got " + message.content[:10])
    return scripted(respond), count


# holds H2-78
def test_a_stream_that_is_refused_is_sent_once_more(running):
    """Whatever the method, with its content."""
    for method, content in (("GET", None), ("POST", b"hello"), ("DELETE", None), ("PATCH", b"hello" * 100)):
        script, count = refusing(1)
        answer, _ = misbehave(running, script, method=method, content=content)
        assert answer.status == 200 and answer.content == b"got " + (content or b"")[:10], (method, answer)
        assert count[0] == 2, count


def test_a_stream_that_is_refused_is_sent_once_more_with_content_that_came_later(running):
    """The client writes it when the head has gone on, and it is little."""
    for size in (5, 4000):
        script, count = refusing(1)
        listener, path = running.upstream(script)
        with wire.Client(running.port) as client:
            number = client.open(path + "bad", method="POST", ends=False)
            until(lambda: listener.connections and listener.connections[-1].messages)
            client.put_data(number, b"x" * size, ends=True)
            answer = client.answer(number)
            assert answer.status == 200 and answer.content == b"got " + b"x" * min(size, 10) and count[0] == 2, answer


def test_trailers_of_a_request_that_is_sent_once_more_go_with_it(running):
    """Where the route passes them; and content that comes after the refusal."""
    for place in ("pass/", "grpc/"):
        script, count = refusing(1)
        listener, path = running.upstream(script)
        with wire.Client(running.port) as client:
            with client.together():
                number = client.open(f"{path}{place}bad", method="POST", ends=False)
                client.put_data(number, b"hello")
                client.put_fields(number, [("x-sum", "abc")], ends=True)
            answer = client.answer(number)
            assert answer.status == 200 and answer.content == b"got hello" and count[0] == 2, answer
            assert [message.trailers for message in listener.requests] == [[("x-sum", "abc")]] * 2, listener.requests


def test_content_that_comes_behind_the_refusal_goes_on_with_the_repetition(running):
    """The stream was refused by its head, and its content is on its way."""
    count = [0]

    def script(peer):
        """Refuses a head, and then waits for the end of requests."""
        peer.greet()
        while peer.receive() is not None:
            for message in list(peer.messages.values()):
                if message.reset is None and message.fields and not count[0]:
                    count[0] += 1
                    message.reset = wire.REFUSED_STREAM
                    peer.put_reset(message.number, wire.REFUSED_STREAM)
                elif message.ended and message.reset is None:
                    message.reset = wire.NO_ERROR
                    peer.answer(message, content=b"%d" % len(message.content))

    _, path = running.upstream(script)
    with wire.Client(running.port) as client:
        number = client.open(path + "get", method="POST", ends=False)
        for _ in range(10):
            client.put_data(number, b"x" * 1000)
            time.sleep(0.005)
        client.put_data(number, b"", ends=True)
        answer = client.answer(number)
        assert (answer.status, answer.content) == (200, b"10000") or answer.status == 502, answer


# refuses H2-78
def test_one_that_is_refused_again_is_502(running):
    """There is no third time, and no loop."""
    for method, content in (("GET", None), ("POST", b"hello")):
        script, count = refusing(1000000)
        answer, listener = misbehave(running, script, ["refused_stream" if method == "x" else '"status":502'],
                                     method=method, content=content)
        refused(answer)
        assert count[0] == 2 and len(listener.connections) <= 2, count


def test_content_that_is_not_kept_is_not_sent_again(running):
    """A large one whose beginning is gone: 502, or all of it and nothing else."""
    script, count = refusing(1)
    answer, listener = misbehave(running, script, method="POST", content=b"x" * 60000)
    assert answer.status in (200, 502), answer
    whole = [message for message in listener.requests if "bad" in message[":path"] and message.ended]
    assert all(len(message.content) == 60000 for message in whole), whole
    assert count[0] <= 2, count


# holds H2-78
def test_streams_refused_under_load_are_not_seen_by_clients(running):
    """Every tenth, first of all; all answers are good."""
    seen = set()

    def respond(peer, message):
        """Each tenth once."""
        number = int(message[":path"].rsplit("bad", 1)[1])
        if number % 10 == 0 and number not in seen:
            seen.add(number)
            peer.put_reset(message.number, wire.REFUSED_STREAM)
        else:
            peer.answer(message)

    _, path = running.upstream(scripted(respond))
    with wire.Client(running.port) as client:
        for start in range(0, 300, 50):
            numbers = [client.open(f"{path}bad{start + number}") for number in range(50)]
            answers = [client.answer(number) for number in numbers]
            assert [answer.status for answer in answers] == [200] * 50, answers
    assert len(seen) == 30
