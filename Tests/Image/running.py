"""The image as a container runtime runs it: as user 10001, without rights, on a root that cannot be written."""
import contextlib
import ctypes
import errno
import os
import random
import signal
import socket
import threading
import time

from container import Container, bind, configuration, get, stopped, upstream

# From the moment the kernel starts the program until it has answered a request.
LONGEST_START_SECONDS = 0.050
MOUNTED = ("/run/portcullis", "/var/log/portcullis")
CLONE_NEWNS = 0x20000


# holds ECO-30
def test_answers_within_50_ms_of_its_start(image):
    """Once of many times, for what else this machine does is not the image's."""
    found = []
    # The kernel counts a start in hundredths of a second.
    longest = LONGEST_START_SECONDS + 0.010
    with upstream() as server:
        while len(found) < 30 and min(found, default=longest + 1) > longest:
            with Container(image, configuration(server)) as container:
                port = container.port()
                while get(port) != 200:
                    pass
                answered = time.clock_gettime(time.CLOCK_BOOTTIME)
                found.append(answered - started(container.pid))
                assert stopped(container)[0] == 0
    print(f"        {', '.join(f'{each * 1000:.0f}' for each in found)} ms", flush=True)
    assert min(found) <= longest, found


def started(pid):
    """When a process was started, in seconds since this machine was."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        # Behind the name, which may have anything in it.
        ticks = int(file.read().rsplit(")", 1)[1].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


# holds ECO-31, ECO-35
def test_runs_as_nobody_in_particular_without_any_right(image):
    with upstream() as server, Container(image, configuration(server)) as container:
        assert get(container.port()) == 200
        status = container.status()
        assert status["Uid"].split() == status["Gid"].split() == ["10001"] * 4, status
        for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert int(status[kind], 16) == 0, f"{kind} {status[kind]}"
        assert status["NoNewPrivs"] == "1"
        assert status["NSpid"].split()[1:] == ["1"], "not in a namespace of its own"
        for kind in ("pid", "mnt", "ipc", "uts"):
            assert os.readlink(f"/proc/{container.pid}/ns/{kind}") != os.readlink(f"/proc/self/ns/{kind}"), kind


# holds ECO-31
# refuses ECO-31
def test_serves_where_nothing_can_be_written(image):
    with upstream() as server, Container(image, configuration(server)) as container:
        port = container.port()
        folders = ("/", "/etc", "/etc/portcullis", "/usr/local/bin", *MOUNTED)
        assert attempts(container.pid, folders) == [errno.EROFS] * len(folders)
        assert get(port) == 200
        assert stopped(container)[0] == 0


def attempts(pid, folders):
    """What a process of root finds that writes a file into folders of another one's root: an errno for each."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            library = ctypes.CDLL(None, use_errno=True)
            descriptor = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
            # The calling thread must not share its folders with others, which of a forked child it does not.
            if library.setns(descriptor, CLONE_NEWNS) != 0:
                os._exit(1)
            for folder in folders:
                code = 0
                try:
                    os.close(os.open(f"{folder}/written", os.O_WRONLY | os.O_CREAT))
                except OSError as error:
                    code = error.errno
                os.write(writing, bytes([code]))
            os._exit(0)
        except BaseException:  # pylint: disable=broad-exception-caught
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        found = list(file.read())
    os.waitpid(child, 0)
    return found


# refuses ECO-31
def test_says_that_a_log_cannot_be_written_where_nothing_is_mounted(image):
    with upstream() as server:
        text = configuration(server).replace("operator: stderr", "operator: /var/log/portcullis/operator.log")
        with Container(image, text) as container:
            status, said = container.end()
    assert status == 2, said
    assert "/var/log/portcullis" in said and "Read-only file system" in said, said


# holds ECO-31
def test_writes_logs_and_a_socket_where_something_is_mounted(image):
    places = {inside: image.folder / inside.strip("/").replace("/", "-") for inside in MOUNTED}
    for place in places.values():
        place.mkdir()
        os.chown(place, 10001, 10001)
    with upstream() as server:
        text = configuration(server).replace("access: off", "access: /var/log/portcullis/access.log")
        text = text.replace('"127.0.0.1:0", public_url', '"unix:/run/portcullis/web.sock", public_url')
        mounts = [bind(inside, outside) for inside, outside in places.items()]
        with Container(image, text, mounts=mounts) as container:
            container.wait_for(lambda line: line["event"] == "listening" and line.get("listener") == "admin")
            container.pid = int((container.folder / "pid").read_text())
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(60)
            client.connect(str(places["/run/portcullis"] / "web.sock"))
            client.sendall(b"GET / HTTP/1.1\r\nHost: gateway.test\r\nConnection: close\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200 ")
            client.close()
            assert stopped(container)[0] == 0
        assert '"status":200' in (places["/var/log/portcullis"] / "access.log").read_text()


# holds ECO-31
def test_finishes_what_is_under_way_at_SIGTERM(image):
    with upstream() as server, Container(image, configuration(server)) as container:
        port, statuses = container.port(), []
        client = threading.Thread(target=lambda: statuses.append(get(port, "/slow")))
        client.start()
        assert server.asked.wait(60)
        container.signal(signal.SIGTERM)
        container.wait_for(lambda line: line["event"] == "stopping")
        deadline = time.monotonic() + 60
        while accepts(port):
            assert time.monotonic() < deadline, "it goes on accepting"
        assert container.runtime.poll() is None and statuses == []
        server.told.set()
        client.join(60)
        assert statuses == [200]
        assert container.end()[0] == 0


def accepts(port):
    """Whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:
        # It stood in the queue when the listener was closed.
        return True
    return True


# refuses ECO-31
def test_ends_with_status_2_where_the_configuration_is_wrong(image):
    with Container(image, "listeners: 7\n") as container:
        status, said = container.end()
    assert status == 2 and "/etc/portcullis/portcullis.yaml:1:12" in said, said


# refuses ECO-35
def test_says_in_one_line_that_it_needs_proc(image):
    with upstream() as server, Container(image, configuration(server), proc=False) as container:
        status, said = container.end()
    assert status not in (0, 255), said
    lines = [line for line in said.splitlines() if line.startswith("portcullis")]
    assert len(lines) == 1 and "mount /proc" in lines[0], said


# holds ECO-32
# refuses ECO-32
def test_tells_an_engine_how_it_is(image):
    words = image.config["config"]["Healthcheck"]["Test"][1:]
    with upstream() as server:
        [admin] = free_ports(1)
        with Container(image, configuration(server, admin=admin)) as container:
            container.port("admin")
            deadline = time.monotonic() + 60
            # It gives an answer one second, for which a machine may stand still.
            while (found := container.execute(*words))[0] != 0 and time.monotonic() < deadline:
                pass
            assert found[0] == 0, found
            # As if it hung.
            os.kill(container.pid, signal.SIGSTOP)
            start = time.monotonic()
            status, said = container.execute(*words)
            took = time.monotonic() - start
            os.kill(container.pid, signal.SIGCONT)
            assert status == 1 and "no answer within 1000 ms" in said, said
            assert 1 <= took < 30, took


def free_ports(count):
    """Ports that nobody had a moment ago, below those that the system gives to whoever asks for any.

    One of the latter would be somebody else's by chance before the program listens that is told of it.
    """
    sockets = []
    while len(sockets) < count:
        with contextlib.suppress(OSError):
            sockets.append(socket.create_server(("127.0.0.1", random.SystemRandom().randrange(15_000, 30_000))))
    found = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


# holds ECO-36
# refuses ECO-36
def test_takes_workers_and_memory_from_its_control_group(image):
    group = image.folder / "group"
    group.mkdir()
    (group / "cpu.max").write_text("50000 100000\n")
    (group / "memory.max").write_text(f"{64 << 20}\n")
    rest = 'issuers: { main: { url: "https://issuer.test", jwks_uri: "https://issuer.test/jwks" } }'
    with upstream() as server:
        text = configuration(server, rest=rest).replace("public: true", "token: { issuers: [main], audience: api }")
        with Container(image, text, mounts=[bind("/sys/fs/cgroup", group, "ro")]) as container:
            container.port()
            started_line = container.wait_for(lambda line: line["event"] == "started")
            assert started_line["workers"] == 1, started_line
            warning = container.wait_for(lambda line: line["event"] == "configuration_warning")
            assert "64MiB" in warning["detail"] and "128MiB" in warning["detail"], warning
            assert stopped(container)[0] == 0
