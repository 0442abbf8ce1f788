"""A network of a test's own: a loopback interface on which packets can be lost, and nothing else.

In it are the thread that runs the test, the threads that this one starts, and the programs that they start.
"""
import ctypes
import functools
import os
import subprocess
import threading

from checks import LeftOut
from faults import fault

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
# Debian has ip and iptables where only the superuser looks.
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# An address that nobody has.
NOBODY = "192.0.2.1"


class Network:
    """That of the thread that makes it, from then on."""

    def __init__(self):
        try:
            if LIBC.unshare(CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "unshare(2) is refused")
            command("ip", "link", "set", "lo", "up")
            drop("--source", NOBODY, 0.5)
            self.heal()
        except (OSError, subprocess.CalledProcessError) as error:
            if os.environ.get("PORTCULLIS_PRIVATE_NETWORK") == "required":
                raise
            raise LeftOut(f"a network of one's own takes root, unshare(2), ip and iptables: {error}") from error

    @fault
    def lose(self, *addresses, share=1):
        """Packets to these addresses and from them are lost, all or a share of them, and nobody is told."""
        for address in addresses:
            drop("--destination", address, share)
            drop("--source", address, share)

    @fault
    def lose_answers(self, address):
        """Packets from this address are lost; those to it arrive."""
        drop("--source", address)

    def heal(self):
        """Nothing is lost any more."""
        command("iptables", "--wait", "--flush", "INPUT")


def drop(side, address, share=1):
    """Has the kernel drop packets on their way in: it would tell whoever sends that one does not get out."""
    some = ("--match", "statistic", "--mode", "random", "--probability", str(share)) if share < 1 else ()
    command("iptables", "--wait", "--append", "INPUT", side, address, *some, "--jump", "DROP")


def command(*words):
    """A program that has to do what it is told."""
    subprocess.run(words, env={"PATH": PATH}, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def in_own_network(test):
    """Gives a test a network that is there for it alone."""
    @functools.wraps(test)
    def run(binary):
        errors = []

        def body():
            try:
                test(binary, Network())
            except BaseException as error:  # pylint: disable=broad-exception-caught
                errors.append(error)
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
    return run
