#!/usr/bin/env python3
"""Stands for the gateway's program in the quickstart: `run` is done in a container of the image, all else as it is.

    confined.py IMAGE PROFILE PROGRAM WORD…

IMAGE is a JSON file with root, folder and config; PROFILE one with the system calls that are let through.
"""
import json
import os
import shutil
import signal
import sys
import time
import types
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from container import Container, bind  # noqa: E402


def main():
    """The status of what it stands for."""
    image, profile, program, *words = sys.argv[1:]
    if words[0] != "run":
        os.execv(program, [program, *words])
    described = json.loads(Path(image).read_text())
    folder = Path(words[1]).parent
    # Secrets are their owner's alone, who is the user of the container.
    for path in (folder, *folder.iterdir()):
        if path.is_file() or path == folder:
            shutil.chown(path, 10001, 10001)
    container = Container(
        types.SimpleNamespace(root=described["root"], folder=Path(described["folder"]), config=described["config"],
                              capabilities=[]),
        Path(words[1]).read_text(), mounts=[bind(str(folder), folder)], seccomp=json.loads(Path(profile).read_text()),
        command=["/usr/local/bin/portcullis", *words])
    container.launch()
    end = []
    signal.signal(signal.SIGTERM, lambda *_: end.append(True))
    while container.runtime.poll() is None:
        if end:
            container.runtime.send_signal(0)
            os.kill(int((container.folder / "pid").read_text()), signal.SIGTERM)
            end.clear()
        time.sleep(0.02)
    sys.exit(container.runtime.returncode)


if __name__ == "__main__":
    main()
