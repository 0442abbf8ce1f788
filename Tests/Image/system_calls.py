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


# holds ECO-45
def test_let_the_gateway_serve_reload_and_drain(image):
    """A call that is not listed ends it."""
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


# holds ECO-45
def test_let_people_log_in(image):
    """The quickstart's round trips and logins, with the gateway in a container; a call that is not listed ends it."""
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


# refuses ECO-45
def test_end_a_gateway_that_needs_one_which_is_not_listed(image):
    """What the two tests above would see."""
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


# refuses ECO-45
def test_refuse_what_the_gateway_has_no_use_for(image):
    without, found = probed(image, None), probed(image, profile())
    assert without.keys() == found.keys() and len(found) > 10
    for name, code in found.items():
        if name == "getpid":
            assert code == 0
        else:
            assert code == errno.EPERM, f"{name}: {code}"
            # Otherwise the user's rights would be what refuses it, and not the list.
            assert without[name] != errno.EPERM, name


GIVEN_UP = r"""
#include "CSocket.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Nothing is done where they are let through: the file holds no program, the address nothing, and seizing stops nobody.
int main(int count, char **words) {
    const int how = atoi(words[1]);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (how == 1 && portcullis_landlock_programs() != 0) return 1;
    if (how == 2 && portcullis_filter_programs() != 0) return 1;
    char *nothing[] = {0};
    struct iovec byte = {(void *)8, 1};
    execve(words[2], nothing, nothing);
    printf("%d ", errno);
    syscall(SYS_execveat, -100, words[2], nothing, nothing, 0);
    printf("%d ", errno);
    errno = 0;
    syscall(SYS_process_vm_readv, getppid(), &byte, 1L, &byte, 1L, 0L);
    printf("%d ", errno);
    errno = 0;
    syscall(SYS_ptrace, PTRACE_SEIZE, getppid(), 0L, 0L);
    printf("%d ", errno);
    errno = 0;
    close(-1);
    printf("%d\n", errno);
    return count != 3;
}
"""


# refuses ECO-45
def test_are_given_up_by_the_gateway_itself(image):
    """By the same code, which is called here without, with Landlock, and with the filter that stands in for it."""
    source, program, empty = (image.folder / name for name in ("given-up.c", "given-up", "empty-program"))
    source.write_text(GIVEN_UP)
    empty.write_bytes(b"\x7f")
    empty.chmod(0o755)
    code = ROOT / "Sources/CSocket"
    subprocess.run(["gcc", "-I", code / "include", "-o", program, source, code / "Socket.c"], check=True)
    found = [subprocess.run([program, str(how), empty], check=True, capture_output=True, text=True).stdout.split()
             for how in (0, 1, 2)]
    found = [[int(code) for code in codes] for codes in found]
    none, refused, denied = errno.EBADF, errno.EPERM, errno.EACCES
    assert found[0] == [errno.ENOEXEC, errno.ENOEXEC, errno.EFAULT, 0, none], found
    assert found[1] == [denied, denied, refused, refused, none], found
    assert found[2] == [refused, refused, refused, refused, none], found


# holds ECO-45
def test_are_listed_once_each(_):
    names = [name for rule in profile()["syscalls"] for name in rule["names"] if "args" not in rule]
    assert len(names) == len(set(names))
    for dangerous in ("ptrace", "bpf", "mount", "unshare", "setns", "keyctl", "io_uring_setup", "process_vm_writev"):
        assert dangerous not in names
