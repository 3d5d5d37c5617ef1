"""MatMulNBits of com.microsoft: weights of 2, 4 and 8 bits with scales for blocks of K.

Expected bits are those of numpy by docs/Numerics.md. ONNX Runtime is compared by its own distance to float64.
"""

import re
import subprocess

import numpy as np
import pytest

import onnx_peer
import oracle
import program
from onnx_model import Model

F32, F16 = np.float32, np.float16


def pack(codes, bits):
    """Rows of codes as bytes, the lowest bits of a byte first; each row begins with a byte of its own."""
    per_byte = 8 // bits
    rows = codes.reshape(-1, codes.shape[-1]).astype(np.uint32)
    rows = np.pad(rows, [(0, 0), (0, -rows.shape[-1] % per_byte)])
    parts = rows.reshape(len(rows), -1, per_byte) << (np.arange(per_byte) * bits)
    return parts.sum(axis=-1).astype(np.uint8).reshape(*codes.shape[:-1], -1)


class Layer:
    """A node: its weight as codes [n, blocks, size], zero points and scales [n, blocks], and its other inputs."""

    def __init__(self, rng, n, k, size, bits, zeros="none", kind=F32, bias=False, negative=True):
        self.n, self.k, self.size, self.bits, self.kind, self.zeros = n, k, size, bits, kind, zeros
        blocks = -(-k // size)
        self.codes = rng.integers(0, 2**bits, (n, blocks, size))
        self.z = np.full((n, blocks), 2 ** (bits - 1))
        if zeros == "packed":
            self.z = rng.integers(0, 2**bits, (n, blocks))
        elif zeros == "real":
            self.z = rng.uniform(0, 2**bits, (n, blocks)).astype(kind)
        self.s = (rng.uniform(0.01, 0.1, (n, blocks)) * (rng.choice([-1, 1], (n, blocks)) if negative else 1)).astype(kind)
        if negative:
            self.s[-1, -1] = 0
        self.bias = rng.normal(0, 1, n).astype(kind) if bias else None

    def run(self, folder, x, level, dynamic=False, arguments=(), **attributes):
        graph = Model()
        shape = ["rows" if d == 0 else size for d, size in enumerate(x.shape)] if dynamic else None
        zeros = {"none": "", "packed": None, "real": None}[self.zeros]
        if zeros is None:
            zeros = graph.constant("z", pack(self.z, self.bits) if self.zeros == "packed" else self.z)
        names = [graph.input("x", x, shape), graph.constant("w", pack(self.codes, self.bits)), graph.constant("s", self.s), zeros, "",
                 "" if self.bias is None else graph.constant("bias", self.bias)]
        while not names[-1]:
            names.pop()
        y = graph.node("com.microsoft::MatMulNBits", names, K=self.k, N=self.n, bits=self.bits, block_size=self.size,
                       accuracy_level=level, **attributes)
        return graph.run(folder, [y], arguments)[0]

    def steps(self):
        """Integer differences and positive scales: a scale of 0 has differences of 0, a negative one negated ones."""
        s = self.s.astype(F32)
        differences = (self.codes - self.z[..., None]) * np.sign(s)[..., None].astype(np.int64)
        return differences, np.where(s == 0, F32(1), np.abs(s))

    def weight(self, kind=F32):
        """[n, k] of floats."""
        if self.zeros == "real":
            real = (self.codes.astype(kind) - self.z.astype(kind)[..., None]) * self.s.astype(kind)[..., None]
        else:
            differences, scales = self.steps()
            real = differences.astype(kind) * scales.astype(kind)[..., None]
        return real.reshape(self.n, -1)[:, : self.k]

    def literal(self, x):
        """N8: a chain from 0, then the bias."""
        rows = x.astype(F32).reshape(-1, self.k)
        y = oracle.fma_chain(rows, np.ascontiguousarray(self.weight().T))
        if self.bias is not None:
            y = y + self.bias.astype(F32)
        return y.reshape(*x.shape[:-1], self.n).astype(self.kind)

    def integers(self, x):
        """Blocks of x by N5, then N3."""
        blocks = np.pad(x.astype(F32), [(0, 0)] * (x.ndim - 1) + [(0, self.codes[0].size - self.k)])
        blocks = blocks.reshape(*x.shape[:-1], -1, self.size)
        scale = np.abs(blocks).max(axis=-1, keepdims=True) / F32(127)
        q = oracle.quantize(blocks, scale, 0, "i8").reshape(*x.shape[:-1], -1)
        differences, scales = self.steps()
        none, bias = np.zeros((1, 1), np.int64), None if self.bias is None else self.bias.astype(F32)
        return oracle.grouped_linear(q, none, scale[..., 0], differences.reshape(self.n, -1), none, scales, bias).astype(self.kind)


CASES = [  # n, k, size, bits, zeros, kind, bias, shape of rows
    (5, 64, 32, 4, "none", F32, False, (3,)), (17, 100, 16, 4, "packed", F32, True, (2, 3)), (8, 128, 128, 4, "packed", F16, True, (1,)),
    (6, 96, 64, 4, "none", F16, False, (7,)), (9, 48, 32, 2, "none", F32, True, (4,)), (7, 70, 16, 2, "packed", F32, False, (2,)),
    (12, 80, 32, 8, "none", F32, False, (5,)), (10, 64, 16, 8, "packed", F32, True, (1, 2, 2)), (33, 256, 256, 8, "packed", F16, False, (4,)),
    (4, 20, 32, 4, "packed", F32, True, (9,)), (16, 512, 32, 4, "packed", F32, True, (70,)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:5])))
@pytest.mark.parametrize("level", [0, 4])
def test_bits(case, level, target, tmp_path):
    *arguments, rows = case
    layer = Layer(np.random.default_rng(CASES.index(case)), *arguments)
    x = np.random.default_rng(3).normal(0, 2, (*rows, layer.k)).astype(layer.kind)
    x.reshape(-1, layer.k)[0, : min(layer.size, layer.k)] = 0  # the scale of a block of zeros is 0
    y = layer.run(tmp_path, x, level, dynamic=len(rows) == 2, arguments=target)
    program.assert_same_bits(y, layer.integers(x) if level == 4 else layer.literal(x))


@pytest.mark.parametrize("level", [0, 4])
@pytest.mark.parametrize("bits", [4, 8])
def test_zero_points_that_are_floats(bits, level, tmp_path, compiler):
    """Are literal at each level."""
    layer = Layer(np.random.default_rng(5), 6, 70, 32, bits, "real", bias=True)
    x = np.random.default_rng(6).normal(0, 2, (3, 70)).astype(F32)
    program.assert_same_bits(layer.run(tmp_path, x, level), layer.literal(x))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_other_levels_are_literal(level, tmp_path, compiler):
    layer = Layer(np.random.default_rng(level), 6, 64, 32, 4, "packed")
    x = np.random.default_rng(6).normal(0, 2, (3, 64)).astype(F32)
    program.assert_same_bits(layer.run(tmp_path, x, level), layer.literal(x))


@pytest.mark.parametrize("level", [0, 4])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed"])
def test_beside_onnx_runtime(zeros, bits, level, tmp_path, compiler):
    """As near to float64 as ONNX Runtime is."""
    if onnx_peer.onnxruntime is None:
        pytest.skip("ONNX Runtime is not installed")
    layer = Layer(np.random.default_rng(8), 64, 512, 32, bits, zeros, bias=True, negative=False)
    x = np.random.default_rng(9).normal(0, 1, (16, 512)).astype(F32)
    y = layer.run(tmp_path, x, level)
    (peer,) = onnx_peer.run(tmp_path / "model.onnx", [x])
    exact = x.astype(np.float64) @ layer.weight(np.float64).T + layer.bias
    ours, theirs = np.abs(y - exact).max(), np.abs(peer - exact).max()
    # A sum in the order of K has the error of all its terms, which sums of lanes have not.
    assert ours <= (1.1 * theirs if level == 4 else 8 * np.finfo(F32).eps * np.abs(exact).max() * 4), (ours, theirs)


def test_integers_are_one_grouped_layer(tmp_path, compiler):
    layer = Layer(np.random.default_rng(1), 6, 64, 32, 4, "packed")
    layer.run(tmp_path, np.ones((3, 64), F32), 4)
    text = subprocess.run([compiler, "compile", str(tmp_path / "model.onnx"), "--emit=import", "-o", "-"], capture_output=True,
                          text=True, check=True).stdout
    assert re.search(r"qnn.linear .*input_scale\(.*tensor<3x2xf32>\) weight_scale\(.*tensor<6x2xf32>\) : tensor<3x64xi8>, tensor<6x64xi8>", text)


def test_negative_scales_keep_4_bits(tmp_path, compiler):
    """Elements of -7 to 8 beside those of -8 to 7."""
    layer = Layer(np.random.default_rng(1), 16, 64, 32, 4)
    layer.run(tmp_path, np.ones((1, 64), F32), 4)
    text = subprocess.run([compiler, "compile", str(tmp_path / "model.onnx"), "--mcpu=x86-64-v3", "--emit=kernel", "-o", "-"],
                          capture_output=True, text=True, check=True).stdout
    assert "rhs = nibbles" in text


@pytest.mark.parametrize("change, message", [
    ({"weight_prepacked": 1}, "weight_prepacked"),
    ({"bits": 3}, "has weights of 3 bits, which is not supported; use 2, 4 or 8"),
    ({"block_size": 24}, "has blocks of 24 elements; use a power of two of at least 16"),
    ({"block_size": 8}, "has blocks of 8 elements; use a power of two of at least 16"),
    ({"K": 60}, "has K = 60 and an input with rows of 64 elements; correct one of them"),
    ({"N": 5}, "bytes of weights, but its attributes ask for"),
    ({"N": 0}, "has a weight of 0 rows and 64 columns; correct N and K"),
    ({"g_idx": np.zeros(64, np.int32)}, "has a g_idx that gives columns of the weight another order of blocks"),
    ({"scales": np.ones((6, 1), F32)}, "needs 12 scales, one for each block of a row; correct the shape"),
    ({"scales": np.full((6, 2), np.inf, F32)}, "which is not positive, finite and normal"),
    ({"zeros": np.ones((6, 2), np.uint8)}, "bytes of zero points, but its attributes ask for 6"),
    ({"bias": np.ones(5, F32)}, "has a bias that is not one number for each of its 6 results; correct the bias"),
    ({"x": np.ones(64, F32)}, "takes an input of at least two dimensions, not of 1; reshape it"),
    ({"is_input": True}, "has weights that are no constant; make them an initializer"),
])
def test_refusals(change, message, tmp_path, compiler):
    attributes = {"K": 64, "N": 6, "bits": 4, "block_size": 32}
    attributes.update({name: value for name, value in change.items() if name in (*attributes, "weight_prepacked")})
    graph = Model()
    names = [graph.input("x", change.get("x", np.ones((3, 64), F32))),
             graph.value("w", np.zeros((6, 2, 16), np.uint8), change.get("is_input", False)),
             graph.constant("s", change.get("scales", np.ones((6, 2), F32)))]
    for name in ("zeros", "g_idx", "bias"):
        names.append(graph.constant(name, change[name]) if name in change else "")
    with pytest.raises(AssertionError, match=re.escape(message)):
        graph.run(tmp_path, [graph.node("com.microsoft::MatMulNBits", names, **attributes)])


def test_an_order_of_blocks_that_is_trivial(tmp_path, compiler):
    layer = Layer(np.random.default_rng(2), 6, 64, 32, 4)
    graph = Model()
    x = np.random.default_rng(6).normal(0, 2, (3, 64)).astype(F32)
    names = [graph.input("x", x), graph.constant("w", pack(layer.codes, 4)), graph.constant("s", layer.s), "",
             graph.constant("order", np.arange(64, dtype=np.int32) // 32)]
    y = graph.node("com.microsoft::MatMulNBits", names, K=64, N=6, bits=4, block_size=32)
    program.assert_same_bits(graph.run(tmp_path, [y])[0], layer.literal(x))
