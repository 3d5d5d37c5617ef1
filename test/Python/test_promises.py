"""What the project promises about its examples, beyond their bits."""

import json
import resource
import subprocess
import time

import pytest

import program


def explain(name, cpu, *options):
    command = [str(program.qcc()), "explain", str(program.EXAMPLES / name), "--json"]
    command += ["--weights=random:7", f"--mcpu={cpu}", *options]
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
    """Six projections and feed-forward matmuls, scores and values, all on integers. One step may do several."""
    configs = [kernel["config"] for kernel in contractions(explain("encoder.mlir", cpu))]
    assert sum(len(config.split(", then ")) for config in configs) == 8


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


@pytest.mark.parametrize("chip", ["sm_80", "sm_86", "sm_89", "sm_90", "sm_120"])
@pytest.mark.parametrize("name, layers", [("tf_linear.mlir", 1), ("mlp_f16.mlir", 2)])
def test_layers_are_one_kernel_of_a_device(name, layers, chip):
    """Quantization is a part of the kernels that multiply. Each has a variant for few rows and one for many, and others
    for ranges between them."""
    kernels = explain(name, chip, "--target=cuda")
    assert {kernel.get("atom") for kernel in kernels} == {"mma-m16n8k32"}
    guards = {}
    for kernel in kernels:
        guards.setdefault(kernel["location"], []).append(kernel["config"].split(":")[0])
    assert len(guards) == layers
    for ranges in guards.values():
        assert len(set(ranges)) == len(ranges) <= 5
        assert ranges[0].startswith("rows <= ") and ranges[-1].startswith("rows > ")


def processor_time(command):
    """Seconds of all threads, which do not depend on what else a machine does; the better of two runs."""
    times = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def test_compile_time_of_a_device(tmp_path):
    """Compiling tf_linear.mlir for a chip takes under 1.5 s."""
    command = [program.qcc(), "compile", program.EXAMPLES / "tf_linear.mlir", "--weights=random:7", "--target=cuda"]
    assert processor_time([*command, "--mcpu=sm_80", "-o", tmp_path / "tf_linear.so"]) < 1.5


def test_compile_time_of_kernels_of_a_device(tmp_path):
    """Compiling 24 distinct kernels for a chip takes under 20 s."""
    text = "!x = !quant.uniform<i8:f32, 2.0e-02>\n!w = !quant.uniform<i8:f32, 1.0e-02>\n"
    for number in range(24):
        k, n = 256 + 64 * number, 1024 - 32 * number
        text += f"""
func.func @layer{number}(%x: tensor<512x{k}x!x>) -> tensor<512x{n}x!x> {{
  %w = arith.constant dense_resource<w{number}> : tensor<{n}x{k}x!w>
  %y = qnn.linear %x, %w : tensor<512x{k}x!x>, tensor<{n}x{k}x!w> -> tensor<512x{n}x!x>
  return %y : tensor<512x{n}x!x>
}}
"""
    path = tmp_path / "layers.mlir"
    path.write_text(text)
    options = ["--weights=random:7", "--target=cuda", "--mcpu=sm_80"]
    done = subprocess.run([str(program.qcc()), "explain", str(path), *options, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["distinct_kernels"] >= 24
    assert processor_time([program.qcc(), "compile", path, *options, "-o", tmp_path / "layers.so"]) < 20
