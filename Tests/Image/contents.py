"""What is in the image, and that nothing else is."""
import json
import os
import re
import stat
import subprocess

from build import ROOT, SOURCE, write

# As du counts them; Image.md says what each part weighs.
LARGEST, LARGEST_COMPRESSED = 40_000_000, 20_000_000
USER = 10001

# ECO-30: any file that is not in this list fails.
EXPECTED = [
    r"/usr/local/bin/portcullis",
    r"/usr/lib/[a-z0-9_]+-linux-gnu/[A-Za-z0-9_+.-]+\.so(\.[0-9.]+)?",
    r"/etc/ssl/certs/ca-certificates\.crt",
    r"/etc/(passwd|group|nsswitch\.conf)",
]
PROGRAMS = [r"/usr/local/bin/portcullis", r"/usr/lib/[a-z0-9_]+-linux-gnu/ld-linux[a-z0-9_.-]+"]


def unexpected(files):
    """Those that no line of the list allows."""
    return [path for path in files if not any(re.fullmatch(pattern, path) for pattern in EXPECTED)]


# holds ECO-30
# refuses ECO-30
def test_holds_the_program_its_libraries_certificates_and_one_user(image):
    assert unexpected(image.files()) == []
    assert unexpected(["/bin/sh", "/usr/bin/apt", "/usr/lib/x86_64-linux-gnu/gconv/UTF-16.so", "/etc/shadow"]) != []
    assert len(unexpected(["/bin/sh", "/usr/bin/dpkg", "/etc/shadow", "/usr/lib/ssl/openssl.cnf"])) == 4
    runnable = [path for path in image.files() if os.stat(f"{image.root}{path}").st_mode & 0o111]
    assert runnable and all(any(re.fullmatch(each, path) for each in PROGRAMS) for path in runnable), runnable
    users = (image.root / "etc/passwd").read_text().splitlines()
    assert [line.split(":")[:4] for line in users] == [["portcullis", "x", str(USER), str(USER)]]


# holds ECO-30, ECO-33
def test_holds_exactly_the_libraries_that_ldd_names(image):
    # Of the program in the image, by the loader in the image, with nothing of this machine.
    done = subprocess.run(["chroot", image.root, "/lib64/ld-linux-x86-64.so.2", "--list", "/usr/local/bin/portcullis"],
                          capture_output=True, text=True, check=True)
    loaded = {os.path.realpath(f"{image.root}{path}", strict=True) for path in
              re.findall(r"=> (/\S+) \(0x", done.stdout)}
    # The loader itself is in the image too, and loads nobody.
    there = {f"{image.root}{path}" for path in image.files() if ".so" in path and "/ld-linux" not in path}
    assert there == loaded, there ^ loaded
    assert len(loaded) > 20


# holds ECO-30
def test_weighs_at_most_40_megabytes_and_20_compressed(image):
    size = sum(entry.size for entry in image.entries())
    compressed = sum(layer["size"] for layer in image.manifest["layers"])
    print(f"        {size / 1e6:.1f} MB, {compressed / 1e6:.1f} MB compressed", flush=True)
    assert size <= LARGEST, size
    assert compressed <= LARGEST_COMPRESSED, compressed


# refuses ECO-31
def test_lets_nobody_gain_rights_or_change_a_file(image):
    writable = []
    for entry in image.entries():
        assert not entry.mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX), entry.name
        assert entry.issym() or not entry.mode & 0o022, f"{entry.name} can be written by others"
        assert entry.isfile() or entry.isdir() or entry.issym(), f"{entry.name} is no file, folder or link"
        if entry.uid != 0:
            writable.append(f"/{entry.name}")
            assert entry.isdir() and entry.uid == entry.gid == USER, entry.name
    assert writable == ["/run/portcullis", "/var/log/portcullis"]


# holds ECO-31, ECO-32, ECO-34
def test_names_its_user_entry_and_source(image):
    config = image.config["config"]
    assert config["User"] == f"{USER}:{USER}"
    assert config["Entrypoint"] == ["/usr/local/bin/portcullis"]
    assert config["Cmd"] == ["run", "/etc/portcullis/portcullis.yaml"]
    assert config["Healthcheck"]["Test"] == ["CMD", "/usr/local/bin/portcullis", "healthcheck",
                                            "/etc/portcullis/portcullis.yaml"]
    assert config["StopSignal"] == "SIGTERM"
    labels = {name.removeprefix("org.opencontainers.image."): value for name, value in config["Labels"].items()}
    assert labels["source"] == SOURCE
    assert re.fullmatch(r"[0-9a-f]{40}(-changed)?", labels["revision"]), labels
    version = subprocess.run([image.binary, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert labels["version"] == version
    # None has been chosen.
    assert "licenses" not in labels
    assert image.manifest["annotations"] == config["Labels"]


# holds ECO-34
# refuses ECO-34
def test_is_the_same_twice(image):
    again = image.folder / "again"
    assert write(image.binary, again, "--no-update") == image.digest
    for path in sorted(image.output.rglob("*")):
        if path.is_file():
            other = again / path.relative_to(image.output)
            assert path.read_bytes() == other.read_bytes(), f"{path.name} is another one the second time"
    times = {entry.mtime for entry in image.entries()}
    assert times == {0}, times


# holds ECO-30
def test_is_what_skopeo_takes_in_each_format(image):
    version = image.config["config"]["Labels"]["org.opencontainers.image.version"]
    for name in (f"oci:{image.layout}:{version}", f"oci-archive:{image.named('.oci.tar')}:{version}",
                 f"docker-archive:{image.named('.docker.tar')}:portcullis:{version}"):
        copy = image.folder / "copy"
        subprocess.run(["skopeo", "--insecure-policy", "copy", "--quiet", name, f"dir:{copy}"], check=True)
        manifest = json.loads((copy / "manifest.json").read_text())
        # The configuration names the content of every layer, compressed or not.
        assert manifest["config"]["digest"] == image.manifest["config"]["digest"], name
        for path in copy.iterdir():
            path.unlink()


# refuses ECO-33
def test_is_refused_where_the_program_needs_libraries_that_debian_does_not_have(image):
    library = image.folder / "libadded.so"
    subprocess.run(["gcc", "-shared", "-o", library, "-x", "c", "/dev/null"], check=True)
    program = image.folder / "linked"
    (image.folder / "linked.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-o", program, image.folder / "linked.c", "-Wl,--no-as-needed", library,
                    f"-Wl,-rpath,{image.folder}"], check=True)
    done = subprocess.run([ROOT / "deploy/image", "--binary", program, "--output", image.folder / "refused", "--no-update"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "which is of no package" in done.stderr, done.stderr
    assert not (image.folder / "refused").exists()


# holds ECO-30
def test_has_the_same_files_where_an_engine_builds_it(image):
    """What deploy/Dockerfile copies into an empty image."""
    root = image.folder / "for-an-engine"
    done = subprocess.run([ROOT / "deploy/image", "--binary", image.binary, "--root", root, "--no-update"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compared = subprocess.run(["diff", "--recursive", "--no-dereference", image.root, root], capture_output=True,
                              text=True, check=False)
    assert compared.returncode == 0 and compared.stdout == "", compared.stdout
    for path in image.root.rglob("*"):
        one, other = path.lstat(), (root / path.relative_to(image.root)).lstat()
        assert (one.st_mode, one.st_uid, one.st_gid) == (other.st_mode, other.st_uid, other.st_gid), path


# holds ECO-32
def test_says_the_same_in_the_dockerfile(image):
    text = re.sub(r"\\\n\s*", "", (ROOT / "deploy/Dockerfile").read_text())
    said = dict(re.findall(r"^(USER|STOPSIGNAL|ENTRYPOINT|CMD|HEALTHCHECK|WORKDIR|ENV) (.*)$", text, re.MULTILINE))
    config = image.config["config"]
    assert (said["USER"], said["STOPSIGNAL"], said["WORKDIR"]) == (
        config["User"], config["StopSignal"], config["WorkingDir"])
    assert said["ENV"] == config["Env"][0]
    assert json.loads(said["ENTRYPOINT"]) == config["Entrypoint"]
    assert json.loads(said["CMD"]) == config["Cmd"]
    labels = dict(re.findall(r'(org\.opencontainers\.image\.\w+)="([^"]*)"', text))
    # The image under test may be of a folder that no public address leads to.
    assert set(labels) == set(config["Labels"]) | {"org.opencontainers.image.source"}, labels
    for name, value in labels.items():
        if "$" not in value:
            assert value == config["Labels"][name], name
    health = config["Healthcheck"]
    options, command = said["HEALTHCHECK"].split("CMD ")
    assert json.loads(command) == health["Test"][1:]
    assert options.split() == [
        f"--interval={health['Interval'] // 10**9}s", f"--timeout={health['Timeout'] // 10**9}s",
        f"--start-period={health['StartPeriod'] // 10**9}s", f"--retries={health['Retries']}"]
    stages = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert stages == ["${TOOLCHAIN}", "scratch"]
