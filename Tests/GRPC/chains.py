"""Calls that pass two proxies: the gateway, and nginx, HAProxy or nghttpx behind it or in front of it."""
import os
import subprocess

import grpc

import server
from calls import MEBIBYTE, Client, a_hundred_at_once, codes_and_texts, every_kind, metadata_both_ways, one_leaves, refusal
from proxies import FRONTS, tool
from refusals import seen
from upstreams import each

TRANSFER_SECONDS = 60


def calls_pass(running, client, name):
    """All that a client of gRPC relies on: messages, trailers, the status and its text, deadlines, and that it may leave."""
    every_kind(client, 100)
    metadata_both_ways(client)
    codes_and_texts(client)
    seconds = float(client.unary("Deadline")(b"", timeout=20))
    # grpcio writes it in three digits at most, rounded up.
    assert 0 < seconds < 21, f"the server was told of {seconds} s"
    one_leaves(running, client, name)
    large = [os.urandom(MEBIBYTE) for _ in range(6)]
    assert list(client.both()(iter(large), timeout=30)) == large, "other bytes came back"


def transfer(port, path, secure, *options):
    """What nghttp, a client that keeps to the windows, gets there."""
    command = [tool("nghttp"), "--no-verify-peer", "-H:authority: gateway.test", *map(str, options),
               f"{'https' if secure else 'http'}://127.0.0.1:{port}{path}"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=TRANSFER_SECONDS)
    assert done.returncode == 0, f"nghttp: {done.stderr.decode(errors='replace')[-300:]}"
    return done.stdout


def contents_pass(running, port, path, secure=False):
    """Six mebibytes down, and other six up."""
    content = transfer(port, path + "down", secure)
    assert content == server.CONTENT, f"{len(content)} bytes came, or others: {content[:80]}"
    file = running.folder / "upload"
    file.write_bytes(server.CONTENT[::-1])
    found = transfer(port, path + "up", secure, "-d", file)
    assert found == server.digest(server.CONTENT[::-1]), found


def behind(running, name):
    """The gateway speaks h2c to it, and TLS that was said to be h2 and that agreed on it."""
    def check(way):
        """One of these ways."""
        with Client(running, f"{name}.{way}.S", secure=way != "plain") as client:
            calls_pass(running, client, f"{name} {way}")
        contents_pass(running, running.port, f"/contents/{name}/{way}/")

    with running.proxies[name].behind(running):
        each({way: way for way in ("plain", "secure", "auto")}, check)


# holds H2-74, H2-85
def test_nginx_passes_what_the_gateway_sends(running):
    """Calls by grpc_pass."""
    behind(running, "nginx")


# holds H2-74, H2-85
def test_haproxy_passes_what_the_gateway_sends(running):
    """The same."""
    behind(running, "haproxy")


# holds H2-74, H2-85
def test_nghttpx_passes_what_the_gateway_sends(running):
    """The same."""
    behind(running, "nghttpx")


def refusals_pass(running, port, secure):
    """The client reads what it would have read of the gateway itself: status, text and challenge."""
    with Client(running, "token.S", secure=secure) as client:
        direct = refusal(client.unary(), b"x")
    with Client(running, "token.S", secure=secure, port=port) as client:
        error = refusal(client.unary(), b"x")
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, error
        assert error.details() == direct.details(), (error, direct)
        assert seen(error)["www-authenticate"] == seen(direct)["www-authenticate"], (error, direct)
        assert "x-request-id" in seen(error), error
        metadata = (("authorization", f"Bearer {running.token()}"),)
        assert client.unary()(b"x", timeout=30, metadata=metadata) == b"re:x"


def in_front(running, name):
    """Its clients speak h2c or TLS to it, and it speaks h2c or TLS to the gateway."""
    def check(way):
        """One of these ways."""
        secure = way != "plain"
        with running.proxies[name].in_front(running, way) as port:
            with Client(running, secure=secure, port=port) as client:
                calls_pass(running, client, f"{name} in front {way}")
                a_hundred_at_once(client)
            refusals_pass(running, port, secure)
            mark, path = running.mark(), f"/contents/front/{name}/{way}/"
            contents_pass(running, port, path, secure)
            running.logged(mark, path + "up", f'"protocol":"{"h2" if way == "secure" else "h2c"}"')

    each({way: way for way in FRONTS}, check)


# holds H2-10, H2-85, H2-86
def test_nginx_stands_in_front(running):
    """Everything by grpc_pass."""
    in_front(running, "nginx")


# holds H2-10, H2-85, H2-86
def test_haproxy_stands_in_front(running):
    """The same."""
    in_front(running, "haproxy")


# holds H2-10, H2-85, H2-86
def test_nghttpx_stands_in_front(running):
    """The same."""
    in_front(running, "nghttpx")
