"""Clients that go while the store is asked for them."""
import contextlib
import socket
import struct

from browser import HOST, connection
from checks import eventually, same
from fleet import fleet

PARKED = "portcullis_parked_requests"
AT_ONCE = struct.pack("ii", 1, 0)


# holds SH-56
# refuses SH-56
def test_a_request_whose_client_has_gone_while_the_store_was_asked_reaches_no_app(binary):
    """Its proof stays used. Whoever has only ended its own side is answered."""
    with fleet(binary, count=2) as running:
        first, second = running.gateways
        program = running.program()
        for gateway in running.gateways:
            same(program.prove(gateway).status, 200, "a proof")
        served = len(running.app.credentials)
        gone, staying = program.proof(), program.proof()
        first.relay.hold()
        leaving, ended = waiting(first, gone), waiting(first, staying)
        eventually(lambda: first.reading(PARKED) == 2, "waiting for the store: both")
        leaving.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        leaving.sock.close()
        ended.sock.shutdown(socket.SHUT_WR)
        first.relay.release()
        with contextlib.closing(ended):
            same(ended.getresponse().status, 200, "a client that has ended its side")
        eventually(lambda: first.reading(PARKED) == 0, "waiting for the store: nobody")
        # It was asked for behind the one that nobody waits for.
        same(program.prove(first).status, 200, "another proof")
        same(len(running.app.credentials), served + 2, "requests at the app")
        for gateway in (second, first):
            same(program.prove(gateway, gone).status, 401, "the proof of the client that has gone")


def waiting(gateway, proof):
    """A request with this proof, on a connection of its own; its answer is not waited for."""
    way = connection(gateway)
    way.request("GET", "/bound/a", headers={"Host": HOST, **proof})
    return way
