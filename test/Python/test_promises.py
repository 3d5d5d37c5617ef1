"""What the project promises about its examples, beyond their bits."""

import json
import subprocess
import time

import pytest

import program


def explain(name, cpu):
    command = [str(program.qcc()), "explain", str(program.EXAMPLES / name), "--json"]
    command += ["--weights=random:7", f"--mcpu={cpu}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["kernels"]


def contractions(kernels):
    return [kernel for kernel in kernels if kernel.get("atom")]


@pytest.mark.parametrize("name", ["mlp_f32.mlir", "mlp_f16.mlir"])
def test_mlp_is_two_kernels(cpu, name):
    kernels = explain(name, cpu)
    assert len(kernels) == len(contractions(kernels)) == 2


def test_tf_linear_is_one_kernel(cpu):
    kernels = explain("tf_linear.mlir", cpu)
    assert len(kernels) == len(contractions(kernels)) == 1


def test_weight_argument_costs_packing(cpu):
    assert len(contractions(explain("tf_linear_weight_arg.mlir", cpu))) == 1
    assert len(explain("tf_linear_weight_arg.mlir", cpu)) == 2


def test_encoder_contractions(cpu):
    """Six projections and feed-forward matmuls, scores and values, all on integers."""
    assert len(contractions(explain("encoder.mlir", cpu))) == 8


def test_compile_time(cpu, tmp_path):
    """Compiling mlp_f32.mlir takes under 2 s (the better of two runs, on a loaded machine)."""
    command = [str(program.qcc()), "compile", str(program.EXAMPLES / "mlp_f32.mlir")]
    command += ["--weights=random:7", f"--mcpu={cpu}", "-o", str(tmp_path / "mlp.so")]
    times = []
    for _ in range(2):
        start = time.monotonic()
        subprocess.run(command, check=True)
        times.append(time.monotonic() - start)
    assert min(times) < 2
