"""The bill of materials, as CycloneDX 1.5 in JSON: what is in the image, and where each part of it came from.

Scanners such as Grype and Trivy read it, and say which of Debian's packages has a known hole.
"""
import hashlib
import json
import urllib.parse
import uuid

from .debian import Missing
from .files import PROGRAM
from .oci import time


def package_url(package, distribution):
    """Debian's package by name (package-url, type deb)."""
    qualifiers = {"arch": package.architecture, "distro": distribution}
    if package.source != package.name:
        qualifiers["upstream"] = package.source
    version = urllib.parse.quote(package.version, safe=".-+~")
    return f"pkg:deb/debian/{package.name}@{version}?{urllib.parse.urlencode(qualifiers, safe='+')}"


def file(entry):
    """One file of the image."""
    return {"type": "file", "name": f"/{entry.path}",
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(entry.content).hexdigest()}]}


def swift_packages(resolved):
    """What SwiftPM built the program of, from the text of its Package.resolved."""
    components = []
    for pin in sorted(json.loads(resolved)["pins"], key=lambda pin: pin["identity"]):
        state, place = pin["state"], urllib.parse.urlsplit(pin["location"])
        if "revision" not in state:
            raise Missing(f"Package.resolved has no revision of {pin['identity']}")
        version = state.get("version", state["revision"])
        path = place.path.removesuffix(".git").strip("/")
        name = f"pkg:swift/{place.hostname}/{path}@{version}"
        components.append({
            "type": "library", "bom-ref": name, "name": pin["identity"], "version": version, "purl": name,
            "properties": [{"name": "portcullis:revision", "value": state["revision"]}],
            "externalReferences": [{"type": "vcs", "url": pin["location"]}],
        })
    return components


def bill(entries, *, version, revision, created, resolved, swift, distribution):
    """All of it, as bytes; `swift` is the toolchain's version, whose libraries are in the program, or None."""
    name, number = distribution.split("-")
    program = next(entry for entry in entries if entry.path == PROGRAM)
    inside = swift_packages(resolved)
    if swift:
        inside.append({"type": "library", "bom-ref": f"swift@{swift}", "name": "swift", "version": swift,
                       "description": "Swift's own libraries, linked statically"})
    own = {
        "type": "application", "bom-ref": "portcullis", "name": "portcullis", "version": version,
        "properties": [{"name": "portcullis:revision", "value": revision}],
        "hashes": file(program)["hashes"], "components": [file(program)],
    }
    by_package, loose = {}, []
    for entry in entries:
        if entry.content is None or entry is program:
            continue
        if entry.package is None:
            loose.append(file(entry))
        else:
            by_package.setdefault(entry.package.name, (entry.package, []))[1].append(file(entry))
    debian = []
    for _, (package, files) in sorted(by_package.items()):
        reference = package_url(package, distribution)
        debian.append({"type": "library", "bom-ref": reference, "name": package.name, "version": package.version,
                       "purl": reference, "components": files})
    system = {"type": "operating-system", "bom-ref": distribution, "name": name, "version": number}
    components = [own, *inside, system, *debian, *loose]
    text = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time(created),
            "component": {"type": "container", "bom-ref": "image", "name": "portcullis", "version": version},
        },
        "components": components,
        "dependencies": [
            {"ref": "image", "dependsOn": ["portcullis", distribution]},
            {"ref": "portcullis", "dependsOn": [part["bom-ref"] for part in (*inside, *debian)]},
        ],
    }
    # The same name for the same content, a new one for another.
    digest = hashlib.sha256(json.dumps(text, sort_keys=True).encode()).hexdigest()
    text["serialNumber"] = f"urn:uuid:{uuid.UUID(digest[:32], version=5)}"
    return json.dumps(text, indent=2, sort_keys=True).encode() + b"\n"
