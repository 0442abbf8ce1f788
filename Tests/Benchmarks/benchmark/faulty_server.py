"""One of several servers that answer alike, in a process of its own, until it is told to fail."""
import asyncio
import ctypes
import multiprocessing
import os
import signal

from .forked_server import ForkedServer

WELL, SLOW, LYING, GARBLED = range(4)
BODY = b"one of several"
HEAD = "HTTP/1.1 {} Said\r\nContent-Length: {}\r\n\r\n"
# Longer than the gateway waits for an answer.
SLOW_SECONDS = 5


class FaultyServer(ForkedServer):
    """Answers every request alike, for as long as it is well."""

    def __init__(self, processor):
        self.mode = multiprocessing.Value(ctypes.c_int, WELL)
        super().__init__(processor)

    def fail(self, how):
        """From now on it is slow, says 503, or what is no HTTP; `how` may be a signal for its process as well."""
        if isinstance(how, signal.Signals):
            os.kill(self.process.pid, how)
        else:
            self.mode.value = how

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
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
