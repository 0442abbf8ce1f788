"""A server that writes down what it has done before it says so, and goes on at its port after it was killed."""
import asyncio
import os

from .forked_server import ForkedServer

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"


class CountingServer(ForkedServer):
    """Appends the number of each request to a file, which outlives its process."""

    def __init__(self, processor, path):
        self.processor, self.path = processor, path
        self.wanted = 0
        super().__init__(processor)
        self.wanted = self.port

    def kill(self):
        """Ends the process with all that it has under way."""
        self.process.kill()
        self.process.join()

    def start_again(self):
        """Serves at the same port."""
        super().__init__(self.processor)

    def done(self):
        """The numbers of the requests that were done, as often as they were."""
        return [int(line) for line in self.path.read_bytes().split()] if self.path.exists() else []

    async def serve(self, ready):
        self.file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        server = await asyncio.start_server(self.connection, "127.0.0.1", self.wanted, backlog=4096, reuse_address=True)
        self.port = server.sockets[0].getsockname()[1]
        ready.send(self.port)
        async with server:
            await server.serve_forever()

    async def connection(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                              if line.startswith(b"content-length:"))
                await reader.readexactly(length)
                # Whole, or not at all: what is written to the file is done, whenever the process is killed.
                os.write(self.file, head.split(b" ")[1].rsplit(b"/", 1)[1] + b"\n")
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
