"""Plays systemd for one service: keeps its socket, starts it, hears what it says, and does what `systemctl` asks for."""
import os
import signal
import socket
import threading
import time

import jail

# What stands in place of systemctl in the root: it writes down what it is asked, and asks this process where it matters.
SYSTEMCTL = """#!/bin/sh
echo "$*" >>/systemctl.calls
case "$*" in
    *is-active*) [ -e /systemctl.active ] ;;
    *is-enabled*) echo enabled ;;
    *try-restart*) echo restart >/systemctl.asked && read -r answer </systemctl.answer && [ "$answer" = done ] ;;
    *stop*) echo stop >/systemctl.asked && read -r answer </systemctl.answer && [ "$answer" = done ] ;;
esac
"""


class ServiceManager:
    """One service in a root folder, by the unit that is installed there."""

    def __init__(self, root, log):
        self.root, self.log = root, log
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.address = self.listener.getsockname()
        name = f"portcullis-package-{os.getpid()}"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind("\0" + name)
        self.notify.settimeout(30)
        self.environment = {
            "NOTIFY_SOCKET": "@" + name, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web", "PATH": "/usr/bin",
            "WATCHDOG_USEC": "30000000",
        }
        self.process = None
        self.pauses = []
        with open(f"{root}/usr/bin/systemctl", "w") as file:
            file.write(SYSTEMCTL)
            os.fchmod(file.fileno(), 0o755)
        for pipe in ("asked", "answer"):
            os.mkfifo(f"{root}/systemctl.{pipe}")
        os.makedirs(f"{root}/run/systemd/system", exist_ok=True)
        threading.Thread(target=self.obey, daemon=True).start()

    def unit(self):
        return jail.read_unit(f"{self.root}/lib/systemd/system/portcullis.service")

    def hear(self, word):
        """Waits for a notification that begins so; all of it."""
        while True:
            message = self.notify.recv(4096).decode()
            if message.startswith(word + "=1\n"):
                return message

    def start(self, expect_ready=True):
        unit = self.unit()
        self.process = jail.start(
            unit, self.root, unit["ExecStart"][0].split(), self.environment, [self.listener.fileno()], self.log.fileno())
        if expect_ready:
            self.hear("READY")
            open(f"{self.root}/systemctl.active", "w").close()

    def wait(self):
        """The status that the process ends with."""
        _, status = os.waitpid(self.process, 0)
        self.process = None
        return os.waitstatus_to_exitcode(status)

    def stop(self):
        os.kill(self.process, signal.SIGTERM)
        os.unlink(f"{self.root}/systemctl.active")
        return self.wait()

    def reload(self):
        os.kill(self.process, signal.SIGHUP)
        self.hear("RELOADING")
        return self.hear("READY")

    def restart(self):
        began = time.monotonic()
        status = self.stop()
        self.start()
        self.pauses.append(time.monotonic() - began)
        return status

    def obey(self):
        """Does what the root's systemctl is asked."""
        while True:
            with open(f"{self.root}/systemctl.asked") as pipe:
                word = pipe.read().strip()
            status = self.restart() if word == "restart" else self.stop() if self.process else 0
            with open(f"{self.root}/systemctl.answer", "w") as pipe:
                pipe.write("done\n" if status == 0 else "failed\n")

    def calls(self):
        """What systemctl was asked since the last time."""
        path = f"{self.root}/systemctl.calls"
        if not os.path.exists(path):
            return []
        with open(path) as file:
            lines = file.read().splitlines()
        os.unlink(path)
        return lines

    def end(self):
        """Takes everything away that it put into the root."""
        for name in ("systemctl.asked", "systemctl.answer", "systemctl.active", "systemctl.calls", "usr/bin/systemctl"):
            path = f"{self.root}/{name}"
            if os.path.lexists(path):
                os.unlink(path)
