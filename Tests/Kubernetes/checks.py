"""The configuration of each manifest passes the gateway's check in its pod (ECO-39): there its files are, and there is its user."""
import copy
import json
import re
import tempfile
from pathlib import Path

import keys
import manifests
import pods


def check(image, found, secrets=None):
    """What check says in a pod: the status, and the report."""
    with tempfile.TemporaryDirectory(dir=image.folder) as name:
        folder = Path(name)
        folder.chmod(0o755)
        volumes = pods.Volumes(found, secrets or keys.secrets(image), folder)
        container = pods.Container(image, found.pod, found.pod.gateway, volumes)
        [_, path] = container.container["args"]
        done = container.execute([container.container["command"][0], "check", "--json", path])
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError as error:
        raise AssertionError(f"{done.returncode}: {done.stdout}{done.stderr}") from error


def changed(base, edit):
    """A base's resources with another configuration."""
    found = manifests.Manifests(copy.deepcopy(manifests.load(base).resources))
    data = found.one("ConfigMap", manifests.GATEWAY)["data"]
    text = edit(data["portcullis.yaml"])
    assert text != data["portcullis.yaml"], "the edit changes nothing"
    data["portcullis.yaml"] = text
    return found


def found_in(report):
    """The paths that a report has problems with."""
    return sorted(one["path"] for one in report["problems"])


# holds ECO-39
def test_the_configurations_pass_in_their_pods_with_nothing_to_note(image):
    """No error, no warning, no note: what the article makes is all that they need."""
    for base in manifests.BASES:
        status, report = check(image, manifests.load(base))
        # The certificate is made for thirty days, to try.
        assert (status, report["problems"], report["notes"]) == (0, [], []), f"{base}: {report}"


# refuses ECO-39
def test_a_broken_configuration_does_not(image):
    """A name that is none, in each of them."""
    for base in manifests.BASES:
        status, report = check(image, changed(base, lambda text: text.replace("issuer: main", "issuer: mian")))
        assert status == 2 and not report["valid"] and "clients.shop.issuer" in found_in(report), f"{base}: {report}"


# refuses ECO-39
def test_secrets_with_the_default_mode_are_refused(image):
    """0644, which is what a Secret without defaultMode gets."""
    for base in manifests.BASES:
        found = manifests.Manifests(copy.deepcopy(manifests.load(base).resources))
        for volume in found.pod.spec["volumes"]:
            volume.get("secret", {}).pop("defaultMode", None)
        status, report = check(image, found)
        assert status == 2, base
        assert len(report["problems"]) >= 4 and "listeners[0].tls.key" in found_in(report), f"{base}: {report}"
        assert all("mode 0644" in one["found"] for one in report["problems"]), f"{base}: {report}"


# refuses ECO-39
def test_secrets_that_the_group_may_not_read_are_refused(image):
    """Without fsGroup files are root's alone."""
    for base in manifests.BASES:
        found = manifests.Manifests(copy.deepcopy(manifests.load(base).resources))
        found.pod.spec["securityContext"].pop("fsGroup")
        status, report = check(image, found)
        assert status == 2 and "listeners[0].tls.key" in found_in(report), f"{base}: {report}"
        assert all("may not read" in one["found"] for one in report["problems"]), f"{base}: {report}"


# refuses ECO-39
def test_a_secret_without_a_key_is_refused(image):
    """As of somebody who left one of the files out."""
    secrets = copy.deepcopy(keys.secrets(image))
    del secrets["portcullis-keys"]["session.key"]
    for base in manifests.BASES:
        status, report = check(image, manifests.load(base), secrets)
        assert status == 2 and found_in(report) == ["clients.shop.session.keys[0].file"], f"{base}: {report}"


# refuses ECO-38
def test_keys_that_replicas_would_not_share_are_warned_of(image):
    """Each of the four, and no store, where more than one gateway serves; and of one gateway those alone that a restart forgets."""
    def without(text):
        """A configuration that shares nothing."""
        text = re.sub(r"(?m)^store:\n(  .*\n)+", "", text)
        text = re.sub(r"(?m)^\s+(ticket_keys|session): .*\n", "", text)
        return re.sub(r"(?m)^(dpop|assertion_keys): .*\n", "", text)

    status, report = check(image, changed("standalone", without))
    assert status == 0 and {one["severity"] for one in report["problems"]} == {"warning"}
    assert found_in(report) == ["clients.shop", "listeners[0].tls", "routes[1].token.dpop.nonce",
                                "routes[1].upstream_credential"], report
    alone = changed("standalone", lambda text: without(text).replace("replicas: 6", "replicas: 1"))
    status, report = check(image, alone)
    assert status == 0 and found_in(report) == ["clients.shop"], report
