"""examples/kubernetes: the options and paths that the files name exist, and pods end as the files promise."""

import json
import re
import signal
import time

import pytest

import serving
from package import LINEAR, qcc
from program import ROOT

yaml = pytest.importorskip("yaml", reason="the package PyYAML is not installed")
pytest.importorskip("httptools", reason="the library of HTTP is not installed")


@pytest.fixture(scope="module")
def runtime():
    """The ServingRuntime and the InferenceService."""
    text = (ROOT / "examples" / "kubernetes" / "kserve.yaml").read_text()
    runtime, service = yaml.safe_load_all(text)
    assert (runtime["kind"], service["kind"]) == ("ServingRuntime", "InferenceService")
    return runtime, service


@pytest.fixture(scope="module")
def container(runtime):
    (container,) = runtime[0]["spec"]["containers"]
    assert container["name"] == "kserve-container"  # KServe looks for this name.
    return container


def options(container):
    """The options of the command by their names."""
    return dict(argument[2:].split("=", 1) for argument in container["args"][1:])


def test_the_image_has_the_command(container):
    text = (ROOT / "containers" / "Containerfile").read_text()
    name, _, version = container["image"].partition(":")
    target = name.split("-")[1]
    assert re.search(rf"--target {target} +-t {name} ", text)
    stage = text.split(f" AS {target}\n", 1)[1].split("\nFROM ", 1)[0]
    assert json.loads(re.search(r"ENTRYPOINT (.*)", stage).group(1)) == container["command"]
    assert version == qcc.__version__


def test_the_packages_of_the_image_are_those_of_the_extras(container):
    """The command of the Containerfile finds them in the metadata of the wheel."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("build_wheels", ROOT / "utils" / "build-wheels.py")
    wheels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheels)
    script = re.search(r'sed -n "s/(.*)/\\1/p" ', (ROOT / "containers" / "Containerfile").read_text()).group(1)
    pattern = script.replace("\\(", "(").replace("\\)", ")").replace("\\|", "|")
    lines = wheels.metadata("qcc-runtime", "", []).splitlines()
    found = [re.match(pattern, line).group(1) for line in lines if re.match(pattern, line)]
    assert found == [*wheels.EXTRAS["serve"], *wheels.EXTRAS["grpc"]]


def test_names_belong_together(runtime, container):
    of_runtime, service = runtime
    predictor = service["spec"]["predictor"]
    assert predictor["model"]["runtime"] == of_runtime["metadata"]["name"]
    (model_format,) = of_runtime["spec"]["supportedModelFormats"]
    assert predictor["model"]["modelFormat"]["name"] == model_format["name"]
    assert predictor["model"]["protocolVersion"] in of_runtime["spec"]["protocolVersions"]
    port = int(options(container)["port"])
    assert container["ports"][0]["containerPort"] == port
    assert all(container[probe]["httpGet"]["port"] == port for probe in ("readinessProbe", "livenessProbe"))
    assert int(of_runtime["spec"]["annotations"]["prometheus.io/port"]) == port
    draining = float(options(container)["drain-delay"]) + float(options(container)["drain-timeout"])
    assert predictor["terminationGracePeriodSeconds"] > draining
    noticed = container["readinessProbe"]["periodSeconds"] * container["readinessProbe"]["failureThreshold"]
    assert noticed < float(options(container)["drain-delay"])


def test_the_server_of_the_pod(runtime, container, tmp_path):
    """The command with its options, at another port and with a short delay."""
    qcc.compile(LINEAR).save(tmp_path / "model.so")
    name = runtime[1]["metadata"]["name"]
    model, *rest = container["args"]
    assert model == "{{.Name}}=/mnt/models/model.so"
    model = model.replace("{{.Name}}", name).replace("/mnt/models", str(tmp_path))
    rest = [argument for argument in rest if not argument.startswith(("--port=", "--host=", "--drain-delay="))]
    assert len(rest) == len(container["args"]) - 4
    with serving.Server(model, *rest, "--drain-delay=2") as server:
        probes = [container[probe]["httpGet"]["path"] for probe in ("readinessProbe", "livenessProbe")]
        paths = [*probes, runtime[0]["spec"]["annotations"]["prometheus.io/path"], f"/v2/models/{name}"]
        assert [server.get(path)[0] for path in paths] == [200] * 4
        server.process.send_signal(signal.SIGTERM)
        end = time.monotonic() + 2
        while server.get(probes[0])[0] != 503:
            assert time.monotonic() < end
        assert server.get(probes[1])[0] == 200
        assert server.stop() == 0
