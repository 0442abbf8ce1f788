"""Metadata that say who calls: the gateway's, and never the client's."""
import ast
import re

import wire
from calls import Client
from refusals import CALL, EMPTY


def received(text):
    """Names and values that the server saw."""
    return [tuple(map(ast.literal_eval, pair)) for pair in re.findall(r"key=('.*?'|\".*?\"), value=(b?'.*?'|\".*?\")\)", text)]


def test_the_server_is_told_who_calls(running):
    """The claims of the token, under the names of the route; the token itself is not passed on."""
    with Client(running, "token.S") as client:
        metadata = (("authorization", f"Bearer {running.token(roles=['a', 'b'])}"), ("x-mine", "1"))
        found = received(client.unary("Metadata")(b"", timeout=30, metadata=metadata).decode())
        assert found.count(("x-user-id", "alice")) == 1 and ("x-roles", "a b") in found and ("x-mine", "1") in found, found
        assert "authorization" not in dict(found), found


def test_a_client_cannot_say_who_it_is(running):
    """Neither on a route that says so itself, nor on one that is open, nor as bytes."""
    forged = (("x-user-id", "root"), ("x-user-id-bin", b"root"), ("x_user_id", "root"), ("x-roles", "admin"))
    for service, more in (("token.S", (("authorization", f"Bearer {running.token()}"),)), ("open.S", ())):
        with Client(running, service) as client:
            found = received(client.unary("Metadata")(b"", timeout=30, metadata=forged + more).decode())
            names = [value for name, value in found if re.fullmatch("x[-_](user[-_]id|roles)([-_]bin)?", name)]
            assert names == (["alice"] if more else []), found


def test_a_client_cannot_spell_it_otherwise(running):
    """Names that no library would write are removed, or the request is malformed."""
    seen = []
    listener, path = running.upstream(lambda peer: (peer.greet(), peer.serve(lambda peer, message: peer.answer(message))))
    with wire.Client(running.port) as client:
        token = ("authorization", f"Bearer {running.token()}")
        for name in ("x-user-id", "x_user_id", "x-user_id", "x_user-id", "x-user-id-bin", "x_user_id_bin"):
            answer = client.get(f"{path}user/{name}", token, (name, "root"))
            assert answer.status == 200, answer
            seen = listener.request(name).fields
            users = [value for key, value in seen if key.replace("_", "-").startswith("x-user-id")]
            assert users == ["alice"], (name, seen)
        answer = client.get(f"{path}user/upper", token, ("X-User-Id", "root"))
        assert answer.status == 400 or answer.reset is not None, answer
        assert not listener.paths("upper")
        assert client.get(f"{path}user/good", token).status == 200


def test_te_is_what_a_server_of_grpc_wants(running):
    """Exactly once, whatever the client says."""
    listener, path = running.upstream(lambda peer: (peer.greet(), peer.serve(
        lambda peer, message: peer.answer(message, fields=[("content-type", "application/grpc")], content=b"",
                                          trailers=[("grpc-status", "0")]))))
    with wire.Client(running.port) as client:
        for number, fields in enumerate((CALL, CALL[:1])):
            client.get(f"{path}grpc/{number}", *fields, method="POST", content=EMPTY)
            assert listener.request(f"grpc/{number}").values("te") == ["trailers"], listener.requests
