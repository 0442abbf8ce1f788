"""The bill of materials, held against the files of the image, the loader, Debian's database and SwiftPM's."""
import copy
import hashlib
import json
import re
import subprocess

from build import ROOT


def bill(image):
    """The document."""
    return json.loads(image.named(".cdx.json").read_text())


def files(components):
    """Path and digest of each file that components name, their own components included."""
    found = {}
    for component in components:
        if component["type"] == "file":
            found[component["name"]] = component["hashes"][0]["content"]
        found |= files(component.get("components", []))
    return found


def differences(document, image):
    """What the document and the image do not have in common."""
    listed = files(document["components"])
    there = {path: hashlib.sha256((image.root / path[1:]).read_bytes()).hexdigest() for path in image.files()}
    return sorted(path for path in listed.keys() | there.keys() if listed.get(path) != there.get(path))


# holds ECO-33
def test_names_every_file_with_its_digest(image):
    assert differences(bill(image), image) == []


# refuses ECO-33
def test_fails_where_a_library_was_added_or_changed_by_hand(image):
    folder = next(image.root.glob("usr/lib/*-linux-gnu"))
    added = folder / "libadded.so.1"
    added.write_bytes(b"\x7fELF")
    try:
        assert differences(bill(image), image) == [f"/{added.relative_to(image.root)}"]
    finally:
        added.unlink()
    changed = copy.deepcopy(bill(image))
    library = next(part for part in changed["components"] if part["name"] == "libyaml-0-2")
    library["components"][0]["hashes"][0]["content"] = "0" * 64
    assert differences(changed, image) == [library["components"][0]["name"]]
    library["components"].clear()
    assert len(differences(changed, image)) == 1


# holds ECO-33
def test_names_the_package_and_version_of_each_library(image):
    # Held against the lists of the archive, as apt-cache shows them, not against the package that was unpacked.
    lists = [f"Dir::State::lists={cache()}/lists", f"Dir::State::status={cache()}/status", "Dir::Cache::pkgcache=",
             "Dir::Cache::srcpkgcache="]
    options = [word for option in lists for word in ("-o", option)]
    libraries = {component["name"]: component for component in bill(image)["components"]
                 if component.get("purl", "").startswith("pkg:deb/")}
    assert len(libraries) > 25, sorted(libraries)
    shown = subprocess.run(["apt-cache", *options, "policy", *libraries], capture_output=True, text=True, check=True).stdout
    candidates = dict(re.findall(r"^(\S+):\n.*\n  Candidate: (\S+)", shown, re.MULTILINE))
    assert {name: component["version"] for name, component in libraries.items()} == candidates
    for name, component in libraries.items():
        assert component["purl"].startswith(f"pkg:deb/debian/{name}@"), component["purl"]
        assert component["components"], f"{name} has no file in the image"
    in_packages = files(libraries.values())
    assert all(path in in_packages for path in image.files() if ".so" in path)


def cache():
    """Where deploy/image keeps the archive's lists."""
    done = subprocess.run(["sh", "-c", 'echo "${XDG_CACHE_HOME:-$HOME/.cache}/portcullis/debian"'], capture_output=True,
                          text=True, check=True)
    return done.stdout.strip()


# holds ECO-33
def test_names_each_swift_package_with_its_revision(image):
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    expected = {pin["identity"]: pin["state"]["revision"] for pin in pins}
    found = {component["name"]: component["properties"][0]["value"] for component in bill(image)["components"]
             if component.get("purl", "").startswith("pkg:swift/")}
    assert found == expected


# holds ECO-33, ECO-34
def test_is_of_this_image(image):
    document = bill(image)
    labels = image.config["config"]["Labels"]
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    program = document["components"][0]
    assert program["version"] == labels["org.opencontainers.image.version"]
    assert program["properties"] == [
        {"name": "portcullis:revision", "value": labels["org.opencontainers.image.revision"]}]
    references = {component["bom-ref"] for component in document["components"] if "bom-ref" in component} | {"image"}
    for dependency in document["dependencies"]:
        assert {dependency["ref"], *dependency["dependsOn"]} <= references
    assert all("licenses" not in component for component in document["components"])


def test_goes_with_the_copyright_of_each_package(image):
    """What others ask for who let their libraries be passed on."""
    names = {component["name"] for component in bill(image)["components"]
             if component.get("purl", "").startswith("pkg:deb/")}
    texts = {path.name: path.read_text(errors="replace") for path in (image.output / "copyright").iterdir()}
    assert texts.keys() == names
    assert all("opyright" in text for text in texts.values())
