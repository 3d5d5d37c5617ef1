"""One network written in several valid Q/DQ ways: the same kernels, atoms and configs.

Epilogues may differ, where N3 and N4 make them: an i32 bias joins the accumulator, an f32 one
is added by fma or, as an op of its own, by a separate addition.
"""

import json
import subprocess

import numpy as np
import pytest

import oracle
import program
from program import number, uniform

f32 = np.float32
K, N1, N2, ROWS = 64, 96, 32, 29
SX, SW1, SH, SW2 = f32(2**-5), f32(2**-7), f32(0.75), f32(2**-8)

PREAMBLE = """#all = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
"""


class Network:
    """Two linear layers with a ReLU between, spelled by the hooks that the forms override."""

    def __init__(self):
        self.lines = []

    def emit(self, text):
        self.lines.append("  " + text)

    def relu(self, value, n):
        self.emit(
            f"%relu = linalg.generic {{indexing_maps = [#all, #all], iterator_types = "
            f'["parallel", "parallel"]}} ins({value} : tensor<?x{n}xf32>) outs(%empty{n} : '
            f"tensor<?x{n}xf32>) {{\n  ^bb0(%a: f32, %out: f32):\n"
            f"    %r = arith.maximumf %a, %zero : f32\n    linalg.yield %r : f32\n"
            f"  }} -> tensor<?x{n}xf32>"
        )
        return "%relu"

    def between(self, value):
        """From the first layer's f32 result to the quantized activation of the second."""
        relu = self.relu(value, N1)
        self.emit(
            f"%hq = qnn.quantize {relu} : tensor<?x{N1}xf32> -> tensor<?x{N1}x{self.h_type()}>"
        )
        return "%hq"

    def h_type(self):
        return uniform("i8", SH)

    def add_bias(self, layer, value, n):
        self.emit(
            f"%biased{layer} = linalg.generic {{indexing_maps = [#all, #column, #all], "
            f'iterator_types = ["parallel", "parallel"]}} ins({value}, %b{layer} : '
            f"tensor<?x{n}xf32>, tensor<{n}xf32>) outs(%empty{n} : tensor<?x{n}xf32>) {{\n"
            f"  ^bb0(%a: f32, %b: f32, %out: f32):\n    %r = arith.addf %a, %b : f32\n"
            f"    linalg.yield %r : f32\n  }} -> tensor<?x{n}xf32>"
        )
        return f"%biased{layer}"

    def weight(self, layer, n, k, scale, transposed=False):
        shape = f"{k}x{n}" if transposed else f"{n}x{k}"
        type = f"tensor<{shape}x{uniform('i8', scale)}>"
        name = f"w{layer}t" if transposed else f"w{layer}"
        self.emit(f"%w{layer} = arith.constant dense_resource<{name}> : {type}")
        self.emit(f"%wd{layer} = qnn.dequantize %w{layer} : {type} -> tensor<{shape}xf32>")
        return f"%wd{layer}"

    def bias(self, layer, n):
        self.emit(f"%b{layer} = arith.constant dense_resource<b{layer}> : tensor<{n}xf32>")
        return f"%b{layer}"

    def linear(self, layer, value, n, k, scale, input_scale):
        weight, bias = self.weight(layer, n, k, scale), self.bias(layer, n)
        self.emit(
            f"%y{layer} = qnn.linear {value}, {weight} bias({bias} : tensor<{n}xf32>) : "
            f"tensor<?x{k}xf32>, tensor<{n}x{k}xf32> -> tensor<?x{n}xf32>"
        )
        return f"%y{layer}"

    def text(self):
        for line in (
            "%zero = arith.constant 0.0 : f32",
            "%c0 = arith.constant 0 : index",
            f"%m = tensor.dim %x, %c0 : tensor<?x{K}xf32>",
            f"%empty{N1} = tensor.empty(%m) : tensor<?x{N1}xf32>",
            f"%empty{N2} = tensor.empty(%m) : tensor<?x{N2}xf32>",
        ):
            self.emit(line)
        x_type = f"tensor<?x{K}x{uniform('i8', SX)}>"
        self.emit(f"%xq = qnn.quantize %x : tensor<?x{K}xf32> -> {x_type}")
        self.emit(f"%xd = qnn.dequantize %xq : {x_type} -> tensor<?x{K}xf32>")
        hidden = self.between(self.linear(1, "%xd", N1, K, SW1, SX))
        h_type = f"tensor<?x{N1}x{self.h_type()}>"
        self.emit(f"%hd = qnn.dequantize {hidden} : {h_type} -> tensor<?x{N1}xf32>")
        y = self.linear(2, "%hd", N2, N1, SW2, SH)
        body = "\n".join(self.lines)
        return (
            f"{PREAMBLE}func.func @main(%x: tensor<?x{K}xf32>) -> tensor<?x{N2}xf32> {{\n"
            f"{body}\n  return {y} : tensor<?x{N2}xf32>\n}}\n"
        )


class DequantizedBias(Network):
    """The bias in i32, dequantized by sx * sw."""

    def bias(self, layer, n):
        scale = {1: SX * SW1, 2: SH * SW2}[layer]
        type = f"tensor<{n}x!quant.uniform<i32:f32, {number(scale)}>>"
        self.emit(f"%bq{layer} = arith.constant dense_resource<b{layer}_i32> : {type}")
        self.emit(f"%b{layer} = qnn.dequantize %bq{layer} : {type} -> tensor<{n}xf32>")
        return f"%b{layer}"


class MatmulAndAdd(Network):
    """linalg.matmul with a [K, N] weight, then an addition of its own."""

    def linear(self, layer, value, n, k, scale, input_scale):
        weight, _ = self.weight(layer, n, k, scale, transposed=True), self.bias(layer, n)
        self.emit(
            f"%fill{layer} = linalg.fill ins(%zero : f32) outs(%empty{n} : tensor<?x{n}xf32>) "
            f"-> tensor<?x{n}xf32>"
        )
        self.emit(
            f"%y{layer} = linalg.matmul ins({value}, {weight} : tensor<?x{k}xf32>, "
            f"tensor<{k}x{n}xf32>) outs(%fill{layer} : tensor<?x{n}xf32>) -> tensor<?x{n}xf32>"
        )
        return self.add_bias(layer, f"%y{layer}", n)


class TransposedWeight(MatmulAndAdd):
    """linalg.matmul of a weight kept as [N, K] and transposed in the program."""

    def weight(self, layer, n, k, scale, transposed=False):
        stored = super().weight(layer, n, k, scale)
        self.emit(f"%te{layer} = tensor.empty() : tensor<{k}x{n}xf32>")
        self.emit(
            f"%wt{layer} = linalg.transpose ins({stored} : tensor<{n}x{k}xf32>) "
            f"outs(%te{layer} : tensor<{k}x{n}xf32>) permutation = [1, 0]"
        )
        return f"%wt{layer}"


class ReluAsClamp(Network):
    """ReLU as the lower clamp of the linear op."""

    def linear(self, layer, value, n, k, scale, input_scale):
        if layer == 2:
            return super().linear(layer, value, n, k, scale, input_scale)
        weight, bias = self.weight(layer, n, k, scale), self.bias(layer, n)
        self.emit(
            f"%y{layer} = qnn.linear {value}, {weight} bias({bias} : tensor<{n}xf32>) "
            f"{{clamp_min = {number(0)} : f32}} : tensor<?x{k}xf32>, tensor<{n}x{k}xf32> "
            f"-> tensor<?x{n}xf32>"
        )
        return f"%y{layer}"

    def relu(self, value, n):
        return value


class ReluAfterQuantize(Network):
    """ReLU kept as a clamp of the quantized tensor."""

    def between(self, value):
        type = f"tensor<?x{N1}x{self.h_type()}>"
        self.emit(f"%raw = qnn.quantize {value} : tensor<?x{N1}xf32> -> {type}")
        self.emit(f"%hq = qnn.clamp %raw {{min = {number(0)} : f32}} : {type}")
        return "%hq"


class ReluInRange(Network):
    """ReLU folded into the range of an i8 quantization that starts at 0."""

    def h_type(self):
        return uniform("i8", SH / 2, -128)

    def relu(self, value, n):
        return value


class PlainLinear(Network):
    """One op from quantized operands to real results, no dequantize in sight."""

    def linear(self, layer, value, n, k, scale, input_scale):
        x, x_type = ("%xq", uniform("i8", SX)) if layer == 1 else ("%hq", self.h_type())
        self.weight(layer, n, k, scale)
        bias = self.bias(layer, n)
        self.emit(
            f"%y{layer} = qnn.linear {x}, %w{layer} bias({bias} : tensor<{n}xf32>) : "
            f"tensor<?x{k}x{x_type}>, tensor<{n}x{k}x{uniform('i8', scale)}> "
            f"-> tensor<?x{n}xf32>"
        )
        return f"%y{layer}"


FORMS = [
    Network,
    DequantizedBias,
    MatmulAndAdd,
    TransposedWeight,
    ReluAsClamp,
    ReluAfterQuantize,
    PlainLinear,
]


def make_weights():
    rng = np.random.default_rng(40)
    weights = {
        "w1": rng.integers(-128, 128, (N1, K)).astype(np.int8),
        "w2": rng.integers(-128, 128, (N2, N1)).astype(np.int8),
        "b1_i32": rng.integers(-20000, 20000, N1).astype(np.int32),
        "b2_i32": rng.integers(-20000, 20000, N2).astype(np.int32),
    }
    weights["w1t"], weights["w2t"] = weights["w1"].T.copy(), weights["w2"].T.copy()
    weights["b1"] = weights["b1_i32"].astype(f32) * (SX * SW1)
    weights["b2"] = weights["b2_i32"].astype(f32) * (SH * SW2)
    return weights


def write(form, folder):
    path = folder / f"{form.__name__}.mlir"
    path.write_text(form().text())
    np.savez(folder / "weights.npz", **make_weights())
    return path


@pytest.mark.parametrize("form", FORMS + [ReluInRange], ids=lambda form: form.__name__)
def test_bits(cpu, tmp_path, form):
    path = write(form, tmp_path)
    command = [str(program.qcc()), "run", str(path), f"--mcpu={cpu}", "--check", "--input=random:3:-4:4"]
    command += [f"--weights={tmp_path / 'weights.npz'}", f"--dim={ROWS}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"check: {ROWS * N2} elements, 0 differ" in done.stdout


def kernels(form, folder, cpu):
    path = write(form, folder)
    command = [str(program.qcc()), "explain", str(path), f"--mcpu={cpu}", "--json"]
    command += [f"--weights={folder / 'weights.npz'}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [
        (kernel["atom"], kernel["config"])
        for kernel in json.loads(done.stdout)["kernels"]
        if kernel.get("atom")
    ]


def test_same_kernels(cpu, tmp_path):
    expected = kernels(Network, tmp_path, cpu)
    assert len(expected) == 2
    for form in FORMS[1:]:
        assert kernels(form, tmp_path, cpu) == expected, form.__name__


def test_relu_in_range(cpu, tmp_path):
    """A zero point of -128 adds a term to the bias, no kernel."""
    assert len(kernels(ReluInRange, tmp_path, cpu)) == 2


def test_numpy(target, tmp_path):
    """The founding form against numpy."""
    weights = make_weights()
    x = np.random.default_rng(41).normal(0, 1.5, (ROWS, K)).astype(f32)
    path = write(Network, tmp_path)
    acc = oracle.accumulate(oracle.quantize(x, SX, 0, "i8"), 0, weights["w1"].T, 0)
    h = oracle.maximumf(oracle.real_result(acc, SX * SW1, weights["b1"]), f32(0))
    acc = oracle.accumulate(oracle.quantize(h, SH, 0, "i8"), 0, weights["w2"].T, 0)
    expected = oracle.real_result(acc, SH * SW2, weights["b2"])
    (y,) = program.run_file(path, tmp_path, [x], 1, weights, target)
    program.assert_same_bits(y, expected, "network")
