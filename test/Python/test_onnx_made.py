"""The networks of utils/onnx_models: imported, and computed as the reference does at dynamic sizes."""

import subprocess
import sys

import onnx
import pytest

import program

sys.path.insert(0, str(program.ROOT / "utils"))
from onnx_models.networks import NETWORKS, SIZES  # noqa: E402

SCRIPT = program.ROOT / "utils" / "onnx-models.py"


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, tmp_path, compiler):
    model = NETWORKS[name]()
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    names = {dim.dim_param for info in model.graph.input for dim in info.type.tensor_type.shape.dim if dim.dim_param}
    dims = [f"--dim={dim}={SIZES.get(dim, [3])[0]}" for dim in sorted(names)]
    done = subprocess.run([str(compiler), "run", str(path), "--input=random:1", *dims, "--check"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and ", 0 differ" in done.stdout, done.stdout + done.stderr


def test_a_network_that_there_is_not():
    done = subprocess.run([sys.executable, str(SCRIPT), "--qcc=qcc", "--made=nothing"], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no network 'nothing'; there are mlp, encoder" in done.stderr
