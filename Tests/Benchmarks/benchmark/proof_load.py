"""Load with a bound token and a proof in each request; each proof is sent once where the server checks it."""
from .exchange import bound, request_bytes
from .generators import Generator
from .origins import PAYLOAD

# Where a request has its token and its proof; see load/closed_loop.c.
VALUE, REST = "\x01", "\x02"


def proof_load(stage, port, lines, seconds, warm_up=0, once=True):
    """A generator that sends the lines `TOKEN PROOF` of a file, for so many seconds or until all have been sent.

    The first ones warm the server up. Not `once`, they are sent again and again.
    """
    template = stage.folder / "request.txt"
    template.write_bytes(request_bytes(port, bound(VALUE, REST)))
    return Generator(stage, "closed_loop", port=port, template=template, values=lines, seconds=seconds, body=len(PAYLOAD),
                     warm_requests=warm_up, warm_milliseconds=0, once=int(once))
