"""See `run`, which starts this in a mount namespace of its own."""
import argparse
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jail
import load
import service_manager

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = "/etc/portcullis/portcullis.yaml"
# The most that `systemd-analyze security` may find, in tenths.
EXPOSURE = 15


class Failure(Exception):
    """Something did not hold; the text says what."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def command(*words, **options):
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    expect(done.returncode == 0, f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Upstream(http.server.BaseHTTPRequestHandler):
    """Answers a word to everything."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        self.send_response_only(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *arguments):
        pass

    @classmethod
    def start(cls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return "127.0.0.1:%d" % server.server_address[1]


class Trial:
    """What the steps have in common: the packages, and a Debian to install them in."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.root = folder / "root"
        self.upstream = arguments.upstream or Upstream.start()

    def build(self, name, *more):
        printed = command(
            SOURCE / "deploy/package", "--binary", self.arguments.binary, "--output", self.folder / name, *more)
        return pathlib.Path(printed.strip())

    def again(self, revision):
        """The package once more, as a later one; made smaller in a hurry."""
        folder = self.folder / f"again-{revision}"
        command("dpkg-deb", "--raw-extract", self.old, folder)
        control = folder / "DEBIAN/control"
        text = control.read_text()
        version = next(line for line in text.splitlines() if line.startswith("Version: "))
        control.write_text(text.replace(version, f"{version}+{revision}"))
        command("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder, f"{folder}.deb")
        return pathlib.Path(f"{folder}.deb")

    def in_root(self, *words):
        return command("chroot", self.root, *words, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                                                         "DEBIAN_FRONTEND": "noninteractive"})

    def install(self, package):
        shutil.copy(package, self.root / "package.deb")
        try:
            # A configuration that an administrator changed stays, without a question.
            return self.in_root("dpkg", "--force-confdef", "--force-confold", "--install", "/package.deb")
        finally:
            (self.root / "package.deb").unlink()

    def files(self):
        """Everything there is in the root, but what any installation writes down."""
        found = set()
        for folder, folders, files in os.walk(self.root):
            if os.path.relpath(folder, self.root) in ("proc", "sys", "dev", "var/lib/dpkg", "var/log", "var/cache"):
                folders.clear()
                continue
            found |= {os.path.relpath(os.path.join(folder, name), self.root) for name in folders + files}
        return found

    def units(self):
        return [self.root / "lib/systemd/system" / name for name in ("portcullis.service", "portcullis.socket")]

    # The steps, in their order.

    def package(self):
        """The same binary gives the same bytes, and Debian's checker finds nothing."""
        first, second = self.build("first"), self.build("second")
        expect(first.read_bytes() == second.read_bytes(), "two builds of one package are not the same")
        print(command("lintian", "--fail-on", "error,warning", first), end="")
        self.old = first
        self.new = self.again(1)
        refused = subprocess.run(
            [SOURCE / "deploy/package", "--binary", self.arguments.binary, "--version", "9.9.9", "--output", self.folder],
            capture_output=True, text=True)
        expect(refused.returncode == 1 and "and not 9.9.9" in refused.stderr, "a version that is not the program's passed")

    def release(self):
        """A release is made from a clean clone alone, by the version that the program has; twice made it is the same."""
        clone = self.folder / "clone"
        command("git", "clone", "--quiet", "--no-hardlinks", SOURCE, clone)
        if (SOURCE / "Package.resolved").exists():
            shutil.copy(SOURCE / "Package.resolved", clone)
        version = command(self.arguments.binary, "--version").strip()
        made = self.folder / "release"

        def release(*more):
            words = [clone / "deploy/release", *more, "--binary", self.arguments.binary, "--output", made]
            return subprocess.run([str(word) for word in words], capture_output=True, text=True)

        (clone / "new").touch()
        for more, said in ((("9.9.9", "--untagged"), "says version"), ((version, "--untagged"), "the working copy has changes")):
            done = release(*more)
            expect(done.returncode == 1 and said in done.stderr, f"deploy/release {more}: {done.stderr}")
        (clone / "new").unlink()
        done = release(version)
        expect(done.returncode == 1 and f"HEAD has no tag v{version}" in done.stderr, f"without a tag: {done.stderr}")
        command("git", "-C", clone, "tag", f"v{version}")
        command("git", "-C", clone, "remote", "set-url", "origin", "https://somebody:secret@git.example.com/portcullis")
        done = release(version)
        sums = (made / "SHA256SUMS").read_text()
        again = release(version)
        expect(again.returncode == 0 and (made / "SHA256SUMS").read_text() == sums, "the second release has other sums")
        expect(done.returncode == 0, f"deploy/release ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        command("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=made)
        kinds = sorted("".join(path.suffixes[-2:]) if path.suffix in (".gz", ".json") else path.suffix
                       for path in made.iterdir() if path.name != "SHA256SUMS")
        expect(kinds == ["", ".cdx.json", ".deb", ".tar.gz"], f"made: {sorted(path.name for path in made.iterdir())}")
        blobs = [path for path in (made / "image").rglob("blobs/sha256/*") if path.stat().st_size < 1 << 16]
        labels = [json.loads(path.read_text())["config"]["Labels"] for path in blobs if b'"Labels"' in path.read_bytes()]
        expect(len(labels) == 1 and labels[0]["org.opencontainers.image.version"] == version
               and labels[0]["org.opencontainers.image.source"] == "https://git.example.com/portcullis", f"labels: {labels}")
        archive = next(made.glob("*.tar.gz"))
        command("tar", "--extract", f"--file={archive}", "--directory", self.folder)
        said = command(self.folder / archive.name.removesuffix(".tar.gz") / "bin/portcullis", "--version").strip()
        expect(said == version, f"the archive's program is version {said}")
        bill = json.loads(next(made.glob("*.cdx.json")).read_text())
        names = {one["name"] for one in bill["components"]}
        depends = {one.split()[0] for one in command("dpkg-deb", "--field", self.old, "Depends").strip().split(", ")}
        expect({"swift", "swift-argument-parser"} | depends == names, f"the bill of materials has {sorted(names)}")

    def debian(self):
        """A Debian without anything of ours, but with what the package depends on."""
        depends = command("dpkg-deb", "--field", self.old, "Depends").strip()
        names = ",".join(one.split()[0] for one in depends.split(", "))
        command("mmdebstrap", "--quiet", "--variant=minbase", f"--include=init-system-helpers,{names}", "bookworm", self.root)
        command("mount", "-t", "proc", "proc", self.root / "proc")
        self.before = self.files()

    # holds ECO-44
    def installation(self):
        """It installs, enables nothing, and its own example is a valid configuration."""
        self.install(self.old)
        expect("configuration is valid" in self.in_root("portcullis", "check", CONFIGURATION), "the example is not valid")
        self.in_root("dpkg", "--verify", "portcullis")
        status = self.in_root("dpkg-query", "--show", "--showformat=${db:Status-Status} ${Conffiles}", "portcullis")
        expect(status.startswith("installed ") and CONFIGURATION in status, f"dpkg knows no conffile: {status}")
        wanted = [name for name in self.files() if ".wants/" in name and "portcullis" in name]
        expect(wanted == [], f"enabled by the installation: {wanted}")
        page = command("gzip", "-dc", self.root / "usr/share/man/man1/portcullis.1.gz")
        shown = subprocess.run(
            ["groff", "-man", "-Tascii", "-P-cbou", "-ww"], input=page, capture_output=True, text=True)
        expect(shown.stderr == "" and "\n   portcullis check\n" in shown.stdout, f"the manual page is none:\n{shown.stderr}")

    # holds ECO-43
    # refuses ECO-43
    def exposure(self):
        """The unit permits little, and never gives up."""
        service = self.units()[0]
        print(command(
            "systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE}", service
        ).strip().splitlines()[-1])
        loose = self.folder / "loose.service"
        loose.write_text("".join(
            line for line in open(service) if not line.startswith(("SystemCall", "Protect", "Restrict"))))
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE}", loose],
            stdout=subprocess.DEVNULL)
        expect(done.returncode != 0, "a unit without half of its restrictions passed: the check is broken")
        unit = jail.read_unit(service)
        for name, value in (("StartLimitIntervalSec", "0"), ("Restart", "on-failure"), ("RestartSec", "1"),
                            ("Type", "notify"), ("RestartPreventExitStatus", "2")):
            expect(unit.get(name) == [value], f"{name}={unit.get(name)}")
        said = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", f"--root={self.root}", *[f"/lib/systemd/system/{one.name}" for one in self.units()]],
            capture_output=True, text=True, env=dict(os.environ, SYSTEMD_LOG_LEVEL="warning"))
        ours = [line for line in said.stderr.splitlines() if "portcullis" in line and not line.endswith("sysinit.target not found.")]
        expect(ours == [], "systemd finds mistakes in the units:\n" + "\n".join(ours))

    def configure(self):
        """An administrator's configuration, in the place of the example."""
        (self.root / CONFIGURATION[1:]).write_text(f"""
workers: 2
listeners:
  - {{ name: web, address: "127.0.0.1:{self.manager.address[1]}", public_url: "http://gateway.test" }}
  - {{ address: "unix:/run/portcullis/web.sock", public_url: "http://gateway.test" }}
admin: {{ address: "127.0.0.1:0" }}
routes: [{{ path: /, upstream: "http://{self.upstream}", public: true }}]
log: {{ access: /var/log/portcullis/access.log }}
timeouts: {{ drain: 5s }}
""")

    # holds ECO-43
    def restrictions(self):
        """It starts, serves, reloads and ends under the unit's restrictions, and what they forbid is forbidden."""
        self.log = open(self.folder / "service.log", "w+")
        self.manager = service_manager.ServiceManager(str(self.root), self.log)
        self.configure()
        # As LogsDirectory= has it with a dynamic user.
        (self.root / "var/log/private/portcullis").mkdir(parents=True)
        (self.root / "var/log/portcullis").symlink_to("private/portcullis")
        self.manager.start()
        limits = pathlib.Path(f"/proc/{self.manager.process}/status").read_text().splitlines()
        facts = dict(line.split(":\t", 1) for line in limits if ":\t" in line)
        expect(facts["Uid"].split() == [str(jail.USER)] * 4, f"it runs as {facts['Uid']}")
        expect(all(int(facts[name], 16) == 0 for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")),
               "it has a capability")
        expect((facts["NoNewPrivs"], facts["Seccomp"]) == ("1", "2"), "it may get privileges, or make any system call")
        one = load.Load(self.manager.address, requests=40, connections=2).outcomes()
        expect(one == {"200": 40}, f"{one}")
        self.manager.reload()
        expect(load.Load(self.manager.address, 40, 2).outcomes() == {"200": 40}, "not served after a reload")
        access = f"/proc/{self.manager.process}/root/var/log/portcullis/access.log"
        deadline = time.monotonic() + 30
        while len(open(access).readlines()) < 80 and time.monotonic() < deadline:
            time.sleep(0.01)
        expect(len(open(access).readlines()) == 80, "the access log is not where LogsDirectory= is")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/{self.manager.process}/root/run/portcullis/web.sock")
            client.sendall(load.REQUEST)
            expect(load.read_answer(client, b"")[0] == "200", "no answer at the Unix socket")
        expect(self.manager.stop() == 0, "it did not end with status 0")
        self.forbidden()

    # holds ECO-42
    # refuses ECO-42
    def activation(self):
        """systemd's own systemd-socket-activate starts it at a socket that it opened, and not under another name."""
        path, configuration = self.folder / "activated.sock", self.folder / "activated.yaml"
        configuration.write_text(f"""
listeners: [{{ name: web, address: "unix:{path}", public_url: "http://gateway.test" }}]
admin: {{ address: "127.0.0.1:0" }}
routes: [{{ path: /, upstream: "http://{self.upstream}", public: true }}]
""")
        for name, status in (("web", 0), ("other", 2)):
            path.unlink(missing_ok=True)
            process = subprocess.Popen(
                ["systemd-socket-activate", f"--listen={path}", f"--fdname={name}", self.arguments.binary, "run", configuration],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with socket.socket(socket.AF_UNIX) as client:
                # It is there before anybody listens at it.
                while client.connect_ex(str(path)) != 0:
                    time.sleep(0.01)
                # That somebody comes starts it. Under another name it may have ended before anything is sent.
                if name == "web":
                    client.sendall(load.REQUEST)
                    expect(load.read_answer(client, b"")[0] == "200", "no answer at the activated socket")
                    process.terminate()
            expect(process.wait(timeout=30) == status, f"activated as {name} it ended with {process.returncode}")

    # refuses ECO-43
    def forbidden(self):
        """What stands in a jail as strict is refused to other programs, so it is the jail that refuses."""
        unit = self.manager.unit()
        for words in ("touch /etc/portcullis/new", "mknod /tmp/device c 1 3", "chown 0 /tmp", "unshare --user true",
                      "mount -t tmpfs tmpfs /tmp", "ls /proc/sys"):
            child = jail.start(unit, str(self.root), ["/bin/sh", "-c", f"exec {words} 2>/dev/null"], {"PATH": "/usr/bin:/bin"},
                               output=self.log.fileno())
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            expect(status not in (0, 99, 127), f"{words} ended with {status} under the unit's restrictions")

    # holds ECO-44
    def upgrade(self):
        """An upgrade under load restarts the service, and no request is lost; the administrator's configuration stays."""
        self.manager.start()
        configuration = (self.root / CONFIGURATION[1:]).read_text()
        self.manager.calls()
        before = self.manager.process
        load_now = load.Load(self.manager.address, self.arguments.requests, self.arguments.connections)
        # Until there was some of it before and behind the upgrade, however long that takes.
        load_now.is_enough.value = False
        share = self.arguments.requests // 3
        while load_now.asked < share:
            time.sleep(0.01)
        said = self.install(self.new)
        expect(self.manager.process != before, f"the upgrade did not restart the service:\n{said}")
        asked = load_now.asked
        while load_now.asked < asked + share:
            time.sleep(0.01)
        load_now.is_enough.value = True
        outcomes = load_now.outcomes()
        count = sum(outcomes.values())
        print(f"{count} requests, {asked} of them before the upgrade was done: {dict(outcomes)}; "
              f"{self.manager.pauses[-1]:.2f} s from SIGTERM to READY=1")
        expect(outcomes == {"200": count}, "the upgrade lost requests")
        expect((self.root / CONFIGURATION[1:]).read_text() == configuration, "the upgrade changed the configuration")
        calls = self.manager.calls()
        expect([call for call in calls if "start" in call or "stop" in call] == ["try-restart portcullis.service"], f"{calls}")

    # refuses ECO-44
    def unsuitable(self):
        """An upgrade whose program does not take the configuration leaves the running one alone, and says so."""
        before = self.manager.process
        path = self.root / CONFIGURATION[1:]
        suitable = path.read_text()
        path.write_text("listeners: []\n")
        said = self.install(self.again(2))
        expect("does not suit this version" in said, f"nothing was said of the configuration:\n{said}")
        expect(self.manager.process == before, "it was restarted all the same")
        path.write_text(suitable)

    # holds ECO-44
    def removal(self):
        """A removal stops the service, and keeps the configuration; a purge leaves nothing."""
        self.in_root("systemctl", "is-active")
        (self.root / "var/log/private/portcullis/access.log").write_text("{}\n")
        self.manager.calls()
        self.in_root("dpkg", "--remove", "portcullis")
        calls = self.manager.calls()
        expect("stop portcullis.socket portcullis.service" in calls, f"{calls}")
        expect(self.manager.process is None, "the service runs on without its program")
        expect((self.root / CONFIGURATION[1:]).exists(), "the removal took the configuration")
        self.manager.end()
        self.in_root("dpkg", "--purge", "portcullis")
        for path in ("var/log/private/portcullis", "var/log/portcullis", "etc/portcullis"):
            expect(not os.path.lexists(self.root / path), f"the purge leaves {path}")
        left = {path for path in self.files() - self.before if not path.startswith("run/systemd")}
        expect(left == set(), f"the purge leaves {sorted(left)}")
        expect(self.before - self.files() == set(), f"the purge took {sorted(self.before - self.files())}")

    def run(self):
        for step in (self.package, self.release, self.debian, self.installation, self.exposure, self.activation,
                     self.restrictions, self.upgrade, self.unsuitable, self.removal):
            began = time.monotonic()
            step()
            print(f"ok  {step.__name__}: {step.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)


def main():
    parser = argparse.ArgumentParser(usage="Tests/Package/run --binary PROGRAM [--requests N] [--connections N] …")
    parser.add_argument("--binary", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--requests", type=int, default=12_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--upstream")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="portcullis-package-"))
    trial = Trial(arguments, folder)
    # Whatever hangs ends the test.
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Failure("it took longer than it may")))
    signal.alarm(900 + arguments.requests // 1000)
    try:
        trial.run()
    except Failure as failure:
        if getattr(trial, "log", None):
            trial.log.seek(0)
            print("".join(trial.log.readlines()[-20:]), file=sys.stderr)
        print(f"Tests/Package: FAILED: {failure}", file=sys.stderr)
        return 1
    finally:
        manager = getattr(trial, "manager", None)
        if manager and manager.process:
            os.kill(manager.process, 9)
        subprocess.run(["umount", trial.root / "proc"], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)
    print("Tests/Package: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
