"""Programs that were started, so that none is left when the tests end, whatever ended them."""
import atexit
import signal
import subprocess
import threading

STARTED = set()
LOCK = threading.Lock()


def start(words, log):
    """A program that reads nothing and writes to a file."""
    with open(log, "ab") as output:
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
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


@atexit.register
def end_all():
    """Those of threads that nobody waits for."""
    for process in list(STARTED):
        end(process)
