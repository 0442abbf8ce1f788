"""Runs a program under those restrictions of a systemd unit that a machine without systemd as its first process can impose.

They are read from the unit file. Imposed: the user, groups and capabilities, NoNewPrivileges=, the system calls and their
error, the address families, MemoryDenyWriteExecute=, ProtectSystem=strict with the folders that may be written, PrivateTmp=,
PrivateDevices=, ProcSubset= and ProtectProc=, UMask= and limits. Not imposed, for that is systemd's own work with control groups
and further namespaces: DevicePolicy, ProtectControlGroups=, ProtectHostname=, RemoveIPC=, RestrictNamespaces=,
RestrictSUIDSGID=, RestrictRealtime=, LockPersonality=.
"""
import ctypes
import errno
import fcntl
import os
import resource
import socket
import subprocess

import seccomp

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x20000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
PROT_WRITE, PROT_EXEC = 2, 4
# The first of those that DynamicUser= takes.
USER = 61184


def read_unit(path):
    """The settings of a unit, each with all of its values; an empty one begins anew."""
    settings = {}
    for line in open(path):
        line = line.strip()
        if not line or line[0] in "#;[":
            continue
        name, _, value = line.partition("=")
        if value:
            settings.setdefault(name, []).append(value)
        else:
            settings[name] = []
    return settings


def system_calls(names):
    """The system calls that a word of SystemCallFilter= stands for."""
    calls = set()
    for name in names:
        if not name.startswith("@"):
            calls.add(name)
            continue
        listing = subprocess.run(
            ["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
        words = [line.strip() for line in listing.splitlines()[1:]]
        calls |= system_calls(word for word in words if word and not word.startswith("#"))
    return calls


def allowed(unit):
    """What is left of the lists of SystemCallFilter=, one after the other."""
    calls = set()
    for value in unit["SystemCallFilter"]:
        if value.startswith("~"):
            calls -= system_calls(value[1:].split())
        else:
            calls |= system_calls(value.split())
    return calls


def filter_of(unit):
    """The seccomp filter of a unit; what it has no word for is an error, as the unit says."""
    answer = seccomp.ERRNO(getattr(errno, unit["SystemCallErrorNumber"][0]))
    made = seccomp.SyscallFilter(answer)
    for call in allowed(unit) - {"socket", "mmap", "mprotect", "pkey_mprotect"}:
        try:
            made.add_rule(seccomp.ALLOW, call)
        except RuntimeError:
            # Not of this architecture.
            pass
    for family in unit["RestrictAddressFamilies"][0].split():
        made.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
    if unit.get("MemoryDenyWriteExecute") == ["yes"]:
        both = PROT_WRITE | PROT_EXEC
        for part in (0, PROT_WRITE, PROT_EXEC):
            made.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, both, part))
        for call in ("mprotect", "pkey_mprotect"):
            made.add_rule(seccomp.ALLOW, call, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, 0))
    return made


def check(status, call):
    if status != 0:
        raise OSError(ctypes.get_errno(), call)


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def close_in(unit, root):
    """What the process sees of the file system: the root for reading, and two folders of its own."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    mount("--make-rprivate", "/")
    mount("--bind", root, root)
    for folder in ("tmp", "run", "dev", "var/log"):
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", f"{root}/{folder}")
    os.chmod(f"{root}/tmp", 0o1777)
    for device in ("null", "zero", "random", "urandom"):
        open(f"{root}/dev/{device}", "w").close()
        mount("--bind", f"/dev/{device}", f"{root}/dev/{device}")
    for setting, parent in (("RuntimeDirectory", "run"), ("LogsDirectory", "var/log")):
        folder = f"{root}/{parent}/{unit[setting][0]}"
        os.mkdir(folder)
        os.chown(folder, USER, USER)
    options = f"subset={unit['ProcSubset'][0]},hidepid={unit['ProtectProc'][0]}"
    mount("-t", "proc", "-o", options, "proc", f"{root}/proc")
    if unit["ProtectSystem"] == ["strict"]:
        mount("-o", "remount,bind,ro", root)


def enter(unit, root, environment, descriptors, command):
    """Becomes the program."""
    made = filter_of(unit)
    close_in(unit, root)
    for index, descriptor in enumerate(descriptors):
        os.dup2(descriptor, 3 + index, inheritable=True)
    os.chroot(root)
    os.chdir("/")
    os.umask(int(unit["UMask"][0], 8))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not unit.get("CapabilityBoundingSet"):
        for capability in range(64):
            if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                break
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    environment = dict(environment, LISTEN_PID=str(os.getpid()))
    made.load()
    os.execve(command[0], command, environment)


def start(unit, root, command, environment, descriptors=(), output=None):
    """Starts a program so; the number of its process. What it writes goes to the file `output`."""
    child = os.fork()
    if child:
        return child
    try:
        if output is not None:
            os.dup2(output, 1)
            os.dup2(output, 2)
        # Out of the way of the numbers that they are to have.
        copies = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 100) for one in descriptors]
        enter(unit, root, environment, copies, command)
    except BaseException as error:  # The child must not go on as its parent.
        os.write(2, f"the jail could not be made: {error!r}\n".encode())
    os._exit(99)
