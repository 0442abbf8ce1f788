"""The formats: layers as tar, an OCI image layout, and the archive that `docker load` takes.

Nothing in them depends on when, where or by whom they are written: entries are sorted, their time is zero, and gzip's
head has neither a name nor a time. The time of the commit stands once, as the image's `created`.
"""
import datetime
import gzip
import hashlib
import io
import json
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
INDEX = "application/vnd.oci.image.index.v1+json"


class Layer:
    """One layer: its tar, whose digest the configuration names, and that compressed, whose digest the manifest names."""

    def __init__(self, entries, made_by):
        self.made_by = made_by
        self.tar = tar(entries)
        self.compressed = compress(self.tar)
        self.size = sum(len(entry.content or b"") for entry in entries)


def tar(entries):
    """Entries as a POSIX tar, byte for byte the same for the same entries."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry.path)
            info.uid = info.gid = entry.owner
            info.mode = entry.mode
            if entry.target is not None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, entry.target, 0o777
            elif entry.content is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(entry.content)
            archive.addfile(info, io.BytesIO(entry.content or b""))
    return written.getvalue()


def compress(content):
    """gzip, with nothing of this moment in it."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def digest(content):
    """As OCI writes it."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def time(seconds):
    """Seconds since 1970 as RFC 3339 has them."""
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def document(value):
    """JSON, the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def configuration(layers, architecture, created, process):
    """The image's configuration: what runs, as whom, and which layers it has."""
    return document({
        "architecture": architecture, "os": "linux", "created": time(created), "config": process,
        "rootfs": {"type": "layers", "diff_ids": [digest(layer.tar) for layer in layers]},
        "history": [{"created": time(created), "created_by": layer.made_by} for layer in layers],
    })


class Image:
    """Layers and their configuration, ready to be written in either format."""

    def __init__(self, layers, config, annotations):
        self.layers, self.config = layers, config
        self.manifest = document({
            "schemaVersion": 2, "mediaType": MANIFEST, "annotations": annotations,
            "config": descriptor(CONFIG, config),
            "layers": [descriptor(LAYER, layer.compressed) for layer in layers],
        })

    def write_layout(self, folder, tag):
        """An OCI image layout: what skopeo, podman and registries' tools read."""
        blobs = folder / "blobs" / "sha256"
        blobs.mkdir(parents=True)
        for content in (self.manifest, self.config, *(layer.compressed for layer in self.layers)):
            (blobs / hashlib.sha256(content).hexdigest()).write_bytes(content)
        (folder / "oci-layout").write_bytes(document({"imageLayoutVersion": "1.0.0"}))
        named = descriptor(MANIFEST, self.manifest)
        # The first name is what OCI's tools call it, the second one what containerd and Docker do.
        named["annotations"] = {"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": f"portcullis:{tag}"}
        (folder / "index.json").write_bytes(document({"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}))

    def write_docker_archive(self, file, tag):
        """The older format, of `docker save`."""
        config = f"{hashlib.sha256(self.config).hexdigest()}.json"
        layers = {f"{hashlib.sha256(layer.tar).hexdigest()}.tar": layer.tar for layer in self.layers}
        manifest = document([{"Config": config, "RepoTags": [f"portcullis:{tag}"], "Layers": list(layers)}])
        write_tar(file, {config: self.config, **layers, "manifest.json": manifest})


def descriptor(kind, content):
    """What points to a blob."""
    return {"mediaType": kind, "digest": digest(content), "size": len(content)}


def write_folder_as_tar(file, folder):
    """A layout as one file."""
    write_tar(file, {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
                     if path.is_file()})


def write_tar(file, contents):
    """Files by name, as a tar without owner or time."""
    with tarfile.open(file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o644
            archive.addfile(info, io.BytesIO(content))
