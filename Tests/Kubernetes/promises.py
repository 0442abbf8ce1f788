"""What the manifests promise beside their form (ECO-37, ECO-38): names that fit, the restricted standard, who reaches whom, and the end."""
import copy
import json
import re

import yaml

import manifests

DURATIONS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def each():
    """The name and the manifests of each base."""
    return [(base, manifests.load(base)) for base in manifests.BASES]


def seconds(text):
    """A duration as the gateway's configuration writes it."""
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", text).groups()
    return int(number) * DURATIONS[unit]


def sleep(container):
    """How long a container sleeps before it is told to end."""
    return container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)


def not_restricted(pod):
    """What the restricted Pod Security Standard refuses of a pod, one line each."""
    found = [f"{key}" for key in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(key)]
    permitted = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected",
                 "secret"}
    found += [f"volume {one['name']}" for one in pod.spec["volumes"] if not set(one) - {"name"} <= permitted]
    for container in pod.spec.get("initContainers", []) + pod.spec["containers"]:
        own = container.get("securityContext", {})
        for key, good in [
            ("runAsNonRoot", pod.setting(container, "runAsNonRoot") is True),
            ("runAsUser", pod.setting(container, "runAsUser") != 0),
            ("seccompProfile", (pod.setting(container, "seccompProfile") or {}).get("type") == "RuntimeDefault"),
            ("allowPrivilegeEscalation", own.get("allowPrivilegeEscalation") is False),
            ("capabilities", own.get("capabilities") == {"drop": ["ALL"]}),
            ("privileged", not own.get("privileged")),
            ("hostPort", not any("hostPort" in one for one in container.get("ports", []))),
            # Since 1.34: a probe of another host is a way for whoever writes pods to have the kubelet ask it.
            ("probe host", '"host":' not in json.dumps(container)),
        ]:
            if not good:
                found.append(f"{container['name']}: {key}")
    return found


# holds ECO-37
def test_the_pods_fit_the_restricted_standard_that_their_namespace_asks_for(_):
    """And a root file system that nobody writes to, which the standard does not ask for."""
    for base, found in each():
        labels = found.one("Namespace")["metadata"]["labels"]
        for mode in ("enforce", "audit", "warn"):
            assert labels[f"pod-security.kubernetes.io/{mode}"] == "restricted", base
        assert not_restricted(found.pod) == [], base
        assert found.pod.spec["automountServiceAccountToken"] is False, base
        for container in found.pod.containers:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True, base
            assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"], base


# refuses ECO-37
def test_a_pod_that_asks_for_more_does_not_fit(_):
    """Each rule can fail."""
    for path, value in [
        (("securityContext", "runAsNonRoot"), False),
        (("securityContext", "seccompProfile"), {"type": "Unconfined"}),
        (("initContainers", 0, "securityContext", "allowPrivilegeEscalation"), True),
        (("initContainers", 0, "securityContext", "capabilities"), {"drop": ["NET_RAW"]}),
        (("containers", 0, "securityContext", "runAsUser"), 0),
        (("hostNetwork",), True),
        (("volumes", 0), {"name": "configuration", "hostPath": {"path": "/"}}),
        (("containers", 0, "livenessProbe"), {"httpGet": {"host": "127.0.0.1", "port": 80}}),
    ]:
        pod = manifests.load("sidecar").pod
        mapping = spec = copy.deepcopy(pod.spec)
        for step in path[:-1]:
            mapping = mapping[step]
        mapping[path[-1]] = value
        assert not_restricted(manifests.Pod(pod.labels, spec)) != [], path


def test_every_name_leads_to_what_is_there(_):
    """Selectors, ports, volumes and configuration; the Secrets are made by whoever installs."""
    for base, found in each():
        pod, namespace = found.pod, found.one("Namespace")["metadata"]["name"]
        for resource in found.resources:
            assert resource["kind"] == "Namespace" or resource["metadata"]["namespace"] == namespace, base
        assert selects_pod(found.one("Deployment")["spec"]["selector"]["matchLabels"], pod), base
        service = found.one("Service")["spec"]
        assert selects_pod(service["selector"], pod), base
        [entry] = service["ports"]
        listener = yaml.safe_load(found.configuration)["listeners"][0]["address"]
        assert manifests.port(pod.gateway, entry["targetPort"]) == int(listener.rsplit(":")[-1]), base
        if pod.gateway not in pod.spec["containers"]:
            # Names of a sidecar's ports are not found before Kubernetes 1.32.
            assert isinstance(entry["targetPort"], int), base
        maps = {one["metadata"]["name"] for one in found.all("ConfigMap")}
        for container in pod.containers:
            for mount in container["volumeMounts"]:
                volume = pod.volume(mount["name"])
                assert mount["readOnly"] is True and "subPath" not in mount, base
                assert "configMap" not in volume or volume["configMap"]["name"] in maps, base
        secrets = {one["secret"]["secretName"] for one in pod.spec["volumes"] if "secret" in one}
        shared = {"portcullis-store"} if "store" in yaml.safe_load(found.configuration) else set()
        assert secrets == {"portcullis-tls", "portcullis-keys"} | shared, base


def selects_pod(selector, pod):
    """Whether a selector means the pod."""
    return manifests.selects(selector, pod.labels)


def test_the_image_has_the_programs_version(image):
    """Somebody who builds the image of this version finds it under this name."""
    version = image.run("version").split()[1]
    for base, found in each():
        assert found.pod.gateway["image"].rpartition(":")[2] == version, f"{base}: portcullis version says {version}"


# holds ECO-37
def test_the_gateway_is_a_sidecar_that_starts_before_the_app_and_ends_after_it(_):
    """An init container that always runs, with a probe that holds the app back until it has started."""
    pod = manifests.load("sidecar").pod
    [sidecar] = pod.spec["initContainers"]
    assert sidecar["name"] == manifests.GATEWAY and sidecar["restartPolicy"] == "Always"
    assert sidecar["startupProbe"]["httpGet"]["path"] == "/startupz"
    [app] = pod.spec["containers"]
    # The gateway ends when the app has ended: the app stays as long as new requests come.
    assert sleep(app) >= sleep(sidecar)
    assert pod.setting(app, "runAsUser") != pod.setting(sidecar, "runAsUser")
    secret = {one["name"] for one in pod.spec["volumes"] if "secret" in one}
    assert secret and not secret & {one["name"] for one in app["volumeMounts"]}


def test_there_is_time_for_the_end(image):
    """Longer than every sleep, one after the other, and what the gateway takes for requests under way."""
    default = yaml.safe_load(image.run("defaults"))["timeouts"]["drain"]
    for base, found in each():
        timeouts = yaml.safe_load(found.configuration).get("timeouts", {})
        delay = seconds(timeouts.get("drain_delay", "0ms"))
        needed = max(sleep(one) for one in found.pod.containers) + delay + seconds(timeouts.get("drain", default))
        # Five seconds more for what an app takes to end, and five for the gateway's last revocations.
        assert found.pod.spec["terminationGracePeriodSeconds"] >= needed + 10, f"{base}: {needed} s needed"
        # Load balancers go on sending for a while, and the gateway serves on for as long.
        assert max(sleep(found.pod.gateway), delay) >= 5, base


def admitted(policy, pod_port):
    """Who a policy lets reach a port: None for nobody, [] for everybody, or the peers."""
    for rule in policy["spec"]["ingress"]:
        if any(one["port"] == pod_port for one in rule["ports"]):
            return rule.get("from", [])
    return None


def test_only_the_gateways_listener_is_open_to_everybody(_):
    """The admin listener to the scraper; the app to nobody, or to the gateway alone."""
    for base, found in each():
        policy = found.one("NetworkPolicy", found.one("Deployment")["metadata"]["name"])
        assert selects_pod(policy["spec"]["podSelector"]["matchLabels"], found.pod), base
        assert policy["spec"]["policyTypes"] == ["Ingress"], base
        ports = {one["name"]: one["containerPort"] for one in found.pod.gateway["ports"]}
        assert admitted(policy, ports["https"]) == [], base
        [scraper] = admitted(policy, ports["admin"])
        assert scraper["namespaceSelector"]["matchLabels"], base
        assert "hostPort" not in str(found.pod.spec), base
        upstreams = {one["upstream"] for one in yaml.safe_load(found.configuration)["routes"]}
        for upstream in upstreams:
            assert admitted(policy, int(upstream.rpartition(":")[2])) is None, base
    assert upstreams == {"http://shop.shop.svc.cluster.local:3000"}
    app = found.one("NetworkPolicy", "shop")
    assert app["spec"]["policyTypes"] == ["Ingress"] and len(app["spec"]["ingress"]) == 1
    [peer] = admitted(app, 3000)
    assert set(peer) == {"podSelector"} and selects_pod(peer["podSelector"]["matchLabels"], found.pod)
    sidecar = yaml.safe_load(manifests.load("sidecar").configuration)
    assert {one["upstream"] for one in sidecar["routes"]} == {"http://127.0.0.1:3000"}


def test_replicas_are_as_many_as_the_configuration_says(_):
    """So that check warns of what they would not share."""
    sidecar, standalone = (found for _, found in each())
    assert sidecar.one("Deployment")["spec"]["replicas"] == yaml.safe_load(sidecar.configuration)["replicas"] > 1
    scaler = standalone.one("HorizontalPodAutoscaler")["spec"]
    assert scaler["maxReplicas"] == yaml.safe_load(standalone.configuration)["replicas"] > scaler["minReplicas"] > 1
    # Otherwise each  kubectl apply  would undo what the autoscaler made.
    assert "replicas" not in standalone.one("Deployment")["spec"]
    target = standalone.one("Deployment")
    assert scaler["scaleTargetRef"] == {
        "apiVersion": target["apiVersion"], "kind": "Deployment", "name": target["metadata"]["name"]}
    assert [one["resource"]["name"] for one in scaler["metrics"]] == ["cpu"]
    assert standalone.pod.gateway["resources"]["requests"]["cpu"]


def test_one_pod_goes_at_a_time_and_they_are_spread(_):
    """The disruption budget and the constraints mean these pods."""
    found = manifests.load("standalone")
    budget = found.one("PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1 and selects_pod(budget["selector"]["matchLabels"], found.pod)
    constraints = found.pod.spec["topologySpreadConstraints"]
    assert {one["topologyKey"] for one in constraints} == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}
    for one in constraints:
        assert selects_pod(one["labelSelector"]["matchLabels"], found.pod)


def test_the_store_to_try_is_restricted_reached_by_the_gateways_alone_and_keeps_what_it_has(_):
    """The names in the gateways' configuration lead to it; it evicts nothing, and says nothing without TLS."""
    store, gateways = manifests.load(manifests.STORE), manifests.load("standalone")
    assert not_restricted(store.pod) == []
    [container] = store.pod.containers
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert store.pod.spec["automountServiceAccountToken"] is False
    service, policy = store.one("Service"), store.one("NetworkPolicy")
    url = yaml.safe_load(gateways.configuration)["store"]["url"]
    namespace = gateways.one("Namespace")["metadata"]["name"]
    assert {one["metadata"]["namespace"] for one in store.resources} == {namespace}
    [entry] = service["spec"]["ports"]
    assert url == f"rediss://{service['metadata']['name']}.{namespace}.svc.cluster.local:{entry['port']}"
    for selector in (service["spec"]["selector"], policy["spec"]["podSelector"]["matchLabels"],
                     store.one("Deployment")["spec"]["selector"]["matchLabels"]):
        assert selects_pod(selector, store.pod) and not selects_pod(selector, gateways.pod)
    [peer] = admitted(policy, manifests.port(container, entry["targetPort"]))
    assert set(peer) == {"podSelector"} and selects_pod(peer["podSelector"]["matchLabels"], gateways.pod)
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"] and policy["spec"]["egress"] == []
    assert store.one("Deployment")["spec"]["replicas"] == 1
    arguments = dict(zip(container["args"][::2], container["args"][1::2]))
    assert arguments["--maxmemory-policy"] == "noeviction" and arguments["--port"] == "0"
    # Neither knows the other's private key: the gateways read the store's certificate alone.
    assert store.pod.volume("secrets")["secret"]["secretName"] != gateways.pod.volume("store")["secret"]["secretName"]
    # With a store a client may come to any replica.
    assert "sessionAffinity" not in gateways.one("Service")["spec"]


def test_the_store_has_room_for_what_it_may_keep(_):
    """Its own limit is below the pod's, or the kernel would end it."""
    [container] = manifests.load(manifests.STORE).pod.containers
    arguments = dict(zip(container["args"][::2], container["args"][1::2]))
    limit = int(container["resources"]["limits"]["memory"].removesuffix("Mi"))
    assert int(arguments["--maxmemory"].removesuffix("mb")) <= 0.75 * limit
