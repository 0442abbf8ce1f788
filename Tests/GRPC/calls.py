"""What a client of gRPC does, through the gateway: every kind of call, in plain and with TLS."""
import queue
import threading
import time

import grpc

import stage

MEBIBYTE = 1 << 20


class Client:
    """A channel to the gateway, or to what is in front of it at `port`, and methods of one service there."""

    def __init__(self, running, service="open.S", secure=False, port=None, **options):
        options = [(f"grpc.{name}", value) for name, value in options.items()]
        if secure:
            options.append(("grpc.ssl_target_name_override", stage.AUTHORITY))
            credentials = grpc.ssl_channel_credentials((running.folder / "tls.crt").read_bytes())
            self.channel = grpc.secure_channel(f"127.0.0.1:{port or running.tls}", credentials, options)
        else:
            options.append(("grpc.default_authority", stage.AUTHORITY))
            # A channel of its own, and with it a connection.
            options.append(("grpc.use_local_subchannel_pool", 1))
            self.channel = grpc.insecure_channel(f"127.0.0.1:{port or running.port}", options)
        self.service = service

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def unary(self, method="Unary"):
        """One message up, one down."""
        return self.channel.unary_unary(f"/{self.service}/{method}")

    def down(self, method="Down"):
        """One message up, many down."""
        return self.channel.unary_stream(f"/{self.service}/{method}")

    def up(self, method="Up"):
        """Many up, one down."""
        return self.channel.stream_unary(f"/{self.service}/{method}")

    def both(self, method="Echo"):
        """Many both ways."""
        return self.channel.stream_stream(f"/{self.service}/{method}")


def refusal(call, *arguments, **options):
    """The error that a call ends with."""
    try:
        found = call(*arguments, **{"timeout": 30, **options})
        # Only streams have something to go through.
        found = found if isinstance(found, bytes) else list(found)
    except grpc.RpcError as error:
        return error
    raise AssertionError(f"answered {found[:100]}")


class Talk:
    """Messages of a stream, when they are said."""

    def __init__(self):
        self.queue = queue.Queue()

    def say(self, message):
        """One more; None ends it."""
        self.queue.put(message)

    def __iter__(self):
        return self

    def __next__(self):
        if (message := self.queue.get()) is None:
            raise StopIteration
        return message


def every_kind(client, count=1000):
    """Calls of all four kinds, those of many messages with so many."""
    answer, call = client.unary().with_call(b"hello", timeout=30)
    assert answer == b"re:hello" and call.code() is grpc.StatusCode.OK
    assert [int(one) for one in client.down()(b"%d" % count, timeout=30)] == list(range(count))
    size = sum(len(b"%d" % number) for number in range(count))
    assert client.up()((b"%d" % number for number in range(count)), timeout=30) == b"%d %d" % (count, size)
    assert list(client.both()(iter([b"a", b"", b"c" * 100000]), timeout=30)) == [b"a", b"", b"c" * 100000]


def test_calls_of_every_kind_pass_in_plain(running):
    """h2c on both sides."""
    with Client(running) as client:
        every_kind(client)


def test_calls_of_every_kind_pass_with_tls(running):
    """ALPN on both sides, the upstream's by h2 and by auto."""
    for service in ("secure.S", "agreed.S"):
        with Client(running, service, secure=True) as client:
            every_kind(client)


def test_calls_pass_over_a_unix_socket(running):
    """Upstreams beside the gateway have no port."""
    with Client(running, "unix.S") as client:
        every_kind(client)


def test_calls_pass_without_a_word_about_grpc(running):
    """A route whose upstream speaks HTTP/2 is enough."""
    with Client(running, "plain.S") as client:
        every_kind(client)


def test_fifty_messages_go_to_and_fro_without_delay(running):
    """Each is passed on as it comes, not when there are more."""
    with Client(running) as client:
        talk = Talk()
        call = client.both()(talk, timeout=30)
        talk.say(b"begin")
        next(call)
        times = []
        for number in range(50):
            began = time.monotonic()
            talk.say(b"%d" % number)
            assert next(call) == b"%d" % number
            times.append(time.monotonic() - began)
        talk.say(None)
        assert not list(call)
        # Were they held back, it would be for 40 ms, the time of a delayed acknowledgement. Half of them: a machine that stands
        # still for a moment holds back some.
        assert sorted(times)[25] < 0.03, f"{times}"


@stage.waits
def test_a_deadline_ends_a_call(running):
    """Behind the second that it may last, and long before its answer."""
    with Client(running) as client:
        began = time.monotonic()
        error = refusal(client.unary("Sleep"), b"60", timeout=1)
        took = time.monotonic() - began
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and 0.9 <= took < 30, f"{error} {took}"
        assert client.unary()(b"x", timeout=30) == b"re:x"


@stage.waits
def test_the_gateway_ends_a_call_whose_deadline_is_over(running):
    """For a client that does not do so itself: by metadata, of which grpcio knows nothing."""
    with Client(running) as client:
        began = time.monotonic()
        error = refusal(client.unary("Sleep"), b"60", timeout=None, metadata=(("grpc-timeout", "1S"),))
        took = time.monotonic() - began
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and 0.9 <= took < 30, f"{error} {took}"


def metadata_both_ways(client):
    """Of the call, before the answer and behind it, text and bytes."""
    sent = (("x-a", "b"), ("x-a", "c"), ("x-some-bin", bytes(range(256))))
    text = client.unary("Metadata")(b"", timeout=30, metadata=sent).decode()
    for name, value in sent:
        assert f"key={name!r}, value={value!r}" in text, text
    _, call = client.unary().with_call(b"x", timeout=30)
    first, last = dict(call.initial_metadata()), dict(call.trailing_metadata())
    assert (first["x-first"], first["x-bin-bin"]) == ("1", b"\x00\xff"), first
    assert (last["x-sum"], last["x-last-bin"]) == ("abc", b"\x01\xfe"), last


def test_metadata_pass_both_ways(running):
    """To the upstream, and from there."""
    with Client(running) as client:
        metadata_both_ways(client)


def codes_and_texts(client):
    """Every code, and a text that needs encoding."""
    for code in list(grpc.StatusCode)[1:]:
        text = f"nothing here: ä % \u2713 {code.name}"
        error = refusal(client.unary("Fail"), f"{code.value[0]} {text}".encode())
        assert (error.code(), error.details()) == (code, text), error
        assert ("x-why", "because") in error.trailing_metadata(), error
    error = refusal(client.unary("None"), b"")
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED, error


def test_codes_and_texts_of_errors_pass(running):
    """As the upstream says them."""
    with Client(running) as client:
        codes_and_texts(client)


def test_a_health_check_passes_on_its_route(running):
    """By the bytes of its messages: SERVING."""
    with Client(running, "grpc.health.v1.Health") as client:
        assert client.unary("Check")(b"\x0a\x06open.S", timeout=30) == b"\x08\x01"


# holds H2-92
def test_a_real_server_is_asked_over_tls_whether_it_is_well(running):
    """It is, by its own library's words; nobody at the other address is not, and gets no call."""
    nobody = f'"address":"127.0.0.1:{running.nobody.getsockname()[1]}"'
    beginning = {"operator.log": 0}
    running.logged(beginning, "upstream_server_down", nobody, "SERVING by gRPC, of checked.S")
    with Client(running, "checked.S") as client:
        for number in range(10):
            assert client.unary()(b"%d" % number, timeout=30) == b"re:%d" % number
    told = [line for line in running.text("operator.log").splitlines() if "upstream_server_down" in line]
    assert all(nobody in line for line in told), told


def test_either_side_may_have_said_all_before_the_other(running):
    """The client ends and the server goes on; the server ends while the client goes on."""
    with Client(running) as client:
        assert list(client.both("Late")(iter([b"1", b"2"]), timeout=30)) == [b"0 2", b"1 2", b"2 2"]
        talk = Talk()
        talk.say(b"one")
        call = client.both("First")(talk, timeout=30)
        assert list(call) == [b"one"] and call.code() is grpc.StatusCode.OK
        talk.say(None)
        assert client.up("Early")(iter([b"x" * MEBIBYTE] * 20), timeout=30) == b"early"
        every_kind(client)


def test_200_megabytes_of_one_call_pass_in_little_memory(running):
    """What the server has not taken is not kept."""
    with Client(running) as client:
        client.unary()(b"x", timeout=30)
        before, most, over = running.memory(), [0], threading.Event()

        def watch():
            """The most that there is at any time."""
            while not over.wait(0.02):
                most[0] = max(most[0], running.memory())

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            answer = client.up()((b"x" * MEBIBYTE for _ in range(200)), timeout=60)
        finally:
            over.set()
            watching.join()
        assert answer == b"200 %d" % (200 * MEBIBYTE)
        assert most[0] - before < 16 * MEBIBYTE, f"{most[0] - before} bytes more"


def test_a_limit_of_the_route_ends_a_call_that_is_longer(running):
    """One message fits, the next does not."""
    with Client(running, "limit.S") as client:
        assert client.up()(iter([b"x" * (MEBIBYTE // 2)]), timeout=30) == b"1 %d" % (MEBIBYTE // 2)
        error = refusal(client.up(), (b"x" * (MEBIBYTE // 2) for _ in range(4)))
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED, error
        assert client.unary()(b"x", timeout=30) == b"re:x"


def test_compressed_messages_pass(running):
    """Both ways, of which the gateway sees nothing."""
    with Client(running, default_compression_algorithm=2) as client:
        every_kind(client)
        large = b"x" * MEBIBYTE
        assert client.unary()(large, timeout=30, compression=grpc.Compression.Gzip) == b"re:" + large


@stage.waits
def test_a_quiet_call_with_pings_stays(running):
    """The gateway answers them, and sees no attack in them."""
    with Client(running, keepalive_time_ms=500, keepalive_timeout_ms=5000, **{"http2.max_pings_without_data": 0}) as client:
        talk = Talk()
        call = client.both()(talk, timeout=30)
        talk.say(b"a")
        assert next(call) == b"a"
        # Longer than a ping may be without its answer.
        time.sleep(8)
        talk.say(b"b")
        assert next(call) == b"b"
        talk.say(None)
        assert not list(call) and call.code() is grpc.StatusCode.OK


def a_hundred_at_once(client):
    """All of them are open before the first one ends."""
    talks = [Talk() for _ in range(100)]
    calls = [client.both()(talk, timeout=30) for talk in talks]
    for number, talk in enumerate(talks):
        talk.say(b"%d" % number)
    assert [next(call) for call in calls] == [b"%d" % number for number in range(100)]
    for talk in talks:
        talk.say(None)
    assert [list(call) for call in calls] == [[]] * 100


def test_a_hundred_calls_at_once_are_all_answered(running):
    """On one connection of the client's, and one to the upstream."""
    with Client(running) as client:
        a_hundred_at_once(client)


def one_leaves(running, client, name):
    """One of two calls is cancelled: the server hears of that one, and of that one alone."""
    event = running.calls.methods.event
    left, kept = name.encode() + b" leaves", name.encode() + b" stays"
    call = client.unary("Wait").future(left, timeout=60)
    stays = client.unary("Wait").future(kept, timeout=60)
    assert event("begun", left).wait(30) and event("begun", kept).wait(30), "the calls did not come"
    assert not event("over", left).is_set()
    call.cancel()
    assert event("over", left).wait(30), "the server was not told"
    assert not event("over", kept).is_set(), "another call was ended with it"
    event("over", kept).set()
    assert stays.result() == b""


def test_that_a_client_leaves_reaches_the_server(running):
    """As soon as it cancels."""
    with Client(running) as client:
        one_leaves(running, client, "direct")
