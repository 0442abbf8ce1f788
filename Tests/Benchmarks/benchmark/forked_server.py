"""A server of HTTP/1.1 on 127.0.0.1 in a process of its own, on a processor that is not its maker's."""
import asyncio
import multiprocessing
import os
import signal

from .processes import end_with_parent


class ForkedServer:
    """Serves from its start to its end; what it is asked, `connection` answers."""

    def __init__(self, processor):
        self.port = 0
        ready, child = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=self.run, args=(child, processor), daemon=True)
        self.process.start()
        self.port = ready.recv()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        # A process that was stopped ends by nothing else.
        self.process.kill()
        self.process.join()

    def run(self, ready, processor):
        end_with_parent()
        # Our maker's way of ending is for itself.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.sched_setaffinity(0, {processor})
        asyncio.run(self.serve(ready))

    async def serve(self, ready):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=4096)
        self.port = server.sockets[0].getsockname()[1]
        ready.send(self.port)
        async with server:
            await server.serve_forever()

    async def connection(self, reader, writer):
        """Answers the requests of one connection."""
        raise NotImplementedError
