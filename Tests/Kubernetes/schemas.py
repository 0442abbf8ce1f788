"""Each manifest is what Kubernetes takes (ECO-37, ECO-38): strictly, so that a misspelt key is an error and not a wish without effect."""
import copy

import kubernetes_validate

import manifests

# The first version with native sidecars, and the newest that there are schemas of.
VERSIONS = ("1.29", kubernetes_validate.latest_version())


def faults(resources):
    """What Kubernetes would say of resources, in any of the versions."""
    found = []
    for version in VERSIONS:
        for resource in resources:
            try:
                held = kubernetes_validate.validate(resource, version, strict=True)
                assert version.startswith(held), f"held against {held} in place of {version}"
            except kubernetes_validate.ValidationError as error:
                path = ".".join(map(str, error.path))
                found.append(f"{version}: {resource['kind']} {resource['metadata']['name']}: {path}: {error.message}")
    return found


# holds ECO-37, ECO-38
def test_every_manifest_fits_the_schemas_of_two_versions(_):
    """A version without a schema for a kind is a failure too: it raises."""
    assert len(set(VERSIONS)) == 2 and VERSIONS[1] == "1.37.0", VERSIONS
    for base in (*manifests.BASES, manifests.STORE):
        resources = manifests.load(base).resources
        assert len(resources) >= (3 if base == manifests.STORE else 6)
        assert faults(resources) == []


# refuses ECO-37, ECO-38
def test_a_misspelt_key_is_refused_wherever_it_stands(_):
    """One for each kind of mapping that somebody changes."""
    def misspell(places):
        """The sidecar's resources with a key of a place renamed."""
        resources = copy.deepcopy(manifests.load("sidecar").resources)
        kind, *way, old, new = places
        [mapping] = [one for one in resources if one["kind"] == kind]
        for step in way:
            mapping = mapping[step]
        mapping[new] = mapping.pop(old)
        return resources

    sidecar = ("Deployment", "spec", "template", "spec", "initContainers", 0)
    for places in [
        (*sidecar, "startupProbe", "failureThreshold", "failureThreshhold"),
        (*sidecar, "restartPolicy", "restartPolice"),
        (*sidecar, "securityContext", "readOnlyRootFilesystem", "readOnlyRootFileSystem"),
        (*sidecar, "lifecycle", "preStop", "prestop"),
        ("Deployment", "spec", "template", "spec", "terminationGracePeriodSeconds", "terminationGracePeriod"),
        ("NetworkPolicy", "spec", "ingress", "ingres"),
        ("Service", "spec", "sessionAffinity", "session_affinity"),
    ]:
        found = faults(misspell(places))
        assert len(found) == len(VERSIONS), f"{places}: {found}"
        assert all(repr(places[-1]) in one for one in found), found


# refuses ECO-37, ECO-38
def test_a_value_of_another_kind_is_refused(_):
    """A text for a number."""
    resources = copy.deepcopy(manifests.load("standalone").resources)
    [scaler] = [one for one in resources if one["kind"] == "HorizontalPodAutoscaler"]
    scaler["spec"]["maxReplicas"] = "six"
    assert len(faults(resources)) == len(VERSIONS)
