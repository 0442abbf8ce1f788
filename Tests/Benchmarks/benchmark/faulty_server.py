"""One of several servers that answer alike, in a process of its own, until it is told to fail."""
import asyncio
import ctypes
import multiprocessing
import os
import signal

from .processes import end_with_parent

WELL, SLOW, LYING, GARBLED = range(4)
BODY = b"one of several"
HEAD = "HTTP/1.1 {} Said\r\nContent-Length: {}\r\n\r\n"
# Longer than the gateway waits for an answer.
SLOW_SECONDS = 5


class FaultyServer:
    """Serves from its start to its end."""

    def __init__(self, processor):
        self.mode = multiprocessing.Value(ctypes.c_int, WELL)
        self.answered = multiprocessing.Value(ctypes.c_long, 0)
        ready, child = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=self.run, args=(child, processor), daemon=True)
        self.process.start()
        self.port = ready.recv()

    def fail(self, how):
        """From now on it is slow, says 503, or what is no HTTP; `how` may be a signal for its process as well."""
        if isinstance(how, signal.Signals):
            os.kill(self.process.pid, how)
        else:
            self.mode.value = how

    def close(self):
        # A stopped process ends by nothing else.
        self.process.kill()
        self.process.join()

    def run(self, ready, processor):
        end_with_parent()
        # Our maker's way of ending is for itself.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.sched_setaffinity(0, {processor})
        asyncio.run(self.serve(ready))

    async def serve(self, ready):
        server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    async def connection(self, reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                mode = self.mode.value
                if mode == SLOW:
                    await asyncio.sleep(SLOW_SECONDS)
                if mode == GARBLED:
                    writer.write(b"no HTTP\r\n\r\n")
                else:
                    head = HEAD.format(503 if mode == LYING else 200, len(BODY)).encode()
                    writer.write(head + BODY)
                self.answered.value += 1
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
