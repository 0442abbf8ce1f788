"""What an upstream allows: streams, windows, tables, heads; and clients that take nothing."""
import threading
import time

import upstreams
import wire
from stage import waits
from upstreams import misbehave, scripted, until

KIBIBYTE = 1 << 10


def counting(limit, settings, later=None):
    """An upstream that answers each request a moment later, and how many came though its limit was known and reached."""
    beyond, count, lock = [], {}, threading.Lock()

    def script(peer):
        """One connection."""
        def finish(message):
            """The answer."""
            with lock:
                count[peer.index] -= 1
            peer.answer(message)

        def respond(peer, message):
            """Open for a moment."""
            with lock:
                count[peer.index] = count.get(peer.index, 0) + 1
                if message.knows_settings and count[peer.index] > limit:
                    beyond.append(message)
            if later and message.number == 1:
                peer.is_acknowledged = False
                peer.put_settings(later)
            threading.Timer(0.02, finish, (message,)).start()

        peer.greet(settings)
        peer.serve(respond)
    return script, beyond


# refuses H2-77
def test_no_more_streams_are_open_than_the_upstream_allows(running):
    """The others wait, and all are answered."""
    for limit in (1, 7):
        script, beyond = counting(limit, {wire.MAX_CONCURRENT_STREAMS: limit})
        listener, path = running.upstream(script)
        with wire.Client(running.port) as client:
            for _ in range(2):
                numbers = [client.open(path + "get") for _ in range(40)]
                assert [client.answer(number).status for number in numbers] == [200] * 40
        assert not beyond and len(listener.connections) <= 2, (beyond, listener.connections)


# refuses H2-77
def test_a_limit_that_is_lowered_holds(running):
    """From a hundred to one, while requests are open."""
    script, beyond = counting(1, {wire.MAX_CONCURRENT_STREAMS: 100}, {wire.MAX_CONCURRENT_STREAMS: 1})
    listener, path = running.upstream(script)
    with wire.Client(running.port) as client:
        for count in (30, 20):
            numbers = [client.open(path + "get") for _ in range(count)]
            assert [client.answer(number).status for number in numbers] == [200] * count
            # Those that were sent by the limit of before are none of these.
            before = len(beyond)
        assert len(beyond) == before
    assert len(listener.connections) <= 2, listener.connections


def raised(settings, later=(), seconds=0):
    """An upstream whose SETTINGS are others after a while, and which says how much content it got."""
    def script(peer):
        """One connection."""
        peer.greet(settings)
        if later:
            threading.Timer(seconds, peer.put_settings, (later,)).start()
        peer.serve(lambda peer, message: peer.answer(message, content=b"%d" % len(message.content)))
    return script


# holds H2-77
def test_requests_wait_for_an_upstream_that_takes_none_for_a_moment(running):
    """The first comes before its SETTINGS; others wait until it takes them."""
    listener, path = running.upstream(raised({wire.MAX_CONCURRENT_STREAMS: 0}, {wire.MAX_CONCURRENT_STREAMS: 10}, 1))
    with wire.Client(running.port) as client:
        numbers = [client.open(path + "get") for _ in range(20)]
        assert [client.answer(number).status for number in numbers] == [200] * 20
    assert len(listener.connections) <= 2


@waits
# refuses H2-76
def test_requests_are_refused_when_an_upstream_takes_none(running):
    """With 503, when the time for a connection is over; the log says why, and later ones are served."""
    listener, path = running.upstream(raised({wire.MAX_CONCURRENT_STREAMS: 0}, {wire.MAX_CONCURRENT_STREAMS: 10}, 6))
    mark = running.mark()
    with wire.Client(running.port) as client:
        # Each connection may take some before its SETTINGS are there.
        found = [client.get(path + "get", seconds=30) for _ in range(3)]
        assert found[2].status == 503, found
        running.logged(mark, "upstream_connections_exhausted")
        until(lambda: client.get(path + "third", seconds=30).status == 200)
    assert len(listener.connections) <= 3, listener.connections


# holds H2-77
def test_content_waits_for_the_window_of_the_upstream(running):
    """Nothing of it comes before, all of it then; other requests go on."""
    settings = {wire.INITIAL_WINDOW_SIZE: 0}
    listener, path = running.upstream(raised(settings))
    with wire.Client(running.port) as client:
        assert client.get(path + "get").content == b"0"
        number = client.open(path + "post", method="POST", ends=False)
        client.put_data(number, b"x" * 60000, ends=True)
        [peer] = listener.connections
        until(lambda: 3 in peer.messages)
        assert client.get(path + "get").content == b"0"
        assert peer.messages[3].content == b""
        peer.put_settings({wire.INITIAL_WINDOW_SIZE: 1 << 20})
        assert client.answer(number).content == b"60000"
    assert len(listener.connections) == 1


def test_a_window_that_is_lowered_below_what_was_sent_is_no_error(running):
    """It is negative then, and content waits until it is not."""
    def script(peer):
        """Takes content by hand."""
        peer.gives_window = False
        peer.greet({wire.INITIAL_WINDOW_SIZE: 30000})
        threading.Timer(0.2, peer.put_settings, ({wire.INITIAL_WINDOW_SIZE: 10},)).start()
        threading.Timer(0.4, peer.put_window, (1, 29990 + 30000)).start()
        peer.serve(lambda peer, message: peer.answer(message, content=b"%d" % len(message.content)))

    _, path = running.upstream(script)
    with wire.Client(running.port) as client:
        assert client.get(path + "post", method="POST", content=b"x" * 60000).content == b"60000"


# holds H2-77
def test_a_table_of_nothing_is_not_used(running):
    """Whatever was sent before."""
    def script(peer):
        """Its decoder is strict about it once the acknowledgement is there."""
        peer.greet({wire.HEADER_TABLE_SIZE: 0})
        while (frame := peer.receive()) is not None:
            if frame.kind == wire.SETTINGS and frame.flags & wire.ACK:
                peer.decoder.max_allowed_table_size = 0
                break
            if frame.kind == wire.HEADERS:
                peer.answer(peer.messages[frame.stream])
        peer.serve(lambda peer, message: peer.answer(message))

    listener, path = running.upstream(script)
    with wire.Client(running.port) as client:
        for number in range(20):
            answer = client.get(f"{path}get", ("x-number", str(number)))
            assert answer.status == 200, answer
    assert len(listener.connections) == 1 and len(listener.paths()) >= 18, listener.paths()


def test_a_head_larger_than_the_upstream_takes_is_not_sent(running):
    """502, and not a guess after a reset; smaller ones go on."""
    listener, path = running.upstream(scripted(lambda peer, message: peer.answer(message),
                                               {wire.MAX_HEADER_LIST_SIZE: 2000}))
    mark = running.mark()
    with wire.Client(running.port) as client:
        upstreams.good(client, path)
        answer = client.get(path + "large", ("x-large", "a" * 4000))
        assert answer.status in (431, 502), answer
        running.logged(mark, "large")
        assert not listener.paths("large"), listener.paths()
        upstreams.good(client, path)


def test_values_of_settings_that_cannot_be_end_the_connection(running):
    """A frame size that is too small, a push that is neither."""
    for settings in ({wire.MAX_FRAME_SIZE: 100}, {wire.INITIAL_WINDOW_SIZE: 1 << 31}, {wire.ENABLE_PUSH: 1}):
        def script(peer, settings=settings):
            """The first connection."""
            peer.greet(settings if peer.index == 1 else ())
            peer.serve(lambda peer, message: peer.answer(message) if peer.index > 1 else None)

        answer, listener = misbehave(running, script)
        assert answer.status == 502 or len(listener.paths("bad")) == 2, (settings, answer)
        assert len(listener.connections) == 2, settings


def stall(client, path, count):
    """So many downloads that nobody takes."""
    client.gives_window = False
    return [client.open(f"{path}bad{number}") for number in range(count)]


# holds H2-43
def test_downloads_that_nobody_takes_do_not_hold_up_others(running):
    """90 of them on one connection, and little memory."""
    listener, path = running.upstream(scripted(lambda peer, message: peer.answer(message, content=b"x" * 100 * KIBIBYTE)))
    with wire.Client(running.port) as other, wire.Client(running.port, {wire.INITIAL_WINDOW_SIZE: 0}) as client:
        upstreams.good(other, path)
        before = running.memory()
        numbers = stall(client, path, 90)
        until(lambda: len(listener.paths("bad")) == 90)
        for _ in range(20):
            began = time.monotonic()
            upstreams.good(other, path)
            assert time.monotonic() - began < 20
        assert running.memory() - before < 90 * 128 * KIBIBYTE + (8 << 20)
        # They come when they are wanted.
        client.gives_window = True
        client.put_window(0, 1 << 30)
        for number in numbers:
            client.put_window(number, 200 * KIBIBYTE)
        for number in numbers:
            answer = client.answer(number)
            assert len(answer.content) == 100 * KIBIBYTE and answer.ended, answer
    assert len(listener.connections) == 1


# refuses H2-45
def test_an_upstream_that_ignores_our_window_is_stopped(running):
    """By FLOW_CONTROL_ERROR, for the stream or the connection; the next request is served."""
    listener, path = running.upstream(scripted(lambda peer, message: peer.answer(message, content=b"x" * (1 << 20))))
    mark = running.mark()
    with wire.Client(running.port, {wire.INITIAL_WINDOW_SIZE: 0}) as client, wire.Client(running.port) as other:
        number = stall(client, path, 1)[0]
        answer = client.answer(number)
        assert answer.reset is not None and not answer.ended, answer
        upstreams.good(other, path)
    running.logged(mark, "upstream_")

    def codes():
        """Of every stream and connection, as far as the upstream has read."""
        return [code for peer in listener.connections for code in (peer.messages[1].reset, peer.goaway and peer.goaway[1])]

    until(lambda: wire.FLOW_CONTROL_ERROR in codes())


# holds H2-42, H2-55
def test_a_download_is_read_at_the_pace_of_its_client(running):
    """The window comes back to the upstream as the client takes what there is: ten megabytes through one of 128 KiB."""
    def respond(peer, message):
        """All of it, as far as windows let it."""
        peer.put_fields(message.number, [(":status", "200")])
        sent, initial = 0, peer.settings[wire.INITIAL_WINDOW_SIZE]
        while sent < 10 << 20:
            while min(initial + message.window, peer.window) - sent < wire.MOST_DATA:
                if peer.receive() is None:
                    return
            sent += wire.MOST_DATA
            peer.put_data(message.number, b"x" * wire.MOST_DATA, ends=sent == 10 << 20)

    answer, listener = misbehave(running, scripted(respond), seconds=60)
    assert len(answer.content) == 10 << 20 and answer.ended
    assert len(listener.connections) == 1


def holding(limit):
    """An upstream with so many streams a connection, which answers `good` and nothing else."""
    def script(peer):
        """One connection."""
        peer.greet({wire.MAX_CONCURRENT_STREAMS: limit})
        peer.serve(lambda peer, message: message[":path"].endswith("good") and peer.answer(message))
    return script


def patient_upstream(running, script):
    """One whose answers the gateway awaits for longer than a test takes; its listener, and the path that leads there."""
    listener, path = running.upstream(script)
    return listener, path + "pass/"


def hold(listener, path, client, word, *counts):
    """Requests that are not answered, each count of them once those before have come; their numbers."""
    numbers = []
    for count in counts:
        numbers += [client.open(f"{path}{word}{len(numbers) + number}") for number in range(count)]
        until(lambda: len(listener.paths(word)) == len(numbers))
    return numbers


def seen(client):
    """All that the client has sent was read."""
    assert client.get("/nowhere").status == 404


def pass_a_second(client):
    """A second has passed, by the gateway's own clock."""
    for _ in range(2):
        date = client.get("/nowhere")["date"]
        assert date
        until(lambda before=date: client.get("/nowhere")["date"] != before)


@waits
# holds H2-83
def test_streams_for_who_has_less_are_there_at_any_time(running):
    """Also when nobody has waited for a while: whoever comes then does not wait beside streams that are free."""
    listener, path = patient_upstream(running, holding(10))
    with wire.Client(running.port) as greedy, wire.Client(running.port, source="127.0.0.2") as other:
        upstreams.good(greedy, path)
        hold(listener, path, greedy, "held", 10, 1, 9)
        hold(listener, path, other, "kept", 1)
        pass_a_second(other)
        hold(listener, path, other, "more", 4)
        late = greedy.open(f"{path}late")
        seen(greedy)
        for _ in range(20):
            upstreams.good(other, path)
        assert len(listener.connections) == 3 and not listener.paths("late"), listener.connections
        greedy.put_reset(late, wire.CANCEL)


@waits
# holds H2-76, H2-83
def test_who_holds_all_streams_of_an_upstream_holds_up_nobody_else(running):
    """One more connection is for the others; what the greedy one asks for beyond waits, and is refused in the end."""
    listener, path = patient_upstream(running, holding(10))
    mark = running.mark()
    with wire.Client(running.port) as greedy, wire.Client(running.port, source="127.0.0.2") as other:
        upstreams.good(greedy, path)
        # Before its SETTINGS are there a connection may get more.
        hold(listener, path, greedy, "held", 10, 1, 9)
        waiting = [greedy.open(f"{path}late{number}") for number in range(30)]
        seen(greedy)
        for _ in range(20):
            upstreams.good(other, path)
        assert len(listener.connections) == 3 and not listener.paths("late"), listener.connections
        # The time for a connection of the stage is three seconds.
        assert {greedy.answer(number).status for number in waiting} == {429}
    running.logged(mark, "upstream_share_exhausted", about=(f'"{path}',))


# refuses H2-83
def test_a_place_that_is_given_back_goes_to_who_has_less(running):
    """Not to the greedy one, whose request has waited for longer; it gets the next one."""
    listener, path = patient_upstream(running, holding(10))
    with wire.Client(running.port) as greedy, wire.Client(running.port, source="127.0.0.2") as other, \
            wire.Client(running.port, source="127.0.0.3") as third:
        upstreams.good(greedy, path)
        held = hold(listener, path, greedy, "held", 10, 1, 9)
        # Every stream is taken, the reserved ones as well.
        hold(listener, path, other, "kept", 1, 4)
        hold(listener, path, third, "third", 5)
        greedy.open(f"{path}late")
        seen(greedy)
        wanted = other.open(f"{path}wanted/good")
        seen(other)
        greedy.put_reset(held[0], wire.CANCEL)
        answer = other.answer(wanted)
        assert answer.content == upstreams.GOOD, answer
        # The stream that this one had is the next, and goes to whoever waits.
        until(lambda: listener.paths("late"))
