"""A relay of bytes in the gateway's place: what each test must find fault with, or it finds fault with nothing."""
import asyncio


class Relay:
    """Passes bytes on, both ways, and understands none."""

    def __init__(self, upstream):
        self.upstream = upstream
        self.server = None
        self.tasks = set()
        self.port = 0

    async def start(self):
        """Listens on a free port."""
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        """Ends all connections."""
        self.server.close()
        for task in list(self.tasks):
            task.cancel()

    async def serve(self, reader, writer):
        """One connection."""
        self.tasks.add(asyncio.current_task())
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        try:
            await asyncio.gather(self.pass_on(reader, other_writer), self.pass_on(other_reader, writer))
        except asyncio.CancelledError:
            pass
        for each in (writer, other_writer):
            each.transport.abort()
        self.tasks.discard(asyncio.current_task())

    async def pass_on(self, reader, writer):
        """One direction."""
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.write_eof()
        except (ConnectionError, OSError):
            writer.transport.abort()
