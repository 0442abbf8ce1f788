"""An upstream that says nothing any more, though its connection is open."""
import threading
import time

import upstreams
import wire
from stage import waits


@waits
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
        return over.wait(60)

    _, path = running.upstream(script)
    mark = running.mark()
    with wire.Client(running.port) as client:
        began = time.monotonic()
        number = client.open(path + "grpc/silent", ("content-type", "application/grpc"), method="POST", ends=False)
        client.put_data(number, bytes(5), ends=True)
        answer = client.answer(number, 40)
        took = time.monotonic() - began
        over.set()
        assert 20 <= took <= 32, took
        status = dict(answer.trailers or answer.fields).get("grpc-status")
        assert status == "14" or answer.reset is not None, answer
        running.logged(mark, "upstream_timed_out")
        upstreams.good(client, path)
