"""Bills of materials, as CycloneDX 1.5 in JSON: what is in the image or the program, and where each part of it came from.

Scanners such as Grype and Trivy read it, and say which of Debian's packages has a known hole.
"""
import hashlib
import json
import urllib.parse
import uuid

from .debian import Missing
from .files import PROGRAM
from .oci import time


def debian(name, version, qualifiers, **more):
    """One of Debian's packages, by its name (package-url, type deb)."""
    quoted = urllib.parse.quote(version, safe=".-+~")
    reference = f"pkg:deb/debian/{name}@{quoted}?{urllib.parse.urlencode(qualifiers, safe='+')}"
    return {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference, **more}


def debian_of_image(package, distribution, files):
    """The same for a package that the image has files of."""
    qualifiers = {"arch": package.architecture, "distro": distribution}
    if package.source != package.name:
        qualifiers["upstream"] = package.source
    return debian(package.name, package.version, qualifiers, components=files)


def swift_libraries(version):
    """What the toolchain of this version puts into the program."""
    return {"type": "library", "bom-ref": f"swift@{version}", "name": "swift", "version": version,
            "description": "Swift's own libraries, linked statically"}


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
        inside.append(swift_libraries(swift))
    own = program_of(program, version, revision, components=[file(program)])
    by_package, loose = {}, []
    for entry in entries:
        if entry.content is None or entry is program:
            continue
        if entry.package is None:
            loose.append(file(entry))
        else:
            by_package.setdefault(entry.package.name, (entry.package, []))[1].append(file(entry))
    packages = [debian_of_image(package, distribution, files) for _, (package, files) in sorted(by_package.items())]
    system = {"type": "operating-system", "bom-ref": distribution, "name": name, "version": number}
    image = {"type": "container", "bom-ref": "image", "name": "portcullis", "version": version}
    return document(
        {"timestamp": time(created), "component": image}, [own, *inside, system, *packages, *loose],
        {"image": ["portcullis", distribution], "portcullis": [part["bom-ref"] for part in (*inside, *packages)]})


def program_of(entry, version, revision, **more):
    """The program itself, whose bytes are an entry's."""
    return {
        "type": "application", "bom-ref": "portcullis", "name": "portcullis", "version": version,
        "properties": [{"name": "portcullis:revision", "value": revision}], "hashes": file(entry)["hashes"], **more,
    }


def document(metadata, components, dependencies):
    """A bill, as bytes; `dependencies` maps what needs to all that it needs."""
    text = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
        "version": 1, "metadata": metadata, "components": components,
        "dependencies": [{"ref": one, "dependsOn": others} for one, others in dependencies.items()],
    }
    # The same name for the same content, a new one for another.
    digest = hashlib.sha256(json.dumps(text, sort_keys=True).encode()).hexdigest()
    text["serialNumber"] = f"urn:uuid:{uuid.UUID(digest[:32], version=5)}"
    return json.dumps(text, indent=2, sort_keys=True).encode() + b"\n"
