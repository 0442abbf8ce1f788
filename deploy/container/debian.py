"""Debian's packages as files: which ones there are, what is in them, and which libraries a program loads of them.

Nothing is installed. apt keeps its lists and packages in a folder of its own, so that neither root is needed nor what
this machine has installed matters; the signatures and digests of the archive are checked by apt, as ever.
"""
import io
import os
import re
import subprocess
import tarfile
import urllib.parse
from dataclasses import dataclass, field

# Shared libraries where the loader looks for them, and certificates of authorities.
WANTED = re.compile(r"^usr/lib(64|32|x32)?/([^/]+/)?[^/]+\.so(\.[0-9.]+)?$|^usr/share/ca-certificates/")


class Missing(Exception):
    """Something that the image needs is not to be had."""


@dataclass
class Package:
    """One package: what it is called, where it came from, and those of its files that were asked for."""
    name: str
    version: str
    architecture: str
    source: str
    files: dict = field(default_factory=dict)    # path without the leading slash -> bytes
    links: dict = field(default_factory=dict)    # path -> what it leads to
    copyright: bytes = b""


class Archive:
    """The archive that this machine's apt is set up for."""

    def __init__(self, cache, update=True):
        self.lists, self.packages = cache / "lists", cache / "packages"
        for folder in (self.lists / "partial", cache / "archives" / "partial", self.packages):
            folder.mkdir(parents=True, exist_ok=True)
        # An empty one: what is asked for is what a machine without any package would install.
        self.status = cache / "status"
        self.status.write_bytes(b"")
        self.options = [
            f"Dir::State::lists={self.lists}", f"Dir::State::status={self.status}", f"Dir::Cache={cache}",
            # Nothing is ever there: apt would not name a package that is.
            f"Dir::Cache::archives={cache}/archives", "Debug::NoLocking=true", "APT::Sandbox::User=",
            "Acquire::Languages=none", "APT::Install-Recommends=false",
        ]
        if update:
            self.apt("apt-get", "update", "--error-on=any")

    def apt(self, command, *words, folder=None):
        """What one of apt's commands says; its own words where it fails."""
        options = [word for option in self.options for word in ("-o", option)]
        done = subprocess.run([command, *options, *words], cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise Missing(f"{command} {' '.join(words[:3])}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def packages_of(self, names):
        """The packages of these names and all that they depend on, downloaded unless they are there, by name."""
        said = self.apt("apt-get", "install", "--yes", "--print-uris", "--quiet", *names)
        wanted = re.findall(r"^'([^']+)' (\S+) \d+", said, re.MULTILINE)
        if not wanted:
            raise Missing(f"apt-get would install nothing of {' '.join(names)}")
        together = []
        for _, file in wanted:
            name, version, _ = urllib.parse.unquote(file).split("_")
            together.append(f"{name}={version}")
        # It checks the digest of a file that is there, and fetches it anew where that is another one.
        self.apt("apt-get", "download", "--quiet", *together, folder=self.packages)
        return {package.name: package for package in (self.read(self.packages / file) for _, file in wanted)}

    @staticmethod
    def read(path):
        """One package's file: its names, its shared libraries, its certificates and its copyright."""
        control = subprocess.run(["dpkg-deb", "--field", path], check=True, capture_output=True, text=True).stdout
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", control, re.MULTILINE))
        package = Package(fields["Package"], fields["Version"], fields["Architecture"],
                          fields.get("Source", fields["Package"]).split(" ")[0])
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                name = in_usr(member.name.removeprefix("./"))
                if name == f"usr/share/doc/{package.name}/copyright" and member.isfile():
                    package.copyright = archive.extractfile(member).read()
                if not WANTED.search(name):
                    continue
                if member.isfile():
                    package.files[name] = archive.extractfile(member).read()
                elif member.issym():
                    package.links[name] = member.linkname
        return package


def in_usr(path):
    """Where a path of a package leads to on a system whose /lib, /lib64 and /bin are links into /usr."""
    return f"usr/{path}" if re.match(r"(lib|lib32|lib64|bin|sbin)/", path) else path


def libraries(program, packages, folder):
    """The shared libraries that a program loads: path -> the package it is of. Asked of Debian's own loader.

    `folder` is filled with the libraries of all packages, for the loader to find them in.
    """
    owner, place = {}, {}
    for package in packages.values():
        for path in (*package.files, *package.links):
            owner[path] = package
    for package in packages.values():
        for path, content in package.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
            (folder / path).chmod(0o755)
    for package in packages.values():
        for path, target in package.links.items():
            place[path] = os.path.normpath(in_usr(target.lstrip("/")) if target.startswith("/")
                                           else os.path.join(os.path.dirname(path), target))
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).unlink(missing_ok=True)
            (folder / path).symlink_to(os.path.relpath(folder / place[path], (folder / path).parent))
    found = {}
    for name in [interpreter(program), *loaded(program, folder)]:
        while name in place:
            found[name] = owner[name]
            name = place[name]
        if name not in owner:
            raise Missing(f"no package of {' '.join(sorted(packages))} has {name}")
        found[name] = owner[name]
    return found


def interpreter(program):
    """The loader that a program names, as a path without the leading slash."""
    said = subprocess.run(["readelf", "--program-headers", "--wide", program], check=True, capture_output=True,
                          text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
    named = re.search(r"interpreter: /([^]]+)\]", said)
    if not named:
        raise Missing(f"{program} is no program that loads shared libraries")
    return in_usr(named.group(1))


def loaded(program, folder):
    """What `ldd` would say of a program on a system that has the libraries in this folder alone."""
    loader = folder / interpreter(program)
    if not loader.exists():
        raise Missing(f"no package has the loader /{interpreter(program)}")
    places = sorted({str(path.parent) for path in folder.glob("usr/lib/*/*.so*")})
    done = subprocess.run([loader, "--inhibit-cache", "--library-path", ":".join(places), "--list", program],
                          capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    if done.returncode != 0 or any("not found" in line for line in lines):
        raise Missing(f"{program} does not load with Debian's packages: {' / '.join(map(str.strip, lines))[:600]}")
    names = []
    for line in lines:
        # name => place (address); the place alone where the program names it with its folder.
        found = re.search(r"(/\S+) \(0x", line)
        if not found or "/ld-linux" in found.group(1):
            continue
        path = os.path.normpath(found.group(1))
        if not path.startswith(f"{folder}/"):
            raise Missing(f"{program} loads {path}, which is of no package: deploy/build makes one that does not")
        names.append(path.removeprefix(f"{folder}/"))
    return names

