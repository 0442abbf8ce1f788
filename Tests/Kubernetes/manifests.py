"""What `kubectl apply --kustomize` would send of each folder of deploy/kubernetes, as Kustomize itself makes it."""
import functools
import subprocess
import sys
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "deploy/kubernetes"
BASES = ("sidecar", "standalone")
STORE = "store"
KUBECTL = Path(sys.executable).parent / "kubectl"
HELM = Path(sys.executable).parent / "helm"
GATEWAY = "portcullis"


class Manifests:
    """The resources of one folder."""

    def __init__(self, resources):
        self.resources = resources

    def all(self, kind):
        """Those of a kind."""
        return [resource for resource in self.resources if resource["kind"] == kind]

    def one(self, kind, name=None):
        """The one of a kind, and of a name where there are several."""
        [found] = [resource for resource in self.all(kind) if name in (None, resource["metadata"]["name"])]
        return found

    @property
    def pod(self):
        """The pod of the one Deployment: its labels and its spec."""
        template = self.one("Deployment")["spec"]["template"]
        return Pod(template["metadata"]["labels"], template["spec"])

    @property
    def configuration(self):
        """The text of the gateway's configuration."""
        return self.one("ConfigMap", GATEWAY)["data"]["portcullis.yaml"]


class Pod:
    """A pod's labels and spec."""

    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    @property
    def containers(self):
        """All that run as long as the pod does, in the order in which they are started."""
        sidecars = [one for one in self.spec.get("initContainers", []) if one.get("restartPolicy") == "Always"]
        return sidecars + self.spec["containers"]

    def container(self, name):
        """The one of a name."""
        [found] = [one for one in self.containers if one["name"] == name]
        return found

    @property
    def gateway(self):
        """The gateway's container."""
        return self.container(GATEWAY)

    def volume(self, name):
        """The volume of a name."""
        [found] = [one for one in self.spec["volumes"] if one["name"] == name]
        return found

    def setting(self, container, name):
        """What a container says about its security, or else the pod for all."""
        own = container.get("securityContext", {})
        return own.get(name, self.spec.get("securityContext", {}).get(name))


def port(container, name):
    """The number of a container's port, by number or name."""
    if isinstance(name, int):
        return name
    [found] = [one["containerPort"] for one in container["ports"] if one["name"] == name]
    return found


def selects(selector, labels):
    """Whether labels have all that a selector names."""
    return bool(selector) and selector.items() <= labels.items()


@functools.cache
def rendered(folder):
    """The text that Kustomize makes of a folder."""
    command = [KUBECTL, "kustomize", folder]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def load(base):
    """The resources of a base."""
    return Manifests([one for one in yaml.safe_load_all(rendered(FOLDER / base)) if one])
