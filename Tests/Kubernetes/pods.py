"""Runs the containers of a pod as the kubelet would: their users, volumes and read-only root, in namespaces of their own."""
import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path

import manifests

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Image:
    """The gateway under test: a program of this machine with the libraries it needs, or an unpacked image."""

    def __init__(self, binary, root, folder):
        build = manifests.PROJECT / ".build/debug/portcullis"
        self.root = root.resolve() if root else None
        self.binary = self.root / "usr/local/bin/portcullis" if root else (binary or build).resolve()
        assert self.binary.is_file(), f"no {self.binary}: build it, or say --binary PROGRAM"
        self.folder = folder

    def run(self, *arguments):
        """What the program prints."""
        done = subprocess.run(
            [self.binary, *arguments], check=True, capture_output=True, text=True, timeout=60)
        return done.stdout

    def unpack(self, target):
        """Its root file system at a folder, to which mount points can be added."""
        if self.root:
            # One copy for all containers: it gets mount points, and each container a view of it with mounts of its own.
            copy = self.folder / "image"
            if not copy.exists():
                shutil.copytree(self.root, copy, symlinks=True)
            bind(str(copy), target)
            return
        mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", target)
        said = subprocess.run(["ldd", self.binary], check=True, capture_output=True, text=True, timeout=60).stdout
        words = [word for line in said.splitlines() for word in line.split() if word.startswith("/")]
        for path in [*words, "/etc/ssl/openssl.cnf"]:
            bind(os.path.realpath(path), target + path)
        bind(str(self.binary), target + "/usr/local/bin/portcullis")


def mount(*arguments):
    """mount(8)."""
    subprocess.run(["mount", *map(str, arguments)], check=True, timeout=60)


def bind(source, target):
    """The file or folder at another place too."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    mount("--bind", source, target)


def put(folder, files, mode, group):
    """Files in a volume as the kubelet writes them: in a folder of their own, to which `..data` is then led.

    With an fsGroup they are the group's, who may read them whatever the mode says.
    """
    old = os.readlink(folder / "..data") if (folder / "..data").is_symlink() else None
    version = folder / f"..{uuid.uuid4()}"
    version.mkdir()
    os.chmod(version, 0o2755 if group is None else 0o2775)
    for name, content in files.items():
        (version / name).write_bytes(content)
        if group is not None:
            os.chown(version / name, 0, group)
        os.chmod(version / name, mode if group is None else mode | 0o440)
    os.symlink(version.name, folder / "..data_tmp")
    os.rename(folder / "..data_tmp", folder / "..data")
    for name in files:
        if not (folder / name).is_symlink():
            os.symlink(f"..data/{name}", folder / name)
    if old:
        shutil.rmtree(folder / old)


class Volumes:
    """The volumes of a pod, each a folder; `secrets` has the files of each Secret by its name."""

    def __init__(self, found, secrets, folder):
        self.found, self.folder = found, folder
        for volume in found.pod.spec["volumes"]:
            if "secret" in volume:
                files, source = secrets[volume["secret"]["secretName"]], volume["secret"]
            else:
                source = volume["configMap"]
                data = found.one("ConfigMap", source["name"])["data"]
                files = {name: text.encode() for name, text in data.items()}
            self.put(volume["name"], files, source.get("defaultMode", 0o644))

    def put(self, name, files, mode):
        """Another version of a volume."""
        (self.folder / name).mkdir(exist_ok=True)
        put(self.folder / name, files, mode, self.found.pod.spec["securityContext"].get("fsGroup"))

    def of(self, container):
        """(folder, path in the container) of each that a container mounts."""
        return [(self.folder / one["name"], one["mountPath"]) for one in container["volumeMounts"]]


class Container:
    """A container that runs: the gateway in its own root, anything else with the programs of this machine."""

    def __init__(self, image, pod, container, volumes, hosts="", authorities=None):
        self.container = container
        self.command = [*container["command"], *container.get("args", [])]
        root = "/"
        if container["name"] == manifests.GATEWAY:
            root = str(image.folder / f"root-{uuid.uuid4()}")
            os.mkdir(root)
            self.fill(image, root, volumes.of(container), hosts, authorities)
        else:
            places = volumes.of(container)
            self.command = [moved(word, places) for word in self.command]
        self.prefix = entering(root, pod, container)
        self.process = None

    def fill(self, image, root, places, hosts, authorities):
        """The image's files, what every container gets from the kubelet, and the volumes."""
        image.unpack(root)
        for name in ("null", "zero", "full", "random", "urandom"):
            bind(f"/dev/{name}", f"{root}/dev/{name}")
        os.makedirs(root + "/proc", exist_ok=True)
        mount("-t", "proc", "proc", root + "/proc")
        os.makedirs(root + "/etc/ssl/certs", exist_ok=True)
        Path(root + "/etc/hosts").write_text(hosts, encoding="ascii")
        Path(root + "/etc/resolv.conf").write_text("", encoding="ascii")
        if authorities:
            Path(root + "/etc/ssl/certs/ca-certificates.crt").write_bytes(authorities)
        for folder, path in places:
            bind(str(folder), root + path)
            mount("-o", "remount,ro,bind", root + path)
        if self.container["securityContext"]["readOnlyRootFilesystem"]:
            mount("-o", "remount,ro,bind", root)

    def start(self, log):
        """Runs it; what it says goes to a file."""
        environment = {"PATH": PATH} | {one["name"]: one["value"] for one in self.container.get("env", [])}
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [*self.prefix, *self.command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)

    def execute(self, command):
        """A command in the container that has ended, as of an exec probe."""
        return subprocess.run(
            [*self.prefix, *command], timeout=60, check=False, capture_output=True, text=True, env={"PATH": PATH})

    def end(self, patience):
        """SIGTERM, and the status of its end; None where it took longer than that many seconds."""
        self.process.terminate()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


# An image has no program for it, and none of this machine changes root, user and capabilities in the right order.
ENTER = """
import ctypes, os, sys
root, user, group, groups, drops, gains_nothing, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
os.chroot(root)
os.chdir("/")
for number in range(64 if drops == "True" else 0):
    libc.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP
os.setgroups([int(one) for one in groups.split()])
os.setresgid(*[int(group)] * 3)
os.setresuid(*[int(user)] * 3)
if gains_nothing == "True" and libc.prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
    raise OSError(ctypes.get_errno(), "no new privileges")
os.execvp(command[0], command)
"""


def entering(root, pod, container):
    """How a command becomes one of a container: its root, its user, and what that may not."""
    own, group = container["securityContext"], pod.spec["securityContext"].get("fsGroup")
    words = [root, pod.setting(container, "runAsUser"), pod.setting(container, "runAsGroup"),
             "" if group is None else group, own["capabilities"] == {"drop": ["ALL"]},
             own["allowPrivilegeEscalation"] is False]
    return ["/usr/bin/python3", "-c", ENTER, *map(str, words)]


def moved(word, places):
    """A word of a command with the path of a mount led to where the volume is."""
    for folder, path in places:
        word = word.replace(path + "/", f"{folder}/")
    return word


def eventually(condition, patience, what):
    """Waits until something is so; how long it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > patience:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - began
