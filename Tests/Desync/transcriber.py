"""A proxy in the gateway's place that copies the fields of a stream into lines: what the tests of streams must find fault with."""
import asyncio
import contextlib

import frames
import hpack


class Transcriber:
    """Writes what a stream says as HTTP/1.1, and understands nothing of it; no limit holds."""

    def __init__(self, upstream):
        self.upstream, self.server, self.port = upstream, None, 0
        self.tasks = set()

    async def start(self):
        """Listens on a free port."""
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        """Ends all connections."""
        self.server.close()
        for task in list(self.tasks):
            task.cancel()

    async def serve(self, source, sink):
        """One connection."""
        self.tasks.add(asyncio.current_task())
        decoder, encoder, encoded, requests = hpack.Decoder(), hpack.Encoder(), b"", {}
        with contextlib.suppress(Exception):
            await source.readexactly(len(frames.PREFACE))
            sink.write(frames.settings())
            while True:
                header = await source.readexactly(9)
                payload = await source.readexactly(int.from_bytes(header[:3], "big"))
                kind, flags, stream = header[3], header[4], int.from_bytes(header[5:], "big")
                if kind == frames.SETTINGS and not flags & frames.ACK:
                    sink.write(frames.frame(frames.SETTINGS, frames.ACK))
                elif kind == frames.PING and not flags & frames.ACK:
                    sink.write(frames.ping(payload, frames.ACK))
                elif kind in (frames.HEADERS, frames.CONTINUATION):
                    encoded += payload
                    if kind == frames.HEADERS:
                        ends = flags & frames.END_STREAM
                    if flags & frames.END_HEADERS:
                        fields = decoder.decode(encoded, raw=True)
                        requests.setdefault(stream, [fields, b""])
                        encoded = b""
                        if ends:
                            await self.pass_on(sink, encoder, stream, *requests.pop(stream))
                elif kind == frames.DATA and stream in requests:
                    content = payload[1:len(payload) - payload[0]] if flags & frames.PADDED else payload
                    requests[stream][1] += content
                    if flags & frames.END_STREAM:
                        await self.pass_on(sink, encoder, stream, *requests.pop(stream))
        sink.transport.abort()
        self.tasks.discard(asyncio.current_task())

    async def pass_on(self, sink, encoder, stream, fields, content):
        """One request as it came, and its answer."""
        pseudo = {bytes(name): bytes(value) for name, value in fields if name.startswith(b":")}
        lines = [b"%b %b HTTP/1.1" % (pseudo.get(b":method", b""), pseudo.get(b":path", b"")),
                 b"host: " + pseudo.get(b":authority", b"")]
        lines += [b"%b: %b" % (name, value) for name, value in fields if not name.startswith(b":")]
        source, upstream = await asyncio.open_connection("127.0.0.1", self.upstream)
        upstream.write(b"\r\n".join(lines) + b"\r\n\r\n" + content)
        upstream.write_eof()
        answer = await source.read(65536)
        upstream.transport.abort()
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.split(b"\r\n")
        answered = [(":status", first.split(b" ")[1].decode() if b" " in first else "502")]
        answered += [(line.split(b": ")[0].lower(), line.split(b": ")[1]) for line in rest if line.startswith(b"Echo")]
        sink.write(frames.headers(stream, encoder.encode(answered)))
        sink.write(frames.data(stream, body[:16_384], frames.END_STREAM))
