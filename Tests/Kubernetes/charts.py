"""What the article has people do with charts and folders of their own ends in what the base is, by the real helm and kubectl."""
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path

import yaml

import keys
import manifests
import promises
import schemas

TEMPLATES = manifests.FOLDER / "helm/_portcullis.tpl"


def article(word):
    """The one block of YAML of the article that has a word; blocks of a list are indented."""
    [block] = keys.blocks("yaml", word)
    return textwrap.dedent(block)


def chart(folder, values, configuration):
    """What helm makes of a chart as the article says; None for the configuration leaves its file out."""
    templates = folder / "templates"
    templates.mkdir()
    shutil.copy(TEMPLATES, templates)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 1.0.0\n")
    (folder / "values.yaml").write_text(values)
    (templates / "deployment.yaml").write_text(article("portcullis.container"))
    if configuration is not None:
        (folder / "portcullis.yaml").write_text(configuration)
    return subprocess.run([manifests.HELM, "template", "shop", folder, "--namespace", "shop"], capture_output=True,
                          text=True, timeout=60, check=False)


def test_a_chart_with_the_templates_has_the_sidecar_of_the_base(_):
    """The same container, volumes and pod, but for names that are the chart's."""
    base = manifests.load("sidecar")
    with tempfile.TemporaryDirectory() as name:
        made = chart(Path(name), article("tlsSecret"), base.configuration)
    assert made.returncode == 0, made.stderr
    found = manifests.Manifests(list(yaml.safe_load_all(made.stdout)))
    assert schemas.faults(found.resources) == []
    assert found.pod.gateway == base.pod.gateway
    for key in ("automountServiceAccountToken", "enableServiceLinks", "securityContext",
                "terminationGracePeriodSeconds"):
        assert found.pod.spec[key] == base.pod.spec[key], key
    for name in ("tls", "keys"):
        assert found.pod.volume(name) == base.pod.volume(name)
    configuration = found.one("ConfigMap")
    assert found.pod.volume("configuration")["configMap"]["name"] == configuration["metadata"]["name"]
    assert configuration["data"]["portcullis.yaml"].strip() == base.configuration.strip()
    assert promises.not_restricted(found.pod) == []


def test_a_chart_that_lacks_something_says_what(_):
    """Instead of a pod that does not start."""
    base = manifests.load("sidecar")
    values = article("tlsSecret")
    for lacking, text, configuration in [
        ("portcullis.image", values.replace("image:", "picture:"), base.configuration),
        ("portcullis.keysSecret", values.replace("keysSecret:", "secret:"), base.configuration),
        ("no portcullis.yaml", values, None),
    ]:
        with tempfile.TemporaryDirectory() as name:
            made = chart(Path(name), text, configuration)
        assert made.returncode != 0 and lacking in made.stderr, made.stderr


def test_a_folder_of_somebodys_own_changes_the_app_and_the_configuration(_):
    """The kustomization of the article, beside the project's folder."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(manifests.FOLDER, Path(name) / "deploy/kubernetes")
        own = Path(name) / "own"
        own.mkdir()
        (own / "kustomization.yaml").write_text(article("behavior: replace"))
        (own / "portcullis.yaml").write_text("routes: []\n")
        found = manifests.Manifests(list(yaml.safe_load_all(manifests.rendered(own))))
    base = manifests.load("sidecar")
    assert schemas.faults(found.resources) == []
    assert found.configuration == "routes: []\n"
    assert found.pod.gateway == base.pod.gateway
    app = found.pod.container("app")
    assert app["image"] == "registry.example.com/shop:1.0" and app["lifecycle"] == base.pod.container("app")["lifecycle"]
    assert app["readinessProbe"]["exec"]["command"] == ["/usr/local/bin/shop", "healthy"]
    assert promises.not_restricted(found.pod) == []
