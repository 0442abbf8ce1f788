"""The files of the image: every one of them, with its owner, its mode, and where it came from."""
import os
import re
from dataclasses import dataclass

from .debian import Missing

USER = 10001
PROGRAM = "usr/local/bin/portcullis"
CONFIGURATION = "etc/portcullis/portcullis.yaml"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"

# The one user; a name is for people alone, since the image names the number.
PASSWD = f"portcullis:x:{USER}:{USER}:Portcullis:/:/nonexistent\n"
GROUP = f"portcullis:x:{USER}:\n"
# Without it glibc would ask the name server first, and /etc/hosts only where that does not answer.
NSSWITCH = "passwd: files\ngroup: files\nhosts: files dns\n"

# Where others are mounted, as a root that nobody can write needs them to be there: the kernel's, the configuration, and
# the two that the gateway may write where somebody mounts something there.
FOLDERS = {"proc": 0, "sys": 0, "dev": 0, "etc/portcullis": 0, "run/portcullis": USER, "var/log/portcullis": USER}
# As on Debian, whose programs name their loader /lib64/….
MERGED = {"lib": "usr/lib", "lib64": "usr/lib64"}


@dataclass
class Entry:
    """One file, link (`target`) or folder (neither content nor target) of the image."""
    path: str
    content: bytes | None = None
    target: str | None = None
    mode: int = 0o644
    owner: int = 0
    package: object = None    # Debian's, of which it is


def base(libraries, packages):
    """What is not ours: libraries, certificates, the user's name. Changes when Debian's packages do, and then alone."""
    entries = [
        Entry("etc/passwd", PASSWD.encode()), Entry("etc/group", GROUP.encode()),
        Entry("etc/nsswitch.conf", NSSWITCH.encode()),
        certificates(packages),
        # Where OpenSSL looks by itself: upstreams by https without `ca`.
        Entry("usr/lib/ssl/cert.pem", target=f"/{CERTIFICATES}", package=packages["ca-certificates"]),
    ]
    entries += [Entry(path, target=target) for path, target in MERGED.items()]
    entries += [Entry(path, owner=owner, mode=0o755) for path, owner in FOLDERS.items()]
    for path, package in libraries.items():
        if path in package.files:
            entries.append(Entry(path, package.files[path], package=package, mode=0o755 if "/ld-" in path else 0o644))
        else:
            entries.append(Entry(path, target=package.links[path], package=package))
    return with_folders(entries)


def certificates(packages):
    """One file of all authorities that Debian trusts, as its update-ca-certificates writes it."""
    package = packages.get("ca-certificates")
    of_mozilla = sorted(path for path in (package.files if package else ()) if path.endswith(".crt"))
    if len(of_mozilla) < 50:
        raise Missing(f"the package ca-certificates has {len(of_mozilla)} certificates: expected more than a hundred")
    blocks = [package.files[path].strip() + b"\n" for path in of_mozilla]
    return Entry(CERTIFICATES, b"".join(blocks), package=package)


def ours(program):
    """The layer that changes with every version."""
    return with_folders([Entry(PROGRAM, program, mode=0o755)])


def with_folders(entries):
    """The entries and the folders above them, each before what is in it."""
    folders = {}
    for entry in entries:
        parts = entry.path.split("/")[:-1]
        for length in range(1, len(parts) + 1):
            path = "/".join(parts[:length])
            folders[path] = Entry(path, mode=0o755)
    for entry in entries:
        folders[entry.path] = entry
    return [folders[path] for path in sorted(folders)]


def write(entries, root):
    """The entries as files; with their owners where this is root."""
    root.mkdir(parents=True, exist_ok=True)
    if any(root.iterdir()):
        raise Missing(f"{root} is not empty: name another folder")
    for entry in entries:
        place = root / entry.path
        if entry.target is not None:
            place.symlink_to(entry.target)
            continue
        if entry.content is None:
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(entry.content)
        # Whatever this process's umask is.
        place.chmod(entry.mode)
        if os.geteuid() == 0:
            os.chown(place, entry.owner, entry.owner)
    for entry in entries:
        if entry.target is None:
            os.utime(root / entry.path, (0, 0))


def version_of(said):
    """The number that the program itself says."""
    found = re.match(r"portcullis (\S+)", said)
    if not found:
        raise Missing(f"the program does not say its version: {said[:200]!r}")
    return found.group(1)
