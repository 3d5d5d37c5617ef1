"""Small variants of the networks of utils/bench-models.py: exact, and equal to their twins."""

import json
import subprocess

import numpy as np
import pytest

from test_bench_models import evaluate  # also finds bench_models

from bench_models import candidates, models, networks, program, real

f32 = np.float32
SMALL = dict(size=32, width=1 / 8, depth=0.1)


def on_pixels(function):
    """An op of ONNX on [1, C, H, W] from a function of [H, W, C]."""

    def apply(x, *rest, **attributes):
        y = function(np.moveaxis(x[0], 0, -1), *rest, **attributes)
        return np.moveaxis(y, -1, 0)[None]

    return apply


def conv(x, w, b, kernel_shape, strides, pads, group):
    assert len({*strides}) == 1 and len({*pads}) == 1 and kernel_shape == list(w.shape[2:])
    return real.conv(x, w.transpose(0, 2, 3, 1), strides[0], pads[0], group) + b


def conv_transpose(x, w, b, kernel_shape, strides):
    assert kernel_shape == strides == list(w.shape[2:])
    return real.conv_transpose(x, w.transpose(1, 2, 3, 0)) + b


def max_pool(x, kernel_shape, strides, pads):
    return real.max_pool(x, kernel_shape[0], strides[0], pads[0])


def resize(x, scales, mode, coordinate_transformation_mode, nearest_mode):
    assert (mode, nearest_mode) == ("nearest", "floor")
    assert coordinate_transformation_mode == "asymmetric"
    return x.repeat(int(scales[2]), axis=0).repeat(int(scales[3]), axis=1)


def hard_sigmoid(x, alpha=1 / 6, beta=0.5):
    return np.clip(f32(alpha) * x + f32(beta), 0, 1).astype(f32)


def gemm(x, w, b, transB):
    assert transB == 1
    return x @ w.T + b


def cut(x, first, last, axis):
    assert axis == [1]
    return x[:, first[0] : last[0]]


def dequantize(q, scale, zero, axis=None):
    shape = [1] * q.ndim
    if axis is not None:
        shape[axis] = -1
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (q.astype(f32) - zero.astype(f32)) * scale


OPS = {
    "Clip": np.clip,
    "Concat": lambda *inputs, axis: np.concatenate(inputs, axis),
    "Conv": on_pixels(conv),
    "ConvTranspose": on_pixels(conv_transpose),
    "DequantizeLinear": dequantize,
    "Gemm": gemm,
    "GlobalAveragePool": lambda x: x.mean(axis=(2, 3), keepdims=True),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": lambda x: x * hard_sigmoid(x),
    "MaxPool": on_pixels(max_pool),
    "Resize": lambda x, _, scales, **attributes: on_pixels(resize)(x, scales, **attributes),
    "Reshape": lambda x, shape: x.reshape(shape),
    "Sigmoid": real.sigmoid,
    "Slice": cut,
}


class Run:
    """A program in a file, with weights and an input."""

    def __init__(self, qcc, path, weights, x, folder):
        self.qcc = qcc
        self.x, self.y = folder / "x.npy", folder / "y.npy"
        self.artifact = folder / "network.so"
        np.savez(folder / "weights.npz", **weights)
        np.save(self.x, x)
        self.source = [path, f"--weights={folder}/weights.npz"]

    @staticmethod
    def _call(*line):
        done = subprocess.run(list(map(str, line)), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def compile(self):
        self._call(self.qcc, "compile", *self.source, "-o", self.artifact)

    def reference(self):
        """What the reference interpreter computes."""
        self._call(self.qcc, "run", *self.source, "--target=reference", f"--input={self.x}",
                   f"--output={self.y}")
        return np.load(self.y)

    def compare(self, threads):
        """Fails unless compiled code computes what is in the file of the result."""
        self._call(f"{self.qcc}-run", self.artifact, f"--input={self.x}", f"--threads={threads}",
                   f"--expect={self.y}")

    def kinds(self):
        listed = self._call(f"{self.qcc}-run", self.artifact, "--list")
        return [word.rpartition(".")[2] for word in listed.split() if ".step" in word]


def compiled_network(qcc, model, folder, form=""):
    run = Run(qcc, model.programs(str(folder))[form], model.weights, model.input(), folder)
    run.compile()
    return run


# Each network with one type of activations and one form of its program.
VARIANTS = {
    "resnet50": (False, ""),
    "mobilenet-v2": (True, ""),
    "mobilenet-v3": (False, ""),
    "efficientnet-b0": (True, "bytes"),
    "yolov8n": (False, ""),
    "unet": (True, ""),
}


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_network(compiler, tmp_path, name):
    """It is exact on one thread and on two, and equal to its twins."""
    signed, program_form = VARIANTS[name]
    model = models.make(name, signed=signed, **SMALL)
    compiled = compiled_network(compiler, model, tmp_path, program_form)
    expected = compiled.reference()
    for threads in (1, 2):
        compiled.compare(threads)
    # A transposed convolution is a kernel for each pixel of its stride.
    contractions = [op for op in model.net.ops if op.weights for _ in range(op.attributes.get("factor", 1) ** 2)]
    kinds = compiled.kinds()
    assert kinds.count("contract") == len(contractions)
    assert "pack" not in kinds  # weights are packed by the compiler
    x = model.library_input(model.input())
    for form in model.forms():
        if model.program_form(form) == program_form:
            result = model.program_result(evaluate(model.twin(form), x, OPS))
            # A sum of what is not quantized rounds once less, a sigmoid of bytes once more.
            tolerance = 0.2 if form.direct_sums or form.bytes else 0.1
            assert candidates.difference(result, expected) < tolerance, form.describe()


@pytest.mark.parametrize("name", [n for n in networks.NETWORKS if n not in ("yolov8n", "unet")])
def test_real_program(compiler, tmp_path, name):
    """In NCHW and real numbers it is the same network, but for how biases are rounded."""
    model = models.make(name, **SMALL)
    results = {}
    for form, text, x in (
        ("qnn", program.Program(model.net), model.input()),
        ("real", model.real_program(), model.library_input(model.input())),
    ):
        folder = tmp_path / form
        folder.mkdir()
        path = folder / "network.mlir"
        path.write_text(text.text)
        run = Run(compiler, path, text.weights, x, folder)
        results[form] = run.reference()
    assert candidates.difference(results["real"], results["qnn"]) < 0.01
    if name == "resnet50":
        run.compile()
        run.compare(threads=2)


def test_a_wrong_result_is_seen(compiler, tmp_path):
    model = models.make("unet", **SMALL)
    compiled = compiled_network(compiler, model, tmp_path)
    expected = compiled.reference()
    wrong = expected.copy()
    wrong[0, 7, 3] += f32(1e-3)
    np.save(compiled.y, wrong)
    with pytest.raises(AssertionError, match="differ"):
        compiled.compare(1)
    other = models.make("unet", seed=8, **SMALL)
    result = evaluate(other.twin(other.forms()[0]), model.library_input(model.input()), OPS)
    assert candidates.difference(other.program_result(result), expected) > 1


def test_resnet50_is_54_contractions(compiler, tmp_path):
    """Everything else is fused into them, but for the ends and the poolings."""
    model = models.make("resnet50", size=64, width=1 / 16)
    kinds = compiled_network(compiler, model, tmp_path).kinds()
    assert kinds.count("contract") == 54
    assert len(kinds) <= 60


def explain_forms(compiler, tmp_path, name):
    """What each step of a network is, for each form that the program may have."""
    model = models.make(name, size=64, width=1 / 4)
    kernels = {}
    for form, text in (("qnn", program.Program(model.net)), ("real", model.real_program())):
        path, weights = tmp_path / f"{form}.mlir", tmp_path / f"{form}.npz"
        path.write_text(text.text)
        np.savez(weights, **text.weights)
        explained = json.loads(Run._call(compiler, "explain", "--json", "--mcpu=cascadelake", path,
                                         f"--weights={weights}"))
        kernels[form] = explained["kernels"]
    return kernels


def test_resnet50_is_one_network_in_all_forms(compiler, tmp_path):
    """Channels first or last, real numbers or qnn ops: the same kernels."""
    kernels = {
        form: sorted((k["kind"], k.get("atom", ""), k.get("config", "")) for k in of_form)
        for form, of_form in explain_forms(compiler, tmp_path, "resnet50").items()
    }
    assert len(kernels["qnn"]) <= 60
    assert kernels["real"] == kernels["qnn"]


def test_gates_are_prologues_in_all_forms(compiler, tmp_path):
    """Squeeze-and-excitation: the product with the gate, and the mean before it, are computed by the convolutions that
    read them, whatever ops they are made of. Tiles of layers this narrow may differ, since epilogues do."""
    kernels = {
        form: sorted((k["kind"], k.get("atom", ""), "lhs panel" in k.get("config", "")) for k in of_form)
        for form, of_form in explain_forms(compiler, tmp_path, "mobilenet-v3").items()
    }
    assert sum(is_panel for _, _, is_panel in kernels["qnn"]) >= 16
    assert kernels["real"] == kernels["qnn"]


def test_layers_that_are_the_same_share_kernels(compiler, tmp_path):
    """Three times as many layers as ResNet-50 has, and no other kernels."""
    distinct = []
    for name in ("resnet50", "resnet152"):
        text = program.Program(models.make(name, size=32, width=1 / 16).net)
        path, weights = tmp_path / f"{name}.mlir", tmp_path / f"{name}.npz"
        path.write_text(text.text)
        np.savez(weights, **text.weights)
        explained = json.loads(Run._call(compiler, "explain", "--json", "--mcpu=cascadelake", path,
                                         f"--weights={weights}"))
        distinct.append((explained["distinct_kernels"], len(explained["kernels"])))
    assert distinct[0][0] == distinct[1][0]
    assert distinct[1][1] == distinct[0][1] + 102


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_values_fill_their_ranges(name):
    model = models.make(name, **SMALL)
    values = {}
    evaluate(model.twin(model.forms()[0]), model.library_input(model.input()), OPS, values)
    quantized = [v for name, v in values.items() if v.dtype == np.uint8 and v.size >= 256]
    assert len(quantized) > 10
    # Those of a sum or a concatenation are in the range of all its operands.
    assert np.median([int(v.max()) - int(v.min()) for v in quantized]) > 200
    assert min(int(v.max()) - int(v.min()) for v in quantized) > 60


def test_activations_are_those_of_the_network():
    """What programs compute for activations, in real numbers."""
    x = np.linspace(-9, 9, 999, dtype=f32)
    for name, function in real.ACTIVATIONS.items():
        if name in program.BODIES:
            assert np.allclose(run_body(program.BODIES[name], x), function(x), atol=1e-6), name


def run_body(text, x):
    """Computes the lines of a body of linalg.generic."""
    ops = {
        "arith.negf": np.negative, "math.exp": np.exp, "arith.addf": np.add,
        "arith.divf": np.divide, "arith.mulf": np.multiply,
        "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
    }
    values = {"%a": x} | {f"%{name}": f32(v) for name, v in program.CONSTANTS.items()}
    for line in text.strip().splitlines():
        result, _, op, *operands = line.replace(" : f32", "").split()
        values[result] = ops[op](*(values[operand.strip(",")] for operand in operands))
    return values["%r"]
