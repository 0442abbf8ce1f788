"""The image as deploy/image writes it, and what is in it, read by other means than those that wrote it."""
import hashlib
import json
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "https://git.example/portcullis"


class Built:
    """One image: its folder, its documents, and its files in a folder of their own."""

    # What a container of it may do beyond its user's rights.
    capabilities = []

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.output = folder / "image"
        self.digest = write(binary, self.output)
        self.layout = self.output / "oci"
        self.manifest = self.blob_document(json.loads((self.layout / "index.json").read_text())["manifests"][0]["digest"])
        self.config = self.blob_document(self.manifest["config"]["digest"])
        self.root = folder / "root"
        self.root.mkdir()
        for layer in self.manifest["layers"]:
            # GNU tar, not Python's, which wrote it.
            subprocess.run(["tar", "--extract", "--gunzip", "--same-owner", "--same-permissions", "--directory",
                            self.root, "--file", self.blob(layer["digest"])], check=True)

    def blob(self, digest):
        """The file of a blob, whose content is what its name says."""
        path = self.layout / "blobs" / digest.replace(":", "/")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest == f"sha256:{found}", f"{path} has the digest {found}"
        return path

    def blob_document(self, digest):
        """A blob that is JSON."""
        return json.loads(self.blob(digest).read_text())

    def named(self, ending):
        """The one file of the output with this ending."""
        [path] = self.output.glob(f"*{ending}")
        return path

    def entries(self):
        """Every entry of every layer."""
        for layer in self.manifest["layers"]:
            with tarfile.open(self.blob(layer["digest"])) as archive:
                yield from archive

    def files(self):
        """The paths of all regular files, with the leading slash."""
        return sorted(f"/{path.relative_to(self.root)}" for path in self.root.rglob("*")
                      if path.is_file() and not path.is_symlink())


def write(binary, output, *options):
    """Runs deploy/image; the digest that it prints. The packages are those of the first time."""
    done = subprocess.run([ROOT / "deploy/image", "--binary", binary, "--output", output, "--source", SOURCE, *options],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"deploy/image: {done.stdout}{done.stderr}"
    return done.stdout.split()[-1]
