"""Programs that were started, and folders that were made, so that nothing is left when the tests end, whatever ended them."""
import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

STARTED, FOLDERS = set(), set()
LOCK = threading.Lock()
# Threads that nobody waits for begin nothing more.
ENDING = threading.Event()


def refuse_at_the_end():
    """Ends a thread that nobody waits for."""
    if ENDING.is_set():
        raise SystemExit


def start(words, log, environment=None):
    """A program that reads nothing and writes to a file, with these variables besides."""
    refuse_at_the_end()
    with open(log, "ab") as output:
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, env={**os.environ, **environment} if environment else None)
    with LOCK:
        STARTED.add(process)
    return process


def end(process, patience=0):
    """Ends it: by a word, where there is time for that, or at once."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        if patience:
            process.terminate()
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                pass
        process.kill()
    process.wait()
    with LOCK:
        STARTED.discard(process)


def folder():
    """A new one."""
    refuse_at_the_end()
    made = Path(tempfile.mkdtemp(prefix="portcullis-fleet."))
    with LOCK:
        FOLDERS.add(made)
    return made


def remove(made):
    """With all that is in it."""
    shutil.rmtree(made, ignore_errors=True)
    with LOCK:
        FOLDERS.discard(made)


@atexit.register
def end_all():
    """Those of threads that nobody waits for."""
    ENDING.set()
    for process in list(STARTED):
        end(process)
    for made in list(FOLDERS) * 2:
        remove(made)
