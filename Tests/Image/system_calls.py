"""The list of system calls that is shipped for containers: it lets the gateway do all that it does, and nothing else."""
import copy
import errno
import json
import os
import re
import signal
import subprocess
import sys
import types
from pathlib import Path

from build import ROOT
from container import Container, bind, configuration, get, stopped, upstream

PROFILE = ROOT / "deploy" / "seccomp.json"
SOURCES = Path(__file__).parent


def profile(otherwise=None):
    """What is shipped, as a runtime takes it; `otherwise` is done in place of refusing what is not listed."""
    document = json.loads(PROFILE.read_text())
    for rule in document["syscalls"]:
        # For readers, not for the runtime.
        del rule["comment"]
    if otherwise:
        document["defaultAction"] = otherwise
        del document["defaultErrnoRet"]
    return document


def test_let_the_gateway_serve_reload_and_drain(image):
    """ECO-45: a call that is not listed ends it."""
    with upstream() as server:
        text = configuration(server)
        with Container(image, text, seccomp=profile("SCMP_ACT_KILL_PROCESS")) as container:
            port = container.port()
            assert get(port) == 200
            place = container.folder / "configuration" / "portcullis.yaml"
            place.write_text(text.replace("path: /,", "path: /new/,"))
            container.signal(signal.SIGHUP)
            container.wait_for(lambda line: line["event"] == "reloaded")
            assert (get(port), get(port, "/new/")) == (404, 200)
            assert stopped(container)[0] == 0


def test_let_people_log_in(image):
    """ECO-45: the quickstart's round trips and logins, with the gateway in a container; a call that is not listed ends it."""
    root = image.folder / "root-of-logins"
    subprocess.run(["cp", "--archive", image.root, root], check=True)
    described, listed = image.folder / "described.json", image.folder / "profile.json"
    described.write_text(json.dumps({"root": str(root), "folder": str(image.folder), "config": image.config}))
    listed.write_text(json.dumps(profile("SCMP_ACT_KILL_PROCESS")))
    program = image.folder / "confined"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {SOURCES / "confined.py"} {described} {listed} {image.binary} "$@"\n')
    program.chmod(0o755)
    done = subprocess.run([ROOT / "deploy/quickstart", "--check"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PORTCULLIS": str(program), "TMPDIR": str(image.folder)})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "the server sent the browser back" in done.stdout and "every answer was right" in done.stdout


def test_end_a_gateway_that_needs_one_which_is_not_listed(image):
    """ECO-45: what the two tests above would see."""
    without = copy.deepcopy(profile("SCMP_ACT_KILL_PROCESS"))
    for rule in without["syscalls"]:
        rule["names"] = [name for name in rule["names"] if name != "accept4"]
    without["syscalls"] = [rule for rule in without["syscalls"] if rule["names"]]
    with upstream() as server, Container(image, configuration(server), seccomp=without) as container:
        try:
            status = get(container.port())
        except OSError:
            status = None
        assert status is None
        assert container.end()[0] == 128 + signal.SIGSYS


def probed(image, listed):
    """What a program of root's with every capability is told, by the name of the call."""
    config = copy.deepcopy(image.config)
    config["config"]["User"] = "0:0"
    mighty = types.SimpleNamespace(
        root=image.root, folder=image.folder, config=config,
        capabilities=["CAP_SYS_ADMIN", "CAP_NET_RAW", "CAP_SYS_PTRACE", "CAP_SYS_MODULE", "CAP_SYS_CHROOT"])
    with Container(mighty, "", seccomp=listed, mounts=[bind("/usr", "/usr", "ro"), bind("/sys", SOURCES, "ro")],
                   command=["/usr/bin/python3", "/sys/probe.py"]) as container:
        status, said = container.end()
    assert status == 0, said
    return json.loads(said.strip().splitlines()[-1])


def test_refuse_what_the_gateway_has_no_use_for(image):
    """ECO-45"""
    without, found = probed(image, None), probed(image, profile())
    assert without.keys() == found.keys() and len(found) > 10
    for name, code in found.items():
        if name == "getpid":
            assert code == 0
        else:
            assert code == errno.EPERM, f"{name}: {code}"
            # Otherwise the user's rights would be what refuses it, and not the list.
            assert without[name] != errno.EPERM, name


def test_leave_no_other_program_to_run_to_a_gateway_that_serves(image):
    """ECO-45: the list has execve, by which the runtime starts the gateway; this gives it up itself."""
    with upstream() as server, Container(image, configuration(server), seccomp=profile()) as container:
        assert get(container.port()) == 200
        for thread in Path(f"/proc/{container.pid}/task").iterdir():
            text = (thread / "status").read_text()
            assert re.search(r"^Seccomp_filters:\s+2$", text, re.MULTILINE), text


GIVEN_UP = """
#include "shim.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#define TRY(call) (errno = 0, syscall(SYS_##call, -1, 0, 0, 0, 0, 0), printf("%s %d\\n", #call, errno))
int main(void) {
    for (int given_up = 0; given_up < 2; given_up++) {
        if (given_up && portcullis_forbid_programs() != 0) return 1;
        TRY(execve), TRY(execveat), TRY(ptrace), TRY(process_vm_readv), TRY(process_vm_writev), TRY(pidfd_getfd);
    }
    TRY(close);
    return 0;
}
"""


def test_are_given_up_by_the_gateway_itself(image):
    """ECO-45: the same code, before and after, since no program of the image would try them."""
    source, program = image.folder / "given-up.c", image.folder / "given-up"
    source.write_text(GIVEN_UP)
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-I", ROOT / "Sources/CSocket", "-o", program, source], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    assert len(lines) == 13
    assert not any(line.endswith(f" {errno.EPERM}") for line in lines[:6]), lines
    assert all(line.endswith(f" {errno.EPERM}") for line in lines[6:12]), lines
    assert lines[12] == f"close {errno.EBADF}", lines


def test_are_listed_once_each(_):
    """ECO-45"""
    names = [name for rule in profile()["syscalls"] for name in rule["names"] if "args" not in rule]
    assert len(names) == len(set(names))
    for dangerous in ("ptrace", "bpf", "mount", "unshare", "setns", "keyctl", "io_uring_setup", "process_vm_writev"):
        assert dangerous not in names
